/** What changes in the files of a protocol if it lacks something, and the files over several servers. */
import { describe, expect, test } from 'vitest';
import { emit } from '../../generator/emit/index.js';
import { refuseMethodsWithoutStub } from '../../generator/emit/stubs.js';
import { bestToolExample } from '../../generator/emit/tools/example.js';
import { printServerClients, printServerIndex } from '../../generator/emit/tools/servers.js';
import { ToolNamer } from '../../generator/emit/tools/tools.js';
import { DEFAULT_PARTS, type Emittable, type Protocol } from '../../generator/index.js';
import { parseTool } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import { parseTools } from '../../generator/read/tools.js';
import { load, PROTOCOLS } from './protocols.js';
import { expectedFile, formatPieces, messageOr, section } from './support.js';
import { LISTS } from './tools.js';

const PARTS: readonly Emittable[] = [...DEFAULT_PARTS, 'aliases'];

type Change = (protocol: Protocol) => Protocol;

const traits =
  (change: (traits: Protocol['traits']) => Protocol['traits']): Change =>
  (protocol) => ({ ...protocol, traits: change(protocol.traits) });

const withoutTrait = (name: keyof Protocol['traits']): Change => traits(({ [name]: _removed, ...others }) => others);

const withoutRole = (name: keyof NonNullable<Protocol['traits']['roles']>): Change =>
  traits(({ roles = {}, ...others }) => {
    const { [name]: _removed, ...rest } = roles;
    return { ...others, roles: rest };
  });

const withoutMethod =
  (...names: readonly string[]): Change =>
  (protocol) => ({ ...protocol, methods: protocol.methods.filter(({ name }) => !names.includes(name)) });

const withoutDefinition =
  (name: string): Change =>
  (protocol) => ({ ...protocol, definitions: protocol.definitions.filter((definition) => definition.name !== name) });

const VARIANTS: Readonly<Record<string, readonly [keyof typeof PROTOCOLS, Change]>> = {
  'without a method for its subscription': ['stateless', withoutMethod('listen')],
  'without a filter for its subscription': ['stateless', withoutDefinition('Filter')],
  'without discovery': ['stateless', withoutRole('discovery')],
  'without members of requests': ['stateless', withoutRole('requestMembers')],
  'without defaults of results': ['stateless', withoutRole('resultDefaults')],
  'without embedded requests': ['stateless', withoutMethod('ask', 'roots')],
  'without input': ['stateless', withoutTrait('inputRequired')],
  'without capabilities': ['stateful', withoutTrait('capabilities')],
  'without definitions of capabilities': ['stateful', withoutDefinition('ClientCapabilities')],
  'without names of programs': ['stateful', withoutRole('implementation')],
  'without levels of logs': ['stateful', withoutRole('logLevel')],
  'without forms': ['stateful', withoutRole('form')],
  'without methods of the context': ['stateful', withoutRole('contextMethods')],
  'without answers of the runtime': ['stateful', withoutRole('answers')],
  'without tasks': ['stateful', withoutTrait('tasks')],
  'without pages': ['stateful', withoutTrait('pages')],
  'without an envelope': ['stateful', withoutTrait('envelope')],
  'without a specification': ['stateful', withoutTrait('specification')],
  'without batches': ['stateful', (protocol) => ({ ...protocol, batches: false })],
  'without errors': ['stateful', (protocol) => ({ ...protocol, errors: [] })],
  'without requests of the server': ['stateful', withoutMethod('ask', 'ping')],
  'without notifications of the server': ['stateful', withoutMethod('items/changed', 'progress', 'cancelled')],
  'with an error that a definition names': [
    'stateful',
    (protocol) => ({
      ...protocol,
      definitions: protocol.definitions.map((item) => (item.name === 'Item' ? { ...item, name: 'ErrorCode' } : item)),
    }),
  ],
  'with former names': [
    'stateful',
    (protocol) => ({
      ...protocol,
      formerNames: [
        { before: 'OldItem', after: 'Item', revision: '2025-01-01' },
        { before: 'Level', after: 'Item', revision: '2025-01-01' },
      ],
    }),
  ],
  'without a handshake': ['peers', withoutTrait('handshake')],
  'with a handshake of the other side': [
    'peers',
    traits((own) => ({ ...own, handshake: { request: 'fs/read', ready: 'session/update' } })),
  ],
  'with a handshake without its method': [
    'peers',
    traits((own) => ({ ...own, handshake: { request: 'gone', ready: 'ready' } })),
  ],
  'without methods of extensions': ['peers', withoutTrait('extensionMethods')],
  'with methods of extensions of any name': ['peers', traits((own) => ({ ...own, extensionMethods: {} }))],
  'without cancellation': ['peers', withoutTrait('cancellation')],
  'with progress': [
    'peers',
    traits((own) => ({ ...own, progress: { method: 'session/update', meta: '_meta', token: 'token' } })),
  ],
  'without a prefix of definitions': ['peers', withoutTrait('definitionPrefix')],
  'without requests': ['peers', withoutMethod('open', 'session/prompt', 'fs/read')],
};

async function piecesOf(
  name: keyof typeof PROTOCOLS,
  change: Change,
): Promise<readonly (readonly [string, readonly string[]])[]> {
  const protocol = change(await load(PROTOCOLS[name]));
  return emit(protocol, PARTS, 'js').map((file) => [file.fileName, file.print({ header: '', importExtension: 'js' })]);
}

test.each(Object.keys(PROTOCOLS) as (keyof typeof PROTOCOLS)[])('the %s protocol in other forms', async (name) => {
  const known = new Set((await piecesOf(name, (same) => same)).flatMap(([, pieces]) => pieces));
  const texts: string[] = [];
  for (const [title, [base, change]] of Object.entries(VARIANTS)) {
    if (base !== name) continue;
    const files = await piecesOf(base, change);
    const left = new Set(files.flatMap(([, pieces]) => pieces));
    const changed = files.flatMap(([, pieces]) =>
      pieces.filter((piece) => !known.has(piece) && !/^(?:\/\/.*\n)*import /.test(piece)),
    );
    const removed = [...known].filter((piece) => !left.has(piece)).length;
    texts.push(section(`${title}: ${removed} pieces less`, formatPieces(changed)));
  }
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile(`variants-${name}`));
});

test('names of methods for stubs', async () => {
  const texts: string[] = [];
  for (const name of ['stateful', 'stateless'] as const) {
    const protocol = await load(PROTOCOLS[name]);
    for (const method of [
      'items/read',
      'items/raed',
      'zzzzzzzz',
      'ask',
      'open',
      'opened',
      'items/changed',
      'discover',
      'roots',
      'ping',
      'cancelled',
    ]) {
      const text = messageOr(() => {
        refuseMethodsWithoutStub([protocol], [method]);
        return '(valid)';
      });
      texts.push(section(`${method} of ${name}`, text));
    }
  }
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile('stub-messages'));
});

describe('several servers', () => {
  const server = (name: string, others: object = {}): Parameters<typeof printServerIndex>[0][number] => ({
    name,
    folder: name,
    isHttp: false,
    hasTools: true,
    ...others,
  });
  const names = [
    'files',
    'my-files',
    '7zip',
    'class',
    'revision2',
    'client',
    'servers',
    'a-b',
    '__proto__',
    'weather "x"',
  ];

  test.each([
    [
      'of both kinds',
      [server('files'), server('web', { isHttp: true }), server('empty', { hasTools: false })],
      ['2024-11-05', '2026-07-28'],
      'js',
    ],
    [
      'at URLs',
      [server('web', { isHttp: true }), server('none', { isHttp: true, hasTools: false })],
      ['2026-07-28'],
      'ts',
    ],
    [
      'as programs',
      names.map((name) => server(name, { folder: name.replace(/[^a-z0-9-]/g, '') || 'proto' })),
      ['2026-07-28'],
      'none',
    ],
    ['with one name', [server('a-b'), server('aB', { folder: 'aB' })], ['2026-07-28'], 'js'],
  ] as const)('%s', async (title, servers, revisions, extension) => {
    const texts = [
      section('index.ts', formatPieces(printServerIndex(servers, extension, title !== 'with one name'))),
      section('clients.ts', formatPieces(printServerClients(servers, revisions, extension))),
    ];
    await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile(`servers-${title.replaceAll(' ', '-')}`));
  });

  test('the tool that is called as an example', async () => {
    const examples = Object.entries(LISTS).flatMap(([name, list]) => {
      const namer = new ToolNamer();
      const named = parseTools(list, 'tools.json').map((source) => namer.name(parseTool(source, NO_DOCS)));
      if (named.length === 0) return [];
      return [
        `${name}: ${JSON.stringify(bestToolExample(named))}`,
        ...named.map((tool) => `  ${JSON.stringify(bestToolExample([tool]))}`),
      ];
    });
    await expect(`${examples.join('\n')}\n`).toMatchFileSnapshot(expectedFile('tool-examples'));
  });
});

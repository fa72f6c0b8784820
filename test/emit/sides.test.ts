import { describe, expect, test } from 'vitest';
import { loadProtocol, render, type ExtensionFiles } from '../../generator/index.js';
import { BASE_MEMBERS } from '../../generator/emit/calls.js';
import { BaseClient } from '../../templates/runtime/client.js';
import { PeerConnection } from '../../templates/runtime/peer.js';
import { compileErrorsOf, errorOf, findOutputFile, load, type Schema } from '../support/hostile.js';

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The row of a request whose message is built. */
function request(method: string, params: string, direction = 'clientToServer'): Schema {
  return {
    method,
    kind: 'request',
    direction,
    params,
    result: 'PingResponse',
    capability: null,
    summary: 'Does it.',
  };
}

/** A protocol without roles: its rows, its traits, and definitions without members for the params. */
async function peer(methods: readonly Schema[], traits: Schema = {}) {
  const names = ['PingResponse', ...methods.map(({ params }) => params as string)];
  const definitions = Object.fromEntries(
    names.map((name) => [name, { type: 'object', properties: { a: { type: 'string' } } }]),
  );
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: definitions };
  return load(schema, { protocol: 'Foo', revision: 'v1', errors: [], traits, methods });
}

async function filesOf(methods: readonly Schema[], traits: Schema = {}) {
  return render(await peer(methods, traits), '/nowhere', { emit: ['client', 'server'] });
}

const PING = request('ping', 'PingRequest');

/** The protocol of `ping` with another word for the server. */
const sideNamed = async (word: string) =>
  filesOf([request('ping', 'PingRequest', `clientTo${capitalized(word)}`)], {
    sides: { client: 'client', server: word },
  });

describe('a prefix of extension methods', () => {
  test.each(['`', '${string}', '_`; globalThis.injected = 1; `', 'a\\', 'a b', '*/'])('rejects %j', async (prefix) => {
    const { place } = await errorOf(peer([PING], { extensionMethods: { prefix } }));
    expect(place).toBe('catalog.json#/traits/extensionMethods/prefix');
  });

  test.each(['_', '$/', 'x-', 'vendor/'])('allows %j', async (prefix) => {
    const files = await filesOf([PING], { extensionMethods: { prefix } });
    expect(findOutputFile(files, 'client')).toContain(`method: \`${prefix}\${string}\``);
  });

  test('is escaped in code, whoever made the protocol', async () => {
    const protocol = await peer([PING], { extensionMethods: { prefix: '_' } });
    const hostile = { ...protocol, traits: { extensionMethods: { prefix: '\\_`${globalThis.injected}' } } };
    const files = await render(hostile, '/nowhere', { emit: ['client'] });
    expect(findOutputFile(files, 'client')).toContain('method: `\\\\_\\`\\${globalThis.injected}${string}`');
  });
});

test('text of the trait specification cannot end a comment', async () => {
  const specification = { envelope: '*/ globalThis.injected = 1; /*' };
  const guards = findOutputFile(await filesOf([PING], { specification }), 'guards');
  expect(guards).toContain('injected');
  expect(guards).not.toContain('*/ globalThis');
});

test('names of members in traits are quoted in code, and cannot end a comment', async () => {
  const protocol = await loadProtocol({ revision: '2026-07-28' });
  const { inputRequired, pages, progress } = protocol.traits;
  if (inputRequired === undefined || pages === undefined || progress === undefined) throw new Error('no traits');
  const name = '*/ a();';
  const traits = {
    ...protocol.traits,
    inputRequired: { ...inputRequired, member: name },
    pages: { ...pages, cursor: name },
    progress: { ...progress, meta: name },
  };
  const files = await render({ ...protocol, traits }, '/nowhere', { emit: ['client', 'server'] });
  const uses = files.flatMap(({ contents }) => contents.match(/.*\ba\(\);.*/g) ?? []);
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((line) => !/"\*\/ a\(\);|\*\\\/ a\(\);/.test(line))).toEqual([]);
});

test('compiles with params that have no members', async () => {
  const empty = { type: 'object', properties: {} };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: { PingRequest: empty, StartRequest: { ...empty, additionalProperties: true }, PingResponse: empty },
  };
  const methods = [PING, { ...request('start', 'StartRequest'), result: 'PingResponse' }];
  const protocol = await load(schema, { protocol: 'Foo', revision: 'v1', errors: [], traits: {}, methods });
  const files = await render(protocol, '/nowhere');
  expect(findOutputFile(files, 'types')).toContain('export type StartRequest = { [key: string]: unknown };');
  expect(await compileErrorsOf(new Map([['empty', files]]))).toEqual([]);
});

test('compiles with extension methods on a side that sends no requests, and with any allowed words', async () => {
  const sets = new Map([
    ['extensions', await filesOf([PING], { extensionMethods: {} })],
    ['shared', await filesOf([request('a/b', 'SessionRequest'), request('a/c', 'SessionRequest')])],
    ...(await Promise.all(['own', 'message'].map(async (word) => [word, await sideNamed(word)] as const))),
  ]);
  expect(await compileErrorsOf(sets)).toEqual([]);
}, 60_000);

describe('a word for a side', () => {
  test.each([
    ['class', 'the word "class" for a side is reserved in TypeScript'],
    ['this', 'the word "this" for a side is reserved in TypeScript'],
    ['promise', 'the word "promise" for a side would declare Promise, which is reserved'],
    ['signal', 'the word "signal" for a side is the name of a member of the handlers\' context'],
    ['requestId', 'the word "requestId" for a side is the name of a member of the handlers\' context'],
    ['peer', 'server.ts would declare PeerConnection'],
    ['transport', 'transport.ts would declare Transport'],
    ['requests', 'requests.ts would declare Requests'],
    ['method', 'Method'],
  ])('rejects %s', async (word, expected) => {
    const { message, place } = await errorOf(sideNamed(word));
    expect(message).toContain(word === 'peer' ? 'would declare PeerConnection' : expected);
    expect(place).toBe(word === 'method' ? 'schema.json' : 'catalog.json#/traits/sides');
  });

  test.each([
    ['aB', 'ab'],
    ['client', 'Guards'.toLowerCase()],
    ['indeX', 'store'],
  ])('rejects %s and %s, whose files would have one name on some disks', async (client, server) => {
    const rows = [request('ping', 'PingRequest', `${client}To${capitalized(server)}`)];
    const { message, place } = await errorOf(filesOf(rows, { sides: { client, server } }));
    expect(message).toMatch(/^two files would be named (?:ab|guards|indeX)\.ts$/i);
    expect(place).toBe('catalog.json#/traits/sides');
  });
});

describe('names of calls', () => {
  const taken = ['Close', 'RequestExtension', 'Constructor', 'Then'];
  test.each(taken)('rejects %sRequest, whose call the connection has', async (stem) => {
    const { message, place } = await errorOf(filesOf([PING, request('a/b', `${stem}Request`)]));
    const name = stem.charAt(0).toLowerCase() + stem.slice(1);
    expect(message).toBe(`the call of "a/b" would be named ${name}, which every ServerConnection has`);
    expect(place).toBe('catalog.json#/methods');
  });

  test('rejects two calls of one name', async () => {
    const { message } = await errorOf(filesOf([request('a/b', 'SessionParams'), request('a/c', 'SessionRequest')]));
    expect(message).toBe('the calls of "a/b" and "a/c" would both be named session');
  });

  test('are those of the methods if params are shared', async () => {
    const rows = [request('a/open', 'SessionRequest'), request('a/shut', 'SessionRequest')];
    const files = await filesOf(rows);
    expect(findOutputFile(files, 'client')).toMatch(/\n {2}aOpen\([^]*\n {2}aShut\(/);
    expect(findOutputFile(files, 'messages')).toContain('AOpenMessage');
  });

  test.each([
    ['PeerConnection', PeerConnection.prototype],
    ['BaseClient', BaseClient.prototype],
  ] as const)('all members of %s are reserved', (base, prototype) => {
    const members = Object.getOwnPropertyNames(prototype);
    expect(members.length).toBeGreaterThan(8);
    expect(members.filter((name) => !BASE_MEMBERS[base].has(name))).toEqual([]);
  });

  test.each(['Connect', 'Listen', 'Then'])('of an extension of MCP are not %s', async (stem) => {
    const { message, place } = await errorOf(clientWith(stem));
    const name = stem.charAt(0).toLowerCase() + stem.slice(1);
    expect(message).toBe(`the call of "x/y" would be named ${name}, which every Client has`);
    expect(place).toMatch(/catalog\.json#\/methods$/);
  });

  test('of an extension of MCP are not those of the revision', async () => {
    const { message } = await errorOf(clientWith('ListAllTools'));
    expect(message).toBe('the calls of "tools/list" and "x/y" would both be named listAllTools');
  });
});

/** A client of MCP with an extension that has one request. */
async function clientWith(stem: string) {
  const extend: ExtensionFiles = {
    catalog: {
      name: 'x/catalog.json',
      contents: JSON.stringify({
        extension: 'com.example/x',
        summary: 'An example.',
        extends: ['2026-07-28'],
        methods: [
          {
            method: 'x/y',
            kind: 'request',
            direction: 'clientToServer',
            message: `${stem}Request`,
            params: `${stem}RequestParams`,
            result: 'XyResult',
            summary: 'Does it.',
          },
        ],
      }),
    },
    schema: {
      name: 'x/schema.json',
      contents: JSON.stringify({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $defs: {
          [`${stem}Request`]: {
            allOf: [
              { $ref: '#/$defs/JSONRPCRequest' },
              {
                type: 'object',
                properties: { method: { const: 'x/y' }, params: { $ref: `#/$defs/${stem}RequestParams` } },
                required: ['method', 'params'],
              },
            ],
          },
          [`${stem}RequestParams`]: { $ref: '#/$defs/RequestParams' },
          XyResult: { $ref: '#/$defs/Result' },
        },
      }),
    },
  };
  return render(await loadProtocol({ revision: '2026-07-28', extend: [extend] }), '/nowhere', { emit: ['client'] });
}

describe('a handshake', () => {
  const OPEN = request('start', 'StartRequest');
  const OPENED = { method: 'opened', kind: 'notification', direction: 'clientToServer', params: 'OpenedParams' };
  const rows = [OPEN, { ...OPENED, capability: null, summary: 'Does it.' }];

  test('is a method of the side that opens', async () => {
    const files = await filesOf(rows, { handshake: { request: 'start', ready: 'opened' } });
    const client = findOutputFile(files, 'client');
    expect(client).toContain('connection.notify("opened"');
    expect(await compileErrorsOf(new Map([['handshake', files]]))).toEqual([]);
    expect(findOutputFile(files, 'server')).not.toContain('open:');
    expect(findOutputFile(files, 'revision')).toContain('opener: "client"');
  });

  test.each([
    ['a request that does not exist', { request: 'begin', ready: 'opened' }, 'request'],
    ['a notification as its request', { request: 'opened', ready: 'opened' }, 'request'],
    ['a request as its notification', { request: 'start', ready: 'start' }, 'ready'],
    ['a notification that does not exist', { request: 'start', ready: 'ready' }, 'ready'],
  ])('cannot have %s', async (_, handshake, member) => {
    const { place } = await errorOf(peer(rows, { handshake }));
    expect(place).toBe(`catalog.json#/traits/handshake/${member}`);
  });

  test('cannot be one that either side sends', async () => {
    const both = [{ ...OPEN, direction: 'both' }, ...rows.slice(1)];
    const { place } = await errorOf(peer(both, { handshake: { request: 'start', ready: 'opened' } }));
    expect(place).toBe('catalog.json#/traits/handshake/request');
  });
});

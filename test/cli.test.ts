import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test, type TestContext } from 'vitest';
import { builtinRevisions, loadProtocol, render, type LoadOptions } from '../generator/index.js';
import type { Catalog } from '../generator/read/catalog.js';
import { readFiles, listFiles, removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { mcpgen } from './support/in-process.js';
import { findInternals, schemaWith } from './support/hostile.js';
import { REVISIONS } from './support/revisions.js';
import { cases } from './support/cases.js';
import { requireReferenceMaterial, officialSchema, officialSchemaPath } from './support/reference-material.js';
import { expectSuccess, smallProtocol } from './cli-support.js';

const ROOT = path.resolve(import.meta.dirname, '..');
const COMMANDS: readonly (readonly string[])[] = [
  ...['generate', 'methods', 'explain', 'errata', 'diff', 'drift', 'sync', 'completion', 'record', 'ls', 'call'].map(
    (name) => [name],
  ),
  ...['init', 'init server', 'init client', 'types', 'types tools', 'catalog', 'catalog derive'].map((words) =>
    words.split(' '),
  ),
  ...[
    'add',
    'add tool',
    'add resource',
    'add prompt',
    'add handler',
    'add revision',
    'remove',
    'remove tool',
    'remove resource',
    'remove prompt',
  ].map((words) => words.split(' ')),
];

afterAll(removeTemporaryFolders);

/** A wrong usage: exit code 2, nothing on standard output, and a message for people. */
async function expectUsageError(args: readonly string[], cwd = temporaryFolder()): Promise<string> {
  const before = listFiles(cwd);
  const result = await mcpgen(args, { cwd });
  expect(result.code, result.stderr).toBe(2);
  expect(result.stdout).toBe('');
  expect(findInternals(result.stderr)).toEqual([]);
  expect(result.stderr).toMatch(/^error: /);
  expect(listFiles(cwd)).toEqual(before);
  return result.stderr;
}

function shippedCatalog(revision: string): Catalog {
  return JSON.parse(readFileSync(path.join(ROOT, 'schema', revision, 'catalog.json'), 'utf8')) as Catalog;
}

/** A test made of a case; its title holds what was chosen to be right. */
function provesCase(id: string, title: string, action: (context: TestContext) => Promise<void>): void {
  test(`${id}: ${title}`, async (context) => {
    expect(cases('cli', 'schema-erratum').map((item) => item.id)).toContain(id);
    await action(context);
  });
}

describe.concurrent('wrong usage', () => {
  provesCase('case-107', 'rejects a misspelt flag with a suggestion', async () => {
    expect(await expectUsageError(['generate', '--strinct'])).toContain('hint: Did you mean --strict?');
  });

  test.each<[string, readonly string[], RegExp]>([
    [
      'an unknown flag',
      ['methods', '--frobnicate'],
      /^error: unknown option '--frobnicate'\nhint: Run mcpgen methods --help for usage\.\n$/,
    ],
    ['an unknown flag of the program', ['--frobnicate'], /unknown option '--frobnicate'/],
    ['a misspelt flag', ['methods', '--markdwon'], /Did you mean --markdown\?/],
    ['a misspelt command', ['generat'], /^error: unknown command 'generat'\nhint: Did you mean generate\?\n$/],
    ['a misspelt command below another', ['catalog', 'deriv'], /unknown command 'deriv'[^]*Did you mean derive\?/],
    [
      'a flag without its value',
      ['generate', '--schema'],
      /^error: --schema: its value is missing\nhint: Pass --schema <file>\.\n$/,
    ],
    ['a value for a flag that takes none', ['generate', '--check=yes'], /unknown option '--check=yes'/],
    [
      'a missing argument',
      ['explain'],
      /missing required argument 'name'\nhint: Run mcpgen explain --help for usage\.\n$/,
    ],
    ['a call of nothing', ['call'], /^error: the server and the tool are missing\nhint: Write mcpgen call "node/],
    ['a call without a tool', ['call', 'x'], /^error: the name of the tool is missing\nhint: Write mcpgen call "node/],
    ['an argument too many', ['explain', 'ping', 'pong'], /too many arguments: "pong"\n.*mcpgen explain pong/],
    ['a file as an argument', ['generate', 'schema.json'], /too many[^]*Did you mean --schema schema\.json\?/],
    ['a folder as an argument', ['generate', 'src/my mcp'], /too many[^]*Did you mean --out 'src\/my mcp'\?/],
    ['a revision as an argument', ['generate', '2025-11-25'], /too many[^]*Did you mean --revision 2025-11-25\?/],
    ['a method as an argument', ['methods', 'ping'], /too many[^]*Did you mean mcpgen explain ping\?/],
    ['a revision behind a name', ['explain', 'ping', '2025-11-25'], /Did you mean --revision 2025-11-25\?/],
    ['a revision of errata as an argument', ['errata', '2025-11-25'], /Did you mean --revision 2025-11-25\?/],
    ['two schemas', ['catalog', 'derive', '--schema', 'a.json', 'b.json'], /Did you mean --schema b\.json\?/],
    [
      'a missing option',
      ['catalog', 'derive'],
      /^error: --schema: the option is required\nhint: Pass --schema <file>\.\n$/,
    ],
    [
      'a wrong choice',
      ['generate', '--import-extension', 'mjs'],
      /--import-extension: there is no choice "mjs"\nhint: Did you mean js\? Allowed choices are js, ts, none\.\n$/,
    ],
    ['a wrong direction', ['methods', '--direction', 'up'], /Allowed choices are clientToServer, serverToClient, both/],
    ['a wrong kind', ['methods', '--kind', 'event'], /Allowed choices are request, notification/],
    ['a misspelt part', ['generate', '--emit', 'typs'], /--emit: there is no part "typs"\nhint: Did you mean types\?/],
    ['a part that is far from any', ['generate', '--emit', 'xxxxxxxx'], /There are types, methods, messages/],
    [
      'an unknown revision',
      ['generate', '-r', '2025-11-26'],
      /"2025-11-26" is not built in\nhint: Did you mean 2025-11-25\? Built in are .*2025-11-25/,
    ],
    [
      'an unknown revision elsewhere',
      ['methods', '-r', 'draft'],
      /"draft" is not built in\nhint: Built in are 2024-11-05/,
    ],
    ['an unknown revision of errata', ['errata', '-r', 'x'], /"x" is not built in/],
    ['a misspelt method', ['explain', 'tools/cal'], /"tools\/cal" is neither [^]*Did you mean tools\/call\?/],
    ['a misspelt definition', ['explain', 'CallToolReslt'], /Did you mean CallToolResult\?/],
    ['a name of another case', ['explain', 'calltoolresult'], /Did you mean CallToolResult\?/],
    ['a name far from any', ['explain', 'zzzzzzzzzzzzzz'], /`mcpgen methods` lists the methods/],
    ['a name that every object has', ['explain', 'toString'], /"toString" is neither/],
    ['a name that no revision has', ['explain', '$/cancelRequest'], /"\$\/cancelRequest" is neither/],
    [
      'a method that a revision lacks',
      ['explain', 'initialize', '-r', '2026-07-28'],
      /of revision 2026-07-28[^]*2025-11-25/,
    ],
    ['an empty folder', ['generate', '--out', ''], /--out: its value is empty/],
    ['an empty revision', ['generate', '--revision', ''], /--revision: its value is empty/],
    ['a list of nothing', ['generate', '--revision', ' , '], /--revision: its value is empty/],
    ['an empty schema', ['generate', '--schema', ''], /--schema: its value is empty/],
    ['an empty part', ['generate', '--emit', ','], /--emit: its value is empty/],
    ['check and dry run', ['generate', '--check', '--dry-run'], /cannot be combined/],
    ['JSON and Markdown', ['methods', '--json', '--markdown'], /cannot be combined/],
    ['standard output and a check', ['generate', '--out', '-', '--check'], /--out -: --check needs an output folder/],
    ['standard output and a dry run', ['generate', '--out', '-', '--dry-run'], /--dry-run needs an output folder/],
    ['standard output and JSON', ['generate', '--out', '-', '--json'], /--json needs an output folder/],
    ['a catalog without a schema', ['generate', '--catalog', 'catalog.json'], /a catalog needs a schema/],
    ['a schema of two revisions', ['generate', '--schema', 'schema.json', '-r', 'a', '-r', 'b'], /only one revision/],
    [
      'everything from standard input',
      ['generate', '--schema', '-', '--catalog', '-'],
      /cannot both come from standard input/,
    ],
    ['a schema that is not there', ['generate', '--schema', 'nope.json'], /nope\.json: no such file/],
    [
      'a catalog that is not there',
      ['generate', '--schema', 'schema.json', '--catalog', 'nope.json'],
      /nope\.json: no such file/,
    ],
    ['a folder as schema', ['catalog', 'derive', '--schema', '.'], /\.: is a folder, not a file/],
    [
      'a path as revision of a catalog',
      ['catalog', 'derive', '--schema', 'schema.json', '-r', '../x'],
      /not a valid name for a revision/,
    ],
    ['two lines as a protocol', ['catalog', 'derive', '--schema', 'schema.json', '--protocol', 'a\nb'], /--protocol: /],
  ])('%s', async (_, args, message) => {
    expect(await expectUsageError(args, smallProtocol())).toMatch(message);
  });

  test('a schema that is not JSON is reported as such without --revision', async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'broken.json'), '{"a": 1,}');
    const message = await expectUsageError(['generate', '--schema', 'broken.json', '--out', 'o'], cwd);
    expect(message).toMatch(/^error: broken\.json:1:9: not valid JSON/);
  });

  test('no command: the help on standard error', async () => {
    for (const args of [[], ['catalog']]) {
      const result = await mcpgen(args);
      expect(result.code).toBe(2);
      expect(result.stdout).toBe('');
      expect(result.stderr).toMatch(/^Usage: mcpgen/);
    }
  });

  provesCase('case-009', 'rejects a schema whose revision is unknown', async (context) => {
    requireReferenceMaterial(context);
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'schema.json'), `${officialSchema('2025-11-25')}\n`);
    const message = await expectUsageError(['generate', '--schema', 'schema.json', '--out', 'out'], cwd);
    expect(message).toMatch(/does not contain its revision[^]*--revision R[^]*--catalog FILE/);
    // An unchanged copy is known by its digest.
    const copy = await expectSuccess(
      ['generate', '--schema', officialSchemaPath('2025-11-25'), '--emit', 'errors', '-o', 'a'],
      {
        cwd,
      },
    );
    expect(copy).toMatch(/^2025-11-25 +145 +31 /m);
    const named = await expectSuccess(
      ['generate', '--schema', 'schema.json', '-r', '2025-11-25', '--emit', 'errors', '-o', 'b'],
      { cwd },
    );
    expect(named).toMatch(/^2025-11-25 +145 +31 /m);
  });

  test('a digest that says another revision than --revision or the catalog is a usage error', async (context) => {
    requireReferenceMaterial(context);
    const cwd = temporaryFolder();
    const schema = officialSchemaPath('2025-11-25');
    const option = await expectUsageError(['generate', '--schema', schema, '--revision', '2025-06-18'], cwd);
    expect(option).toMatch(/by its SHA-256 the schema is that of revision 2025-11-25, not 2025-06-18/);
    const catalog = path.join(ROOT, 'schema/2025-06-18/catalog.json');
    const given = await expectUsageError(['generate', '--schema', schema, '--catalog', catalog], cwd);
    expect(given).toMatch(/by its SHA-256 the schema is that of revision 2025-11-25, not 2025-06-18/);
  });
});

describe.concurrent('help', () => {
  test.each(COMMANDS.map((command) => [command]))('%s --help', async (command) => {
    for (const flag of ['--help', '-h']) {
      const help = await expectSuccess([...command, flag]);
      expect(help).toMatch(new RegExp(`^Usage: mcpgen ${command.join(' ')}`));
      expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(help).toMatch(new RegExp(`^Examples?:\\n(?: {2}# .+\\n)? {2}mcpgen ${command.join(' ')}`, 'm'));
      expect(help, 'a blank line before each commented example').not.toMatch(/^ {2}mcpgen .*\n {2}# /m);
      expect(help, 'a default or a choice in quotes').not.toMatch(/(?:default|choices): "/);
    }
  });

  test('the program has an overview', async () => {
    const help = await expectSuccess(['--help']);
    expect(await expectSuccess(['help'])).toBe(help);
    for (const [name = ''] of COMMANDS) expect(help).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    expect(help).toMatch(/Exit codes: 0 [^\n]*1 [^\n]*2 /);
  });

  test('every example in the help of methods, explain, errata works', async () => {
    const examples = (
      await Promise.all(['methods', 'explain', 'errata'].map(async (command) => expectSuccess([command, '--help'])))
    ).flatMap((help) => help.split('\n').filter((line) => line.startsWith('  mcpgen ')));
    expect(examples.length).toBeGreaterThan(4);
    await Promise.all(
      examples.map(async (line) => {
        const [words = ''] = line.trim().split(/\s{2,}/);
        expect(await expectSuccess(words.split(' ').slice(1))).not.toBe('');
      }),
    );
  });

  test('--version', async () => {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await expectSuccess(['--version'])).toBe(`${version}\n`);
    expect(await expectSuccess(['-v'])).toBe(`${version}\n`);
  });
});

interface MethodRow {
  readonly name: string;
  readonly kind: string;
  readonly direction: string;
  readonly since: string;
  readonly gone: string | null;
  readonly embeddedSince: string | null;
  readonly revisions: readonly string[];
  readonly [more: string]: unknown;
}

describe.concurrent('methods', () => {
  const asJson = async (...args: readonly string[]): Promise<readonly MethodRow[]> =>
    JSON.parse(await expectSuccess(['methods', '--json', ...args])) as MethodRow[];

  test('JSON contains every row of the catalog', async () => {
    for (const { revision, methods } of REVISIONS) {
      const rows = await asJson('--revision', revision);
      expect(rows).toHaveLength(methods);
      const known = [...shippedCatalog(revision).methods].sort((a, b) => (a.method < b.method ? -1 : 1));
      expect(rows.map(({ since: _1, gone: _2, embeddedSince: _3, revisions: _4, ...row }) => row)).toEqual(
        known.map(({ method, result, capability, ...row }) => ({
          ...row,
          name: method,
          results: [result ?? []].flat(),
          capabilities: [capability ?? []].flat(),
        })),
      );
      for (const row of rows) expect(row.revisions).toContain(revision);
    }
  });

  test('without a revision, lists each method as of its newest revision', async () => {
    const rows = await asJson();
    const all = new Map(
      REVISIONS.flatMap(({ revision }) => shippedCatalog(revision).methods.map((row) => [row.method, row] as const)),
    );
    expect(rows.map((row) => row.name)).toEqual([...all.keys()].sort());
    const find = (name: string): MethodRow | undefined => rows.find((row) => row.name === name);
    expect(find('initialize')).toMatchObject({ since: '2024-11-05', gone: '2026-07-28' });
    expect(find('server/discover')).toMatchObject({ since: '2026-07-28', gone: null });
    expect(find('sampling/createMessage')).toMatchObject({ direction: 'embedded', embeddedSince: '2026-07-28' });
    expect(find('tasks/get')).toMatchObject({ revisions: ['2025-11-25'], gone: '2026-07-28' });
  });

  test('filters', async () => {
    const { methods } = shippedCatalog('2025-11-25');
    for (const direction of ['clientToServer', 'serverToClient', 'both', 'embedded']) {
      const rows = await asJson('-r', '2025-11-25', '--direction', direction);
      expect(rows).toHaveLength(methods.filter((row) => row.direction === direction).length);
      expect(rows.every((row) => row.direction === direction)).toBe(true);
    }
    const both = await asJson('-r', '2025-11-25', '--kind', 'notification', '--direction', 'serverToClient');
    expect(both.map((row) => row.name).sort()).toEqual(
      methods
        .filter((row) => row.kind === 'notification' && row.direction === 'serverToClient')
        .map((row) => row.method)
        .sort(),
    );
    const none = await mcpgen(['methods', '-r', '2025-11-25', '--direction', 'embedded']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toMatch(/No method/);
  });

  test('the table has a line for each method', async () => {
    const text = await expectSuccess(['methods', '--revision', '2025-11-25']);
    const [head = '', ...lines] = text.split('\n');
    const rows = lines.slice(0, 31);
    const columns = ['method', 'sent by', 'kind', 'since', 'status', 'params', 'result', 'capability'];
    const starts = columns.map((column) => head.indexOf(column));
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    for (const row of rows) {
      for (const start of starts.slice(1)) expect(row.slice(start - 2, start), row).toMatch(/^ {2}$/);
      expect(row).toBe(row.trimEnd());
    }
    expect(text).toContain('31 methods: 20 requests, 11 notifications (revision 2025-11-25)');
    expect(rows.find((row) => row.startsWith('tools/call '))).toMatch(
      /^tools\/call +client +request +2024-11-05 +- +CallToolRequestParams +CallToolResult \| CreateTaskResult for a task +server\.tools$/,
    );
  });

  test('Markdown is a table that a parser reads', async () => {
    const text = await expectSuccess(['methods', '--markdown']);
    const rows = text
      .trimEnd()
      .split('\n')
      .map((line) => {
        expect(line).toMatch(/^\| .* \|$/);
        return line.slice(2, -2).split(/ (?<!\\)\| /);
      });
    const [head = [], rule = [], ...body] = rows;
    expect(head).toHaveLength(8);
    expect(rule.every((cell) => /^-{3,}$/.test(cell))).toBe(true);
    for (const row of body) expect(row, row.join(' | ')).toHaveLength(head.length);
    expect(body.map(([method]) => method)).toEqual((await asJson()).map((row) => `\`${row.name}\``));
  });
});

describe.concurrent('explain', () => {
  test('describes a method', async () => {
    const text = await expectSuccess(['explain', 'tools/call', '-r', '2025-11-25']);
    expect(text).toMatch(/^tools\/call {2}revision 2025-11-25\n/);
    expect(text).toMatch(/kind +request\n +sent by +the client\n +needs +server\.tools\n +answer +CallToolResult\n/);
    expect(text).toMatch(/export type CallToolRequestParams = \{/);
    expect(text).toMatch(/export type CallToolResult = \{/);
    const example = JSON.parse(text.slice(text.indexOf('// example') + 10)) as Record<string, unknown>;
    expect(example).toMatchObject({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
  });

  test('describes a definition', async () => {
    const text = await expectSuccess(['explain', 'Tool']);
    expect(text).toMatch(/^Tool {2}revision 2026-07-28\n/);
    expect(text).toMatch(/export type Tool = \{\n(?: {2}\/\*\*| {2}\w)/);
    expect(text).toContain('// example');
  });

  test('defaults to the newest revision that has the name', async () => {
    expect(await expectSuccess(['explain', 'initialize'])).toMatch(/^initialize {2}revision 2025-11-25/);
    expect(await expectSuccess(['explain', 'ping', '-r', '2024-11-05'])).toMatch(/^ping {2}revision 2024-11-05/);
    expect(await expectSuccess(['explain', 'sampling/createMessage'])).toMatch(
      /sent by +nobody: it is embedded in results/,
    );
  });

  test('JSON has all that the text has', async () => {
    const method = JSON.parse(await expectSuccess(['explain', 'tools/call', '--json', '-r', '2025-11-25'])) as {
      definitions: { name: string; doc?: string; type: { members?: unknown[] } }[];
    };
    expect(method).toMatchObject({
      revision: '2025-11-25',
      name: 'tools/call',
      kind: 'request',
      direction: 'clientToServer',
      message: 'CallToolRequest',
      params: 'CallToolRequestParams',
      results: ['CallToolResult'],
      taskResult: 'CreateTaskResult',
      capabilities: ['server.tools'],
      since: '2024-11-05',
      gone: null,
      embeddedSince: null,
      example: { jsonrpc: '2.0', id: 1, method: 'tools/call' },
    });
    const rows = JSON.parse(await expectSuccess(['methods', '--json', '-r', '2025-11-25'])) as readonly MethodRow[];
    expect(method).toMatchObject(rows.find((row) => row.name === 'tools/call') ?? {});
    expect(method.definitions.map((definition) => definition.name)).toEqual([
      'CallToolRequest',
      'CallToolRequestParams',
      'CallToolResult',
      'CreateTaskResult',
    ]);
    for (const definition of method.definitions) expect(definition.doc, definition.name).toMatch(/\w/);
    const definition = JSON.parse(await expectSuccess(['explain', 'CallToolResult', '--json'])) as Record<
      string,
      unknown
    >;
    expect(definition).toMatchObject({
      revision: '2026-07-28',
      name: 'CallToolResult',
      usedBy: ['tools/call'],
      revisions: REVISIONS.map((item) => item.revision),
    });
    expect(Object.keys(definition)).toEqual(expect.arrayContaining(['doc', 'type', 'example']));
  });
});

describe.concurrent('errata', () => {
  interface Listed {
    readonly id: string;
    readonly changes: readonly {
      readonly revision: string;
      readonly extension?: string;
      readonly at: readonly string[];
    }[];
  }
  const { errata } = JSON.parse(readFileSync(path.join(ROOT, 'schema/errata.json'), 'utf8')) as {
    errata: readonly Listed[];
  };
  /** Those of extensions are listed on request; test/extensions has that. */
  const ofRevisions = errata.filter(({ changes }) => changes.every(({ extension }) => extension === undefined));

  test('text and JSON contain every correction', async () => {
    const text = await expectSuccess(['errata']);
    expect(JSON.parse(await expectSuccess(['errata', '--json']))).toEqual(ofRevisions);
    for (const { id, changes } of ofRevisions) {
      expect(text).toContain(id);
      for (const change of changes) for (const at of change.at) expect(text).toContain(at);
    }
    expect(text).toContain(`${ofRevisions.length} errata`);
  });

  test('one revision', async () => {
    for (const { revision } of REVISIONS) {
      const listed = JSON.parse(await expectSuccess(['errata', '--json', '-r', revision])) as readonly Listed[];
      expect(listed.map((item) => item.id)).toEqual(
        ofRevisions
          .filter((item) => item.changes.some((change) => change.revision === revision))
          .map((item) => item.id),
      );
      for (const { changes } of listed) expect(changes.every((change) => change.revision === revision)).toBe(true);
    }
  });
});

describe.concurrent('catalog derive', () => {
  const derivable = ({ lifecycle, batches, methods, errors }: Catalog): unknown => ({
    lifecycle,
    batches,
    methods: methods.map(({ method, kind, direction, message, params, result, taskResult, capability }) => ({
      method,
      kind,
      direction,
      message,
      params,
      result,
      taskResult,
      capability,
    })),
    pinned: errors
      .filter((error) => error.definition !== undefined)
      .map(({ name, code, definition }) => ({ name, code, definition })),
  });

  test.for(REVISIONS)(
    'of the official schema of $revision is the shipped catalog in all that the schema says',
    async ({ revision }, context) => {
      requireReferenceMaterial(context);
      const result = await mcpgen(['catalog', 'derive', '--schema', officialSchemaPath(revision)]);
      expect(result.code).toBe(0);
      const derived = JSON.parse(result.stdout) as Catalog;
      expect(derived).toMatchObject({ protocol: 'Model Context Protocol', revision });
      expect(derivable(derived)).toEqual(derivable(shippedCatalog(revision)));
      expect(result.stdout).not.toContain('undecided');
      expect(result.stderr).toMatch(/warning: .* were copied from the built-in catalogs/);
    },
  );

  test('of a schema with unknown methods lists undecided rows', async () => {
    const cwd = temporaryFolder();
    const message = (method: string): unknown => ({
      type: 'object',
      properties: { jsonrpc: { const: '2.0' }, id: { type: 'string' }, method: { const: method } },
      required: ['jsonrpc', 'id', 'method'],
    });
    const schema = schemaWith({ FrobRequest: message('frob/it'), LooseRequest: message('loose/one') }) as {
      $defs: Record<string, unknown>;
    };
    schema.$defs['ClientRequest'] = { anyOf: [{ $ref: '#/$defs/PingRequest' }, { $ref: '#/$defs/FrobRequest' }] };
    writeFileSync(path.join(cwd, 'schema.json'), JSON.stringify(schema));
    const derived = await mcpgen(['catalog', 'derive', '--schema', 'schema.json', '--protocol', 'Frob'], { cwd });
    expect(derived.code).toBe(0);
    expect(findInternals(derived.stderr)).toEqual([]);
    const catalog = JSON.parse(derived.stdout) as {
      protocol: string;
      methods: { method: string; undecided?: readonly string[] }[];
    };
    expect(catalog.protocol).toBe('Frob');
    const undecided = (name: string): readonly string[] =>
      catalog.methods.find((row) => row.method === name)?.undecided ?? [];
    expect(undecided('frob/it')).toEqual(expect.arrayContaining(['capability', 'summary']));
    expect(undecided('frob/it')).not.toContain('direction');
    expect(undecided('loose/one')).toContain('direction');
    expect(derived.stderr).toMatch(/frob\/it \(FrobRequest\): undecided: .*capability, summary/);
    expect(derived.stderr).toMatch(/LooseRequest is in no union/);
    writeFileSync(path.join(cwd, 'catalog.json'), derived.stdout);
    const message2 = await expectUsageError(
      ['generate', '--schema', 'schema.json', '--catalog', 'catalog.json', '--out', 'out'],
      cwd,
    );
    expect(message2).toMatch(/catalog\.json#\/methods\/\d+: "(?:frob\/it|loose\/one)" is still undecided: /);
  });
});

describe.concurrent('an official file given by --schema', () => {
  const typesOf = async (options: LoadOptions): Promise<string> => {
    const [types] = await render(await loadProtocol(options), ROOT, { emit: ['types'] });
    return types?.contents ?? '';
  };
  const official = (revision: string): LoadOptions => ({
    schema: { name: 'schema.json', contents: officialSchema(revision) },
  });

  test('prints its descriptions as TSDoc', async (context) => {
    requireReferenceMaterial(context);
    const cwd = temporaryFolder();
    const one = '2025-11-25';
    await expectSuccess(['generate', '--schema', officialSchemaPath(one), '--emit', 'types', '--out', 'out'], { cwd });
    expect(readFiles(path.join(cwd, 'out')).get(`${one}/types.ts`)).toMatch(
      /^(?:\/\*\* .* \*\/| \*\/)\nexport type CallToolRequest = /m,
    );
    const words = (text: string): string =>
      text
        .replace(/^\s*\/?\*+\/?|\*\/$/gm, ' ')
        .replace(/\{@link\s+([^}]*)\}|[`\\|]/g, ' $1 ')
        .replace(/\s+/g, ' ');
    for (const { revision } of REVISIONS) {
      const docs = words(await typesOf(official(revision)));
      const schema = JSON.parse(officialSchema(revision)) as Record<string, Record<string, { description?: string }>>;
      const definitions = Object.entries(schema['$defs'] ?? schema['definitions'] ?? {});
      // A link whose label ran into its target is shown as the target (case-130).
      const repaired = (text: string): string =>
        text.replace(/\{@link\s+(\w+)\/[^}]*\}/g, (whole, target: string) => {
          const [name] = definitions
            .map(([definition]) => definition)
            .filter((definition) => target.startsWith(definition))
            .sort((a, b) => b.length - a.length);
          return name === undefined ? whole : `{@link ${name}}`;
        });
      const described = definitions.filter(([, definition]) => definition.description !== undefined);
      expect(described.length).toBeGreaterThan(40);
      const missing = described.filter(
        ([, definition]) =>
          !docs.includes(
            words(repaired(definition.description ?? ''))
              .trim()
              .slice(0, 60),
          ),
      );
      expect(missing.map(([name]) => name)).toEqual([]);
    }
  });

  test('prints the types of the built-in revision', async (context) => {
    requireReferenceMaterial(context);
    const strip = (text: string): string =>
      text
        .replace(/^\/\/.*$/gm, '')
        .replace(/\/\*\*[^]*?\*\//g, '')
        .replace(/\s+/g, ' ');
    for (const { revision } of REVISIONS) {
      expect(strip(await typesOf(official(revision)))).toBe(strip(await typesOf({ revision })));
    }
  });

  test('keeps its own PROTOCOL_VERSION in a folder of another name', async (context) => {
    requireReferenceMaterial(context);
    const cwd = temporaryFolder();
    await expectSuccess(['generate', '--schema', officialSchemaPath('2025-11-25'), '-r', 'draft', '-o', 'out'], {
      cwd,
    });
    expect(readFiles(path.join(cwd, 'out')).get('draft/methods.ts')).toContain('PROTOCOL_VERSION = "2025-11-25";');
  });

  provesCase('case-109', 'the header is reproducible', async (context) => {
    requireReferenceMaterial(context);
    const cwd = temporaryFolder();
    for (const { revision, sha256 } of builtinRevisions().filter((_, index) => index % 2 === 0)) {
      await expectSuccess(['generate', '-r', revision, '--emit', 'errors', '-o', 'builtin'], { cwd });
      await expectSuccess(['generate', '--schema', officialSchemaPath(revision), '--emit', 'errors', '-o', 'given'], {
        cwd,
      });
      const listed = JSON.parse(await expectSuccess(['errata', '--json', '-r', revision])) as {
        id: string;
        status: string;
      }[];
      const open = listed.filter(({ status }) => status === 'open').map(({ id }) => id);
      for (const folder of ['builtin', 'given']) {
        const header =
          (readFiles(path.join(cwd, folder)).get(`${revision}/errors.ts`) ?? '').split('/* eslint')[0] ?? '';
        expect(header).toMatch(/^\/\/ @generated by mcpgen/);
        expect(header).toContain(`, revision ${revision}\n`);
        expect(header).toContain(sha256);
        expect(header).toContain(`// Errata: ${open.join(', ')}\n`);
        const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
        expect(header).not.toContain(version);
        // A digest may begin with two digits, as the minutes of a time do.
        const undigested = header.replaceAll(revision, '').replace(/sha256:[0-9a-f]{16}/, '');
        expect(undigested.match(/\d{4}-\d{2}-\d{2}|\d{2}:\d{2}/g)).toBeNull();
      }
    }
  });
});

describe.concurrent('check', () => {
  provesCase('case-102', 'fails on an edited tree with the command that fixes it', async () => {
    const cwd = temporaryFolder();
    await expectSuccess(['generate', '-r', '2024-11-05', '--emit', 'errors', '-o', 'out'], { cwd });
    const file = path.join(cwd, 'out/2024-11-05/errors.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace('-32700', '-32799'));
    const args = ['generate', '-r', '2024-11-05', '--emit', 'errors', '-o', 'out', '--check'];
    const result = await mcpgen(args, { cwd });
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(/^edited +out\/2024-11-05\/errors\.ts$/m);
    expect(result.stdout).toMatch(/^ +- .*-32799/m);
    expect(result.stdout).toMatch(/^ +\+ .*-32700/m);
    expect(result.stdout).toContain('mcpgen generate --revision 2024-11-05 --emit errors --out out');
    const { stdout } = await mcpgen([...args, '--json'], { cwd });
    const { files } = JSON.parse(stdout) as { readonly files: readonly { readonly status: string }[] };
    expect(files.map(({ status }) => status)).toContain('edited');
  });
});

describe.concurrent('streams', () => {
  provesCase('case-104', 'a schema from standard input is generated to standard output', async () => {
    const cwd = smallProtocol();
    const input = JSON.stringify(schemaWith({ Odd: {} }));
    const args = ['generate', '--schema', '-', '--catalog', 'catalog.json', '--emit', 'types'];
    const result = await mcpgen(args, { cwd, input });
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/^warning: standard input#\/\$defs\/Odd: Odd is the empty schema/);
    expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(result.stdout).toMatch(/^\/\/ @generated by mcpgen/);
    expect(result.stdout).toMatch(/^\/\/ Regenerate: mcpgen generate --schema - --catalog catalog\.json /m);
    expect(result.stdout).toContain('export type Odd = unknown;');
    expect(listFiles(cwd)).toEqual(['catalog.json', 'schema.json']);
  });

  test('--out - prints parts to standard output', async () => {
    const one = await expectSuccess(['generate', '-r', '2024-11-05', '--emit', 'errors', '--out', '-']);
    expect(one).toMatch(/^\/\/ @generated/);
    const two = await expectSuccess(['generate', '-r', '2024-11-05', '--emit', 'types,errors', '--out', '-']);
    expect(two.match(/^\/\/ file: .*$/gm)).toEqual(
      expect.arrayContaining(['// file: 2024-11-05/types.ts', '// file: 2024-11-05/errors.ts']),
    );
  });
});

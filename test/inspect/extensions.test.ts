/** Conversations with methods of extensions: those that are built in, and those of vendors. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ExtendedRevisions } from '../../generator/inspect/extensions.js';
import type { Finding } from '../../generator/inspect/finding.js';
import { Inspector } from '../../generator/inspect/inspector.js';
import { readExtensionFiles } from '../../generator/model/extensions/load.js';
import type { Entry } from '../../generator/recording/entry.js';
import { c, complete, CACHED, handshake, notification, request, result, s, stateless } from './support.js';

const TASKS = 'io.modelcontextprotocol/tasks';
const APPS = 'io.modelcontextprotocol/ui';
const DECLARED = { extensions: { [TASKS]: {} } };
const TIME = '2026-07-28T12:00:00Z';

function found(entries: readonly Entry[], extensions?: ExtendedRevisions): readonly string[] {
  const inspector = new Inspector({ header: { version: 1, transport: 'stdio' }, extensions });
  const findings = entries.flatMap((entry): readonly Finding[] => inspector.add(entry).findings);
  return findings.map(({ rule, by, pointer = '' }) => `${rule} ${by} ${pointer}`.trim());
}

const discovered = (capabilities: object): readonly Entry[] => [
  c(request(0, 'server/discover', stateless({}, {}, DECLARED))),
  s(
    complete(0, {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, ...capabilities },
      ...CACHED,
    }),
  ),
];
const OPEN = discovered(DECLARED);
const task = (more: object = {}): object => ({
  taskId: 't1',
  status: 'working',
  createdAt: TIME,
  lastUpdatedAt: TIME,
  ttlMs: null,
  ...more,
});
const call = (capabilities: object = DECLARED): Entry =>
  c(request(1, 'tools/call', stateless({ name: 'slow' }, {}, capabilities)));
const started = (more: object = {}): Entry => s(result(1, { resultType: 'task', ...task(more) }));
const getTask = (params: object = { taskId: 't1' }, capabilities: object = DECLARED): Entry =>
  c(request(2, 'tasks/get', stateless(params as Record<string, unknown>, {}, capabilities)));
const got = (more: object): Entry => s(complete(2, task(more) as Record<string, unknown>));
const done = { status: 'completed', result: { content: [] } };

describe('tasks of 2026-07-28', () => {
  test('a conversation with tasks has no finding', () => {
    expect(found([...OPEN, call(), started(), getTask(), got(done)])).toEqual([]);
    expect(found([...OPEN, s(notification('notifications/tasks', task()))])).toEqual([]);
  });

  test.each<[string, readonly Entry[], readonly string[]]>([
    ['params of a method', [...OPEN, getTask({ taskId: 7 })], ['invalid-params client /params/taskId']],
    ['missing params of a method', [...OPEN, getTask({})], ['invalid-params client /params/taskId']],
    [
      'a result of a method',
      [...OPEN, getTask(), got({ status: 'completed' })],
      ['invalid-result server /result/status'],
    ],
    ['a task as a result', [...OPEN, call(), started({ ttlMs: 'x' })], ['invalid-result server /result/ttlMs']],
    [
      'a notification',
      [...OPEN, s(notification('notifications/tasks', task({ status: 'asleep' })))],
      ['invalid-params server /params/status'],
    ],
    [
      'members that the extension adds to a definition',
      [...OPEN, c(request(3, 'subscriptions/listen', stateless({ notifications: { taskIds: 't1' } }, {}, DECLARED)))],
      ['invalid-params client /params/notifications/taskIds'],
    ],
    [
      'the direction of a method',
      [...OPEN, s(request(9, 'tasks/get', { taskId: 't1' }))],
      ['wrong-direction server /method'],
    ],
  ])('validates %s', (_, entries, want) => {
    expect(found(entries)).toEqual(want);
  });

  test('a method that nobody declared', () => {
    const silent = [c(request(2, 'tasks/get', stateless({ taskId: 't1' })))];
    expect(found(silent)).toEqual(['capability-not-declared client /method']);
    expect(found([...OPEN, getTask({ taskId: 't1' }, {})])).toEqual(['capability-not-declared client /params/_meta']);
    expect(found([...discovered({}), getTask()])).toEqual(['capability-not-declared client /method']);
    expect(found([...discovered({}), s(notification('notifications/tasks', task()))])).toEqual([
      'undeclared-feature server /method',
    ]);
  });

  test('a task for a client that did not declare the extension', () => {
    expect(found([...OPEN, call({}), started()])).toEqual(['capability-not-declared server /result/resultType']);
  });

  test('a task is not a result without structured content', () => {
    const tool = { name: 'slow', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } };
    const list = [
      c(request(5, 'tools/list', stateless({}, {}, DECLARED))),
      s(complete(5, { tools: [tool], ...CACHED })),
    ];
    expect(found([...OPEN, ...list, call(), started()])).toEqual([]);
    const empty = s(complete(1, { content: [] }));
    expect(found([...OPEN, ...list, call(), empty])).toEqual(['missing-structured-content server /result']);
  });
});

describe('MCP Apps', () => {
  const open = (client: object): readonly Entry[] => [
    ...handshake('2025-11-25', { client: { extensions: client } }),
    c(request(1, 'tools/list')),
  ];
  const tool = (ui: object): Entry =>
    s(result(1, { tools: [{ name: 'map', inputSchema: { type: 'object' }, _meta: { ui } }] }));
  const apps = { [APPS]: { mimeTypes: ['text/html;profile=mcp-app'] } };

  test('validates what a tool has in _meta.ui', () => {
    expect(found([...open(apps), tool({ resourceUri: 'ui://map' })])).toEqual([]);
    expect(found([...open(apps), tool({ resourceUri: 5 })])).toEqual([
      'invalid-result server /result/tools/0/_meta/ui/resourceUri',
    ]);
  });

  test('leaves it to the server if nobody declared the extension', () => {
    expect(found([...open({}), tool({ resourceUri: 5 })])).toEqual([]);
  });

  test('validates what a client declares', () => {
    expect(found(open({ [APPS]: { mimeTypes: 'text/html' } }))).toEqual([
      `invalid-params client /params/capabilities/extensions/io.modelcontextprotocol~1ui/mimeTypes`,
    ]);
  });
});

describe("a vendor's extension", () => {
  const ID = 'com.example/reports';
  const message = {
    allOf: [
      { $ref: '#/$defs/JSONRPCRequest' },
      {
        type: 'object',
        properties: { method: { const: 'reports/get' }, params: { $ref: '#/$defs/GetReportRequestParams' } },
        required: ['method', 'params'],
      },
    ],
  };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      GetReportRequest: message,
      GetReportRequestParams: {
        allOf: [
          { $ref: '#/$defs/RequestParams' },
          { type: 'object', properties: { reportId: { type: 'string' } }, required: ['reportId'] },
        ],
      },
      GetReportResult: {
        allOf: [
          { $ref: '#/$defs/Result' },
          { type: 'object', properties: { pages: { type: 'integer' } }, required: ['pages'] },
        ],
      },
    },
  };
  const row = {
    method: 'reports/get',
    kind: 'request',
    direction: 'clientToServer',
    message: 'GetReportRequest',
    params: 'GetReportRequestParams',
    result: 'GetReportResult',
    summary: 'Fetches a report.',
  };
  const catalog = { extension: ID, summary: 'Reports.', extends: ['2026-07-28'], methods: [row] };
  const read = (changes: object = {}) =>
    readExtensionFiles(
      {
        catalog: { name: path.join('reports', 'catalog.json'), contents: JSON.stringify({ ...catalog, ...changes }) },
        schema: { name: path.join('reports', 'schema.json'), contents: JSON.stringify(schema) },
      },
      '2026-07-28',
      true,
    );
  const ask = (params: Readonly<Record<string, unknown>>): Entry => c(request(1, 'reports/get', stateless(params)));
  const declared = discovered({ extensions: { [ID]: {} } });

  test('is unknown without its files', () => {
    expect(found([...declared, ask({ reportId: '1' })])).toEqual(['unknown-method client /method']);
  });

  test('is validated with its files', async () => {
    const extensions = new ExtendedRevisions({ extend: [await read()] });
    const all = (...more: readonly Entry[]): readonly string[] => found([...declared, ...more], extensions);
    expect(all(ask({ reportId: '1' }), s(complete(1, { pages: 3 })))).toEqual([]);
    expect(all(ask({ reportId: 1 }))).toEqual(['invalid-params client /params/reportId']);
    expect(all(ask({ reportId: '1' }), s(complete(1, { pages: 'x' })))).toEqual([
      'invalid-result server /result/pages',
    ]);
    expect(found([ask({ reportId: '1' })], extensions)).toEqual(['capability-not-declared client /method']);
  });

  test('is assumed if it is named', async () => {
    const extensions = new ExtendedRevisions({ extend: [await read()], assumed: [ID] });
    expect(found([ask({ reportId: '1' })], extensions)).toEqual([]);
  });

  test('whose definitions refer to themselves many times does not stall', async () => {
    const itself = { $ref: '#/$defs/GetReportRequest' };
    const extension = await read();
    const definitions = Object.fromEntries(
      Object.entries(extension.definitions).map(([name, definition]) => [
        name,
        name === 'GetReportRequest' ? { allOf: [definition, ...Array<typeof itself>(5).fill(itself)] } : definition,
      ]),
    );
    const extensions = new ExtendedRevisions({ extend: [{ ...extension, definitions }] });
    expect(found([...declared, ask({ reportId: 1 })], extensions)).toHaveLength(1);
  });

  test('that collides with the revision is an error at once', async () => {
    const extend = [await read({ methods: [{ ...row, method: 'tools/call' }] })];
    expect(() => new ExtendedRevisions({ extend })).toThrow('the method "tools/call" is also in');
  });
});

/** What extensions add to a revision, and what collides. */
import { describe, expect, test } from 'vitest';
import { loadAll, loadProtocol, McpgenError, render, renderAll } from '../../generator/index.js';
import { reports, REVISION, TASKS } from './support.js';

type Catalog = Record<string, unknown>;

async function messageOf(action: Promise<unknown>): Promise<string> {
  const error: unknown = await action.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof McpgenError)) throw new Error('there was no error of a user', { cause: error });
  return `${error.place ?? ''}: ${error.message}`;
}

const load = (extend = reports()): Promise<unknown> => loadProtocol({ revision: REVISION, extend: [extend] });

const rowsOf = (catalog: Catalog): Record<string, unknown>[] => catalog['methods'] as Record<string, unknown>[];

describe('the Tasks extension', () => {
  test('adds four methods, a result, a member and a capability', async () => {
    const [base, extended] = await Promise.all([
      loadProtocol({ revision: REVISION }),
      loadProtocol({ revision: REVISION, extensions: [TASKS] }),
    ]);
    const added = extended.methods.filter(({ name }) => !base.methods.some((method) => method.name === name));
    expect(added.map(({ name, extension, capabilities }) => [name, extension, capabilities])).toEqual(
      ['notifications/tasks', 'tasks/cancel', 'tasks/get', 'tasks/update'].map((name) => [
        name,
        TASKS,
        [`server.extensions.${TASKS}`],
      ]),
    );
    expect(extended.methods.find(({ name }) => name === 'tools/call')?.results).toEqual([
      'CallToolResult',
      'InputRequiredResult',
      'CreateTaskResult',
    ]);
    const definitions = extended.definitions.filter(({ extension }) => extension === TASKS);
    expect(definitions).toHaveLength(20);
    expect(definitions.filter(({ doc }) => doc === undefined).map(({ name }) => name)).toEqual([]);
    expect(extended.definitions).toHaveLength(base.definitions.length + 20);
    expect(extended.extensions).toMatchObject([{ id: TASKS, isDraft: true, source: { builtin: true } }]);
  });

  test('leaves the definitions of the revision as they are, except those that it extends', async () => {
    const [base, extended] = await Promise.all([
      loadProtocol({ revision: REVISION }),
      loadProtocol({ revision: REVISION, extensions: [TASKS] }),
    ]);
    const changed = base.definitions.filter(({ name, type }) => {
      const other = extended.definitions.find((definition) => definition.name === name);
      return JSON.stringify(other?.type) !== JSON.stringify(type);
    });
    expect(changed.map(({ name }) => name)).toEqual([
      'CallToolResultResponse',
      'ClientCapabilities',
      'ClientRequest',
      'ServerCapabilities',
      'ServerNotification',
      'ServerResult',
      'SubscriptionFilter',
    ]);
  });

  test('is added only to the revisions that it extends', async () => {
    const protocols = await loadAll({ revisions: ['2025-11-25', REVISION], extensions: [TASKS] });
    expect(protocols.map(({ revision, extensions }) => [revision, extensions.length])).toEqual([
      ['2025-11-25', 0],
      [REVISION, 1],
    ]);
  });

  test('is an error for revisions that it does not extend', async () => {
    expect(await messageOf(loadAll({ revisions: ['2025-11-25'], extensions: [TASKS] }))).toBe(
      `--extension: ${TASKS} extends 2026-07-28, not 2025-11-25`,
    );
    expect(await messageOf(loadProtocol({ revision: '2025-11-25', extensions: [TASKS] }))).toContain(
      `${TASKS} does not extend revision 2025-11-25`,
    );
  });
});

describe('the extension of a vendor', () => {
  test('can be added together with a built-in one', async () => {
    const protocol = await loadProtocol({ revision: REVISION, extensions: [TASKS], extend: [reports()] });
    expect(protocol.extensions.map(({ id }) => id)).toEqual([TASKS, 'com.example/reports']);
    expect(protocol.errors.find(({ code }) => code === 4040)?.name).toBe('REPORT_NOT_FOUND');
  });

  test('may repeat definitions of the revision', async () => {
    const { definitions } = await loadProtocol({ revision: REVISION });
    const repeated = reports((_, own) => {
      own['Role'] = { description: 'Who speaks.', type: 'string', enum: ['assistant', 'user'] };
    });
    const protocol = await loadProtocol({ revision: REVISION, extend: [repeated] });
    expect(protocol.definitions.find(({ name }) => name === 'Role')).toEqual(
      definitions.find(({ name }) => name === 'Role'),
    );
  });

  test('can be added to an old revision, without definitions of responses', async () => {
    const old = reports((catalog, own) => {
      catalog['extends'] = ['2024-11-05'];
      for (const name of ['CreateReportRequestParams', 'GetReportRequestParams'])
        own[name] = (own[name] as { allOf: unknown[] }).allOf[1];
      (own['GetReportResult'] as { allOf: object[] }).allOf.pop();
    });
    const protocol = await loadProtocol({ revision: '2024-11-05', extend: [old] });
    expect(protocol.methods.filter(({ extension }) => extension !== undefined)).toHaveLength(3);
  });

  test('has its files in the header and in the command that regenerates', async () => {
    const { files } = await renderAll({ revisions: [REVISION], extend: [reports()], out: '.', emit: ['errors'] });
    const text = files.find(({ path }) => path.endsWith('errors.ts'))?.contents ?? '';
    expect(text).toMatch(/^\/\/ Extension: com\.example\/reports, schema\.json, sha256 [0-9a-f]{64}$/m);
    expect(text).toContain(`mcpgen generate --revision ${REVISION} --extend catalog.json --emit errors`);
  });
});

describe('a collision names both sides', () => {
  test.each<[string, Parameters<typeof reports>[0], string]>([
    [
      'a definition that differs',
      (_, own) => {
        own['Tool'] = { type: 'string' };
      },
      'schema.json#/$defs/Tool: the definition "Tool" differs from the one in schema/2026-07-28/schema.json#/$defs/Tool',
    ],
    [
      'a method of the revision',
      (catalog) => {
        Object.assign(rowsOf(catalog)[0] ?? {}, { method: 'tools/list' });
      },
      'catalog.json#/methods/0/method: the method "tools/list" is also in schema/2026-07-28/catalog.json',
    ],
    [
      'an error code of the revision',
      (catalog) => {
        catalog['errors'] = [{ name: 'REPORT_NOT_FOUND', code: -32021, summary: 'It is not there.' }];
      },
      'catalog.json#/errors/0/code: the error code -32021 is also in schema/2026-07-28/catalog.json#/errors/1 (MISSING_REQUIRED_CLIENT_CAPABILITY, -32021)',
    ],
    [
      'the name of an error code of the revision',
      (catalog) => {
        catalog['errors'] = [{ name: 'PARSE_ERROR', code: -32010, summary: 'It is not there.' }];
      },
      'catalog.json#/errors/0/name: the error name PARSE_ERROR is also in schema/2026-07-28/catalog.json#/errors/7 (PARSE_ERROR, -32700)',
    ],
    [
      'a member of the revision',
      (catalog, own) => {
        own['MyFilter'] = { type: 'object', properties: { toolsListChanged: { type: 'boolean' } } };
        catalog['members'] = [{ definition: 'SubscriptionFilter', from: 'MyFilter' }];
      },
      'schema.json#/$defs/MyFilter/properties/toolsListChanged: the member "toolsListChanged" of MyFilter is also in schema/2026-07-28/schema.json#/$defs/SubscriptionFilter/properties',
    ],
    [
      'a result without a value of resultType',
      (catalog) => {
        catalog['results'] = [{ method: 'tools/call', result: 'GetReportResult' }];
      },
      'catalog.json#/results/0/result: tools/call: "GetReportResult" has no member "resultType" with one value',
    ],
    [
      'a result with a resultType of the revision',
      (catalog, own) => {
        own['MyResult'] = {
          type: 'object',
          properties: { resultType: { const: 'complete' } },
          required: ['resultType'],
        };
        catalog['results'] = [{ method: 'tools/call', result: 'MyResult' }];
      },
      'catalog.json#/results/0/result: tools/call: the "resultType" "complete" of MyResult belongs to the revision itself',
    ],
    [
      'a name of TypeScript',
      (_, own) => {
        own['tool'] = { type: 'string' };
      },
      '',
    ],
  ])('%s', async (_title, change, expected) => {
    const files = reports(change);
    // Two names that differ in case only are two types.
    if (expected === '') await expect(load(files)).resolves.toBeDefined();
    else expect(await messageOf(load(files))).toBe(expected);
  });

  test('a method, a definition and a result of another extension', async () => {
    const twin = (change: Parameters<typeof reports>[0]) =>
      loadProtocol({
        revision: REVISION,
        extend: [
          reports(),
          reports(
            (catalog, own) => {
              catalog['extension'] = 'org.example/other';
              change?.(catalog, own);
            },
            ['other.json', 'other-schema.json'],
          ),
        ],
      });
    expect(await messageOf(twin(() => undefined))).toBe(
      'other.json#/methods/0/method: the method "reports/create" is also in catalog.json#/methods/0',
    );
    expect(
      await messageOf(
        twin((_, own) => {
          own['GetReportResult'] = { type: 'object', properties: {} };
        }),
      ),
    ).toBe(
      'other-schema.json#/$defs/GetReportResult: the definition "GetReportResult" differs from the one in schema.json#/$defs/GetReportResult',
    );
    expect(await messageOf(loadProtocol({ revision: REVISION, extend: [reports(), reports()] }))).toContain(
      'the extension com.example/reports is also in catalog.json',
    );
  });

  test('a further result with the resultType of another extension', async () => {
    const rival = reports((catalog, own) => {
      own['MyResult'] = {
        allOf: [
          { $ref: '#/$defs/Result' },
          { type: 'object', properties: { resultType: { const: 'task' } }, required: ['resultType'] },
        ],
      };
      catalog['results'] = [{ method: 'tools/call', result: 'MyResult' }];
    });
    expect(await messageOf(loadProtocol({ revision: REVISION, extensions: [TASKS], extend: [rival] }))).toContain(
      'tools/call: MyResult cannot be distinguished from the result CreateTaskResult of schema/extensions/',
    );
  });
});

describe('what a vendor cannot have', () => {
  const withResult =
    (schema: object): NonNullable<Parameters<typeof reports>[0]> =>
    (catalog, own) => {
      own['MyResult'] = schema;
      catalog['results'] = [{ method: 'tools/call', result: 'MyResult' }];
    };
  const withCode =
    (code: number): Parameters<typeof reports>[0] =>
    (catalog) => {
      catalog['errors'] = [{ name: 'MINE', code, summary: 'It is not there.' }];
    };
  const place = 'catalog.json#/errors/0/code: MINE: ';
  const result = 'catalog.json#/results/0/result: tools/call: the member "resultType" of MyResult is not ';
  test.each<[string, Parameters<typeof reports>[0], string]>([
    [
      'a code of older implementations',
      withCode(-32_010),
      `${place}the code -32010 is reserved by JSON-RPC and the protocol`,
    ],
    [
      'a code of the specification',
      withCode(-32_099),
      `${place}the code -32099 is reserved by JSON-RPC and the protocol`,
    ],
    ['a code of JSON-RPC', withCode(-32_768), `${place}the code -32768 is reserved by JSON-RPC and the protocol`],
    ['a code that is not exact', withCode(1e300), `${place}1e+300 is not a safe integer`],
    [
      'an optional resultType',
      withResult({ type: 'object', properties: { resultType: { const: 'job' } } }),
      `${result}required`,
    ],
    [
      'a resultType that is a number',
      withResult({ type: 'object', properties: { resultType: { const: 7 } }, required: ['resultType'] }),
      `${result}a string`,
    ],
    [
      'a further result of an embedded request',
      (catalog, own) => {
        withResult({ type: 'object', properties: { resultType: { const: 'job' } }, required: ['resultType'] })(
          catalog,
          own,
        );
        catalog['results'] = [{ method: 'roots/list', result: 'MyResult' }];
      },
      'catalog.json#/results/0/method: roots/list is inside results',
    ],
    [
      'members with other keywords',
      (catalog, own) => {
        own['MyFilter'] = { type: 'object', properties: { a: { type: 'string' } }, minProperties: 1 };
        catalog['members'] = [{ definition: 'SubscriptionFilter', from: 'MyFilter' }];
      },
      'schema.json#/$defs/MyFilter/minProperties: MyFilter has "minProperties", which SubscriptionFilter does not get',
    ],
    [
      'a definition that is only itself',
      (_, own) => {
        own['Extra'] = { $ref: '#/$defs/Extra' };
      },
      'schema.json#/$defs/Extra: circular definitions: Extra -> Extra',
    ],
  ])('%s', async (_title, change, expected) => {
    const message = await messageOf(load(reports(change, ['catalog.json', 'schema.json'])));
    expect(message.startsWith(expected) ? expected : message).toBe(expected);
  });

  test('codes on both ends of the reserved range are free', async () => {
    for (const code of [-32_769, -31_999]) await expect(load(reports(withCode(code)))).resolves.toBeDefined();
  });

  test('a name that is not one of TypeScript, with its file', async () => {
    const protocol = await loadProtocol({
      revision: REVISION,
      extend: [
        reports((_, own) => {
          own['***'] = { type: 'string' };
        }),
      ],
    });
    await expect(render(protocol, '.', { emit: ['types'] })).rejects.toMatchObject({
      place: 'schema.json#/$defs/***',
    });
  });
});

describe('params inside a request', () => {
  test('may combine those of the revision with others', async () => {
    const files = reports((catalog, own) => {
      const { allOf } = own['GetReportRequest'] as { allOf: [object, { properties: Record<string, unknown> }] };
      allOf[1].properties['params'] = own['GetReportRequestParams'];
      delete own['GetReportRequestParams'];
      Object.assign(rowsOf(catalog)[1] ?? {}, { params: 'GetReportRequest.params' });
    });
    const protocol = await loadProtocol({ revision: REVISION, extend: [files] });
    expect(protocol.methods.find(({ name }) => name === 'reports/get')?.params).toBe('GetReportRequest.params');
  });
});

describe('a catalog and its schema are compared', () => {
  test.each<[string, Parameters<typeof reports>[0], string]>([
    [
      'a row without a message',
      (_, own) => {
        delete own['GetReportRequest'];
      },
      'catalog.json#/methods/1/message: the definition "GetReportRequest" does not exist',
    ],
    [
      'a message without a row',
      (catalog) => {
        rowsOf(catalog).splice(0, 1);
      },
      'the catalog has no row for "reports/create", which CreateReportRequest defines',
    ],
    [
      'a wrong result',
      (catalog) => {
        Object.assign(rowsOf(catalog)[0] ?? {}, { result: 'GetReportResult' });
      },
      'reports/create: the catalog has result GetReportResult, the schema has CreateReportResult',
    ],
    [
      'a reference to nothing',
      (_, own) => {
        own['Extra'] = { $ref: '#/$defs/Nothing' };
      },
      'schema.json#/$defs/Extra/$ref: the definition "Nothing" does not exist',
    ],
    [
      'a request from the server in a stateless revision',
      (catalog) => {
        Object.assign(rowsOf(catalog)[0] ?? {}, { direction: 'serverToClient' });
      },
      'reports/create: servers send no requests in revision 2026-07-28',
    ],
  ])('%s', async (_title, change, expected) => {
    expect(await messageOf(load(reports(change)))).toContain(expected);
  });
});

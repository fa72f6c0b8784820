import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadProtocol, render, type Protocol } from '../../generator/index.js';
import { compareTypes, errorsByLine, exportedTypes, type TypeRelation } from '../support/type-equality.js';

const root = path.resolve(import.meta.dirname, '../..');
const packages = path.join(root, 'node_modules/@modelcontextprotocol');

function ourTypes(revision: string): string {
  return path.join(root, 'generated', revision, 'types.ts');
}

function namesWhere(
  relations: readonly TypeRelation[],
  wanted: (relation: TypeRelation) => boolean,
): readonly string[] {
  return relations.filter(wanted).map((relation) => relation.name);
}

const isMutual = (relation: TypeRelation): boolean => relation.toOurs && relation.toTheirs;

describe('2025-11-25 and the official types', () => {
  // A copy of the official types of that revision, as the SDK is built from, one commit later.
  const official = path.join(packages, 'sdk/dist/esm/spec.types.d.ts');
  const officialText = readFileSync(official, 'utf8');
  const revision = '2025-11-25';

  /** Why a type is not the very same as the official one; each reason can be undone, on one side or the other. */
  const REASONS = {
    /** Official results inherit an index signature, so a typo in one is no error. Ours are closed. */
    closedResults: [
      'CallToolResult',
      'ClientResult',
      'CompleteResult',
      'CreateMessageResult',
      'CreateTaskResult',
      'ElicitResult',
      'GetPromptResult',
      'InitializeResult',
      'ListPromptsResult',
      'ListResourceTemplatesResult',
      'ListResourcesResult',
      'ListRootsResult',
      'ListTasksResult',
      'ListToolsResult',
      'PaginatedResult',
      'ReadResourceResult',
      'ServerResult',
    ],
    /** Where anything may stand, the official types say `any`. Ours say `unknown`. */
    any: ['JSONRPCMessage', 'JSONRPCNotification', 'JSONRPCRequest', 'Notification', 'Request'],
    /** Errata give params back the `_meta` that they lost, here and in the official types. */
    errata: [
      'CancelTaskRequest',
      'ClientRequest',
      'ElicitationCompleteNotification',
      'GetTaskPayloadRequest',
      'GetTaskRequest',
      'ServerNotification',
      'ServerRequest',
    ],
    /** The copy is one commit later than the revision: both capability types have got `extensions`. */
    extensions: [
      'ClientCapabilities',
      'ClientRequest',
      'InitializeRequest',
      'InitializeRequestParams',
      'InitializeResult',
      'ServerCapabilities',
      'ServerResult',
    ],
  } as const;
  type Reason = keyof typeof REASONS;
  const ALL = Object.keys(REASONS) as readonly Reason[];

  let scratch: string;
  let corrected: Protocol;
  let uncorrected: Protocol;
  beforeAll(async () => {
    scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-official-'));
    corrected = await loadProtocol({ revision });
    uncorrected = await loadProtocol({ revision, errata: false });
  });
  afterAll(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

  /** Compares all types with some of the reasons for a difference taken away. */
  async function compareWithout(undone: readonly Reason[]): Promise<readonly TypeRelation[]> {
    const folder = path.join(scratch, undone.join('-') || 'nothing');
    mkdirSync(path.join(folder, revision), { recursive: true });
    const read = undone.includes('errata') ? uncorrected : corrected;
    const protocol = undone.includes('closedResults') ? withOpenResults(read) : read;
    for (const file of await render(protocol, folder, { emit: ['types'] })) {
      writeFileSync(path.join(folder, file.path), file.contents);
    }
    let text = officialText;
    if (undone.includes('any')) text = text.replaceAll(/\bany;/g, 'unknown;');
    if (undone.includes('extensions')) text = withoutExtensions(text);
    writeFileSync(path.join(folder, 'official.ts'), text);
    const ours = path.join(folder, revision, 'types.ts');
    return compareTypes(
      ours,
      path.join(folder, 'official.ts'),
      exportedTypes(ours).map((name) => ({ ours: name, theirs: name })),
    );
  }

  /** The results that the official types derive from `Result`, with its index signature as they have it. */
  function withOpenResults(protocol: Protocol): Protocol {
    const results = heirsOf(parse(officialText), 'Result');
    const definitions = protocol.definitions.map((definition) => {
      const { type, name } = definition;
      if (type.kind !== 'object' || !results.has(name)) return definition;
      return { ...definition, type: { ...type, rest: { kind: 'unknown' as const } } };
    });
    return { ...protocol, definitions };
  }

  test('all 145 are assignable to each other', async () => {
    const ours = ourTypes(revision);
    const names = exportedTypes(ours);
    expect(names).toHaveLength(145);
    const theirs = new Set(exportedTypes(official));
    expect(names.filter((name) => !theirs.has(name))).toEqual([]);
    const relations = await compareTypes(
      ours,
      official,
      names.map((name) => ({ ours: name, theirs: name })),
    );
    const apart = relations.filter((relation) => !isMutual(relation));
    expect(apart.map(({ name, reason }) => `${name}: ${reason ?? ''}`)).toEqual([]);

    const notIdentical = namesWhere(relations, (relation) => !relation.identical);
    expect(notIdentical).toEqual([...new Set(ALL.flatMap((reason) => REASONS[reason]))].sort());
    expect(relations.filter((relation) => relation.identical)).toHaveLength(112);
  });

  test('all 145 are identical once every reason for a difference is undone', async () => {
    expect(namesWhere(await compareWithout(ALL), (relation) => !relation.identical)).toEqual([]);
  });

  test.each(ALL)('%s makes just those differ that are listed', async (reason) => {
    const relations = await compareWithout(ALL.filter((other) => other !== reason));
    expect(namesWhere(relations, (relation) => !relation.identical)).toEqual(REASONS[reason]);
    expect(relations.every(isMutual)).toBe(true);
  });

  test('has the version constant of a later draft', () => {
    const version = /LATEST_PROTOCOL_VERSION = "([^"]+)"/.exec(officialText)?.[1];
    expect(version).toBe('DRAFT-2026-v1');
  });

  function withoutExtensions(text: string): string {
    const source = parse(text);
    let result = text;
    for (const statement of [...source.statements].reverse()) {
      if (!ts.isInterfaceDeclaration(statement)) continue;
      if (statement.name.text !== 'ClientCapabilities' && statement.name.text !== 'ServerCapabilities') continue;
      const extensions = statement.members.find((member) => member.name?.getText(source) === 'extensions');
      if (extensions === undefined) throw new Error(`${statement.name.text} has no extensions any more`);
      result = result.slice(0, extensions.getStart(source)) + result.slice(extensions.getEnd());
    }
    return result;
  }
});

function parse(text: string): ts.SourceFile {
  return ts.createSourceFile('official.ts', text, ts.ScriptTarget.ES2022, true);
}

/** Names of the interfaces that extend another, directly or not. */
function heirsOf(source: ts.SourceFile, base: string): ReadonlySet<string> {
  const parents = new Map(
    source.statements
      .filter(ts.isInterfaceDeclaration)
      .map((statement): [string, readonly string[]] => [
        statement.name.text,
        statement.heritageClauses?.flatMap((clause) => clause.types.map((type) => type.expression.getText(source))) ??
          [],
      ]),
  );
  const inherits = (name: string): boolean =>
    (parents.get(name) ?? []).some((parent) => parent === base || inherits(parent));
  return new Set([...parents.keys()].filter(inherits));
}

describe('2026-07-28 and the types of the SDK', () => {
  // The SDK's `core` exports schemas only; the types that go with them are in `server`.
  const sdk = path.join(packages, 'server/dist/index.d.mts');
  const ours = ourTypes('2026-07-28');

  /** Definitions that the SDK has no type of this name for. */
  const MISSING = [
    'CacheableResult',
    'CallToolResultResponse',
    'CompleteResultResponse',
    'DiscoverResultResponse',
    'Error',
    'GetPromptResultResponse',
    'HeaderMismatchError',
    'InputResponseRequestParams',
    'ListPromptsResultResponse',
    'ListResourceTemplatesResultResponse',
    'ListResourcesResultResponse',
    'ListToolsResultResponse',
    'NotificationMetaObject',
    'ReadResourceResultResponse',
    'ResultType',
    'SubscriptionsListenResultMetaObject',
    'SubscriptionsListenResultResponse',
  ];

  /**
   * Why a type of the SDK is none of ours, or ours none of the SDK's: what has to be laid on top of one so that it
   * becomes the other. The SDK has one set of types for all revisions, and its own code adds what a revision needs.
   */
  interface Difference {
    readonly reason: string;
    /** What theirs needs to be ours, as a type. Ours is one of theirs as it stands. */
    readonly theirs?: (name: string) => string;
    /** What ours needs to be theirs, as a type. Theirs is one of ours as it stands. */
    readonly ours?: (name: string) => string;
    readonly names: readonly string[];
  }
  const ENVELOPE = '{ jsonrpc: "2.0"; id: Ours.RequestId }';
  const REQUEST = `${ENVELOPE} & { params: { _meta: Ours.RequestMetaObject } }`;
  const CANCELLED = '{ jsonrpc: "2.0"; params: { requestId: Ours.RequestId } }';
  const URL_MODE = '(Ours.ElicitRequestURLParams & { elicitationId: string })';
  const MODES = `(Ours.ElicitRequestFormParams | ${URL_MODE})`;
  const DIFFERENCES: readonly Difference[] = [
    {
      reason: 'requests of the SDK have no envelope, and no `_meta` that has to be there',
      theirs: (name) => `Theirs.${name} & ${REQUEST}`,
      names: [
        'CallToolRequest',
        'CompleteRequest',
        'DiscoverRequest',
        'GetPromptRequest',
        'ListPromptsRequest',
        'ListResourceTemplatesRequest',
        'ListResourcesRequest',
        'ListToolsRequest',
        'PaginatedRequest',
        'ReadResourceRequest',
        'SubscriptionsListenRequest',
      ],
    },
    {
      reason: 'no `_meta` has to be there in params of the SDK',
      theirs: (name) => `Theirs.${name} & { _meta: Ours.RequestMetaObject }`,
      names: [
        'CallToolRequestParams',
        'CompleteRequestParams',
        'GetPromptRequestParams',
        'PaginatedRequestParams',
        'ReadResourceRequestParams',
        'RequestParams',
        'ResourceRequestParams',
        'SubscriptionsListenRequestParams',
      ],
    },
    {
      reason: 'version and capabilities have to be in `_meta` since this revision only',
      theirs: (name) =>
        `Theirs.${name} & Pick<Ours.${name}, "io.modelcontextprotocol/protocolVersion" | "io.modelcontextprotocol/clientCapabilities">`,
      names: ['RequestMetaObject'],
    },
    {
      reason: 'notifications of the SDK have no envelope',
      theirs: (name) => `Theirs.${name} & { jsonrpc: "2.0" }`,
      names: [
        'LoggingMessageNotification',
        'ProgressNotification',
        'PromptListChangedNotification',
        'ResourceListChangedNotification',
        'ResourceUpdatedNotification',
        'SubscriptionsAcknowledgedNotification',
        'ToolListChangedNotification',
      ],
    },
    {
      reason: 'a cancellation may go without a request id in 2025-11-25',
      theirs: (name) => `Theirs.${name} & ${name.endsWith('Params') ? '{ requestId: Ours.RequestId }' : CANCELLED}`,
      names: ['CancelledNotification', 'CancelledNotificationParams'],
    },
    {
      reason: 'unions of the SDK hold the messages of all revisions, without their envelope',
      theirs: (name) =>
        `Extract<Theirs.${name}, { method: Ours.${name}["method"] }> & ${name === 'ClientRequest' ? REQUEST : CANCELLED}`,
      names: ['ClientNotification', 'ClientRequest', 'ServerNotification'],
    },
    {
      reason: 'the SDK adds `resultType` to a result itself',
      theirs: (name) => `Theirs.${name} & { resultType: Ours.ResultType }`,
      names: [
        'CallToolResult',
        'ClientResult',
        'CompleteResult',
        'EmptyResult',
        'GetPromptResult',
        'PaginatedResult',
        'Result',
        'ServerResult',
        'SubscriptionsListenResult',
      ],
    },
    {
      reason: 'the SDK adds `resultType` to a result itself, here in a response',
      theirs: (name) =>
        name === 'JSONRPCResultResponse'
          ? `Theirs.${name} & { result: { resultType: Ours.ResultType } }`
          : `Exclude<Theirs.${name}, Theirs.JSONRPCResultResponse>`,
      names: ['JSONRPCMessage', 'JSONRPCResponse', 'JSONRPCResultResponse'],
    },
    {
      reason: 'the SDK adds `resultType`, `ttlMs` and `cacheScope` to a result itself',
      theirs: (name) => `Theirs.${name} & Ours.CacheableResult`,
      names: [
        'DiscoverResult',
        'ListPromptsResult',
        'ListResourceTemplatesResult',
        'ListResourcesResult',
        'ListToolsResult',
        'ReadResourceResult',
      ],
    },
    {
      reason: 'a result of sampling with tools has a type of its own in the SDK',
      ours: (name) => `Ours.${name} & { content: Ours.TextContent | Ours.ImageContent | Ours.AudioContent }`,
      names: ['CreateMessageResult'],
    },
    {
      reason: 'the answer to a request for input holds a result of sampling',
      ours: (name) =>
        name === 'InputResponse'
          ? `Exclude<Ours.${name}, Ours.CreateMessageResult>`
          : '{ [key: string]: Exclude<Ours.InputResponse, Ours.CreateMessageResult> }',
      names: ['InputResponse', 'InputResponses'],
    },
    {
      reason: 'elicitation by URL has an id in 2025-11-25',
      ours: (name) => (name === 'ElicitRequest' ? `Ours.${name} & { params: ${MODES} }` : `Ours.${name} & ${MODES}`),
      names: ['ElicitRequest', 'ElicitRequestParams', 'ElicitRequestURLParams'],
    },
    {
      reason: 'a request for input holds one of elicitation',
      ours: (name) =>
        name === 'InputRequest'
          ? `Exclude<Ours.${name}, Ours.ElicitRequest>`
          : '{ [key: string]: Exclude<Ours.InputRequest, Ours.ElicitRequest> }',
      names: ['InputRequest', 'InputRequests'],
    },
    {
      reason: '`resultType` is any string in the schema',
      ours: (name) =>
        `Omit<Ours.${name}, "inputRequests"> & { resultType: "input_required"; inputRequests?: Theirs.InputRequests }`,
      names: ['InputRequiredResult'],
    },
  ];

  /** Names that the SDK gives to something else: what that is, and which type of the SDK is like ours, if one is. */
  const OTHER_THINGS: Readonly<Record<string, { readonly extends: string; readonly like?: string }>> = {
    MissingRequiredClientCapabilityError: { extends: 'globalThis.Error' },
    UnsupportedProtocolVersionError: { extends: 'globalThis.Error' },
    ResourceTemplate: { extends: '{ uriTemplate: Theirs.UriTemplate }', like: 'ResourceTemplateType' },
  };

  let counterparts: readonly string[];
  let relations: readonly TypeRelation[];
  beforeAll(async () => {
    const theirs = new Set(exportedTypes(sdk));
    counterparts = exportedTypes(ours).filter((name) => theirs.has(name));
    relations = await compareTypes(
      ours,
      sdk,
      counterparts.map((name) => ({ ours: name, theirs: name })),
    );
  });

  test('138 of 155 have a type of their name there', () => {
    expect(exportedTypes(ours).filter((name) => !counterparts.includes(name))).toEqual(MISSING);
    expect(counterparts).toHaveLength(138);
  });

  test('76 are mutually assignable and 55 of them identical', () => {
    const listed = [...DIFFERENCES.flatMap(({ names }) => names), ...Object.keys(OTHER_THINGS)];
    expect(namesWhere(relations, (relation) => !isMutual(relation))).toEqual([...listed].sort());
    expect(relations.filter(isMutual)).toHaveLength(76);
    expect(relations.filter((relation) => relation.identical)).toHaveLength(55);
  });

  test('each listed difference is in one direction', async () => {
    const lines = [
      `import type * as Ours from ${JSON.stringify(ours)};`,
      `import type * as Theirs from ${JSON.stringify(sdk)};`,
    ];
    const questions: { readonly line: number; readonly what: string }[] = [];
    const ask = (from: string, to: string): void => {
      questions.push({ line: lines.length, what: `${from} -> ${to}` });
      lines.push(
        `declare const from${lines.length}: ${from}; export const to${lines.length}: ${to} = from${lines.length};`,
      );
    };
    for (const difference of DIFFERENCES) {
      for (const name of difference.names) {
        const relation = relations.find((item) => item.name === name);
        expect([name, relation?.toTheirs, relation?.toOurs]).toEqual([
          name,
          difference.theirs !== undefined,
          difference.ours !== undefined,
        ]);
        if (difference.theirs !== undefined) ask(difference.theirs(name), `Ours.${name}`);
        if (difference.ours !== undefined) ask(difference.ours(name), `Theirs.${name}`);
      }
    }
    for (const [name, other] of Object.entries(OTHER_THINGS)) {
      ask(`Theirs.${name}`, other.extends);
      if (other.like === undefined) continue;
      ask(`Theirs.${other.like}`, `Ours.${name}`);
      ask(`Ours.${name}`, `Theirs.${other.like}`);
    }
    // A question that must be answered with no: without it, answers of yes could come from types that are not found.
    const impossible = lines.length;
    ask('Theirs.CallToolRequest', 'Ours.CallToolRequest');
    const errors = await errorsByLine(lines.join('\n'));
    expect(errors.has(impossible)).toBe(true);
    const unanswered = questions.filter(({ line }) => line !== impossible && errors.has(line));
    expect(unanswered.map(({ line, what }) => `${what}: ${errors.get(line) ?? ''}`)).toEqual([]);
  });
});

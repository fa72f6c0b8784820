import { describe, expect, test } from 'vitest';
import { loadProtocol, type Protocol } from '../../generator/index.js';
import { changeLocation, type Change } from '../../generator/model/diff/change.js';
import { compareProtocols, type ProtocolDifference } from '../../generator/model/diff/compare.js';
import { withEvidence } from '../../generator/model/diff/evidence.js';
import { RULES, type RuleId } from '../../generator/model/diff/rules.js';
import { loadWithoutCatalog } from '../../generator/model/load.js';
import { builtinSchema } from '../../generator/read/builtin/revisions.js';
import { compactTypeText } from '../../generator/print/diff/type-text.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { checksOf } from '../support/validators.js';

const protocols = new Map<string, Protocol>();
for (const { revision } of REVISIONS) protocols.set(revision, await loadProtocol({ revision }));

function protocolOf(revision: string): Protocol {
  const protocol = protocols.get(revision);
  if (protocol === undefined) throw new Error(`there is no revision ${revision}`);
  return protocol;
}

const NAMES: readonly string[] = REVISIONS.map(({ revision }) => revision);
const NEIGHBOURS = NAMES.slice(1).map((after, index) => [NAMES[index] ?? '', after] as const);
const PAIRS = [...NEIGHBOURS, [NAMES[0] ?? '', NAMES.at(-1) ?? ''] as const];

const differences = new Map<string, ProtocolDifference>();
function differenceOf(before: string, after: string): ProtocolDifference {
  const key = `${before} ${after}`;
  const known = differences.get(key) ?? withEvidence(compareProtocols(protocolOf(before), protocolOf(after)));
  differences.set(key, known);
  return known;
}

/** A change in short: rule and place. */
function short(change: Change): string {
  const what =
    change.rule.startsWith('variant-') || change.rule.startsWith('value-') || change.rule.startsWith('result-');
  const type = change.after ?? change.before;
  return `${change.rule} ${changeLocation(change)}${what && typeof type === 'object' ? `: ${compactTypeText(type)}` : ''}`;
}

/** What the official changelog of each revision says of the schema, in our words, and the changes that say so. */
const FACTS: readonly { readonly to: string; readonly says: string; readonly found: readonly string[] }[] = [
  {
    to: '2025-03-26',
    says: 'messages may be sent in batches',
    found: [
      'batches-added Model Context Protocol',
      'definition-added JSONRPCBatchRequest',
      'variant-added JSONRPCMessage: (JSONRPCRequest | JSONRPCNotification)[]',
    ],
  },
  {
    to: '2025-03-26',
    says: 'tools are annotated',
    found: ['member-added-optional Tool.annotations', 'definition-added ToolAnnotations'],
  },
  {
    to: '2025-03-26',
    says: 'progress has a message',
    found: ['member-added-optional ProgressNotification.params.message'],
  },
  {
    to: '2025-03-26',
    says: 'audio joins text and images',
    found: [
      'definition-added AudioContent',
      'variant-added CallToolResult.content[]: AudioContent',
      'variant-added PromptMessage.content: AudioContent',
      'variant-added SamplingMessage.content: AudioContent',
      'variant-added CreateMessageResult.content: AudioContent',
    ],
  },
  {
    to: '2025-03-26',
    says: 'completions are a capability',
    found: ['member-added-optional ServerCapabilities.completions', 'capability-required completion/complete'],
  },

  {
    to: '2025-06-18',
    says: 'batches are gone',
    found: [
      'batches-removed Model Context Protocol',
      'definition-removed JSONRPCBatchRequest',
      'definition-removed JSONRPCBatchResponse',
      'variant-removed JSONRPCMessage: (JSONRPCResponse | JSONRPCError)[]',
    ],
  },
  {
    to: '2025-06-18',
    says: 'tools give structured output',
    found: ['member-added-optional Tool.outputSchema', 'member-added-optional CallToolResult.structuredContent'],
  },
  {
    to: '2025-06-18',
    says: 'servers ask users by elicitation',
    found: [
      'request-added-guarded elicitation/create',
      'member-added-optional ClientCapabilities.elicitation',
      'definition-added ElicitRequest',
      'definition-added ElicitResult',
    ],
  },
  {
    to: '2025-06-18',
    says: 'tool results link to resources',
    found: ['definition-added ResourceLink', 'variant-added CallToolResult.content[]: ResourceLink'],
  },
  {
    to: '2025-06-18',
    says: 'more types have `_meta`',
    found: [
      'Tool',
      'Prompt',
      'Resource',
      'ResourceTemplate',
      'TextContent',
      'ImageContent',
      'AudioContent',
      'EmbeddedResource',
      'Root',
      'ResourceContents',
    ].map((name) => `member-added-optional ${name}._meta`),
  },
  {
    to: '2025-06-18',
    says: 'completion knows variables that are settled',
    found: ['member-added-optional CompleteRequest.params.context'],
  },
  {
    to: '2025-06-18',
    says: 'things have a title',
    found: [
      'Tool',
      'Prompt',
      'PromptArgument',
      'Resource',
      'ResourceTemplate',
      'Implementation',
      'PromptReference',
    ].map((name) => `member-added-optional ${name}.title`),
  },
  {
    to: '2025-06-18',
    says: 'the reference to a template is called so',
    found: ['definition-renamed ResourceTemplateReference'],
  },

  {
    to: '2025-11-25',
    says: 'tools, resources, templates and prompts have icons',
    found: [
      'definition-added Icon',
      ...['Tool', 'Resource', 'ResourceTemplate', 'Prompt', 'Implementation'].map(
        (name) => `member-added-optional ${name}.icons`,
      ),
    ],
  },
  {
    to: '2025-11-25',
    says: 'enums with or without titles, of one value or several',
    found: [
      'variant-added EnumSchema: TitledSingleSelectEnumSchema',
      'variant-added EnumSchema: UntitledMultiSelectEnumSchema',
      'variant-added EnumSchema: TitledMultiSelectEnumSchema',
      'variant-added ElicitResult.content.*: string[]',
    ],
  },
  {
    to: '2025-11-25',
    says: 'users are sent to a URL',
    found: [
      'variant-added ElicitRequest.params: ElicitRequestURLParams',
      'notification-added notifications/elicitation/complete',
      'error-added URL_ELICITATION_REQUIRED',
      'definition-added URLElicitationRequiredError',
    ],
  },
  {
    to: '2025-11-25',
    says: 'sampling calls tools',
    found: [
      'member-added-optional CreateMessageRequest.params.tools',
      'member-added-optional CreateMessageRequest.params.toolChoice',
      'variant-added SamplingMessage.content: ToolUseContent',
      'variant-added SamplingMessage.content: ToolResultContent',
    ],
  },
  {
    to: '2025-11-25',
    says: 'tasks track what takes long',
    found: [
      'request-added-guarded tasks/get',
      'request-added-guarded tasks/result',
      'request-added-guarded tasks/list',
      'request-added-guarded tasks/cancel',
      'notification-added notifications/tasks/status',
      'result-added tools/call: CreateTaskResult',
      'member-added-optional CallToolRequest.params.task',
      'member-added-optional ServerCapabilities.tasks',
      'member-added-optional ClientCapabilities.tasks',
      'member-added-optional Tool.execution',
    ],
  },
  {
    to: '2025-11-25',
    says: 'an implementation is described',
    found: ['member-added-optional Implementation.description'],
  },
  {
    to: '2025-11-25',
    says: 'asked for values have defaults',
    found: [
      'member-added-optional StringSchema.default',
      'member-added-optional NumberSchema.default',
      'member-added-optional EnumSchema<LegacyTitledEnumSchema>.default',
    ],
  },
  {
    to: '2025-11-25',
    says: 'schemas of tools name their dialect',
    found: ['member-added-optional Tool.inputSchema.$schema', 'member-added-optional Tool.outputSchema.$schema'],
  },
  {
    to: '2025-11-25',
    says: 'params are definitions of their own',
    found: [
      'definition-extracted CallToolRequestParams',
      'definition-extracted InitializeRequestParams',
      'definition-extracted GetPromptRequestParams',
      'definition-extracted ProgressNotificationParams',
    ],
  },
  { to: '2025-11-25', says: 'an error response is called so', found: ['definition-renamed JSONRPCErrorResponse'] },

  {
    to: '2026-07-28',
    says: 'there is no handshake',
    found: [
      'lifecycle-changed Model Context Protocol',
      'method-removed initialize',
      'method-removed notifications/initialized',
    ],
  },
  {
    to: '2026-07-28',
    says: 'each request carries version and capabilities',
    found: [
      'CallToolRequestParams',
      'CompleteRequestParams',
      'GetPromptRequestParams',
      'PaginatedRequestParams',
      'ReadResourceRequestParams',
    ].flatMap((name) => [
      `member-required ${name}._meta`,
      `member-added-required ${name}._meta["io.modelcontextprotocol/protocolVersion"]`,
      `member-added-required ${name}._meta["io.modelcontextprotocol/clientCapabilities"]`,
      `member-added-own ${name}._meta["io.modelcontextprotocol/clientInfo"]`,
    ]),
  },
  {
    to: '2026-07-28',
    says: 'servers tell who they are in results',
    found: ['member-added-own Result._meta["io.modelcontextprotocol/serverInfo"]'],
  },
  {
    to: '2026-07-28',
    says: 'a version that is not known has an error',
    found: ['error-added UNSUPPORTED_PROTOCOL_VERSION', 'definition-added UnsupportedProtocolVersionError'],
  },
  { to: '2026-07-28', says: 'servers are asked what they are', found: ['request-added server/discover'] },
  {
    to: '2026-07-28',
    says: 'one stream instead of subscriptions',
    found: [
      'request-added subscriptions/listen',
      'method-removed resources/subscribe',
      'method-removed resources/unsubscribe',
      'notification-added notifications/subscriptions/acknowledged',
      'member-added-own NotificationParams._meta["io.modelcontextprotocol/subscriptionId"]',
    ],
  },
  {
    to: '2026-07-28',
    says: 'no ping, no level of logs, no word of changed roots',
    found: [
      'method-removed ping',
      'method-removed logging/setLevel',
      'method-removed notifications/roots/list_changed',
      'member-added-own RequestParams._meta["io.modelcontextprotocol/logLevel"]',
    ],
  },
  {
    to: '2026-07-28',
    says: 'tasks are an extension',
    found: [
      'method-removed tasks/get',
      'method-removed tasks/result',
      'method-removed tasks/list',
      'method-removed tasks/cancel',
      'method-removed notifications/tasks/status',
      'result-removed tools/call: CreateTaskResult',
      'member-removed-optional ServerCapabilities.tasks',
      'member-removed-optional ClientCapabilities.tasks',
      'member-removed-optional CallToolRequestParams.task',
    ],
  },
  {
    to: '2026-07-28',
    says: 'servers ask inside results',
    found: [
      'method-embedded roots/list',
      'method-embedded sampling/createMessage',
      'method-embedded elicitation/create',
      'result-added tools/call: InputRequiredResult',
      'definition-added InputRequiredResult',
      'member-added-optional CallToolRequestParams.inputResponses',
      'member-added-optional CallToolRequestParams.requestState',
    ],
  },
  {
    to: '2026-07-28',
    says: 'each result says of which type it is',
    found: [
      'CallToolResult',
      'CompleteResult',
      'GetPromptResult',
      'ListToolsResult',
      'ReadResourceResult',
      'Result',
    ].map((name) => `member-added-required ${name}.resultType`),
  },
  {
    to: '2026-07-28',
    says: 'capabilities name extensions',
    found: [
      'member-added-optional ClientCapabilities.extensions',
      'member-added-optional ServerCapabilities.extensions',
    ],
  },
  {
    to: '2026-07-28',
    says: 'lists and resources may be cached',
    found: [
      'ListToolsResult',
      'ListPromptsResult',
      'ListResourcesResult',
      'ReadResourceResult',
      'ListResourceTemplatesResult',
    ].flatMap((name) => [`member-added-required ${name}.ttlMs`, `member-added-required ${name}.cacheScope`]),
  },
  {
    to: '2026-07-28',
    says: 'a resource that is not found has no code of its own',
    found: ['error-removed RESOURCE_NOT_FOUND'],
  },
  {
    to: '2026-07-28',
    says: 'schemas and structured content may be anything',
    found: [
      'member-removed-required Tool.outputSchema.type',
      'member-removed-optional Tool.inputSchema.properties',
      'type-widened CallToolResult.structuredContent',
    ],
  },
  {
    to: '2026-07-28',
    says: 'no word of the end of a visit to a URL',
    found: [
      'method-removed notifications/elicitation/complete',
      'member-removed-required ElicitRequestURLParams.elicitationId',
      'error-removed URL_ELICITATION_REQUIRED',
    ],
  },
  {
    to: '2026-07-28',
    says: 'error codes of the specification',
    found: [
      'error-added HEADER_MISMATCH',
      'error-added MISSING_REQUIRED_CLIENT_CAPABILITY',
      'definition-added HeaderMismatchError',
    ],
  },
  {
    to: '2026-07-28',
    says: 'roots, sampling and logging are deprecated',
    found: [
      'method-deprecated roots/list',
      'method-deprecated sampling/createMessage',
      'method-deprecated notifications/message',
      'member-deprecated ClientCapabilities.roots',
      'member-deprecated ClientCapabilities.sampling',
      'member-deprecated ServerCapabilities.logging',
    ],
  },
];

describe('what the official changelogs say is found', () => {
  test.each(FACTS)('$to: $says', ({ to, found }) => {
    const from = NEIGHBOURS.find(([, after]) => after === to)?.[0] ?? '';
    const changes = differenceOf(from, to).changes.map(short);
    expect(found.filter((item) => !changes.includes(item))).toEqual([]);
  });

  test('numeric limits that became numbers are reported without errata only', async () => {
    const contents = JSON.parse(JSON.stringify(builtinSchema('2025-11-25'))) as {
      $defs: { NumberSchema: { properties: Record<string, object> } };
    };
    const names = ['minimum', 'maximum', 'default'];
    for (const name of names) contents.$defs.NumberSchema.properties[name] = { type: 'integer' };
    const copy = { name: 'copy.json', contents: JSON.stringify(contents) };
    const changes = async (errata: boolean): Promise<readonly string[]> => {
      const [before, after] = [
        await loadWithoutCatalog(copy, { errata }),
        await loadProtocol({ revision: '2026-07-28', errata }),
      ];
      return compareProtocols(before, after).changes.map(short);
    };
    const told = names.map((name) => `type-widened NumberSchema.${name}`);
    expect((await changes(false)).filter((item) => told.includes(item)).sort()).toEqual([...told].sort());
    expect((await changes(true)).filter((item) => told.includes(item))).toEqual([]);
  });
});

describe.each(PAIRS)('from %s to %s', (from, to) => {
  const difference = differenceOf(from, to);
  const renamed = new Map(difference.renames.map((rename) => [rename.after, rename.before]));
  const oracles = { before: oracleOf(correctedDefinitions(from)), after: oracleOf(correctedDefinitions(to)) };

  test('Ajv confirms each breaking change of a definition with a value', () => {
    const unproven: string[] = [];
    const wrong: string[] = [];
    for (const change of difference.changes.filter(({ subject }) => subject === 'definition')) {
      const { sender, receiver } = RULES[change.rule];
      const wanted = [sender === 'breaking' ? 'sender' : '', receiver === 'breaking' ? 'receiver' : ''].filter(Boolean);
      const shown = (change.evidence ?? []).map(({ breaks }) => breaks);
      if (JSON.stringify(shown) !== JSON.stringify(wanted)) unproven.push(short(change));
      for (const { breaks, acceptedBy, rejectedBy, value } of change.evidence ?? []) {
        const [takes, refuses] = breaks === 'sender' ? (['before', 'after'] as const) : (['after', 'before'] as const);
        if (!oracles[takes](acceptedBy)(value)) wrong.push(`${short(change)}: ${acceptedBy} does not take it`);
        if (oracles[refuses](rejectedBy)(value)) wrong.push(`${short(change)}: ${rejectedBy} takes it`);
      }
    }
    expect(unproven).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('our own validators say the same', async () => {
    const wrong: unknown[] = [];
    for (const change of difference.changes.filter(({ subject }) => subject === 'definition')) {
      for (const { breaks, acceptedBy, rejectedBy, value } of change.evidence ?? []) {
        const [takes, refuses] = breaks === 'sender' ? [from, to] : [to, from];
        const outcome = (await checksOf(refuses, rejectedBy)).validate(value);
        if (!(await checksOf(takes, acceptedBy)).is(value)) wrong.push([short(change), 'not taken']);
        if (outcome.success) wrong.push([short(change), 'not refused']);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('what happened to methods is what the official unions say', () => {
    const unions = (revision: string): Map<string, string> => {
      const definitions = correctedDefinitions(revision) as Record<string, Record<string, unknown>>;
      const found = new Map<string, string>();
      for (const side of ['Client', 'Server']) {
        for (const kind of ['Request', 'Notification']) {
          const union = definitions[side + kind];
          const members = (union?.['anyOf'] ?? (union === undefined ? [] : [union])) as Record<string, unknown>[];
          for (const item of members) {
            const ref = item['$ref'];
            const message = typeof ref === 'string' ? definitions[ref.replace('#/$defs/', '')] : item;
            const properties = message?.['properties'] as Record<string, { const?: string }> | undefined;
            const method = properties?.['method']?.const ?? '';
            found.set(method, found.has(method) && found.get(method) !== side ? 'both' : side);
          }
        }
      }
      return found;
    };
    const [old, now] = [unions(from), unions(to)];
    const expected = [...new Set([...old.keys(), ...now.keys()])]
      .filter((name) => old.get(name) !== now.get(name))
      .sort();
    const moves =
      /^(?:request-added|request-added-guarded|notification-added|method-removed|direction-.*|method-embedded)$/;
    const told = difference.changes.filter(({ rule }) => moves.test(rule)).map(({ name }) => name);
    // What exists in the new revision inside results only was never on the wire there.
    const embedded = protocolOf(to)
      .methods.filter(({ direction }) => direction === 'embedded')
      .map(({ name }) => name);
    expect([...new Set(told)].filter((name) => old.has(name) || !embedded.includes(name)).sort()).toEqual(expected);
  });

  test('errors may be sent by both sides', () => {
    for (const change of difference.changes.filter(({ subject }) => subject === 'error'))
      expect(change).toMatchObject({ path: [], sentBy: ['client', 'server'] });
  });

  test('the reverse diff mirrors the changes', () => {
    const back = compareProtocols(protocolOf(to), protocolOf(from));
    const count = (changes: readonly Change[], ...rules: readonly RuleId[]): number =>
      changes.filter(({ rule }) => rules.includes(rule)).length;
    for (const [one, other] of [
      [['request-added', 'request-added-guarded', 'notification-added'], ['method-removed']],
      [['error-added'], ['error-removed']],
      [['member-required'], ['member-optional']],
      [['constraint-tightened'], ['constraint-loosened']],
      [['type-narrowed'], ['type-widened']],
      [['value-added'], ['value-removed']],
      [['variant-added'], ['variant-removed']],
    ] as const) {
      expect([one, count(difference.changes, ...one)]).toEqual([one, count(back.changes, ...other)]);
      expect([other, count(difference.changes, ...other)]).toEqual([other, count(back.changes, ...one)]);
    }
    expect(back.renames.map(({ before, after }) => [after, before])).toEqual(
      difference.renames.map(({ before, after }) => [before, after]),
    );
    expect(renamed.size).toBe(difference.renames.length);
  });
});

test.each(NAMES)('%s does not differ from itself', (revision) => {
  expect(compareProtocols(protocolOf(revision), protocolOf(revision)).changes).toEqual([]);
});

/** Changes between two small schemas. */
async function changesOf(before: unknown, after: unknown): Promise<readonly Change[]> {
  const load = async (value: unknown): Promise<Protocol> =>
    loadWithoutCatalog({ name: 'small.json', contents: JSON.stringify({ $defs: value }) });
  return withEvidence(compareProtocols(await load(before), await load(after))).changes;
}

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const text = { type: 'string' };

describe('rules, each on a small schema', () => {
  const T: readonly (readonly [string, object, object, readonly string[]])[] = [
    ['optional member', object({ a: text }), object({ a: text, b: text }), ['member-added-optional T.b']],
    ['required member', object({}), object({ b: text }, { required: ['b'] }), ['member-added-required T.b']],
    [
      'a name in an open map',
      object({}, { additionalProperties: {} }),
      object({ b: text }, { additionalProperties: {} }),
      ['member-added-reserved T.b'],
    ],
    [
      'a name of the type that the map has',
      object({}, { additionalProperties: text }),
      object({ b: text }, { additionalProperties: text }),
      ['member-added-optional T.b'],
    ],
    [
      'a member goes from a closed object',
      object({ b: text }, { additionalProperties: false }),
      object({}, { additionalProperties: false }),
      ['member-forbidden T.b'],
    ],
    ['required goes', object({ b: text }, { required: ['b'] }), object({}), ['member-removed-required T.b']],
    ['becomes required', object({ b: text }), object({ b: text }, { required: ['b'] }), ['member-required T.b']],
    ['becomes optional', object({ b: text }, { required: ['b'] }), object({ b: text }), ['member-optional T.b']],
    ['integer to number', { type: 'integer' }, { type: 'number' }, ['type-widened T']],
    ['number to integer', { type: 'number' }, { type: 'integer' }, ['type-narrowed T']],
    ['string to number', text, { type: 'number' }, ['type-changed T']],
    ['enum', { enum: ['a', 'b'] }, { enum: ['b', 'c'] }, ['value-added T: "c"', 'value-removed T: "a"']],
    ['string to enum', text, { enum: ['a', 'b'] }, ['type-narrowed T']],
    ['one more type', text, { type: ['string', 'null'] }, ['variant-added T: null']],
    ['a limit', { type: 'number', maximum: 5 }, { type: 'number', maximum: 3 }, ['constraint-tightened T']],
    ['a limit goes', { type: 'string', minLength: 3 }, text, ['constraint-loosened T']],
    ['a pattern', { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^no' }, ['constraint-changed T']],
    [
      'items',
      { type: 'array', items: { type: 'integer' } },
      { type: 'array', items: { type: 'number' } },
      ['type-widened T[]'],
    ],
    [
      'number of items',
      { type: 'array', items: text },
      { type: 'array', items: text, maxItems: 2 },
      ['constraint-tightened T'],
    ],
    ['a format', text, { type: 'string', format: 'uri' }, ['format-changed T']],
    [
      'a default',
      object({ a: { type: 'number', default: 1 } }),
      object({ a: { type: 'number', default: 2 } }),
      ['default-changed T.a'],
    ],
    [
      'closing an object',
      object({ a: text }),
      object({ a: text }, { additionalProperties: false }),
      ['rest-narrowed T.*'],
    ],
    ['opening it', object({ a: text }, { additionalProperties: text }), object({ a: text }), ['rest-widened T.*']],
    [
      'deprecation',
      object({ a: text }),
      object({ a: { type: 'string', deprecated: true } }),
      ['member-deprecated T.a'],
    ],
    ['nothing but order', { anyOf: [text, { type: 'null' }] }, { anyOf: [{ type: 'null' }, text] }, []],
    ['nothing but another way to write it', { type: ['string', 'null'] }, { anyOf: [text, { type: 'null' }] }, []],
    [
      'an intersection written as one',
      { allOf: [object({ a: text }), object({ b: text })] },
      object({ a: text, b: text }),
      [],
    ],
    ['true and false', { type: 'boolean' }, { enum: [true, false] }, []],
    ['prose', { type: 'string', description: 'a' }, { type: 'string', description: 'b' }, []],
  ];

  test.each(T)('%s', async (_, before, after, expected) => {
    const changes = await changesOf({ T: before }, { T: after });
    expect(changes.map(short).sort()).toEqual([...expected].sort());
    for (const change of changes) {
      const { sender, receiver } = RULES[change.rule];
      // A default is a change of meaning only.
      if (change.rule === 'default-changed') continue;
      const wanted = [sender === 'breaking' ? 'sender' : '', receiver === 'breaking' ? 'receiver' : ''].filter(Boolean);
      expect((change.evidence ?? []).map(({ breaks }) => breaks)).toEqual(wanted);
      const [old, now] = [before, after].map((schema) => oracleOf({ T: schema } as never)('T'));
      for (const { breaks, value } of change.evidence ?? []) {
        expect([old?.(value), now?.(value)]).toEqual(breaks === 'sender' ? [true, false] : [false, true]);
      }
    }
  });

  test('a revision with an extension does not differ from itself', async () => {
    const load = (): Promise<Protocol> =>
      loadProtocol({ revision: '2026-07-28', extensions: ['io.modelcontextprotocol/tasks'] });
    expect(compareProtocols(await load(), await load()).changes).toEqual([]);
  });

  test('a recursive definition is reported once', async () => {
    const list = (item: object): object => object({ next: { $ref: '#/$defs/List' }, item }, { required: ['item'] });
    expect(
      (await changesOf({ List: list({ type: 'integer' }) }, { List: list({ type: 'number' }) })).map(short),
    ).toEqual(['type-widened List.item']);
    const tree = { anyOf: [text, { type: 'array', items: { $ref: '#/$defs/Tree' } }] };
    const wider = { anyOf: [text, { type: 'null' }, { type: 'array', items: { $ref: '#/$defs/Tree' } }] };
    expect((await changesOf({ Tree: tree }, { Tree: wider })).map(short)).toEqual(['variant-added Tree: null']);
    // Two recursive types that reference each other, renamed: each is the other's first member.
    const a = { A: object({ b: { $ref: '#/$defs/B' } }), B: object({ a: { $ref: '#/$defs/A' }, x: text }) };
    const b = { A: object({ b: object({ a: { $ref: '#/$defs/A' }, x: { type: 'number' } }) }) };
    expect((await changesOf(a, b)).map(short)).toEqual(['type-changed A.b.x', 'definition-inlined B']);
  });

  test('a type without a finite value is no trap for the search', async () => {
    const endless = (more: object): object => object({ next: { $ref: '#/$defs/T' }, ...more }, { required: ['next'] });
    expect(
      (await changesOf({ T: endless({ a: text }) }, { T: endless({ a: { type: 'number' } }) })).map(short),
    ).toEqual(['type-changed T.a']);
  });

  test('a rename is guessed only if it is unambiguous', async () => {
    const thing = object({ a: text, b: { type: 'number' } }, { required: ['a'] });
    const user = (name: string): object => object({ it: { $ref: `#/$defs/${name}` } });
    const renamed = await changesOf({ Old: thing, User: user('Old') }, { New: thing, User: user('New') });
    expect(renamed.map(short)).toEqual(['definition-renamed New']);
    expect(renamed[0]?.detail).toBe(
      'a guess: the same structure; 2 of 2 members alike; is used in the same place: User.it',
    );
    const twins = await changesOf({ Old: thing }, { New: thing, Other: thing });
    expect(twins.map(short)).toEqual(['definition-added New', 'definition-removed Old', 'definition-added Other']);
  });

  test('a value of a changed variant is evidence, also if it comes as close to another variant', async () => {
    const union = (a: object): object => ({
      anyOf: [
        object({ kind: { const: 'x' }, b: text }, { required: ['kind', 'b'] }),
        object({ kind: { const: 'y' }, a }, { required: ['kind', 'a'] }),
      ],
    });
    const [change] = await changesOf({ T: union({ type: 'number' }) }, { T: union({ type: 'integer' }) });
    expect(change?.rule).toBe('type-narrowed');
    expect(change?.evidence).toEqual([expect.objectContaining({ breaks: 'sender', at: '/b' })]);
  });

  test('a value that is already invalid because of another change is not evidence', async () => {
    const thing = (a: object, b: object): object => object({ a, b }, { required: ['a', 'b'] });
    const [integer, number] = [{ type: 'integer' }, { type: 'number' }];
    const changes = await changesOf({ T: thing(text, integer) }, { T: thing(number, text) });
    // Whichever member is changed, the other one is wrong already.
    expect(changes.map((change) => [short(change), change.evidence])).toEqual([
      ['type-changed T.a', undefined],
      ['type-changed T.b', undefined],
    ]);
  });
});

describe('error codes of a schema without a catalog', () => {
  /** The errors of 2025-11-25 with a further definition that pins a code. */
  async function errorsWith(name: string, code: number): Promise<readonly { name: string; code: number }[]> {
    const schema = structuredClone(builtinSchema('2025-11-25')) as unknown as { $defs: Record<string, unknown> };
    schema.$defs[name] = object({ error: object({ code: { const: code } }, { required: ['code'] }) });
    const { errors } = await loadWithoutCatalog({ name: 'draft.json', contents: JSON.stringify(schema) });
    return errors.map((error) => ({ name: error.name, code: error.code }));
  }

  test('a code that a definition pins is not listed again under its usual name', async () => {
    const errors = await errorsWith('NoSuchThingError', -32002);
    expect(errors.filter(({ code }) => code === -32002)).toEqual([{ name: 'NO_SUCH_THING', code: -32002 }]);
  });

  test('a name whose code a definition pins is not listed again with its usual code', async () => {
    const errors = await errorsWith('ResourceNotFoundError', -32099);
    expect(errors.filter(({ name }) => name === 'RESOURCE_NOT_FOUND')).toEqual([
      { name: 'RESOURCE_NOT_FOUND', code: -32099 },
    ]);
  });

  test('those of the definitions and those of the closest revision are sorted together', async () => {
    const codes = (await errorsWith('NoSuchThingError', -32002)).map(({ code }) => code);
    expect(codes).toEqual([-1, -32002, -32042, -32600, -32601, -32602, -32603, -32700]);
  });
});

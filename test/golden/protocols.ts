/** Small protocols of each kind, as schema and catalog. */
import { loadProtocol, type InputFile, type Protocol } from '../../generator/index.js';
import type { ExtensionFiles } from '../../generator/index.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';

export interface ProtocolFiles {
  readonly definitions: JsonObject;
  readonly catalog: JsonObject & { readonly revision: string };
}

const text: JsonObject = { type: 'string' };

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

const object = (
  properties: JsonObject = {},
  required: readonly string[] = [],
  others: JsonObject = {},
): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  ...others,
});

const message = (method: string, params?: JsonObject, isRequest = true, isRequired = true): JsonObject => {
  const names = ['jsonrpc', ...(isRequest ? ['id'] : []), 'method'];
  return object(
    {
      jsonrpc: { const: '2.0' },
      ...(isRequest ? { id: ref('RequestId') } : {}),
      method: { const: method },
      ...(params === undefined ? {} : { params }),
    },
    params === undefined || !isRequired ? names : [...names, 'params'],
  );
};

const union = (...names: readonly string[]): JsonObject => ({ anyOf: names.map(ref) });

type Row = JsonObject & { readonly method: string };

const row = (method: string, direction: string, params: string | null, others: JsonObject = {}): Row => ({
  method,
  kind: 'result' in others ? 'request' : 'notification',
  direction,
  params,
  capability: null,
  summary: 'Does something.',
  ...others,
});

const open = { additionalProperties: {} };

const ENVELOPE: JsonObject = {
  RequestId: { type: ['string', 'integer'], description: 'An id.' },
  Meta: object({ progressToken: ref('RequestId') }, [], open),
  RequestParams: object({ _meta: ref('Meta') }),
  Request: object({ method: text, params: object({}, [], open) }, ['method']),
  Notification: object({ method: text, params: object({}, [], open) }, ['method']),
  RpcRequest: {
    allOf: [ref('Request'), object({ jsonrpc: { const: '2.0' }, id: ref('RequestId') }, ['jsonrpc', 'id'])],
  },
  RpcNotification: { allOf: [ref('Notification'), object({ jsonrpc: { const: '2.0' } }, ['jsonrpc'])] },
  RpcError: object(
    {
      jsonrpc: { const: '2.0' },
      id: ref('RequestId'),
      error: object({ code: { type: 'integer' }, message: text, data: {} }, ['code', 'message']),
    },
    ['jsonrpc', 'error'],
  ),
  Result: object({ _meta: object({}, [], open) }, [], open),
  EmptyResult: ref('Result'),
  ProgressNotification: message(
    'progress',
    object({ progressToken: ref('RequestId'), progress: { type: 'number' } }, ['progressToken', 'progress']),
    false,
  ),
  CancelledNotification: message('cancelled', object({ requestId: ref('RequestId'), reason: text }), false),
  Implementation: object({ name: text, version: text }, ['name', 'version']),
  Level: { enum: ['debug', 'info', 'error'] },
};

const TRAITS: JsonObject = {
  envelope: {
    request: 'RpcRequest',
    notification: 'RpcNotification',
    errorResponse: 'RpcError',
    requestId: 'RequestId',
    result: 'Result',
  },
  unions: {
    client: { request: 'ClientRequest', notification: 'ClientNotification', result: 'ClientResult' },
    server: { request: 'ServerRequest', notification: 'ServerNotification', result: 'ServerResult' },
  },
  emptyResult: 'EmptyResult',
  capabilities: { client: 'ClientCapabilities', server: 'ServerCapabilities' },
  progress: { method: 'progress', meta: '_meta', token: 'progressToken' },
  pages: { cursor: 'cursor', next: 'nextCursor' },
};

const SHARED_ROWS: readonly Row[] = [
  row('cancelled', 'both', 'CancelledNotification.params'),
  row('progress', 'both', 'ProgressNotification.params'),
];

const byMethod = (rows: readonly Row[]): JsonValue => [...rows].sort((a, b) => (a.method < b.method ? -1 : 1));

/** With a handshake, requests of both sides, tasks and errors. */
const stateful: ProtocolFiles = {
  definitions: {
    ...ENVELOPE,
    ClientCapabilities: object({ ask: object({ form: object() }), tasks: object() }),
    ServerCapabilities: object({ items: object({ listChanged: { type: 'boolean' } }), tasks: object() }),
    OpenRequest: message('open', ref('OpenRequestParams')),
    OpenRequestParams: object({ info: ref('Implementation'), capabilities: ref('ClientCapabilities') }, [
      'info',
      'capabilities',
    ]),
    OpenResult: {
      allOf: [
        ref('Result'),
        object({ info: ref('Implementation'), capabilities: ref('ServerCapabilities') }, ['info', 'capabilities']),
      ],
    },
    OpenedNotification: message('opened', undefined, false),
    PingRequest: message('ping', ref('RequestParams'), true, false),
    ListItemsRequest: message('items/list', { allOf: [ref('RequestParams'), object({ cursor: text })] }, true, false),
    ListItemsResult: {
      allOf: [ref('Result'), object({ items: { type: 'array', items: ref('Item') }, nextCursor: text }, ['items'])],
    },
    Item: object({ name: { ...text, description: 'Its name.' }, level: ref('Level') }, ['name'], {
      description: 'An item.',
    }),
    ReadItemRequest: message('items/read', object({ name: text, task: object() }, ['name'])),
    ReadItemResult: object({ item: ref('Item') }, ['item']),
    TaskResult: object({ taskId: text }, ['taskId']),
    ItemsChangedNotification: message('items/changed', object(), false, false),
    SetLevelRequest: message('level/set', object({ level: ref('Level') }, ['level'])),
    AskRequest: message('ask', ref('AskParams')),
    AskParams: {
      anyOf: [
        object({ mode: { const: 'form' }, form: object() }, ['mode', 'form']),
        object({ mode: { const: 'url' }, url: text }, ['mode', 'url']),
      ],
    },
    AskResult: object({ action: { enum: ['accept', 'decline'] }, content: object({}, [], open) }, ['action']),
    NoItem: object({ code: { const: -32050 }, message: text }, ['code', 'message']),
    ClientRequest: union('OpenRequest', 'PingRequest', 'ListItemsRequest', 'ReadItemRequest', 'SetLevelRequest'),
    ServerRequest: union('PingRequest', 'AskRequest'),
    ClientNotification: union('CancelledNotification', 'ProgressNotification', 'OpenedNotification'),
    ServerNotification: union('CancelledNotification', 'ProgressNotification', 'ItemsChangedNotification'),
    ClientResult: union('EmptyResult', 'AskResult'),
    ServerResult: union('EmptyResult', 'OpenResult', 'ListItemsResult', 'ReadItemResult', 'TaskResult'),
  },
  catalog: {
    protocol: 'Golden Items',
    revision: '2026-01-01',
    lifecycle: 'stateful',
    batches: true,
    traits: {
      ...TRAITS,
      cancellation: { method: 'cancelled', id: 'requestId', reason: 'reason', except: ['open'] },
      tasks: { member: 'task', result: 'TaskResult' },
      reservedNames: '^golden/',
      specification: { envelope: 'Golden, Messages', batches: 'Golden, Batches', capabilities: 'Golden, Capabilities' },
      roles: {
        handshake: 'open',
        answers: ['ping'],
        handles: ['opened'],
        implementation: 'Implementation',
        logLevel: 'Level',
        contextMethods: ['asking'],
        form: 'ask',
      },
    },
    methods: byMethod([
      ...SHARED_ROWS.map((item) => ({
        ...item,
        message: item.method === 'progress' ? 'ProgressNotification' : 'CancelledNotification',
      })),
      row('open', 'clientToServer', 'OpenRequestParams', { message: 'OpenRequest', result: 'OpenResult' }),
      row('opened', 'clientToServer', null, { message: 'OpenedNotification' }),
      row('ping', 'both', 'RequestParams', {
        message: 'PingRequest',
        result: 'EmptyResult',
        summary: 'Checks that the other side is there.',
      }),
      row('items/list', 'clientToServer', 'ListItemsRequest.params', {
        message: 'ListItemsRequest',
        result: 'ListItemsResult',
        capability: 'server.items',
        summary: 'Lists items.',
      }),
      row('items/read', 'clientToServer', 'ReadItemRequest.params', {
        message: 'ReadItemRequest',
        result: 'ReadItemResult',
        taskResult: 'TaskResult',
        capability: 'server.items',
      }),
      row('items/changed', 'serverToClient', 'ItemsChangedNotification.params', {
        message: 'ItemsChangedNotification',
        capability: 'server.items.listChanged',
      }),
      row('level/set', 'clientToServer', 'SetLevelRequest.params', {
        message: 'SetLevelRequest',
        result: 'EmptyResult',
        deprecated: 'Set it when you open.',
      }),
      row('ask', 'serverToClient', 'AskParams', {
        message: 'AskRequest',
        result: 'AskResult',
        capability: 'client.ask',
        summary: 'Asks the user.',
      }),
    ]),
    errors: [
      { name: 'PARSE_ERROR', code: -32700, summary: 'Not JSON.' },
      { name: 'INVALID_PARAMS', code: -32602, summary: 'Wrong params.' },
      { name: 'NO_ITEM', code: -32050, definition: 'NoItem', summary: 'No such item.' },
      { name: 'REFUSED', code: -1, summary: 'The user refused.' },
    ].sort((a, b) => b.code - a.code),
  },
};

/** Each request is self-contained, and results may require input. */
const stateless: ProtocolFiles = {
  definitions: {
    ...ENVELOPE,
    ClientCapabilities: object({ ask: object() }),
    ServerCapabilities: object({ items: object({ subscribe: { type: 'boolean' } }) }),
    RequestMeta: object({ progressToken: ref('RequestId'), version: text }, ['version'], open),
    DiscoverRequest: message('discover', object({ _meta: ref('RequestMeta') }, ['_meta'])),
    DiscoverResult: object(
      { resultType: { const: 'complete' }, versions: { type: 'array', items: text }, ttl: { type: 'integer' } },
      ['resultType', 'versions', 'ttl'],
    ),
    ListenRequest: message('listen', object({ _meta: ref('RequestMeta'), filter: ref('Filter') }, ['_meta', 'filter'])),
    ListenResult: object({ resultType: { const: 'complete' } }, ['resultType']),
    Filter: object({ items: { type: 'boolean' } }),
    ReadyNotification: message('ready', object({ filter: ref('Filter') }, ['filter']), false),
    ItemsChangedNotification: message('items/changed', object(), false, false),
    ReadItemRequest: message(
      'items/read',
      object(
        {
          _meta: ref('RequestMeta'),
          name: text,
          answers: { type: 'object', additionalProperties: ref('InputResponse') },
          state: text,
        },
        ['_meta', 'name'],
      ),
    ),
    ReadItemResultResponse: object(
      { jsonrpc: { const: '2.0' }, id: ref('RequestId'), result: union('ReadItemResult', 'InputResult') },
      ['jsonrpc', 'id', 'result'],
    ),
    ReadItemResult: object({ resultType: { const: 'complete' }, item: text, ttl: { type: 'integer' } }, [
      'resultType',
      'item',
      'ttl',
    ]),
    InputResult: object(
      { resultType: { const: 'input' }, requests: { type: 'object', additionalProperties: ref('InputRequest') } },
      ['resultType', 'requests'],
    ),
    InputRequest: union('AskRequest', 'RootsRequest'),
    InputResponse: union('AskResult', 'RootsResult'),
    AskRequest: object({ method: { const: 'ask' }, params: object({ text }, ['text']) }, ['method', 'params']),
    AskResult: object({ action: text }, ['action']),
    RootsRequest: object({ method: { const: 'roots' } }, ['method']),
    RootsResult: object({ roots: { type: 'array', items: text } }, ['roots']),
    ClientRequest: union('DiscoverRequest', 'ListenRequest', 'ReadItemRequest'),
    ClientNotification: union('CancelledNotification'),
    ServerNotification: union('ProgressNotification', 'ReadyNotification', 'ItemsChangedNotification'),
    ServerResult: union('EmptyResult', 'DiscoverResult', 'ListenResult', 'ReadItemResult', 'InputResult'),
  },
  catalog: {
    protocol: 'Golden Items',
    revision: '2026-02-02',
    status: 'draft',
    lifecycle: 'stateless',
    traits: {
      ...TRAITS,
      cancellation: { method: 'cancelled', id: 'requestId' },
      inputRequired: {
        result: 'InputResult',
        member: 'resultType',
        value: 'input',
        complete: 'complete',
        request: 'InputRequest',
        response: 'InputResponse',
      },
      specification: { envelope: 'Golden, Messages' },
      roles: {
        discovery: 'discover',
        subscription: { method: 'listen', filter: 'Filter' },
        handles: ['ready'],
        requestMembers: ['_meta', 'answers', 'state'],
        resultDefaults: { ttl: 0 },
        implementation: 'Implementation',
        logLevel: 'Level',
        contextMethods: ['asking', 'roots'],
        form: 'ask',
      },
    },
    methods: byMethod([
      row('cancelled', 'clientToServer', 'CancelledNotification.params', { message: 'CancelledNotification' }),
      row('progress', 'serverToClient', 'ProgressNotification.params', { message: 'ProgressNotification' }),
      row('discover', 'clientToServer', 'DiscoverRequest.params', {
        message: 'DiscoverRequest',
        result: 'DiscoverResult',
      }),
      row('listen', 'clientToServer', 'ListenRequest.params', {
        message: 'ListenRequest',
        result: 'ListenResult',
        capability: 'server.items.subscribe',
      }),
      row('ready', 'serverToClient', 'ReadyNotification.params', { message: 'ReadyNotification' }),
      row('items/changed', 'serverToClient', 'ItemsChangedNotification.params', {
        message: 'ItemsChangedNotification',
        capability: 'server.items',
      }),
      row('items/read', 'clientToServer', 'ReadItemRequest.params', {
        message: 'ReadItemRequest',
        result: ['ReadItemResult', 'InputResult'],
        capability: 'server.items',
      }),
      row('ask', 'embedded', 'AskRequest.params', {
        message: 'AskRequest',
        result: 'AskResult',
        capability: 'client.ask',
      }),
      row('roots', 'embedded', null, { message: 'RootsRequest', result: 'RootsResult', deprecated: 'Pass paths.' }),
    ]),
    errors: [],
  },
};

/** Plain JSON-RPC between two sides with other names; methods are known from their params only. */
const peers: ProtocolFiles = {
  definitions: {
    RequestId: { type: ['string', 'integer', 'null'] },
    StartParams: { ...object({ version: { type: 'integer' } }, ['version']), 'x-method': 'open', 'x-side': 'agent' },
    StartResult: { ...object({ version: { type: 'integer' } }, ['version']), 'x-method': 'open', 'x-side': 'agent' },
    PromptParams: { ...object({ text }), 'x-method': 'session/prompt', 'x-side': 'agent' },
    PromptResult: {
      ...object({ stop: { enum: ['end', 'limit'] } }, ['stop']),
      'x-method': 'session/prompt',
      'x-side': 'agent',
    },
    UpdateNotification: { ...object({ delta: text }, ['delta']), 'x-method': 'session/update', 'x-side': 'editor' },
    ReadFileParams: { ...object({ path: text }, ['path']), 'x-method': 'fs/read', 'x-side': 'editor' },
    ReadFileResult: { ...object({ content: text }), 'x-method': 'fs/read', 'x-side': 'editor' },
    CancelNotification: { ...object({ id: ref('RequestId') }, ['id']), 'x-method': '$/cancel', 'x-side': 'protocol' },
    ReadyNotification: { ...object({}), 'x-method': 'ready', 'x-side': 'agent' },
    ExtRequest: object({}, [], open),
    ExtResult: object({}, [], open),
    ExtNotification: object({}, [], open),
    AgentRequest: {
      anyOf: [
        { ...ref('StartParams'), description: 'Opens a conversation. And more.' },
        { allOf: [ref('PromptParams')], title: 'Prompt', description: 'Sends a prompt.' },
        { ...ref('ExtRequest'), description: 'Anything else.' },
      ],
    },
    AgentResult: { anyOf: [ref('StartResult'), ref('PromptResult'), ref('ExtResult')] },
    AgentNotification: { anyOf: [ref('ReadyNotification'), ref('ExtNotification')] },
    ErrorCode: {
      anyOf: [
        { title: 'Invalid request', const: -32600, description: '**Invalid request**: The request is not valid.' },
        { title: 'Auth required', const: -32000, description: 'Log in first.\n\nThen again.' },
        { title: 'Other', type: 'integer' },
      ],
    },
  },
  catalog: {
    protocol: 'Golden Agents',
    revision: 'v1',
    traits: {
      sides: { client: 'editor', server: 'agent' },
      envelope: { requestId: 'RequestId' },
      cancellation: { method: '$/cancel', id: 'id', errorCode: -32800 },
      handshake: { request: 'open', ready: 'ready', except: ['session/update'] },
      extensionMethods: { prefix: '_', request: 'ExtRequest', result: 'ExtResult', notification: 'ExtNotification' },
      definitionPrefix: 'Prompt',
    },
    methods: byMethod([
      row('open', 'editorToAgent', 'StartParams', { result: 'StartResult', summary: 'Opens a conversation.' }),
      row('session/prompt', 'editorToAgent', 'PromptParams', { result: 'PromptResult' }),
      row('session/update', 'agentToEditor', 'UpdateNotification'),
      row('fs/read', 'agentToEditor', 'ReadFileParams', { result: 'ReadFileResult', deprecated: 'Read it yourself.' }),
      row('$/cancel', 'both', 'CancelNotification'),
      row('ready', 'editorToAgent', 'ReadyNotification'),
    ]),
    errors: [
      { name: 'AUTH_REQUIRED', code: -32000, summary: 'Log in first.' },
      { name: 'INVALID_REQUEST', code: -32600, summary: 'Not valid.' },
    ],
  },
};

export const PROTOCOLS = { stateful, stateless, peers } as const;

/** A file of JSON. */
export function fileOf(name: string, contents: object): InputFile & { readonly contents: string } {
  return { name, contents: JSON.stringify(contents) };
}

/** A schema of 2020-12. */
export function schemaFile(name: string, definitions: JsonObject): InputFile & { readonly contents: string } {
  return fileOf(name, { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: definitions });
}

/** Loads a protocol, with extensions. */
export function load(
  { definitions, catalog }: ProtocolFiles,
  extend: readonly ExtensionFiles[] = [],
): Promise<Protocol> {
  return loadProtocol({
    schema: schemaFile('schema.json', definitions),
    catalog: fileOf('catalog.json', catalog),
    revision: catalog.revision,
    extend,
  });
}

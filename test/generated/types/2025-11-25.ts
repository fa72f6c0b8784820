/** What must and what must not compile with revision 2025-11-25. The compiler is the test; nothing here is run. */
import {
  callNotificationHandler,
  callRequestHandler,
  classify,
  type errorName,
  hasMethod,
  isClientNotification,
  isClientRequest,
  isRequest,
  isServerNotification,
  isServerRequest,
  lookupMethod,
  type METHOD_INFO,
  METHODS,
  type PROTOCOL_VERSION,
  type AnyMessage,
  type AnyNotification,
  type AnyRequest,
  type AnyResponse,
  type AudioContent,
  type CallToolResult,
  type Classified,
  type ClassifiedMessage,
  type ClientMessage,
  type ClientNotificationMessage,
  type ClientRequestMessage,
  type ContentBlock,
  type CreateTaskResult,
  type EmptyResult,
  type ErrorCode,
  type ErrorName,
  type ErrorResponse,
  type ListToolsResult,
  type MessageOf,
  type Method,
  type NotificationHandlers,
  type NotificationMethod,
  type ParamsOf,
  type RequestHandlers,
  type RequestMap,
  type RequestMethod,
  type Result,
  type ResultMap,
  type ResultOf,
  type ResultResponse,
  type ServerMessage,
  type ServerNotificationMessage,
  type ServerRequestMessage,
  type TaskResultMap,
  type TextContent,
} from '../../../generated/2025-11-25/index.js';
// @ts-expect-error -- this revision has no batches
import type { Batch as _Batch } from '../../../generated/2025-11-25/index.js';
// @ts-expect-error -- this revision has no batches
import type { ClientBatch as _ClientBatch } from '../../../generated/2025-11-25/index.js';
import type { EmbeddedMethod } from '../../../generated/2025-11-25/index.js';
import { handler, same, use, type Declares } from './support.js';

export function constants(): void {
  // This revision embeds no methods in results.
  same<EmbeddedMethod, never>(true);
  same<typeof PROTOCOL_VERSION, '2025-11-25'>(true);
  same<typeof METHODS.TOOLS_CALL, 'tools/call'>(true);
  same<Method, RequestMethod | NotificationMethod>(true);
  same<Method, keyof typeof METHOD_INFO>(true);
  same<(typeof METHOD_INFO)['ping']['direction'], 'both'>(true);
  METHODS.TOOLS_CALL satisfies 'tools/call';
  METHODS.TOOLS_CALL satisfies RequestMethod<'client'>;
  // @ts-expect-error -- clients send it
  METHODS.TOOLS_CALL satisfies RequestMethod<'server'>;
  // @ts-expect-error -- it is a request
  METHODS.TOOLS_CALL satisfies NotificationMethod;
  // @ts-expect-error -- constants are not to be set
  METHODS.TOOLS_CALL = 'tools/call';
  // @ts-expect-error -- a method of a later revision
  use(METHODS.SERVER_DISCOVER);
  same<ReturnType<typeof errorName>, ErrorName | undefined>(true);
  const code: ErrorCode = -32042;
  // @ts-expect-error -- a code of a later revision
  const later: ErrorCode = -32022;
  use(code, later);
}

export function clientMessagesNarrow(m: ClientMessage): void {
  switch (m.method) {
    case 'tools/call':
      same<typeof m.params, ParamsOf<'tools/call'>>(true);
      same<typeof m.params.name, string>(true);
      same<typeof m.id, string | number>(true);
      // @ts-expect-error -- a tool call has no URI
      use(m.params.uri);
      break;
    case METHODS.RESOURCES_READ:
      same<typeof m.params.uri, string>(true);
      // @ts-expect-error -- a read has no name
      use(m.params.name);
      break;
    case 'ping':
      same<typeof m.params, ParamsOf<'ping'>>(true);
      // @ts-expect-error -- they may be absent
      use(m.params._meta);
      break;
    case 'notifications/progress':
      same<typeof m.params.progress, number>(true);
      // @ts-expect-error -- a notification has no id
      use(m.id);
      break;
    // @ts-expect-error -- only servers send it
    case 'sampling/createMessage':
      break;
    // @ts-expect-error -- only servers send it
    case 'notifications/message':
      break;
    case undefined:
      same<typeof m, AnyResponse>(true);
      break;
  }
  // @ts-expect-error -- not before the method is known
  use(m.params);
}

export function serverMessagesNarrow(m: ServerMessage): void {
  switch (m.method) {
    case 'sampling/createMessage':
      same<typeof m.params, ParamsOf<'sampling/createMessage'>>(true);
      same<typeof m.params.maxTokens, number>(true);
      break;
    case 'elicitation/create':
      if (m.params.mode === 'url') same<typeof m.params.url, string>(true);
      else use(m.params.requestedSchema.properties);
      break;
    case 'notifications/message':
      same<typeof m.params.data, unknown>(true);
      break;
    case 'tasks/get':
      same<typeof m.params.taskId, string>(true);
      break;
    // @ts-expect-error -- only clients send it
    case 'tools/call':
      break;
    // @ts-expect-error -- only clients send it
    case 'notifications/initialized':
      break;
    case undefined:
      same<typeof m, AnyResponse>(true);
      break;
  }
}

export function anyMessagesNarrow(m: AnyMessage): void {
  switch (m.method) {
    case 'tools/call':
      same<typeof m.params, ParamsOf<'tools/call'>>(true);
      break;
    case 'sampling/createMessage':
      same<typeof m.params, ParamsOf<'sampling/createMessage'>>(true);
      break;
    case 'notifications/cancelled':
      same<typeof m.params, ParamsOf<'notifications/cancelled'>>(true);
      break;
    // @ts-expect-error -- a method of a later revision
    case 'server/discover':
      break;
    case undefined:
      if (m.error !== undefined) same<typeof m, ErrorResponse>(true);
      else same<typeof m, ResultResponse>(true);
      break;
  }
  same<(typeof m)['method'], Method | undefined>(true);
}

export function everyMessageHasItsParams(): void {
  same<{ [M in Method]: MessageOf<M>['params'] extends ParamsOf<M> ? true : false }[Method], true>(true);
  same<{ [M in Method]: ParamsOf<M> extends MessageOf<M>['params'] ? true : false }[Method], true>(true);
  same<{ [M in RequestMethod]: 'id' extends keyof MessageOf<M> ? true : false }[RequestMethod], true>(true);
  same<{ [M in Method]: MessageOf<M>['jsonrpc'] }[Method], '2.0'>(true);
  same<ClientRequestMessage['method'], RequestMethod<'client'>>(true);
  same<ServerRequestMessage['method'], RequestMethod<'server'>>(true);
  same<ClientNotificationMessage['method'], NotificationMethod<'client'>>(true);
  same<ServerNotificationMessage['method'], NotificationMethod<'server'>>(true);
}

export function everyMethodHasMeta(): void {
  same<{ [M in Method]: Declares<NonNullable<ParamsOf<M>>, '_meta'> }[Method], true>(true);
  same<{ [M in RequestMethod]: Declares<NonNullable<RequestMap[M]['params']>, '_meta'> }[RequestMethod], true>(true);
  // A check that all types pass would say nothing.
  same<Declares<NonNullable<ParamsOf<'tools/call'>>, '_mata'>, false>(true);
}

export function resultsFollowTheMethod(): void {
  same<ResultOf<'tools/list'>['tools'][number]['name'], string>(true);
  same<ResultOf<'tools/list'>, ListToolsResult>(true);
  same<ResultOf<'tools/call'>, CallToolResult>(true);
  same<ResultOf<'ping'>, EmptyResult>(true);
  same<ResultOf<'logging/setLevel'>, EmptyResult>(true);
  same<ResultOf<'resources/subscribe'>, EmptyResult>(true);
  // The task's own request decides what it holds.
  same<ResultOf<'tasks/result'>[string], unknown>(true);
  same<TaskResultMap['tools/call'], CreateTaskResult>(true);
  same<keyof ResultMap, RequestMethod>(true);
  // @ts-expect-error -- a notification has no result
  type Never = ResultOf<'notifications/initialized'>;
  // @ts-expect-error -- a method of a later revision
  type Later = ResultOf<'server/discover'>;
  same<[Never, Later], []>(false);
}

export const serverRequests: RequestHandlers<'server'> = {
  'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
  'tools/call': (params) => {
    same<typeof params, ParamsOf<'tools/call'>>(true);
    return Promise.resolve({ content: [{ type: 'text', text: params.name }] });
  },
  'tasks/get': (params) => ({
    taskId: params.taskId,
    status: 'working',
    createdAt: '',
    lastUpdatedAt: '',
    ttl: null,
  }),
  ping: () => ({}),
};
export const clientRequests: RequestHandlers<'client'> = {
  'roots/list': () => ({ roots: [{ uri: 'file:///a' }] }),
  'sampling/createMessage': () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '' } }),
  ping: () => ({}),
};
export const serverNotifications: NotificationHandlers<'server'> = {
  'notifications/initialized': () => undefined,
  'notifications/cancelled': (params) => {
    same<typeof params, ParamsOf<'notifications/cancelled'>>(true);
    use(params);
  },
};
export const clientNotifications: NotificationHandlers<'client'> = {
  'notifications/message': async (params) => {
    use(await Promise.resolve(params.level));
  },
};

interface SessionContext {
  readonly session: string;
}

export const withContext: RequestHandlers<'server', SessionContext> = {
  'tools/call': (params, context) => {
    same<typeof params, ParamsOf<'tools/call'>>(true);
    same<typeof context, SessionContext>(true);
    return { content: [{ type: 'text', text: `${params.name} ${context.session}` }] };
  },
};
export const wrongContext: RequestHandlers<'server', SessionContext> = {
  'tools/list': (_, context) => {
    // @ts-expect-error -- the context has no such member
    use(context.tools);
    return { tools: [] };
  },
};

export async function callsHandlers(
  anyRequest: ClientRequestMessage,
  toolCall: MessageOf<'tools/call'>,
  cancelled: MessageOf<'notifications/cancelled'>,
  serverNotification: ServerNotificationMessage,
): Promise<void> {
  const call = callRequestHandler(withContext, toolCall, { session: 'a' });
  if (call.found) same<Awaited<typeof call.result>, CallToolResult | CreateTaskResult>(true);
  // @ts-expect-error -- there may be no handler
  use(call.result);
  const other = callRequestHandler(withContext, anyRequest, { session: 'a' });
  if (other.found) same<ListToolsResult extends Awaited<typeof other.result> ? true : false, true>(true);
  // @ts-expect-error -- the context of another table
  callRequestHandler(withContext, toolCall, { user: 'a' });
  // @ts-expect-error -- a server is never sent it
  callNotificationHandler(serverNotifications, {} as MessageOf<'notifications/message'>, undefined);
  // @ts-expect-error -- it is a notification
  callRequestHandler(withContext, cancelled, { session: 'a' });
  const notified = callNotificationHandler(serverNotifications, cancelled, undefined);
  if (notified.found) same<typeof notified.result, ReturnType<() => void | Promise<void>>>(true);
  use(callNotificationHandler(clientNotifications, serverNotification, undefined));
  const roots = callRequestHandler(clientRequests, {} as MessageOf<'roots/list'>, undefined);
  if (roots.found) same<Awaited<typeof roots.result>, ResultOf<'roots/list'>>(true);
  // @ts-expect-error -- a client is never sent it
  callRequestHandler(clientRequests, toolCall, undefined);
  use(await (call.found ? call.result : undefined));
}

// @ts-expect-error -- a server is never sent it
export const wrong1: RequestHandlers<'server'> = { 'sampling/createMessage': handler };
// @ts-expect-error -- a client is never sent it
export const wrong2: RequestHandlers<'client'> = { 'tools/call': handler };
// @ts-expect-error -- it is a notification
export const wrong3: RequestHandlers<'server'> = { 'notifications/initialized': handler };
// @ts-expect-error -- a method of a later revision
export const wrong4: RequestHandlers<'server'> = { 'server/discover': handler };
// @ts-expect-error -- no method at all
export const wrong5: RequestHandlers<'server'> = { 'tools/cal': handler };
// @ts-expect-error -- only servers send it
export const wrong6: NotificationHandlers<'server'> = { 'notifications/message': handler };
// @ts-expect-error -- only clients send it
export const wrong7: NotificationHandlers<'client'> = { 'notifications/initialized': handler };
// @ts-expect-error -- it is a request
export const wrong8: NotificationHandlers<'client'> = { ping: handler };
// @ts-expect-error -- the result of another method
export const wrong9: RequestHandlers<'server'> = { 'tools/list': () => ({ prompts: [] }) };
// @ts-expect-error -- a result that lacks what it must have
export const wrong10: RequestHandlers<'server'> = { 'tools/call': () => Promise.resolve({}) };

export function contentNarrows(block: ContentBlock, result: CallToolResult): void {
  switch (block.type) {
    case 'text':
      same<typeof block, TextContent>(true);
      same<typeof block.text, string>(true);
      // @ts-expect-error -- a text has no data
      use(block.data);
      break;
    case 'audio':
      same<typeof block, AudioContent>(true);
      break;
    case 'resource':
      if ('blob' in block.resource) same<typeof block.resource.blob, string>(true);
      else same<typeof block.resource.text, string>(true);
      break;
    case 'resource_link':
      same<typeof block.uri, string>(true);
      break;
    // @ts-expect-error -- no such content
    case 'video':
      break;
  }
  // @ts-expect-error -- not before the type is known
  use(block.text);
  if (result.content[0]?.type === 'text') {
    const { text } = result.content[0];
    same<typeof text, string>(true);
    use(text);
  }
}

export function guardsNarrow(value: unknown, m: ClassifiedMessage): void {
  const found = classify(value, { strict: true });
  switch (found.kind) {
    case 'request':
      same<typeof found.message, AnyRequest>(true);
      same<ReturnType<typeof lookupMethod>, 'known' | 'unknown' | 'wrongDirection' | 'wrongKind'>(true);
      lookupMethod(found.message, 'client');
      // @ts-expect-error -- no side
      lookupMethod(found.message, 'proxy');
      break;
    case 'notification':
      same<typeof found.message, AnyNotification>(true);
      break;
    case 'result':
      same<typeof found.message, ResultResponse>(true);
      break;
    case 'error':
      same<typeof found.message, ErrorResponse>(true);
      break;
    case 'invalid':
      // @ts-expect-error -- there is no message
      use(found.message);
      break;
    // @ts-expect-error -- this revision has no batches
    case 'batch':
      break;
  }
  same<Classified['kind'], 'request' | 'notification' | 'result' | 'error' | 'invalid'>(true);

  if (isRequest(value)) same<typeof value, AnyRequest>(true);
  if (hasMethod(m, METHODS.TOOLS_CALL)) {
    same<typeof m.params, ParamsOf<'tools/call'>>(true);
    same<typeof m.id, string | number>(true);
  }
  if (hasMethod(m, 'notifications/progress')) same<typeof m.params.progress, number>(true);
  if (isClientRequest(m)) same<typeof m.method, RequestMethod<'client'>>(true);
  if (isServerRequest(m)) same<typeof m.method, RequestMethod<'server'>>(true);
  if (isClientNotification(m)) same<typeof m.method, NotificationMethod<'client'>>(true);
  if (isServerNotification(m)) same<typeof m.method, NotificationMethod<'server'>>(true);
  if (isServerRequest(m) && m.method === 'roots/list') same<typeof m.params, ParamsOf<'roots/list'>>(true);
  // @ts-expect-error -- a method of a later revision
  hasMethod(m, 'server/discover');
  // @ts-expect-error -- what is not classified yet has to be first
  hasMethod(value, METHODS.TOOLS_CALL);
  // @ts-expect-error -- what is not classified yet has to be first
  isClientRequest(value);
}

export function resultsAreCheckedAndKnown(tools: ListToolsResult): void {
  same<ResultMap[RequestMethod] extends Result ? true : false, true>(true);
  const known: Result = tools;
  const response: ResultResponse<ListToolsResult> = { jsonrpc: '2.0', id: 1, result: tools };
  const any: AnyResponse = response;
  const message: ServerMessage = response;
  const open: EmptyResult = { ok: true };
  // @ts-expect-error -- a typo in what it must have
  const typo1: ListToolsResult = { tolls: [] };
  // @ts-expect-error -- a typo in what it may have
  const typo2: ListToolsResult = { tools: [], nextCursr: 'a' };
  // @ts-expect-error -- a typo in what it may have
  const typo3: CallToolResult = { content: [], isErorr: true };
  // @ts-expect-error -- a typo inside
  const typo4: ListToolsResult = { tools: [{ name: 'a', inputShema: { type: 'object' } }] };
  // @ts-expect-error -- a typo in the literal
  const typo5: CallToolResult = { content: [{ type: 'txt', text: '' }] };
  use(known, response, any, message, open, typo1, typo2, typo3, typo4, typo5);
}

export function messagesAreComplete(): void {
  const call: ClientMessage = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } };
  const late: ServerMessage = { jsonrpc: '2.0', id: null, error: { code: -32700, message: '' } };
  // @ts-expect-error -- the id is missing
  const noId: ClientMessage = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'a' } };
  // @ts-expect-error -- the version is missing
  const noVersion: ClientMessage = { id: 1, method: 'tools/call', params: { name: 'a' } };
  // @ts-expect-error -- the params are missing
  const noParams: ClientMessage = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  // @ts-expect-error -- no request may have a null id
  const nullId: ClientMessage = { jsonrpc: '2.0', id: null, method: 'ping' };
  // @ts-expect-error -- a response has a result or an error
  const both: AnyResponse = { jsonrpc: '2.0', id: 1, result: {}, error: { code: 1, message: '' } };
  use(call, late, noId, noVersion, noParams, nullId, both);
}

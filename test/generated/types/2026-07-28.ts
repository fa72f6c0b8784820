/* eslint-disable @typescript-eslint/no-deprecated -- what the revision deprecates is there still, and is tested */
/** What must and what must not compile with revision 2026-07-28. The compiler is the test; nothing here is run. */
import {
  callNotificationHandler,
  callRequestHandler,
  classify,
  EMBEDDED_METHODS,
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
  PROTOCOL_VERSION,
  requiresInput,
  type AnyMessage,
  type AnyNotification,
  type AnyRequest,
  type AnyResponse,
  type AudioContent,
  type CallToolResult,
  type CancelledNotification,
  type Classified,
  type ClassifiedMessage,
  type ClientMessage,
  type ClientNotification,
  type ClientNotificationMessage,
  type ClientRequestMessage,
  type ContentBlock,
  type CreateMessageRequest,
  type ElicitRequest,
  type ElicitResult,
  type EmbeddedMethod,
  type EmbeddedRequestMap,
  type EmbeddedResultMap,
  type EmptyResult,
  type ErrorCode,
  type ErrorName,
  type ErrorResponse,
  type InputRequest,
  type InputRequiredResult,
  type ListRootsRequest,
  type ListToolsResult,
  type MessageOf,
  type Method,
  type NotificationHandlers,
  type NotificationMethod,
  type ParamsOf,
  type RequestHandlers,
  type RequestMap,
  type RequestMetaObject,
  type RequestMethod,
  type Result,
  type ResultMap,
  type ResultOf,
  type ResultResponse,
  type ServerMessage,
  type ServerNotificationMessage,
  type ServerRequestMessage,
  type TextContent,
} from '../../../generated/2026-07-28/index.js';
// @ts-expect-error -- this revision has no batches
import type { Batch as _Batch } from '../../../generated/2026-07-28/index.js';
// @ts-expect-error -- this revision has no batches
import type { ServerBatch as _ServerBatch } from '../../../generated/2026-07-28/index.js';
import type { TaskResultMap } from '../../../generated/2026-07-28/index.js';
import { handler, same, use, type Declares, type KeysOf, type Requires } from './support.js';

export function constants(): void {
  // This revision has no tasks.
  same<keyof TaskResultMap, never>(true);
  same<typeof PROTOCOL_VERSION, '2026-07-28'>(true);
  same<typeof METHODS.TOOLS_CALL, 'tools/call'>(true);
  same<Method, RequestMethod | NotificationMethod>(true);
  same<Method, keyof typeof METHOD_INFO>(true);
  same<(typeof METHOD_INFO)['notifications/cancelled']['direction'], 'both'>(true);
  METHODS.TOOLS_CALL satisfies RequestMethod<'client'>;
  // @ts-expect-error -- clients send it
  METHODS.TOOLS_CALL satisfies RequestMethod<'server'>;
  // @ts-expect-error -- it is a request
  METHODS.TOOLS_CALL satisfies NotificationMethod;
  // @ts-expect-error -- constants are not to be set
  METHODS.TOOLS_CALL = 'tools/call';
  // @ts-expect-error -- a method of earlier revisions
  use(METHODS.INITIALIZE);
  // @ts-expect-error -- it travels only inside results
  use(METHODS.ROOTS_LIST);
  same<ReturnType<typeof errorName>, ErrorName | undefined>(true);
  const code: ErrorCode = -32022;
  // @ts-expect-error -- a code of drafts
  const draft: ErrorCode = -32004;
  // @ts-expect-error -- a code of earlier revisions
  const earlier: ErrorCode = -32002;
  use(code, draft, earlier);
}

export function embeddedMethodsAreNoMessages(): void {
  same<typeof EMBEDDED_METHODS.ROOTS_LIST, 'roots/list'>(true);
  same<EmbeddedMethod, 'elicitation/create' | 'roots/list' | 'sampling/createMessage'>(true);
  same<EmbeddedMethod & Method, never>(true);
  same<keyof EmbeddedRequestMap, EmbeddedMethod>(true);
  same<keyof EmbeddedResultMap, EmbeddedMethod>(true);
  same<EmbeddedRequestMap[EmbeddedMethod], CreateMessageRequest | ElicitRequest | ListRootsRequest>(true);
  same<EmbeddedResultMap['elicitation/create'], ElicitResult>(true);
  const asked: InputRequest = { method: EMBEDDED_METHODS.ROOTS_LIST };
  // @ts-expect-error -- it is only embedded, not a message
  const sent: AnyMessage = { jsonrpc: '2.0', id: 1, method: 'roots/list' };
  // @ts-expect-error -- it has no params by method, being no method on the wire
  type Params = ParamsOf<'roots/list'>;
  // @ts-expect-error -- nor a result
  type Answer = ResultOf<'roots/list'>;
  // @ts-expect-error -- nor a message
  type Message = MessageOf<'roots/list'>;
  same<[Params, Answer, Message], []>(false);
  use(asked, sent);
}

export function serversSendNoRequests(m: ServerMessage): void {
  same<ServerRequestMessage, never>(true);
  same<RequestMethod<'server'>, never>(true);
  same<RequestMethod, RequestMethod<'client'>>(true);
  const none: RequestHandlers<'client'> = {};
  same<Extract<ServerMessage, { method: RequestMethod }>, never>(true);
  same<Extract<ClientMessage, { result: unknown }>, never>(true);
  // @ts-expect-error -- no message of a server has a method and an id
  if (m.method !== undefined) use(m.id);
  use(none);
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
    case METHODS.SERVER_DISCOVER:
      same<typeof m.params._meta, RequestMetaObject>(true);
      break;
    case 'notifications/cancelled':
      same<typeof m, CancelledNotification>(true);
      // @ts-expect-error -- a notification has no id
      use(m.id);
      break;
    // @ts-expect-error -- only servers send it
    case 'notifications/progress':
      break;
    // @ts-expect-error -- it travels only inside results
    case 'sampling/createMessage':
      break;
  }
  // Every message of a client has params, so these need no narrowing.
  use(m.params._meta);
}

export function serverMessagesNarrow(m: ServerMessage): void {
  switch (m.method) {
    case 'notifications/subscriptions/acknowledged':
      same<typeof m.params, ParamsOf<'notifications/subscriptions/acknowledged'>>(true);
      break;
    case 'notifications/progress':
      same<typeof m.params.progress, number>(true);
      break;
    // @ts-expect-error -- only clients send it
    case 'tools/call':
      break;
    // @ts-expect-error -- it travels only inside results
    case 'elicitation/create':
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
    case 'notifications/message':
      same<typeof m.params, ParamsOf<'notifications/message'>>(true);
      break;
    case 'notifications/cancelled':
      same<typeof m.params, ParamsOf<'notifications/cancelled'>>(true);
      break;
    // @ts-expect-error -- a method of earlier revisions
    case 'initialize':
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
  same<ClientNotificationMessage['method'], NotificationMethod<'client'>>(true);
  same<ServerNotificationMessage['method'], NotificationMethod<'server'>>(true);
  same<ClientNotification, CancelledNotification>(true);
}

export function everyMethodHasMeta(): void {
  same<{ [M in Method]: Declares<NonNullable<ParamsOf<M>>, '_meta'> }[Method], true>(true);
  same<{ [M in RequestMethod]: Declares<RequestMap[M]['params'], '_meta'> }[RequestMethod], true>(true);
  // A check that all types pass would say nothing.
  same<Declares<ParamsOf<'tools/call'>, '_mata'>, false>(true);
}

export function everyRequestRequiresParamsAndMeta(): void {
  same<{ [M in RequestMethod]: Requires<MessageOf<M>, 'params', object> }[RequestMethod], true>(true);
  same<{ [M in RequestMethod]: Requires<ParamsOf<M>, '_meta', RequestMetaObject> }[RequestMethod], true>(true);
  same<Requires<ParamsOf<'notifications/progress'>, '_meta', object>, false>(true);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  } satisfies RequestMetaObject;
  const call: ClientMessage = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', _meta: meta } };
  const vendor: RequestMetaObject = { ...meta, traceparent: '00-ab' };
  // @ts-expect-error -- params are missing
  const noParams: ClientMessage = { jsonrpc: '2.0', id: 1, method: 'server/discover' };
  // @ts-expect-error -- their metadata is missing
  const noMeta: ClientMessage = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } };
  // @ts-expect-error -- the capabilities are missing
  const noCapabilities: RequestMetaObject = { 'io.modelcontextprotocol/protocolVersion': PROTOCOL_VERSION };
  // @ts-expect-error -- the version is missing
  const noVersion: RequestMetaObject = { 'io.modelcontextprotocol/clientCapabilities': {} };
  use(call, vendor, noParams, noMeta, noCapabilities, noVersion);
}

export function resultsFollowTheMethod(): void {
  same<ResultOf<'tools/list'>['tools'][number]['name'], string>(true);
  same<ResultOf<'tools/list'>, ListToolsResult>(true);
  same<ResultOf<'tools/call'>, CallToolResult | InputRequiredResult>(true);
  type Asking = { [M in RequestMethod]: InputRequiredResult extends ResultOf<M> ? M : never }[RequestMethod];
  same<Asking, 'tools/call' | 'prompts/get' | 'resources/read'>(true);
  same<keyof ResultMap, RequestMethod>(true);
  // @ts-expect-error -- a notification has no result
  type Never = ResultOf<'notifications/cancelled'>;
  // @ts-expect-error -- a method of earlier revisions
  type Earlier = ResultOf<'ping'>;
  same<[Never, Earlier], []>(false);
}

export function resultsThatAskForInput(result: ResultOf<'tools/call'>): void {
  // @ts-expect-error -- not before it is known that the result is complete
  use(result.content);
  if (requiresInput(result)) {
    same<typeof result, InputRequiredResult>(true);
    for (const asked of Object.values(result.inputRequests ?? {})) {
      if (asked.method === 'sampling/createMessage') same<typeof asked, CreateMessageRequest>(true);
    }
  } else {
    same<typeof result, CallToolResult>(true);
    use(result.content);
  }
}

export const serverRequests: RequestHandlers<'server'> = {
  'tools/list': () => ({ resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [] }),
  'tools/call': (params) => {
    same<typeof params, ParamsOf<'tools/call'>>(true);
    if (params.inputResponses === undefined) {
      return { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } };
    }
    return Promise.resolve({ resultType: 'complete', content: [{ type: 'text', text: params.name }] });
  },
};
export const serverNotifications: NotificationHandlers<'server'> = {
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
    return { resultType: 'complete', content: [{ type: 'text', text: `${params.name} ${context.session}` }] };
  },
};
export const wrongContext: RequestHandlers<'server', SessionContext> = {
  'tools/list': (_, context) => {
    // @ts-expect-error -- the context has no such member
    use(context.tools);
    return { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [] };
  },
};

export async function callsHandlers(
  anyRequest: ClientRequestMessage,
  toolCall: MessageOf<'tools/call'>,
  cancelled: MessageOf<'notifications/cancelled'>,
  serverNotification: ServerNotificationMessage,
): Promise<void> {
  const call = callRequestHandler(withContext, toolCall, { session: 'a' });
  if (call.found) same<Awaited<typeof call.result>, ResultOf<'tools/call'>>(true);
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
  use(await (call.found ? call.result : undefined));
}

// @ts-expect-error -- it travels only inside results
export const wrong1: RequestHandlers<'server'> = { 'sampling/createMessage': handler };
// @ts-expect-error -- it travels only inside results
export const wrong2: RequestHandlers<'client'> = { 'sampling/createMessage': handler };
// @ts-expect-error -- it travels only inside results
export const wrong3: RequestHandlers<'client'> = { 'roots/list': handler };
// @ts-expect-error -- a client is never sent it
export const wrong4: RequestHandlers<'client'> = { 'tools/call': handler };
// @ts-expect-error -- a method of earlier revisions
export const wrong5: RequestHandlers<'server'> = { initialize: handler };
// @ts-expect-error -- a method of earlier revisions
export const wrong6: NotificationHandlers<'server'> = { 'notifications/initialized': handler };
// @ts-expect-error -- it is a notification
export const wrong7: RequestHandlers<'server'> = { 'notifications/cancelled': handler };
// @ts-expect-error -- only servers send it
export const wrong8: NotificationHandlers<'server'> = { 'notifications/progress': handler };
// @ts-expect-error -- it is a request
export const wrong9: NotificationHandlers<'client'> = { 'tools/list': handler };
// @ts-expect-error -- a result of another method
export const wrong10: RequestHandlers<'server'> = { 'server/discover': () => ({ resultType: 'complete', tools: [] }) };
// @ts-expect-error -- this method cannot ask for input
export const wrong11: RequestHandlers<'server'> = { 'tools/list': () => ({ resultType: 'input_required' }) };

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
  if (isServerRequest(m)) same<typeof m, never>(true);
  if (isClientNotification(m)) same<typeof m.method, NotificationMethod<'client'>>(true);
  if (isServerNotification(m)) same<typeof m.method, NotificationMethod<'server'>>(true);
  // @ts-expect-error -- it travels only inside results
  hasMethod(m, EMBEDDED_METHODS.ROOTS_LIST);
  // @ts-expect-error -- a method of earlier revisions
  hasMethod(m, 'initialize');
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
  const open: EmptyResult = { resultType: 'complete', ok: true };
  // @ts-expect-error -- every result says what it is
  const noType: CallToolResult = { content: [] };
  // @ts-expect-error -- a typo in what it must have
  const typo1: CallToolResult = { resultType: 'complete', contnet: [] };
  // @ts-expect-error -- a typo in what it may have
  const typo2: CallToolResult = { resultType: 'complete', content: [], isErorr: true };
  // @ts-expect-error -- a typo in what it may have
  const typo3: ListToolsResult = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools: [], nextCursr: 'a' };
  // @ts-expect-error -- a typo inside
  const typo4: ElicitResult = { action: 'accept', contents: { a: 1.5 } };
  // @ts-expect-error -- a typo in the literal
  const typo5: CallToolResult = { resultType: 'complete', content: [{ type: 'txt', text: '' }] };
  use(known, response, any, message, open, noType, typo1, typo2, typo3, typo4, typo5);
}

export function messagesAreComplete(): void {
  const cancel: ClientMessage = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const late: ServerMessage = { jsonrpc: '2.0', id: null, error: { code: -32700, message: '' } };
  // @ts-expect-error -- the version is missing
  const noVersion: ClientMessage = { method: 'notifications/cancelled', params: { requestId: 1 } };
  // @ts-expect-error -- a response has a result or an error
  const both: AnyResponse = {
    jsonrpc: '2.0',
    id: 1,
    result: { resultType: 'complete' },
    error: { code: 1, message: '' },
  };
  use(cancel, late, noVersion, both);
  same<'taskId' extends KeysOf<ParamsOf<Method>> ? true : false, false>(true);
}

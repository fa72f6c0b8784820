import { describe, expect, test } from 'vitest';
import { RULES, ruleOf, type RuleId } from '../../generator/inspect/rules.js';
import type { Entry } from '../../generator/recording/entry.js';
import {
  ACCEPT,
  bare,
  c,
  CACHED,
  complete,
  end,
  error,
  event,
  get,
  handshake,
  handshakeOverHttp,
  inspect,
  notification,
  post,
  posted,
  request,
  response,
  result,
  s,
  sent,
  sessionHeaders,
  stateless,
  STATELESS,
  statelessHeaders,
  STREAM_TYPE,
} from './support.js';

/** A conversation that breaks a rule in its last entry but `after`, and one that does not. */
interface Plant {
  readonly rule: RuleId;
  readonly what?: string;
  readonly broken: readonly Entry[];
  readonly clean: readonly Entry[];
  /** The pointer of the finding. */
  readonly pointer?: string;
  /** Other rules that the same fault breaks. */
  readonly also?: readonly RuleId[];
}

const V = '2025-11-25';
const OPEN = handshake(V);
const image = (data: string): object => ({ content: [{ type: 'image', data, mimeType: 'image/png' }] });
const call = (id: unknown, name = 'add', args: object = {}): object =>
  request(id, 'tools/call', { name, arguments: args });
const text = { content: [{ type: 'text', text: '{"sum":1}' }] };
const tool = (members: object = {}): object => ({ name: 'add', inputSchema: { type: 'object' }, ...members });
const listed = (...tools: readonly object[]): readonly Entry[] => [
  ...OPEN,
  c(request(1, 'tools/list')),
  s(result(1, { tools })),
];
const statelessList = (...tools: readonly object[]): readonly Entry[] => [
  c(request(1, 'tools/list', stateless())),
  s(complete(1, { tools, ...CACHED })),
];
const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
const withToken = (id: unknown, token: unknown): object =>
  request(id, 'tools/call', { name: 'add', _meta: { progressToken: token } });
const progress = (token: unknown, value: number): object =>
  notification('notifications/progress', { progressToken: token, progress: value });
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const listen = (filter: object): Entry => c(request(1, 'subscriptions/listen', stateless({ notifications: filter })));
const ofSubscription = (id: unknown): object => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
const acknowledged = s(
  notification('notifications/subscriptions/acknowledged', { ...ofSubscription(1), notifications: {} }),
);
const changed = (method: string, id: unknown = 1, more: object = {}): Entry =>
  s(notification(method, { ...ofSubscription(id), ...more }));
const asks = (members: object): Entry => s(result(1, { resultType: 'input_required', ...members }));
const statelessCall = (id: unknown, more: object = {}, capabilities: object = {}): Entry =>
  c(request(id, 'tools/call', stateless({ name: 'add', ...more }, {}, capabilities)));
const sample = (messages: readonly object[], more: object = {}): Entry =>
  s(request(1, 'sampling/createMessage', { maxTokens: 1, messages, ...more }));
const toolUse = { role: 'assistant', content: [{ type: 'tool_use', id: 'u', name: 'add', input: {} }] };
const toolResult = (id: string): object => ({
  role: 'user',
  content: [{ type: 'tool_result', toolUseId: id, content: [] }],
});
const withSampling = handshake(V, { client: { sampling: { tools: {} } } });
const httpOpen = handshakeOverHttp(V);
const inSession = sessionHeaders(V);
const statelessPost = (headers: Readonly<Record<string, string>>): readonly Entry[] =>
  posted(1, request(1, 'tools/call', stateless({ name: 'add' })), complete(1, text), headers);
const failing = (status: number, code: number): readonly Entry[] => [
  sent('client', request(1, 'tools/list', stateless()), { http: post(1, statelessHeaders('tools/list')) }),
  sent('server', error(1, code, { supported: [], requested: '' }), { http: response(1, status) }),
];
const streamed = (...entries: readonly Entry[]): readonly Entry[] => [
  ...httpOpen,
  sent('client', call(1), { http: post(3, inSession) }),
  bare('server', response(3, 200, STREAM_TYPE)),
  ...entries,
];

const PLANTS: readonly Plant[] = [
  {
    rule: 'not-json',
    broken: [...OPEN, { from: 'server', content: { kind: 'text', text: 'Server started' } }],
    clean: OPEN,
  },
  {
    rule: 'not-utf8',
    broken: [...OPEN, { from: 'server', content: { kind: 'bytes', base64: '/w==' } }],
    clean: OPEN,
  },
  { rule: 'invalid-message', broken: [...OPEN, s({ jsonrpc: '2.0' })], clean: OPEN },
  {
    rule: 'invalid-message',
    what: 'positional params',
    broken: [...OPEN, c({ ...request(1, 'ping'), params: [1] })],
    clean: [...OPEN, c(request(1, 'ping', {}))],
    pointer: '/params',
  },
  {
    rule: 'jsonrpc-version',
    broken: [...OPEN, c(request(1, 'ping')), s({ id: 1, result: {} })],
    clean: [...OPEN, c(request(1, 'ping')), s(result(1))],
    pointer: '/jsonrpc',
  },
  {
    rule: 'result-with-error',
    broken: [...OPEN, c(request(1, 'ping')), s({ ...result(1), error: null })],
    clean: [...OPEN, c(request(1, 'ping')), s(result(1))],
    pointer: '/error',
  },
  {
    rule: 'invalid-id',
    broken: [...OPEN, c(request(null, 'ping'))],
    clean: [...OPEN, c(request('x', 'ping'))],
    pointer: '/id',
  },
  {
    rule: 'unsafe-id',
    broken: [...OPEN, c(request(2 ** 60, 'ping'))],
    clean: [...OPEN, c(request(2 ** 53 - 1, 'ping'))],
    pointer: '/id',
  },
  {
    rule: 'invalid-error',
    broken: [...OPEN, c(request(1, 'ping')), s({ jsonrpc: '2.0', id: 1, error: { code: 'x', message: 'no' } })],
    clean: [...OPEN, c(request(1, 'ping')), s(error(1, -32603))],
    pointer: '/error',
  },
  {
    rule: 'duplicate-id',
    broken: [...OPEN, c(request(1, 'ping')), c(request(1, 'ping'))],
    clean: [...OPEN, c(request(1, 'ping')), c(request('1', 'ping'))],
    pointer: '/id',
  },
  {
    rule: 'reused-id',
    broken: [...OPEN, c(request(1, 'ping')), s(result(1)), c(request(1, 'ping'))],
    clean: [...OPEN, c(request(1, 'ping')), s(result(1)), s(request(1, 'ping'))],
    pointer: '/id',
  },
  {
    rule: 'reused-id',
    what: 'not in a stateless revision',
    broken: [...OPEN, c(request(0, 'ping'))],
    clean: [c(request(1, 'tools/list', stateless())), s(complete(1, { tools: [tool()], ...CACHED })), statelessCall(1)],
  },
  {
    rule: 'batch-not-supported',
    broken: [...OPEN, c([request(1, 'ping')])],
    clean: [...handshake('2025-03-26'), c([request(1, 'ping')])],
  },
  {
    rule: 'invalid-batch',
    broken: [...handshake('2025-03-26'), c([])],
    clean: [...handshake('2025-03-26'), c([notification('notifications/roots/list_changed')])],
  },
  {
    rule: 'invalid-batch',
    what: 'a mixed one',
    broken: [...handshake('2025-03-26'), s(request(1, 'ping')), c([request(1, 'ping'), result(1)])],
    clean: [...handshake('2025-03-26'), s(request(1, 'ping')), c([result(1)])],
  },
  {
    rule: 'unknown-response',
    broken: [...OPEN, c(request(1, 'ping')), s(result('1'))],
    clean: [...OPEN, c(request(1, 'ping')), s(result(1))],
    pointer: '/id',
  },
  {
    rule: 'duplicate-response',
    broken: [...OPEN, c(request(1, 'ping')), s(result(1)), s(result(1))],
    clean: [...OPEN, c(request(1, 'ping')), s(result(1))],
    pointer: '/id',
  },
  {
    rule: 'response-to-notification',
    broken: [...OPEN, s(error(null, -32601))],
    clean: [...OPEN, { from: 'client', content: { kind: 'text', text: '{' } }, s(error(null, -32700))],
    also: ['not-json'],
  },
  {
    rule: 'response-without-id',
    broken: [...OPEN, c(request(1, 'ping')), s({ jsonrpc: '2.0', error: { code: 1, message: 'no' } })],
    clean: [...OPEN, c(request(1, 'ping')), s(error(1, 1))],
  },
  {
    rule: 'response-without-id',
    what: 'not for a refused batch',
    broken: [...OPEN, c(request(1, 'ping')), s(error(null, -32600))],
    clean: [...OPEN, c([request(1, 'ping')]), s(error(null, -32600))],
    also: ['batch-not-supported'],
  },
  {
    rule: 'unknown-response',
    what: 'not for the id of an invalid request',
    broken: [...OPEN, s(error(7, -32600))],
    clean: [...OPEN, c({ jsonrpc: '2.0', id: 7, method: 5 }), s(error(7, -32600))],
    also: ['invalid-message'],
  },
  {
    rule: 'duplicate-response',
    what: 'not on a resumed stream',
    broken: [...onStream({ ...inSession, 'last-event-id': '1' }), sent('server', result(1, text), { http: event(3) })],
    clean: [
      ...onStream({ ...inSession, 'last-event-id': '1' }),
      bare('client', get(5, { ...inSession, 'last-event-id': '1' })),
      bare('server', response(5, 200, STREAM_TYPE)),
      sent('server', result(1, text), { http: event(5) }),
    ],
  },
  {
    rule: 'http-response-on-get',
    what: 'not in the body of an error',
    broken: onStream(inSession),
    clean: [
      ...httpOpen,
      bare('client', get(4, inSession)),
      sent('server', error(null, -32000), { http: response(4, 405) }),
    ],
  },
  {
    rule: 'wrong-error-code',
    broken: [...OPEN, c(request(1, 'no/such')), s(error(1, -32600))],
    clean: [...OPEN, c(request(1, 'no/such')), s(error(1, -32601))],
    pointer: '/error/code',
    also: ['unknown-method'],
  },
  {
    rule: 'reserved-error-code',
    broken: [statelessCall(1), s(error(1, -32050))],
    clean: [statelessCall(1), s(error(1, -31050))],
    pointer: '/error/code',
  },
  {
    rule: 'initialize-not-first',
    broken: [c(request(1, 'initialize', { protocolVersion: V })), s(error(1, -32602)), c(request(2, 'tools/list'))],
    clean: [c(request(1, 'initialize', { protocolVersion: V })), s(error(1, -32602)), c(request(2, 'ping'))],
    pointer: '/method',
    also: ['invalid-params'],
  },
  {
    rule: 'early-request',
    broken: [...OPEN.slice(0, 1), c(request(1, 'tools/list'))],
    clean: [...OPEN.slice(0, 1), c(request(1, 'ping'))],
  },
  {
    rule: 'early-initialized',
    broken: [...OPEN.slice(0, 1), c(notification('notifications/initialized'))],
    clean: OPEN,
  },
  {
    rule: 'missing-initialized',
    broken: [...OPEN.slice(0, 2), c(request(1, 'tools/list'))],
    clean: [...OPEN, c(request(1, 'tools/list'))],
  },
  {
    rule: 'early-server-request',
    broken: [...OPEN.slice(0, 2), s(request(1, 'roots/list'))],
    clean: [...OPEN, s(request(1, 'roots/list'))],
  },
  {
    rule: 'repeated-initialize',
    broken: [...OPEN, ...OPEN.slice(0, 1).map(() => c(request(1, 'initialize', frameParams(OPEN[0]))))],
    clean: OPEN,
  },
  {
    rule: 'initialize-in-batch',
    broken: [c([request(1, 'initialize', frameParams(handshake('2025-03-26')[0]))])],
    clean: [c(request(1, 'initialize', frameParams(handshake('2025-03-26')[0])))],
  },
  {
    rule: 'unknown-version',
    broken: [...OPEN.slice(0, 1), s(result(0, { ...frameResult(OPEN[1]), protocolVersion: '2099-01-01' }))],
    clean: OPEN,
    pointer: '/result/protocolVersion',
  },
  {
    rule: 'capability-not-declared',
    broken: [...handshake(V, { server: { tools: {} } }), c(request(1, 'prompts/list'))],
    clean: [...handshake(V, { server: { prompts: {} } }), c(request(1, 'prompts/list'))],
    pointer: '/method',
  },
  {
    rule: 'capability-not-declared',
    what: 'of a client',
    broken: [...handshake(V, { client: {} }), s(request(1, 'roots/list'))],
    clean: [...handshake(V, { client: { roots: {} } }), s(request(1, 'roots/list'))],
    pointer: '/method',
  },
  {
    rule: 'capability-not-declared',
    what: 'tools in sampling',
    broken: [...OPEN, sample([], { tools: [] })],
    clean: [...withSampling, sample([], { tools: [] })],
    pointer: '/params/tools',
  },
  {
    rule: 'capability-not-declared',
    what: 'a mode of elicitation',
    broken: [
      ...OPEN,
      s(
        request(1, 'elicitation/create', { mode: 'url', url: 'https://x.example/', message: 'Go', elicitationId: 'e' }),
      ),
    ],
    clean: [...OPEN, s(request(1, 'elicitation/create', form))],
    pointer: '/params/mode',
  },
  {
    rule: 'capability-not-declared',
    what: 'a request inside a result',
    broken: [statelessCall(1), asks({ inputRequests: { roots: { method: 'roots/list', params: {} } } })],
    clean: [
      statelessCall(1, {}, { roots: {} }),
      asks({ inputRequests: { roots: { method: 'roots/list', params: {} } } }),
    ],
    pointer: '/result/inputRequests/roots',
  },
  {
    rule: 'undeclared-feature',
    broken: [
      ...handshake(V, { server: { tools: {} } }),
      s(notification('notifications/message', { level: 'info', data: 1 })),
    ],
    clean: [...OPEN, s(notification('notifications/message', { level: 'info', data: 1 }))],
    pointer: '/method',
  },
  {
    rule: 'undeclared-feature',
    what: 'by answering',
    broken: [...handshake(V, { server: {} }), c(request(1, 'prompts/list')), s(result(1, { prompts: [] }))],
    clean: [...OPEN, c(request(1, 'prompts/list')), s(result(1, { prompts: [] }))],
    also: ['capability-not-declared'],
  },
  {
    rule: 'wrong-direction',
    broken: [...OPEN, s(request(1, 'tools/list'))],
    clean: [...OPEN, c(request(1, 'tools/list'))],
    pointer: '/method',
  },
  {
    rule: 'request-as-notification',
    broken: [...OPEN, c(notification('tools/list'))],
    clean: [...OPEN, c(request(1, 'tools/list'))],
  },
  {
    rule: 'notification-with-id',
    broken: [...OPEN, c(request(1, 'notifications/roots/list_changed'))],
    clean: [...OPEN, c(notification('notifications/roots/list_changed'))],
    pointer: '/id',
  },
  {
    rule: 'other-revision',
    broken: [...handshake('2025-06-18'), c(request(1, 'tasks/list'))],
    clean: [...handshake(V, { server: { tasks: { list: {} } } }), c(request(1, 'tasks/list'))],
    pointer: '/method',
  },
  {
    rule: 'unknown-method',
    broken: [...OPEN, c(request(1, 'vendor/thing'))],
    clean: [...OPEN, c(request(1, 'ping'))],
    pointer: '/method',
  },
  {
    rule: 'embedded-method',
    broken: [statelessCall(1), s(request(1, 'roots/list'))],
    clean: [statelessCall(1), s(complete(1, text))],
    pointer: '/method',
  },
  {
    rule: 'stateless-server-request',
    broken: [statelessCall(1), s(request(1, 'ping'))],
    clean: [...OPEN, s(request(1, 'ping'))],
    pointer: '/method',
  },
  {
    rule: 'invalid-params',
    broken: [...OPEN, c(request(1, 'tools/call', { name: 5 }))],
    clean: [...OPEN, c(call(1))],
    pointer: '/params/name',
  },
  {
    rule: 'invalid-result',
    broken: [...OPEN, c(request(1, 'tools/list')), s(result(1, { tools: [{ name: 'add' }] }))],
    clean: listed(tool()),
    pointer: '/result/tools/0/inputSchema',
  },
  {
    rule: 'missing-result-type',
    broken: [statelessCall(1), s(result(1, text))],
    clean: [statelessCall(1), s(complete(1, text))],
    pointer: '/result',
  },
  {
    rule: 'meta-key',
    broken: [...OPEN, c(request(1, 'ping', { _meta: { '-x': 1 } }))],
    clean: [...OPEN, c(request(1, 'ping', { _meta: { 'com.example/x-y.z': 1, traceparent: '' } }))],
    pointer: '/params/_meta/-x',
  },
  {
    rule: 'invalid-base64',
    broken: [...OPEN, c(call(1)), s(result(1, image('data:image/png;base64,AA==')))],
    clean: [...OPEN, c(call(1)), s(result(1, image('AA==')))],
    pointer: '/result/content/0/data',
    also: ['invalid-result'],
  },
  {
    rule: 'too-many-completions',
    broken: completions(101),
    clean: completions(100),
    pointer: '/result/completion/values',
    also: ['invalid-result'],
  },
  {
    rule: 'cancel-unknown',
    broken: [...OPEN, c(notification('notifications/cancelled', { requestId: 7 }))],
    clean: [...OPEN, c(call(7)), c(notification('notifications/cancelled', { requestId: 7 }))],
    pointer: '/params/requestId',
  },
  {
    rule: 'cancel-unknown',
    what: 'not after the response',
    broken: [...OPEN, c(call(7)), c(notification('notifications/cancelled', { requestId: '7' }))],
    clean: [...OPEN, c(call(7)), s(result(7, text)), c(notification('notifications/cancelled', { requestId: 7 }))],
  },
  {
    rule: 'cancel-initialize',
    broken: [...OPEN.slice(0, 1), c(notification('notifications/cancelled', { requestId: 0 }))],
    clean: OPEN,
    pointer: '/params/requestId',
  },
  {
    rule: 'cancel-task',
    broken: [
      ...handshake(V, { server: { tools: {}, tasks: { requests: { tools: { call: {} } } } } }),
      c(request(1, 'tools/call', { name: 'add', task: {} })),
      c(notification('notifications/cancelled', { requestId: 1 })),
    ],
    clean: [...OPEN, c(call(1)), c(notification('notifications/cancelled', { requestId: 1 }))],
    pointer: '/params/requestId',
  },
  {
    rule: 'cancel-by-server',
    broken: [statelessCall(1), s(notification('notifications/cancelled', { requestId: 1 }))],
    clean: [listen({}), s(notification('notifications/cancelled', { requestId: 1 }))],
    pointer: '/params/requestId',
  },
  {
    rule: 'unknown-progress-token',
    broken: [...OPEN, c(withToken(1, 't')), s(progress('u', 1))],
    clean: [...OPEN, c(withToken(1, 't')), s(progress('t', 1))],
    pointer: '/params/progressToken',
  },
  {
    rule: 'progress-after-response',
    broken: [...OPEN, c(withToken(1, 't')), s(result(1, text)), s(progress('t', 1))],
    clean: [...OPEN, c(withToken(1, 't')), s(progress('t', 1)), s(result(1, text))],
  },
  {
    rule: 'progress-not-increasing',
    broken: [...OPEN, c(withToken(1, 't')), s(progress('t', 1)), s(progress('t', 1))],
    clean: [...OPEN, c(withToken(1, 't')), s(progress('t', 1)), s(progress('t', 1.5))],
    pointer: '/params/progress',
  },
  {
    rule: 'reused-progress-token',
    broken: [...OPEN, c(withToken(1, 't')), c(withToken(2, 't'))],
    clean: [...OPEN, c(withToken(1, 't')), s(result(1, text)), c(withToken(2, 't'))],
    pointer: '/params/_meta/progressToken',
  },
  {
    rule: 'unknown-cursor',
    broken: [...OPEN, c(request(1, 'tools/list', { cursor: 'x' }))],
    clean: [
      ...OPEN,
      c(request(1, 'tools/list')),
      s(result(1, { tools: [], nextCursor: 'x' })),
      c(request(2, 'tools/list', { cursor: 'x' })),
    ],
    pointer: '/params/cursor',
  },
  {
    rule: 'repeated-cursor',
    broken: pages('x', 'x'),
    clean: pages('x', 'y'),
    pointer: '/result/nextCursor',
  },
  {
    rule: 'mixed-cache-scope',
    broken: cachedPages('public', 'private'),
    clean: cachedPages('public', 'public'),
    pointer: '/result/cacheScope',
  },
  {
    rule: 'tool-name',
    broken: listed(tool({ name: 'a b' })),
    clean: listed(tool({ name: 'a-b.c_1' })),
    pointer: '/result/tools/0/name',
  },
  {
    rule: 'duplicate-tool',
    broken: listed(tool(), tool()),
    clean: listed(tool(), tool({ name: 'sub' })),
    pointer: '/result/tools/1/name',
  },
  {
    rule: 'invalid-tool-schema',
    broken: listed(tool({ inputSchema: { type: 'object', properties: { a: { type: 'text' } } } })),
    clean: listed(tool({ inputSchema: { type: 'object', properties: { a: { type: 'string' } } } })),
    pointer: '/result/tools/0/inputSchema/properties/a/type',
  },
  {
    rule: 'unusual-dialect',
    broken: listed(tool({ inputSchema: { type: 'object', $schema: 'http://json-schema.org/draft-04/schema#' } })),
    clean: listed(tool({ inputSchema: { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#' } })),
    pointer: '/result/tools/0/inputSchema/$schema',
  },
  {
    rule: 'external-reference',
    broken: listed(tool({ inputSchema: { type: 'object', properties: { a: { $ref: 'https://x.example/a.json' } } } })),
    clean: listed(
      tool({ inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: {} } } }),
    ),
    pointer: '/result/tools/0/inputSchema/properties/a/$ref',
  },
  {
    rule: 'slow-pattern',
    broken: listed(
      tool({ inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } }),
    ),
    clean: listed(tool({ inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^a+$' } } } })),
    pointer: '/result/tools/0/inputSchema/properties/a/pattern',
  },
  {
    rule: 'param-header',
    broken: statelessList(
      tool({ inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } }),
    ),
    clean: statelessList(
      tool({ inputSchema: { type: 'object', properties: { a: { type: 'integer', 'x-mcp-header': 'A' } } } }),
    ),
    pointer: '/result/tools/0/inputSchema/properties/a/x-mcp-header',
  },
  {
    rule: 'invalid-arguments',
    broken: [...listed(tool({ inputSchema: schema })), c(call(2, 'add', { sum: 'x' }))],
    clean: [...listed(tool({ inputSchema: schema })), c(call(2, 'add', { sum: 1 }))],
    pointer: '/params/arguments/sum',
  },
  {
    rule: 'unlisted-tool',
    broken: [...listed(tool()), c(call(2, 'sub'))],
    clean: [...listed(tool()), s(notification('notifications/tools/list_changed')), c(call(2, 'sub'))],
    pointer: '/params/name',
  },
  {
    rule: 'invalid-structured-content',
    broken: [...listed(tool({ outputSchema: schema })), c(call(2)), s(result(2, { ...text, structuredContent: {} }))],
    clean: [
      ...listed(tool({ outputSchema: schema })),
      c(call(2)),
      s(result(2, { ...text, structuredContent: { sum: 1 } })),
    ],
    pointer: '/result/structuredContent/sum',
  },
  {
    rule: 'missing-structured-content',
    broken: [...listed(tool({ outputSchema: schema })), c(call(2)), s(result(2, text))],
    clean: [...listed(tool({ outputSchema: schema })), c(call(2)), s(result(2, { ...text, isError: true }))],
    pointer: '/result',
  },
  {
    rule: 'structured-content-without-text',
    broken: [...OPEN, c(call(1)), s(result(1, { content: [], structuredContent: {} }))],
    clean: [...OPEN, c(call(1)), s(result(1, { ...text, structuredContent: {} }))],
    pointer: '/result/content',
  },
  {
    rule: 'root-uri',
    broken: [...OPEN, s(request(1, 'roots/list')), c(result(1, { roots: [{ uri: 'https://x.example/' }] }))],
    clean: [...OPEN, s(request(1, 'roots/list')), c(result(1, { roots: [{ uri: 'file:///x' }] }))],
    pointer: '/result/roots/0/uri',
  },
  {
    rule: 'sampling-tool-results',
    broken: [...withSampling, sample([toolUse, toolResult('v')])],
    clean: [...withSampling, sample([toolUse, toolResult('u')])],
    pointer: '/params/messages/1',
  },
  {
    rule: 'elicitation-url',
    broken: elicitUrl('somewhere'),
    clean: elicitUrl('https://x.example/'),
    pointer: '/params/url',
  },
  {
    rule: 'invalid-elicited-content',
    broken: [
      ...OPEN,
      s(request(1, 'elicitation/create', form)),
      c(result(1, { action: 'accept', content: { name: 5 } })),
    ],
    clean: [
      ...OPEN,
      s(request(1, 'elicitation/create', form)),
      c(result(1, { action: 'accept', content: { name: 'Ada' } })),
    ],
    pointer: '/result/content/name',
  },
  {
    rule: 'log-below-level',
    broken: logged('warning', 'info'),
    clean: logged('info', 'warning'),
    pointer: '/params/level',
  },
  {
    rule: 'log-not-requested',
    broken: [statelessCall(1), s(notification('notifications/message', { level: 'info', data: 1 }))],
    clean: [
      c(request(1, 'tools/call', stateless({ name: 'add' }, { 'io.modelcontextprotocol/logLevel': 'info' }))),
      s(notification('notifications/message', { level: 'info', data: 1 })),
    ],
    pointer: '/params/level',
  },
  {
    rule: 'resource-not-subscribed',
    broken: [...OPEN, s(notification('notifications/resources/updated', { uri: 'x:/a' }))],
    clean: [
      ...OPEN,
      c(request(1, 'resources/subscribe', { uri: 'x:/' })),
      s(result(1)),
      s(notification('notifications/resources/updated', { uri: 'x:/a' })),
    ],
    pointer: '/params/uri',
  },
  {
    rule: 'subscription-order',
    broken: [listen({ toolsListChanged: true }), changed('notifications/tools/list_changed')],
    clean: [listen({ toolsListChanged: true }), acknowledged, changed('notifications/tools/list_changed')],
  },
  {
    rule: 'subscription-id',
    broken: [listen({ toolsListChanged: true }), acknowledged, changed('notifications/tools/list_changed', 2)],
    clean: [listen({ toolsListChanged: true }), acknowledged, changed('notifications/tools/list_changed', 1)],
  },
  {
    rule: 'subscription-filter',
    broken: [listen({ toolsListChanged: true }), acknowledged, changed('notifications/prompts/list_changed')],
    clean: [listen({ promptsListChanged: true }), acknowledged, changed('notifications/prompts/list_changed')],
    pointer: '/method',
  },
  {
    rule: 'subscription-filter',
    what: 'a resource',
    broken: [
      listen({ resourceSubscriptions: ['x:/a'] }),
      acknowledged,
      changed('notifications/resources/updated', 1, { uri: 'x:/b' }),
    ],
    clean: [
      listen({ resourceSubscriptions: ['x:/a'] }),
      acknowledged,
      changed('notifications/resources/updated', 1, { uri: 'x:/a' }),
    ],
    pointer: '/params/uri',
  },
  {
    rule: 'input-required-empty',
    broken: [statelessCall(1), asks({})],
    clean: [statelessCall(1), asks({ requestState: 'a' })],
    pointer: '/result',
  },
  {
    rule: 'input-required-method',
    broken: [c(request(1, 'tools/list', stateless())), asks({ requestState: 'a' })],
    clean: [statelessCall(1), asks({ requestState: 'a' })],
    pointer: '/result/resultType',
    also: ['invalid-result'],
  },
  {
    rule: 'request-state',
    broken: [statelessCall(1), asks({ requestState: 'a' }), statelessCall(2, { requestState: 'b' })],
    clean: [statelessCall(1), asks({ requestState: 'a' }), statelessCall(2, { requestState: 'a' })],
    pointer: '/params/requestState',
  },
  {
    rule: 'request-state',
    what: 'a missing one',
    broken: [statelessCall(1), asks({ requestState: 'a' }), statelessCall(2, { inputResponses: {} })],
    clean: [statelessCall(1), asks({ requestState: 'a' }), statelessCall(2, { inputResponses: {}, requestState: 'a' })],
    pointer: '/params',
  },
  {
    rule: 'retry-id',
    broken: [statelessCall(1), asks({ requestState: 'a' }), statelessCall(1, { requestState: 'a' })],
    clean: [statelessCall(1), asks({ requestState: 'a' }), statelessCall(2, { requestState: 'a' })],
    pointer: '/id',
  },
  {
    rule: 'http-accept',
    broken: [...httpOpen, ...posted(3, call(1), result(1, text), { ...inSession, accept: 'application/json' })],
    clean: [...httpOpen, ...posted(3, call(1), result(1, text), inSession)],
  },
  {
    rule: 'http-content-type',
    broken: [...httpOpen, ...posted(3, call(1), result(1, text), inSession, { 'content-type': 'text/plain' })],
    clean: [...httpOpen, ...posted(3, call(1), result(1, text), inSession)],
  },
  {
    rule: 'http-content-type',
    what: 'of a stream',
    broken: [...httpOpen, bare('client', get(3, inSession)), bare('server', response(3, 200))],
    clean: [...httpOpen, bare('client', get(3, inSession)), bare('server', response(3, 405))],
  },
  {
    rule: 'http-status',
    broken: [
      ...httpOpen,
      sent('client', notification('notifications/roots/list_changed'), { http: post(3, inSession) }),
      bare('server', response(3, 200)),
    ],
    clean: [...httpOpen, ...posted(3, notification('notifications/roots/list_changed'), undefined, inSession)],
  },
  {
    rule: 'http-status',
    what: 'of an error',
    broken: failing(200, -32022),
    clean: failing(400, -32022),
    pointer: '/error/code',
  },
  {
    rule: 'http-version-header',
    broken: [...httpOpen, ...posted(3, call(1), result(1, text), { ...ACCEPT, 'mcp-session-id': 's1' })],
    clean: [
      ...handshakeOverHttp('2025-03-26'),
      ...posted(3, call(1), result(1, text), { ...ACCEPT, 'mcp-session-id': 's1' }),
    ],
  },
  {
    rule: 'http-version-mismatch',
    broken: [
      ...httpOpen,
      ...posted(3, call(1), result(1, text), { ...inSession, 'mcp-protocol-version': '2025-06-18' }),
    ],
    clean: [...httpOpen, ...posted(3, call(1), result(1, text), inSession)],
  },
  {
    rule: 'http-session-header',
    broken: [...httpOpen, ...posted(3, call(1), result(1, text), sessionHeaders(V, ''))],
    clean: [...handshakeOverHttp(V, ''), ...posted(3, call(1), result(1, text), sessionHeaders(V, ''))],
  },
  {
    rule: 'http-session-id',
    broken: handshakeOverHttp(V, 'a b'),
    clean: handshakeOverHttp(V, 'a!b'),
  },
  {
    rule: 'http-header-missing',
    broken: statelessPost({ ...ACCEPT, 'mcp-protocol-version': STATELESS, 'mcp-method': 'tools/call' }),
    clean: statelessPost(statelessHeaders('tools/call', 'add')),
    pointer: '/params/name',
  },
  {
    rule: 'http-header-mismatch',
    broken: statelessPost(statelessHeaders('tools/call', 'sub')),
    clean: statelessPost(statelessHeaders('tools/call', '=?base64?YWRk?=')),
    pointer: '/params/name',
  },
  {
    rule: 'http-response-on-get',
    broken: onStream(inSession),
    clean: onStream({ ...inSession, 'last-event-id': '1' }),
  },
  {
    rule: 'http-event-id',
    broken: streamed(bare('server', event(3, '1')), bare('server', event(3, '1'))),
    clean: streamed(bare('server', event(3, '1')), bare('server', event(3, '2'))),
  },
  {
    rule: 'http-no-response',
    broken: streamed(bare('server', end(3))),
    clean: streamed(bare('server', event(3, '1')), bare('server', end(3))),
  },
  {
    rule: 'token-in-url',
    broken: [sent('client', call(1), { http: post(1, ACCEPT, '/mcp?access_token=x') })],
    clean: [sent('client', call(1), { http: post(1, ACCEPT, '/mcp?token=x') })],
  },
];

function frameParams(entry: Entry | undefined): object {
  const frame = entry?.content.kind === 'frame' ? (entry.content.frame as { params?: object }) : {};
  return frame.params ?? {};
}

function frameResult(entry: Entry | undefined): object {
  const frame = entry?.content.kind === 'frame' ? (entry.content.frame as { result?: object }) : {};
  return frame.result ?? {};
}

function completions(count: number): readonly Entry[] {
  const values = Array.from({ length: count }, (_, index) => String(index));
  const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
  return [...OPEN, c(request(1, 'completion/complete', params)), s(result(1, { completion: { values } }))];
}

function pages(first: string, second: string): readonly Entry[] {
  return [
    ...OPEN,
    c(request(1, 'tools/list')),
    s(result(1, { tools: [], nextCursor: first })),
    c(request(2, 'tools/list', { cursor: first })),
    s(result(2, { tools: [], nextCursor: second })),
  ];
}

function cachedPages(first: string, second: string): readonly Entry[] {
  return [
    c(request(1, 'tools/list', stateless())),
    s(complete(1, { tools: [], nextCursor: 'x', ttlMs: 0, cacheScope: first })),
    c(request(2, 'tools/list', stateless({ cursor: 'x' }))),
    s(complete(2, { tools: [], ttlMs: 0, cacheScope: second })),
  ];
}

function elicitUrl(url: string): readonly Entry[] {
  const params = { mode: 'url', url, message: 'Go', elicitationId: 'e' };
  return [...handshake(V, { client: { elicitation: { url: {} } } }), s(request(1, 'elicitation/create', params))];
}

function logged(wanted: string, level: string): readonly Entry[] {
  return [
    ...OPEN,
    c(request(1, 'logging/setLevel', { level: wanted })),
    s(result(1)),
    s(notification('notifications/message', { level, data: 1 })),
  ];
}

function onStream(headers: Readonly<Record<string, string>>): readonly Entry[] {
  return [
    ...httpOpen,
    sent('client', call(1), { http: post(3, inSession) }),
    bare('server', response(3, 200, STREAM_TYPE)),
    bare('client', get(4, headers)),
    bare('server', response(4, 200, STREAM_TYPE)),
    sent('server', result(1, text), { http: event(4) }),
  ];
}

describe.each(
  PLANTS.map((plant) => [plant.what === undefined ? plant.rule : `${plant.rule}: ${plant.what}`, plant] as const),
)('%s', (_, { rule, broken, clean, pointer, also = [] }) => {
  test('is found where it is planted', () => {
    const findings = inspect(broken);
    const own = findings.filter((finding) => finding.rule === rule);
    expect(findings.map((finding) => finding.rule)).toContain(rule);
    expect(findings.filter((finding) => finding.rule !== rule && !also.includes(finding.rule))).toEqual([]);
    if (pointer !== undefined) expect(own.map((finding) => finding.pointer)).toContain(pointer);
    for (const finding of own) expect(finding.severity).toBe(RULES[rule].severity);
  });

  test('is not found in the clean twin', () => {
    const findings = inspect(clean).filter((finding) => !also.includes(finding.rule));
    expect(findings).toEqual([]);
  });
});

test('every rule of traffic has a planted fault', () => {
  const planted = new Set(PLANTS.map(({ rule }) => rule));
  const traffic = (Object.keys(RULES) as RuleId[]).filter((rule) => ruleOf(rule).foundIn === 'traffic');
  expect(traffic.filter((rule) => !planted.has(rule))).toEqual([]);
});

/** The rules of `inspect` and `check-server`, as data: `docs/rules.md` lists them. Their ids never change. */

import type { Rule, Severity } from './rule.js';
import { SERVER_RULES } from './server-rules.js';

export type { Rule, Severity } from './rule.js';

const MESSAGES = { section: 'basic#messages', foundIn: 'traffic' } as const;
const STDIO = { section: 'basic/transports#stdio', stateless: 'basic/transports/stdio', foundIn: 'traffic' } as const;
const HTTP = {
  section: 'basic/transports#streamable-http',
  stateless: 'basic/transports/streamable-http',
  foundIn: 'traffic',
  since: '2025-03-26',
} as const;
const LIFECYCLE = { section: 'basic/lifecycle', stateless: 'basic/versioning', foundIn: 'traffic' } as const;
const INITIALIZATION = { section: 'basic/lifecycle#initialization', foundIn: 'traffic', until: '2025-11-25' } as const;
const CANCELLATION = {
  section: 'basic/utilities/cancellation',
  stateless: 'basic/patterns/cancellation',
  foundIn: 'traffic',
} as const;
const PROGRESS = {
  section: 'basic/utilities/progress',
  stateless: 'basic/patterns/progress',
  foundIn: 'traffic',
} as const;
const PAGINATION = { section: 'server/utilities/pagination', foundIn: 'traffic' } as const;
const TOOLS = { section: 'server/tools', foundIn: 'traffic' } as const;
const INPUT = { section: 'basic/patterns/mrtr', foundIn: 'traffic', since: '2026-07-28' } as const;
const SUBSCRIPTIONS = { section: 'basic/patterns/subscriptions', foundIn: 'traffic', since: '2026-07-28' } as const;
const META = { section: 'basic#_meta', foundIn: 'traffic', since: '2025-06-18' } as const;

/** The rules that a recorded conversation can break, by id. */
const TRAFFIC_RULES = {
  // Framing
  'not-json': {
    ...STDIO,
    severity: 'violation',
    title: 'text that is not JSON',
    help: 'Write only messages to standard output and standard input, each on one line; logs belong on standard error.',
  },
  'not-utf8': {
    ...STDIO,
    severity: 'violation',
    title: 'bytes that are not UTF-8',
    help: 'Encode messages as UTF-8.',
  },
  // Envelope
  'invalid-message': {
    ...MESSAGES,
    severity: 'violation',
    title: 'JSON that is not a JSON-RPC message',
    help: 'A message is a request, a notification, a result or an error, with `"jsonrpc": "2.0"`.',
  },
  'jsonrpc-version': {
    ...MESSAGES,
    severity: 'violation',
    title: 'no `"jsonrpc": "2.0"`',
    help: 'Each message has the member `jsonrpc` with the text 2.0.',
  },
  'result-with-error': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a response with both a result and an error',
    help: 'Send one of them; leave the other one out instead of writing null.',
  },
  'invalid-id': {
    ...MESSAGES,
    severity: 'violation',
    title: 'an id that is neither a string nor an integer',
    help: 'The id of a request is a string or an integer, and never null.',
  },
  'unsafe-id': {
    ...MESSAGES,
    severity: 'advice',
    title: 'an integer id beyond 2^53 - 1',
    help: 'JavaScript and other languages round such numbers, so that the response has another id. Use smaller ones or strings.',
  },
  'invalid-error': {
    ...MESSAGES,
    severity: 'violation',
    title: 'an error without an integer code and a message',
    help: 'The member `error` has an integer `code` and a string `message`.',
  },
  'duplicate-id': {
    ...MESSAGES,
    severity: 'violation',
    title: 'the id of a request that has no response yet',
    help: 'Nobody can distinguish the responses to two requests in flight with one id. Count ids up.',
  },
  'reused-id': {
    ...MESSAGES,
    severity: 'violation',
    title: 'the id of an earlier request of the session',
    help: 'Up to 2025-11-25, a side uses each id once in a session. Count ids up.',
  },
  'batch-not-supported': {
    ...MESSAGES,
    since: '2025-06-18',
    severity: 'violation',
    title: 'a batch in a revision without batches',
    help: 'Only 2025-03-26 has batches. Send each message by itself.',
  },
  'invalid-batch': {
    ...MESSAGES,
    severity: 'violation',
    title: 'an empty batch, or one with both requests and responses',
    help: 'A batch has at least one message, and either requests and notifications or responses.',
  },
  // Responses
  'unknown-response': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a response to a request that was never sent',
    help: 'A response has the id of its request, of the same type: `1` and `"1"` are different ids.',
  },
  'duplicate-response': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a second response to one request',
    help: 'Each request has one response.',
  },
  'response-to-notification': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a response to a notification',
    help: 'A message without an id is never answered, not even with an error.',
  },
  'response-without-id': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a response without an id',
    help: 'Only the error for a message that could not be read may be without an id.',
  },
  'wrong-error-code': {
    ...MESSAGES,
    severity: 'deviation',
    title: 'another code than -32601 for a method that the revision does not have',
    help: 'JSON-RPC has the code -32601 for unknown methods, by which clients find out what a server supports.',
  },
  'reserved-error-code': {
    ...MESSAGES,
    section: 'basic#error-codes',
    since: '2026-07-28',
    severity: 'violation',
    title: 'an error code that the specification reserves',
    help: 'From 2026-07-28 on, -32020 to -32099 have only the defined codes, and -32002 and -32042 are not used any more.',
  },
  // Lifecycle
  'initialize-not-first': {
    ...INITIALIZATION,
    severity: 'violation',
    title: 'a request before `initialize`',
    help: 'A session begins with `initialize`; before it, only `ping` may be sent.',
  },
  'early-request': {
    ...INITIALIZATION,
    severity: 'deviation',
    title: 'a request before the response to `initialize`',
    help: 'Wait for the response to `initialize` before sending anything but `ping`.',
  },
  'early-initialized': {
    ...INITIALIZATION,
    severity: 'violation',
    title: '`notifications/initialized` before the response to `initialize`',
    help: 'Send it when the response has arrived.',
  },
  'missing-initialized': {
    ...INITIALIZATION,
    severity: 'violation',
    title: 'a request without `notifications/initialized` before it',
    help: 'After the response to `initialize`, the client sends `notifications/initialized`. Many servers wait for it.',
  },
  'early-server-request': {
    ...INITIALIZATION,
    severity: 'deviation',
    title: 'a request of the server before `notifications/initialized`',
    help: 'Until the client is ready, a server sends only pings and log messages.',
  },
  'repeated-initialize': {
    ...INITIALIZATION,
    severity: 'deviation',
    title: 'a second `initialize` in one session',
    help: 'A session is initialized once; open another one to negotiate again.',
  },
  'initialize-in-batch': {
    ...INITIALIZATION,
    severity: 'violation',
    title: '`initialize` in a batch',
    help: 'Send it by itself.',
  },
  'unknown-version': {
    ...LIFECYCLE,
    section: 'basic/lifecycle#version-negotiation',
    stateless: 'basic/versioning',
    until: '2025-11-25',
    severity: 'deviation',
    title: 'a server that agrees to a revision that was never released',
    help: 'A server that does not know the requested revision answers with one that it supports. This one may repeat whatever it is sent.',
  },
  'capability-not-declared': {
    ...LIFECYCLE,
    section: 'basic/lifecycle#capability-negotiation',
    severity: 'violation',
    recommendedUntil: '2025-03-26',
    title: 'use of a capability that the other side did not declare',
    help: 'Use only what the other side declared; declare what your side supports.',
  },
  'undeclared-feature': {
    ...LIFECYCLE,
    section: 'basic/lifecycle#capability-negotiation',
    severity: 'violation',
    title: 'a feature without its capability',
    help: 'Declare the capability of each feature that you support. Clients that respect capabilities will not use it otherwise.',
  },
  // Methods
  'wrong-direction': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a method that only the other side may send',
    help: 'The catalog says who sends what: `mcpgen methods`.',
  },
  'request-as-notification': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a request without an id',
    help: 'Without an id it is a notification, and nothing will answer it.',
  },
  'notification-with-id': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a notification with an id',
    help: 'Leave the id out; with it, the other side has to answer.',
  },
  'other-revision': {
    ...MESSAGES,
    severity: 'deviation',
    title: 'a method of another revision',
    help: 'Check the negotiated revision before using what came later or was removed.',
  },
  'unknown-method': {
    ...MESSAGES,
    severity: 'advice',
    title: 'a method that no revision defines',
    help: 'Vendor methods are allowed, but the other side may not know them.',
  },
  'embedded-method': {
    ...INPUT,
    severity: 'violation',
    title: 'a request of the server as a separate message',
    help: 'From 2026-07-28 on, a server puts what it needs from the client into a result with `inputRequests`.',
  },
  'stateless-server-request': {
    ...STDIO,
    since: '2026-07-28',
    severity: 'violation',
    title: 'a request of a server in a stateless revision',
    help: 'From 2026-07-28 on, only clients send requests.',
  },
  'invalid-params': {
    ...MESSAGES,
    severity: 'violation',
    title: 'params that do not match the schema of the revision',
    help: '`mcpgen explain METHOD` shows what is valid.',
  },
  'invalid-result': {
    ...MESSAGES,
    severity: 'violation',
    title: 'a result that does not match the schema of the revision',
    help: '`mcpgen explain METHOD` shows what is valid. Strict clients reject the whole result.',
  },
  'missing-result-type': {
    ...MESSAGES,
    since: '2026-07-28',
    severity: 'violation',
    title: 'a result without `resultType`',
    help: 'From 2026-07-28 on, each result says what it is; `"complete"` for an ordinary one.',
  },
  'meta-key': {
    ...META,
    severity: 'violation',
    title: 'a name in `_meta` that is not allowed',
    help: 'A name begins and ends with a letter or digit; a prefix such as `com.example/` may precede it.',
  },
  'invalid-base64': {
    ...MESSAGES,
    section: 'server/resources',
    severity: 'violation',
    title: 'binary data that is not base64',
    help: 'Encode `data` and `blob` as base64, without line ends or a `data:` prefix.',
  },
  'too-many-completions': {
    section: 'server/utilities/completion',
    foundIn: 'traffic',
    severity: 'violation',
    title: 'more than 100 completions',
    help: 'Return at most 100 values; `hasMore` and `total` say that there are others.',
  },
  // Cancellation and progress
  'cancel-unknown': {
    ...CANCELLATION,
    severity: 'violation',
    title: 'a cancellation of a request that was never sent',
    help: 'Cancel only own requests, by their id, of the same type.',
  },
  'cancel-initialize': {
    ...CANCELLATION,
    severity: 'violation',
    title: 'a cancellation of `initialize`',
    help: 'Close the connection instead.',
  },
  'cancel-task': {
    ...CANCELLATION,
    since: '2025-11-25',
    severity: 'violation',
    title: '`notifications/cancelled` for a request with a task',
    help: 'Use `tasks/cancel`.',
  },
  'cancel-by-server': {
    ...CANCELLATION,
    since: '2026-07-28',
    severity: 'violation',
    title: 'a cancellation by a server of anything but a subscription',
    help: 'From 2026-07-28 on, a server cancels only `subscriptions/listen`; other requests it answers.',
  },
  'unknown-progress-token': {
    ...PROGRESS,
    severity: 'violation',
    title: 'progress with a token that no request has',
    help: 'Repeat the `progressToken` of the request, of the same type.',
  },
  'progress-after-response': {
    ...PROGRESS,
    severity: 'violation',
    title: 'progress after the response',
    help: 'Stop before the response is sent.',
  },
  'progress-not-increasing': {
    ...PROGRESS,
    severity: 'violation',
    title: 'progress that does not increase',
    help: 'Each notification has a higher `progress` than the one before.',
  },
  'reused-progress-token': {
    ...PROGRESS,
    severity: 'violation',
    title: 'the progress token of another active request',
    help: 'Use a token for one request at a time; the id of the request does.',
  },
  // Pagination and caching
  'unknown-cursor': {
    ...PAGINATION,
    severity: 'violation',
    title: 'a cursor that the server did not return',
    help: 'Cursors are opaque: send `nextCursor` as it was received, to the same method, in the same session.',
  },
  'repeated-cursor': {
    ...PAGINATION,
    severity: 'deviation',
    title: 'a page whose `nextCursor` is its own cursor',
    help: 'A client that follows it never ends. Leave `nextCursor` out on the last page.',
  },
  'mixed-cache-scope': {
    section: 'server/utilities/caching',
    foundIn: 'traffic',
    since: '2026-07-28',
    severity: 'violation',
    title: 'pages of one list with different `cacheScope`',
    help: 'Use one scope for all pages, or a cache stores some of them for everybody.',
  },
  // Tools
  'tool-name': {
    ...TOOLS,
    section: 'server/tools#tool-names',
    since: '2025-11-25',
    severity: 'deviation',
    title: 'the name of a tool with characters or a length that is not recommended',
    help: 'Use 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`; many model APIs reject others.',
  },
  'duplicate-tool': {
    ...TOOLS,
    severity: 'deviation',
    title: 'two tools with one name',
    help: 'A client can only call one of them.',
  },
  'invalid-tool-schema': {
    ...TOOLS,
    severity: 'violation',
    title: 'a schema of a tool that is not valid JSON Schema',
    help: 'Fix the keyword; model APIs reject requests with such a tool.',
  },
  'unusual-dialect': {
    ...TOOLS,
    section: 'basic#json-schema-usage',
    since: '2025-11-25',
    severity: 'advice',
    title: 'a schema in another dialect than 2020-12 or draft-07',
    help: 'Every implementation supports 2020-12; few support others.',
  },
  'external-reference': {
    ...TOOLS,
    section: 'basic#json-schema-usage',
    since: '2025-11-25',
    severity: 'advice',
    title: 'a schema that refers to another document',
    help: 'Clients do not fetch it. Put the definition into `$defs`.',
  },
  'slow-pattern': {
    ...TOOLS,
    severity: 'advice',
    title: 'a pattern that takes very long for some texts',
    help: 'Whoever validates arguments by it can be blocked. Write it so that each text can match in one way only.',
  },
  'param-header': {
    ...TOOLS,
    section: 'server/tools#x-mcp-header',
    since: '2026-07-28',
    severity: 'violation',
    title: 'an `x-mcp-header` that clients must reject',
    help: 'It is a header token, unique in the tool, on a parameter of type string, integer or boolean.',
  },
  'invalid-arguments': {
    ...TOOLS,
    severity: 'deviation',
    title: "arguments that do not match the tool's `inputSchema`",
    help: 'Validate arguments before the call; the server should answer with an error that a model can act on.',
  },
  'unlisted-tool': {
    ...TOOLS,
    severity: 'advice',
    title: 'a call of a tool that is not in the list',
    help: 'List the tools again after `notifications/tools/list_changed`.',
  },
  'invalid-structured-content': {
    ...TOOLS,
    section: 'server/tools#output-schema',
    since: '2025-06-18',
    severity: 'violation',
    title: "structured content that does not match the tool's `outputSchema`",
    help: 'Correct the schema or the result. Clients that validate reject the call.',
  },
  'missing-structured-content': {
    ...TOOLS,
    section: 'server/tools#output-schema',
    since: '2025-06-18',
    severity: 'violation',
    title: 'a result without structured content, of a tool with an `outputSchema`',
    help: 'Return `structuredContent`, or `isError: true`.',
  },
  'structured-content-without-text': {
    ...TOOLS,
    section: 'server/tools#structured-content',
    since: '2025-06-18',
    severity: 'deviation',
    title: 'structured content without a text for older clients',
    help: 'Also return it as JSON in a text block.',
  },
  // Features of clients
  'root-uri': {
    section: 'client/roots',
    foundIn: 'traffic',
    severity: 'violation',
    title: 'a root that is not a file:// URI',
    help: 'Roots are folders and files: `file:///path`.',
  },
  'sampling-tool-results': {
    section: 'client/sampling',
    foundIn: 'traffic',
    since: '2025-11-25',
    severity: 'violation',
    title: 'tool uses and tool results that do not match',
    help: 'After a message with tool uses comes one with exactly their results and nothing else.',
  },
  'elicitation-url': {
    section: 'client/elicitation',
    foundIn: 'traffic',
    since: '2025-11-25',
    severity: 'violation',
    title: 'an elicitation whose `url` is not a URL',
    help: 'Send an absolute URL.',
  },
  'invalid-elicited-content': {
    section: 'client/elicitation',
    foundIn: 'traffic',
    since: '2025-06-18',
    severity: 'deviation',
    title: "an answer to a form that does not match the form's schema",
    help: 'Validate what the user entered by `requestedSchema`.',
  },
  // Logging and subscriptions
  'log-below-level': {
    section: 'server/utilities/logging',
    foundIn: 'traffic',
    until: '2025-11-25',
    severity: 'deviation',
    title: 'a log message below the level that the client set',
    help: 'Filter log messages by the level of `logging/setLevel`.',
  },
  'log-not-requested': {
    section: 'server/utilities/logging',
    foundIn: 'traffic',
    since: '2026-07-28',
    severity: 'violation',
    title: 'a log message that no request asks for',
    help: 'From 2026-07-28 on, log messages are sent only for a request with a `logLevel` in `_meta`, at that level or above.',
  },
  'resource-not-subscribed': {
    section: 'server/resources#subscriptions',
    foundIn: 'traffic',
    until: '2025-11-25',
    severity: 'deviation',
    title: 'an update of a resource that nobody subscribed to',
    help: 'Notify only of resources that the client subscribed to, and what is below them.',
  },
  'subscription-order': {
    ...SUBSCRIPTIONS,
    severity: 'violation',
    title: 'a notification before the acknowledgment of its subscription',
    help: '`notifications/subscriptions/acknowledged` comes first.',
  },
  'subscription-id': {
    ...SUBSCRIPTIONS,
    severity: 'violation',
    title: 'a change without the id of an active subscription',
    help: 'The member `io.modelcontextprotocol/subscriptionId` of `_meta` is the id of the `subscriptions/listen` request.',
  },
  'subscription-filter': {
    ...SUBSCRIPTIONS,
    severity: 'violation',
    title: 'a change that the subscription does not ask for',
    help: 'Send only what the filter of `subscriptions/listen` has.',
  },
  // Input over several rounds
  'input-required-empty': {
    ...INPUT,
    severity: 'violation',
    title: 'an `input_required` result with neither `inputRequests` nor `requestState`',
    help: 'Without either, the client cannot do anything.',
  },
  'input-required-method': {
    ...INPUT,
    severity: 'violation',
    title: 'an `input_required` result of a request that cannot have one',
    help: 'Only `tools/call`, `prompts/get` and `resources/read` may be answered so.',
  },
  'request-state': {
    ...INPUT,
    severity: 'violation',
    title: 'a `requestState` that the server did not send',
    help: 'A client repeats the `requestState` of the result exactly, and leaves it out if the result has no state.',
  },
  'retry-id': {
    ...INPUT,
    severity: 'violation',
    title: 'a retry with the id of the first request',
    help: 'A retry is another request, with another id.',
  },
  // HTTP
  'http-accept': {
    ...HTTP,
    severity: 'violation',
    title: 'an `Accept` header without the required types',
    help: 'POST needs `application/json, text/event-stream`, GET `text/event-stream`.',
  },
  'http-content-type': {
    ...HTTP,
    severity: 'violation',
    title: 'a response with another type than JSON or an event stream',
    help: 'Answer requests with `application/json` or `text/event-stream`.',
  },
  'http-status': {
    ...HTTP,
    severity: 'violation',
    title: 'a status that does not fit',
    help: 'Accepted notifications and responses have the status 202. From 2026-07-28 on, some errors have a certain status.',
  },
  'http-version-header': {
    ...HTTP,
    section: 'basic/transports#protocol-version-header',
    since: '2025-06-18',
    severity: 'violation',
    title: 'a request without `MCP-Protocol-Version`',
    help: 'From 2025-06-18 on, each request after `initialize` has the negotiated revision in this header.',
  },
  'http-version-mismatch': {
    ...HTTP,
    section: 'basic/transports#protocol-version-header',
    since: '2025-06-18',
    severity: 'deviation',
    title: 'another revision in `MCP-Protocol-Version` than the negotiated one',
    help: 'Send the revision of the response to `initialize`.',
  },
  'http-session-header': {
    ...HTTP,
    section: 'basic/transports#session-management',
    until: '2025-11-25',
    severity: 'violation',
    title: 'a request without the session id that the server assigned',
    help: 'Send `Mcp-Session-Id` with every request after `initialize`.',
  },
  'http-session-id': {
    ...HTTP,
    section: 'basic/transports#session-management',
    until: '2025-11-25',
    severity: 'violation',
    title: 'a session id with other characters than visible ASCII',
    help: 'Use characters from 0x21 to 0x7E.',
  },
  'http-header-missing': {
    ...HTTP,
    since: '2026-07-28',
    severity: 'violation',
    title: 'a request without a header that repeats a part of its body',
    help: 'From 2026-07-28 on, requests have `MCP-Protocol-Version` and `Mcp-Method`, and some `Mcp-Name`.',
  },
  'http-header-mismatch': {
    ...HTTP,
    since: '2026-07-28',
    severity: 'violation',
    title: 'a header that differs from the body',
    help: 'Servers reject the request, since proxies may have relied on the header.',
  },
  'http-response-on-get': {
    ...HTTP,
    until: '2025-11-25',
    severity: 'violation',
    title: 'a response on a stream that no request opened',
    help: 'A response goes to the stream of its request. Only a stream that resumes another one may have it.',
  },
  'http-event-id': {
    ...HTTP,
    section: 'basic/transports#resumability-and-redelivery',
    until: '2025-11-25',
    severity: 'violation',
    title: 'an event id that was used before in the session',
    help: 'Event ids are unique in a session, across its streams; otherwise a client resumes at the wrong place.',
  },
  'http-no-response': {
    ...HTTP,
    severity: 'deviation',
    title: 'a stream that ended without the response to its request',
    help: 'Send the response before closing the stream, or an event id by which the client can resume.',
  },
  'token-in-url': {
    section: 'basic/authorization',
    stateless: 'basic/authorization',
    foundIn: 'traffic',
    since: '2025-03-26',
    severity: 'violation',
    title: 'an access token in a URL',
    help: 'URLs end up in logs. Send the token in the `Authorization` header.',
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** All rules by id. */
export const RULES = { ...TRAFFIC_RULES, ...SERVER_RULES };

/** The id of a rule. */
export type RuleId = keyof typeof RULES;

/** Whether a text is the id of a rule. */
export function isRuleId(text: string): text is RuleId {
  return Object.hasOwn(RULES, text);
}

/** A rule by its id. */
export function ruleOf(id: RuleId): Rule {
  return RULES[id];
}

/** How bad it is to break a rule in a revision. */
export function severityOf(id: RuleId, revision: string | undefined): Severity {
  const { severity, recommendedUntil } = ruleOf(id);
  return revision !== undefined && recommendedUntil !== undefined && revision <= recommendedUntil
    ? 'deviation'
    : severity;
}

/** The first revision without sessions, whose pages moved. */
const STATELESS = '2026-07-28';

/**
 * The address of the section of a rule in a revision of the specification; without one, in the last that has the rule
 * and sessions.
 */
export function sectionUrl(id: RuleId, revision = '2025-11-25'): string {
  const { section, stateless = section, since = '', until = revision } = ruleOf(id);
  const version = revision < since ? since : revision > until ? until : revision;
  const page =
    version === '2024-11-05' && section.startsWith('basic#')
      ? 'basic/messages'
      : version < STATELESS
        ? section
        : stateless;
  return `https://modelcontextprotocol.io/specification/${version}/${page}`;
}

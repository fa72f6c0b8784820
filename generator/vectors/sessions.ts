/** Vectors of sessions: conversations with a server or a client, and what it has to answer, whatever its tools are. */
import { Buffer } from 'node:buffer';
import { ruleOf, sectionUrl, type RuleId, type Severity } from '../inspect/rules.js';
import type { JsonObject, JsonValue } from '../read/json/json.js';
import type { Matcher, SessionStep, SessionVector, VectorSender } from './form.js';

/** The first revision without a handshake. */
const STATELESS_REVISION = '2026-07-28';
/** The only revision in which an array of messages is a message. */
const BATCH_REVISION = '2025-03-26';
/** The revisions with a handshake. */
const HANDSHAKE_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
/** Versions that no revision has. */
const UNKNOWN_VERSION = '1999-01-01';
/** Something that no server has. */
const UNKNOWN = 'mcpgen-vectors-unknown';

/** Milliseconds in which an answer that must not come would come. */
const QUIET_MS = 200;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const UNSUPPORTED_VERSION = -32022;

/** One case, without what is derived from its rule. */
interface Case {
  readonly name: string;
  readonly reason: string;
  readonly rule: RuleId;
  /** That of the rule by default. */
  readonly severity?: Severity;
  readonly steps: readonly SessionStep[];
  /** In addition to what the role may send at any time. */
  readonly ignore?: readonly JsonValue[];
}

/** A pattern that is a matcher. */
function match(matcher: Matcher): JsonObject {
  return { $match: matcher };
}

const ABSENT = match('absent');
const TEXT = match('string');
const OBJECT = match('object');
const NULL_OR_ABSENT = match({ anyOf: [null, ABSENT] });
const ID = match({ anyOf: [TEXT, match('integer')] });

function anyOf(...patterns: readonly JsonValue[]): JsonObject {
  return match({ anyOf: patterns });
}

function request(id: JsonValue, method: string, params?: JsonValue): JsonObject {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) };
}

function notification(method: string, params?: JsonValue): JsonObject {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
}

/** The pattern of a response with a result. */
function result(id: JsonValue, value: JsonValue = OBJECT): JsonObject {
  return { jsonrpc: '2.0', id, result: value, error: ABSENT };
}

/** The pattern of a response with an error. */
function error(id: JsonValue, ...codes: readonly number[]): JsonObject {
  const code = codes.length === 0 ? match('integer') : codes.length === 1 ? (codes[0] ?? 0) : anyOf(...codes);
  return { jsonrpc: '2.0', id, error: { code, message: TEXT }, result: ABSENT };
}

/** The pattern of any response to a request. */
function response(id: JsonValue): JsonObject {
  return anyOf(result(id), error(id));
}

/** The pattern of an error for a message whose id could not be read. */
function errorWithoutId(...codes: readonly number[]): JsonObject {
  return error(NULL_OR_ABSENT, ...codes);
}

const CLIENT_INFO = { name: 'mcpgen-vectors', version: '1.0.0' };

/** What differs between revisions with and without a handshake. */
interface Era {
  readonly revision: string;
  /** The steps until requests may be sent; the last message is the result with the capabilities. */
  readonly open: readonly SessionStep[];
  /** A request that every server answers with a result. */
  readonly harmless: (id: JsonValue, more?: JsonObject) => JsonObject;
  readonly request: (id: JsonValue, method: string, params?: JsonObject) => JsonObject;
  readonly notification: (method: string, params?: JsonObject) => JsonObject;
}

/** `_meta` of a request in a revision without a handshake. */
function metaOf(version: string): JsonObject {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

function initialize(id: JsonValue, version: string): JsonObject {
  return request(id, 'initialize', { protocolVersion: version, capabilities: {}, clientInfo: CLIENT_INFO });
}

/** Agrees on the revision, or skips the vector. */
function openStateful(revision: string): readonly SessionStep[] {
  return [
    { send: initialize('open', revision) },
    { expect: response('open') },
    {
      require: { result: { protocolVersion: revision } },
      otherwise: `the server does not agree on ${revision}`,
    },
    { send: notification('notifications/initialized') },
  ];
}

function openStateless(revision: string): readonly SessionStep[] {
  return [
    { send: request('open', 'server/discover', { _meta: metaOf(revision) }) },
    { expect: response('open') },
    {
      require: { result: { supportedVersions: match({ contains: revision }) } },
      otherwise: `the server does not support ${revision}`,
    },
  ];
}

function eraOf(revision: string): Era {
  if (revision < STATELESS_REVISION) {
    return {
      revision,
      open: openStateful(revision),
      harmless: (id, more) => request(id, 'ping', more),
      request,
      notification,
    };
  }
  const withMeta = (params: JsonObject = {}): JsonObject => ({ ...params, _meta: metaOf(revision) });
  return {
    revision,
    open: openStateless(revision),
    harmless: (id, more) => request(id, 'server/discover', withMeta(more)),
    request: (id, method, params) => request(id, method, withMeta(params)),
    notification,
  };
}

/** Goes on only if the server has a capability. */
function requireCapability(name: string): SessionStep {
  return {
    require: { result: { capabilities: { [name]: OBJECT } } },
    otherwise: `the server does not declare ${name}`,
  };
}

/** Lists: the capability, the method, and the member of the result. */
const LISTS = [
  ['tools', 'tools/list', 'tools'],
  ['resources', 'resources/list', 'resources'],
  ['resources', 'resources/templates/list', 'resourceTemplates'],
  ['prompts', 'prompts/list', 'prompts'],
] as const;

/** What holds for servers of every revision, after the connection is open. */
function serverCases(era: Era): readonly Case[] {
  const { open, harmless } = era;
  /** Nothing answers what was sent, and the next request is answered. */
  const unanswered = (...sent: readonly SessionStep[]): readonly SessionStep[] => [
    ...open,
    ...sent,
    { send: harmless('after') },
    { expect: result('after') },
    { silenceMs: QUIET_MS },
  ];
  const ids: readonly (readonly [string, JsonValue])[] = [
    ['zero', 0],
    ['a-negative-integer', -1],
    ['the-largest-safe-integer', Number.MAX_SAFE_INTEGER],
    ['digits-as-a-string', '7'],
    ['a-string-with-spaces', 'id with spaces/ü 🌱'],
    ['a-long-string', 'x'.repeat(1000)],
  ];
  const methods = ['mcpgen/unknown', 'constructor', '__proto__', 'toString', 'ping/', 'Ping', ''];
  const requestText = JSON.stringify(harmless('a'));
  const chunks = [...Buffer.from(`${JSON.stringify(harmless('übergrößenträger 🌱'))}\n`)]
    .map((byte) => [byte])
    .reduce<number[][]>((all, [byte = 0], index) => {
      if (index % 13 === 0) all.push([]);
      all.at(-1)?.push(byte);
      return all;
    }, [])
    .map((part) => Buffer.from(part).toString('base64'));
  const malformed: readonly (readonly [string, string, readonly number[]])[] = [
    ['half-a-message', '{"jsonrpc":"2.0","id":"cut","method":', [PARSE_ERROR]],
    ['text', 'this is not JSON', [PARSE_ERROR]],
    ['a-number', '42', [INVALID_REQUEST]],
    ['null', 'null', [INVALID_REQUEST]],
    ['an-object', '{"hello":"world"}', [INVALID_REQUEST]],
    ['another-version', '{"jsonrpc":"1.0","id":"old","method":"ping"}', [INVALID_REQUEST]],
    ['a-null-id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', [INVALID_REQUEST]],
    ['an-empty-batch', '[]', [INVALID_REQUEST]],
  ];
  return [
    ...malformed.flatMap(([name, text, codes]): readonly Case[] => [
      {
        name: `malformed/${name}`,
        reason: 'A malformed line does not end the server: the next request is answered.',
        rule: 'malformed-blocks',
        // Whatever is answered to the line itself is about another rule.
        ignore: [{ error: OBJECT, id: match({ not: anyOf('open', 'after') }) }],
        steps: unanswered({ sendText: text }),
      },
      {
        name: `malformed-code/${name}`,
        reason: `If a malformed line is answered, then with an error ${codes.join(' or ')}.`,
        rule: 'malformed-code',
        ignore: [error(match({ not: anyOf('open', 'after') }), ...codes, PARSE_ERROR)],
        steps: unanswered({ sendText: text }),
      },
    ]),
    ...ids.map(([name, id]): Case => ({
      name: `id/${name}`,
      reason: 'A response has the id of its request, with the same type.',
      rule: 'id-not-echoed',
      steps: [...open, { send: harmless(id) }, { expect: result(id) }],
    })),
    ...methods.map((method): Case => ({
      name: `unknown-method/${method === '' ? 'empty' : method}`,
      reason: `A server has no method ${JSON.stringify(method)}.`,
      rule: 'unknown-method-code',
      steps: [
        ...open,
        { send: era.request('unknown', method) },
        { expect: error('unknown', METHOD_NOT_FOUND) },
        { send: harmless('after') },
        { expect: result('after') },
      ],
    })),
    {
      name: 'notification/unknown',
      reason: 'A notification has no answer, even if its method is unknown.',
      rule: 'notification-answered',
      steps: unanswered({ send: era.notification('notifications/mcpgen-vectors-unknown') }),
    },
    {
      name: 'notification/invalid',
      reason: 'A notification has no answer, even if its parameters are invalid.',
      rule: 'notification-answered',
      steps: unanswered({ send: era.notification('notifications/cancelled', { requestId: { no: 'id' } }) }),
    },
    {
      name: 'notification/request-without-id',
      reason: 'A message without an id is a notification, whatever its method is.',
      rule: 'notification-answered',
      steps: unanswered({ send: era.notification('mcpgen/unknown') }),
    },
    {
      name: 'cancellation/unknown-request',
      reason: 'The cancellation of an unknown request is ignored.',
      rule: 'notification-answered',
      steps: unanswered({
        send: era.notification('notifications/cancelled', { requestId: UNKNOWN, reason: 'a test' }),
      }),
    },
    {
      name: 'cancellation/in-flight',
      reason: 'After a request was cancelled, others are answered.',
      rule: 'cancellation-blocks',
      ignore: [{ id: 'cancelled' }],
      steps: [
        ...open,
        {
          sendText: [
            harmless('cancelled'),
            era.notification('notifications/cancelled', { requestId: 'cancelled' }),
            harmless('after'),
          ]
            .map((message) => JSON.stringify(message))
            .join('\n'),
        },
        { expect: result('after') },
      ],
    },
    {
      name: 'response/unknown-id',
      reason: 'A response to no request of the server is ignored.',
      rule: 'malformed-blocks',
      steps: unanswered({ send: { jsonrpc: '2.0', id: UNKNOWN, result: {} } }),
    },
    {
      name: 'framing/pieces',
      reason: 'A message may arrive in pieces, which cut characters.',
      rule: 'split-frame',
      steps: [...open, { sendChunks: chunks }, { expect: result('übergrößenträger 🌱') }],
    },
    {
      name: 'framing/together',
      reason: 'Several messages may arrive together, and each is answered once.',
      rule: 'joined-frames',
      steps: [
        ...open,
        { sendText: ['a', 'b', 'c'].map((id) => JSON.stringify(harmless(id))).join('\n') },
        { expectAll: ['a', 'b', 'c'].map((id) => result(id)) },
        { silenceMs: QUIET_MS },
      ],
    },
    {
      name: 'framing/crlf',
      reason: 'A carriage return before the newline is white space of JSON.',
      rule: 'joined-frames',
      steps: [...open, { sendText: `${requestText}\r` }, { expect: result('a') }],
    },
    {
      name: 'framing/empty-lines',
      reason: 'Empty lines between messages do not end the server.',
      rule: 'malformed-blocks',
      ignore: [errorWithoutId()],
      steps: [...open, { sendText: '' }, { sendText: '  ' }, { send: harmless('a') }, { expect: result('a') }],
    },
    {
      name: 'framing/separators-in-a-string',
      reason: 'U+2028 and U+0085 in a string do not end a line.',
      rule: 'split-frame',
      steps: [...open, { send: harmless('a\u2028b\u0085c') }, { expect: result('a\u2028b\u0085c') }],
    },
    {
      name: 'framing/large',
      reason: 'A message of 256 KiB is answered.',
      rule: 'large-frame',
      steps: [
        ...open,
        { send: era.request('large', 'mcpgen/unknown', { text: 'x'.repeat(256 * 1024) }) },
        { expect: error('large') },
        { send: harmless('after') },
        { expect: result('after') },
      ],
    },
    {
      name: 'framing/deep',
      reason: 'A request of 5000 levels may be refused, but does not end the server.',
      rule: 'ended-by-input',
      ignore: [{ id: 'deep' }, errorWithoutId()],
      steps: [
        ...open,
        {
          sendText: `{"jsonrpc":"2.0","id":"deep","method":"mcpgen/unknown","params":{"v":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
        },
        { send: harmless('after') },
        { expect: result('after') },
      ],
    },
    {
      name: 'unknown-members',
      reason: 'Members that a message does not define are ignored.',
      rule: 'no-answer',
      steps: [...open, { send: harmless('more', { 'com.example/unknown': { a: 1 } }) }, { expect: result('more') }],
    },
    {
      name: 'concurrency',
      reason: 'Each of many requests is answered once.',
      rule: 'concurrent-lost',
      steps: [
        ...open,
        ...Array.from({ length: 20 }, (_, index) => ({ send: harmless(`burst-${index}`) })),
        { expectAll: Array.from({ length: 20 }, (_, index) => result(`burst-${index}`)) },
        { silenceMs: QUIET_MS },
      ],
    },
    {
      name: 'end-of-input',
      reason: 'A server exits when its input ends.',
      rule: 'stays-after-input-ends',
      steps: [...open, { end: true }],
    },
    ...LISTS.flatMap(([capability, method, member]): readonly Case[] => [
      {
        name: `${method}/declared`,
        reason: `A server that declares ${capability} lists them.`,
        rule: method === 'resources/templates/list' ? 'declared-partly' : 'declared-not-served',
        steps: [
          ...open,
          requireCapability(capability),
          { send: era.request('list', method) },
          { expect: result('list', { [member]: match('array'), nextCursor: anyOf(TEXT, ABSENT) }) },
        ],
      },
      {
        name: `${method}/not-declared`,
        reason: `A server that does not declare ${capability} has no list of them.`,
        rule: 'served-not-declared',
        steps: [
          ...open,
          {
            require: { result: { capabilities: { [capability]: ABSENT } } },
            otherwise: `the server declares ${capability}`,
          },
          { send: era.request('list', method) },
          { expect: error('list', METHOD_NOT_FOUND) },
        ],
      },
      {
        name: `${method}/invalid-cursor-code`,
        reason: 'The error of an invalid cursor has the code -32602.',
        rule: 'invalid-cursor-code',
        steps: [
          ...open,
          requireCapability(capability),
          { send: era.request('list', method, { cursor: UNKNOWN }) },
          { expect: anyOf(result('list'), error('list', INVALID_PARAMS)) },
        ],
      },
      {
        name: `${method}/invalid-cursor`,
        reason: 'An invalid cursor is an error, also for a list of one page.',
        rule: 'invalid-cursor-ignored',
        steps: [
          ...open,
          requireCapability(capability),
          { send: era.request('list', method, { cursor: UNKNOWN }) },
          { expect: error('list') },
        ],
      },
      {
        name: `${method}/cursor-of-another-type`,
        reason: 'A cursor is a string.',
        rule: 'invalid-params-code',
        steps: [
          ...open,
          requireCapability(capability),
          { send: era.request('list', method, { cursor: 7 }) },
          { expect: error('list', INVALID_PARAMS) },
        ],
      },
    ]),
    {
      name: 'tools/call/no-name',
      reason: 'A call without the name of a tool has invalid parameters.',
      rule: 'invalid-params-code',
      steps: [
        ...open,
        requireCapability('tools'),
        { send: era.request('call', 'tools/call', { arguments: {} }) },
        { expect: error('call', INVALID_PARAMS) },
      ],
    },
    {
      name: 'tools/call/unknown',
      reason: 'A call of a tool that does not exist does not succeed.',
      rule: 'unknown-tool-accepted',
      steps: [
        ...open,
        requireCapability('tools'),
        { send: era.request('call', 'tools/call', { name: UNKNOWN, arguments: {} }) },
        { expect: anyOf(error('call'), result('call', { isError: true })) },
      ],
    },
    {
      name: 'tools/call/unknown-code',
      reason: 'A tool that does not exist is a protocol error with the code -32602, not a failure of the tool.',
      rule: 'unknown-tool-code',
      steps: [
        ...open,
        requireCapability('tools'),
        { send: era.request('call', 'tools/call', { name: UNKNOWN, arguments: {} }) },
        { expect: error('call', INVALID_PARAMS) },
      ],
    },
    {
      name: 'prompts/get/unknown',
      reason: 'A prompt that does not exist is an error with the code -32602.',
      rule: 'unknown-prompt-code',
      steps: [
        ...open,
        requireCapability('prompts'),
        { send: era.request('get', 'prompts/get', { name: UNKNOWN }) },
        { expect: error('get', INVALID_PARAMS) },
      ],
    },
    {
      name: 'resources/read/no-uri',
      reason: 'Reading without a URI has invalid parameters.',
      rule: 'invalid-params-code',
      steps: [
        ...open,
        requireCapability('resources'),
        { send: era.request('read', 'resources/read', {}) },
        { expect: error('read', INVALID_PARAMS) },
      ],
    },
    {
      name: 'completion/complete/no-ref',
      reason: 'A completion without a reference has invalid parameters.',
      rule: 'invalid-params-code',
      steps: [
        ...open,
        requireCapability('completions'),
        { send: era.request('complete', 'completion/complete', { argument: { name: 'a', value: '' } }) },
        { expect: error('complete', INVALID_PARAMS) },
      ],
    },
  ];
}

/** Servers in revisions with a handshake. */
function statefulServerCases(era: Era): readonly Case[] {
  const { revision, open } = era;
  const info = { name: TEXT, version: TEXT };
  const batch = [request('b1', 'ping'), notification('notifications/initialized'), request('b2', 'ping')];
  return [
    {
      name: 'initialize/result',
      reason: 'The result of `initialize` has the version, the capabilities and the name of the server.',
      rule: 'invalid-result',
      steps: [
        { send: initialize(1, revision) },
        { expect: result(1, { protocolVersion: TEXT, capabilities: OBJECT, serverInfo: info }) },
        { send: notification('notifications/initialized') },
        { silenceMs: QUIET_MS },
      ],
    },
    {
      name: 'initialize/unknown-version',
      reason: 'For a version that it does not know, a server offers another one, or fails with -32602.',
      rule: 'unknown-version-accepted',
      steps: [
        { send: initialize(1, UNKNOWN_VERSION) },
        {
          expect: anyOf(result(1, { protocolVersion: match({ not: UNKNOWN_VERSION }) }), error(1, INVALID_PARAMS)),
        },
      ],
    },
    {
      name: 'initialize/unknown-version-offers-another',
      reason: 'For a version that it does not know, a server responds with one that it supports.',
      rule: 'unknown-version-refused',
      steps: [{ send: initialize(1, UNKNOWN_VERSION) }, { expect: result(1, { protocolVersion: TEXT }) }],
    },
    {
      name: 'initialize/no-version',
      reason: 'A handshake without a version has invalid parameters.',
      rule: 'invalid-params-code',
      steps: [
        { send: request(1, 'initialize', { capabilities: {}, clientInfo: CLIENT_INFO }) },
        { expect: error(1, INVALID_PARAMS) },
      ],
    },
    {
      name: 'initialize/unknown-capabilities',
      reason: 'Capabilities that a server does not know are ignored.',
      rule: 'initialize-refused',
      steps: [
        {
          send: request(1, 'initialize', {
            protocolVersion: revision,
            capabilities: { experimental: { 'com.example/a': {} }, 'com.example/b': { c: true } },
            clientInfo: { ...CLIENT_INFO, 'com.example/d': 1 },
          }),
        },
        { expect: result(1) },
      ],
    },
    {
      name: 'before-the-handshake/request',
      reason: 'A request before the handshake is answered, and the handshake is still possible.',
      rule: 'no-answer',
      steps: [{ send: request('early', 'tools/list') }, { expect: response('early') }, ...open],
    },
    {
      name: 'before-the-handshake/ping',
      reason: 'A ping before the handshake is answered.',
      rule: 'no-answer',
      steps: [{ send: request('early', 'ping') }, { expect: response('early') }, ...open],
    },
    {
      name: 'ping',
      reason: 'A ping is answered with an empty result.',
      rule: 'ping-refused',
      steps: [...open, { send: request('ping', 'ping') }, { expect: result('ping') }],
    },
    {
      name: 'ping/progress-token',
      reason: 'A request may have a progress token, a string or an integer.',
      rule: 'ping-refused',
      steps: [
        ...open,
        { send: request('a', 'ping', { _meta: { progressToken: 'token' } }) },
        { expect: result('a') },
        { send: request('b', 'ping', { _meta: { progressToken: 7 } }) },
        { expect: result('b') },
      ],
    },
    {
      name: 'params/a-list',
      reason: 'Parameters are an object.',
      rule: 'invalid-params-code',
      steps: [
        ...open,
        { send: request('list', 'ping', [1]) },
        { expect: error(anyOf('list', NULL_OR_ABSENT), INVALID_REQUEST, INVALID_PARAMS) },
      ],
    },
    {
      name: 'logging/setLevel/valid',
      reason: 'A server that declares logging accepts a level.',
      rule: 'declared-partly',
      steps: [
        ...open,
        requireCapability('logging'),
        { send: request('level', 'logging/setLevel', { level: 'warning' }) },
        { expect: result('level') },
      ],
    },
    {
      name: 'logging/setLevel/unknown-level',
      reason: 'A level that does not exist has invalid parameters.',
      rule: 'invalid-params-code',
      steps: [
        ...open,
        requireCapability('logging'),
        { send: request('level', 'logging/setLevel', { level: 'loudest' }) },
        { expect: error('level', INVALID_PARAMS) },
      ],
    },
    {
      name: 'resources/read/unknown',
      reason: 'A resource that does not exist is an error with the code -32002.',
      rule: 'unknown-resource-code',
      steps: [
        ...open,
        requireCapability('resources'),
        { send: request('read', 'resources/read', { uri: `${UNKNOWN}://nowhere` }) },
        { expect: error('read', -32002) },
      ],
    },
    ...(revision === BATCH_REVISION
      ? ([
          {
            name: 'batch/requests',
            reason: 'A batch is answered with a batch: a response to each request, in any order.',
            rule: 'batch-unsupported',
            severity: 'violation',
            steps: [
              ...open,
              { send: batch },
              { expect: match({ unordered: [result('b1'), result('b2')] }) },
              { silenceMs: QUIET_MS },
            ],
          },
          {
            name: 'batch/notifications',
            reason: 'A batch of notifications has no answer.',
            rule: 'notification-answered',
            steps: [
              ...open,
              { send: [notification('notifications/mcpgen-a'), notification('notifications/mcpgen-b')] },
              { send: request('after', 'ping') },
              { expect: result('after') },
              { silenceMs: QUIET_MS },
            ],
          },
          {
            name: 'batch/invalid-member',
            reason: 'An invalid member of a batch is answered by itself.',
            rule: 'batch-unsupported',
            steps: [
              ...open,
              { send: [request('b1', 'ping'), 1] },
              { expect: match({ unordered: [result('b1'), errorWithoutId(INVALID_REQUEST)] }) },
            ],
          },
        ] satisfies readonly Case[])
      : ([
          {
            name: 'batch/does-not-end-the-server',
            reason: `A batch, which ${revision} does not have, does not end the server.`,
            rule: 'ended-by-input',
            ignore: [match('array'), errorWithoutId(), { id: anyOf('b1', 'b2') }],
            steps: [...open, { send: batch }, { send: request('after', 'ping') }, { expect: result('after') }],
          },
        ] satisfies readonly Case[])),
  ];
}

/** Servers in revisions in which each request is complete by itself. */
function statelessServerCases(era: Era): readonly Case[] {
  const { revision, open } = era;
  const complete = { resultType: 'complete', ttlMs: match('integer'), cacheScope: anyOf('private', 'public') };
  const without = (key: string): JsonObject =>
    Object.fromEntries(Object.entries(metaOf(revision)).filter(([name]) => name !== `io.modelcontextprotocol/${key}`));
  /**
   * Without a version, a server of two eras may treat a request as one of an older revision. Not all of them list those in
   * `server/discover`, so that the code of a request before the handshake is allowed as well.
   */
  const refusal = error('list', INVALID_PARAMS, INVALID_REQUEST);
  const modernOnly: SessionStep = {
    require: {
      result: { supportedVersions: match({ not: match({ contains: anyOf(...HANDSHAKE_REVISIONS) }) }) },
    },
    otherwise: 'the server also supports revisions with a handshake',
  };
  /** A request of a list with this `_meta`; servers answer `server/discover` for any version. */
  const listed = (
    capability: string,
    method: string,
    meta: JsonObject | undefined,
    expect: JsonValue,
    ...conditions: readonly SessionStep[]
  ): readonly SessionStep[] => [
    ...open,
    ...conditions,
    requireCapability(capability),
    { send: request('list', method, meta === undefined ? {} : { _meta: meta }) },
    { expect },
  ];
  return [
    {
      name: 'server/discover/result',
      reason: 'The result of `server/discover` has versions, capabilities and how long it may be kept.',
      rule: 'invalid-result',
      steps: [
        ...open,
        { send: era.request(1, 'server/discover') },
        { expect: result(1, { ...complete, supportedVersions: match('array'), capabilities: OBJECT }) },
      ],
    },
    ...(['ping', 'logging/setLevel', 'resources/subscribe', 'roots/list', 'sampling/createMessage'] as const).map(
      (method): Case => ({
        name: `removed/${method}`,
        reason: `${revision} has no requests of clients with the method ${method}.`,
        rule: 'unknown-method-code',
        steps: [
          ...open,
          { send: era.request('removed', method, { level: 'info', uri: 'file:///a' }) },
          { expect: error('removed', METHOD_NOT_FOUND) },
        ],
      }),
    ),
    ...LISTS.filter(([, method]) => method !== 'resources/templates/list').flatMap(
      ([capability, method, member]): readonly Case[] => [
        {
          name: `${method}/result`,
          reason: 'A list has its type and how long it may be kept.',
          rule: 'invalid-result',
          steps: [
            ...open,
            requireCapability(capability),
            { send: era.request('list', method) },
            { expect: result('list', { ...complete, [member]: match('array') }) },
          ],
        },
        {
          name: `${method}/unsupported-version`,
          reason:
            'A version that the server does not support is refused with -32022 and the versions that it supports.',
          rule: 'version-code',
          steps: listed(capability, method, metaOf(UNKNOWN_VERSION), {
            ...error('list', UNSUPPORTED_VERSION),
            error: {
              code: UNSUPPORTED_VERSION,
              message: TEXT,
              data: { supported: match({ contains: revision }), requested: UNKNOWN_VERSION },
            },
          }),
        },
        ...(['protocolVersion', 'clientCapabilities'] as const).map((key): Case => ({
          name: `${method}/no-${key}`,
          reason: `A request without ${key} in \`_meta\` has invalid parameters.`,
          rule: 'meta-not-required',
          steps: listed(
            capability,
            method,
            without(key),
            key === 'protocolVersion' ? refusal : error('list', INVALID_PARAMS),
            ...(key === 'protocolVersion' ? [modernOnly] : []),
          ),
        })),
        {
          name: `${method}/no-meta`,
          reason: 'A request without `_meta` has invalid parameters.',
          rule: 'meta-not-required',
          steps: listed(capability, method, undefined, refusal, modernOnly),
        },
        {
          name: `${method}/no-clientInfo`,
          reason: 'The name of the client is optional.',
          rule: 'no-answer',
          steps: listed(capability, method, without('clientInfo'), result('list')),
        },
      ],
    ),
    {
      name: 'resources/read/unknown',
      reason: 'A resource that does not exist is an error with the code -32602.',
      rule: 'resource-not-found',
      steps: [
        ...open,
        requireCapability('resources'),
        { send: era.request('read', 'resources/read', { uri: `${UNKNOWN}://nowhere` }) },
        { expect: error('read', INVALID_PARAMS) },
      ],
    },
    {
      name: 'subscriptions/listen/acknowledged',
      reason: 'A subscription is acknowledged before anything else is sent for it.',
      rule: 'listen-unacknowledged',
      steps: [
        ...open,
        { send: era.request('listen', 'subscriptions/listen', { notifications: { toolsListChanged: true } }) },
        {
          expect: anyOf(
            { method: 'notifications/subscriptions/acknowledged', params: { notifications: OBJECT } },
            error('listen'),
          ),
        },
      ],
    },
    {
      name: 'batch/does-not-end-the-server',
      reason: `A batch, which ${revision} does not have, does not end the server.`,
      rule: 'ended-by-input',
      ignore: [match('array'), errorWithoutId(), { id: 'b1' }],
      steps: [...open, { send: [era.harmless('b1')] }, { send: era.harmless('after') }, { expect: result('after') }],
    },
  ];
}

/** The handshake with a client under test, whose server has tools. */
function acceptStateful(revision: string): readonly SessionStep[] {
  return [
    ...awaitInitialize(),
    {
      send: {
        jsonrpc: '2.0',
        id: { $use: 'id' },
        result: { protocolVersion: revision, capabilities: { tools: {} }, serverInfo: CLIENT_INFO },
      },
    },
    { expect: notification('notifications/initialized') },
  ];
}

/** The first message of a client; a client of another era is skipped. */
function awaitInitialize(): readonly SessionStep[] {
  return [
    { expect: { jsonrpc: '2.0', id: match({ capture: 'id', as: ID }), method: TEXT } },
    { require: { method: 'initialize' }, otherwise: 'the client does not begin with a handshake' },
  ];
}

const TOOL = { name: 'echo', inputSchema: { type: 'object' } };

/** Clients in revisions with a handshake. */
function statefulClientCases(revision: string): readonly Case[] {
  const accepted = acceptStateful(revision);
  const calls = [{ method: 'tools/list' }, { method: 'ping' }];
  const page = (id: string, more: JsonObject): SessionStep => ({
    send: { jsonrpc: '2.0', id: { $use: id }, result: { tools: [TOOL], ...more } },
  });
  const cursor = 'öpaque/=+ "cursor"';
  const unanswered = (...sent: readonly SessionStep[]): readonly SessionStep[] => [
    ...accepted,
    ...sent,
    { send: request('after', 'ping') },
    { expect: result('after') },
    { silenceMs: QUIET_MS },
  ];
  return [
    {
      name: 'initialize/valid-params',
      reason: 'The parameters of the handshake are complete.',
      rule: 'invalid-params',
      steps: [
        {
          expect: anyOf(
            {
              jsonrpc: '2.0',
              id: ID,
              method: 'initialize',
              params: { protocolVersion: TEXT, capabilities: OBJECT, clientInfo: { name: TEXT, version: TEXT } },
            },
            { method: match({ not: 'initialize' }) },
          ),
        },
        { require: { method: 'initialize' }, otherwise: 'the client does not begin with a handshake' },
      ],
    },
    {
      name: 'initialize/waits',
      reason: 'Before the response to the handshake, a client sends nothing but pings.',
      rule: 'early-request',
      ignore: [{ method: 'ping' }],
      steps: [...awaitInitialize(), { silenceMs: QUIET_MS }],
    },
    {
      name: 'initialize/initialized',
      reason: 'After the handshake, a client sends `notifications/initialized`.',
      rule: 'missing-initialized',
      steps: accepted,
    },
    {
      name: 'initialize/unknown-version',
      reason: 'A client does not go on in a version that it does not know.',
      rule: 'early-initialized',
      severity: 'deviation',
      steps: [
        ...awaitInitialize(),
        {
          send: {
            jsonrpc: '2.0',
            id: { $use: 'id' },
            result: { protocolVersion: UNKNOWN_VERSION, capabilities: { tools: {} }, serverInfo: CLIENT_INFO },
          },
        },
        { silenceMs: QUIET_MS * 2 },
      ],
    },
    ...(
      [
        ['number', 7],
        ['zero', 0],
        ['string', 'p1'],
        ['digits-as-a-string', '7'],
      ] as const
    ).map(([name, id]): Case => ({
      name: `ping/${name}`,
      reason: 'A client answers a ping, with the id of the request.',
      rule: 'ping-refused',
      ignore: calls,
      steps: [...accepted, { send: request(id, 'ping') }, { expect: result(id) }],
    })),
    ...['mcpgen/unknown', 'constructor', '__proto__', 'tools/list'].map((method): Case => ({
      name: `unknown-method/${method}`,
      reason: `A client has no method ${method}.`,
      rule: 'unknown-method-code',
      ignore: calls,
      steps: [...accepted, { send: request('unknown', method) }, { expect: error('unknown', METHOD_NOT_FOUND) }],
    })),
    {
      name: 'notification/unknown',
      reason: 'A notification has no answer, even if its method is unknown.',
      rule: 'notification-answered',
      ignore: calls,
      steps: unanswered({ send: notification('notifications/mcpgen-vectors-unknown') }),
    },
    {
      name: 'cancellation/unknown-request',
      reason: 'The cancellation of an unknown request is ignored.',
      rule: 'notification-answered',
      ignore: calls,
      steps: unanswered({ send: notification('notifications/cancelled', { requestId: UNKNOWN }) }),
    },
    {
      name: 'response/unknown-id',
      reason: 'A response to no request of the client is ignored.',
      rule: 'malformed-blocks',
      ignore: calls,
      steps: unanswered({ send: { jsonrpc: '2.0', id: UNKNOWN, result: {} } }),
    },
    {
      name: 'progress/unknown-token',
      reason: 'Progress of an unknown request is ignored.',
      rule: 'malformed-blocks',
      ignore: calls,
      steps: unanswered({
        send: notification('notifications/progress', { progressToken: UNKNOWN, progress: 1 }),
      }),
    },
    {
      name: 'malformed/text',
      reason: 'A line that is not JSON does not end the client: the next request is answered.',
      rule: 'malformed-blocks',
      severity: 'deviation',
      ignore: [...calls, errorWithoutId(PARSE_ERROR)],
      steps: unanswered({ sendText: 'a line of a log' }),
    },
    {
      name: 'tools/list/cursor',
      reason: 'A client returns the cursor of a page unchanged.',
      rule: 'unknown-cursor',
      ignore: [{ method: 'ping' }],
      steps: [
        ...accepted,
        { expect: { id: match({ capture: 'first', as: ID }), method: 'tools/list' } },
        page('first', { nextCursor: cursor }),
        { expect: { id: match({ capture: 'second', as: ID }), method: 'tools/list', params: { cursor } } },
        page('second', {}),
      ],
    },
    {
      name: 'end-of-input',
      reason: 'A client that speaks over its own streams exits when its input ends.',
      rule: 'stays-after-input-ends',
      ignore: calls,
      steps: [...accepted, { end: true }],
    },
  ];
}

/** Clients in revisions in which each request is complete by itself. */
function statelessClientCases(revision: string): readonly Case[] {
  // The first request may be in another version that the client speaks.
  const anyMeta = {
    'io.modelcontextprotocol/protocolVersion': TEXT,
    'io.modelcontextprotocol/clientCapabilities': OBJECT,
  };
  const meta = { ...anyMeta, 'io.modelcontextprotocol/protocolVersion': revision };
  const first: readonly SessionStep[] = [
    { expect: { jsonrpc: '2.0', id: match({ capture: 'id', as: ID }), method: TEXT } },
    { require: { method: match({ not: 'initialize' }) }, otherwise: 'the client begins with a handshake' },
  ];
  const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  /** Answers `server/discover`, with which a client may begin. */
  const discovered: readonly SessionStep[] = [
    ...first,
    { require: { method: 'server/discover' }, otherwise: 'the client does not begin with server/discover' },
    {
      send: {
        jsonrpc: '2.0',
        id: { $use: 'id' },
        result: { ...common, supportedVersions: [revision], capabilities: { tools: {} } },
      },
    },
  ];
  const page = (id: string, more: JsonObject): SessionStep => ({
    send: { jsonrpc: '2.0', id: { $use: id }, result: { ...common, tools: [TOOL], ...more } },
  });
  const cursor = 'öpaque/=+ "cursor"';
  return [
    {
      name: 'meta/first-request',
      reason: 'Each request has the version and the capabilities of the client in `_meta`.',
      rule: 'invalid-params',
      steps: [
        { expect: anyOf({ method: 'initialize' }, { method: TEXT, params: { _meta: anyMeta } }) },
        { require: { method: match({ not: 'initialize' }) }, otherwise: 'the client begins with a handshake' },
      ],
    },
    {
      name: 'meta/list',
      reason: 'The request of a list has the version and the capabilities in `_meta`.',
      rule: 'invalid-params',
      steps: [...discovered, { expect: { method: 'tools/list', params: { _meta: meta } } }],
    },
    {
      name: 'unsupported-version',
      reason:
        'A client that is refused with the version it speaks does not repeat the request in a version that was not offered.',
      rule: 'version-code',
      severity: 'deviation',
      steps: [
        ...first,
        {
          send: {
            jsonrpc: '2.0',
            id: { $use: 'id' },
            error: {
              code: UNSUPPORTED_VERSION,
              message: 'Unsupported protocol version',
              data: { supported: ['2099-12-31'], requested: revision },
            },
          },
        },
        { silenceMs: QUIET_MS * 2 },
      ],
    },
    {
      name: 'tools/list/cursor',
      reason: 'A client returns the cursor of a page unchanged.',
      rule: 'unknown-cursor',
      steps: [
        ...discovered,
        { expect: { id: match({ capture: 'first', as: ID }), method: 'tools/list' } },
        page('first', { nextCursor: cursor }),
        { expect: { id: match({ capture: 'second', as: ID }), method: 'tools/list', params: { cursor } } },
        page('second', {}),
      ],
    },
    {
      name: 'tools/list/no-result-type',
      reason: 'A result without `resultType` is complete.',
      rule: 'missing-result-type',
      steps: [
        ...discovered,
        { expect: { id: match({ capture: 'first', as: ID }), method: 'tools/list' } },
        {
          send: {
            jsonrpc: '2.0',
            id: { $use: 'first' },
            result: { tools: [TOOL], ttlMs: 0, cacheScope: 'private', nextCursor: 'next' },
          },
        },
        { expect: { id: ID, method: 'tools/list', params: { cursor: 'next' } } },
      ],
    },
    {
      name: 'end-of-input',
      reason: 'A client that speaks over its own streams exits when its input ends.',
      rule: 'stays-after-input-ends',
      ignore: [{ method: TEXT }],
      steps: [...discovered, { end: true }],
    },
  ];
}

/** What a side may send at any time, because the rule under test is another one. */
const ALWAYS: Readonly<Record<VectorSender, readonly JsonValue[]>> = {
  // Logs, changed lists and requests to the client.
  server: [{ method: TEXT }],
  client: [{ method: anyOf('notifications/roots/list_changed', 'notifications/progress', 'notifications/cancelled') }],
};

/** The vectors of sessions of a revision. */
export function sessionVectors(revision: string): readonly SessionVector[] {
  const era = eraOf(revision);
  const isStateful = revision < STATELESS_REVISION;
  const toVector =
    (role: VectorSender) =>
    ({ name, reason, rule, severity = ruleOf(rule).severity, steps, ignore = [] }: Case): SessionVector => ({
      name: `${role}/${name}`,
      reason,
      rule,
      severity,
      section: sectionUrl(rule, revision),
      role,
      ignore: [...ALWAYS[role], ...ignore],
      steps,
    });
  const server = [...(isStateful ? statefulServerCases(era) : statelessServerCases(era)), ...serverCases(era)];
  const client = isStateful ? statefulClientCases(revision) : statelessClientCases(revision);
  return [...server.map(toVector('server')), ...client.map(toVector('client'))];
}

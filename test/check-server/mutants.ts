/** Servers with one broken rule each, as changes of what a correct server reads and writes. */
import process from 'node:process';

/** A message, or a batch. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number };
}

/** What a mutant can do in addition. */
export interface Tools {
  readonly write: (text: string) => void;
}

/** A mutant over stdio. */
export interface StdioMutant {
  readonly start?: (tools: Tools) => void;
  /** A line as it was read; undefined drops it. */
  readonly line?: (line: string, tools: Tools) => string | undefined;
  /** A message as it was read; undefined drops it. */
  readonly request?: (message: Message, tools: Tools) => Message | undefined;
  /** A message that is about to be written. */
  readonly response?: (message: Message, request: Message) => Message | readonly Message[] | undefined;
  readonly isNaive?: boolean;
  readonly takesFirst?: boolean;
  readonly ignoresEnd?: boolean;
  readonly ignoresTerm?: boolean;
}

const fail = ({ id }: Message, code: number): Message =>
  ({ jsonrpc: '2.0', id, error: { code, message: 'No' } }) as Message;
const succeed = ({ id }: Message, result: object): Message => ({ jsonrpc: '2.0', id, result }) as Message;
const changed = (message: Message, result: object): Message => ({
  ...message,
  result: { ...message.result, ...result },
});
/** One probe sends a method that is a number. */
const methodOf = ({ method }: Message): string => String(method);
const isUnknown = (message: Message): boolean => methodOf(message).startsWith('mcpgen/check');
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** Changes the answers to one method. */
function answer(
  method: string,
  change: (message: Message, request: Message) => Message | readonly Message[] | undefined,
): Pick<StdioMutant, 'response'> {
  return { response: (message, request) => (request.method === method ? change(message, request) : message) };
}

/** Changes the tools that are listed. */
function tools(change: (list: readonly Message[]) => readonly object[]): Pick<StdioMutant, 'response'> {
  return answer('tools/list', (message) =>
    message.result === undefined
      ? message
      : changed(message, { tools: change(message.result['tools'] as readonly Message[]) }),
  );
}

const version = ({ params }: Message): string => String(params?.['protocolVersion']);
const isRealVersion = (text: string): boolean => /^202[456]-\d\d-\d\d$/.test(text);
let requests = 0;

/** Mutants over stdio by name. */
export const STDIO_MUTANTS: Readonly<Record<string, StdioMutant>> = {
  'drops-unknown-methods': { request: (message) => (isUnknown(message) ? undefined : message) },
  'accepts-unknown-methods': { response: (message, request) => (isUnknown(request) ? succeed(message, {}) : message) },
  'other-code-for-unknown-methods': {
    response: (message, request) => (isUnknown(request) ? fail(message, -32600) : message),
  },
  'agrees-on-any-version': answer('initialize', (message, request) =>
    isRealVersion(version(request)) ? message : changed(message, { protocolVersion: version(request) }),
  ),
  'refuses-unknown-versions': answer('initialize', (message, request) =>
    isRealVersion(version(request)) ? message : fail(message, -32602),
  ),
  'offers-what-it-refuses': answer('initialize', (message, request) =>
    version(request) === '2025-11-25' ? changed(message, { protocolVersion: '2025-06-18' }) : message,
  ),
  'refuses-ping': answer('ping', (message) => fail(message, -32601)),
  'loses-id-zero': { response: (message) => (message.id === 0 ? { ...message, id: null } : message) },
  'turns-ids-into-numbers': {
    response: (message) => (/^\d+$/.test(String(message.id)) ? { ...message, id: Number(message.id) } : message),
  },
  'answers-notifications': {
    request: (message, { write }) => {
      if (message.id === undefined && methodOf(message).includes('mcpgen'))
        write('{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"No"}}\n');
      return message;
    },
  },
  'has-no-set-level': answer('logging/setLevel', (message) => fail(message, -32601)),
  'accepts-any-log-level': answer('logging/setLevel', (message) => succeed(message, {})),
  'hides-its-tools': answer('initialize', (message) => {
    const { tools: _, ...capabilities } = message.result?.['capabilities'] as Record<string, object>;
    return changed(message, { capabilities });
  }),
  'declares-what-it-lacks': answer('tools/list', (message) => fail(message, -32601)),
  'unknown-tool-is-a-result': answer('tools/call', (message) =>
    succeed(message, { content: [{ type: 'text', text: 'Unknown tool' }], isError: true }),
  ),
  'unknown-tool-succeeds': answer('tools/call', (message) =>
    succeed(message, { content: [{ type: 'text', text: 'Done' }] }),
  ),
  'unknown-tool-has-another-code': answer('tools/call', (message) => fail(message, -32601)),
  'unknown-resource-succeeds': answer('resources/read', (message) => succeed(message, { contents: [] })),
  'unknown-resource-has-another-code': answer('resources/read', (message) => fail(message, -32603)),
  'unknown-prompt-succeeds': answer('prompts/get', (message, request) =>
    request.params?.['name'] === 'plan' ? message : succeed(message, { messages: [] }),
  ),
  'prompt-needs-nothing': answer('prompts/get', (message, request) =>
    request.params?.['name'] === 'plan' ? succeed(message, { messages: [] }) : message,
  ),
  'ignores-cursors': {
    request: (message) => (methodOf(message).endsWith('/list') ? { ...message, params: {} } : message),
  },
  'pages-without-end': {
    request: (message) => (message.method === 'tools/list' ? { ...message, params: {} } : message),
    ...answer('tools/list', (message) => changed(message, { nextCursor: 'again' })),
  },
  'writes-noise': {
    start: ({ write }) => {
      write('starting ...\n');
    },
  },
  'takes-chunks-for-messages': { isNaive: true },
  'reads-only-the-first-line': { isNaive: true, takesFirst: true },
  'exits-on-malformed-lines': {
    line: (line) => {
      try {
        JSON.parse(line);
      } catch {
        process.exit(1);
      }
      return line;
    },
  },
  'hangs-after-malformed-lines': (() => {
    let isStuck = false;
    return {
      line: (line) => {
        try {
          JSON.parse(line);
        } catch {
          isStuck = true;
        }
        return isStuck ? undefined : line;
      },
    };
  })(),
  'runs-without-input': { ignoresEnd: true },
  'ignores-sigterm': { ignoresTerm: true },
  'drops-batches': { line: (line) => (line.startsWith('[') ? undefined : line) },
  'loses-some-of-many': {
    request: (message) => {
      if (message.method !== 'mcpgen/check-burst') return message;
      requests += 1;
      return requests % 7 === 0 ? undefined : message;
    },
  },
  'answers-twice': { response: (message, request) => (request.method === 'tools/list' ? [message, message] : message) },
  'stops-at-cancellations': (() => {
    const seen = new Set<unknown>();
    let isStuck = false;
    return {
      request: (message) => {
        if (message.id !== undefined) seen.add(message.id);
        // Others cancel what it does not know.
        isStuck ||= message.method === 'notifications/cancelled' && seen.has(message.params?.['requestId']);
        return isStuck ? undefined : message;
      },
    };
  })(),
  'answers-what-was-cancelled': (() => {
    const waiting = new Map<unknown, () => void>();
    return {
      request: (message, { write }) => {
        if (message.method === 'notifications/cancelled') waiting.get(message.params?.['requestId'])?.();
        if (message.method !== 'tools/call' || message.params?.['name'] !== 'water') return message;
        const result = { content: [{ type: 'text', text: '{"text":"a"}' }], structuredContent: { text: 'a' } };
        let isAnswered = false;
        const answer = (): void => {
          if (!isAnswered) write(`${JSON.stringify(succeed(message, result))}\n`);
          isAnswered = true;
        };
        waiting.set(message.id, () => setTimeout(answer, 1200));
        // What is not cancelled is answered as well.
        setTimeout(answer, 3000);
        return undefined;
      },
    };
  })(),
  'stops-at-large-messages': (() => {
    let isStuck = false;
    return {
      line: (line) => {
        isStuck ||= line.length > 500_000;
        return isStuck ? undefined : line;
      },
    };
  })(),
  'sends-without-end': {
    request: (message, { write }) => {
      if (message.method === 'notifications/initialized') {
        setInterval(() => {
          write(
            '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n'.repeat(1000),
          );
        }, 5);
      }
      return message;
    },
  },
  'lists-a-tool-twice': tools((list) => [...list, list[0] ?? {}]),
  'has-an-invalid-schema': tools((list) => [
    ...list,
    { name: 'odd', inputSchema: { type: 'object', properties: { a: { type: 'text' } } } },
  ]),
  'has-a-slow-pattern': tools((list) => [
    ...list,
    { name: 'slow', inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } } },
  ]),
  'has-large-tools': tools((list) => list.map((item) => ({ ...item, description: 'x'.repeat(30_000) }))),
  'returns-other-content': answer('tools/call', (message) =>
    message.error === undefined && message.result?.['structuredContent'] !== undefined
      ? changed(message, { structuredContent: { text: 1 } })
      : message,
  ),
  'does-not-validate': answer('tools/call', (message, request) =>
    request.params?.['name'] === 'mcpgen-check-unknown'
      ? message
      : succeed(message, { content: [{ type: 'text', text: '{"text":"a"}' }], structuredContent: { text: 'a' } }),
  ),
  // 2026-07-28
  'has-no-result-type': {
    response: (message) => {
      const { resultType: _, ...result } = message.result ?? {};
      return message.result === undefined ? message : { ...message, result };
    },
  },
  'serves-any-version': {
    request: (message) => {
      const meta = message.params?.['_meta'] as Record<string, unknown> | undefined;
      if (meta === undefined || !Object.hasOwn(meta, VERSION)) return message;
      return { ...message, params: { ...message.params, _meta: { ...meta, [VERSION]: '2026-07-28' } } };
    },
  },
  'refuses-versions-with-another-code': {
    response: (message) => (message.error?.code === -32022 ? fail(message, -32602) : message),
  },
  'needs-no-capabilities': {
    request: (message) => {
      const meta = message.params?.['_meta'] as object | undefined;
      if (meta === undefined) return message;
      const own = { 'io.modelcontextprotocol/clientCapabilities': {}, ...meta };
      return { ...message, params: { ...message.params, _meta: own } };
    },
  },
  'has-no-discover': answer('server/discover', (message) => fail(message, -32601)),
  'does-not-acknowledge': {
    response: (message) => (message.method === 'notifications/subscriptions/acknowledged' ? undefined : message),
  },
  'shuffles-its-tools': tools((list) => [...list].sort(() => Math.random() - 0.5)),
  'lists-other-tools-each-time': tools((list) => [
    ...list,
    { name: `tool-${process.pid}`, inputSchema: { type: 'object' } },
  ]),
  'unknown-resource-is-empty': answer('resources/read', (message) =>
    succeed(message, { contents: [], resultType: 'complete', ttlMs: 0, cacheScope: 'private' }),
  ),
};

/** What a mutant over HTTP receives. */
export interface SentRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

/** A mutant over HTTP. */
export interface HttpMutant {
  readonly request?: (sent: SentRequest) => SentRequest;
  readonly response?: (response: Response, sent: SentRequest) => Response | Promise<Response>;
}

/** A request with other headers; undefined removes one. */
function withHeaders(sent: SentRequest, changes: Readonly<Record<string, string | undefined>>): SentRequest {
  const headers = new Headers(sent.headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  return { ...sent, headers };
}

function withStatus(response: Response, status: number): Response {
  return new Response(response.body, { status, headers: response.headers });
}

function parsed({ body }: SentRequest): Message {
  try {
    return JSON.parse(body) as Message;
  } catch {
    return {};
  }
}

/** The headers that agree with a body of 2026-07-28. */
function agreeing(sent: SentRequest): SentRequest {
  const { method, params } = parsed(sent);
  if (method === undefined || sent.headers.get('mcp-protocol-version') !== '2026-07-28') return sent;
  const name = params?.['name'] ?? params?.['uri'];
  const encoded = `=?base64?${Buffer.from(String(name)).toString('base64')}?=`;
  return withHeaders(sent, { 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': encoded }) });
}

/** Mutants over HTTP by name. */
export const HTTP_MUTANTS: Readonly<Record<string, HttpMutant>> = {
  'serves-any-origin': { request: (sent) => withHeaders(sent, { origin: undefined }) },
  'refuses-origins-with-400': {
    response: (response, { headers }) =>
      response.status === 403 && headers.has('origin') ? withStatus(response, 400) : response,
  },
  'serves-any-host': { request: (sent) => withHeaders(sent, { host: '127.0.0.1' }) },
  'serves-any-version-header': {
    request: (sent) =>
      sent.headers.get('mcp-protocol-version') === '1999-01-01'
        ? withHeaders(sent, { 'mcp-protocol-version': undefined })
        : sent,
  },
  'keeps-sessions': {
    request: (sent) => (sent.method === 'DELETE' ? { ...sent, method: 'GET' } : sent),
    response: async (response, { method }) => {
      if (method !== 'DELETE') return response;
      await response.body?.cancel();
      return new Response(null, { status: 204 });
    },
  },
  'has-one-session-id': {
    response: (response, sent) => {
      if (parsed(sent).method !== 'initialize') return response;
      const headers = new Headers(response.headers);
      headers.set('mcp-session-id', 'the-only-session');
      return new Response(response.body, { status: response.status, headers });
    },
  },
  'answers-notifications-with-200': {
    response: (response) => (response.status === 202 ? new Response('{}', { status: 200 }) : response),
  },
  'has-no-get': {
    response: async (response, { method }) => {
      if (method !== 'GET') return response;
      await response.body?.cancel();
      return new Response('not found', { status: 404 });
    },
  },
  'ignores-headers': { request: agreeing },
  'refuses-headers-with-another-code': {
    response: async (response) => {
      const text = await response
        .clone()
        .text()
        .catch(() => '');
      if (!text.includes('-32020')) return response;
      return new Response(text.replace('-32020', '-32600'), { status: 400, headers: response.headers });
    },
  },
  'does-not-decode-names': {
    response: (response, sent) => {
      if (sent.headers.get('mcp-name')?.startsWith('=?base64?') !== true) return response;
      const error = { jsonrpc: '2.0', id: parsed(sent).id, error: { code: -32020, message: 'Header mismatch' } };
      return Response.json(error, { status: 400 });
    },
  },
  'has-one-status': {
    response: (response, { headers }) =>
      headers.get('mcp-protocol-version') === '2026-07-28' ? withStatus(response, 200) : response,
  },
  'accepts-malformed-bodies': {
    response: (response, sent) => {
      try {
        JSON.parse(sent.body);
        return response;
      } catch {
        return sent.method === 'POST' ? withStatus(response, 200) : response;
      }
    },
  },
  'has-another-content-type': {
    response: (response, { method }) => {
      if (method !== 'POST' || response.status !== 200) return response;
      const headers = new Headers(response.headers);
      if (headers.get('content-type')?.startsWith('application/json') === true)
        headers.set('content-type', 'text/plain');
      return new Response(response.body, { status: 200, headers });
    },
  },
};

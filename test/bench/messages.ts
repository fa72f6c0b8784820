/** Messages of a small session, and how anyone would classify them by hand. */

/** Messages as they come and go in a small session. */
export const MESSAGES: readonly unknown[] = [
  {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } },
      clientInfo: { name: 'bench', title: 'Bench', version: '1.0.0' },
    },
  },
  {
    jsonrpc: '2.0',
    id: 0,
    result: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} },
      serverInfo: { name: 'bench-server', version: '1.0.0' },
      instructions: 'Ask for the weather by city.',
    },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  {
    jsonrpc: '2.0',
    id: 1,
    result: {
      tools: ['weather', 'forecast', 'history'].map((name) => ({
        name,
        title: `The ${name} of a city`,
        description: `Gives the ${name} of a city, in words and as data.`,
        inputSchema: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
          required: ['city'],
        },
        annotations: { readOnlyHint: true },
      })),
    },
  },
  {
    jsonrpc: '2.0',
    id: 'call-2',
    method: 'tools/call',
    params: { name: 'weather', arguments: { city: 'Graz' }, _meta: { progressToken: 7 } },
  },
  {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 7, progress: 1, total: 2, message: 'half' },
  },
  {
    jsonrpc: '2.0',
    id: 'call-2',
    result: {
      content: [{ type: 'text', text: 'Sunny, 21 degrees.' }],
      structuredContent: { sky: 'sunny', degrees: 21 },
      isError: false,
    },
  },
  { jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri: 'file:///readme.md' } },
  {
    jsonrpc: '2.0',
    id: 3,
    result: { contents: [{ uri: 'file:///readme.md', mimeType: 'text/markdown', text: '# Readme\n\nSome text.\n' }] },
  },
  {
    jsonrpc: '2.0',
    id: 9,
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }], maxTokens: 100 },
  },
  { jsonrpc: '2.0', id: 4, error: { code: -32602, message: 'no such tool', data: { name: 'wether' } } },
  { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', logger: 'bench', data: 'done' } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3, reason: 'no longer wanted' } },
];

/** What anyone would write by hand who wanted the same checks as `classify` makes. */
export function classifyByHand(value: unknown): { readonly kind: string; readonly message?: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'invalid' };
  const message = value as Record<string, unknown>;
  if (message['jsonrpc'] !== '2.0') return { kind: 'invalid' };
  const { id, method, params, result, error } = message;
  const validId = typeof id === 'string' || Number.isInteger(id);
  if (method !== undefined) {
    if (typeof method !== 'string' || result !== undefined || error !== undefined) return { kind: 'invalid' };
    if (params !== undefined && !isPlainObject(params)) return { kind: 'invalid' };
    if (id === undefined) return { kind: 'notification', message };
    return validId ? { kind: 'request', message } : { kind: 'invalid' };
  }
  if (result !== undefined) {
    return error === undefined && validId && isPlainObject(result) ? { kind: 'result', message } : { kind: 'invalid' };
  }
  if (!isPlainObject(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
    return { kind: 'invalid' };
  }
  return id === undefined || id === null || validId ? { kind: 'error', message } : { kind: 'invalid' };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const call = { name: 'count', arguments: {} };
export const reconnect = { initialDelayMs: 20, maxDelayMs: 100 };

export const jsonError = (code: number, message: string, id: unknown = null): string =>
  JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id });

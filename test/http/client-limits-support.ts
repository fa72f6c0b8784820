export const call = { name: 'a', arguments: {} };
export const message = (data: string): object => ({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', data },
});

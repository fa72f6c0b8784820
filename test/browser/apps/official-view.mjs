/* global document, window */
// A page on the official class. Before, it sends what no page should send.
import { App } from '@modelcontextprotocol/ext-apps';

const cyclic = { jsonrpc: '2.0', id: 'cyclic', method: 'ping', params: {} };
cyclic.params.self = cyclic;
let bomb = ['x'];
for (let level = 0; level < 60; level += 1) bomb = [bomb, bomb];
let deep = {};
for (let level = 0; level < 1000; level += 1) deep = { deep };
const hostile = [
  cyclic,
  { jsonrpc: '2.0', id: 'bomb', method: 'ping', params: { bomb } },
  { jsonrpc: '2.0', id: 'deep', method: 'ping', params: deep },
  { jsonrpc: '2.0', id: 'date', method: 'ping', params: { at: new Date() } },
  { jsonrpc: '2.0', id: 'sparse', method: 'ping', params: { list: new Array(2 ** 32 - 1) } },
  { jsonrpc: '2.0', id: 9007199254740993n, method: 'ping' },
  { jsonrpc: '2.0', result: new Map(), id: 1 },
  { jsonrpc: '2.0', method: 'ui/notifications/initialized' },
  [{ jsonrpc: '2.0', id: 'batch', method: 'ping' }],
  { source: 'developer-tools' },
  'text',
  null,
  undefined,
];
for (const message of hostile) window.parent.postMessage(message, '*');

const shown = (text) => {
  document.body.append(Object.assign(document.createElement('p'), { textContent: text }));
};
const app = new App({ name: 'official-view', version: '1.0.0' }, {});
app.ontoolinput = ({ arguments: input }) => shown(`input ${input.text}`);
app.ontoolresult = ({ content }) => shown(`result ${content[0].text}`);
app.onhostcontextchanged = ({ theme }) => shown(`theme ${theme}`);
app.onteardown = () => {
  window.parent.postMessage({ tornDown: true }, '*');
  return {};
};
await app.connect();
shown(`host ${app.getHostVersion().name} ${app.getHostContext().theme}`);
const { content } = await app.callServerTool({ name: 'echo', arguments: { text: 'there' } });
shown(`called ${content[0].text}`);

/* global document, URL, window */
// A host on the official classes, as the basic host of the MCP Apps repository: a client of the server, a bridge, and a
// sandbox of another origin around the page.
import { AppBridge, PostMessageTransport, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const INFO = { name: 'basic-host', version: '1.0.0' };
const log = [];

const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const client = new Client(INFO, { capabilities });
await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', window.location.href)));
const { tools } = await client.listTools();

/** Calls a tool and shows its page. */
async function open(name, input, sandboxUrl, hostContext) {
  const tool = tools.find((item) => item.name === name);
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts allow-same-origin allow-forms';
  frame.style = 'width: 100%; height: 40px; border: 0; display: block';
  const isReady = new Promise((resolve) => {
    window.addEventListener('message', ({ source, data }) => {
      if (source === frame.contentWindow && data?.method === 'ui/notifications/sandbox-proxy-ready') resolve();
    });
  });
  frame.src = sandboxUrl;
  document.body.append(frame);
  await isReady;
  const { tools: serverTools, resources: serverResources } = client.getServerCapabilities();
  const bridge = new AppBridge(client, INFO, { serverTools, serverResources, updateModelContext: {} }, { hostContext });
  bridge.onsizechange = ({ width, height }) => {
    log.push({ size: { width, height } });
    frame.style.height = `${height}px`;
  };
  bridge.onupdatemodelcontext = ({ content }) => {
    log.push({ context: content });
    return {};
  };
  bridge.onerror = (error) => log.push({ error: String(error) });
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await bridge.sendSandboxResourceReady({ html: contents[0].text, csp: contents[0]._meta?.ui?.csp });
  await initialized;
  log.push({ initialized: bridge.getAppVersion().name });
  await bridge.sendToolInput({ arguments: input });
  const result = await client.callTool({ name, arguments: input });
  await bridge.sendToolResult(result);
  Object.assign(window.basicHost, { bridge, frame, result });
}

window.basicHost = { open, log, declared: client.getServerCapabilities() };

/* global document, window */
// A host on the generated code, without a sandbox proxy: the page runs in a frame without an origin.
import { createHost } from 'generated/ui/host.ts';
import { postMessageTransport } from 'generated/runtime/post-message.ts';

const log = [];

async function open(html) {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.srcdoc = html;
  document.body.append(frame);
  const host = createHost({
    handlers: {
      'ui/initialize': ({ appInfo }) => {
        log.push({ initialize: appInfo.name });
        return {
          protocolVersion: '2026-01-26',
          hostInfo: { name: 'own-host', version: '1.0.0' },
          hostCapabilities: { serverTools: {} },
          hostContext: { theme: 'dark' },
        };
      },
      'tools/call': ({ name, arguments: input }) => ({ content: [{ type: 'text', text: `${name} ${input?.text}` }] }),
    },
    notifications: {
      'ui/notifications/size-changed': ({ height }) => {
        log.push({ height: height > 0 });
      },
    },
    onEvent: ({ kind, invalid }) => {
      log.push({ event: kind, code: invalid?.code });
    },
  });
  const view = await host.connect(postMessageTransport(frame.contentWindow));
  try {
    view.notify('ui/notifications/tool-input', { arguments: {} });
  } catch (error) {
    log.push({ tooEarly: error.message });
  }
  await view.ready;
  view.notify('ui/notifications/tool-input', { arguments: { text: 'hello' } });
  view.notify('ui/notifications/tool-result', { content: [{ type: 'text', text: 'shown' }] });
  Object.assign(window.ownHost, { view, frame });
}

window.ownHost = { open, log };

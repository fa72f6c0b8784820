/** The server of `soak:http`, in a separate process, which reports its memory when it receives a message. */
import { serveHttp } from '../../generated/runtime/http-node.js';
import { createHttpHandler } from '../../generated/runtime/http-server.js';
import { fixtureServer } from '../http/server-support.js';

const handler = createHttpHandler({
  server: () =>
    fixtureServer(undefined, {
      handlers: {
        'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: String(args?.['text']) }] }),
      },
    }),
});
const { url } = await serveHttp(handler, { port: 0 });
process.send?.({ url: url.href });
process.on('message', () => {
  // Twice, since what the first finds dead may have held more.
  globalThis.gc?.();
  setImmediate(() => {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ rss, heapUsed, load: handler.load });
  });
});
process.on('disconnect', () => process.exit());

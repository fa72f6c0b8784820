/** Serves a recording: the mock server over stdio, and over Streamable HTTP. */
import { revision as revision20251125 } from '../../generated/2025-11-25/revision.js';
import { createHttpHandler, type HttpHandlerOptions } from '../../generated/runtime/http-server.js';
import { serveHttp, type ListeningServer } from '../../generated/runtime/http-node.js';
import { classifyMessage } from '../../generated/runtime/jsonrpc/parse.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import { REVISIONS } from '../revisions.js';
import { MockConnection, RecordedServer } from './mock.js';
import type { Script } from './script.js';

/** Serves one client over standard input and output. Resolves when it has closed the connection. */
export async function serveStdio(
  scripts: readonly Script[],
  warn: (text: string) => void,
  transport: Transport = stdioServerTransport(),
): Promise<void> {
  const connection = new MockConnection(new RecordedServer(scripts, warn), transport);
  await new Promise<void>((resolve, reject) => {
    transport.onclose = resolve;
    connection.start().catch(reject);
  });
}

type HttpServer = Exclude<HttpHandlerOptions['server'], (...args: never) => unknown>;

/**
 * Serves a recording over Streamable HTTP, only for this machine. Each session begins the recording anew; requests of
 * stateless revisions continue it.
 *
 * @param port - 0 chooses a free one.
 */
export async function serveRecording(
  scripts: readonly Script[],
  port: number,
  warn: (text: string) => void,
): Promise<ListeningServer> {
  const shared = new RecordedServer(scripts, warn);
  const recordedRevision = scripts.find(({ revision }) => revision !== undefined)?.revision;
  // The revision that was recorded decides whether there are sessions.
  const spoken = REVISIONS.filter(({ version }) => version === recordedRevision);
  const revisions = spoken.length === 0 ? REVISIONS : spoken;
  const server = {
    revisions,
    settings: {},
    connect: async (transport: Transport, version?: string) => {
      const recorded = version === undefined ? new RecordedServer(scripts, warn) : shared;
      const connection = new MockConnection(recorded, transport);
      await connection.start();
      return {
        get revision() {
          return version ?? connection.revision;
        },
        classifyMessage: (value: unknown) => {
          const spokenVersion = version ?? connection.revision ?? recordedRevision;
          const { classify } = revisions.find((item) => item.version === spokenVersion) ?? revision20251125;
          return classifyMessage(value, { classify });
        },
        close: () => connection.close(),
      };
    },
  };
  // The handler uses no more of a server and its connections than this.
  const handler = createHttpHandler({ server: server as unknown as HttpServer, path: '/mcp' });
  return serveHttp(handler, { port, path: '/mcp' });
}

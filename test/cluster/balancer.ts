/**
 * A load balancer without sticky sessions: each request goes to the next process. It tries another one only if a
 * connection is refused, and answers 502 if a connection breaks before the response.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running load balancer. */
export interface Balancer {
  readonly port: number;
  /** Requests that each port was sent. */
  readonly sent: ReadonlyMap<number, number>;
  /**
   * Streams that a client may not resume: those that broke before anything of them was received, so that there is nothing
   * to resume after, and attempts to resume one that broke as well or were answered with an error of the server, of which a
   * client makes only a few.
   */
  readonly unresumed: number;
  /** Breaks the connections of all clients that receive a stream now. Returns how many. */
  readonly breakStreams: () => number;
  readonly close: () => Promise<void>;
}

/** @param ports - Those of the processes, whether they run or not. */
export async function startBalancer(ports: () => readonly number[]): Promise<Balancer> {
  let turn = 0;
  let unresumed = 0;
  const sent = new Map<number, number>();
  const streams = new Set<http.ServerResponse>();
  const agent = new http.Agent({ keepAlive: false });

  const forward = (
    request: http.IncomingMessage,
    response: http.ServerResponse,
    body: Buffer,
    candidates: readonly number[],
  ): void => {
    const [port, ...others] = candidates;
    if (port === undefined) {
      response.writeHead(502).end('no process accepts connections');
      return;
    }
    sent.set(port, (sent.get(port) ?? 0) + 1);
    const { method, url, headers } = request;
    const isResuming = method === 'GET' && headers['last-event-id'] !== undefined;
    const upstream = http.request({ host: '127.0.0.1', port, method, path: url, headers, agent });
    const abandon = (): void => {
      upstream.destroy();
    };
    response.once('close', abandon);
    upstream.once('response', (answer) => {
      const { statusCode = 502 } = answer;
      if (isResuming && statusCode >= 500) unresumed += 1;
      response.writeHead(statusCode, answer.headers);
      const isStream = answer.headers['content-type'] === 'text/event-stream';
      let isEmpty = true;
      answer.once('data', () => {
        isEmpty = false;
      });
      if (isStream) {
        response.flushHeaders();
        streams.add(response);
      }
      answer.pipe(response);
      // The client sees that the response is not complete.
      answer.once('error', () => response.destroy());
      answer.once('close', () => {
        streams.delete(response);
        if (answer.complete) return;
        if (isStream && !response.destroyed && (isEmpty || isResuming)) unresumed += 1;
        response.destroy();
      });
    });
    upstream.once('error', (error: NodeJS.ErrnoException) => {
      response.off('close', abandon);
      if (response.headersSent || response.destroyed) response.destroy();
      else if (error.code === 'ECONNREFUSED') forward(request, response, body, others);
      else {
        if (isResuming) unresumed += 1;
        response.writeHead(502).end(`the connection to the process broke: ${error.code ?? error.message}`);
      }
    });
    upstream.end(body);
  };

  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const all = ports();
      const first = turn % all.length;
      turn += 1;
      forward(request, response, Buffer.concat(chunks), [...all.slice(first), ...all.slice(0, first)]);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sent,
    get unresumed() {
      return unresumed;
    },
    breakStreams: () => {
      const open = [...streams];
      for (const response of open) response.destroy();
      return open.length;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}

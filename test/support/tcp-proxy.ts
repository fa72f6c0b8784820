/** A TCP proxy that delays what it forwards, and can break its connections. */
import net from 'node:net';

/** A running proxy. */
export interface TcpProxy {
  readonly port: number;
  /** Milliseconds that each chunk is delayed, in one direction. */
  delayMs: number;
  /** Breaks all connections. */
  readonly breakAll: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a proxy to a port of this machine. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((inbound) => {
    const outbound = net.connect(target, '127.0.0.1');
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(from);
      const waiting: Buffer[] = [];
      from.on('data', (chunk) => {
        const delayMs = from === inbound ? proxy.delayMs : 0;
        // What comes after the delay has ended does not overtake what is still delayed.
        if (delayMs === 0 && waiting.length === 0) {
          to.write(chunk);
          return;
        }
        waiting.push(chunk);
        setTimeout(() => {
          const first = waiting.shift();
          if (first !== undefined) to.write(first);
        }, delayMs);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: TcpProxy = {
    port: (server.address() as net.AddressInfo).port,
    delayMs: 0,
    breakAll,
    close: () => {
      breakAll();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
  return proxy;
}

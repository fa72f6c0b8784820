import { stdioClientTransport } from '../../templates/runtime/stdio-client.js';
import type { StdioClientOptions, StdioClientTransport } from '../../templates/runtime/stdio-client.js';
import { recordEvents } from './stdio-support.js';
import type { TransportEvents } from './stdio-support.js';

export const call = (id: number): { jsonrpc: '2.0'; id: number; method: string } => ({
  jsonrpc: '2.0',
  id,
  method: 'ping',
});

/** Programs for `node -e`. */
export const ECHO = 'process.stdin.pipe(process.stdout);';
export const DEAF_TO_TERM = 'process.on("SIGTERM", () => undefined);';
export const say = (text: string): string => `process.stdout.write(${JSON.stringify(`${text}\n`)});`;
export const READY = say('"ready"');

export interface Setup extends TransportEvents {
  readonly transport: StdioClientTransport;
}

export async function client(program: string, options: Partial<StdioClientOptions> = {}): Promise<Setup> {
  const transport = stdioClientTransport({ command: process.execPath, args: ['-e', program], ...options });
  const ears = recordEvents(transport);
  await transport.start();
  return { transport, ...ears };
}

/** Runs the echo server, has a message sent back, closes, and has nothing else to do. Argument: `abandon` does not close. */
import { fileURLToPath } from 'node:url';
import { stdioClientTransport } from '../../../templates/runtime/stdio-client.js';

const deaf =
  'process.on("SIGTERM", () => process.exit()); setInterval(() => undefined, 1000); process.stdin.on("data", (chunk) => process.stdout.write(chunk))';
const server = fileURLToPath(new URL('echo-server.ts', import.meta.url));
const abandons = process.argv[2] === 'abandon';
const args = abandons ? ['-e', deaf] : [...process.execArgv, server];
const transport = stdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
transport.onmessage = (value) => {
  console.log(JSON.stringify({ value, pid: transport.pid }));
  if (abandons) process.exit(0);
  void transport.close().then(() => {
    console.log('closed');
  });
};
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });

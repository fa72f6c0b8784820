/**
 * Runs the echo server, has a message sent back, closes, and has nothing else to do. Arguments: `abandon` exits without
 * closing; with `stubborn` after it, the server ignores SIGTERM too; `wait stubborn` does not even exit.
 */
import { fileURLToPath } from 'node:url';
import { stdioClientTransport } from '../../../templates/runtime/stdio-client.js';

const [, , mode, kind] = process.argv;
const deaf =
  `process.on("SIGTERM", () => ${kind === 'stubborn' ? '0' : 'process.exit()'}); ` +
  'setInterval(() => undefined, 1000); process.stdin.on("data", (chunk) => process.stdout.write(chunk))';
const server = fileURLToPath(new URL('echo-server.js', import.meta.url));
const args = mode !== undefined ? ['-e', deaf] : [server];
const transport = stdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
transport.onmessage = (value) => {
  console.log(JSON.stringify({ value, pid: transport.pid }));
  if (mode === 'abandon') process.exit(0);
  if (mode === 'wait') return;
  void transport.close().then(() => {
    console.log('closed');
  });
};
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });

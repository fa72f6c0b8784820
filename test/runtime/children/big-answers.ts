/** Answers each line with 100 kB, and says after each how many came and how much memory is in use. */
import { appendFileSync } from 'node:fs';
import { stdioServerTransport } from '../../../templates/runtime/stdio-server.js';

const report = process.argv[2] ?? '';
const padding = 'x'.repeat(100_000);
let count = 0;
const transport = stdioServerTransport();
transport.onmessage = () => {
  count += 1;
  void transport.send({ jsonrpc: '2.0', id: count, result: { padding } });
  appendFileSync(report, `${count} ${process.memoryUsage().rss}\n`);
};
await transport.start();

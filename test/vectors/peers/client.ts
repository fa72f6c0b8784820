/** Our client over its own standard streams, for vectors of sessions: it lists all tools, and stays until its input ends. */
import { createClient } from '../../../generated/2026-07-28/client.js';
import { stdioServerTransport } from '../../../generated/runtime/stdio-server.js';
import { revisionsNamed, REVISION_NAMES } from '../../interop/peers/revisions.js';

const names = process.argv.slice(2);
const client = createClient({
  info: { name: 'gardener', version: '1.0.0' },
  revisions: revisionsNamed(names.length === 0 ? REVISION_NAMES : names),
  handlers: {},
});

try {
  // The transport of a server reads standard input and writes standard output.
  await client.connect(stdioServerTransport());
  for await (const tool of client.listAllTools()) process.stderr.write(`${tool.name}\n`);
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
}

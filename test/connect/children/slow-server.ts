/** A server whose tools take their time. Arguments: the revisions it speaks, by commas; milliseconds to drain. */
import process from 'node:process';
import { Server } from '../../../generated/runtime/server.js';
import type { HandlerContext } from '../../../generated/runtime/server.js';
import { stdioServerTransport } from '../../../generated/runtime/stdio-server.js';
import { ALL_REVISIONS } from './revisions.js';

const [versions = '', drainMs = ''] = process.argv.slice(2);

async function call({ name }: { readonly name: string }, context: HandlerContext): Promise<object> {
  context.signal.addEventListener('abort', () => {
    console.error('aborted');
  });
  if (name === 'never') await new Promise(() => undefined);
  else if (name === 'roots') {
    try {
      await context.roots();
    } catch (error) {
      return { content: [{ type: 'text', text: (error as Error).name }] };
    }
  } else if (name === 'log') console.log('stray');
  else await new Promise((resolve) => setTimeout(resolve, Number(name)));
  return { content: [{ type: 'text', text: name }] };
}

const server = new Server(
  ALL_REVISIONS.filter(({ version }) => versions.split(',').includes(version)),
  {
    info: { name: 'slow', version: '1' },
    handlers: { 'tools/call': call },
    onEvent: ({ kind }) => {
      console.error(kind);
    },
  },
);
const session = await server.connect(stdioServerTransport(drainMs === '' ? {} : { drainMs: Number(drainMs) }));
void session.closed.then(() => {
  // The transport looks after a broken log as long as it is open only.
  process.stderr.on('error', () => undefined);
  console.error('closed');
});

/** A server with one tool, over stdio. `tool-use.ts` runs it. */
import { createServer } from '../generated/2025-11-25/server.js';
import { RpcError, STANDARD_ERROR_CODES } from '../generated/runtime/jsonrpc/error-codes.js';
import { stdioServerTransport } from '../generated/runtime/stdio-server.js';

const DEGREES: ReadonlyMap<unknown, number> = new Map([
  ['Graz', 21],
  ['Oslo', 9],
]);

const server = createServer({
  info: { name: 'weather', version: '1.0.0' },
  handlers: {
    'tools/list': () => ({
      tools: [
        {
          name: 'weather',
          description: 'How warm it is in a city.',
          inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      ],
    }),
    'tools/call': ({ name, arguments: args }) => {
      // There is nothing that could fail: the request itself is wrong.
      if (name !== 'weather') throw new RpcError(STANDARD_ERROR_CODES.INVALID_PARAMS, `Unknown tool: ${name}`);
      const degrees = DEGREES.get(args?.['city']);
      // The tool ran and failed. That is a result, so that the model reads it and can do better.
      if (degrees === undefined) {
        return { isError: true, content: [{ type: 'text', text: 'No such city. There are Graz and Oslo.' }] };
      }
      return { content: [{ type: 'text', text: `${degrees} degrees` }] };
    },
  },
});

await server.connect(stdioServerTransport());

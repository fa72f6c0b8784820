/** Our server over stdio in every revision, for vectors of sessions. */
import { createServer } from '../../../generated/2026-07-28/server.js';
import { compileSchema } from '../../../generated/runtime/json-schema.js';
import {
  definePrompt,
  defineResource,
  defineTool,
  promptHandlers,
  resourceHandlers,
  toolHandlers,
  type TypedSchema,
} from '../../../generated/runtime/registry.js';
import { stdioServerTransport } from '../../../generated/runtime/stdio-server.js';
import { ALL_REVISIONS } from '../../interop/peers/revisions.js';

const schema = { type: 'object', properties: { plant: { type: 'string' } }, required: ['plant'] };
const INPUT = { schema, validate: compileSchema(schema) } as TypedSchema<{ plant: string }>;

/** A server with everything, or with nothing if the command line says so. */
const isBare = process.argv[2] === 'bare';

const server = createServer({
  info: { name: 'garden', version: '1.0.0' },
  revisions: ALL_REVISIONS,
  ...(isBare ? {} : { capabilities: JSON.parse('{"logging":{}}') as object }),
  handlers: isBare
    ? {}
    : {
        ...toolHandlers([
          defineTool({ name: 'water', description: 'Waters a plant.', input: INPUT, run: ({ plant }) => plant }),
        ]),
        ...resourceHandlers([defineResource({ uri: 'garden://map', name: 'map', read: () => 'four beds' })]),
        ...promptHandlers([definePrompt({ name: 'plan', render: () => 'Plan the year.' })]),
      },
});

await server.connect(stdioServerTransport());

/** Tools that look like those of published servers. */
import type { JsonObject } from '../../generator/read/json/json.js';

const text = { type: 'string' };
const page = { page: { type: 'integer', minimum: 1 }, perPage: { type: 'integer', minimum: 1, maximum: 100 } };

export const TOOLS: readonly { readonly name: string; readonly inputSchema: JsonObject }[] = [
  {
    name: 'read_file',
    inputSchema: object({ path: text, head: { type: 'number' }, tail: { type: 'number' } }, ['path']),
  },
  {
    name: 'edit_file',
    inputSchema: object(
      {
        path: text,
        edits: { type: 'array', items: object({ oldText: text, newText: text }, ['oldText', 'newText']) },
        dryRun: { type: 'boolean', default: false },
      },
      ['path', 'edits'],
    ),
  },
  {
    name: 'create_entities',
    inputSchema: object(
      {
        entities: {
          type: 'array',
          items: object({ name: text, entityType: text, observations: { type: 'array', items: text } }, [
            'name',
            'entityType',
            'observations',
          ]),
        },
      },
      ['entities'],
    ),
  },
  {
    name: 'list_issues',
    inputSchema: object(
      {
        owner: text,
        repo: text,
        state: { enum: ['open', 'closed', 'all'] },
        labels: { type: 'array', items: text },
        sort: { enum: ['created', 'updated', 'comments'] },
        ...page,
      },
      ['owner', 'repo'],
    ),
  },
  {
    name: 'search',
    inputSchema: object(
      {
        query: { type: 'string', minLength: 1, maxLength: 500 },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        sources: {
          type: 'array',
          items: {
            anyOf: [
              object({ type: { const: 'web' }, tbs: text }, ['type']),
              object({ type: { const: 'news' } }, ['type']),
              object({ type: { const: 'images' }, size: { enum: ['small', 'large'] } }, ['type']),
            ],
          },
        },
        country: { type: ['string', 'null'], pattern: '^[A-Z]{2}$' },
      },
      ['query'],
    ),
  },
  {
    name: 'query_database',
    inputSchema: object(
      {
        id: text,
        filter: { $ref: '#/$defs/filter' },
        sorts: {
          type: 'array',
          items: object({ property: text, direction: { enum: ['ascending', 'descending'] } }, ['property']),
        },
      },
      ['id'],
      {
        $defs: {
          filter: {
            anyOf: [
              object({ property: text, equals: { type: ['string', 'number', 'boolean'] } }, ['property', 'equals']),
              object({ and: { type: 'array', items: { $ref: '#/$defs/filter' } } }, ['and']),
            ],
          },
        },
      },
    ),
  },
];

/** A closed object. */
function object(properties: JsonObject, required: readonly string[], more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false, ...more };
}

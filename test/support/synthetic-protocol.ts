/** Protocols and lists of tools of any size, to measure how time and memory grow. */
import type { JsonObject } from '../../generator/read/json/json.js';

export interface SyntheticProtocol {
  readonly schema: JsonObject;
  readonly catalog: JsonObject;
}

const text = { type: 'string', description: 'A text of one line.' };

/** Definitions of one method: of ten, two are its params and result, and one is a union of five others. */
const PER_METHOD = 10;

/**
 * A protocol with the constructs of real ones: objects that refer to each other, a union whose variants differ in a constant, an
 * enumeration, lists, maps and a recursive definition for each method.
 *
 * @param definitions - How many, a multiple of ten.
 */
export function syntheticProtocol(definitions: number): SyntheticProtocol {
  const all: Record<string, JsonObject> = {};
  const methods: JsonObject[] = [];
  const count = definitions / PER_METHOD;
  for (let index = 0; index < count; index += 1) {
    const other = (index * 7 + 3) % count;
    const name = (kind: string, of = index): string => `${kind}${of}`;
    const ref = (kind: string, of = index): JsonObject => ({ $ref: `#/$defs/${name(kind, of)}` });
    const kinds = ['Text', 'Image', 'Link'] as const;
    for (const kind of kinds) {
      all[name(kind)] = {
        type: 'object',
        description: `Content of kind ${kind}.`,
        properties: {
          type: { type: 'string', const: kind.toLowerCase() },
          value: text,
          size: { type: 'integer', minimum: 0 },
          level: ref('Level'),
        },
        required: ['type', 'value'],
      };
    }
    all[name('Level')] = { type: 'string', enum: ['debug', 'info', 'warning', 'error'] };
    all[name('Content')] = { anyOf: kinds.map((kind) => ref(kind)) };
    all[name('Item')] = {
      type: 'object',
      description: 'An item of a list.',
      properties: {
        name: { type: 'string', pattern: '^[a-z]+$' },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 10 },
        content: ref('Content'),
        related: ref('Item', other),
        count: { type: ['integer', 'null'] },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
      required: ['name', 'content'],
    };
    all[name('Tree')] = {
      type: 'object',
      properties: { item: ref('Item'), children: { type: 'array', items: ref('Tree') } },
      required: ['item'],
    };
    all[name('Filter')] = {
      type: 'object',
      properties: { level: ref('Level'), limit: { type: 'integer', minimum: 1, maximum: 100 } },
    };
    all[`${name('Find')}Params`] = {
      type: 'object',
      properties: { filter: ref('Filter'), text },
      required: ['text'],
    };
    all[`${name('Find')}Result`] = {
      type: 'object',
      properties: { items: { type: 'array', items: ref('Item') }, tree: ref('Tree') },
      required: ['items'],
    };
    methods.push({
      method: `items/find${index}`,
      kind: 'request',
      direction: index % 3 === 0 ? 'serverToClient' : 'clientToServer',
      params: `${name('Find')}Params`,
      result: `${name('Find')}Result`,
      capability: null,
      summary: 'Finds items.',
    });
  }
  return {
    schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: all },
    catalog: { protocol: 'Growth', revision: 'r1', traits: {}, methods, errors: [] },
  };
}

/** Tools with arguments as published servers have them. */
export function syntheticTools(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `find_items_${index}`,
    title: `Find items ${index}`,
    description: 'Finds items whose names match a pattern, and returns what it found in them.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 500, description: 'What to find' },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        state: { enum: ['open', 'closed', 'all'] },
        labels: { type: 'array', items: { type: 'string' } },
        filter: { $ref: '#/$defs/filter' },
      },
      required: ['query'],
      additionalProperties: false,
      $defs: {
        filter: {
          anyOf: [
            { type: 'object', properties: { equals: { type: ['string', 'number'] } }, required: ['equals'] },
            {
              type: 'object',
              properties: { and: { type: 'array', items: { $ref: '#/$defs/filter' } } },
              required: ['and'],
            },
          ],
        },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  }));
}

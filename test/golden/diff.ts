/** Pairs of schemas, each with one change or one form of change. */
import type { JsonObject } from '../../generator/read/json/json.js';

type Pairs = Readonly<Record<string, readonly [before: JsonObject, after: JsonObject]>>;

const text: JsonObject = { type: 'string' };
const integer: JsonObject = { type: 'integer' };
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const object = (properties: JsonObject, required: readonly string[] = [], others: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  ...others,
});

/** A member `a` that changes. */
const member = (before: JsonObject | boolean, after: JsonObject | boolean): readonly [JsonObject, JsonObject] => [
  { Thing: object({ a: before }, ['a']) },
  { Thing: object({ a: after }, ['a']) },
];

const thing = (before: JsonObject, after: JsonObject): readonly [JsonObject, JsonObject] => [
  { Thing: before },
  { Thing: after },
];

const circle = object({ kind: { const: 'circle' }, r: { type: 'number' } }, ['kind', 'r']);
const square = object({ kind: { const: 'square' }, side: { type: 'number' } }, ['kind', 'side']);

const members: Pairs = {
  'optional member added': thing(object({ a: text }), object({ a: text, b: integer })),
  'required member added': thing(object({ a: text }), object({ a: text, b: integer }, ['b'])),
  'member added where others were limited': thing(
    object({ a: text }, [], { additionalProperties: text }),
    object({ a: text, b: integer }, [], { additionalProperties: text }),
  ),
  'member added that others allowed': thing(
    object({ a: text }, [], { additionalProperties: integer }),
    object({ a: text, b: integer }, [], { additionalProperties: integer }),
  ),
  'member added to a closed object': thing(
    object({ a: text }, [], { additionalProperties: false }),
    object({ a: text, b: integer }, [], { additionalProperties: false }),
  ),
  'optional member removed': thing(object({ a: text, b: integer }), object({ a: text })),
  'required member removed': thing(object({ a: text, b: integer }, ['b']), object({ a: text })),
  'member removed from a closed object': thing(
    object({ a: text, b: integer }, [], { additionalProperties: false }),
    object({ a: text }, [], { additionalProperties: false }),
  ),
  'required member removed from a closed object': thing(
    object({ a: text, b: integer }, ['b'], { additionalProperties: false }),
    object({ a: text }, [], { additionalProperties: false }),
  ),
  'member became required': thing(object({ a: text }), object({ a: text }, ['a'])),
  'member became optional': thing(object({ a: text }, ['a']), object({ a: text })),
  'member deprecated': thing(object({ a: text }), object({ a: { ...text, deprecated: true } })),
  'definition deprecated': thing(text, { ...text, deprecated: true }),
  'default added': thing(object({ a: text }), object({ a: { ...text, default: 'x' } })),
  'default changed': thing(object({ a: { ...text, default: 'x' } }), object({ a: { ...text, default: { b: 1 } } })),
  'default removed': thing(object({ a: { ...text, default: 'x' } }), object({ a: text })),
  'object closed': thing(object({ a: text }), object({ a: text }, [], { additionalProperties: false })),
  'object opened': thing(object({ a: text }, [], { additionalProperties: false }), object({ a: text })),
  'other members limited': thing(object({}), object({}, [], { additionalProperties: integer })),
  'other members changed': thing(
    object({}, [], { additionalProperties: text }),
    object({}, [], { additionalProperties: integer }),
  ),
  'odd names': thing(object({ 'a b': text, $x: text }), object({ 'a b': integer, $x: integer })),
  'description only': thing({ ...text, description: 'One.' }, { ...text, description: 'Two.' }),
};

const types: Pairs = {
  'text to number': member(text, { type: 'number' }),
  'integer to number': member(integer, { type: 'number' }),
  'number to integer': member({ type: 'number' }, integer),
  'text or null': member(text, { type: ['string', 'null'] }),
  'no longer null': member({ type: ['string', 'null'] }, text),
  'anything to text': member({}, text),
  'text to anything': member(text, {}),
  'text to never': member(text, false),
  'text to list': member(text, { type: 'array', items: text }),
  'text or list': member(text, { anyOf: [text, { type: 'array', items: text }] }),
  'object to map': member(object({ b: text }), { type: 'object', additionalProperties: text }),
  'items changed': member({ type: 'array', items: text }, { type: 'array', items: integer }),
  'items of objects': member(
    { type: 'array', items: object({ x: text }) },
    { type: 'array', items: object({ x: integer }) },
  ),
  'constant changed': member({ const: 'a' }, { const: 'b' }),
  'constant to text': member({ const: 'a' }, text),
  'text to constants': member(text, { enum: ['a', 'b'] }),
  'boolean to true': member({ type: 'boolean' }, { const: true }),
  'values added': member({ enum: ['a', 'b'] }, { enum: ['a', 'b', 'c'] }),
  'values removed': member({ enum: ['a', null] }, { enum: ['a'] }),
  'tuple to list': member(
    { type: 'array', prefixItems: [text, integer], items: false },
    { type: 'array', items: text },
  ),
  'position of a tuple': member(
    { type: 'array', prefixItems: [text, integer] },
    { type: 'array', prefixItems: [text, text] },
  ),
  'condition added': member(text, { ...text, not: { const: 'x' } }),
  'condition removed': member({ ...text, not: { const: 'x' } }, text),
  'condition changed': member({ ...text, not: { const: 'x' } }, { ...text, not: { const: 'y' } }),
  'condition kept': member({ ...text, not: { const: 'x' } }, { ...text, not: { const: 'x' } }),
  'condition of a definition': [
    { Thing: object({ a: ref('Name') }), Name: { ...text, not: { const: 'x' } } },
    { Thing: object({ a: ref('Name') }), Name: { ...text, if: { minLength: 2 }, then: { pattern: '^a' } } },
  ],
  'pattern members': member(
    { type: 'object', patternProperties: { '^x': text } },
    { type: 'object', patternProperties: { '^x': integer } },
  ),
  'pattern members added': member({ type: 'object' }, { type: 'object', patternProperties: { '^x': integer } }),
  'pattern members removed': member(
    { type: 'object', patternProperties: { '^x': integer }, additionalProperties: text },
    { type: 'object', additionalProperties: text },
  ),
  'parts of an intersection': thing(
    { allOf: [object({ a: text }), object({ b: text })] },
    { allOf: [object({ a: integer }), object({ b: text, c: text })] },
  ),
};

const limits: Pairs = {
  'length limited': member(text, { ...text, maxLength: 3 }),
  'length raised': member({ ...text, maxLength: 3 }, { ...text, maxLength: 5 }),
  'length lowered': member({ ...text, minLength: 3 }, { ...text, minLength: 5 }),
  'pattern added': member(text, { ...text, pattern: '^a' }),
  'pattern changed': member({ ...text, pattern: '^a' }, { ...text, pattern: '^b' }),
  'format changed': member({ ...text, format: 'uri' }, { ...text, format: 'email' }),
  'encoding added': member(text, { ...text, contentEncoding: 'base64', contentMediaType: 'image/png' }),
  'minimum raised': member({ ...integer, minimum: 1 }, { ...integer, minimum: 2 }),
  'minimum exclusive': member({ type: 'number', minimum: 1 }, { type: 'number', exclusiveMinimum: 1 }),
  'maximum lowered': member({ type: 'number', maximum: 10, exclusiveMaximum: 9 }, { type: 'number', maximum: 5 }),
  'multiple refined': member({ ...integer, multipleOf: 2 }, { ...integer, multipleOf: 4 }),
  'multiple coarsened': member({ ...integer, multipleOf: 6 }, { ...integer, multipleOf: 3 }),
  'multiple changed': member({ ...integer, multipleOf: 2 }, { ...integer, multipleOf: 3 }),
  'items counted': member({ type: 'array', items: text }, { type: 'array', items: text, minItems: 1 }),
  'items limited': member({ type: 'array', items: text }, { type: 'array', items: text, maxItems: 2 }),
  'members limited': member({ type: 'object' }, { type: 'object', maxProperties: 2 }),
  'items unique': member({ type: 'array', items: integer }, { type: 'array', items: integer, uniqueItems: true }),
  'items no longer unique': member({ type: 'array', uniqueItems: true }, { type: 'array', uniqueItems: false }),
  'members counted': member(
    { type: 'object', maxProperties: 5 },
    { type: 'object', minProperties: 1, maxProperties: 5 },
  ),
};

const unions: Pairs = {
  'variant added': [
    { Circle: circle, Square: square, Shape: { anyOf: [ref('Circle')] } },
    { Circle: circle, Square: square, Shape: { anyOf: [ref('Circle'), ref('Square')] } },
  ],
  'variant removed': [
    { Circle: circle, Square: square, Shape: { anyOf: [ref('Circle'), ref('Square'), text] } },
    { Circle: circle, Square: square, Shape: { anyOf: [ref('Square'), text] } },
  ],
  'variant changed inside': thing(
    { anyOf: [circle, square] },
    { anyOf: [square, object({ kind: { const: 'circle' }, r: integer, fill: text }, ['kind', 'r', 'fill'])] },
  ),
  'variants by likeness': thing(
    { anyOf: [object({ a: text, b: text, c: text }), object({ x: text, y: text })] },
    { anyOf: [object({ x: text, y: integer }), object({ a: text, b: text, d: text })] },
  ),
  'variants by kind': thing(
    { anyOf: [text, { type: 'array', items: text }] },
    {
      anyOf: [
        { type: 'array', items: integer },
        { ...text, minLength: 1 },
      ],
    },
  ),
  'nothing in common': thing({ anyOf: [text, integer] }, { anyOf: [{ type: 'boolean' }, { type: 'null' }] }),
  'nested unions': thing(
    { anyOf: [{ anyOf: [text, integer] }, { type: 'null' }] },
    { oneOf: [text, integer, { type: 'boolean' }] },
  ),
  'covered by another variant': thing({ anyOf: [text, integer] }, { anyOf: [text, { type: 'number' }] }),
  'literals and a text': thing({ enum: ['a', 'b'] }, { anyOf: [{ const: 'a' }, text] }),
};

const definitions: Pairs = {
  added: [{ A: text }, { A: text, B: integer }],
  removed: [{ A: text, B: integer }, { A: text }],
  'renamed by shape': [
    { OldName: object({ a: text, b: integer, c: text }, ['a']), User: object({ x: ref('OldName') }) },
    { NewName: object({ a: text, b: integer, c: text }, ['a']), User: object({ x: ref('NewName') }) },
  ],
  'renamed with a change': [
    { OldShape: object({ a: text, b: integer, c: text, d: text }, ['a']), User: object({ x: ref('OldShape') }) },
    { NewShape: object({ a: text, b: integer, c: text, e: text }, ['a']), User: object({ x: ref('NewShape') }) },
  ],
  'too different for a rename': [
    { One: object({ a: text, b: text }), User: object({ x: ref('One') }) },
    { Two: object({ c: text, d: text }), User: object({ x: ref('Two') }) },
  ],
  extracted: [
    { A: object({ x: object({ y: text }) }), B: object({ x: { type: 'array', items: object({ y: text }) } }) },
    {
      A: object({ x: ref('Part') }),
      B: object({ x: { type: 'array', items: ref('Part') } }),
      Part: object({ y: text }),
    },
  ],
  inlined: [
    { A: object({ x: ref('Part') }), Part: object({ y: text }) },
    { A: object({ x: object({ y: text, z: integer }) }) },
  ],
  recursive: [
    { Tree: object({ value: text, children: { type: 'array', items: ref('Tree') } }) },
    { Tree: object({ value: integer, children: { type: 'array', items: ref('Tree') } }) },
  ],
  'reference replaced': [
    { A: object({ x: ref('P') }), P: text, Q: integer },
    { A: object({ x: ref('Q') }), P: text, Q: integer },
  ],
  same: [
    { A: object({ x: ref('P') }), P: text },
    { A: object({ x: ref('P') }), P: text },
  ],
};

export const DEFINITIONS: Readonly<Record<string, Pairs>> = { members, types, limits, unions, definitions };

/** Definitions of the protocol with a handshake that change. */
export const PROTOCOL_CHANGES: JsonObject = {
  ServerCapabilities: object({ items: object({ listChanged: { type: 'boolean' }, watch: { type: 'boolean' } }) }),
  ReadItemRequest: object(
    {
      jsonrpc: { const: '2.0' },
      id: ref('RequestId'),
      method: { const: 'items/read' },
      params: object({ name: text, line: integer, task: object({}) }, ['name', 'line']),
    },
    ['jsonrpc', 'id', 'method', 'params'],
  ),
  ReadItemResult: object({ item: ref('Item'), etag: text }, ['item', 'etag']),
  WatchItemRequest: object(
    {
      jsonrpc: { const: '2.0' },
      id: ref('RequestId'),
      method: { const: 'items/watch' },
      params: object({ name: text }, ['name']),
    },
    ['jsonrpc', 'id', 'method', 'params'],
  ),
  GoneNotification: object({ jsonrpc: { const: '2.0' }, method: { const: 'items/gone' } }, ['jsonrpc', 'method']),
  ItemsChangedNotification: object(
    { method: { const: 'items/changed' }, params: object({ names: { type: 'array', items: text } }) },
    ['method'],
  ),
  NoItem: object({ code: { const: -32051 }, message: text, data: object({ name: text }) }, ['code', 'message']),
  Busy: object({ code: { const: -32060 }, message: text }, ['code', 'message']),
  Item: object({ name: text, level: ref('Level') }, ['name', 'level']),
  ClientRequest: {
    anyOf: ['OpenRequest', 'PingRequest', 'ListItemsRequest', 'ReadItemRequest', 'WatchItemRequest'].map(ref),
  },
  ServerRequest: { anyOf: ['PingRequest', 'AskRequest', 'SetLevelRequest'].map(ref) },
  ServerNotification: { anyOf: ['CancelledNotification', 'ItemsChangedNotification', 'GoneNotification'].map(ref) },
};

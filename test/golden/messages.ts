/** Definitions, catalogs and names with one fault each. */
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';

const text: JsonObject = { type: 'string' };

const object = (properties: JsonObject, others: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...others,
});

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

const kinds: JsonObject = {
  Cat: object({ kind: { const: 'cat' } }, { required: ['kind'] }),
  Dog: object({ kind: { enum: ['dog', 'wolf'] } }, { required: ['kind'] }),
  Fish: object({ fins: text }),
  Base: object({ kind: { const: 'base' } }),
  Deep: { allOf: [ref('Base'), object({ x: text })] },
  Either: { anyOf: [ref('Cat'), ref('Dog')] },
};

const discriminated = (discriminator: JsonValue, others: JsonObject = {}): JsonObject => ({
  ...kinds,
  Pet: { oneOf: [ref('Cat'), ref('Dog')], discriminator, ...others },
});

/** Definitions of a protocol that cannot be read, or that have warnings. */
export const DEFINITION_FAULTS: Readonly<Record<string, JsonObject>> = {
  'a number instead of a schema': { A: 5 },
  'an unknown type': { A: { type: 'obejct' } },
  'a list of items': { A: { type: 'array', items: [text] } },
  'an empty enum': { A: { enum: [] } },
  'a description that is a number': { A: { ...text, description: 5 } },
  'a long description that is a list': { A: { ...text, description: Array.from({ length: 60 }, () => 'word') } },
  'deprecated that is a text': { A: { ...text, deprecated: 'yes' } },
  'an unknown dialect': { A: { ...text, $schema: 'https://example.com/dialect' } },
  'an unknown keyword': { A: { ...text, minimumLength: 5 } },
  contentSchema: { A: { ...text, contentMediaType: 'application/json', contentSchema: {} } },
  'keywords of another type': { A: { ...text, properties: {}, maxItems: 5 } },
  'a reference that is a number': { A: { $ref: 5 } },
  'a reference to another file': { A: { $ref: 'other.json#/$defs/A' } },
  'a reference into a definition': { A: { $ref: '#/$defs/B/properties/x' }, B: object({ x: text }) },
  'a reference to the whole file': { A: { $ref: '#' } },
  'a reference to nothing': { A: { $ref: '#/$defs/Gone' } },
  'a reference with other case': { A: { $ref: '#/$defs/thing' }, Thing: text },
  'a reference to a longer name': { A: { $ref: '#/$defs/Thing' }, ThingList: text },
  'a reference to a shorter name': { A: { $ref: '#/$defs/ThingList' }, Thing: text },
  'a reference with an invalid escape': { A: { $ref: '#/$defs/%zz' } },
  'an alias of itself': { A: ref('A') },
  'aliases of each other': { A: ref('B'), B: ref('C'), C: ref('A') },
  'an alias in a union': { A: { anyOf: [text, ref('B')] }, B: { allOf: [ref('A')] } },
  'an alias in a rule': { A: { ...text, not: ref('A') } },
  'twelve aliases': Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`A${index}`, ref(`A${(index + 1) % 12}`)]),
  ),
  'an empty definition': { A: {}, B: true },
  'an unknown format': { A: { ...text, format: 'color' } },
  'a slow pattern': { A: { ...text, pattern: '^(a|aa)+$' } },
  'a slow pattern of short texts': { A: { ...text, pattern: 'a*a*b', maxLength: 5 } },
  'a discriminator without a union': { Pet: object({ kind: text }, { discriminator: { propertyName: 'kind' } }) },
  'a discriminator of all variants': discriminated({ propertyName: 'kind' }),
  'a discriminator that variants lack': {
    ...discriminated({ propertyName: 'kind' }),
    Pet: { anyOf: [ref('Cat'), ref('Fish'), {}, object({})], discriminator: { propertyName: 'kind' } },
  },
  'a discriminator in the parent': discriminated({ propertyName: 'size' }, { properties: { size: text } }),
  'a discriminator in parts and unions': {
    ...kinds,
    Pet: {
      oneOf: [ref('Deep'), ref('Either')],
      discriminator: { propertyName: 'kind', mapping: { base: '#/$defs/Deep' } },
    },
  },
  'a mapping to nothing': discriminated({ propertyName: 'kind', mapping: { cat: '#/$defs/Gone', dog: 5 } }),
  'a mapping to no variant': discriminated({ propertyName: 'kind', mapping: { fish: 'Fish' } }),
  'a mapping with another value': discriminated({
    propertyName: 'kind',
    mapping: { lion: '#/$defs/Cat', fox: '#/$defs/Dog', wolf: 'Dog' },
  }),
  'a discriminator without a name': discriminated({ mapping: {} }),
  'a discriminator that is a text': discriminated('kind'),
};

/** Names of definitions that files cannot have. */
export const NAME_FAULTS: Readonly<Record<string, JsonObject>> = {
  'a reserved name': { Array: text },
  'a keyword': { class: text },
  'a name of symbols': { '!!': text },
  'a name that begins with a digit': { '1st': text },
  'two names that become one': { 'a-b': text, a_b: text },
  'a name of methods.ts': { Method: text },
  'a name of messages.ts': { AnyRequest: text },
  'a name that guards.ts uses': { Kind: text },
  'a name of validators.ts': { validateParams: text },
  'the name of a guard': { A: text, isA: text },
  'the name of a schema of Zod': { A: text, ASchema: text },
};

/**
 * Compares `discriminator` of OpenAPI with the union next to it. It is an annotation: the union alone decides what is
 * valid, so a mistake in it is a warning.
 */
import {
  formatPointer,
  isObject,
  ownMember,
  parsePointer,
  type JsonObject,
  type JsonValue,
} from '../../read/json/json.js';
import { DATA_KEYWORDS } from '../../read/schema/canonical.js';

/** What is wrong with a discriminator. */
export interface DiscriminatorFault {
  readonly definition: string;
  /** JSON pointer below the definition. */
  readonly pointer: string;
  readonly message: string;
}

const UNIONS = ['oneOf', 'anyOf'] as const;

/** How deep schemas of variants may be; references may repeat. */
const MAX_DEPTH = 20;

/** The faults of all discriminators, in the order of the definitions. */
export function discriminatorFaults(definitions: JsonObject): readonly DiscriminatorFault[] {
  const faults: DiscriminatorFault[] = [];
  const visit = (schema: JsonValue, definition: string, pointer: string): void => {
    if (Array.isArray(schema)) {
      for (const [index, item] of (schema as readonly JsonValue[]).entries())
        visit(item, definition, pointer + formatPointer(index));
    } else if (isObject(schema)) {
      const discriminator = ownMember(schema, 'discriminator');
      // A definition may have a member of this name.
      if (isObject(discriminator) && typeof ownMember(discriminator, 'propertyName') === 'string') {
        const found = faultsOf(schema, discriminator, definitions);
        faults.push(
          ...found.map(([at, message]) => ({ definition, message, pointer: `${pointer}/discriminator${at}` })),
        );
      }
      for (const [key, value] of Object.entries(schema))
        if (!DATA_KEYWORDS.has(key) && key !== 'discriminator') visit(value, definition, pointer + formatPointer(key));
    }
  };
  for (const [name, schema] of Object.entries(definitions)) visit(schema, name, '');
  return faults;
}

type Fault = readonly [pointer: string, message: string];

function faultsOf(schema: JsonObject, discriminator: JsonObject, definitions: JsonObject): readonly Fault[] {
  const name = ownMember(discriminator, 'propertyName') as string;
  const union = UNIONS.map((keyword) => ownMember(schema, keyword)).find(Array.isArray) as
    readonly JsonValue[] | undefined;
  if (union === undefined) return [['', 'the discriminator has no "oneOf" or "anyOf" next to it']];
  const parent = ownMember(schema, 'properties');
  const isInAll = isObject(parent) && Object.hasOwn(parent, name);
  const lacking = isInAll
    ? []
    : union.flatMap((variant, index) => (hasProperty(definitions, variant, name) ? [] : [index]));
  const mapping = ownMember(discriminator, 'mapping');
  return [
    ...lacking.map((index): Fault => [
      '/propertyName',
      `${nameOfVariant(union[index], index)} of the union has no property ${JSON.stringify(name)}`,
    ]),
    ...(isObject(mapping) ? mappingFaults(name, mapping, union, definitions) : []),
  ];
}

function mappingFaults(
  name: string,
  mapping: JsonObject,
  union: readonly JsonValue[],
  definitions: JsonObject,
): readonly Fault[] {
  const variants = new Set(union.map(referenceOf));
  return Object.entries(mapping).flatMap(([value, target]): Fault[] => {
    const at = `/mapping${formatPointer(value)}`;
    const definition = typeof target === 'string' ? lastToken(target) : undefined;
    if (definition === undefined || !Object.hasOwn(definitions, definition))
      return [[at, `the definition ${JSON.stringify(definition ?? target)} does not exist`]];
    if (!variants.has(definition)) return [[at, `${definition} is not a variant of the union`]];
    const values = valuesOf(definitions, { $ref: `#/$defs/${definition}` }, name);
    return values === undefined || values.includes(value)
      ? []
      : [
          [
            at,
            `${definition} has ${values.map((other) => JSON.stringify(other)).join(' or ')} as ${JSON.stringify(name)}, not ${JSON.stringify(value)}`,
          ],
        ];
  });
}

function nameOfVariant(variant: JsonValue | undefined, index: number): string {
  return (variant === undefined ? undefined : referenceOf(variant)) ?? `variant ${index + 1}`;
}

function referenceOf(schema: JsonValue): string | undefined {
  const reference = isObject(schema) ? ownMember(schema, '$ref') : undefined;
  return typeof reference === 'string' ? lastToken(reference) : undefined;
}

function lastToken(reference: string): string {
  return parsePointer(`/${reference.split('/').at(-1) ?? ''}`)[0] ?? '';
}

/** Whether each value of a schema may have a property that the schema describes. */
function hasProperty(definitions: JsonObject, schema: JsonValue, name: string, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return false;
  const properties = ownMember(schema, 'properties');
  if (isObject(properties) && Object.hasOwn(properties, name)) return true;
  const inside = (part: JsonValue): boolean => hasProperty(definitions, part, name, depth + 1);
  const union = UNIONS.map((keyword) => ownMember(schema, keyword)).find(Array.isArray) as
    readonly JsonValue[] | undefined;
  return partsOf(definitions, schema).some(inside) || (union?.every(inside) ?? false);
}

/** The values that a schema allows for a property, if it lists them. */
function valuesOf(
  definitions: JsonObject,
  schema: JsonValue,
  name: string,
  depth = 0,
): readonly JsonValue[] | undefined {
  if (!isObject(schema) || depth > MAX_DEPTH) return undefined;
  const properties = ownMember(schema, 'properties');
  const property = isObject(properties) ? ownMember(properties, name) : undefined;
  if (isObject(property)) {
    const [value, list] = [ownMember(property, 'const'), ownMember(property, 'enum')];
    if (value !== undefined) return [value];
    if (Array.isArray(list)) return list as readonly JsonValue[];
  }
  return partsOf(definitions, schema)
    .map((part) => valuesOf(definitions, part, name, depth + 1))
    .find((values) => values !== undefined);
}

/** The schemas that the values of a schema also match. */
function partsOf(definitions: JsonObject, schema: JsonObject): readonly JsonValue[] {
  const reference = referenceOf(schema);
  const target = reference === undefined ? undefined : ownMember(definitions, reference);
  const parts = ownMember(schema, 'allOf');
  return [...(target === undefined ? [] : [target]), ...(Array.isArray(parts) ? (parts as readonly JsonValue[]) : [])];
}

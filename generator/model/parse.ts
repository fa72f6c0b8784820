import { McpgenError } from '../errors.js';
import type { Docs } from '../read/docs.js';
import {
  compareText,
  isObject,
  member,
  objectOf,
  pointer,
  pointerTokens,
  type JsonObject,
  type JsonValue,
} from '../read/json.js';
import type { Constraints, Definition, Member, ObjectNode, TypeNode, Warning } from './protocol.js';

const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
const CONSTRAINTS: ReadonlySet<string> = new Set([
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
]);
const STRUCTURE: ReadonlySet<string> = new Set([
  '$ref',
  'type',
  'const',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
]);
/** Formats that JSON Schema or MCP names; any other is kept as an annotation, with a warning. */
const FORMATS: ReadonlySet<string> = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'idn-email',
  'hostname',
  'idn-hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'iri',
  'iri-reference',
  'uuid',
  'uri-template',
  'json-pointer',
  'relative-json-pointer',
  'regex',
  'byte',
  'int32',
  'int64',
  'float',
  'double',
  'password',
  'binary',
]);
const PRIMITIVES = ['string', 'number', 'integer', 'boolean', 'null'] as const;
type Primitive = (typeof PRIMITIVES)[number];

/**
 * Turns canonical JSON Schema definitions into the model's types.
 *
 * @param definitions - Canonical definitions.
 * @param docs - Texts for definitions and members; a description in the schema itself comes first.
 * @param place - What to call the schema file in an error.
 * @throws {@link McpgenError} naming the pointer of a construct that is wrong or not supported.
 */
export function parseDefinitions(
  definitions: JsonObject,
  docs: Docs,
  place: string,
): { definitions: readonly Definition[]; warnings: readonly Warning[] } {
  const names = Object.keys(definitions).sort(compareText);
  const reader = new SchemaReader(new Set(names), docs, place);
  const parsed = names.map((name) => reader.definition(name, definitions[name] as JsonValue));
  refuseAliasCycles(parsed, place);
  return { definitions: parsed, warnings: reader.warnings };
}

class SchemaReader {
  readonly warnings: Warning[] = [];
  readonly #unknownFormats = new Set<string>();
  readonly #names: ReadonlySet<string>;
  readonly #docs: Docs;
  readonly #file: string;

  constructor(names: ReadonlySet<string>, docs: Docs, file: string) {
    this.#names = names;
    this.#docs = docs;
    this.#file = file;
  }

  definition(name: string, schema: JsonValue): Definition {
    const at = pointer('$defs', name);
    const type = this.#type(schema, at, name, []);
    if (type.kind === 'unknown') {
      this.warnings.push({
        place: `${this.#file}#${at}`,
        message: `${name} is the empty schema, so its type is unknown`,
      });
    }
    return { name, type, ...this.#annotations(schema, name, []) };
  }

  #annotations(
    schema: JsonValue,
    definition: string,
    path: readonly string[],
  ): Pick<Member, 'doc' | 'deprecated' | 'defaultValue'> {
    const own = isObject(schema) ? schema : {};
    const description = member(own, 'description');
    const doc =
      typeof description === 'string'
        ? description
        : path.length === 0
          ? this.#docs.definition(definition)
          : this.#docs.member(definition, path);
    const deprecated =
      this.#docs.deprecated(definition, path) ?? (member(own, 'deprecated') === true ? true : undefined);
    const defaultValue = member(own, 'default');
    return {
      ...(doc === undefined ? {} : { doc }),
      ...(deprecated === undefined ? {} : { deprecated }),
      ...(defaultValue === undefined ? {} : { defaultValue }),
    };
  }

  #type(schema: JsonValue, at: string, definition: string, path: readonly string[]): TypeNode {
    if (schema === true) return { kind: 'unknown' };
    if (schema === false) return { kind: 'never' };
    if (!isObject(schema)) throw this.#fault(at, 'a schema is an object or a boolean');
    this.#refuseUnsupported(schema, at);

    const parts: TypeNode[] = [];
    const ref = member(schema, '$ref');
    if (ref !== undefined) parts.push(this.#ref(ref, at));
    const own = this.#ownType(schema, at, definition, path);
    if (own !== undefined) parts.push(own);
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const list = member(schema, keyword);
      if (list === undefined) continue;
      if (!Array.isArray(list)) throw this.#fault(at + pointer(keyword), 'a list of schemas is expected');
      const types = (list as readonly JsonValue[]).map((item, index) =>
        this.#type(item, at + pointer(keyword, index), definition, path),
      );
      parts.push(keyword === 'allOf' ? intersection(types) : union(types, keyword === 'oneOf'));
    }
    return intersection(parts);
  }

  #refuseUnsupported(schema: JsonObject, at: string): void {
    for (const keyword of Object.keys(schema)) {
      if (ANNOTATIONS.has(keyword) || CONSTRAINTS.has(keyword) || STRUCTURE.has(keyword) || keyword.startsWith('x-'))
        continue;
      throw this.#fault(
        at + pointer(keyword),
        `the keyword ${JSON.stringify(keyword)} is not supported`,
        `Supported are ${[...STRUCTURE, ...CONSTRAINTS].join(', ')} and annotations; say the same with these, or leave it out.`,
      );
    }
  }

  #ref(ref: JsonValue, at: string): TypeNode {
    const place = at + pointer('$ref');
    if (typeof ref !== 'string') throw this.#fault(place, 'a reference is a string');
    if (!ref.startsWith('#')) {
      throw this.#fault(
        place,
        `the reference ${show(ref)} leaves the file`,
        'Nothing is fetched: put the definition into this file.',
      );
    }
    const [root, name, ...rest] = pointerTokens(decodeFragment(ref));
    if (root !== '$defs' || name === undefined || rest.length > 0) {
      throw this.#fault(
        place,
        `the reference ${show(ref)} does not point at a definition`,
        'Only `#/$defs/<Name>` (or `#/definitions/<Name>`) is read: give what it points at a definition of its own.',
      );
    }
    if (!this.#names.has(name)) {
      throw this.#fault(place, `the definition ${show(name)} does not exist`, this.#nearest(name));
    }
    return { kind: 'ref', name };
  }

  #nearest(name: string): string {
    const lower = name.toLowerCase();
    const near = [...this.#names].find(
      (known) => known.toLowerCase() === lower || known.startsWith(name) || name.startsWith(known),
    );
    return near === undefined ? 'Add it, or correct the reference.' : `Did you mean ${near}?`;
  }

  /** The type that the schema's own keywords give: not its references and combinations. */
  #ownType(schema: JsonObject, at: string, definition: string, path: readonly string[]): TypeNode | undefined {
    const constant = member(schema, 'const');
    if (constant !== undefined) return this.#literal(constant, at + pointer('const'));
    const values = member(schema, 'enum');
    if (values !== undefined) {
      if (!Array.isArray(values) || values.length === 0)
        throw this.#fault(at + pointer('enum'), 'a list of values is expected');
      return union(
        (values as readonly JsonValue[]).map((value, index) => this.#literal(value, at + pointer('enum', index))),
        false,
      );
    }
    const types = this.#typeNames(schema, at);
    if (types === undefined) return undefined;
    return union(
      types.map((type) => this.#typeNamed(type, schema, at, definition, path)),
      false,
    );
  }

  #typeNames(schema: JsonObject, at: string): readonly string[] | undefined {
    const type = member(schema, 'type');
    if (type === undefined) {
      const implied = ['properties', 'required', 'additionalProperties'].some((key) => Object.hasOwn(schema, key));
      if (implied) return ['object'];
      return Object.hasOwn(schema, 'items') ? ['array'] : undefined;
    }
    const list: readonly JsonValue[] = Array.isArray(type) ? type : [type];
    if (list.length === 0) throw this.#fault(at + pointer('type'), 'a type is expected');
    return list.map((item) => {
      if (typeof item === 'string' && (isPrimitive(item) || item === 'array' || item === 'object')) return item;
      throw this.#fault(at + pointer('type'), `${show(item)} is not a type`);
    });
  }

  #typeNamed(type: string, schema: JsonObject, at: string, definition: string, path: readonly string[]): TypeNode {
    const constraints = this.#constraints(schema, at);
    if (isPrimitive(type)) return { kind: type, constraints };
    if (type === 'object') return this.#object(schema, at, definition, path, constraints);
    const items = member(schema, 'items');
    if (Array.isArray(items)) {
      throw this.#fault(
        at + pointer('items'),
        'a list of item schemas (a tuple) is not supported',
        'Use one schema for all items.',
      );
    }
    return {
      kind: 'array',
      items: items === undefined ? { kind: 'unknown' } : this.#type(items, at + pointer('items'), definition, path),
      constraints,
    };
  }

  #object(
    schema: JsonObject,
    at: string,
    definition: string,
    path: readonly string[],
    constraints: Constraints,
  ): ObjectNode {
    const properties = member(schema, 'properties');
    if (properties !== undefined && !isObject(properties)) {
      throw this.#fault(at + pointer('properties'), 'an object of schemas is expected');
    }
    const required = this.#required(schema, at);
    const names = new Set([...Object.keys(properties ?? {}), ...required]);
    const members = [...names].sort(compareText).map((name): Member => {
      const own = properties === undefined ? undefined : member(properties, name);
      const where = at + pointer('properties', name);
      return {
        name,
        required: required.has(name),
        type: own === undefined ? { kind: 'unknown' } : this.#type(own, where, definition, [...path, name]),
        ...this.#annotations(own ?? {}, definition, [...path, name]),
      };
    });
    const additional = member(schema, 'additionalProperties');
    const shape =
      members.length > 0
        ? 'members'
        : properties === undefined
          ? 'map'
          : additional === true
            ? 'opaque'
            : additional === undefined
              ? 'empty'
              : 'map';
    return {
      kind: 'object',
      members,
      shape,
      constraints,
      ...(additional === undefined
        ? {}
        : { rest: this.#type(additional, at + pointer('additionalProperties'), definition, path) }),
    };
  }

  #required(schema: JsonObject, at: string): ReadonlySet<string> {
    const required = member(schema, 'required');
    if (required === undefined) return new Set();
    if (!Array.isArray(required) || !required.every((name) => typeof name === 'string')) {
      throw this.#fault(at + pointer('required'), 'a list of member names is expected');
    }
    return new Set(required as readonly string[]);
  }

  #constraints(schema: JsonObject, at: string): Constraints {
    const found = Object.keys(schema).filter((key) => CONSTRAINTS.has(key));
    const format = member(schema, 'format');
    if (typeof format === 'string' && !FORMATS.has(format) && !this.#unknownFormats.has(format)) {
      this.#unknownFormats.add(format);
      this.warnings.push({
        place: `${this.#file}#${at}${pointer('format')}`,
        message: `the format ${show(format)} is unknown; it is kept as an annotation`,
      });
    }
    return objectOf(found.map((key) => [key, schema[key] as JsonValue]));
  }

  #literal(value: JsonValue, at: string): TypeNode {
    if (value !== null && typeof value === 'object') {
      throw this.#fault(
        at,
        'an object or array as a constant is not supported',
        'Describe it with `properties` or `items`.',
      );
    }
    return { kind: 'literal', value };
  }

  #fault(at: string, message: string, remedy?: string): McpgenError {
    return new McpgenError(message, { place: `${this.#file}#${at}`, ...(remedy === undefined ? {} : { remedy }) });
  }
}

function isPrimitive(type: string): type is Primitive {
  return (PRIMITIVES as readonly string[]).includes(type);
}

function union(variants: readonly TypeNode[], exclusive: boolean): TypeNode {
  const [only, second] = variants;
  if (only === undefined) return { kind: 'never' };
  return second === undefined ? only : { kind: 'union', exclusive, variants };
}

function intersection(parts: readonly TypeNode[]): TypeNode {
  const known = parts.filter((part) => part.kind !== 'unknown');
  const [only, second] = known;
  if (only === undefined) return { kind: 'unknown' };
  return second === undefined ? only : { kind: 'intersection', parts: known };
}

function show(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 100);
}

function decodeFragment(ref: string): string {
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return ref.slice(1);
  }
}

/** TypeScript refuses an alias that is nothing but itself; objects and arrays in between make recursion fine. */
function refuseAliasCycles(definitions: readonly Definition[], file: string): void {
  const targets = new Map(definitions.map((definition) => [definition.name, aliasTargets(definition.type)]));
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): void => {
    const start = trail.indexOf(name);
    if (start !== -1) {
      throw new McpgenError(
        `definitions refer to each other in a circle: ${[...trail.slice(start), name].join(' -> ')}`,
        {
          place: `${file}#${pointer('$defs', name)}`,
          remedy: 'A definition may contain itself in a member or an array, but not be itself.',
        },
      );
    }
    if (done.has(name)) return;
    for (const target of targets.get(name) ?? []) visit(target, [...trail, name]);
    done.add(name);
  };
  for (const definition of definitions) visit(definition.name, []);
}

function aliasTargets(type: TypeNode): readonly string[] {
  switch (type.kind) {
    case 'ref':
      return [type.name];
    case 'union':
      return type.variants.flatMap(aliasTargets);
    case 'intersection':
      return type.parts.flatMap(aliasTargets);
    default:
      return [];
  }
}

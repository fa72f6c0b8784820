import type { DefinitionsKey } from '../read/schema/canonical.js';
import { compareText, formatPointer, isObject, objectFromEntries, ownMember, parsePointer } from '../read/json/json.js';
import type { JsonObject, JsonValue } from '../read/json/json.js';
import type { Docs } from '../read/builtin/docs.js';
import type { Constraints, Definition, Member, ObjectNode, TypeNode, Warning } from './protocol.js';
import { refuseAliasCycles } from './alias-cycles.js';
import {
  ANNOTATION_KEYWORDS,
  CONSTRAINT_KEYWORDS,
  KNOWN_FORMATS,
  NON_NUMERIC_CONSTRAINTS,
  PRIMITIVES,
  STRUCTURE_KEYWORDS,
  TYPE_OF_KEYWORD,
  isPrimitive,
} from './keywords.js';
import { McpgenError } from '../errors.js';

/** Properties of the file that definitions come from. */
export interface DefinitionsFile {
  /** The key of the definitions in the file; `$defs` by default. */
  readonly root?: DefinitionsKey;
  /** Keywords next to the definitions, which are ignored. */
  readonly unread?: readonly string[];
  /** The site for links of descriptions that begin with a slash; without it they become text. */
  readonly site?: string;
}

/**
 * Converts canonical JSON Schema definitions to the model's types.
 *
 * @param definitions - Canonical definitions.
 * @param docs - Texts for definitions and members; a description in the schema itself takes precedence.
 * @param place - The name of the schema file in an error.
 * @throws {@link McpgenError} with the pointer of an invalid or unsupported construct.
 */
export function parseDefinitions(
  definitions: JsonObject,
  docs: Docs,
  place: string,
  { root = '$defs', unread = [], site }: DefinitionsFile = {},
): { definitions: readonly Definition[]; warnings: readonly Warning[] } {
  const names = Object.keys(definitions).sort(compareText);
  const reader = new DefinitionParser(new Set(names), docs, place, root, site);
  const parsed = names.map((name) => reader.parseDefinition(name, definitions[name] as JsonValue));
  refuseAliasCycles(parsed, `${place}#${formatPointer(root)}`);
  const beside = unread.map((keyword) => ({
    place: `${place}#${formatPointer(keyword)}`,
    message: `only the definitions of a schema are read, so ${showValue(keyword)} next to them has no effect`,
  }));
  return { definitions: parsed, warnings: [...beside, ...reader.warnings] };
}

class DefinitionParser {
  readonly warnings: Warning[] = [];
  readonly #unknownFormats = new Set<string>();
  readonly #names: ReadonlySet<string>;
  readonly #docs: Docs;
  readonly #file: string;
  readonly #root: DefinitionsKey;
  readonly #site: string | undefined;

  constructor(names: ReadonlySet<string>, docs: Docs, file: string, root: DefinitionsKey, site: string | undefined) {
    this.#names = names;
    this.#docs = docs;
    this.#file = file;
    this.#root = root;
    this.#site = site;
  }

  parseDefinition(name: string, schema: JsonValue): Definition {
    const pointer = formatPointer(this.#root, name);
    const type = this.#parseType(schema, pointer, name, []);
    if (type.kind === 'unknown') this.#warn(pointer, `${name} is the empty schema, so its type is unknown`);
    return { name, type, ...this.#parseAnnotations(schema, name, []) };
  }

  #parseAnnotations(
    schema: JsonValue,
    definition: string,
    path: readonly string[],
  ): Pick<Member, 'doc' | 'deprecated' | 'defaultValue'> {
    const own = isObject(schema) ? schema : {};
    const description = ownMember(own, 'description');
    const doc =
      typeof description === 'string'
        ? withAbsoluteLinks(description, this.#site)
        : path.length === 0
          ? this.#docs.definition(definition)
          : this.#docs.member(definition, path);
    const deprecated =
      this.#docs.deprecated(definition, path) ?? (ownMember(own, 'deprecated') === true ? true : undefined);
    const defaultValue = ownMember(own, 'default');
    return {
      ...(doc === undefined ? {} : { doc }),
      ...(deprecated === undefined ? {} : { deprecated }),
      ...(defaultValue === undefined ? {} : { defaultValue }),
    };
  }

  #parseType(schema: JsonValue, pointer: string, definition: string, path: readonly string[]): TypeNode {
    if (schema === true) return { kind: 'unknown' };
    if (schema === false) return { kind: 'never' };
    if (!isObject(schema)) {
      throw this.#error(
        pointer,
        `a schema is an object or a boolean, not ${showValue(schema)}`,
        'Write a schema here.',
      );
    }
    this.#refuseUnsupported(schema, pointer);
    if (Object.hasOwn(schema, 'contentSchema')) {
      this.#warn(pointer + formatPointer('contentSchema'), '"contentSchema" is not supported and has no effect');
    }

    const parts: TypeNode[] = [];
    const ref = ownMember(schema, '$ref');
    if (ref !== undefined) parts.push(this.#parseRef(ref, pointer));
    const own = this.#parseOwnType(schema, pointer, definition, path);
    if (own !== undefined) parts.push(own);
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const list = ownMember(schema, keyword);
      if (list === undefined) continue;
      if (!Array.isArray(list) || list.length === 0) {
        throw this.#error(
          pointer + formatPointer(keyword),
          `must be a list of schemas, not ${showValue(list)}`,
          'Add at least one schema, or omit the keyword.',
        );
      }
      const types = (list as readonly JsonValue[]).map((item, index) =>
        this.#parseType(item, pointer + formatPointer(keyword, index), definition, path),
      );
      parts.push(keyword === 'allOf' ? makeIntersection(types) : makeUnion(types, keyword === 'oneOf'));
    }
    return makeIntersection(parts);
  }

  #refuseUnsupported(schema: JsonObject, pointer: string): void {
    for (const [keyword, wanted] of [
      ['description', 'string'],
      ['deprecated', 'boolean'],
    ] as const) {
      const value = ownMember(schema, keyword);
      if (value === undefined || typeof value === wanted) continue;
      throw this.#error(
        pointer + formatPointer(keyword),
        `must be a ${wanted}, not ${showValue(value)}`,
        'Correct it, or omit it.',
      );
    }
    for (const keyword of Object.keys(schema)) {
      if (
        ANNOTATION_KEYWORDS.has(keyword) ||
        CONSTRAINT_KEYWORDS.has(keyword) ||
        STRUCTURE_KEYWORDS.has(keyword) ||
        keyword.startsWith('x-')
      )
        continue;
      throw this.#error(
        pointer + formatPointer(keyword),
        `the keyword ${JSON.stringify(keyword)} is not supported`,
        `Supported are ${[...STRUCTURE_KEYWORDS, ...CONSTRAINT_KEYWORDS].join(', ')} and annotations; express it with these, or omit it.`,
      );
    }
  }

  #parseRef(ref: JsonValue, pointer: string): TypeNode {
    const place = pointer + formatPointer('$ref');
    if (typeof ref !== 'string') {
      throw this.#error(place, `a reference is a string, not ${showValue(ref)}`, 'Write `#/$defs/<Name>`.');
    }
    if (!ref.startsWith('#')) {
      throw this.#error(
        place,
        `the reference ${showValue(ref)} points outside the file`,
        'Nothing is fetched: put the definition into this file.',
      );
    }
    const [root, name, ...rest] = parsePointer(decodeFragment(ref));
    if (root !== '$defs' || name === undefined || rest.length > 0) {
      throw this.#error(
        place,
        `the reference ${showValue(ref)} does not point at a definition`,
        'Only `#/$defs/<Name>` (or `#/definitions/<Name>`) is supported: move its target into a definition.',
      );
    }
    if (!this.#names.has(name)) {
      throw this.#error(place, `the definition ${showValue(name)} does not exist`, this.#didYouMean(name));
    }
    return { kind: 'ref', name };
  }

  #didYouMean(name: string): string {
    const lower = name.toLowerCase();
    const near = [...this.#names].find(
      (known) => known.toLowerCase() === lower || known.startsWith(name) || name.startsWith(known),
    );
    return near === undefined ? 'Add it, or correct the reference.' : `Did you mean ${near}?`;
  }

  /** Warns of keywords without effect because they apply to another type. */
  #warnWithoutEffect(schema: JsonObject, pointer: string, types: readonly string[]): void {
    for (const [keyword, type] of Object.entries(TYPE_OF_KEYWORD)) {
      if (!Object.hasOwn(schema, keyword) || types.includes(type)) continue;
      this.#warn(
        pointer + formatPointer(keyword),
        `${showValue(keyword)} only applies to the type ${type}, so it has no effect here`,
      );
    }
  }

  /** The type of the schema's own keywords, without references and combinations. */
  #parseOwnType(
    schema: JsonObject,
    pointer: string,
    definition: string,
    path: readonly string[],
  ): TypeNode | undefined {
    const constant = ownMember(schema, 'const');
    const values = ownMember(schema, 'enum');
    if (constant !== undefined || values !== undefined) this.#warnWithoutEffect(schema, pointer, []);
    if (constant !== undefined) return this.#parseLiteral(constant, pointer + formatPointer('const'));
    if (values !== undefined) {
      if (!Array.isArray(values) || values.length === 0) {
        throw this.#error(
          pointer + formatPointer('enum'),
          `must be a list of values, not ${showValue(values)}`,
          'Add at least one value, or omit the keyword.',
        );
      }
      return makeUnion(
        (values as readonly JsonValue[]).map((value, index) =>
          this.#parseLiteral(value, pointer + formatPointer('enum', index)),
        ),
        false,
      );
    }
    const types = this.#parseTypeNames(schema, pointer);
    if (types === undefined) {
      const limits = Object.keys(this.#parseConstraints(schema, pointer)).map(showValue).join(', ');
      if (limits !== '') this.#warn(pointer, `${limits} needs a type, and has no effect without one`);
      return undefined;
    }
    this.#warnWithoutEffect(schema, pointer, types);
    return makeUnion(
      types.map((type) => this.#parseNamedType(type, schema, pointer, definition, path)),
      false,
    );
  }

  #parseTypeNames(schema: JsonObject, pointer: string): readonly string[] | undefined {
    const type = ownMember(schema, 'type');
    if (type === undefined) {
      const implied = ['properties', 'required', 'additionalProperties'].some((key) => Object.hasOwn(schema, key));
      if (implied) return ['object'];
      return Object.hasOwn(schema, 'items') ? ['array'] : undefined;
    }
    const list: readonly JsonValue[] = Array.isArray(type) ? type : [type];
    const known = [...PRIMITIVES, 'array', 'object'];
    const names = list.flatMap((item) => known.find((name) => name === item) ?? []);
    if (list.length === 0 || names.length < list.length) {
      throw this.#error(
        pointer + formatPointer('type'),
        `${showValue(type)} is not a type`,
        `Types are ${known.join(', ')}, or a list of these.`,
      );
    }
    return names;
  }

  #parseNamedType(
    type: string,
    schema: JsonObject,
    pointer: string,
    definition: string,
    path: readonly string[],
  ): TypeNode {
    const constraints = this.#parseConstraints(schema, pointer);
    if (isPrimitive(type)) return { kind: type, constraints };
    if (type === 'object') return this.#parseObject(schema, pointer, definition, path, constraints);
    const items = ownMember(schema, 'items');
    if (Array.isArray(items)) {
      throw this.#error(
        pointer + formatPointer('items'),
        'a list of item schemas (a tuple) is not supported',
        'Use one schema for all items.',
      );
    }
    return {
      kind: 'array',
      items:
        items === undefined
          ? { kind: 'unknown' }
          : this.#parseType(items, pointer + formatPointer('items'), definition, path),
      constraints,
    };
  }

  #parseObject(
    schema: JsonObject,
    pointer: string,
    definition: string,
    path: readonly string[],
    constraints: Constraints,
  ): ObjectNode {
    const properties = ownMember(schema, 'properties');
    if (properties !== undefined && !isObject(properties)) {
      throw this.#error(
        pointer + formatPointer('properties'),
        `must be an object of schemas, not ${showValue(properties)}`,
        'Write a schema for each member, by its name.',
      );
    }
    const required = this.#parseRequired(schema, pointer);
    const names = new Set([...Object.keys(properties ?? {}), ...required]);
    const members = [...names].sort(compareText).map((name): Member => {
      const own = properties === undefined ? undefined : ownMember(properties, name);
      const where = pointer + formatPointer('properties', name);
      return {
        name,
        required: required.has(name),
        type: own === undefined ? { kind: 'unknown' } : this.#parseType(own, where, definition, [...path, name]),
        ...this.#parseAnnotations(own ?? {}, definition, [...path, name]),
      };
    });
    const additional = ownMember(schema, 'additionalProperties');
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
        : { rest: this.#parseType(additional, pointer + formatPointer('additionalProperties'), definition, path) }),
    };
  }

  #parseRequired(schema: JsonObject, pointer: string): ReadonlySet<string> {
    const required = ownMember(schema, 'required');
    if (required === undefined) return new Set();
    if (!Array.isArray(required) || !required.every((name) => typeof name === 'string')) {
      throw this.#error(
        pointer + formatPointer('required'),
        `must be a list of member names, not ${showValue(required)}`,
        'List the required members.',
      );
    }
    return new Set(required as readonly string[]);
  }

  #parseConstraints(schema: JsonObject, pointer: string): Constraints {
    const found = Object.keys(schema).filter((key) => CONSTRAINT_KEYWORDS.has(key));
    for (const key of found) {
      const wanted = NON_NUMERIC_CONSTRAINTS[key] ?? 'number';
      const value = schema[key] as JsonValue;
      if (typeof value === wanted && (typeof value !== 'number' || Number.isFinite(value))) continue;
      throw this.#error(
        pointer + formatPointer(key),
        `must be a ${wanted}, not ${showValue(value)}`,
        'Correct it, or omit it.',
      );
    }
    const format = ownMember(schema, 'format');
    if (typeof format === 'string' && !KNOWN_FORMATS.has(format) && !this.#unknownFormats.has(format)) {
      this.#unknownFormats.add(format);
      this.#warn(
        pointer + formatPointer('format'),
        `the format ${showValue(format)} is unknown; it is kept as an annotation`,
      );
    }
    return objectFromEntries(found.map((key) => [key, schema[key] as JsonValue]));
  }

  #parseLiteral(value: JsonValue, pointer: string): TypeNode {
    if (value !== null && typeof value === 'object') {
      throw this.#error(
        pointer,
        'an object or array as a constant is not supported',
        'Describe it with `properties` or `items`.',
      );
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw this.#error(
        pointer,
        'the number is too large to be represented exactly',
        'Use a smaller one, or a string.',
      );
    }
    return { kind: 'literal', value };
  }

  #warn(pointer: string, message: string): void {
    this.warnings.push({ place: `${this.#file}#${pointer}`, message });
  }

  #error(pointer: string, message: string, remedy?: string): McpgenError {
    return new McpgenError(message, { place: `${this.#file}#${pointer}`, ...(remedy === undefined ? {} : { remedy }) });
  }
}

/** Replaces site-relative links in a Markdown text by absolute ones, or by their labels. */
function withAbsoluteLinks(text: string, site: string | undefined): string {
  return text.replace(/\[([^\]\n]*)\]\((\/(?!\/)[^)\s]*)\)/g, (_, label: string, path: string) =>
    site === undefined ? label : `[${label}](${site}${path})`,
  );
}

function makeUnion(variants: readonly TypeNode[], exclusive: boolean): TypeNode {
  const [only, second] = variants;
  if (only === undefined) return { kind: 'never' };
  return second === undefined ? only : { kind: 'union', exclusive, variants };
}

function makeIntersection(parts: readonly TypeNode[]): TypeNode {
  const known = parts.filter((part) => part.kind !== 'unknown');
  const [only, second] = known;
  if (only === undefined) return { kind: 'unknown' };
  return second === undefined ? only : { kind: 'intersection', parts: known };
}

function showValue(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}...` : text;
}

function decodeFragment(ref: string): string {
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return ref.slice(1);
  }
}

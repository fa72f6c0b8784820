import { McpgenError } from '../errors.js';
import type { Docs } from '../read/builtin/docs.js';
import {
  formatPointer,
  isObject,
  ownMember,
  parsePointer,
  type JsonObject,
  type JsonValue,
} from '../read/json/json.js';
import type { PatternCheck } from '../read/patterns.js';
import {
  dialectOf,
  SchemaIndex,
  type DynamicScope,
  type SchemaDocuments,
  type SchemaPlace,
} from '../read/schema/documents.js';
import type { ToolSource } from '../read/tools.js';
import { closestMatch } from '../text.js';
import type { Definition, Member, TypeNode, Warning } from './protocol.js';
import { findAliasCycle } from './schema/alias-cycles.js';
import { CONSTRAINT_KEYWORDS, STRUCTURE_KEYWORDS } from './schema/keywords.js';
import { narrowOpenTypes, restrictToKinds } from './schema/open-types.js';
import { describeRisk, remedyOf, riskOf } from './schema/patterns.js';
import {
  makeIntersection,
  SchemaReader,
  showValue,
  type Owner,
  type ReadingPolicy,
  type SchemaFault,
} from './schema/reader.js';
import { relaxWidened } from './schema/relax.js';
import { jsonKinds } from './types/discriminate.js';
import { SchemaDefaults } from './types/defaults.js';
import { typeLookup, type TypeLookup } from './types/references.js';

/** The types of a tool. */
export interface ToolModel {
  readonly source: ToolSource;
  /** Definitions by keys made of words: `Input` and `Output` are the schemas, `Input Address` is inside the first. */
  readonly definitions: readonly Definition[];
  readonly warnings: readonly Warning[];
}

/** How the schemas of a tool are read. */
export interface ToolReadingOptions {
  /** Documents that the schemas may refer to, by URI. */
  readonly documents?: SchemaDocuments | undefined;
  /**
   * Checks regular expressions for super-linear time; without it none is checked. One that is slow is a warning in a
   * schema of the author, and has no effect in the schema of a server.
   */
  readonly checkPattern?: PatternCheck | undefined;
  /** Whether `nullable: true` of OpenAPI 3.0 allows null, with a warning for each; false by default. */
  readonly nullable?: boolean | undefined;
}

/** Most subschemas of one schema; larger ones get no type. */
export const MAX_SUBSCHEMAS = 20_000;

/** Longest pointer in a warning about a pattern. */
const MAX_POINTER = 300;

/** Most definitions of one schema. */
export const MAX_DEFINITIONS = 1000;

/**
 * Converts the schemas of a tool to types. If a part cannot be read, the type is wider, with a warning. Nothing is
 * fetched.
 *
 * @param docs - Texts for definitions without a description.
 * @throws {@link McpgenError} if a schema of the author's own tool is not valid JSON Schema. For a tool of a server it is a warning.
 */
export function parseTool(source: ToolSource, docs: Docs, options: ToolReadingOptions = {}): ToolModel {
  const definitions: Definition[] = [];
  const warnings: Warning[] = [];
  const bundled: { input?: JsonValue; output?: JsonValue } = {};
  for (const [role, key] of [
    ['input', 'Input'],
    ['output', 'Output'],
  ] as const) {
    const schema = source[role];
    if (schema === undefined) {
      if (role === 'input' && !source.isOwn)
        warnings.push({
          place: source.places.input,
          message: `the tool ${showValue(source.name, 60)} has no "inputSchema", so any object is accepted`,
        });
      continue;
    }
    const read = readToolSchema(schema, key, { ...options, source, role, docs });
    definitions.push(...read.definitions);
    warnings.push(...read.warnings);
    if (source.isOwn) bundled[role] = bundle(schema, read.documents);
  }
  return { source: { ...source, ...bundled }, definitions, warnings };
}

/** A schema with the documents that it refers to, as clients get it (JSON Schema 2020-12, 9.3). */
function bundle(schema: JsonValue, documents: readonly (readonly [uri: string, document: JsonValue])[]): JsonValue {
  if (!isObject(schema) || documents.length === 0) return schema;
  const dialect = ownMember(schema, '$schema');
  const key = typeof dialect === 'string' && dialectOf(dialect) === 'draft-07' ? 'definitions' : '$defs';
  const own = ownMember(schema, key);
  return { ...schema, [key]: { ...(isObject(own) ? own : {}), ...Object.fromEntries(documents) } };
}

interface ToolSchemaContext extends ToolReadingOptions {
  readonly source: ToolSource;
  readonly role: 'input' | 'output';
  readonly docs: Docs;
}

function readToolSchema(
  schema: JsonValue,
  key: string,
  context: ToolSchemaContext,
): Pick<ToolModel, 'definitions' | 'warnings'> & { readonly documents: readonly (readonly [string, JsonValue])[] } {
  const { source, role, documents } = context;
  // 2020-12 is the default (MCP 2025-11-25, Basic, JSON Schema usage).
  const index = new SchemaIndex(schema, '2020-12', documents);
  const policy = new ToolPolicy(key, source.places[role], context);
  const reader = new SchemaReader(index, policy);
  policy.nameOf(index.root, index.enter(new Map(), index.root.resource));
  const read: Definition[] = [];
  for (const { name, place, scope } of policy.definitions) {
    const owner = { definition: name, path: [] };
    read.push({ name, type: reader.read(place, scope, owner), ...policy.annotations(place.schema, owner) });
    if (reader.count <= MAX_SUBSCHEMAS && policy.definitions.length <= MAX_DEFINITIONS) continue;
    policy.clear();
    policy.warn(index.root, 'the schema is too large, so its type is unknown');
    return { definitions: [{ name: key, type: { kind: 'unknown' } }], warnings: policy.warnings, documents: [] };
  }
  for (let cycle = findAliasCycle(read); cycle !== undefined; cycle = findAliasCycle(read)) {
    const [first] = cycle;
    const at = read.findIndex(({ name }) => name === first);
    const definition = read[at];
    if (definition === undefined) break;
    const type: TypeNode = { kind: 'unknown' };
    read[at] = { ...definition, type };
    reader.widened.add(type);
    const place = policy.definitions[at]?.place ?? index.root;
    policy.warn(place, 'it refers to itself and nothing else, so its type is unknown');
  }
  const relaxed = narrowOpenTypes(relaxWidened(read, reader.widened));
  const typed =
    role === 'input'
      ? withObjectInput(
          relaxed,
          key,
          (message) => {
            policy.warn(index.root, message);
          },
          source,
        )
      : relaxed;
  if (source.isOwn && role === 'input') {
    for (const { definition, pointer, message } of new SchemaDefaults(typed).rejected) {
      const place = policy.definitions.find(({ name }) => name === definition)?.place ?? index.root;
      policy.warn({ ...place, pointer: place.pointer + pointer }, message);
    }
  }
  const used = new Set(policy.definitions.map(({ place }) => place.resource.document));
  return {
    definitions: typed,
    warnings: policy.warnings,
    documents: [...(documents ?? [])].filter(([uri]) => used.has(uri)),
  };
}

function isObjectType(type: TypeNode, lookup: TypeLookup): boolean {
  const kinds = jsonKinds(type, lookup);
  return kinds?.size === 1 && kinds.has('object');
}

const ANY_ARGUMENTS: TypeNode = {
  kind: 'object',
  members: [],
  rest: { kind: 'unknown' },
  shape: 'map',
  constraints: {},
};

/** Arguments are an object in every revision (MCP, Tools), whatever their schema allows. */
function withObjectInput(
  definitions: readonly Definition[],
  key: string,
  warn: (message: string) => void,
  source: ToolSource,
): readonly Definition[] {
  const lookup = typeLookup({ definitions });
  return definitions.map((definition) => {
    if (definition.name !== key) return definition;
    if (definition.type.kind === 'never' || isObjectType(definition.type, lookup)) return definition;
    const type = restrictToKinds(definition.type, new Set(['object']), lookup);
    const owner = `the schema of the tool ${showValue(source.name, 60)}`;
    if (type === undefined) {
      warn(`arguments are always an object, but ${owner} allows none, so any object is accepted`);
      return { ...definition, type: ANY_ARGUMENTS };
    }
    warn(`arguments are always an object, but ${owner} also allows other values`);
    return { ...definition, type: isObjectType(type, lookup) ? type : makeIntersection([ANY_ARGUMENTS, type]) };
  });
}

/** For the untrusted schema of a tool: what cannot be read has no effect, so that everything valid stays valid. */
class ToolPolicy implements ReadingPolicy {
  readonly areObjectsOpen: boolean;
  readonly maxSubschemas = MAX_SUBSCHEMAS;
  readonly warnings: Warning[] = [];
  /** Definitions in the order of their first reference. */
  readonly definitions: { readonly name: string; readonly place: SchemaPlace; readonly scope: DynamicScope }[] = [];
  readonly #names = new Map<string, string>();
  readonly #takenNames = new Set<string>();
  readonly #unknown = new Set<string>();
  readonly #key: string;
  readonly #place: string;
  readonly #isOwn: boolean;
  readonly #docs: Docs;
  readonly #checkPattern: PatternCheck | undefined;
  readonly #nullable: boolean;
  /** Whether each pattern with a warning is used, by its place. */
  readonly #slow = new Map<string, boolean>();

  constructor(
    key: string,
    place: string,
    { source: { isOwn }, role, docs, checkPattern, nullable = false }: ToolSchemaContext,
  ) {
    // Arguments of a called tool are written as literals, which may have any member that the schema allows. Everything
    // else is read, where the name of a member that the schema does not have is a mistake.
    this.areObjectsOpen = !isOwn && role === 'input';
    this.#key = key;
    this.#place = place;
    this.#isOwn = isOwn;
    this.#docs = docs;
    this.#checkPattern = checkPattern;
    this.#nullable = nullable;
  }

  nameOf(place: SchemaPlace, scope: DynamicScope): string {
    const { pointer, resource } = place;
    const bound = [...scope].map(([name, target]) => [name, target.resource.document, target.pointer]);
    const id = JSON.stringify([resource.document, pointer, ...bound.sort()]);
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const last = parsePointer(pointer).at(-1) ?? documentName(resource.document);
    const words = (last.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ').slice(0, 60);
    const isRoot = this.definitions.length === 0;
    const wanted = isRoot ? this.#key : `${this.#key} ${words !== '' ? words : pointer === '' ? 'Root' : 'Part'}`;
    let name = wanted;
    for (let number = 2; this.#takenNames.has(joinedName(name)); number += 1) name = `${wanted} ${number}`;
    this.#takenNames.add(joinedName(name));
    // Arguments are an object, but a reference to the whole schema may lead to other values.
    if (!isRoot || (isObject(place.schema) && ownMember(place.schema, 'type') === 'object')) this.#names.set(id, name);
    this.definitions.push({ name, place, scope });
    return name;
  }

  unresolved(at: SchemaPlace, reference: JsonValue): void {
    const isOutside = typeof reference === 'string' && !reference.startsWith('#');
    const reason = isOutside ? 'points outside the schema, and nothing is fetched' : 'points to nothing';
    const message = `the reference ${showValue(reference)} ${reason}`;
    const effect = ': the type is unknown';
    const remedy = isOutside
      ? 'Pass the schema with this "$id" as --additional-schema, list it in "additionalSchemas" of the config, or copy it into $defs.'
      : 'Add the definition, or correct the reference.';
    // The author of a server's schema is someone else, who cannot be asked to correct it.
    if (isOutside && !this.#isOwn) this.warn(at, message + effect, remedy);
    else this.fault(at, { message, remedy, effect });
  }

  fault(at: SchemaPlace, { message, remedy, effect }: SchemaFault): void {
    if (this.#isOwn) throw new McpgenError(message, { place: this.#placeOf(at), remedy });
    this.warn(at, message + effect);
  }

  misplaced(): void {
    // An annotation has no effect on validation.
  }

  unknownKeyword(at: SchemaPlace, keyword: string): void {
    if (this.#unknown.has(keyword)) return;
    this.#unknown.add(keyword);
    const near = closestMatch(keyword, [...STRUCTURE_KEYWORDS, ...CONSTRAINT_KEYWORDS]);
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    const shown = keyword.slice(0, 60);
    const parent = at.pointer.slice(0, at.pointer.length - formatPointer(keyword).length);
    this.warn(
      { ...at, pointer: parent + formatPointer(shown) },
      `the keyword ${JSON.stringify(shown)} is unknown and has no effect${hint}`,
    );
  }

  unused(): void {
    // Strangers' schemas have many such keywords, and they do no harm.
  }

  unknownFormat(at: SchemaPlace, format: string): void {
    if (this.#unknown.has(format)) return;
    this.#unknown.add(format);
    this.warn(at, `the format ${showValue(format)} is unknown; it is kept as an annotation`);
  }

  usesPattern(at: SchemaPlace, pattern: string, maxLength?: number): boolean {
    if (this.#checkPattern === undefined) return true;
    const place = this.#placeOf(at);
    const known = this.#slow.get(place);
    if (known !== undefined) return known;
    const risk = riskOf(this.#checkPattern, pattern, maxLength);
    if (risk === undefined) return true;
    this.#slow.set(place, this.#isOwn);
    const effect = this.#isOwn ? '' : ', so it has no effect';
    const remedy = this.#isOwn ? remedyOf(risk) : 'If you trust the server, pass --trust-patterns.';
    // A pointer to a member of patternProperties contains the pattern.
    const pointer = at.pointer.length > MAX_POINTER ? `${at.pointer.slice(0, MAX_POINTER)}...` : at.pointer;
    this.warn({ ...at, pointer }, describeRisk(pattern, risk) + effect, remedy);
    return this.#isOwn;
  }

  addsNull(at: SchemaPlace): boolean {
    const key = this.#nullable ? `${this.#placeOf(at)} nullable` : 'nullable';
    if (this.#unknown.has(key)) return this.#nullable;
    this.#unknown.add(key);
    const keyword = 'the keyword "nullable" of OpenAPI 3.0';
    if (this.#nullable) this.warn(at, `${keyword} is not JSON Schema; null is allowed here`);
    else this.warn(at, `${keyword} is not JSON Schema and has no effect`, 'To allow null, pass --nullable.');
    return this.#nullable;
  }

  warn(at: SchemaPlace, message: string, remedy?: string): void {
    this.warnings.push({ place: this.#placeOf(at), message, ...(remedy === undefined ? {} : { remedy }) });
  }

  clear(): void {
    this.warnings.length = 0;
  }

  annotations(schema: JsonValue, { definition, path }: Owner): Pick<Member, 'doc' | 'deprecated' | 'defaultValue'> {
    const own = isObject(schema) ? schema : {};
    const description = ownMember(own, 'description');
    const text = typeof description === 'string' ? description : this.#docs.member(definition, path);
    const doc = [text, ...notesOf(own, text ?? '')].filter((part) => part !== undefined).join('\n\n');
    const defaultValue = ownMember(own, 'default');
    return {
      ...(doc === '' ? {} : { doc }),
      ...(ownMember(own, 'deprecated') === true ? { deprecated: true as const } : {}),
      ...(defaultValue === undefined ? {} : { defaultValue }),
    };
  }

  #placeOf({ pointer, resource: { document } }: SchemaPlace): string {
    if (document !== '') return `${document}#${pointer}`;
    const place = this.#place;
    return place.includes('#') || pointer === '' ? place + pointer : `${place}#${pointer}`;
  }
}

/** Maximum of examples in a comment. */
const MAX_EXAMPLES = 3;

/** Annotations that have no place in a type, except examples that the description has already. */
function notesOf(schema: JsonObject, description: string): readonly string[] {
  const notes: string[] = [];
  if (ownMember(schema, 'readOnly') === true) notes.push('Read-only.');
  if (ownMember(schema, 'writeOnly') === true) notes.push('Write-only.');
  const examples = ownMember(schema, 'examples');
  const shown = (Array.isArray(examples) ? (examples as readonly JsonValue[]) : [])
    .filter((example) => !description.includes(typeof example === 'string' ? example : JSON.stringify(example)))
    .slice(0, MAX_EXAMPLES)
    .map((example) => `\`${showValue(example, 60).replaceAll('`', "'")}\``);
  if (shown.length > 0) notes.push(`${shown.length === 1 ? 'Example' : 'Examples'}: ${shown.join(', ')}.`);
  return notes;
}

/** The name of a document in its URI: `address` of `https://example.com/address.schema.json`. */
function documentName(uri: string): string {
  const [path = ''] = uri.split(/[?#]/);
  return (path.split('/').at(-1) ?? '').replace(/(?:\.schema)?\.json$/, '');
}

/** The part of a name that remains when it becomes a name in TypeScript. */
function joinedName(name: string): string {
  return name.replaceAll(' ', '').toLowerCase();
}

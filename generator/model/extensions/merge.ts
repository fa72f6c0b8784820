/**
 * Adds extensions to a revision: one schema and one catalog, which the rest of the generator reads like any other.
 */
import { McpgenError } from '../../errors.js';
import type { Docs } from '../../read/builtin/docs.js';
import { directionsOf, type BySide, type Catalog, type CatalogMethod, type Traits } from '../../read/catalog.js';
import type { Erratum } from '../../read/errata.js';
import type { ExtensionCatalog, ExtensionMethod } from '../../read/extension.js';
import {
  formatPointer,
  isObject,
  objectFromEntries,
  ownMember,
  parsePointer,
  type JsonObject,
  type JsonValue,
} from '../../read/json/json.js';
import type { DefinitionsKey } from '../../read/schema/canonical.js';
import { schemaKey } from '../../read/schema/extension.js';
import {
  directionWord,
  extensionCapability,
  sideWords,
  SIDES,
  type Direction,
  type Side,
  type Source,
} from '../protocol.js';

/** An extension with its definitions, read from its files. */
export interface Extension {
  readonly catalog: ExtensionCatalog;
  /** Canonical definitions, corrected by errata. */
  readonly definitions: JsonObject;
  readonly docs: Docs;
  readonly source: Source;
  readonly errata: readonly Erratum[];
  /** Results that the runtime can follow to final ones. */
  readonly follows: readonly string[];
  readonly places: ExtensionPlaces;
}

/** The names of an extension's files, for messages. */
interface ExtensionPlaces {
  readonly schema: string;
  /** The key of the definitions in the schema's file. */
  readonly root: DefinitionsKey;
  readonly catalog: string;
}

/** The revision that extensions are added to. */
export interface ExtendedRevision {
  /** Its names: that of its folder, and that on the wire. */
  readonly names: readonly string[];
  /** Corrected definitions. */
  readonly definitions: JsonObject;
  /** Definitions as published, of which extensions may have copies. */
  readonly published: JsonObject;
  readonly catalog: Catalog;
  readonly traits: Traits;
  readonly places: { readonly schema: string; readonly catalog: string };
}

/** A revision with its extensions. */
export interface MergedRevision {
  readonly definitions: JsonObject;
  readonly catalog: Catalog;
  /** The extension of each definition that the revision itself does not have. */
  readonly definedBy: ReadonlyMap<string, Extension>;
  /** The extension of each method that the revision itself does not have. */
  readonly methodsOf: ReadonlyMap<string, Extension>;
  /** The pointer of each row in the catalog of its extension, by method. */
  readonly rows: ReadonlyMap<string, string>;
}

/**
 * Adds extensions to a revision.
 *
 * @throws {@link McpgenError} if one does not extend the revision, or if a name, a method, a member or an error code
 *   is already there.
 */
export function mergeExtensions(revision: ExtendedRevision, extensions: readonly Extension[]): MergedRevision {
  const merger = new Merger(revision);
  for (const extension of extensions) merger.add(extension);
  return merger.result();
}

/** The unions that list the messages of a direction, and the results that answer them; absent if the protocol has no such union. */
type MessageUnions = Readonly<Partial<Record<'request' | 'notification' | 'result', string>>>;

function unionsOf({ unions, inputRequired }: Traits, direction: Exclude<Direction, 'both'>): MessageUnions {
  if (direction === 'embedded') {
    const { request, response } = inputRequired ?? {};
    return { ...(request === undefined ? {} : { request }), ...(response === undefined ? {} : { result: response }) };
  }
  if (unions === undefined) return {};
  const [sender, receiver]: readonly [Side, Side] =
    direction === 'clientToServer' ? ['client', 'server'] : ['server', 'client'];
  return { ...unions[sender], result: unions[receiver].result };
}

class Merger {
  readonly #revision: ExtendedRevision;
  readonly #definitions: Map<string, JsonValue>;
  readonly #definedBy = new Map<string, Extension>();
  readonly #methods: Map<string, CatalogMethod>;
  readonly #methodsOf = new Map<string, Extension>();
  readonly #rows = new Map<string, string>();
  readonly #errors: { readonly error: Catalog['errors'][number]; readonly place: string }[];
  readonly #added = new Map<string, Extension>();

  constructor(revision: ExtendedRevision) {
    this.#revision = revision;
    this.#definitions = new Map(Object.entries(revision.definitions));
    this.#methods = new Map(revision.catalog.methods.map((row) => [row.method, row]));
    this.#errors = revision.catalog.errors.map((error, index) => ({
      error,
      place: `${revision.places.catalog}#${formatPointer('errors', index)}`,
    }));
  }

  result(): MergedRevision {
    return {
      definitions: objectFromEntries(this.#definitions),
      catalog: {
        ...this.#revision.catalog,
        methods: [...this.#methods.values()],
        errors: this.#errors.map(({ error }) => error),
      },
      definedBy: this.#definedBy,
      methodsOf: this.#methodsOf,
      rows: this.#rows,
    };
  }

  add(extension: Extension): void {
    const { catalog, places } = extension;
    const [name = ''] = this.#revision.names;
    if (!catalog.extends.some((extended) => this.#revision.names.includes(extended))) {
      throw new McpgenError(`${catalog.extension} does not extend revision ${name}`, {
        place: extension.source.builtin ? '--extension' : `${places.catalog}#/extends`,
        remedy: `It extends ${catalog.extends.join(', ')}: generate ${catalog.extends.length === 1 ? 'that' : 'one of these'}, or omit it.`,
      });
    }
    const twin = this.#added.get(catalog.extension);
    if (twin !== undefined) {
      throw new McpgenError(`the extension ${catalog.extension} is also in ${twin.places.catalog}`, {
        place: `${places.catalog}#/extension`,
        remedy: 'Pass it once.',
      });
    }
    this.#added.set(catalog.extension, extension);
    this.#addDefinitions(extension);
    catalog.methods?.forEach((row, index) => {
      this.#addMethod(extension, row, index);
    });
    catalog.results?.forEach((_, index) => {
      this.#addResult(extension, index);
    });
    catalog.members?.forEach((_, index) => {
      this.#addMembers(extension, index);
    });
    this.#addErrors(extension);
    this.#refuseSides(extension);
    for (const side of SIDES) this.#addCapability(extension, side);
  }

  #addDefinitions(extension: Extension): void {
    const { definitions, places } = extension;
    for (const [name, schema] of Object.entries(definitions)) {
      const known = this.#definitions.get(name);
      if (known !== undefined) {
        const published = ownMember(this.#revision.published, name);
        const isCopy = [known, published].some(
          (other) => other !== undefined && schemaKey(other) === schemaKey(schema),
        );
        if (isCopy) continue;
        throw new McpgenError(
          `the definition ${JSON.stringify(name)} differs from the one in ${this.#placeOfDefinition(name)}`,
          {
            place: `${places.schema}#${formatPointer(places.root, name)}`,
            remedy: 'Rename it, or remove it to use the other one.',
          },
        );
      }
      this.#definitions.set(name, schema);
      this.#definedBy.set(name, extension);
    }
  }

  #addMethod(extension: Extension, row: ExtensionMethod, index: number): void {
    const place = `${extension.places.catalog}#${formatPointer('methods', index)}`;
    if (this.#methods.has(row.method)) {
      const other = this.#rows.get(row.method) ?? this.#revision.places.catalog;
      throw new McpgenError(`the method ${JSON.stringify(row.method)} is also in ${other}`, {
        place: `${place}/method`,
        remedy: 'Choose another name, such as one with the name of the vendor.',
      });
    }
    const direction = this.#directionOf(row, place);
    this.#refuseDirection({ ...row, direction }, place);
    if (row.message !== undefined) this.#requireDefinition(row.message, `${place}/message`, extension);
    for (const result of [row.result ?? []].flat()) this.#requireDefinition(result, `${place}/result`, extension);
    const declared = this.#declaresExtensions
      ? declaredCapability(extension.catalog.extension, { ...row, direction }, this.#words)
      : null;
    this.#methods.set(row.method, {
      ...row,
      direction,
      capability: row.capability === undefined ? declared : row.capability,
    });
    this.#methodsOf.set(row.method, extension);
    this.#rows.set(row.method, place);
    for (const one of direction === 'both' ? (['clientToServer', 'serverToClient'] as const) : [direction]) {
      const unions = unionsOf(this.#revision.traits, one);
      const union = unions[row.kind];
      if (union !== undefined && row.message !== undefined) this.#addToUnion(union, row.message);
      for (const result of [row.result ?? []].flat()) this.#addToResults(unions.result, result);
    }
  }

  /** The direction that a word of the protocol means. */
  #directionOf({ method, direction }: ExtensionMethod, place: string): Direction {
    const directions = directionsOf(this.#words);
    const found = directions.get(direction);
    if (found !== undefined) return found;
    throw new McpgenError(`${method}: ${JSON.stringify(direction)} is not a direction of this protocol`, {
      place: `${place}/direction`,
      remedy: `There are ${[...directions.keys()].join(', ')}.`,
    });
  }

  /** A stateless revision has no requests from the server: it asks inside results. */
  #refuseDirection({ method, kind, direction }: DirectedMethod, place: string): void {
    const isStateless = this.#revision.catalog.lifecycle === 'stateless';
    if (isStateless && kind === 'request' && (direction === 'serverToClient' || direction === 'both')) {
      throw new McpgenError(`${method}: servers send no requests in revision ${this.#revision.names[0] ?? ''}`, {
        place: `${place}/direction`,
        remedy: 'Use "embedded", so that it is sent inside a result that requires input.',
      });
    }
    const input = this.#revision.traits.inputRequired?.request;
    if (direction === 'embedded' && (input === undefined || !this.#definitions.has(input))) {
      throw new McpgenError(`${method}: no result of revision ${this.#revision.names[0] ?? ''} has requests inside`, {
        place: `${place}/direction`,
        remedy: `Use "${directionWord(this.#revision, 'serverToClient')}".`,
      });
    }
  }

  #addResult(extension: Extension, index: number): void {
    const { catalog, places } = extension;
    const { method = '', result = '', followed } = catalog.results?.[index] ?? {};
    const place = `${places.catalog}#${formatPointer('results', index)}`;
    const row = this.#methods.get(method);
    if (row?.kind !== 'request' || this.#methodsOf.get(method) === extension) {
      throw new McpgenError(`${JSON.stringify(method)} is not a request of revision ${this.#revision.names[0] ?? ''}`, {
        place: `${place}/method`,
        remedy:
          'Only results of existing requests are added here; those of methods that the extension adds are in their rows.',
      });
    }
    if (row.direction === 'embedded') {
      throw new McpgenError(`${method} is inside results: its response has only one type`, {
        place: `${place}/method`,
        remedy: 'Add members to its result with "members".',
      });
    }
    if (followed === true && !extension.follows.includes(result)) {
      throw new McpgenError(`${method}: the runtime cannot follow ${result} to a final result`, {
        place: `${place}/followed`,
        remedy: 'Omit it: the client method then returns either result.',
      });
    }
    const { inputRequired } = this.#revision.traits;
    if (inputRequired === undefined) {
      throw new McpgenError(`${method}: a request of revision ${this.#revision.names[0] ?? ''} has only one result`, {
        place: `${place}/method`,
        remedy: 'Define a new method, or add members to the result with "members".',
      });
    }
    const { member, value, complete } = inputRequired;
    const results = [row.result ?? []].flat();
    const typeOf = (name: string): JsonValue | undefined => this.#memberRule(refTo(name), member).value;
    const type = typeOf(result);
    const twin = results.find((other) => type !== undefined && typeOf(other) === type);
    if (results.includes(result) || twin !== undefined) {
      throw new McpgenError(
        `${method}: ${result} cannot be distinguished from the result ${twin ?? result} of ${this.#placeOfDefinition(twin ?? result)}`,
        { place: `${place}/result`, remedy: `Choose a value of its member "${member}" that no other result has.` },
      );
    }
    const { isRequired } = this.#memberRule(refTo(result), member);
    if (typeof type !== 'string' || !isRequired) {
      throw new McpgenError(
        type === undefined
          ? `${method}: ${JSON.stringify(result)} has no member "${member}" with one value`
          : `${method}: the member "${member}" of ${result} is not ${isRequired ? 'a string' : 'required'}`,
        {
          place: `${place}/result`,
          remedy: `Require a member "${member}" with a "const", a string that no other result has.`,
        },
      );
    }
    if (type === value || type === complete) {
      throw new McpgenError(
        `${method}: the "${member}" ${JSON.stringify(type)} of ${result} belongs to the revision itself`,
        {
          place: `${place}/result`,
          remedy: `Require a member "${member}" with a "const", a string that no other result has.`,
        },
      );
    }
    const followedResults = [...(row.followedResults ?? []), ...(followed === true ? [result] : [])];
    this.#methods.set(method, {
      ...row,
      result: [...results, result],
      ...(followedResults.length === 0 ? {} : { followedResults }),
    });
    const direction = row.direction === 'both' ? 'clientToServer' : row.direction;
    this.#addToResults(unionsOf(this.#revision.traits, direction).result, result);
    if (row.message !== undefined) this.#addToResponse(row.message, result);
  }

  /** The only value of a member, such as `resultType`, that a schema allows, and whether it requires the member. */
  #memberRule(
    schema: JsonValue | undefined,
    member: string,
    depth = 0,
  ): { readonly value: JsonValue | undefined; readonly isRequired: boolean } {
    const target = this.#resolve(schema);
    if (!isObject(target) || depth > MAX_DEPTH) return { value: undefined, isRequired: false };
    const parts = ownMember(target, 'allOf');
    const inParts = (Array.isArray(parts) ? (parts as readonly JsonValue[]) : [])
      .concat(Object.hasOwn(target, '$ref') ? [target] : [])
      .map((part) => this.#memberRule(part, member, depth + 1));
    const required = ownMember(target, 'required');
    return {
      value: [
        ownMember(objectMember(objectMember(target, 'properties'), member), 'const'),
        ...inParts.map(({ value }) => value),
      ].find((value) => value !== undefined),
      isRequired:
        (Array.isArray(required) && (required as readonly JsonValue[]).includes(member)) ||
        inParts.some(({ isRequired }) => isRequired),
    };
  }

  /** Adds a result to the response of a request, if the schema has its definition. */
  #addToResponse(message: string, result: string): void {
    const name = `${message.replace(/Request$/, '')}ResultResponse`;
    const response = this.#definitions.get(name);
    const properties = isObject(response) ? ownMember(response, 'properties') : undefined;
    const current = isObject(properties) ? ownMember(properties, 'result') : undefined;
    if (!isObject(response) || !isObject(properties) || current === undefined) return;
    this.#definitions.set(
      name,
      withMember(response, 'properties', withMember(properties, 'result', withVariant(current, result))),
    );
  }

  #addToResults(union: string | undefined, name: string): void {
    if (union !== undefined && this.#definitions.has(union)) this.#addToUnion(union, name);
  }

  #addToUnion(union: string, name: string): void {
    const current = this.#definitions.get(union);
    if (current === undefined) {
      this.#definitions.set(union, { anyOf: [refTo(name)] });
      return;
    }
    if (isObject(current) && refersTo(current, name)) return;
    const isUnion = isObject(current) && (Object.hasOwn(current, 'anyOf') || Object.hasOwn(current, '$ref'));
    this.#definitions.set(union, withVariant(isUnion ? current : this.#originalOf(union, current), name));
  }

  /** A reference to the message that a union of one message is a copy of, as in some revisions. */
  #originalOf(union: string, copy: JsonValue): JsonValue {
    const key = schemaKey(copy);
    const original = [...this.#definitions].find(([other, schema]) => other !== union && schemaKey(schema) === key);
    return original === undefined ? copy : refTo(original[0]);
  }

  #addMembers(extension: Extension, index: number): void {
    const { catalog, places } = extension;
    const { definition = '', member, from = '' } = catalog.members?.[index] ?? {};
    const place = `${places.catalog}#${formatPointer('members', index)}`;
    const target = this.#definitions.get(definition);
    const properties = isObject(target) ? ownMember(target, 'properties') : undefined;
    if (!isObject(target) || !isObject(properties) || this.#definedBy.get(definition) === extension) {
      throw new McpgenError(
        `${JSON.stringify(definition)} is not a definition of revision ${this.#revision.names[0] ?? ''} with members`,
        { place: `${place}/definition`, remedy: 'Name an object of the revision, as in `mcpgen explain`.' },
      );
    }
    const source = this.#definedBy.get(from) === extension ? this.#definitions.get(from) : undefined;
    const added = isObject(source) ? ownMember(source, 'properties') : undefined;
    if (!isObject(source) || !isObject(added)) {
      throw new McpgenError(`${JSON.stringify(from)} is not a definition of ${places.schema} with members`, {
        place: `${place}/from`,
        remedy: 'Name an object of the schema of the extension.',
      });
    }
    // The members are copied, and nothing else of their definition.
    const lost = Object.keys(source).find((key) => member === undefined && !COPIED_KEYWORDS.includes(key));
    if (lost !== undefined && lost !== 'required') {
      throw new McpgenError(`${from} has ${JSON.stringify(lost)}, which ${definition} does not get`, {
        place: `${places.schema}#${formatPointer(places.root, from, lost)}`,
        remedy: 'Define its members in "properties" only.',
      });
    }
    if (ownMember(source, 'required') !== undefined) {
      throw new McpgenError(`${from} has required members, which others do not send`, {
        place: `${places.schema}#${formatPointer(places.root, from, 'required')}`,
        remedy: 'Make them optional.',
      });
    }
    const inside = member === undefined ? undefined : this.#objectMember(properties, member, `${place}/member`);
    const known = inside === undefined ? Object.keys(properties) : this.#memberNames(inside);
    for (const name of Object.keys(added)) {
      if (!known.includes(name)) continue;
      throw new McpgenError(
        `the member ${JSON.stringify(name)} of ${from} is also in ${this.#placeOfDefinition(definition)}/properties`,
        { place: `${places.schema}#${formatPointer(places.root, from, 'properties', name)}`, remedy: 'Rename it.' },
      );
    }
    const extended =
      member === undefined || inside === undefined
        ? objectFromEntries([...Object.entries(properties), ...Object.entries(added)])
        : withMember(properties, member, withPart(inside, from));
    this.#definitions.set(definition, withMember(target, 'properties', extended));
  }

  /** The schema of a member that is an object. */
  #objectMember(properties: JsonObject, name: string, place: string): JsonObject {
    const schema = ownMember(properties, name);
    const target = this.#resolve(schema);
    const isObjectType = isObject(target) && (target['type'] === 'object' || Object.hasOwn(target, 'allOf'));
    if (isObject(schema) && isObjectType) return schema;
    throw new McpgenError(`${JSON.stringify(name)} is not a member with members`, {
      place,
      remedy: 'Name a member that is an object, or omit it.',
    });
  }

  /** The names of an object's members, also of its parts. */
  #memberNames(schema: JsonValue | undefined): readonly string[] {
    const target = this.#resolve(schema);
    if (!isObject(target)) return [];
    const parts = ownMember(target, 'allOf');
    return [
      ...Object.keys(objectMember(target, 'properties')),
      ...(Array.isArray(parts) ? (parts as readonly JsonValue[]).flatMap((part) => this.#memberNames(part)) : []),
    ];
  }

  #resolve(schema: JsonValue | undefined): JsonValue | undefined {
    const reference = isObject(schema) ? ownMember(schema, '$ref') : undefined;
    return typeof reference === 'string'
      ? this.#definitions.get(parsePointer(reference.slice(1)).at(-1) ?? '')
      : schema;
  }

  #addErrors({ catalog, places, source }: Extension): void {
    catalog.errors?.forEach((error, index) => {
      const place = `${places.catalog}#${formatPointer('errors', index)}`;
      for (const key of ['code', 'name'] as const) {
        const twin = this.#errors.find((other) => other.error[key] === error[key]);
        if (twin === undefined) continue;
        throw new McpgenError(
          `the error ${key} ${String(error[key])} is also in ${twin.place} (${twin.error.name}, ${twin.error.code})`,
          { place: `${place}/${key}`, remedy: 'Choose another one.' },
        );
      }
      if (!source.builtin) refuseErrorCode(error, `${place}/code`);
      this.#errors.push({ error, place });
    });
  }

  /** The definition of a side's capabilities gets a member for what the extension declares. */
  #addCapability(extension: Extension, side: Side): void {
    const { catalog, places } = extension;
    const name = this.#revision.traits.capabilities?.[side];
    if (name === undefined) return;
    const word = this.#words[side];
    const definition = ownMember(catalog.capabilities ?? {}, word) as string | undefined;
    if (definition !== undefined)
      this.#requireDefinition(definition, `${places.catalog}#${formatPointer('capabilities', word)}`, extension);
    const capabilities = this.#definitions.get(name);
    if (!isObject(capabilities)) return;
    const members = objectMember(capabilities, 'properties');
    const declared = objectMember(members, 'extensions', { type: 'object', additionalProperties: ANY_OBJECT });
    const own =
      definition === undefined ? (ownMember(declared, 'additionalProperties') ?? ANY_OBJECT) : refTo(definition);
    const extended = withMember(
      declared,
      'properties',
      withMember(objectMember(declared, 'properties'), catalog.extension, own),
    );
    this.#definitions.set(name, withMember(capabilities, 'properties', withMember(members, 'extensions', extended)));
  }

  #requireDefinition(name: string, place: string, { places }: Extension): void {
    if (this.#definitions.has(name)) return;
    throw new McpgenError(`the definition ${JSON.stringify(name)} does not exist`, {
      place,
      remedy: `Add it to ${places.schema}, or correct the name.`,
    });
  }

  /** Whether the revision's sides declare capabilities at all. */
  get #declaresExtensions(): boolean {
    const { capabilities } = this.#revision.traits;
    return SIDES.every((side) => this.#definitions.has(capabilities?.[side] ?? ''));
  }

  get #words(): BySide<string> {
    return sideWords(this.#revision);
  }

  #refuseSides({ catalog, places }: Extension): void {
    const words = SIDES.map((side) => this.#words[side]);
    const unknown = Object.keys(catalog.capabilities ?? {}).find((word) => !words.includes(word));
    if (unknown === undefined) return;
    throw new McpgenError(`${JSON.stringify(unknown)} is not a side of this protocol`, {
      place: `${places.catalog}#${formatPointer('capabilities', unknown)}`,
      remedy: `The sides are ${words.join(' and ')}.`,
    });
  }

  #placeOfDefinition(name: string): string {
    const places = this.#definedBy.get(name)?.places;
    return places === undefined
      ? `${this.#revision.places.schema}#${formatPointer('$defs', name)}`
      : `${places.schema}#${formatPointer(places.root, name)}`;
  }
}

/**
 * Rejects a code that a vendor cannot have (JSON-RPC 2.0, Error object; MCP 2026-07-28, Error Codes: new codes must not be
 * in -32000 to -32019, and -32020 to -32099 belong to the specification).
 */
function refuseErrorCode({ name, code }: Catalog['errors'][number], place: string): void {
  const isReserved = code >= -32_768 && code <= -32_000;
  if (Number.isSafeInteger(code) && !isReserved) return;
  throw new McpgenError(
    `${name}: ${isReserved ? `the code ${code} is reserved by JSON-RPC and the protocol` : `${code} is not a safe integer`}`,
    { place, remedy: 'Choose an integer outside of -32768 to -32000, such as a positive one.' },
  );
}

/** The keywords of a definition whose members are added to another one. */
const COPIED_KEYWORDS: readonly string[] = ['type', 'properties', 'title', 'description', '$comment'];

/** How deep schemas of results may be; references may repeat. */
const MAX_DEPTH = 20;

const ANY_OBJECT: JsonObject = { type: 'object', additionalProperties: {} };

/** The capability that a method needs by default: the extension, of a request's receiver or a notification's sender. */
function declaredCapability(
  id: string,
  { kind, direction }: DirectedMethod,
  words: BySide<string>,
): string | readonly string[] {
  if (direction === 'both') return SIDES.map((side) => extensionCapability(words[side], id));
  if (direction === 'embedded') return extensionCapability(words.client, id);
  const isFromClient = direction === 'clientToServer';
  return extensionCapability(words[(kind === 'request') === isFromClient ? 'server' : 'client'], id);
}

/** A row whose direction is not in the protocol's words. */
type DirectedMethod = Pick<ExtensionMethod, 'method' | 'kind'> & { readonly direction: Direction };

function refTo(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

function refersTo(union: JsonObject, name: string): boolean {
  const { $ref: reference } = refTo(name);
  const variants = ownMember(union, 'anyOf');
  const all = Array.isArray(variants) ? (variants as readonly JsonValue[]) : [union];
  return all.some((variant) => isObject(variant) && ownMember(variant, '$ref') === reference);
}

/** A schema that also accepts a definition. */
function withVariant(schema: JsonValue, name: string): JsonObject {
  const variants = isObject(schema) ? ownMember(schema, 'anyOf') : undefined;
  if (isObject(schema) && Array.isArray(variants))
    return withMember(schema, 'anyOf', [...(variants as readonly JsonValue[]), refTo(name)]);
  return { anyOf: [schema, refTo(name)] };
}

/** A schema whose values are also of a definition. */
function withPart(schema: JsonObject, name: string): JsonObject {
  const parts = ownMember(schema, 'allOf');
  const own = Array.isArray(parts) && Object.keys(schema).length === 1 ? (parts as readonly JsonValue[]) : [schema];
  return { allOf: [...own, refTo(name)] };
}

function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return objectFromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

function objectMember(object: JsonObject, name: string, otherwise: JsonObject = {}): JsonObject {
  const value = ownMember(object, name);
  return isObject(value) ? value : otherwise;
}

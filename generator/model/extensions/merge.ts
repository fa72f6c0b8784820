/**
 * Adds extensions to a revision: one schema and one catalog, which the rest of the generator reads like any other.
 */
import { McpgenError } from '../../errors.js';
import type { Docs } from '../../read/builtin/docs.js';
import type { Catalog, CatalogMethod } from '../../read/catalog.js';
import type { Erratum } from '../../read/errata.js';
import type { ExtensionCatalog, ExtensionMethod } from '../../read/extension.js';
import {
  formatPointer,
  isObject,
  objectFromEntries,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../../read/json/json.js';
import type { DefinitionsKey } from '../../read/schema/canonical.js';
import { schemaKey } from '../../read/schema/extension.js';
import { DIRECTION_UNIONS, extensionCapability, type Side, type Source } from '../protocol.js';

/** An extension with its definitions, read from its files. */
export interface Extension {
  readonly catalog: ExtensionCatalog;
  /** Canonical definitions, corrected by errata. */
  readonly definitions: JsonObject;
  readonly docs: Docs;
  readonly source: Source;
  readonly errata: readonly Erratum[];
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

/** The unions that list the messages of a direction, and the results that answer them. */
const UNIONS = {
  clientToServer: { ...DIRECTION_UNIONS.clientToServer, result: DIRECTION_UNIONS.serverToClient.result },
  serverToClient: { ...DIRECTION_UNIONS.serverToClient, result: DIRECTION_UNIONS.clientToServer.result },
  embedded: { request: 'InputRequest', notification: 'InputRequest', result: 'InputResponse' },
} as const;

/** Results that the revision distinguishes already. */
const RESULT_TYPES: ReadonlySet<JsonValue> = new Set(['complete', 'input_required']);

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
        place: `${places.catalog}#/extends`,
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
    for (const side of ['client', 'server'] as const) this.#addCapability(extension, side);
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
    this.#refuseDirection(row, place);
    const declared = this.#declaresExtensions ? declaredCapability(extension.catalog.extension, row) : null;
    this.#methods.set(row.method, { ...row, capability: row.capability === undefined ? declared : row.capability });
    this.#methodsOf.set(row.method, extension);
    this.#rows.set(row.method, place);
    const { direction } = row;
    for (const one of direction === 'both' ? (['clientToServer', 'serverToClient'] as const) : [direction]) {
      this.#addToUnion(UNIONS[one][row.kind], row.message);
      for (const result of [row.result ?? []].flat()) this.#addToResults(UNIONS[one].result, result);
    }
  }

  /** A stateless revision has no requests from the server: it asks inside results. */
  #refuseDirection({ method, kind, direction }: ExtensionMethod, place: string): void {
    const isStateless = this.#revision.catalog.lifecycle === 'stateless';
    if (isStateless && kind === 'request' && (direction === 'serverToClient' || direction === 'both')) {
      throw new McpgenError(`${method}: servers send no requests in revision ${this.#revision.names[0] ?? ''}`, {
        place: `${place}/direction`,
        remedy: 'Use "embedded", so that it is sent inside a result that requires input.',
      });
    }
    if (direction === 'embedded' && !this.#definitions.has(UNIONS.embedded.request)) {
      throw new McpgenError(`${method}: no result of revision ${this.#revision.names[0] ?? ''} has requests inside`, {
        place: `${place}/direction`,
        remedy: 'Use "serverToClient".',
      });
    }
  }

  #addResult(extension: Extension, index: number): void {
    const { catalog, places } = extension;
    const { method = '', result = '' } = catalog.results?.[index] ?? {};
    const place = `${places.catalog}#${formatPointer('results', index)}`;
    const row = this.#methods.get(method);
    if (row?.kind !== 'request' || this.#methodsOf.get(method) === extension) {
      throw new McpgenError(`${JSON.stringify(method)} is not a request of revision ${this.#revision.names[0] ?? ''}`, {
        place: `${place}/method`,
        remedy: 'Only results of existing requests are added here; those of its own methods are in their rows.',
      });
    }
    const results = [row.result ?? []].flat();
    const type = pinnedResultType(this.#definitions.get(result), this.#definitions);
    const twin = results.find(
      (other) => type !== undefined && pinnedResultType(this.#definitions.get(other), this.#definitions) === type,
    );
    if (results.includes(result) || twin !== undefined) {
      throw new McpgenError(
        `${method}: ${result} cannot be distinguished from the result ${twin ?? result} of ${this.#placeOfDefinition(twin ?? result)}`,
        { place: `${place}/result`, remedy: 'Give its member "resultType" a value that no other result has.' },
      );
    }
    if (type === undefined || RESULT_TYPES.has(type)) {
      throw new McpgenError(
        type === undefined
          ? `${method}: ${JSON.stringify(result)} has no member "resultType" with one value`
          : `${method}: the "resultType" ${JSON.stringify(type)} of ${result} belongs to the revision itself`,
        {
          place: `${place}/result`,
          remedy: 'Require a member "resultType" with a "const" that no other result has.',
        },
      );
    }
    this.#methods.set(method, { ...row, result: [...results, result] });
    this.#addToResults(UNIONS[row.direction === 'both' ? 'clientToServer' : row.direction].result, result);
    this.#addToResponse(row.message, result);
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

  #addToResults(union: string, name: string): void {
    if (this.#definitions.has(union)) this.#addToUnion(union, name);
  }

  #addToUnion(union: string, name: string): void {
    const current = this.#definitions.get(union);
    if (current === undefined) {
      this.#definitions.set(union, { anyOf: [refTo(name)] });
      return;
    }
    if (isObject(current) && refersTo(current, name)) return;
    // A union of one message is a copy of it in some revisions.
    const original = [...this.#definitions].find(
      ([other, schema]) => other !== union && schemaKey(schema) === schemaKey(current),
    );
    const isUnion = isObject(current) && (Object.hasOwn(current, 'anyOf') || Object.hasOwn(current, '$ref'));
    this.#definitions.set(union, withVariant(isUnion || original === undefined ? current : refTo(original[0]), name));
  }

  #addMembers(extension: Extension, index: number): void {
    const { catalog, places } = extension;
    const { definition = '', from = '' } = catalog.members?.[index] ?? {};
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
    if (ownMember(source, 'required') !== undefined) {
      throw new McpgenError(`${from} has required members, which others do not send`, {
        place: `${places.schema}#${formatPointer(places.root, from, 'required')}`,
        remedy: 'Make them optional.',
      });
    }
    for (const name of Object.keys(added)) {
      if (!Object.hasOwn(properties, name)) continue;
      throw new McpgenError(
        `the member ${JSON.stringify(name)} of ${from} is also in ${this.#placeOfDefinition(definition)}/properties`,
        { place: `${places.schema}#${formatPointer(places.root, from, 'properties', name)}`, remedy: 'Rename it.' },
      );
    }
    this.#definitions.set(
      definition,
      withMember(target, 'properties', objectFromEntries([...Object.entries(properties), ...Object.entries(added)])),
    );
  }

  #addErrors({ catalog, places }: Extension): void {
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
      this.#errors.push({ error, place });
    });
  }

  /** The definition of a side's capabilities gets a member for what the extension declares. */
  #addCapability({ catalog, places }: Extension, side: Side): void {
    const name = side === 'client' ? 'ClientCapabilities' : 'ServerCapabilities';
    const definition = catalog.capabilities?.[side];
    if (definition !== undefined && !this.#definitions.has(definition)) {
      throw new McpgenError(`the definition ${JSON.stringify(definition)} does not exist`, {
        place: `${places.catalog}#${formatPointer('capabilities', side)}`,
        remedy: `Add it to ${places.schema}, or correct the name.`,
      });
    }
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

  /** Whether the revision's sides declare capabilities at all. */
  get #declaresExtensions(): boolean {
    return this.#definitions.has('ClientCapabilities') && this.#definitions.has('ServerCapabilities');
  }

  #placeOfDefinition(name: string): string {
    const places = this.#definedBy.get(name)?.places;
    return places === undefined
      ? `${this.#revision.places.schema}#${formatPointer('$defs', name)}`
      : `${places.schema}#${formatPointer(places.root, name)}`;
  }
}

const ANY_OBJECT: JsonObject = { type: 'object', additionalProperties: {} };

/** The capability that a method needs by default: the extension, of a request's receiver or a notification's sender. */
function declaredCapability(id: string, { kind, direction }: ExtensionMethod): string | readonly string[] {
  const paths = (['client', 'server'] as const).map((side) => extensionCapability(side, id));
  if (direction === 'both') return paths;
  if (direction === 'embedded') return extensionCapability('client', id);
  const isFromClient = direction === 'clientToServer';
  return extensionCapability((kind === 'request') === isFromClient ? 'server' : 'client', id);
}

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

function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return objectFromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

function objectMember(object: JsonObject, name: string, otherwise: JsonObject = {}): JsonObject {
  const value = ownMember(object, name);
  return isObject(value) ? value : otherwise;
}

/** The only value of `resultType` that a result may have. */
function pinnedResultType(
  schema: JsonValue | undefined,
  definitions: ReadonlyMap<string, JsonValue>,
): JsonValue | undefined {
  if (!isObject(schema)) return undefined;
  const own = objectMember(objectMember(schema, 'properties'), 'resultType');
  const constant = ownMember(own, 'const');
  if (constant !== undefined) return constant;
  const parts = ownMember(schema, 'allOf');
  if (!Array.isArray(parts)) return undefined;
  for (const part of parts as readonly JsonValue[]) {
    const found = pinnedResultType(part, definitions);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * JSON Schema documents: their resources, anchors and references. Nothing is ever fetched.
 */
import { formatPointer, isObject, ownMember, parsePointer, type JsonObject, type JsonValue } from '../json/json.js';
import type { Dialect } from './canonical.js';

/** A schema with its own URI: a document, or a part of one with `$id`. */
export interface SchemaResource {
  /** Its URI without a fragment; references are relative to it. */
  readonly uri: string;
  readonly dialect: Dialect;
  /** The document that it is a part of: `""` for the main one, otherwise the URI that it was given with. */
  readonly document: string;
  /** Its pointer in the document. */
  readonly pointer: string;
  readonly schema: JsonValue;
  /** Pointers in the document by the name of the anchor; the first of duplicates is used. */
  readonly anchors: Map<string, string>;
  /** The names of anchors that `$dynamicRef` finds in the dynamic scope. */
  readonly dynamicAnchors: Set<string>;
}

/** A subschema, with the resource that contains it. */
export interface SchemaPlace {
  readonly schema: JsonValue;
  /** Its pointer in the document. */
  readonly pointer: string;
  readonly resource: SchemaResource;
}

/** Further documents that references may point to, by their URI. */
export type SchemaDocuments = ReadonlyMap<string, JsonValue>;

/** What `$dynamicRef` finds, by the name of the anchor: the place in the outermost resource that has it. */
export type DynamicScope = ReadonlyMap<string, SchemaPlace>;

/** The URI of a document without `$id`. */
const DEFAULT_BASE = 'schema:///';

/** Keywords whose value is a schema. */
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** Keywords whose value is a list of schemas. */
const LIST_KEYWORDS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);

/** Keywords whose value is an object of schemas. */
const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/**
 * The dialect that `$schema` names; undefined if it is not supported. Earlier drafts than draft-07 are read as it, and
 * 2019-09 as 2020-12.
 */
export function dialectOf(uri: string): Dialect | undefined {
  const match = /^https?:\/\/json-schema\.org\/(?:draft-(0[467])|draft\/(2019-09|2020-12))\/schema#?$/.exec(uri);
  if (match === null) return undefined;
  return match[1] === undefined ? '2020-12' : 'draft-07';
}

/** The resources of a schema and of the documents that it may refer to. */
export class SchemaIndex {
  readonly #resources = new Map<string, SchemaResource>();
  /** Resources by document and pointer. */
  readonly #byPointer = new Map<string, SchemaResource>();
  readonly #root: SchemaResource;
  #hasDynamicRefs = false;

  /**
   * @param schema - The main document.
   * @param dialect - The dialect of documents without a supported `$schema`.
   * @param documents - Others that it may refer to; a relative URI is relative to the main document.
   */
  constructor(schema: JsonValue, dialect: Dialect, documents: SchemaDocuments = new Map()) {
    this.#root = this.#addDocument('', DEFAULT_BASE, schema, dialect);
    for (const [uri, document] of documents) {
      const absolute = resolveUri(uri, this.#root.uri);
      if (absolute !== undefined) this.#addDocument(uri, absolute, document, this.#root.dialect);
    }
  }

  get root(): SchemaPlace {
    return { schema: this.#root.schema, pointer: '', resource: this.#root };
  }

  /** The place of a subschema. */
  child(parent: SchemaPlace, schema: JsonValue, ...tokens: readonly (string | number)[]): SchemaPlace {
    const pointer = parent.pointer + formatPointer(...tokens);
    const { document } = parent.resource;
    return { schema, pointer, resource: this.#byPointer.get(document + pointer) ?? parent.resource };
  }

  /** The place that a reference points to; undefined if it does not exist. */
  resolve(reference: string, from: SchemaResource): SchemaPlace | undefined {
    const absolute = resolveUri(reference, from.uri);
    if (absolute === undefined) return undefined;
    const [uri = '', fragment = ''] = absolute.split(/#(.*)/s);
    const resource = uri === from.uri ? from : this.#resources.get(uri);
    if (resource === undefined) return undefined;
    const text = decode(fragment);
    if (text === undefined) return undefined;
    if (text !== '' && !text.startsWith('/')) {
      const pointer = resource.anchors.get(text);
      return pointer === undefined ? undefined : this.#placeAt(resource, pointer.slice(resource.pointer.length));
    }
    return this.#placeAt(resource, text);
  }

  /** The place that a `$dynamicRef` points to in a dynamic scope (JSON Schema 2020-12, 8.2.3.2). */
  resolveDynamic(reference: string, from: SchemaResource, scope: DynamicScope): SchemaPlace | undefined {
    const initial = this.resolve(reference, from);
    const name = decode(reference.split(/#(.*)/s)[1] ?? '');
    if (initial === undefined || name === undefined || !initial.resource.dynamicAnchors.has(name)) return initial;
    return scope.get(name) ?? initial;
  }

  /** The dynamic scope inside a resource that is entered from an outer one. */
  enter(scope: DynamicScope, resource: SchemaResource): DynamicScope {
    if (!this.#hasDynamicRefs) return scope;
    const added = [...resource.dynamicAnchors].filter((name) => !scope.has(name));
    if (added.length === 0) return scope;
    const inside = new Map(scope);
    for (const name of added) {
      const pointer = resource.anchors.get(name) ?? '';
      const place = this.#placeAt(resource, pointer.slice(resource.pointer.length));
      if (place !== undefined) inside.set(name, place);
    }
    return inside;
  }

  #placeAt(resource: SchemaResource, pointer: string): SchemaPlace | undefined {
    let place: SchemaPlace = { schema: resource.schema, pointer: resource.pointer, resource };
    for (const token of parsePointer(pointer)) {
      const { schema } = place;
      const inner = Array.isArray(schema)
        ? /^(?:0|[1-9]\d*)$/.test(token)
          ? (schema as readonly JsonValue[])[Number(token)]
          : undefined
        : isObject(schema)
          ? ownMember(schema, token)
          : undefined;
      if (inner === undefined) return undefined;
      place = this.child(place, inner, token);
    }
    return place;
  }

  #addDocument(document: string, base: string, schema: JsonValue, dialect: Dialect): SchemaResource {
    const root = this.#addResource(document, base, '', schema, dialect);
    const byUri = this.#resources;
    // A document is also found by the URI that it was given with.
    if (!byUri.has(base)) byUri.set(base, root);
    this.#indexSchema(schema, '', root);
    return root;
  }

  #addResource(document: string, base: string, pointer: string, schema: JsonValue, inherited: Dialect): SchemaResource {
    const own = isObject(schema) ? schema : {};
    const declared = ownMember(own, '$schema');
    const dialect = (typeof declared === 'string' ? dialectOf(declared) : undefined) ?? inherited;
    const id = idOf(own, dialect);
    const uri = (id === undefined ? undefined : resolveUri(id, base)?.replace(/#.*$/s, '')) ?? base;
    const resource: SchemaResource = {
      uri,
      dialect,
      document,
      pointer,
      schema,
      anchors: new Map(),
      dynamicAnchors: new Set(),
    };
    if (!this.#resources.has(uri)) this.#resources.set(uri, resource);
    this.#byPointer.set(document + pointer, resource);
    return resource;
  }

  /** Iterative, since a schema may be nested deeply. */
  #indexSchema(root: JsonValue, start: string, outer: SchemaResource): void {
    const open: [JsonValue, string, SchemaResource][] = [[root, start, outer]];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [schema, pointer, parent] = next;
      if (!isObject(schema)) continue;
      const isNew = pointer !== parent.pointer && idOf(schema, parent.dialect) !== undefined;
      const resource = isNew ? this.#addResource(parent.document, parent.uri, pointer, schema, parent.dialect) : parent;
      this.#indexAnchors(schema, pointer, resource);
      const inside: [JsonValue, string, SchemaResource][] = [];
      for (const [keyword, value] of Object.entries(schema)) {
        const at = pointer + formatPointer(keyword);
        if (Array.isArray(value)) {
          if (!LIST_KEYWORDS.has(keyword)) continue;
          for (const [index, item] of (value as readonly JsonValue[]).entries())
            inside.push([item, at + formatPointer(index), resource]);
        } else if (isObject(value)) {
          if (SCHEMA_KEYWORDS.has(keyword)) inside.push([value, at, resource]);
          else if (MAP_KEYWORDS.has(keyword))
            for (const [name, item] of Object.entries(value)) inside.push([item, at + formatPointer(name), resource]);
        }
      }
      // The first schema of the document is indexed first, so that its anchor is used.
      open.push(...inside.reverse());
    }
  }

  #indexAnchors(schema: JsonObject, pointer: string, { dialect, anchors, dynamicAnchors }: SchemaResource): void {
    const add = (name: JsonValue | undefined): boolean => {
      if (typeof name !== 'string' || name === '' || anchors.has(name)) return false;
      anchors.set(name, pointer);
      return true;
    };
    if (typeof ownMember(schema, '$dynamicRef') === 'string') this.#hasDynamicRefs = true;
    add(ownMember(schema, '$anchor'));
    const dynamic = ownMember(schema, '$dynamicAnchor');
    if (add(dynamic)) dynamicAnchors.add(dynamic as string);
    const id = ownMember(schema, '$id');
    const isPlain = dialect === 'draft-07' && ownMember(schema, '$ref') === undefined;
    if (isPlain && typeof id === 'string' && id.startsWith('#')) add(id.slice(1));
  }
}

/** The `$id` of a schema that makes it a resource. In draft-07 a reference hides it, and a fragment is an anchor. */
function idOf(schema: JsonObject, dialect: Dialect): string | undefined {
  const id = ownMember(schema, '$id');
  if (typeof id !== 'string' || id.startsWith('#')) return undefined;
  return dialect === 'draft-07' && ownMember(schema, '$ref') !== undefined ? undefined : id;
}

function resolveUri(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

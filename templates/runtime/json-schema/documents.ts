/** The resources, anchors and references of JSON Schema documents that are met at run time. Nothing is ever fetched. */
import { isObject } from "../jsonrpc/envelope.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";
import { getOwnMember, pointerTokens } from "../validation/pointer.js";

/** A dialect; earlier drafts than draft-07 are read as it, and 2019-09 as 2020-12. */
export type Dialect = "draft-07" | "2020-12";

/** A schema with a URI: a document, or a part of one with `$id`. */
export interface Resource {
  readonly uri: string;
  readonly dialect: Dialect;
  readonly schema: unknown;
  /** Schemas by the name of their anchor; the first of duplicates is used. */
  readonly anchors: Map<string, unknown>;
  /** The names of anchors that `$dynamicRef` finds. */
  readonly dynamicAnchors: Set<string>;
}

/** A schema, with the resource that contains it. */
export interface Place {
  readonly schema: unknown;
  readonly resource: Resource;
}

/** The dynamic scope: the outermost place of each dynamic anchor. Equal scopes are the same object. */
export interface Scope {
  readonly key: string;
  readonly anchors: ReadonlyMap<string, Place>;
}

export const NO_SCOPE: Scope = { key: "", anchors: new Map() };

/** Longest URI of a schema; a longer one does not count. */
const MAX_URI_CHARS = 2000;

/** The URI of a document without `$id`. */
const DEFAULT_BASE = "schema:///";

const OLD_DIALECT = /^https?:\/\/json-schema\.org\/draft-0[467]\/schema#?$/;
const NEW_DIALECT =
  /^https?:\/\/json-schema\.org\/draft\/(?:2019-09|2020-12)\/schema#?$/;

/** Keywords whose value is an object of schemas. */
const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** The documents that a schema may refer to. */
export class Documents {
  readonly root: Place;
  readonly #resources = new Map<string, Resource>();
  readonly #byNode = new Map<unknown, Resource>();
  readonly #scopes = new Map<string, Scope>();
  /** The scopes inside of resources, by the scope outside. */
  readonly #entered = new Map<Scope, Map<Resource, Scope>>();

  constructor(schema: unknown, others: Readonly<Record<string, unknown>>) {
    const resource = this.#addDocument(schema, DEFAULT_BASE, "2020-12");
    this.root = { schema, resource };
    for (const [uri, document] of Object.entries(others)) {
      const absolute = resolveUri(uri, resource.uri);
      if (absolute !== undefined)
        this.#addDocument(document, absolute, resource.dialect);
    }
  }

  /** A schema inside of another one. */
  inside({ resource }: Place, schema: unknown): Place {
    return { schema, resource: this.#byNode.get(schema) ?? resource };
  }

  /** The place that a reference leads to; undefined if it does not exist. */
  resolve(reference: string, { resource: from }: Place): Place | undefined {
    // Most references are to the same resource, whose URI need not be parsed.
    const absolute = reference.startsWith("#")
      ? from.uri + reference
      : resolveUri(reference, from.uri);
    if (absolute === undefined) return undefined;
    const [uri = "", fragment = ""] = absolute.split(/#(.*)/s);
    const resource = uri === from.uri ? from : this.#resources.get(uri);
    const text = decode(fragment);
    if (resource === undefined || text === undefined) return undefined;
    if (text === "") return { schema: resource.schema, resource };
    if (!text.startsWith("/")) {
      const schema = resource.anchors.get(text);
      return schema === undefined
        ? undefined
        : this.inside({ schema, resource }, schema);
    }
    let place: Place | undefined = { schema: resource.schema, resource };
    for (const token of pointerTokens(text)) {
      const { schema }: Place = place;
      const next = Array.isArray(schema)
        ? (schema as readonly unknown[])[indexOf(token)]
        : isObject(schema)
          ? getOwnMember(schema, token)
          : undefined;
      if (next === undefined) return undefined;
      place = this.inside(place, next);
    }
    return place;
  }

  /** Where a reference leads: a JSON pointer into the main document, or a URI. */
  pointerOf(reference: string, { resource }: Place): string {
    const fragment = decode(reference.split(/#(.*)/s)[1] ?? "") ?? "";
    return resource === this.root.resource && !/^[^/]/.test(fragment)
      ? fragment
      : `${resource.uri}#${fragment}`;
  }

  /** The place that a `$dynamicRef` leads to (JSON Schema 2020-12, 8.2.3.2). */
  resolveDynamic(
    reference: string,
    from: Place,
    scope: Scope,
  ): Place | undefined {
    const initial = this.resolve(reference, from);
    const name = decode(reference.split(/#(.*)/s)[1] ?? "") ?? "";
    return initial?.resource.dynamicAnchors.has(name) === true
      ? (scope.anchors.get(name) ?? initial)
      : initial;
  }

  /** The dynamic scope inside of a resource. */
  enter(scope: Scope, resource: Resource): Scope {
    if (resource.dynamicAnchors.size === 0) return scope;
    const known = this.#entered.get(scope) ?? new Map<Resource, Scope>();
    this.#entered.set(scope, known);
    const inside = known.get(resource) ?? this.#extend(scope, resource);
    known.set(resource, inside);
    return inside;
  }

  #extend(scope: Scope, resource: Resource): Scope {
    const added = [...resource.dynamicAnchors].filter(
      (name) => !scope.anchors.has(name),
    );
    if (added.length === 0) return scope;
    const key = `${scope.key} ${added.map((name) => `${resource.uri}#${name}`).join(" ")}`;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const anchors = new Map(scope.anchors);
    for (const name of added)
      anchors.set(name, { schema: resource.anchors.get(name), resource });
    const inside = { key, anchors };
    this.#scopes.set(key, inside);
    return inside;
  }

  #addDocument(schema: unknown, base: string, dialect: Dialect): Resource {
    const root = this.#addResource(schema, base, dialect);
    // A document is also found by the URI that it was given with.
    if (!this.#resources.has(base)) this.#resources.set(base, root);
    this.#index(schema, root);
    return root;
  }

  #addResource(schema: unknown, base: string, inherited: Dialect): Resource {
    const own = isObject(schema) ? schema : {};
    const dialect = dialectOf(own) ?? inherited;
    const id = idOf(own, dialect);
    const uri =
      (id === undefined
        ? undefined
        : resolveUri(id, base)?.replace(/#.*$/s, "")) ?? base;
    const resource: Resource = {
      uri,
      dialect,
      schema,
      anchors: new Map(),
      dynamicAnchors: new Set(),
    };
    if (!this.#resources.has(uri)) this.#resources.set(uri, resource);
    this.#byNode.set(schema, resource);
    return resource;
  }

  /** Iterative, since a schema may be nested deeply. */
  #index(root: unknown, outer: Resource): void {
    const open: [unknown, Resource][] = [[root, outer]];
    const seen = new Set();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const [schema, parent] = next;
      if (!isObject(schema) || seen.has(schema)) continue;
      seen.add(schema);
      const isResource =
        schema !== parent.schema && idOf(schema, parent.dialect) !== undefined;
      const resource = isResource
        ? this.#addResource(schema, parent.uri, parent.dialect)
        : parent;
      indexAnchors(schema, resource);
      const inside = Object.entries(schema).flatMap(([keyword, value]) =>
        schemasIn(keyword, value),
      );
      // In the order of the document, since the first of equal anchors is used.
      for (const one of inside.reverse()) open.push([one, resource]);
    }
  }
}

function schemasIn(keyword: string, value: unknown): readonly unknown[] {
  if (MAP_KEYWORDS.has(keyword))
    return isObject(value) ? Object.values(value) : [];
  if (!SCHEMA_KEYWORDS.has(keyword)) return [];
  return Array.isArray(value) ? (value as readonly unknown[]) : [value];
}

function indexAnchors(
  schema: UnknownObject,
  { dialect, anchors, dynamicAnchors }: Resource,
): void {
  const add = (name: unknown): void => {
    if (typeof name === "string" && name !== "" && !anchors.has(name))
      anchors.set(name, schema);
  };
  add(getOwnMember(schema, "$anchor"));
  const dynamic = getOwnMember(schema, "$dynamicAnchor");
  add(dynamic);
  if (typeof dynamic === "string" && anchors.get(dynamic) === schema)
    dynamicAnchors.add(dynamic);
  const id = getOwnMember(schema, "$id");
  if (
    dialect === "draft-07" &&
    typeof id === "string" &&
    id.startsWith("#") &&
    !Object.hasOwn(schema, "$ref")
  )
    add(id.slice(1));
}

function dialectOf(schema: UnknownObject): Dialect | undefined {
  const uri = getOwnMember(schema, "$schema");
  if (typeof uri !== "string") return undefined;
  if (OLD_DIALECT.test(uri)) return "draft-07";
  return NEW_DIALECT.test(uri) ? "2020-12" : undefined;
}

/** The `$id` that makes a schema a resource. In draft-07 a reference hides it, and a fragment is an anchor. */
function idOf(schema: UnknownObject, dialect: Dialect): string | undefined {
  const id = getOwnMember(schema, "$id");
  if (typeof id !== "string" || id.startsWith("#") || id.length > MAX_URI_CHARS)
    return undefined;
  return dialect === "draft-07" && Object.hasOwn(schema, "$ref")
    ? undefined
    : id;
}

function indexOf(token: string): number {
  return /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : -1;
}

function resolveUri(reference: string, base: string): string | undefined {
  return reference.length <= MAX_URI_CHARS && URL.canParse(reference, base)
    ? new URL(reference, base).href
    : undefined;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

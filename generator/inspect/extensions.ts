/** Revisions with the extensions that a conversation declares. */
import { compileSchema } from '../../generated/runtime/json-schema.js';
import { META_KEYS, type MethodInfo, type Revision } from '../../generated/runtime/protocol/revision.js';
import type { Validation } from '../../generated/runtime/validation.js';
import { readBuiltinExtension } from '../model/extensions/load.js';
import type { Extension } from '../model/extensions/merge.js';
import { builtinExtensions, requireExtensionCatalog } from '../read/builtin/extensions.js';
import type { CatalogMethod } from '../read/catalog.js';
import type { ExtensionCatalog } from '../read/extension.js';
import { isObject, memberAt, ownMember, stableStringify, type JsonObject, type JsonValue } from '../read/json/json.js';
import { reachableDefinitions } from '../read/schema/extension.js';
import { REVISIONS } from '../revisions.js';
import { extendedSchema, type ExtendedSchema } from './extended-schema.js';

/** An extension that a conversation may declare. */
export interface KnownExtension {
  readonly id: string;
  readonly catalog: ExtensionCatalog;
  /** Whether a client declares it, too, with each request of a stateless revision. */
  readonly isDeclaredByClient: boolean;
}

/** Options of {@link ExtendedRevisions}. */
export interface ExtensionSet {
  /** Extensions that are not built in, or another version of one that is. */
  readonly extend?: readonly Extension[];
  /** Identifiers of those that are used whether the conversation declares them or not. */
  readonly assumed?: readonly string[];
}

/** The revisions with any of the known extensions: those that are built in, and those that were passed. */
export class ExtendedRevisions {
  readonly #known: ReadonlyMap<string, KnownExtension>;
  readonly #extend: readonly Extension[];
  readonly #assumed: readonly string[];
  readonly #revisions = new Map<string, Revision>();
  readonly #types = new Map<string, JsonValue | undefined>();

  /** @throws {@link McpgenError} if an extension that was passed cannot be added to a revision that it extends. */
  constructor({ extend = [], assumed = [] }: ExtensionSet = {}) {
    this.#extend = extend;
    this.#assumed = assumed;
    const catalogs = [
      ...builtinExtensions().map(({ extension }) => requireExtensionCatalog(extension)),
      ...extend.map(({ catalog }) => catalog),
    ];
    this.#known = new Map(
      catalogs.map((catalog) => [
        catalog.extension,
        { id: catalog.extension, catalog, isDeclaredByClient: catalog.capabilities?.['client'] !== undefined },
      ]),
    );
    // What is wrong with them is reported now.
    const passed = extend.map(({ catalog }) => catalog.extension);
    for (const revision of REVISIONS) this.extend(revision, passed);
  }

  /** A revision with those of the declared extensions that extend it. */
  extend(revision: Revision, declared: readonly string[]): Revision {
    const ids = [...new Set([...this.#assumed, ...declared])]
      .filter((id) => this.#known.get(id)?.catalog.extends.includes(revision.version) === true)
      .sort();
    if (ids.length === 0) return revision;
    const key = JSON.stringify([revision.version, ids]);
    const extended =
      this.#revisions.get(key) ??
      withExtensions(
        revision,
        ids.map((id) => this.#read(id, revision.version)),
      );
    this.#revisions.set(key, extended);
    return extended;
  }

  #read(id: string, revision: string): Extension {
    return this.#extend.find(({ catalog }) => catalog.extension === id) ?? readBuiltinExtension(id, revision, true);
  }

  /** The known ones among the identifiers that a side declares. */
  declaredIn(capabilities: JsonValue | undefined): readonly string[] {
    const declared = isObject(capabilities) ? ownMember(capabilities, 'extensions') : undefined;
    return isObject(declared) ? [...this.#known.keys()].filter((id) => Object.hasOwn(declared, id)) : [];
  }

  /** The extension of a revision that a method is from. */
  ofMethod(revision: Revision, method: string): KnownExtension | undefined {
    return this.#find(revision, ({ methods = [] }) => methods.some((row) => row.method === method));
  }

  /** The extension of a revision that a further result of a method is from, by its definition. */
  ofResult(revision: Revision, method: string, type: JsonValue | undefined): KnownExtension | undefined {
    if (typeof type !== 'string') return undefined;
    return this.#find(revision, ({ extension, results = [] }) => {
      const own = results.filter((result) => result.method === method).map(({ result }) => result);
      return own.length > 0 && own.some((result) => this.#typeOf(revision, extension, result) === type);
    });
  }

  /** The value that distinguishes a result of an extension. */
  #typeOf({ version }: Revision, id: string, result: string): JsonValue | undefined {
    const key = JSON.stringify([version, id, result]);
    if (!this.#types.has(key)) {
      const { definitions, traits } = extendedSchema(version, [this.#read(id, version)]);
      const { member } = traits.inputRequired ?? {};
      this.#types.set(key, member === undefined ? undefined : onlyValue(definitions, result, member));
    }
    return this.#types.get(key);
  }

  #find(revision: Revision, test: (catalog: ExtensionCatalog) => boolean): KnownExtension | undefined {
    return [...this.#known.values()].find(({ catalog }) => catalog.extends.includes(revision.version) && test(catalog));
  }
}

/** The capabilities that a request of a stateless revision has in `_meta`. */
export function requestCapabilities(params: JsonValue | undefined): JsonObject {
  const declared = memberAt(params, '_meta', META_KEYS.CLIENT_CAPABILITIES);
  return isObject(declared) ? declared : {};
}

/** A revision whose messages may be those of extensions. */
function withExtensions(revision: Revision, extensions: readonly Extension[]): Revision {
  const schema = extendedSchema(revision.version, extensions);
  const check = new SchemaCheck(schema);
  const added = schema.catalog.methods.filter(
    ({ method, direction }) => schema.extensionOf.has(method) && direction !== 'embedded',
  );
  const methods = Object.fromEntries(added.map((row) => [row.method, methodInfo(row)]));
  return {
    ...revision,
    methods: { ...revision.methods, ...methods },
    validateParams: (method, params) => check.validateParams(method, params) ?? revision.validateParams(method, params),
    validateResult: (method, result, options) =>
      check.validateResult(method, result) ?? revision.validateResult(method, result, options),
  };
}

function methodInfo({ kind, direction, capability, deprecated }: CatalogMethod): MethodInfo {
  return {
    kind,
    direction: direction as MethodInfo['direction'],
    capabilities: [capability ?? []].flat(),
    deprecated: deprecated !== undefined,
  };
}

type Check = (value: unknown) => Validation<unknown>;

/** Validates what extensions change. What they leave as it is has a generated validator. */
class SchemaCheck {
  readonly #schema: ExtendedSchema;
  readonly #rows: ReadonlyMap<string, CatalogMethod>;
  readonly #changed: ReadonlySet<string>;
  readonly #checks = new Map<string, Check | undefined>();

  constructor(schema: ExtendedSchema) {
    this.#schema = schema;
    this.#rows = new Map(schema.catalog.methods.map((row) => [row.method, row]));
    const { base, definitions } = schema;
    this.#changed = new Set(
      Object.keys(definitions).filter(
        (name) => stableStringify(base[name] ?? null) !== stableStringify(definitions[name] ?? null),
      ),
    );
  }

  /** Undefined if the extensions do not change the params of the method. */
  validateParams(method: string, params: unknown): Validation<unknown> | undefined {
    const row = this.#rows.get(method);
    if (row === undefined) return undefined;
    const check = this.#cached(`params ${method}`, () => this.#paramsCheck(row));
    const outcome = check?.(params === undefined ? {} : { params });
    if (outcome === undefined || outcome.success) return outcome;
    const { failure } = outcome;
    return { ...outcome, failure: { ...failure, path: failure.path.replace(/^\/params/, '') } };
  }

  #paramsCheck(row: CatalogMethod): Check | undefined {
    const names = [row.message, row.params?.split('.')[0]].filter((name) => name !== undefined);
    if (!this.#isChanged(names)) return undefined;
    const { definitions } = this.#schema;
    const { schema, isRequired } = this.#member(row.message, 'params');
    const params = row.params === null || row.params.includes('.') ? schema : refTo(row.params);
    return compileSchema({
      $defs: definitions,
      type: 'object',
      ...(params === undefined ? {} : { properties: { params } }),
      ...(isRequired ? { required: ['params'] } : {}),
    });
  }

  /** Undefined if the extensions do not change the result of the method. */
  validateResult(method: string, result: unknown): Validation<unknown> | undefined {
    const name = this.#resultOf(method, result);
    if (name === undefined || !this.#isChanged([name])) return undefined;
    const { definitions } = this.#schema;
    return this.#cached(`result ${name}`, () => compileSchema({ $defs: definitions, ...refTo(name) }))?.(result);
  }

  /** The definition of a result, which a member distinguishes from the other results of its method. */
  #resultOf(method: string, result: unknown): string | undefined {
    const names = [this.#rows.get(method)?.result ?? []].flat();
    const { inputRequired } = this.#schema.traits;
    if (inputRequired === undefined || !isObject(result as JsonValue)) return names[0];
    const type = ownMember(result as JsonObject, inputRequired.member);
    if (type === inputRequired.value) return inputRequired.result;
    return names.find((name) => onlyValue(this.#schema.definitions, name, inputRequired.member) === type) ?? names[0];
  }

  #isChanged(names: readonly string[]): boolean {
    return [...reachableDefinitions(this.#schema.definitions, names)].some((name) => this.#changed.has(name));
  }

  #cached(key: string, create: () => Check | undefined): Check | undefined {
    if (!this.#checks.has(key)) this.#checks.set(key, create());
    return this.#checks.get(key);
  }

  /** A member of a definition, and whether it is required. */
  #member(
    name: string | undefined,
    member: string,
  ): { readonly schema: JsonValue | undefined; readonly isRequired: boolean } {
    const parts = partsOf(this.#schema.definitions, name === undefined ? {} : refTo(name));
    return {
      schema: parts
        .map((part) => memberAt(part, 'properties', member))
        .filter((value) => value !== undefined)
        .at(-1),
      isRequired: parts.some((part) =>
        (ownMember(part, 'required') as readonly string[] | undefined)?.includes(member),
      ),
    };
  }
}

/** The only value that a definition allows for a member. */
function onlyValue(definitions: JsonObject, name: string, member: string): JsonValue | undefined {
  return partsOf(definitions, refTo(name))
    .map((part) => memberAt(part, 'properties', member, 'const'))
    .find((value) => value !== undefined);
}

/** A schema and all that its values also match, each once. */
function partsOf(
  definitions: JsonObject,
  schema: JsonValue | undefined,
  seen = new Set<JsonValue>(),
): readonly JsonObject[] {
  // References may form a cycle, or lead to the same schema in many ways.
  if (!isObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const reference = ownMember(schema, '$ref');
  const target = typeof reference === 'string' ? ownMember(definitions, reference.replace(/^.*\//, '')) : undefined;
  const parts = ownMember(schema, 'allOf');
  return [
    ...partsOf(definitions, target, seen),
    ...(Array.isArray(parts)
      ? (parts as readonly JsonValue[]).flatMap((part) => partsOf(definitions, part, seen))
      : []),
    schema,
  ];
}

function refTo(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

import type { Catalog, CatalogMethod } from '../../read/catalog.js';
import { formatPointer } from '../../read/json/json.js';
import type { SchemaAnnotations } from './annotations.js';
import type { Derived, DerivedMethod } from './derive.js';
import { memberOf } from './derive.js';
import { SIDES, capabilitySteps, directionWord, sideWords, type Definition, type Traits } from '../protocol.js';
import { followReferences } from '../types/references.js';

/** A disagreement between a catalog and a schema. */
export interface Disagreement {
  readonly message: string;
  readonly schemaPlace: string;
  readonly catalogPlace: string;
}

/** The names of the files that are compared, for messages. */
export interface ComparedFiles {
  readonly schema: string;
  readonly catalog: string;
  /** The place of a definition that is from another file. */
  readonly definition?: (name: string) => string | undefined;
  /** The place of a row that is from another file, by its method. */
  readonly row?: (method: string) => string | undefined;
}

/**
 * Compares a catalog and a schema, in both directions: every method, direction, kind, params, result, task
 * result and pinned error code that can be derived must be the catalog's, and every name in the catalog must exist.
 *
 * @param catalog - The catalog, already validated against its schema.
 * @param definitions - The schema's definitions.
 * @param derived - What was derived from them, and the catalog's traits.
 * @param places - The names of the two files, for messages.
 * @returns All disagreements; none if the two agree.
 */
export function verifyCatalog(
  catalog: Catalog,
  definitions: readonly Definition[],
  derived: Derived & { readonly traits: Traits; readonly annotations?: SchemaAnnotations },
  places: ComparedFiles,
): readonly Disagreement[] {
  const { traits } = derived;
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const found: Disagreement[] = [];
  const inSchema = (name: string): string =>
    places.definition?.(name) ?? `${places.schema}#${formatPointer('$defs', name)}`;
  const inCatalog = (...tokens: (string | number)[]): string => `${places.catalog}#${formatPointer(...tokens)}`;
  const inRow = ({ method }: CatalogMethod, index: number, ...tokens: readonly string[]): string => {
    const other = places.row?.(method);
    return other === undefined ? inCatalog('methods', index, ...tokens) : `${other}${formatPointer(...tokens)}`;
  };

  const taken = new Set(
    derived.methods.flatMap((method) => (method.assumedResult === true ? [] : (method.results ?? []))),
  );
  const isFreeResult = (name: string): boolean => name.endsWith('Result') && !taken.has(name);
  const rows = new Map(catalog.methods.map((row, index) => [row.method, { row, index }]));
  const byMethod = new Map<string, DerivedMethod>();
  for (const method of derived.methods) {
    const twin = byMethod.get(method.method);
    if (twin !== undefined) {
      found.push({
        message: `two definitions have the method ${quoteText(method.method)}: ${ownerOf(twin)} and ${ownerOf(method)}`,
        schemaPlace: inSchema(ownerOf(method)),
        catalogPlace: inCatalog('methods'),
      });
      continue;
    }
    byMethod.set(method.method, method);
    if (!rows.has(method.method)) {
      found.push({
        message: `the catalog has no row for ${quoteText(method.method)}, which ${ownerOf(method)} defines`,
        schemaPlace: inSchema(ownerOf(method)),
        catalogPlace: inCatalog('methods'),
      });
    }
  }

  for (const { row, index } of rows.values()) {
    const method = byMethod.get(row.method);
    // A method without a message is in the schema only by its params and result.
    const isBuilt = method === undefined && row.message === undefined;
    if (isBuilt && row.params !== null && !byName.has(row.params)) {
      found.push({
        message: `${row.method}: the params ${quoteText(row.params)} are not a definition`,
        schemaPlace: `${places.schema}#/$defs`,
        catalogPlace: inCatalog('methods', index, 'params'),
      });
    }
    if (method === undefined && !isBuilt) {
      found.push({
        message: `no definition has the method ${quoteText(row.method)} of the catalog`,
        schemaPlace: `${places.schema}#/$defs`,
        catalogPlace: inRow(row, index),
      });
      continue;
    }
    for (const [name, says, has] of method === undefined ? [] : catalogComparisons(row, method, traits)) {
      if (has === undefined || says === has) continue;
      // If the schema defines no result, any result that does not belong to another request is accepted.
      if (
        name === 'result' &&
        method?.assumedResult === true &&
        [...says.split(' | ')].every((item) => isFreeResult(item))
      )
        continue;
      found.push({
        message: `${row.method}: the catalog has ${name} ${says}, the schema has ${has}`,
        schemaPlace: inSchema(method === undefined ? '' : ownerOf(method)),
        catalogPlace: inRow(row, index, name),
      });
    }
    for (const key of ['result', 'taskResult'] as const) {
      for (const name of [row[key] ?? []].flat()) {
        if (byName.has(name)) continue;
        found.push({
          message: `${row.method}: the ${key} ${quoteText(name)} is not a definition`,
          schemaPlace: `${places.schema}#/$defs`,
          catalogPlace: inRow(row, index, key),
        });
      }
    }
    for (const path of [row.capability ?? []].flat()) {
      if (hasCapability(path, byName, traits)) continue;
      found.push({
        message: `${row.method}: no definition of capabilities has ${path}`,
        schemaPlace: inSchema(capabilitiesOf(path, traits) ?? ''),
        catalogPlace: inRow(row, index, 'capability'),
      });
    }
  }

  const codes = new Map(catalog.errors.map((error, index) => [error.definition, { error, index }]));
  for (const pinned of derived.errors) {
    const entry = codes.get(pinned.definition);
    if (entry?.error.code === pinned.code) continue;
    found.push({
      message:
        entry === undefined
          ? `the catalog has no error for ${pinned.definition}, which pins the code ${pinned.code}`
          : `${entry.error.name}: the catalog has ${entry.error.code}, ${pinned.definition} has ${pinned.code}`,
      schemaPlace: inSchema(pinned.definition),
      catalogPlace: entry === undefined ? inCatalog('errors') : inCatalog('errors', entry.index, 'code'),
    });
  }
  const ownCodes = new Set(catalog.errors.map(({ code }) => code));
  for (const { name, code } of derived.annotations?.errors ?? []) {
    if (ownCodes.has(code)) continue;
    found.push({
      message: `the catalog has no error with the code ${code}, which the schema names ${name}`,
      schemaPlace: `${places.schema}#/$defs`,
      catalogPlace: inCatalog('errors'),
    });
  }
  const pinned = new Set(derived.errors.map((error) => error.definition));
  for (const { error, index } of codes.values()) {
    if (error.definition === undefined || pinned.has(error.definition)) continue;
    found.push({
      message: `${error.name}: ${quoteText(error.definition)} has no constant error code`,
      schemaPlace: byName.has(error.definition) ? inSchema(error.definition) : `${places.schema}#/$defs`,
      catalogPlace: inCatalog('errors', index, 'definition'),
    });
  }
  return found;
}

/** The values of the catalog and of the schema as text; undefined if the schema has none. */
function catalogComparisons(
  row: CatalogMethod,
  method: DerivedMethod,
  traits: Traits,
): [string, string, string | undefined][] {
  const direction = method.direction === undefined ? NO_DIRECTION : directionWord({ traits }, method.direction);
  return [
    ['message', row.message ?? 'none', method.message ?? 'none'],
    ['kind', row.kind, method.kind],
    // A method in no union is an error of the schema, or embedded: it must not be ignored.
    ['direction', directionWord({ traits }, row.direction), direction],
    ['params', row.params ?? 'none', method.params ?? 'none'],
    [
      'result',
      joinNames(row.result),
      row.kind === 'request' && method.results === undefined ? undefined : joinNames(method.results),
    ],
    ['taskResult', row.taskResult ?? 'none', method.taskResult ?? 'none'],
  ];
}

const NO_DIRECTION = 'none: it is in no union of client or server messages';

function joinNames(names: string | readonly string[] | undefined): string {
  return [names ?? []].flat().join(' | ') || 'none';
}

/** The definition of a derived method: its message, or what it has of one. */
function ownerOf({ message, params, results }: DerivedMethod): string {
  return message ?? params ?? results?.[0] ?? '';
}

/** The definition of the capabilities in which a path begins; undefined if the protocol has none. */
function capabilitiesOf(path: string, traits: Traits): string | undefined {
  const words = sideWords({ traits });
  const side = SIDES.find((item) => path.startsWith(`${words[item]}.`));
  return side === undefined ? undefined : traits.capabilities?.[side];
}

/** Whether the capability definitions have a member of a path. */
export function hasCapability(path: string, byName: ReadonlyMap<string, Definition>, traits: Traits): boolean {
  const [, ...names] = capabilitySteps(path);
  let type = byName.get(capabilitiesOf(path, traits) ?? '')?.type;
  for (const name of names) {
    const member = memberOf(
      followReferences(type, (definition) => byName.get(definition)?.type),
      name,
    );
    if (member === undefined) return false;
    type = member.type;
  }
  return true;
}

function quoteText(text: string): string {
  return JSON.stringify(text);
}

import type { Catalog, CatalogError, CatalogMethod, Traits } from '../../read/catalog.js';
import { hasAnnotations } from './annotations.js';
import type { DerivedMethod } from './derive.js';
import { deriveAnnotatedTraits } from './derive-annotated.js';
import { constantCase } from '../naming.js';
import { directionWord, type Definition } from '../protocol.js';
import type { SchemaReading } from '../schema-reading.js';
import { followReferences, typeLookup } from '../types/references.js';
import { recognizedTraits, traitsOf } from './traits.js';
import { hasCapability } from './verify.js';

/** A catalog row that may be partly undecided. */
export type DraftRow = Partial<CatalogMethod> &
  Pick<CatalogMethod, 'method'> & { readonly undecided?: readonly string[] };

/** A first catalog for a schema, with notices for its author. */
export interface DraftCatalog {
  readonly catalog: {
    readonly protocol: string;
    readonly revision: string;
    readonly lifecycle: 'stateful' | 'stateless' | undefined;
    readonly batches: boolean;
    readonly traits: Traits;
    readonly methods: readonly DraftRow[];
    readonly errors: readonly CatalogError[];
  };
  readonly notices: readonly string[];
}

const STANDARD_ERRORS = ['PARSE_ERROR', 'INVALID_REQUEST', 'METHOD_NOT_FOUND', 'INVALID_PARAMS', 'INTERNAL_ERROR'];

/**
 * Drafts a catalog from a schema. What the schema defines is derived. Capability, summary and deprecation are copied
 * from the newest known revision that has the method (or from the revision of the file), if the schema has the
 * capability. The rest is listed in each row under `undecided`.
 *
 * @param catalogs - The catalogs of known revisions, oldest first.
 */
export function draftCatalog(
  reading: SchemaReading,
  catalogs: readonly Catalog[],
  options: { revision?: string; protocol?: string },
): DraftCatalog {
  const nearest = sortByNearness(catalogs, reading.revision);
  const isAnnotated = hasAnnotations(reading.annotations);
  const recognized = recognizedTraits(undefined, catalogs);
  const known = knownRows(nearest);
  const byName = new Map(reading.definitions.map((definition) => [definition.name, definition]));
  const notices: string[] = [];
  const methods = reading.derived.methods.map((method) => {
    const row = draftRow(method, isAnnotated ? [] : (known.get(method.method) ?? []), byName, recognized);
    if (row.undecided !== undefined)
      notices.push(
        `${method.method} (${method.message ?? method.params ?? 'no message'}): undecided: ${row.undecided.join(', ')}`,
      );
    return row;
  });
  for (const name of reading.derived.unplaced) {
    notices.push(`${name} is in no union of client or server messages, so its direction is undecided`);
  }
  if (isAnnotated && methods.length > 0)
    notices.push(
      'the annotations of the schema do not name capabilities, so no method needs one: add those of the specification',
    );
  const takenOver = isAnnotated ? 0 : methods.filter((row) => known.has(row.method)).length;
  if (takenOver > 0)
    notices.push(
      `capability and summary of ${takenOver} known methods were copied from the built-in catalogs: check them`,
    );
  const errors = draftErrors(reading, nearest, notices);
  const handshakes = new Set(catalogs.map(({ traits }) => traits?.roles?.handshake));
  const isStateful = methods.some((row) => handshakes.has(row.method));
  const lifecycle = isAnnotated ? undefined : isStateful ? 'stateful' : 'stateless';
  const protocol =
    options.protocol ?? (takenOver > 0 ? nearest[0]?.protocol : undefined) ?? reading.title ?? 'Protocol';
  const revision = options.revision ?? reading.revision ?? 'draft';
  return {
    catalog: {
      protocol,
      revision,
      lifecycle,
      batches: definesBatches(reading),
      traits: isAnnotated
        ? deriveAnnotatedTraits(reading.annotations, reading.definitions)
        : traitsOf(
            { protocol, revision, lifecycle, methods },
            reading.definitions.map(({ name }) => name),
            catalogs,
          ),
      methods,
      errors,
    },
    notices,
  };
}

/** A draft as the file of a catalog: its directions are in the protocol's words. */
export function catalogFile(catalog: DraftCatalog['catalog']): object {
  const { methods, errors, ...head } = catalog;
  return {
    ...head,
    methods: methods.map((row) =>
      row.direction === undefined ? row : { ...row, direction: directionWord(catalog, row.direction) },
    ),
    errors,
  };
}

function draftRow(
  method: DerivedMethod,
  rows: readonly CatalogMethod[],
  byName: ReadonlyMap<string, Definition>,
  traits: Traits,
): DraftRow {
  const [known] = rows;
  const capable = rows.find((row) =>
    [row.capability ?? []].flat().every((path) => hasCapability(path, byName, traits)),
  );
  const { results } = method;
  // The schema says all that there is about methods without messages.
  const capability = method.message === undefined ? null : capable?.capability;
  const summary = known?.summary ?? method.summary;
  const [result, second] = results ?? [];
  const undecided = [
    ...(method.kind === undefined ? ['kind'] : []),
    ...(method.direction === undefined ? ['direction'] : []),
    ...(method.kind === 'request' && (result === undefined || isUndecided(method, known)) ? ['result'] : []),
    ...(capability === undefined ? ['capability'] : []),
    ...(summary === undefined ? ['summary'] : []),
  ];
  return {
    method: method.method,
    ...(method.kind === undefined ? {} : { kind: method.kind }),
    ...(method.direction === undefined ? {} : { direction: method.direction }),
    ...(method.message === undefined ? {} : { message: method.message }),
    params: method.params,
    ...(result === undefined ? {} : { result: second === undefined ? result : (results ?? []) }),
    ...(method.taskResult === undefined ? {} : { taskResult: method.taskResult }),
    ...(capability === undefined ? {} : { capability }),
    ...(summary === undefined ? {} : { summary }),
    ...(known?.deprecated === undefined ? {} : { deprecated: known.deprecated }),
    ...(undecided.length === 0 ? {} : { undecided }),
  };
}

/** Whether a result is only assumed, and no built-in revision agrees. */
function isUndecided(method: DerivedMethod, known: CatalogMethod | undefined): boolean {
  return method.assumedResult === true && known?.result !== method.results?.[0];
}

function draftErrors(reading: SchemaReading, nearest: readonly Catalog[], notices: string[]): readonly CatalogError[] {
  const known = new Map<string, CatalogError>();
  for (const { errors } of [...nearest].reverse()) for (const error of errors) known.set(error.name, error);
  const pinned = reading.derived.errors.map(({ code, definition }): CatalogError => {
    const name = constantCase(definition.replace(/(?<=.)Error$/, ''));
    const same = known.get(name) ?? known.get(constantCase(definition));
    if (same === undefined) notices.push(`${definition} pins the code ${code}: check the name and write a summary`);
    return {
      name: same?.name ?? name,
      code,
      definition,
      summary: same?.summary ?? `An error of the type ${definition}.`,
    };
  });
  const named = reading.annotations.errors.map(({ name, code, summary }): CatalogError => ({ name, code, summary }));
  if (named.length > 0) return [...pinned, ...named].sort((a, b) => b.code - a.code);
  const codes = new Set(pinned.map((error) => error.code));
  const standard = STANDARD_ERRORS.flatMap((name) => {
    const error = known.get(name);
    return error === undefined || codes.has(error.code) ? [] : [{ name, code: error.code, summary: error.summary }];
  });
  return [...pinned, ...standard].sort((a, b) => b.code - a.code);
}

/** The definition of a whole message, by convention. */
const MESSAGE_DEFINITION = 'JSONRPCMessage';

function definesBatches(reading: SchemaReading): boolean {
  const lookup = typeLookup(reading);
  const message = lookup(MESSAGE_DEFINITION);
  return (
    message?.kind === 'union' && message.variants.some((variant) => followReferences(variant, lookup)?.kind === 'array')
  );
}

/** The rows of each method in several catalogs, in the order of the catalogs. */
function knownRows(catalogs: readonly Catalog[]): ReadonlyMap<string, readonly CatalogMethod[]> {
  const rows = new Map<string, CatalogMethod[]>();
  for (const { methods } of catalogs) {
    for (const row of methods) rows.set(row.method, [...(rows.get(row.method) ?? []), row]);
  }
  return rows;
}

/** The catalog of a revision first, then the others, newest first. */
function sortByNearness(catalogs: readonly Catalog[], first: string | undefined): readonly Catalog[] {
  return [...catalogs].reverse().sort((a, b) => Number(b.revision === first) - Number(a.revision === first));
}

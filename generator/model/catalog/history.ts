import type { Catalog } from '../../read/catalog.js';
import { methodFromRow, type Method, type Protocol } from '../protocol.js';

/** The history of a method over the revisions of a protocol. */
export interface MethodHistory {
  readonly method: string;
  /** Oldest revision that has it. */
  readonly since: string;
  /** First revision that no longer has it; absent while the newest one does. */
  readonly gone?: string;
  /** First revision in which it is embedded in results, if it was a message before. */
  readonly embeddedSince?: string;
  /** Its catalog row in each revision that has it, oldest first. */
  readonly rows: ReadonlyMap<string, Method>;
}

/** The methods of a revision. */
export type RevisionMethods = Pick<Protocol, 'revision' | 'methods'>;

/** The methods of catalogs, which may not have been compared with their schemas. */
export function methodsOfCatalogs(catalogs: readonly Catalog[]): readonly RevisionMethods[] {
  return catalogs.map(({ revision, methods }) => ({ revision, methods: methods.map((row) => methodFromRow(row)) }));
}

/**
 * The histories of all methods of several revisions, by name.
 *
 * @param all - The methods of each revision, oldest first.
 */
export function methodHistories(all: readonly RevisionMethods[]): readonly MethodHistory[] {
  const revisions = all.map(({ revision }) => revision);
  const rows = new Map<string, Map<string, Method>>();
  for (const { revision, methods } of all) {
    for (const method of methods) {
      const own = rows.get(method.name) ?? new Map<string, Method>();
      rows.set(method.name, own.set(revision, method));
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([method, own]) => buildHistory(method, own, revisions));
}

function buildHistory(method: string, rows: ReadonlyMap<string, Method>, revisions: readonly string[]): MethodHistory {
  const revisionsWithMethod = [...rows.keys()];
  const since = revisionsWithMethod[0] ?? '';
  const gone = revisions[revisions.indexOf(revisionsWithMethod.at(-1) ?? '') + 1];
  const embedded = revisionsWithMethod.find((revision) => rows.get(revision)?.direction === 'embedded');
  return {
    method,
    since,
    rows,
    ...(gone === undefined ? {} : { gone }),
    ...(embedded === undefined || embedded === since ? {} : { embeddedSince: embedded }),
  };
}

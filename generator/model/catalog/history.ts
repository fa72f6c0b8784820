import type { Catalog } from '../../read/catalog.js';
import { methodFromRow, type Method } from '../protocol.js';

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

/**
 * The histories of all methods of several catalogs, by name.
 *
 * @param catalogs - One for each revision, oldest first.
 */
export function methodHistories(catalogs: readonly Catalog[]): readonly MethodHistory[] {
  const revisions = catalogs.map((catalog) => catalog.revision);
  const rows = new Map<string, Map<string, Method>>();
  for (const { revision, methods } of catalogs) {
    for (const row of methods) {
      const own = rows.get(row.method) ?? new Map<string, Method>();
      rows.set(row.method, own.set(revision, methodFromRow(row)));
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

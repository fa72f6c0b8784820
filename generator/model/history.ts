import { builtinCatalog, builtinRevisions } from '../read/builtin.js';
import type { CatalogMethod } from '../read/catalog.js';

/** A method as the built-in revisions know it over time. */
export interface MethodHistory {
  readonly method: string;
  /** Oldest revision that has it. */
  readonly since: string;
  /** First revision that no longer has it; absent while the newest one does. */
  readonly gone?: string;
  /** First revision in which it travels only inside results, if it once was a message of its own. */
  readonly embeddedSince?: string;
  /** Its row in each revision that has it, oldest first. */
  readonly rows: ReadonlyMap<string, CatalogMethod>;
}

/** All methods of the built-in revisions, by name. */
export function methodHistories(): readonly MethodHistory[] {
  const revisions = builtinRevisions().map((item) => item.revision);
  const rows = new Map<string, Map<string, CatalogMethod>>();
  for (const revision of revisions) {
    for (const row of builtinCatalog(revision).methods) {
      const own = rows.get(row.method) ?? new Map<string, CatalogMethod>();
      rows.set(row.method, own.set(revision, row));
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([method, own]) => historyOf(method, own, revisions));
}

function historyOf(
  method: string,
  rows: ReadonlyMap<string, CatalogMethod>,
  revisions: readonly string[],
): MethodHistory {
  const having = [...rows.keys()];
  const since = having[0] ?? '';
  const gone = revisions[revisions.indexOf(having.at(-1) ?? '') + 1];
  const embedded = having.find((revision) => rows.get(revision)?.direction === 'embedded');
  return {
    method,
    since,
    rows,
    ...(gone === undefined ? {} : { gone }),
    ...(embedded === undefined || embedded === since ? {} : { embeddedSince: embedded }),
  };
}

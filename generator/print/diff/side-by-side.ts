import { diffLines } from 'diff';

/** A row of two texts side by side. */
export interface SideRow {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly same: boolean;
}

/** Aligns two texts line by line: a replaced line is next to its replacement. */
export function sideBySide(before: string, after: string): readonly SideRow[] {
  const rows: SideRow[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      rows.push({ before: removed[index], after: added[index], same: false });
    }
    [removed, added] = [[], []];
  };
  for (const part of diffLines(before, after)) {
    const lines = part.value.replace(/\n$/, '').split('\n');
    if (part.added) added.push(...lines);
    else if (part.removed) removed.push(...lines);
    else {
      flush();
      for (const line of lines) rows.push({ before: line, after: line, same: true });
    }
  }
  flush();
  return rows;
}

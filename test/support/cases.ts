import { readFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(import.meta.dirname, '../cases');

/** A case from a public bug report of a peer, restated. Titles of tests name it by its id. */
export interface Case {
  readonly id: string;
  readonly source: string;
  readonly title: string;
  readonly kind: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly expected: string;
}

/**
 * All cases of the given kinds: each kind is a file of `test/cases`, with a case on each line. The cases of the second
 * collection are of several kinds and are looked up by id only.
 */
export function cases(...kinds: readonly string[]): readonly Case[] {
  return kinds.flatMap((kind) =>
    readFileSync(path.join(folder, `${kind}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Case),
  );
}

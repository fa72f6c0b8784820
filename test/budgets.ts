/**
 * What the product may cost where the figure does not depend on the machine. `test/budgets.test.ts` and
 * `test/budgets.slow.test.ts` measure each, and also fail if one has become far smaller than its budget, which then has to follow.
 *
 * A budget is raised only with a reason in the commit.
 */
import { expect } from 'vitest';

/** A limit, and why it is what it is. */
export interface Budget {
  readonly limit: number;
  readonly reason: string;
}

/** Bytes of programs that esbuild bundles, minified and gzipped: what a browser or a worker loads. */
export const BUNDLES: Readonly<Record<string, Budget>> = {
  'classify alone': { limit: 750, reason: 'a gateway that only routes has to stay below one packet' },
  'isTool alone': { limit: 1024, reason: 'one guard brings only the checks of its definition' },
  'validateTool alone': { limit: 2048, reason: 'one validator adds the description of failures, once for all of them' },
  'client over a transport': { limit: 18_800, reason: 'a quarter of the smaller official client' },
  'server over stdio': { limit: 25_300, reason: 'a third of the smaller official server' },
  'server of both kinds over HTTP (fetch)': { limit: 44_800, reason: 'workers limit the size of a script to 1 MB' },
};

/** Bytes of all guards and validators of a revision, bundled in the same way. */
export const CHECKS: Readonly<Record<string, Budget>> = {
  '2024-11-05': { limit: 7500, reason: 'Ajv standalone needs 6 times as much for 2025-11-25' },
  '2025-03-26': { limit: 7700, reason: 'Ajv standalone needs 6 times as much for 2025-11-25' },
  '2025-06-18': { limit: 8300, reason: 'Ajv standalone needs 6 times as much for 2025-11-25' },
  '2025-11-25': { limit: 10_900, reason: 'a third of the official Zod schemas' },
  '2026-07-28': { limit: 11_500, reason: 'a third of the official Zod schemas' },
};

/** Bytes that `generate` writes by default: what a repository keeps and a reviewer reads. */
export const OUTPUT: Readonly<Record<string, Budget>> = {
  '2024-11-05': { limit: 186_000, reason: 'grows with the definitions of the revision' },
  '2025-03-26': { limit: 193_000, reason: 'grows with the definitions of the revision' },
  '2025-06-18': { limit: 215_000, reason: 'grows with the definitions of the revision' },
  '2025-11-25': { limit: 304_000, reason: 'grows with the definitions of the revision' },
  '2026-07-28': { limit: 309_000, reason: 'grows with the definitions of the revision' },
  runtime: { limit: 442_000, reason: 'is shared by all revisions' },
};

/** What TypeScript 6 makes of a program with a client and a server, with the options of a scaffolded project. */
export const TYPES: Readonly<Record<'types' | 'instantiations', Budget>> = {
  types: { limit: 800, reason: 'declarations only, as of a package: each type costs check time and memory' },
  instantiations: { limit: 600, reason: 'no type of the output is computed from a long union again and again' },
};

/** Bytes that a call of a tool allocates in memory, client and server together; see `test/support/allocations.ts`. */
export const ALLOCATIONS: Readonly<Record<string, Budget>> = {
  '2025-11-25': { limit: 3000, reason: 'collecting garbage is what bounds the calls of a busy server' },
  '2026-07-28': { limit: 3300, reason: 'the same, with the _meta that every request of this revision has' },
};

/** Modules that the built command line loads, none of them of a package: time to start is mostly time to load them. */
export const MODULES: Readonly<Record<string, Budget>> = {
  '--version': { limit: 7, reason: 'only the entry and what it shares with others' },
  '--help': { limit: 19, reason: 'declarations of all commands, and nothing of what they do' },
  'generate --help': { limit: 19, reason: 'as --help' },
};

/** A budget that is far too large hides what is added. */
export function expectWithin(measured: number, { limit, reason }: Budget): void {
  expect(measured, reason).toBeLessThanOrEqual(limit);
  expect(measured, 'the budget can be lowered').toBeGreaterThan(limit * 0.75);
}

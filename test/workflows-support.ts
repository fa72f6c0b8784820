import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

export const ROOT = path.resolve(import.meta.dirname, '..');

export const [RELEASE, SYNC, TEST] = ['release', 'sync', 'test'].map((name) => `.github/workflows/${name}.yml`) as [
  string,
  string,
  string,
];

export interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
}

export interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly steps: readonly Step[];
        readonly permissions?: unknown;
        readonly strategy?: { readonly matrix: unknown };
      }
    >
  >;
}

/** Text of a file of the project. */
export const readText = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

export const readWorkflow = (file: string): Workflow => parse(readText(file)) as Workflow;

export const stepsOf = (file: string): readonly Step[] =>
  Object.values(readWorkflow(file).jobs).flatMap(({ steps }) => steps);

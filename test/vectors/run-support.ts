import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { VectorFile, VectorIndex } from '../../generator/vectors/form.js';
import { readVectorFolder } from '../../generator/vectors/read.js';
import { runAdapter } from '../../generator/vectors/run/adapter.js';
import { ReportBuilder, type VectorReport } from '../../generator/vectors/run/report.js';
import { temporaryFolder } from '../support/cli.js';

export const ADAPTER = path.join(import.meta.dirname, 'fixtures/adapter.mjs');

/** Forty vectors of a definition: even ones are valid. One depends on an erratum. */
export const FILE: VectorFile = {
  kind: 'definition',
  definition: 'Tool',
  vectors: Array.from({ length: 40 }, (_, index) => ({
    name: `Tool/${index}`,
    reason: `Value ${index}.`,
    value: { index },
    ...(index % 2 === 0 ? { valid: true } : { valid: false, pointer: '/index', rule: 'type' }),
    ...(index === 7 ? { erratum: 'some-erratum', officialValid: true } : {}),
  })),
};

/** Writes a folder with these files and returns it. */
export function folderWith(
  files: readonly VectorFile[] = [FILE],
  index: Partial<Record<keyof VectorIndex, unknown>> = {},
): string {
  const folder = path.join(temporaryFolder(), '2025-11-25');
  mkdirSync(folder);
  for (const [number, file] of files.entries())
    writeFileSync(path.join(folder, `${number}.json`), JSON.stringify(file));
  const listed = files.map(({ kind, vectors }, number) => ({ path: `${number}.json`, kind, count: vectors.length }));
  const whole = { form: 1, revision: '2025-11-25', extensions: [], schema: '', flags: {}, files: listed, ...index };
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify(whole));
  return folder;
}

export async function runWith(args: readonly string[], timeoutMs = 5000, folder = folderWith()): Promise<VectorReport> {
  const report = new ReportBuilder('adapter', false);
  async function* files(): AsyncIterable<{ revision: string; file: VectorFile }> {
    await Promise.resolve();
    yield* readVectorFolder(folder);
  }
  await runAdapter(files(), report, { command: [process.execPath, ADAPTER, ...args], timeoutMs });
  return report.finish();
}

export const names = (report: VectorReport, status: string): readonly string[] =>
  report.findings.filter((finding) => finding.status === status).map(({ name }) => name);

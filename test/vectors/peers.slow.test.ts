/** Our server and client play all conversations; adapters in `examples/vectors` run. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { builtinVectors } from '../../generator/vectors/source.js';
import { runAdapter } from '../../generator/vectors/run/adapter.js';
import { playSessions } from '../../generator/vectors/run/play.js';
import { countedFindings, ReportBuilder, type VectorReport } from '../../generator/vectors/run/report.js';
import { REVISION_NAMES } from '../interop/peers/revisions.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';

afterAll(removeTemporaryFolders);

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A program with everything that it imports, so that it starts fast. */
async function bundle(file: string): Promise<string> {
  const outfile = path.join(temporaryFolder(), `${path.basename(file, '.ts')}.mjs`);
  const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const entryPoints = [path.join(import.meta.dirname, 'peers', file)];
  await build({
    entryPoints,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: banner },
  });
  return outfile;
}

const failures = (report: VectorReport): readonly string[] =>
  countedFindings(report).map(({ subject, message }) => `${subject}: ${message}`);

const share = shareOfToday(REVISION_NAMES.length);
const TODAY = itemsOf(REVISION_NAMES, share);

describe(`conversations, ${shareText(share)}`, () => {
  test.each(TODAY)(
    'our server plays those of %s',
    async (revision) => {
      const report = new ReportBuilder('', true);
      const command = [process.execPath, await bundle('server.ts')];
      await playSessions(
        builtinVectors([revision], (kind) => kind === 'session'),
        report,
        {
          command,
          role: 'server',
          timeoutMs: 10_000,
        },
      );
      const found = report.finish();
      expect(failures(found)).toEqual([]);
      expect(found.counts.passed).toBeGreaterThan(75);
    },
    120_000,
  );

  test.each(TODAY)(
    'our client plays those of %s',
    async (revision) => {
      const report = new ReportBuilder('', true);
      // Of one revision, so that it begins with its handshake.
      const command = [process.execPath, await bundle('client.ts'), revision];
      await playSessions(
        builtinVectors([revision], (kind) => kind === 'session'),
        report,
        {
          command,
          role: 'client',
          timeoutMs: 10_000,
        },
      );
      const found = report.finish();
      expect(failures(found)).toEqual([]);
      expect(found.counts).toMatchObject({ skipped: 0 });
    },
    120_000,
  );
});

/**
 * Why an adapter in Python cannot run here; undefined if it can.
 *
 * @param module - What is imported; the package pydantic has a module v1 since version 2.
 */
function whyNoPython(module: string): string | undefined {
  try {
    execFileSync('python3', ['-c', `import ${module}`], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `python3 has no ${module.split(' ').at(-1) ?? module}`;
  }
}

/** Where Debian's packages put crates. */
const CRATES = '/usr/share/cargo/registry';

test('the adapter in Rust is right about its structs and all frames', async (context) => {
  const cargo = spawnSync('cargo', ['--version']);
  if (cargo.error !== undefined || !existsSync(path.join(CRATES, 'serde_json-1.0.87')))
    context.skip("needs cargo and Debian's librust-serde-json-dev, librust-serde-derive-dev and librust-base64-dev");
  const folder = temporaryFolder();
  cpSync(path.join(ROOT, 'examples/vectors/rust-serde'), folder, { recursive: true });
  const sources = ['source.crates-io.replace-with="debian"', `source.debian.directory="${CRATES}"`];
  execFileSync('cargo', ['build', '-q', '--offline', ...sources.flatMap((source) => ['--config', source])], {
    cwd: folder,
  });
  const report = new ReportBuilder('', false);
  const command = [path.join(folder, 'target/debug/vectors-adapter')];
  await runAdapter(builtinVectors(['2025-03-26']), report, { command, timeoutMs: 20_000 });
  const { counts, problems } = report.finish();
  expect(problems).toEqual([]);
  expect(counts.passed).toBeGreaterThan(80);
  expect(counts.passed + counts.skipped).toBe(counts.vectors);
}, 240_000);

const TSX = [process.execPath, '--import', 'tsx'];
const ADAPTERS: readonly (readonly [string, readonly string[], string | undefined])[] = [
  ['ours.ts', TSX, undefined],
  ['sdk-v1.ts', TSX, undefined],
  ['sdk-v2.ts', TSX, undefined],
  ['ajv.ts', TSX, undefined],
  ['python_jsonschema.py', ['python3'], whyNoPython('jsonschema')],
  ['python_pydantic.py', ['python3'], whyNoPython('pydantic.v1 as pydantic_2')],
];

describe('the adapter', () => {
  for (const [file, command, why] of itemsOf(ADAPTERS, shareOfToday(3))) {
    test(`${file} answers each vector of 2025-03-26`, async (context) => {
      if (why !== undefined) context.skip(why);
      const report = new ReportBuilder('', false);
      await runAdapter(builtinVectors(['2025-03-26']), report, {
        command: [...command, path.join(ROOT, 'examples/vectors', file)],
        timeoutMs: 20_000,
      });
      const { counts, problems } = report.finish();
      expect(problems).toEqual([]);
      expect(counts.noAnswer).toBeLessThan(2);
      // The example has models of few definitions, which are right, and its reader of frames looks at few members.
      if (file === 'python_pydantic.py') {
        expect(counts).toMatchObject({ wronglyAccepted: 0, wronglyRejected: 0 });
        expect(counts.passed).toBeGreaterThan(60);
      } else expect(counts.passed).toBeGreaterThan(1200);
      if (file === 'ours.ts') expect(counts.passed).toBe(counts.vectors);
    }, 60_000);
  }
});

/** Servers that are right: scaffolded ones, and those on the official SDKs. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import { build } from 'esbuild';
import { shellQuote } from '../../generator/text.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { check, shown, withHttpServer } from './support.js';

afterAll(removeTemporaryFolders);

const ROOT = path.resolve(import.meta.dirname, '../..');
const CALLS = { readOnly: true, tools: [] };

/** A file with everything that it imports, so that it starts fast. */
async function bundle(file: string): Promise<string> {
  // Below the project, so that it finds its package.json.
  const outfile = path.join(temporaryFolder(), `${path.basename(file, '.ts')}.mjs`);
  await build({
    entryPoints: [path.join(ROOT, file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}

describe('the scaffolded server has no finding', () => {
  // Its generated files are written by the tests' own setup.
  const source = 'templates/server/src';

  test.runIf(existsSync(path.join(ROOT, source, 'generated')))(
    'over stdio',
    async () => {
      const program = path.join(ROOT, source, 'index.ts');
      const command = [process.execPath, '--import', 'tsx', program].map(shellQuote).join(' ');
      const report = await check(command, {}, CALLS);
      expect(shown(report)).toEqual([]);
      expect(report.revisions).toHaveLength(5);
      expect(report.tools).toBeGreaterThan(4);
    },
    180_000,
  );

  test.runIf(existsSync(path.join(ROOT, source, 'generated')))(
    'over HTTP',
    async () => {
      const program = path.join(ROOT, source, 'http.ts');
      const report = await withHttpServer(
        process.execPath,
        ['--import', 'tsx', program],
        async (url) => check(url, {}, CALLS),
        { cwd: ROOT, env: { PORT: '0' } },
      );
      expect(shown(report)).toEqual([]);
      expect(report.revisions).toHaveLength(5);
    },
    180_000,
  );
});

describe('servers on the official SDKs have no violation that is not theirs', () => {
  test('v1, over stdio', async () => {
    const file = await bundle('test/interop/peers/v1-server.ts');
    const report = await check(`${shellQuote(process.execPath)} ${shellQuote(file)}`);
    expect(report.findings.filter(({ severity }) => severity === 'violation')).toEqual([]);
    expect(report.revisions).toEqual(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']);
  }, 120_000);

  test.each(['2025-11-25', '2026-07-28'])(
    'v2 on %s, over stdio',
    async (revision) => {
      const file = await bundle('test/interop/peers/v2-server.ts');
      const report = await check(`${shellQuote(process.execPath)} ${shellQuote(file)} ${revision}`);
      // Once it has served a request of 2026-07-28, it serves any version (docs/check-server.md).
      const violations = report.findings.filter(({ severity }) => severity === 'violation');
      expect([...new Set(violations.map(({ rule }) => rule))]).toEqual(['version-accepted']);
      expect(report.revisions).toContain(revision);
    },
    120_000,
  );

  test.each([
    // Neither validates the Origin header unless it is configured, as the specification requires.
    ['v1', '2025-11-25', ['http-origin']],
    ['v2', '2026-07-28', ['http-origin']],
  ] as const)(
    '%s on %s, over HTTP, but for what their defaults allow',
    async (server, revision, rules) => {
      const file = await bundle('test/interop/peers/http-host.ts');
      const hosting = JSON.stringify([{ server, revision }]);
      const report = await withHttpServer(process.execPath, [file, hosting], async (url) =>
        check(url, { revisions: [revision] }),
      );
      const violations = report.findings.filter(({ severity }) => severity === 'violation');
      expect(violations.map(({ rule }) => rule)).toEqual(rules);
    },
    120_000,
  );

  test('server-everything, over stdio', async () => {
    const file = path.join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
    const report = await check(`${shellQuote(process.execPath)} ${shellQuote(file)}`);
    expect(report.findings.filter(({ severity }) => severity === 'violation')).toEqual([]);
  }, 120_000);
});

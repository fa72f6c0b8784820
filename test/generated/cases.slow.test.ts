import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { REVISIONS } from '../support/revisions.js';

const root = path.resolve(import.meta.dirname, '../..');
const indexes = REVISIONS.map(({ revision }) => path.join(root, 'generated', revision, 'index.ts'));

const scratch = mkdtempSync(path.join(tmpdir(), 'mcpgen-cases-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** What a compiler of the project says; nothing if it is content. */
async function tsc(compiler: string, args: readonly string[]): Promise<string> {
  const bin = path.join(root, 'node_modules', compiler, 'bin/tsc');
  return new Promise((resolve) => {
    // In a folder without a config and without types of others, since only these flags are to count.
    execFile(process.execPath, [bin, ...args], { cwd: scratch }, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`;
      resolve(error !== null && said === '' ? error.message : said);
    });
  });
}

const STRICT = (
  '--noEmit --pretty false --strict --target es2022 --module nodenext --verbatimModuleSyntax --isolatedModules ' +
  '--exactOptionalPropertyTypes --noUncheckedIndexedAccess'
).split(' ');

test('case-026: output compiles under the strictest flags', async () => {
  expect(await tsc('typescript', ['--erasableSyntaxOnly', ...STRICT, ...indexes])).toBe('');
});

test('case-031: output compiles under TypeScript 5.4 to 7', async () => {
  expect(readFileSync(path.join(root, 'README.md'), 'utf8')).toContain('TypeScript 5.4 or later');
  const versions = await Promise.all([tsc('typescript-5.4', ['--version']), tsc('typescript-7', ['--version'])]);
  expect(versions.map((said) => /Version (\d+\.\d+)/.exec(said)?.[1])).toEqual(['5.4', '7.0']);
  const cluster = path.join(root, 'generated/runtime/http/server/cluster');
  const parts = readdirSync(cluster).map((file) => path.join(cluster, file)); // no index loads them
  const args = [...STRICT, ...indexes, ...parts];
  const said = await Promise.all([
    // It does not know of erasable syntax yet.
    tsc('typescript-5.4', args),
    tsc('typescript-7', ['--erasableSyntaxOnly', ...args]),
  ]);
  expect(said).toEqual(['', '']);
  // A compiler that says nothing proves nothing if it would say nothing of a fault.
  const fault = path.join(scratch, 'fault.mts');
  const index = JSON.stringify(indexes[0]);
  writeFileSync(fault, `import { METHODS } from ${index};\nMETHODS.TOOLS_CALL satisfies 'ping';\n`);
  const found = await tsc('typescript-7', [...STRICT, '--allowImportingTsExtensions', fault]);
  expect(found).toMatch(/fault\.mts\(2,\d+\): error TS1360/);
});

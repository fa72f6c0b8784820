import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadProtocol, render } from '../../generator/index.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { REVISIONS } from '../support/revisions.js';
import { zodFolder } from './zod-support.js';

const root = path.resolve(import.meta.dirname, '../..');

const scratch = zodFolder();
afterAll(removeTemporaryFolders);

test('the schemas compile under every compiler', { timeout: 600_000 }, async () => {
  for (const { revision } of REVISIONS) {
    mkdirSync(path.join(scratch, revision));
    for (const file of await render(await loadProtocol({ revision }), scratch, { emit: ['zod'] })) {
      writeFileSync(path.join(scratch, file.path), file.contents);
    }
  }
  const compilerOptions = {
    target: 'ES2022',
    module: 'nodenext',
    rootDir: '.',
    types: [],
    strict: true,
    noEmit: true,
    declaration: true,
    skipLibCheck: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noPropertyAccessFromIndexSignature: true,
  };
  writeFileSync(
    path.join(scratch, 'planted.ts'),
    `import { ToolSchema } from './2026-07-28/zod.js';\nexport const inputSchema: number = ToolSchema.shape.inputSchema;\n`,
  );
  const include = ['planted.ts', ...REVISIONS.map(({ revision }) => `${revision}/*.ts`)];
  writeFileSync(path.join(scratch, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const outputs = await Promise.all(['typescript-5.9', 'typescript', 'typescript-7'].map(compilerOutput));
  for (const output of outputs) {
    const errors = output.split('\n').filter((line) => line.includes('error TS'));
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(/^planted\.ts\(2,14\): error TS2322/);
  }
});

async function compilerOutput(compiler: string): Promise<string> {
  const run = spawn(
    process.execPath,
    [path.join(root, 'node_modules', compiler, 'bin/tsc'), '-p', scratch, '--pretty', 'false'],
    { cwd: scratch },
  );
  let output = '';
  for (const stream of [run.stdout, run.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    run.on('error', reject).on('close', () => {
      resolve(output);
    });
  });
}

/** Vectors: their form, their names, and what `mcpgen vectors` writes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateVectors } from '../../generator/index.js';
import { TASKS } from '../extensions/support.js';
import { mcpgen } from '../support/in-process.js';

let out: string;
beforeAll(() => {
  out = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-vectors-'));
});
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

describe('generateVectors', () => {
  test('refuses a folder with generated code, which it would remove', async () => {
    const code = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-code-'));
    try {
      const file = path.join(import.meta.dirname, '../../generated/2024-11-05/errors.ts');
      const folder = path.join(code, '2024-11-05');
      await generateVectors({ revisions: ['2024-11-05'], out: code });
      writeFileSync(path.join(folder, 'errors.ts'), readFileSync(file));
      await expect(generateVectors({ revisions: ['2024-11-05'], out: code })).rejects.toThrow(
        'the folder contains generated code',
      );
    } finally {
      rmSync(code, { recursive: true, force: true });
    }
  });
});

describe('mcpgen vectors', () => {
  test('--check exits with 1 for a file that was changed, and names it', async () => {
    const args = ['vectors', '-r', '2024-11-05', '--out', path.join(out, 'checked')];
    expect((await mcpgen(args)).code).toBe(0);
    expect((await mcpgen([...args, '--check'])).code).toBe(0);
    const file = path.join(out, 'checked/2024-11-05/definitions/Role.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"valid": true', '"valid": false'));
    const run = await mcpgen([...args, '--check']);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/edited\s+\S*definitions\/Role\.json/);
  });

  test('--json counts vectors by kind', async () => {
    const { stdout } = await mcpgen(['vectors', '-r', '2024-11-05', '--out', path.join(out, 'counted'), '--json']);
    const [revision] = (JSON.parse(stdout) as { revisions: { vectors: number; byKind: Record<string, number> }[] })
      .revisions;
    expect(Object.keys(revision?.byKind ?? {})).toEqual(['definition', 'message', 'framing', 'session']);
    expect(Object.values(revision?.byKind ?? {}).reduce((sum, count) => sum + count, 0)).toBe(revision?.vectors);
  });

  test('has the messages of an extension', async () => {
    const folder = path.join(out, 'extended');
    const run = await mcpgen(['vectors', '-r', '2026-07-28', '--extension', TASKS, '--out', folder]);
    expect(run.code, run.stderr).toBe(0);
    expect(readdirSync(path.join(folder, '2026-07-28/messages'))).toContain('tasks.get.json');
  });
});

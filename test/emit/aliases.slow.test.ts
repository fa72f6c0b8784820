import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { check, generate } from '../../generator/index.js';
import { compileFiles } from '../support/compiler.js';
import { NAMES } from './aliases-support.js';

const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-aliases-'));

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

describe('case-110: --emit aliases', () => {
  test('compiles with code that uses old names', async () => {
    const out = path.join(scratch, 'all');
    const options = { out, revisions: NAMES, emit: ['types', 'validators', 'aliases'] as const };
    await generate(options);
    const user = path.join(scratch, 'user.ts');
    const [first = ''] = NAMES;
    // One program for all: the oldest revision has the names themselves.
    writeFileSync(
      user,
      NAMES.map((revision, index) => {
        const folder = `./all/${revision}/index.js`;

        return `import { assertResourceReference as assert${index}, isJSONRPCError as is${index}, type JSONRPCError as Error${index}, type ResourceReference as Reference${index} } from "${folder}";
export const reference${index}: Reference${index} = { type: "ref/resource", uri: "a:b" };
export function code${index}(value: unknown): number {
  assert${index}(reference${index} as unknown);
  return is${index}(value) ? ((value satisfies Error${index}).error.code satisfies number) : 0;
}
`;
      }).join('\n') +
        `import type { ResourceReference as Oldest } from "./all/${first}/index.js";
export const same: Oldest = reference4;
`,
    );
    const faults = await compileFiles(scratch, [user], {
      target: 'ES2022',
      module: 'NodeNext',
      strict: true,
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
    });
    expect(faults).toEqual([]);
    const index = readFileSync(path.join(out, '2025-11-25/index.ts'), 'utf8');
    expect(index).toContain('export * from "./aliases.js";');

    expect((await check(options)).upToDate).toBe(true);
    const file = path.join(out, '2026-07-28/aliases.ts');
    expect(readFileSync(file, 'utf8')).toContain('--emit types,validators,aliases');
    writeFileSync(file, readFileSync(file, 'utf8').replace('JSONRPCError =', 'Other ='));
    expect((await check(options)).upToDate).toBe(false);
    rmSync(file);
    expect((await check(options)).upToDate).toBe(false);
    // Without the part, its files are orphaned.
    const { changes } = await generate({ ...options, emit: ['types', 'validators'] });
    expect(changes.filter(({ status }) => status === 'orphaned').map((change) => change.path)).toEqual([
      '2025-06-18/aliases.ts',
      '2025-11-25/aliases.ts',
    ]);
  });
});

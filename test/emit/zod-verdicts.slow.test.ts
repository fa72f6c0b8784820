import { build } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { REVISIONS } from '../support/revisions.js';
import { testZodOf } from './zod-revisions.js';
import { zodFolder } from './zod-support.js';

const scratch = zodFolder();
afterAll(removeTemporaryFolders);

// The newest one is in zod.test.ts.
testZodOf(REVISIONS.slice(0, -1), scratch);

describe('a bundler', () => {
  test('leaves out the schemas that nothing uses', async () => {
    const bundle = async (code: string): Promise<string> => {
      const { outputFiles } = await build({
        stdin: { contents: code, resolveDir: scratch, loader: 'ts' },
        bundle: true,
        write: false,
        format: 'esm',
        external: ['zod'],
      });
      return outputFiles[0]?.text ?? '';
    };
    const constants = (text: string): readonly string[] =>
      [...text.matchAll(/^var (\w+Schema)\b/gm)].map((match) => match[1] ?? '');
    const one = await bundle(`import { ToolSchema } from './2025-03-26/zod.ts'; console.log(ToolSchema);`);
    expect(constants(one)).toEqual(['ToolAnnotationsSchema', 'ToolSchema']);
    const none = await bundle(`import './2025-03-26/zod.ts';`);
    expect(none.replace(/\/\/.*/g, '').trim()).toMatch(/^import [^;]*"zod";$/);
    const all = await bundle(`import * as all from './2025-03-26/zod.ts'; console.log(all);`);
    expect(constants(all).length).toBeGreaterThan(75);
  });
});

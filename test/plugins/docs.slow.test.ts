import { writeFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { codeBlocks, fileNameOf } from '../support/markdown.js';

afterAll(removeTemporaryFolders);

const PLUGINS = codeBlocks('docs/plugins.md').flatMap((block) => {
  const name = block.language === 'ts' ? fileNameOf(block) : undefined;
  return name === undefined ? [] : [{ name, text: block.text }];
});

test('the guide shows three plugins, and each does what the guide says', async () => {
  expect(PLUGINS.map(({ name }) => name)).toEqual(['method-list.ts', 'capabilities.ts', 'tool-schema.ts']);
  const cwd = temporaryFolder();
  for (const { name, text } of PLUGINS) writeFileSync(path.join(cwd, name), text);
  const options = PLUGINS.flatMap(({ name }) => ['--plugin', `./${name}`]);
  const run = await mcpgen(['generate', '-r', '2026-07-28', '-o', 'out', '--emit', 'methods', ...options], { cwd });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const read = (name: string): string => readFileSync(path.join(cwd, 'out/2026-07-28', name), 'utf8');
  expect(read('methods.md')).toContain('\n# Methods of 2026-07-28\n\n- `completion/complete`: Suggests values');
  expect(read('capabilities.ts')).toMatch(
    /\nimport type \{ Method \} from "\.\/methods\.js";\n\n\/\*\* The capabilities[^]*"tools\/call": \["server\.tools"\],\n/,
  );
  const { members, schema } = JSON.parse(read('tools-call.json')) as {
    members: readonly { readonly name: string; readonly required: boolean }[];
    schema: { readonly $ref: string; readonly $defs: object };
  };
  expect(members).toContainEqual({ name: 'name', required: true });
  expect(schema.$ref).toBe('#/$defs/CallToolRequestParams');
  expect(Object.keys(schema.$defs)).toHaveLength(155);
});

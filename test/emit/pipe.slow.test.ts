import path from 'node:path';
import { expect, test } from 'vitest';
import { renderAll } from '../../generator/index.js';
import { codeBlocks } from '../support/markdown.js';

test('the parts pipe and stdio have what the proxy of the gateway guide imports, and no client or server', async () => {
  const text = codeBlocks('docs/gateways.md').find((block) => block.text.startsWith('// proxy.ts\n'))?.text ?? '';
  const imported = [...text.matchAll(/from '\.\/out\/(.+)\.js'/g)].map(([, file = '']) => `${file}.ts`);
  const revisions = imported.map((file) => path.posix.dirname(file)).filter((name) => /^\d/.test(name));
  const { files } = await renderAll({ revisions, emit: ['pipe', 'stdio'], out: 'out' });
  const names = files.map((file) => file.path);
  expect(imported.length).toBeGreaterThan(8);
  expect(imported.filter((file) => !names.includes(file))).toEqual([]);
  expect(names.filter((name) => /^\d.*\/(?:client|server)\.ts$/.test(name))).toEqual([]);
});

import path from 'node:path';
import { expect, test } from 'vitest';
import { EMITTABLE, loadProtocol, render } from '../../generator/index.js';
import type { Emittable } from '../../generator/emit/parts.js';

/** The packages and modules of Node that each generated file imports, by file. */
async function importsWith(emit: readonly Emittable[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const protocol = await loadProtocol({ revision: '2025-11-25' });
  const files = await render(protocol, 'out', { emit });
  return new Map(
    files.map((file) => [
      path.posix.relative('', file.path),
      [...file.contents.matchAll(/\bfrom ["'](?!\.)([^"']+)["']/g)].map((match) => match[1] ?? ''),
    ]),
  );
}
const all = (imports: ReadonlyMap<string, readonly string[]>): string[] =>
  [...new Set([...imports.values()].flat())].sort();

test('only the parts for OAuth need its package', async () => {
  const others = EMITTABLE.filter((part) => !part.startsWith('oauth'));
  const imports = await importsWith(others);
  expect(all(imports)).not.toContain('oauth4webapi');
  expect([...imports.keys()].filter((file) => file.includes('oauth'))).toEqual([]);
});

test('the OAuth client is portable', async () => {
  expect(all(await importsWith(['oauth-client']))).toEqual(['eventsource-parser', 'oauth4webapi']);
});

test('only its part for Node needs Node', async () => {
  const imports = await importsWith(['oauth-node']);
  expect(
    [...imports]
      .filter(([, names]) => names.some((name) => name.startsWith('node:')))
      .map(([file]) => path.basename(file)),
  ).toEqual(['file-store.ts', 'loopback.ts']);
  expect([...imports.keys()].some((file) => file.endsWith('runtime/oauth-node.ts'))).toBe(true);
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type * as ClientModule from '../../generated/2025-11-25/client.js';
import type * as ServerModule from '../../generated/2025-11-25/server.js';
import type * as MemoryModule from '../../generated/runtime/memory.js';
import { generate } from '../../generator/index.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { compileProject } from '../support/compiler.js';
import { REVISIONS } from '../support/revisions.js';

const REVISION = '2025-11-25';

afterAll(removeTemporaryFolders);

test('stubs compile under strict flags in all revisions', async () => {
  const out = temporaryFolder();
  await generate({ out, emit: ['stubs'] });
  for (const { revision } of REVISIONS) {
    writeFileSync(
      path.join(out, revision, 'main.ts'),
      "import { handlers } from './handlers.js';\nimport { createServer } from './server.js';\n" +
        "export const server = createServer({ info: { name: 'mine', version: '1.0.0' }, handlers });\n",
    );
  }
  const root = path.resolve(import.meta.dirname, '../..');
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
    strict: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    erasableSyntaxOnly: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    skipLibCheck: true,
    outDir: 'built',
  };
  writeFileSync(path.join(out, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  expect(await compileProject(out)).toEqual([]);

  // And it runs: what is not implemented says so, what the runtime answers is answered.
  const built = <T>(name: string): Promise<T> =>
    import(pathToFileURL(path.join(out, 'built', name)).href) as Promise<T>;
  const { server } = await built<{ server: ReturnType<typeof ServerModule.createServer> }>(`${REVISION}/main.js`);
  const { createClient } = await built<typeof ClientModule>(`${REVISION}/client.js`);
  const { memoryPair } = await built<typeof MemoryModule>('runtime/memory.js');
  const client = createClient({ info: { name: 'test', version: '1.0.0' } });
  const [one, other] = memoryPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  await expect(client.callTool({ name: 'a' })).rejects.toMatchObject({
    code: -32601,
    message: 'tools/call is not implemented',
  });
  expect(await client.ping()).toEqual({});
  await client.close();
});

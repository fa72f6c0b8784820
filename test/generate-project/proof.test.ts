/** `--check` by hashes: whatever was changed, it reports the same as a check that renders everything. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { provenFiles, storeProof } from '../../generator/commands/generate/proof.js';
import { check as checkFiles, generate as generateFiles } from '../../generator/generate.js';
import { definePlugin } from '../../generator/plugin.js';
import { catalogWith, schemaWith } from '../support/hostile.js';
import { mcpgen } from '../support/in-process.js';
import type { Run } from '../support/cli.js';

let root = '';
/** A project with output, and the cache that a check of it has filled. */
let original = '';
beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-proof-'));
  original = path.join(root, 'original');
  mkdirSync(original);
  writeFileSync(path.join(original, 'schema.json'), JSON.stringify(schemaWith()));
  writeFileSync(path.join(original, 'catalog.json'), JSON.stringify(catalogWith()));
  expect((await generate(original)).code).toBe(0);
  expect(await check(original)).toMatchObject({ code: 0, stdout: expect.stringContaining('all up to date') as string });
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const OPTIONS = ['--schema', 'schema.json', '--catalog', 'catalog.json', '-o', 'out'];
const PARTS = ['--emit', 'types,methods,messages,guards'];

function environment(folder: string, cache: string): Record<string, string> {
  return { XDG_CACHE_HOME: path.join(folder, cache), XDG_STATE_HOME: path.join(folder, `${cache}-state`) };
}

async function generate(folder: string): Promise<Run> {
  return mcpgen(['generate', ...OPTIONS, ...PARTS], { cwd: folder, env: environment(folder, 'cache') });
}

async function check(folder: string, more: readonly string[] = PARTS, cache = 'cache'): Promise<Run> {
  return mcpgen(['generate', ...OPTIONS, ...more, '--check'], { cwd: folder, env: environment(folder, cache) });
}

/** A copy of the project. Its place is part of the inputs, so it is the same for all. */
function copy(): string {
  const folder = path.join(root, 'copy');
  rmSync(folder, { recursive: true, force: true });
  cpSync(original, folder, { recursive: true });
  return folder;
}

/** All files below a folder, sorted. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .sort();
}

function pick<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick');
  return item;
}

function edit(file: string, place: number, text: string): void {
  const before = readFileSync(file, 'utf8');
  const at = place % (before.length + 1);
  writeFileSync(file, before.slice(0, at) + text + before.slice(at + text.length));
}

/** What is done to a project: a name for messages, and how. */
const CHANGES: Readonly<Record<string, (folder: string, file: number, place: number, text: string) => void>> = {
  'edits a generated file': (folder, file, place, text) => {
    edit(pick(filesBelow(path.join(folder, 'out')), file), place, text);
  },
  'removes a generated file': (folder, file) => {
    rmSync(pick(filesBelow(path.join(folder, 'out')), file));
  },
  'swaps two generated files': (folder, file, place) => {
    const files = filesBelow(path.join(folder, 'out'));
    cpSync(pick(files, file), pick(files, place));
  },
  'changes line ends': (folder, file) => {
    const name = pick(filesBelow(path.join(folder, 'out')), file);
    writeFileSync(name, readFileSync(name, 'utf8').replaceAll('\n', '\r\n'));
  },
  'adds a file of the author': (folder, _file, _place, text) => {
    writeFileSync(path.join(folder, 'out', 'draft', 'own.ts'), `// ${text}`);
  },
  'adds the folder of another revision': (folder) => {
    cpSync(path.join(folder, 'out', 'draft'), path.join(folder, 'out', 'older'), { recursive: true });
  },
  'changes the schema': (folder, _file, place) => {
    const definition = { type: 'object', properties: { [`a${place}`]: { type: 'string' } } };
    writeFileSync(path.join(folder, 'schema.json'), JSON.stringify(schemaWith({ Added: definition })));
  },
  'adds a Prettier config': (folder, _file, place) => {
    writeFileSync(path.join(folder, '.prettierrc'), JSON.stringify({ printWidth: 40 + (place % 60) }));
  },
  'edits an entry of the cache': (folder, file, place, text) => {
    edit(pick(filesBelow(path.join(folder, 'cache')), file), place, text);
  },
  'forges an entry of the cache for an edited file': (folder, file, place, text) => {
    edit(pick(filesBelow(path.join(folder, 'out')), file), place, text);
    for (const name of filesBelow(path.join(folder, 'cache'))) edit(name, place, text);
  },
  'removes the key': (folder, file, place, text) => {
    rmSync(path.join(folder, 'cache-state'), { recursive: true });
    edit(pick(filesBelow(path.join(folder, 'out')), file), place, text);
  },
  'changes nothing': () => undefined,
};

const change = fc.record({
  name: fc.constantFrom(...Object.keys(CHANGES)),
  file: fc.nat(1000),
  place: fc.nat(100_000),
  text: fc.constantFrom('x', ' ', '\n', '// a\n', '"', 'sha256:0000000000000000'),
});

test('reports the same as without a cache, whatever was changed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), fc.boolean(), async (changes, hasOtherParts) => {
      // Made in one place, so that the copy has the proof of that place.
      const folder = copy();
      expect((await check(folder)).code).toBe(0);
      for (const { name, file, place, text } of changes) {
        try {
          CHANGES[name]?.(folder, file, place, text);
        } catch {
          // The change before it may have removed its file.
        }
      }
      const parts = hasOtherParts ? ['--emit', 'types'] : PARTS;
      const cached = await check(folder, parts);
      const rendered = await check(folder, parts, 'empty');
      expect(cached).toEqual(rendered);
    }),
    { numRuns: 40, seed: 20261130, endOnFailure: true },
  );
});

test('an unchanged folder is proven, and a changed one is not', async () => {
  const folder = copy();
  const before = { ...process.env };
  Object.assign(process.env, environment(folder, 'unit'));
  try {
    const file = (name: string) => ({ name, contents: readFileSync(path.join(folder, name), 'utf8') });
    const options = {
      out: path.join(folder, 'out'),
      revisions: ['draft'],
      schema: file('schema.json'),
      catalog: file('catalog.json'),
      emit: ['types', 'methods'],
    } as const;
    expect(await provenFiles(options)).toBeUndefined();
    await generateFiles(options);
    const result = await checkFiles(options);
    await storeProof(options, result);
    expect(await provenFiles(options)).toBe(result.changes.length);
    expect(await provenFiles({ ...options, importExtension: 'ts' })).toBeUndefined();
    expect(await provenFiles({ ...options, plugins: [definePlugin(1, () => [])] })).toBeUndefined();
    edit(path.join(folder, 'out', 'draft', 'types.ts'), 500, 'x');
    expect(await provenFiles(options)).toBeUndefined();
  } finally {
    process.env = before;
  }
});

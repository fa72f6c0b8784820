import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_PARTS, EMITTABLE, loadProtocol, render, type RenderOptions } from '../../generator/index.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { REVISIONS } from '../support/revisions.js';
import { requireReferenceMaterial, officialExamples } from '../support/reference-material.js';
import { protocolOf, schemaOf, zodFolder } from './zod-support.js';
import { schemasOf, testZodOf } from './zod-revisions.js';

const root = path.resolve(import.meta.dirname, '../..');

const scratch = zodFolder();
afterAll(removeTemporaryFolders);

// The others, and a bundler, are in zod-verdicts.slow.test.ts; more keywords are in zod-keywords.slow.test.ts.
testZodOf(REVISIONS.slice(-1), scratch);

describe('zod.ts of 2026-07-28', () => {
  test('parses the official examples unchanged', (context) => {
    requireReferenceMaterial(context);
    const examples = officialExamples();
    expect(examples.length).toBeGreaterThan(0);
    for (const { definition, name, value } of examples) {
      const result = schemaOf(schemasOf('2026-07-28'), definition).safeParse(value);
      expect(result, `${definition}/${name}`).toEqual({ success: true, data: value });
    }
  });
});

describe('what cannot be said in Zod', () => {
  test.each([
    [
      'a member that every object inherits',
      { A: { type: 'object', properties: { constructor: { type: 'string' } } } },
      'A.constructor: Zod cannot check a member named "constructor", since every object inherits one',
    ],
    [
      'a member named __proto__',
      { A: { type: 'object', properties: JSON.parse('{ "__proto__": { "type": "string" } }') as JsonObject } },
      'A.__proto__: Zod cannot check a member named "__proto__", since every object inherits one',
    ],
    [
      'a recursive definition with a name that the file needs itself',
      { z: { type: 'array', items: { $ref: '#/$defs/z' } } },
      'z: the name "z" is taken in zod.ts',
    ],
    ...(
      [
        ['if', { if: { type: 'string' }, then: { minLength: 1 } }],
        ['contains', { type: 'array', contains: { type: 'string' } }],
        ['propertyNames', { type: 'object', propertyNames: { maxLength: 3 } }],
        ['dependentRequired', { type: 'object', dependentRequired: { a: ['b'] } }],
        ['dependentSchemas', { type: 'object', dependentSchemas: { a: { maxProperties: 1 } } }],
        ['unevaluatedProperties', { type: 'object', properties: { a: {} }, unevaluatedProperties: false }],
        ['unevaluatedItems', { type: 'array', prefixItems: [{}], unevaluatedItems: false }],
      ] as const
    ).map(([keyword, A]) => [`the keyword "${keyword}"`, { A }, `A: zod.ts does not support "${keyword}"`] as const),
    [
      'a schema with the name of a type',
      { A: { type: 'string' }, ASchema: { type: 'number' } },
      'the definition "ASchema" has a name that zod.ts exports itself',
    ],
  ] as const)('is refused by name: %s', async (_, definitions, message) => {
    await expect(render(await protocolOf(definitions), scratch, { emit: ['zod'] })).rejects.toThrow(message);
    await expect(render(await protocolOf(definitions), scratch, { emit: ['types'] })).resolves.toHaveLength(2);
  });
});

describe('--emit zod', () => {
  const cli = path.join(root, 'dist/generator/cli.js');
  const generate = (...args: readonly string[]): readonly string[] => {
    const out = execFileSync(process.execPath, [cli, 'generate', '-r', '2025-03-26', '--dry-run', '--json', ...args]);
    const { files } = JSON.parse(out.toString()) as { files: readonly { path: string }[] };
    return files.map((file) => path.basename(file.path)).sort();
  };

  test('is not part of the default output', () => {
    expect(EMITTABLE).toContain('zod');
    expect(DEFAULT_PARTS).not.toContain('zod');
    expect(generate('--out', path.join(scratch, 'none'))).not.toContain('zod.ts');
  });

  test('writes only the files it needs', () => {
    expect(generate('--emit', 'zod', '--out', path.join(scratch, 'none'))).toEqual(['index.ts', 'types.ts', 'zod.ts']);
  });

  test('is named by the command that regenerates the files', async () => {
    const protocol = await loadProtocol({ revision: '2025-03-26' });
    const commandOf = async (emit?: RenderOptions['emit']): Promise<string> => {
      const [file] = await render(protocol, scratch, emit === undefined ? {} : { emit });
      return /Regenerate: (.*) --out/.exec(file?.contents ?? '')?.[1] ?? '';
    };
    expect(await commandOf()).toBe('mcpgen generate --revision 2025-03-26');
    const named = EMITTABLE.filter((part) => !DEFAULT_PARTS.includes(part) && part !== 'stubs');
    expect(await commandOf(EMITTABLE)).toBe(`mcpgen generate --revision 2025-03-26 --emit default,${named.join(',')}`);
    expect(await commandOf(['types', 'zod'])).toBe('mcpgen generate --revision 2025-03-26 --emit types,zod');
  });

  test('is exported from the index', async () => {
    const protocol = await loadProtocol({ revision: '2025-03-26' });
    const others = ['http-client', 'oauth-client', 'oauth-node'];
    const files = await render(protocol, scratch, { emit: EMITTABLE.filter((part) => !others.includes(part)) });
    const contents = (name: string): string => files.find((file) => file.path.endsWith(`/${name}.ts`))?.contents ?? '';
    expect(contents('index')).toContain('export * from "./zod.js";');
    const withPackages = files
      .filter((file) => /^(?:import|export)\s[^;]*?from "(?!\.|node:)/m.test(file.contents))
      .map((file) => path.basename(file.path));
    expect(withPackages).toEqual(['zod.ts']);
  });
});

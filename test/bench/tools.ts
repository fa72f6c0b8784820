/**
 * Speed and size of the validators of tools, for `npm run bench:tools`: generated ones and those that `compileSchema`
 * makes at run time, compared with Ajv, compiled and as standalone code. The schemas look like those of published servers.
 * `--rounds 9` makes more rounds than the minimum of 3.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { renderTools } from '../../generator/index.js';
import { isObject, type JsonObject } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';
import { compileSchema } from '../../templates/runtime/json-schema.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { SchemaSampler } from '../support/schema-sampler.js';
import { median, printTable, processorTime } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');
const rounds = Math.max(3, Number(process.argv[process.argv.indexOf('--rounds') + 1]) || 3);
const VALUES = 60;

const text = { type: 'string' };
const page = { page: { type: 'integer', minimum: 1 }, perPage: { type: 'integer', minimum: 1, maximum: 100 } };

const TOOLS: readonly { readonly name: string; readonly inputSchema: JsonObject }[] = [
  {
    name: 'read_file',
    inputSchema: object({ path: text, head: { type: 'number' }, tail: { type: 'number' } }, ['path']),
  },
  {
    name: 'edit_file',
    inputSchema: object(
      {
        path: text,
        edits: { type: 'array', items: object({ oldText: text, newText: text }, ['oldText', 'newText']) },
        dryRun: { type: 'boolean', default: false },
      },
      ['path', 'edits'],
    ),
  },
  {
    name: 'create_entities',
    inputSchema: object(
      {
        entities: {
          type: 'array',
          items: object({ name: text, entityType: text, observations: { type: 'array', items: text } }, [
            'name',
            'entityType',
            'observations',
          ]),
        },
      },
      ['entities'],
    ),
  },
  {
    name: 'list_issues',
    inputSchema: object(
      {
        owner: text,
        repo: text,
        state: { enum: ['open', 'closed', 'all'] },
        labels: { type: 'array', items: text },
        sort: { enum: ['created', 'updated', 'comments'] },
        ...page,
      },
      ['owner', 'repo'],
    ),
  },
  {
    name: 'search',
    inputSchema: object(
      {
        query: { type: 'string', minLength: 1, maxLength: 500 },
        limit: { type: 'integer', minimum: 1, maximum: 50 },
        sources: {
          type: 'array',
          items: {
            anyOf: [
              object({ type: { const: 'web' }, tbs: text }, ['type']),
              object({ type: { const: 'news' } }, ['type']),
              object({ type: { const: 'images' }, size: { enum: ['small', 'large'] } }, ['type']),
            ],
          },
        },
        country: { type: ['string', 'null'], pattern: '^[A-Z]{2}$' },
      },
      ['query'],
    ),
  },
  {
    name: 'query_database',
    inputSchema: object(
      {
        id: text,
        filter: { $ref: '#/$defs/filter' },
        sorts: {
          type: 'array',
          items: object({ property: text, direction: { enum: ['ascending', 'descending'] } }, ['property']),
        },
      },
      ['id'],
      {
        $defs: {
          filter: {
            anyOf: [
              object({ property: text, equals: { type: ['string', 'number', 'boolean'] } }, ['property', 'equals']),
              object({ and: { type: 'array', items: { $ref: '#/$defs/filter' } } }, ['and']),
            ],
          },
        },
      },
    ),
  },
];

/** A closed object. */
function object(properties: JsonObject, required: readonly string[], more: JsonObject = {}): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false, ...more };
}

type Check = (value: unknown) => boolean;

function missing(): never {
  throw new Error('a tool has no validator');
}

/** The files whose sizes are compared, and the checks of each contender, in the order of the tools. */
async function prepare(folder: string): Promise<{
  readonly contenders: Readonly<Record<string, readonly Check[]>>;
  readonly files: { readonly ours: string; readonly ajv: string };
}> {
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }\n');
  const { files } = await renderTools(parseTools(TOOLS, 'tools.json'), folder);
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  const stems = TOOLS.map(({ name }) =>
    name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  );
  const ours = path.join(folder, 'ours.ts');
  const names = stems.map((stem) => `validate${stem}Input`);
  writeFileSync(ours, `export { ${names.join(', ')} } from './tools/index.js';\n`);
  const options = { strict: false, validateFormats: false, ownProperties: true } as const;
  const ajv = new Ajv2020({ ...options, code: { source: true } });
  TOOLS.forEach(({ name, inputSchema }) => ajv.addSchema(inputSchema, name));
  const standalone = path.join(folder, 'ajv.cjs');
  const exported = Object.fromEntries(TOOLS.map(({ name }) => [name, name]));
  writeFileSync(standalone, standaloneCode.default(ajv, exported));
  const [generated, code] = await Promise.all([bundled(ours, folder), bundled(standalone, folder)]);
  const compiled = new Ajv2020(options);
  const standaloneModule = (code['default'] ?? code) as Readonly<Record<string, Check>>;
  return {
    files: { ours, ajv: standalone },
    contenders: {
      'Ajv, compiled': TOOLS.map(({ inputSchema }) => compiled.compile(inputSchema)),
      'Ajv, standalone code': TOOLS.map(({ name }) => standaloneModule[name] ?? missing),
      generated: names.map((name) => {
        const validate = generated[name] as Validator<unknown>;
        return (value) => validate(value).success;
      }),
      compileSchema: TOOLS.map(({ inputSchema }) => {
        const validate = compileSchema(inputSchema, { trustPatterns: true });
        return (value) => validate(value).success;
      }),
    },
  };
}

async function bundled(file: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  const outfile = path.join(folder, `${path.basename(file)}.bundle.mjs`);
  await build({ entryPoints: [file], outfile, bundle: true, format: 'esm', platform: 'node' });
  return (await import(pathToFileURL(outfile).href)) as Readonly<Record<string, unknown>>;
}

async function sizeOf(file: string): Promise<readonly [string, string]> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  return [String(bytes.length), String(gzipSync(bytes, { level: 9 }).length)];
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
try {
  const { contenders, files } = await prepare(folder);
  const reference = contenders['Ajv, compiled'] ?? [];
  const samples = TOOLS.map(({ inputSchema }, index) => {
    const sampler = new SchemaSampler(inputSchema, index + 1);
    return Array.from({ length: VALUES }, () => sampler.next()).filter(isObject);
  });
  const rows: string[][] = [['', 'values', 'checks a second', 'as fast as Ajv compiled, times']];
  for (const isValid of [true, false]) {
    const items = samples.map((values, tool) => values.filter((value) => reference[tool]?.(value) === isValid));
    const total = items.reduce((sum, values) => sum + values.length, 0);
    const times = new Map<string, number[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, checks] of Object.entries(contenders)) {
        const time = processorTime(() => {
          let right = 0;
          for (let tool = 0; tool < items.length; tool += 1) {
            const check = checks[tool] ?? missing;
            for (const value of items[tool] ?? []) if (check(value) === isValid) right += 1;
          }
          if (right !== total) throw new Error(`${name} has ${total - right} other verdicts`);
          return right;
        });
        times.set(name, [...(times.get(name) ?? []), time]);
      }
    }
    const base = median(times.get('Ajv, compiled') ?? []);
    for (const [name, all] of times)
      rows.push([
        `${name}, ${isValid ? 'valid' : 'invalid'}`,
        String(total),
        ((total * 1e9) / median(all)).toExponential(1),
        (base / median(all)).toFixed(2),
      ]);
  }
  printTable(`Validators of ${TOOLS.length} tools; medians of ${rounds} rounds, in turns`, rows);
  printTable('Sizes in bytes, by esbuild', [
    ['', 'minified', 'gzipped'],
    ['generated', ...(await sizeOf(files.ours))],
    ['Ajv standalone, with its runtime', ...(await sizeOf(files.ajv))],
    ['compileSchema', ...(await sizeOf(path.join(root, 'templates/runtime/json-schema.ts')))],
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

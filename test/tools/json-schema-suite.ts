/**
 * The official JSON Schema Test Suite: each schema as the member `v` of a tool's arguments.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { emitTool, ToolNamer, type NamedTool } from '../../generator/emit/tools/tools.js';
import { parseTool } from '../../generator/model/tools.js';
import type { Warning } from '../../generator/model/protocol.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import { parseJson, type JsonValue } from '../../generator/read/json/json.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { temporaryFolder } from '../support/cli.js';
import { compiledProgram } from '../support/programs.js';
import { referenceFolder } from '../support/reference-material.js';

export const DRAFTS = ['draft2020-12', 'draft7'] as const;
export type Draft = (typeof DRAFTS)[number];

/** A schema of the suite with its instances. */
export interface SuiteGroup {
  /** Its file, with the folder below the draft's, and its description. */
  readonly name: string;
  readonly file: string;
  readonly schema: JsonValue;
  readonly tests: readonly { readonly description: string; readonly data: JsonValue; readonly valid: boolean }[];
}

/** A group with the tool made of it. */
export interface SuiteTool extends SuiteGroup {
  readonly tool: NamedTool;
  readonly warnings: readonly Warning[];
}

const SUITE = path.join(referenceFolder, 'json-schema-test-suite');
const require = createRequire(import.meta.url);

/** Whether the suite is there. */
export const hasSuite = existsSync(SUITE);

/** The groups of a draft: the mandatory ones, or those of a folder such as `optional`. */
export function suiteGroups(draft: Draft, folder = ''): readonly SuiteGroup[] {
  const root = path.join(SUITE, 'tests', draft, folder);
  return readdirSync(root)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const groups = readJson(path.join(root, file)) as unknown as (Omit<SuiteGroup, 'name' | 'file'> & {
        description: string;
      })[];
      return groups.map((group) => ({
        ...group,
        file: path.posix.join(folder, file),
        name: `${path.posix.join(folder, file.replace(/\.json$/, ''))}: ${group.description}`,
      }));
    });
}

/** The documents that the suite's schemas refer to, by URI: its own and the meta-schemas. */
export function suiteDocuments(): ReadonlyMap<string, JsonValue> {
  const documents = new Map<string, JsonValue>();
  const remotes = path.join(SUITE, 'remotes');
  for (const entry of readdirSync(remotes, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    documents.set(`http://localhost:1234/${path.relative(remotes, file).split(path.sep).join('/')}`, readJson(file));
  }
  const refs = path.join(path.dirname(require.resolve('ajv/package.json')), 'dist/refs');
  const metaSchemas = [
    'json-schema-draft-07.json',
    ...['schema', ...META].map((name) => `json-schema-2020-12/${name}.json`),
  ];
  for (const name of metaSchemas) {
    const schema = readJson(path.join(refs, name)) as { readonly $id: string };
    documents.set(schema.$id, schema);
  }
  return documents;
}

const META = ['applicator', 'content', 'core', 'format-annotation', 'meta-data', 'unevaluated', 'validation'].map(
  (name) => `meta/${name}`,
);

export const DIALECTS: Readonly<Record<Draft, string>> = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
};

/** Makes a tool of each group. */
export function suiteTools(draft: Draft, groups: readonly SuiteGroup[]): readonly SuiteTool[] {
  const namer = new ToolNamer();
  const documents = suiteDocuments();
  return groups.map((group, index) => {
    const input = { $schema: DIALECTS[draft], type: 'object', properties: { v: { $ref: 'case.json' } } };
    const source = { name: `case${index}`, input, places: { input: 'tools.json#', output: '' }, isOwn: false };
    const model = parseTool(source, NO_DOCS, {
      documents: new Map([...documents, ['case.json', group.schema]]),
    });
    return { ...group, tool: namer.name(model), warnings: model.warnings };
  });
}

/** The texts of the tools' files, by path. */
export function suiteTexts(tools: readonly SuiteTool[]): ReadonlyMap<string, string> {
  return new Map(
    tools.map(({ tool }) => {
      const file = emitTool(tool);
      return [`${file.name}.ts`, file.print({ header: '', importExtension: 'js' }).join('\n')];
    }),
  );
}

/** The validators of the tools, in their order. */
export async function suiteValidators(tools: readonly SuiteTool[]): Promise<readonly Validator<unknown>[]> {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  const runtime = path.dirname(
    compiledProgram(path.resolve(import.meta.dirname, '../../generated/runtime/validation.ts')),
  );
  symlinkSync(runtime, path.join(folder, 'runtime'), 'dir');
  for (const [name, text] of suiteTexts(tools)) {
    const file = path.join(folder, name.replace(/\.ts$/, '.js'));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, transformSync(text, { loader: 'ts' }).code);
  }
  return Promise.all(
    tools.map(async ({ tool }) => {
      const module = (await import(pathToFileURL(path.join(folder, 'tools', `${tool.stem}.js`)).href)) as Record<
        string,
        Validator<unknown>
      >;
      const validator = module[`validate${tool.prefix}Input`];
      if (validator === undefined) throw new Error(`${tool.stem} has no validator`);
      return validator;
    }),
  );
}

function readJson(file: string): JsonValue {
  return parseJson(readFileSync(file, 'utf8'), file);
}

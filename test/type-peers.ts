/**
 * Compares the types of the JSON Schema Test Suite's schemas with those of other generators, for `npm run compare:types`.
 * It installs the generators into a temporary folder without running install scripts.
 *
 * "Sound" counts valid instances that compile as literals, "precise" invalid ones that do not, and "right" both. A schema
 * that a generator cannot read has the type `unknown`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { JsonValue } from '../generator/read/json/json.js';
import { printTable } from './bench/support.js';
import { DRAFTS, hasSuite, suiteGroups, suiteTools } from './tools/json-schema-suite.js';
import { declarationsOf, namespaceOf, notCompiling, shares, statementsOf } from './tools/json-schema-types.js';

const PACKAGES = ['quicktype-core', '@hey-api/openapi-ts', 'json-schema-to-ts'] as const;

/** The declaration of a type `V` for a schema; undefined if it cannot be read. */
type Generate = (schema: JsonValue) => Promise<string>;

if (!hasSuite) {
  console.error('needs the JSON Schema Test Suite in ../shared/json-schema-test-suite');
  process.exit(2);
}
const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-types-'));
try {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, ...PACKAGES, 'typescript@5.9'], { cwd: folder, stdio: 'inherit' });
  for (const draft of DRAFTS) await compare(draft, await peers());
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function compare(draft: (typeof DRAFTS)[number], generators: Readonly<Record<string, Generate>>): Promise<void> {
  const tools = suiteTools(draft, suiteGroups(draft));
  const ours = statementsOf(tools, ({ tool }) => `${tool.prefix}Input`);
  const rows = [['mcpgen', ...figures(ours, notCompiling(declarationsOf(tools), ours).failed), '0']];
  const theirs = statementsOf(tools, (_, index) => `Case${index}`);
  const add = (name: string, declarations: readonly string[]): void => {
    const { failed, elsewhere } = notCompiling(declarations.join('\n'), theirs, folder);
    rows.push([name, ...figures(theirs, failed), String(elsewhere.length)]);
  };
  add('json-schema-to-typescript', await Promise.all(tools.map(({ schema }, index) => namespaceOf(schema, index))));
  for (const [name, generate] of Object.entries(generators)) {
    const declarations: string[] = [];
    for (const [index, { schema }] of tools.entries()) {
      const text = (await generate(schema).catch(() => '')).replace(/^type V\b/m, 'export type V');
      const own = /export (?:interface|type|enum) V\b/.test(text) ? text : `${text}\nexport type V = unknown;`;
      declarations.push(`namespace Case${index}Schema { ${own} }\ntype Case${index} = { v?: Case${index}Schema.V };`);
    }
    add(name, declarations);
  }
  printTable(draft, [['generator', 'sound', 'precise', 'right', 'errors in the types'], ...rows]);
}

function figures(statements: Parameters<typeof shares>[0], failed: ReadonlySet<string>): readonly string[] {
  const { sound, precise } = shares(statements, failed);
  const right = statements.filter(({ title, valid }) => failed.has(title) !== valid).length;
  return [sound, precise, `${((100 * right) / statements.length).toFixed(1)} %`];
}

async function peers(): Promise<Readonly<Record<string, Generate>>> {
  // The packages are found from their folder.
  const loader = path.join(folder, 'load.js');
  writeFileSync(loader, 'export const load = (name) => import(name);\n');
  const { load } = (await import(pathToFileURL(loader).href)) as { readonly load: (name: string) => Promise<never> };
  const { quicktype, InputData, JSONSchemaInput }: Quicktype = await load('quicktype-core');
  const { createClient }: HeyApi = await load('@hey-api/openapi-ts');
  return {
    quicktype: async (schema) => {
      const input = new JSONSchemaInput(undefined);
      await input.addSource({ name: 'V', schema: JSON.stringify(schema) });
      const inputData = new InputData();
      inputData.addInput(input);
      const { lines } = await quicktype({
        inputData,
        lang: 'typescript',
        rendererOptions: { 'just-types': true },
      });
      return lines.join('\n');
    },
    '@hey-api/openapi-ts': async (schema) => {
      const output = path.join(folder, 'out');
      const content = { 'application/json': { schema: { $ref: '#/components/schemas/V' } } };
      await createClient({
        input: {
          openapi: '3.1.0',
          info: { title: 'suite', version: '1' },
          paths: { '/v': { get: { responses: { 200: { description: '', content } } } } },
          components: { schemas: { V: schema } },
        },
        output: { path: output },
        plugins: ['@hey-api/typescript'],
        // Otherwise errors are written to files in the current folder.
        logs: { level: 'silent', file: false },
      });
      return readFileSync(path.join(output, 'types.gen.ts'), 'utf8');
    },
    'json-schema-to-ts': (schema) =>
      Promise.resolve(
        `const schema = ${JSON.stringify(schema)} as const;\nexport type V = import('json-schema-to-ts').FromSchema<typeof schema>;`,
      ),
  };
}

interface Quicktype {
  readonly quicktype: (options: object) => Promise<{ readonly lines: readonly string[] }>;
  readonly InputData: new () => { addInput(input: object): void };
  readonly JSONSchemaInput: new (store: undefined) => {
    addSource(source: { readonly name: string; readonly schema: string }): Promise<void>;
  };
}

interface HeyApi {
  readonly createClient: (config: object) => Promise<unknown>;
}

/** Validators of the arguments of tools, on values that are valid or have one fault. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { renderTools } from '../../generator/index.js';
import { isObject } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';
import { compileSchema } from '../../templates/runtime/json-schema.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { SchemaSampler } from '../support/schema-sampler.js';
import type { Contender, Suite } from './suite.js';
import { TOOLS } from './tool-schemas.js';
import { processorTime } from './validators-worker.js';

const VALUES = 60;

type Check = (value: unknown) => boolean;

function missing(): never {
  throw new Error('a tool has no validator');
}

/** The files whose sizes are compared, and the checks of each contender, in the order of the tools. */
export async function prepareTools(folder: string): Promise<{
  readonly contenders: Readonly<Record<string, readonly Check[]>>;
  readonly files: { readonly ours: string; readonly ajv: string };
}> {
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

const FLOOR = 'Ajv, compiled';

export const tools: Suite = {
  name: 'tools',
  title: 'Validators of tools',
  about: `Processor time for a value of the arguments of ${TOOLS.length} tools that look like those of published servers.`,
  columns: [
    { title: 'valid values', unit: 'ns' },
    { title: 'invalid values', unit: 'ns' },
  ],
  races: [
    { title: 'generated', ours: 'generated', peers: [FLOOR, 'Ajv, standalone code'] },
    { title: 'compileSchema, at run time', ours: 'compileSchema', peers: [FLOOR] },
  ],
  contenders: async ({ scratch }) => {
    const { contenders } = await prepareTools(mkdtempSync(path.join(scratch, 'tools-')));
    const reference = contenders[FLOOR] ?? [];
    const samples = TOOLS.map(({ inputSchema }, index) => {
      const sampler = new SchemaSampler(inputSchema, index + 1);
      return Array.from({ length: VALUES }, () => sampler.next()).filter(isObject);
    });
    const measure = (name: string, checks: readonly Check[]): Contender => {
      return () =>
        [true, false].map((isValid) => {
          const items = samples.map((values, tool) => values.filter((value) => reference[tool]?.(value) === isValid));
          const total = items.reduce((sum, values) => sum + values.length, 0);
          const loop = (): number => {
            let right = 0;
            for (let tool = 0; tool < items.length; tool += 1) {
              const check = checks[tool] ?? missing;
              for (const value of items[tool] ?? []) if (check(value) === isValid) right += 1;
            }
            if (right !== total) throw new Error(`${name} has ${total - right} other verdicts`);
            return right;
          };
          return processorTime(loop) / total;
        });
    };
    return Object.fromEntries(Object.entries(contenders).map(([name, checks]) => [name, measure(name, checks)]));
  },
};

/** Unions of recursive, indistinguishable branches are validated in time linear in the size of the value. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderTools } from '../../generator/index.js';
import { parseTools } from '../../generator/read/tools.js';
import { compileSchema } from '../../templates/runtime/json-schema.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import {
  SCHEMAS,
  REPEATED,
  repeated,
  EVALUATED,
  evaluated,
  validators,
  LONGEST,
  millisecondsSince,
} from './recursive-unions-support.js';

beforeAll(async () => {
  const folder = temporaryFolder();
  const schemas = {
    ...SCHEMAS,
    ...Object.fromEntries(Object.entries(REPEATED).map(([name, step]) => [`Repeated${name}`, repeated(step)])),
    ...Object.fromEntries(Object.entries(EVALUATED).map(([name, step]) => [`Evaluated${name}`, evaluated(step)])),
  };
  const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
  const { files } = await renderTools(parseTools(tools, 't.json'), folder);
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  const module = await importOutput(path.join(folder, 'tools/index.ts'));
  for (const name of Object.keys(schemas)) {
    validators.set(name, module[`validate${name}Input`] as Validator<unknown>);
  }
});
afterAll(removeTemporaryFolders);

const VALUES = ['x', 'y', { a: 'x' }, { a: { a: { a: 'y' } } }, [['x']], null];

describe.each(Object.entries(REPEATED))('%s', (name, step) => {
  test.each(VALUES)('a schema that applies a definition to one value 2^40 times validates %j', (v) => {
    const before = process.cpuUsage();
    validators.get(`Repeated${name}`)?.({ v });
    compileSchema(repeated(step))({ v });
    expect(millisecondsSince(before)).toBeLessThan(LONGEST);
  });
});

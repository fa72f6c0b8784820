/** The schema file of MCP Apps as its package ships it, read as a separate protocol. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generate } from '../../generator/index.js';
import { readSchemaWithoutCatalog } from '../../generator/model/load.js';
import { draftCatalog } from '../../generator/model/catalog/draft.js';
import { builtinCatalogs } from '../../generator/read/builtin/revisions.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import { importOutput } from '../support/import-output.js';
import { oracleOf } from '../support/oracle.js';
import { SchemaSampler } from '../support/schema-sampler.js';
import { root } from './apps.js';

/** Values for each definition; about half of them are valid. */
const VALUES = Number(process.env['MCPGEN_FUZZ'] ?? 1) * 12;

const FILE = path.join(root, 'node_modules/@modelcontextprotocol/ext-apps/dist/src/generated/schema.json');

type Guards = Readonly<Record<string, ((value: unknown) => boolean) | undefined>>;

let out = '';
let definitions: JsonObject = {};

/** The file with unions of its messages, which say who sends them, and the catalog that follows from it. */
function files(): { readonly schema: string; readonly catalog: string } {
  const schema = JSON.parse(readFileSync(FILE, 'utf8')) as { $defs: Record<string, unknown> };
  const messages = Object.keys(schema.$defs);
  const union = (end: string): object => ({
    anyOf: messages.filter((name) => name.endsWith(end)).map((name) => ({ $ref: `#/$defs/${name}` })),
  });
  const all = { ClientRequest: union('Request'), ClientNotification: union('Notification'), ...schema.$defs };
  const text = JSON.stringify({ ...schema, $defs: all });
  const reading = readSchemaWithoutCatalog({ name: 'schema.json', contents: text }, 'apps');
  const { catalog } = draftCatalog(reading, builtinCatalogs(), { revision: 'apps' });
  const methods = catalog.methods.map(({ undecided: _, ...row }) => ({
    ...row,
    capability: null,
    summary: 'A message.',
    ...(row.kind === 'request' ? { result: row.result ?? 'McpUiOpenLinkResult' } : {}),
  }));
  return { schema: text, catalog: JSON.stringify({ ...catalog, methods }) };
}

beforeAll(async () => {
  out = mkdtempSync(path.join(root, 'node_modules/.apps-'));
  const { schema, catalog } = files();
  definitions = canonicalizeSchema(JSON.parse(schema) as JsonObject, 'schema.json').definitions;
  await generate({
    out,
    importExtension: 'ts',
    emit: ['validators'],
    schema: { name: 'schema.json', contents: schema },
    catalog: { name: 'catalog.json', contents: catalog },
  });
});
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

test('validators of the file in the package agree with Ajv on generated values of every definition', async () => {
  const guards = await importOutput<Guards>(path.join(out, 'apps/validators.ts'));
  const oracle = oracleOf(definitions);
  const counts = { valid: 0, invalid: 0 };
  const differences: string[] = [];
  for (const [index, definition] of Object.keys(definitions).entries()) {
    const name = definition.replaceAll('_', '');
    const guard = guards[`is${definition}`] ?? guards[`is${name}`] ?? guards[`is${name}Definition`];
    if (guard === undefined) throw new Error(`${definition} has no guard`);
    const validate = oracle(definition);
    const sampler = new SchemaSampler({ $defs: definitions, $ref: `#/$defs/${definition}` }, index + 1);
    for (let count = 0; count < VALUES; count += 1) {
      const value = sampler.next();
      const isValid = validate(value);
      counts[isValid ? 'valid' : 'invalid'] += 1;
      if (guard(value) !== isValid)
        differences.push(`${definition}: ${JSON.stringify(value)} is valid: ${String(isValid)}`);
    }
  }
  expect(differences.slice(0, 5)).toEqual([]);
  // Values of only one kind would prove nothing.
  expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(100);
});

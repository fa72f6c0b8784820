/**
 * The types of the JSON Schema Test Suite's schemas: every valid instance compiles as a literal. How many of the invalid
 * ones do not is printed, for ours and for json-schema-to-typescript.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pascalCase } from '../../generator/model/naming.js';
import { parseTool } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import { isObject, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { printDefinition } from '../../generator/print/type.js';
import { compileSchema } from '../../templates/runtime/json-schema.js';
import { DRAFTS, hasSuite, suiteGroups, suiteTools } from './json-schema-suite.js';
import {
  declarationsOf,
  namespaceOf,
  notCompiling,
  shares,
  statementsOf,
  type Statement,
} from './json-schema-types.js';
import { SEED, toolSchema, valueFor } from './oracle.js';

/** The least share of invalid instances that do not compile, in percent. */
const PRECISION = { 'draft2020-12': 65, draft7: 71 } as const;

/** Valid instances that do not compile, with the reason. */
const EXCEPTIONS = {
  'properties: properties whose names are Javascript object property names: none of the properties mentioned':
    'TypeScript takes an inherited member, such as `constructor`, for an optional one of the same name.',
};

describe.each(DRAFTS)('types of the schemas of %s', (draft) => {
  test('accept every valid instance as a literal', ({ skip }) => {
    skip(!hasSuite, 'needs the JSON Schema Test Suite in ../shared/json-schema-test-suite');
    const tools = suiteTools(draft, suiteGroups(draft));
    const statements = statementsOf(tools, ({ tool }) => `${tool.prefix}Input`);
    const { failed, elsewhere } = notCompiling(declarationsOf(tools), statements);
    expect(elsewhere).toEqual([]);
    console.log(`mcpgen, ${draft}: ${JSON.stringify(shares(statements, failed))}`);
    const unsound = statements.filter(({ title, valid }) => valid && failed.has(title)).map(({ title }) => title);
    expect(unsound).toEqual(Object.keys(EXCEPTIONS));
    const invalid = statements.filter(({ valid }) => !valid);
    const rejected = invalid.filter(({ title }) => failed.has(title));
    expect((100 * rejected.length) / invalid.length).toBeGreaterThan(PRECISION[draft]);
  });

  test('are right about more instances than those of json-schema-to-typescript', async ({ skip }) => {
    skip(!hasSuite, 'needs the JSON Schema Test Suite in ../shared/json-schema-test-suite');
    const tools = suiteTools(draft, suiteGroups(draft));
    const theirs = await Promise.all(tools.map(async ({ schema }, index) => namespaceOf(schema, index)));
    const statements = statementsOf(tools, (_, index) => `Case${index}`);
    const { failed } = notCompiling(theirs.join('\n'), statements);
    const ours = statementsOf(tools, ({ tool }) => `${tool.prefix}Input`);
    const { failed: ourFailed } = notCompiling(declarationsOf(tools), ours);
    console.log(`json-schema-to-typescript, ${draft}: ${JSON.stringify(shares(statements, failed))}`);
    // Verdicts that the compiler gets right: valid ones that compile, and invalid ones that do not.
    const right = (titles: ReadonlySet<string>): number =>
      statements.filter(({ title, valid }) => titles.has(title) !== valid).length;
    expect(right(ourFailed)).toBeGreaterThan(right(failed));
  });
});

test('types of random schemas accept every value that their validators accept', () => {
  const declarations: string[] = [];
  const statements: Statement[] = [];
  for (const [index, schema] of fc.sample(toolSchema, { numRuns: 400, seed: SEED }).entries()) {
    const input = withoutInheritedNames(schema);
    if (!isObject(input)) continue;
    const { type, text } = declared(input, `Case${index}`);
    declarations.push(text);
    const validate = compileSchema(input, { trustPatterns: true });
    const values = fc.sample(valueFor(input, input, 0), { numRuns: 30, seed: SEED + index });
    for (const value of new Set(values.map((one) => JSON.stringify(withoutInheritedNames(one))))) {
      const parsed = JSON.parse(value) as unknown;
      if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed) || !validate(parsed).success) continue;
      const title = `${value} for ${JSON.stringify(input)} as ${text}`;
      statements.push({ title, valid: true, text: `export const v${statements.length}: ${type} = ${value};` });
    }
  }
  const { failed, elsewhere } = notCompiling(declarations.join('\n'), statements);
  expect(elsewhere).toEqual([]);
  expect([...failed].slice(0, 3)).toEqual([]);
  expect(statements.length).toBeGreaterThan(1000);
});

/** The same with names that no object inherits. */
function withoutInheritedNames(value: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(value).replaceAll('constructor', 'ctor')) as JsonValue;
}

/** The declarations of a tool's arguments, and the name of their type. */
function declared(input: JsonObject, prefix: string): { readonly type: string; readonly text: string } {
  const source = { name: 'a', input, places: { input: 'tools.json#', output: '' }, isOwn: false };
  const { definitions } = parseTool(source, NO_DOCS);
  const name = (key: string): string => prefix + pascalCase(key);
  const text = definitions.map((definition) => printDefinition(definition, { name, linkable: new Set() })).join('\n');
  return { type: name(definitions[0]?.name ?? ''), text };
}

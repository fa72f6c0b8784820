/** Schemas of tools that generators of types are reported to get wrong. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { renderTools, type ToolSource } from '../../generator/index.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';
import { cases } from '../support/cases.js';
import { FORMATS, type Validator } from '../../templates/runtime/validation.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { compileOutput } from '../support/hostile.js';

afterAll(removeTemporaryFolders);

/** The input of a case. */
function inputOf(id: string): Readonly<Record<string, unknown>> {
  const found = cases('second-collection').find((item) => item.id === id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found.input;
}

/** The tools of a case: its list, or one tool `x` with its schema, as a server lists it and as its author has it. */
function toolsOf(id: string): readonly ToolSource[] {
  const { schema, tools = [{ name: 'x', inputSchema: schema }] } = inputOf(id);
  return parseTools(tools as JsonValue, 'tools.json');
}

type Guards = Readonly<Record<string, (value: unknown) => boolean>>;

/** What is generated for the tools of a case: the types, the warnings, and the guard of a tool. */
async function generated(id: string) {
  const { files, warnings } = await renderTools(toolsOf(id), '/nowhere');
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  const modules = new Map<string, Promise<Guards>>();
  const accepts = async (tool: string, value: unknown): Promise<boolean> => {
    const loaded = modules.get(tool) ?? importOutput<Guards>(path.join(folder, `tools/${tool}.ts`));
    modules.set(tool, loaded);
    const module = await loaded;
    return module[`is${tool.toUpperCase()}Input`]?.(value) ?? false;
  };
  /** What the compiler finds wrong in uses of the types. */
  const errors = (uses: string): Promise<readonly string[]> => {
    const use = `${textOf('x') === '' ? '' : 'import type { XInput } from "./x.js";'}\n${uses}\n`;
    return compileOutput([...files, { path: 'tools/use.ts', contents: use }]).errors();
  };
  const textOf = (tool: string): string => files.find((file) => file.path === `tools/${tool}.ts`)?.contents ?? '';
  return { warnings, accepts, errors, textOf };
}

describe('case-113: a limit of lengths next to anyOf', () => {
  test.each<[unknown, boolean]>([
    [{ q: ['a'] }, true],
    [{ q: 'a', f: [1] }, true],
    [{ q: 'a', f: { n: 1 } }, true],
    [{ q: [] }, true],
    [{ q: '' }, false],
    [{ q: 'a', f: ['x'] }, false],
  ])('says nothing about values of other types: %j is valid: %s', async (value, valid) => {
    expect(await (await generated('case-113')).accepts('x', value)).toBe(valid);
  });

  test('does not change the type', async () => {
    const { errors, textOf } = await generated('case-113');
    expect(textOf('x')).toMatch(/\bq: string \| string\[\];/);
    expect(
      await errors('export const all: XInput[] = [{ q: ["a"] }, { q: "a", f: [1] }, { q: "a", f: { n: 1 } }];'),
    ).toEqual([]);
  });
});

describe('case-115: additionalProperties of another type than the named properties', () => {
  test('allows literals of the type, and no wrong ones', async () => {
    const { errors } = await generated('case-115');
    expect(
      await errors(`export const all: XInput[] = [{ n: 1, x: "s" }, { n: 1 }];
// @ts-expect-error -- a number
export const wrong: XInput = { n: "s" };`),
    ).toEqual([]);
  });

  test.each<[unknown, boolean]>([
    [{ n: 1, x: 's' }, true],
    [{ n: 1, x: 1 }, false],
    [{ n: 's' }, false],
  ])('is validated: %j is valid: %s', async (value, valid) => {
    expect(await (await generated('case-115')).accepts('x', value)).toBe(valid);
  });
});

describe('case-118: a schema of arguments that does not say that they are an object', () => {
  test.each(['a', 'c', 'd'])('accepts objects only: %s', async (tool) => {
    const { accepts } = await generated('case-118');
    expect(await accepts(tool, {})).toBe(true);
    expect(await accepts(tool, { x: 1 })).toBe(true);
    for (const value of [null, 'a', 1, []]) expect(await accepts(tool, value)).toBe(false);
  });

  test('has a warning that names the tool', async () => {
    const { warnings, textOf } = await generated('case-118');
    for (const tool of ['a', 'b', 'c', 'd']) {
      expect(warnings.map(({ message }) => message)).toContainEqual(expect.stringContaining(`the tool "${tool}"`));
      // A tool without a schema has no types.
      if (tool !== 'b') expect(textOf(tool)).toMatch(/export type [A-D]Input = \{\s*\[key: string\]: unknown;?\s*\};/);
    }
  });
});

test('case-118: only objects can be sent to a tool without a schema', async () => {
  const { errors } = await generated('case-118');
  expect(
    await errors(`import { tools, type ToolClient } from "./client.js";
export async function use(client: ToolClient<object, object>): Promise<void> {
  await tools(client).b();
  await tools(client).b({ x: 1 });
  // @ts-expect-error -- not an object
  await tools(client).b(1);
}`),
  ).toEqual([]);
});

describe('case-121: tuples', () => {
  test.each<[unknown, boolean]>([
    [{ p: [1, 'a'] }, true],
    [{ p: [1] }, false],
    [{ p: [1, 'a', 1] }, false],
    [{ p: ['a', 1] }, false],
    [{ r: [] }, true],
    [{ r: [1, 'a', 'b'] }, true],
    [{ r: [1, 2] }, false],
    [{ o: [] }, true],
    [{ o: [1] }, true],
    [{ o: [1, 'a'] }, true],
    [{ o: [1, 'a', 'b'] }, false],
  ])('each item is validated: %j is valid: %s', async (value, valid) => {
    expect(await (await generated('case-121')).accepts('x', value)).toBe(valid);
  });

  test('the types allow what is valid', async () => {
    const { errors, textOf } = await generated('case-121');
    expect(textOf('x')).toContain('p?: [number, string];');
    expect(
      await errors(`export const all: XInput[] = [{ p: [1, "a"] }, { r: [] }, { r: [1, "a"] }, { o: [] }, { o: [1] }, { o: [1, "a"] }];
// @ts-expect-error -- too long
export const long: XInput = { o: [1, "a", "b"] };
// @ts-expect-error -- too short
export const short: XInput = { p: [1] };`),
    ).toEqual([]);
  });
});

test('asserts a format next to no type', async () => {
  const tools = parseTools(
    [{ name: 'x', inputSchema: { type: 'object', properties: { day: { format: 'date' } } } }],
    'tools.json',
  );
  const { files } = await renderTools(tools, '/nowhere');
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  const { validateXInput } = await importOutput<{ readonly validateXInput: Validator<unknown> }>(
    path.join(folder, 'tools/x.ts'),
  );
  const verdicts = ['2026-07-28', 'x', 1].map((day) => validateXInput({ day }, { formats: FORMATS }).success);
  expect(verdicts).toEqual([true, false, true]);
  expect(validateXInput({ day: 'x' }).success).toBe(true);
});

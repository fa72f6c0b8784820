/** Names that objects inherit or that JavaScript treats specially are names like any other, wherever they come from. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bestToolExample } from '../../generator/emit/tools/example.js';
import { nameTools } from '../../generator/emit/tools/tools.js';
import { renderTools } from '../../generator/index.js';
import { findRejection } from '../../generator/model/types/accepts.js';
import { exampleOf } from '../../generator/model/types/example.js';
import { parseTool } from '../../generator/model/tools.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import { objectFromEntries, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { parseTools, type ToolSource } from '../../generator/read/tools.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { compileProject } from '../support/program.js';
import { catalogWith, compileOutput, generated, schemaWith, type Schema } from '../support/hostile.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toString',
  'toLocaleString',
  'valueOf',
  'toJSON',
  'then',
  'arguments',
  'caller',
  'name',
  'length',
  'default',
  '__defineGetter__',
  '__lookupSetter__',
];
const text = { type: 'string' };

/** An object schema of members by these names. */
function members(names: readonly string[], required: readonly string[]): JsonObject {
  return { type: 'object', properties: objectFromEntries(names.map((name) => [name, text])), required };
}

/** A tool of each name that has members of all these names in arguments and results, required or not, and constants. */
const SCHEMAS: readonly JsonObject[] = [
  members(NAMES, NAMES),
  { ...members([...NAMES, 'own'], ['own']), additionalProperties: false },
  { type: 'object', properties: { v: { enum: NAMES }, inside: members(NAMES, []) }, required: ['v', 'inside'] },
  {
    type: 'object',
    properties: objectFromEntries(NAMES.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    required: NAMES.slice(0, 3),
    $defs: objectFromEntries(NAMES.map((name) => [name, { type: 'string', format: name }])),
  },
];

const LIST: JsonValue = SCHEMAS.flatMap((schema, index) =>
  NAMES.map((name) => ({
    name: index === 0 ? name : `${name}_${index}`,
    inputSchema: schema,
    ...(index === 1 ? { outputSchema: schema } : {}),
  })),
);

afterAll(removeTemporaryFolders);

describe('types tools', () => {
  const sources = parseTools(LIST, 'tools.json');

  test('compiles with the examples', async () => {
    const { files } = await renderTools(sources, '/nowhere');
    const named = nameTools(sources.map((source) => parseTool(source, NO_DOCS)));
    const calls = named.map((tool) => {
      const { method, args, isValid } = bestToolExample([tool]);
      expect([tool.model.source.name, isValid]).toEqual([tool.model.source.name, true]);
      return `await all.${method}(${args ?? ''});`;
    });
    const example = {
      path: 'tools/example.ts',
      contents: `import { tools, type ToolClient } from "./client.js";
export async function example(client: ToolClient<object, object>): Promise<void> {
  const all = tools(client);
  ${calls.join('\n  ')}
}
`,
    };
    expect(compileOutput([...files, example]).errors()).toEqual([]);
  });

  test.each(NAMES)('a required member %s gets an example with its name', (name) => {
    const source: ToolSource = {
      name: 'x',
      input: members([name], [name]),
      places: { input: 'x', output: '' },
      isOwn: true,
    };
    const { definitions } = parseTool(source, NO_DOCS);
    const types = new Map(definitions.map((definition) => [definition.name, definition.type]));
    const type = types.get('Input') ?? { kind: 'never' as const };
    const value = exampleOf({ definitions }, type) as JsonObject;
    expect(Object.keys(value)).toEqual([name]);
    expect(value[name]).toBe(`some ${name}`);
    expect(findRejection(types, type, value)).toBeUndefined();
  });
});

test('generate --schema compiles definitions of these names with members of these names', async () => {
  const definitions: Schema = objectFromEntries(
    NAMES.map((name) => [
      name,
      {
        ...members(NAMES, NAMES.slice(0, 5)),
        properties: objectFromEntries(NAMES.map((other) => [other, { $ref: `#/$defs/${other}` }])),
      },
    ]),
  );
  const files = await generated(schemaWith(definitions), catalogWith(), { emit: ['types', 'validators'] });
  expect(compileOutput(files).errors()).toEqual([]);
});

describe('projects', () => {
  let folder = '';
  beforeAll(() => {
    folder = temporaryFolder();
    writeFileSync(path.join(folder, 'tools.json'), JSON.stringify({ tools: LIST }));
    writeFileSync(path.join(folder, 'all.json'), JSON.stringify(SCHEMAS[0]));
    writeFileSync(path.join(folder, 'some.json'), JSON.stringify(SCHEMAS[1]));
  });

  function compile(project: string): void {
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(project, 'node_modules'), 'dir');
    expect(compileProject(project, { noEmit: true })).toEqual([]);
  }

  test('add tool --input writes code that compiles', async () => {
    const args = ['init', 'server', 'demo', '--yes', '--no-install', '--no-git', '-r', '2025-11-25'];
    expect(await mcpgen(args, { cwd: folder })).toMatchObject({ code: 0 });
    const project = path.join(folder, 'demo');
    for (const [name, file] of [
      ['constructor', 'all'],
      ['valueOf', 'some'],
    ] as const) {
      const added = await mcpgen(['add', 'tool', name, '--input', `../${file}.json`], { cwd: project });
      expect(added, added.stderr).toMatchObject({ code: 0, stderr: '' });
    }
    mkdirSync(path.join(project, 'test'), { recursive: true });
    const written = readFileSync(path.join(project, 'test/tools/constructor.test.ts'), 'utf8');
    for (const name of NAMES.filter((one) => one !== '__proto__')) expect(written).toContain(`${name}: "some ${name}"`);
    compile(project);
  });

  test('init client --tools writes code that compiles', async () => {
    const args = ['init', 'client', 'user', '--yes', '--no-install', '--no-git', '--tools', 'tools.json'];
    const made = await mcpgen([...args, '-r', '2025-11-25'], { cwd: folder });
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const project = path.join(folder, 'user');
    expect(readFileSync(path.join(project, 'src/example.ts'), 'utf8')).not.toContain('as never');
    compile(project);
  });
});

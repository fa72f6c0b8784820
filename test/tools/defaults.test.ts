import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, expectTypeOf, test } from 'vitest';
import { readToolFiles, renderTools } from '../../generator/index.js';
import { defineTool, toolHandlers, type TypedSchema } from '../../generated/runtime/registry.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { importOutput } from '../support/import-output.js';
import { compileOutput } from '../support/hostile.js';

afterAll(removeTemporaryFolders);

interface Rendered {
  readonly text: string;
  readonly warnings: readonly string[];
  /** The generated schema, imported. */
  readonly input: () => Promise<TypedSchema<object>>;
}

async function rendered(schema: object | string): Promise<Rendered> {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'x.input.json'), typeof schema === 'string' ? schema : JSON.stringify(schema));
  const { tools } = await readToolFiles(['*.input.json'], folder);
  const { files, warnings } = await renderTools(tools, folder);
  expect(await compileOutput(files).errors()).toEqual([]);
  return {
    text: files.find((file) => file.path === 'tools/x.ts')?.contents ?? '',
    warnings: warnings.map(({ place, message }) => `${place}: ${message}`),
    input: async () => {
      writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
      for (const file of files) {
        mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
        writeFileSync(path.join(folder, file.path), file.contents);
      }
      const module = await importOutput(path.join(folder, 'tools/x.ts'));
      return module['xInput'] as TypedSchema<object>;
    },
  };
}

/** What `run` receives, or the text of the error. */
async function received(input: TypedSchema<object>, args: object, applyDefaults = true): Promise<unknown> {
  let seen: unknown;
  const handlers = toolHandlers([
    defineTool({
      name: 'x',
      input,
      applyDefaults,
      run: (given) => {
        seen = given;
        return '';
      },
    }),
  ]);
  const result = await handlers['tools/call']({ name: 'x', arguments: args }, { revision: '2025-11-25' } as never);
  return result.isError === true ? (result.content[0] as { text: string } | undefined)?.text : seen;
}

const FORECAST = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
    units: { type: 'object', properties: { wind: { type: 'string', enum: ['kmh', 'ms'], default: 'kmh' } } },
    stops: { type: 'array', items: { $ref: '#/$defs/stop' } },
    tags: { type: 'array', items: { type: 'string' }, default: ['a'] },
    options: { $ref: '#/$defs/options', default: {} },
  },
  required: ['city'],
  $defs: {
    stop: { type: 'object', properties: { hours: { type: 'number', default: 1 } } },
    options: { type: 'object', properties: { deep: { type: 'boolean', default: false } }, required: ['deep'] },
  },
} as const;

describe('the defaults of a schema', () => {
  test('are present in the generated type', async () => {
    const { text } = await rendered(FORECAST);
    const code = text.replaceAll(/\/\*\*(?:.|\n)*?\*\//g, '').replaceAll(/\s+/g, ' ');
    expect(code).toContain(
      'export type XInputWithDefaults = { city: string; days: number; options: XInputOptionsWithDefaults; tags: string[]; stops?: XInputStopWithDefaults[]; units?: { wind: "kmh" | "ms"; }; };',
    );
    expect(code).toContain('export type XInputStopWithDefaults = { hours: number; };');
  });

  test('are applied before the arguments are validated', async () => {
    const input = await (await rendered(FORECAST)).input();
    expect(await received(input, { city: 'Graz' })).toEqual({
      city: 'Graz',
      days: 3,
      tags: ['a'],
      options: { deep: false },
    });
    expect(await received(input, { city: 'Graz', units: {}, stops: [{}, { hours: 2 }], options: {}, days: 1 })).toEqual(
      {
        city: 'Graz',
        days: 1,
        units: { wind: 'kmh' },
        stops: [{ hours: 1 }, { hours: 2 }],
        tags: ['a'],
        options: { deep: false },
      },
    );
    expect(await received(input, { city: 'Graz', days: 9 })).toBe(
      'Invalid arguments: /days is wrong (XInput): expected at most 7, found 9',
    );
    expect(await received(input, {})).toBe('Invalid arguments: /city is missing (XInput): expected a string');
    expect(await received(input, { city: 'Graz', units: 'x', stops: 1 })).toContain('Invalid arguments');
  });

  test('are not applied unless the tool asks for it', async () => {
    const input = await (await rendered(FORECAST)).input();
    expect(await received(input, { city: 'Graz' }, false)).toEqual({ city: 'Graz' });
  });

  test('are new for each call, and leave the arguments of the request alone', async () => {
    const input = await (await rendered(FORECAST)).input();
    const args = { city: 'Graz', units: {} };
    const one = (await received(input, args)) as { tags: string[]; options: object };
    const two = (await received(input, args)) as { tags: string[]; options: object };
    expect(one.tags).not.toBe(two.tags);
    expect(one.options).not.toBe(two.options);
    expect(args).toEqual({ city: 'Graz', units: {} });
  });

  test('may be called like members that every object inherits', async () => {
    const schema = `{"type":"object","properties":{
      "__proto__":{"type":"object","properties":{"a":{"type":"integer","default":2}},"default":{"__proto__":{"x":1}}},
      "constructor":{"type":"string","default":"c"}}}`;
    const input = await (await rendered(schema)).input();
    const args = (await received(input, {})) as object;
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect(JSON.stringify(args)).toBe('{"__proto__":{"__proto__":{"x":1},"a":2},"constructor":"c"}');
    const given = JSON.parse('{"__proto__":{},"constructor":"d"}') as object;
    expect(JSON.stringify(await received(input, given))).toBe('{"__proto__":{"a":2},"constructor":"d"}');
  });

  test('that their own schema refuses are warnings, and are not applied', async () => {
    const { warnings, text, input } = await rendered({
      type: 'object',
      properties: {
        days: { type: 'integer', maximum: 7, default: 9 },
        place: { $ref: '#/$defs/place' },
        fine: { type: 'string', default: 'x' },
      },
      $defs: {
        place: { type: 'object', properties: { 'a/b': { type: 'array', items: { type: 'string' }, default: [1] } } },
      },
    });
    expect(warnings).toEqual([
      'x.input.json#/properties/days/default: the default does not match the schema, so it is not applied',
      'x.input.json#/$defs/place/properties/a~1b/default: the default does not match the schema, at /0, so it is not applied',
    ]);
    expect(text).not.toContain('XPlaceWithDefaults');
    expect(await received(await input(), { place: {} })).toEqual({ place: {}, fine: 'x' });
  });

  test('without an end are warnings, and are not applied', async () => {
    const { warnings, text } = await rendered({
      type: 'object',
      properties: { child: { $ref: '#', default: {} } },
    });
    expect(warnings).toEqual([
      'x.input.json#/properties/child/default: the default contains itself, so it is not applied',
    ]);
    expect(text).not.toContain('WithDefaults');
  });

  test('of recursive schemas are applied as deep as the value', async () => {
    const input = await (
      await rendered({
        type: 'object',
        properties: { n: { type: 'integer', default: 1 }, child: { $ref: '#' } },
      })
    ).input();
    expect(await received(input, { child: { n: 5, child: {} } })).toEqual({ n: 1, child: { n: 5, child: { n: 1 } } });
  });

  test('of all parts of a schema are applied', async () => {
    const input = await (
      await rendered({
        type: 'object',
        allOf: [{ properties: { a: { type: 'integer', default: 1 } } }, { $ref: '#/$defs/b' }],
        $defs: { b: { type: 'object', properties: { b: { type: 'integer', default: 2 } } } },
      })
    ).input();
    expect(await received(input, {})).toEqual({ a: 1, b: 2 });
  });

  test('determine the type of the arguments of run', () => {
    const input = {} as TypedSchema<{ city: string; days?: number }, { city: string; days: number }>;
    const make = (): readonly unknown[] => [
      defineTool({
        name: 'a',
        input,
        applyDefaults: true,
        run: (args) => {
          expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
          return '';
        },
      }),
      defineTool({
        name: 'b',
        input,
        run: (args) => {
          expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number }>();
          return '';
        },
      }),
      toolHandlers([defineTool({ name: 'c', input, applyDefaults: true, run: ({ days }) => String(days + 1) })]),
    ];
    expect(make).toBeTypeOf('function');
  });
});

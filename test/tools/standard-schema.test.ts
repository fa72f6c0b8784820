import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { createServer } from '../../generated/2025-11-25/server.js';
import { createClient } from '../../generated/2025-11-25/client.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { defineTool, toolHandlers, type RegisteredTool } from '../../generated/runtime/registry.js';
import { inputSchema, outputSchema, type StandardSchema } from '../../generated/runtime/standard-schema.js';

const context = { revision: '2025-11-25' } as never;

async function called(tool: RegisteredTool, args: object): Promise<object> {
  return toolHandlers([tool])['tools/call']({ name: tool.name, arguments: args }, context);
}

/** The text of the result that a call with these arguments gets. */
async function errorOf(tool: RegisteredTool, args: object): Promise<string | undefined> {
  const result = (await called(tool, args)) as { isError?: boolean; content: { text: string }[] };
  expect(result.isError).toBe(true);
  return result.content[0]?.text;
}

function listed(tool: RegisteredTool): { readonly inputSchema: object; readonly outputSchema?: object } | undefined {
  return toolHandlers([tool])['tools/list']({}).tools[0];
}

/** What `run` received. */
function recorder(): { readonly seen: unknown[]; readonly run: (args: unknown) => string } {
  const seen: unknown[] = [];
  return { seen, run: (args) => String(seen.push(args)) };
}

interface Forecast {
  city: string;
  days: number;
}

const INPUTS = {
  zod: inputSchema(z.object({ city: z.string().min(1), days: z.int().min(1).max(7).default(3) })),
  arktype: inputSchema(type({ city: 'string > 0', days: '1 <= number.integer <= 7 = 3' })),
  valibot: inputSchema(
    toStandardJsonSchema(
      v.object({
        city: v.pipe(v.string(), v.minLength(1)),
        days: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(7)), 3),
      }),
    ),
  ),
};
const WRONG_DAYS = {
  zod: 'Invalid arguments: /days is wrong: Too big: expected number to be <=7',
  arktype: 'Invalid arguments: /days is wrong: days must be at most 7 (was 8)',
  valibot: 'Invalid arguments: /days is wrong: Invalid value: Expected <=7 but received 8',
};
const MISSING_CITY = {
  zod: 'Invalid arguments: /city is missing: Invalid input: expected string, received undefined',
  arktype: 'Invalid arguments: /city is missing: city must be a string (was missing)',
  valibot: 'Invalid arguments: /city is missing: Invalid key: Expected "city" but received undefined',
};

describe.each(['zod', 'arktype', 'valibot'] as const)('an input schema of %s', (vendor) => {
  const { seen, run } = recorder();
  const forecast = defineTool({ name: 'forecast', input: INPUTS[vendor], run });

  test('is listed as JSON Schema 2020-12', () => {
    expect(listed(forecast)?.inputSchema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1, maximum: 7 } },
      required: ['city'],
    });
  });

  test('passes what it returns to `run`, with defaults', async () => {
    await called(forecast, { city: 'Graz' });
    expect(seen).toEqual([{ city: 'Graz', days: 3 }]);
  });

  test('rejects a wrong value with its pointer', async () => {
    expect(await errorOf(forecast, { city: 'Graz', days: 8 })).toBe(WRONG_DAYS[vendor]);
  });

  test('rejects a missing member', async () => {
    expect(await errorOf(forecast, {})).toBe(MISSING_CITY[vendor]);
  });
});

describe('the arguments of `run` have the output type', () => {
  test('of Zod', () => {
    defineTool({
      name: 'x',
      input: inputSchema(z.object({ city: z.string(), days: z.number().default(3), at: z.string().transform(Number) })),
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; at: number }>();
        return '';
      },
    });
  });

  test('of ArkType', () => {
    defineTool({
      name: 'x',
      input: inputSchema(type({ city: 'string', days: 'number = 3' })),
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<Forecast>();
        return '';
      },
    });
  });

  test('of Valibot', () => {
    defineTool({
      name: 'x',
      input: inputSchema(toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 3) }))),
      run: (args) => {
        expectTypeOf(args).toEqualTypeOf<Forecast>();
        return '';
      },
    });
  });
});

describe('an output schema', () => {
  const Output = z.object({ city: z.string(), days: z.number().default(3) });
  const forecast = defineTool({
    name: 'forecast',
    output: outputSchema(Output),
    run: ({ city }: Record<string, unknown>) => ({ structuredContent: { city: city as string, source: 'radar' } }),
  });

  test('requires structured content of its input type', () => {
    const output = outputSchema(Output);
    defineTool({ name: 'x', output, run: () => ({ structuredContent: { city: 'Graz' } }) });
    // @ts-expect-error -- days is a number
    defineTool({ name: 'x', output, run: () => ({ structuredContent: { city: 'Graz', days: '3' } }) });
    // @ts-expect-error -- city is missing
    defineTool({ name: 'x', output, run: () => ({ structuredContent: { days: 3 } }) });
  });

  test('is listed with what it returns', () => {
    expect(listed(forecast)?.outputSchema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'number', default: 3 } },
      required: ['city', 'days'],
      additionalProperties: false,
    });
  });

  test('sends what it returns, without members that it does not have', async () => {
    expect(await called(forecast, { city: 'Graz' })).toEqual({
      structuredContent: { city: 'Graz', days: 3 },
      content: [{ type: 'text', text: '{"city":"Graz","days":3}' }],
    });
  });

  test('rejects wrong structured content', async () => {
    await expect(called(forecast, { city: 7 })).rejects.toThrow(
      'invalid structured content of forecast: /city is wrong: Invalid input: expected string, received number',
    );
  });

  test('does not check a result that failed', async () => {
    const failing = defineTool({ name: 'x', output: outputSchema(Output), run: () => ({ isError: true as const }) });
    expect(await called(failing, {})).toEqual({ content: [], isError: true });
  });
});

describe('validation', () => {
  test('may be asynchronous', async () => {
    const { seen, run } = recorder();
    const input = inputSchema(
      z.object({ city: z.string().refine((city) => Promise.resolve(city === 'Graz'), 'Unknown city') }),
    );
    const tool = defineTool({ name: 'x', input, run });
    expect(await errorOf(tool, { city: 'Rome' })).toBe('Invalid arguments: /city is wrong: Unknown city');
    await called(tool, { city: 'Graz' });
    expect(seen).toEqual([{ city: 'Graz' }]);
  });

  test('reports the value itself if an issue has no path', async () => {
    const input = inputSchema(type({ city: 'string', '+': 'reject' }).narrow((_value, issue) => issue.mustBe('near')));
    expect(await errorOf(defineTool({ name: 'x', input, run: () => '' }), { city: 'Graz' })).toMatch(
      /^Invalid arguments: the value is wrong: must be near/,
    );
  });

  test('escapes names in pointers', async () => {
    const input = inputSchema(z.object({ 'a/b~c': z.array(z.object({ n: z.number() })) }));
    expect(
      await errorOf(defineTool({ name: 'x', input, run: () => '' }), { 'a/b~c': [{ n: 1 }, { n: 'two' }] }),
    ).toMatch(/^Invalid arguments: \/a~1b~0c\/1\/n is wrong: /);
  });

  test('reports five issues, and the number of the others', async () => {
    const input = inputSchema(type({ list: 'number[]' }));
    const text = await errorOf(defineTool({ name: 'x', input, run: () => '' }), { list: Array(7).fill('x') });
    expect(text?.split('; ')).toEqual([
      'Invalid arguments: /list/0 is wrong: list[0] must be a number (was a string)',
      ...[1, 2, 3, 4].map((index) => `/list/${index} is wrong: list[${index}] must be a number (was a string)`),
      '2 more',
    ]);
  });

  test('shortens a message that repeats a long value', async () => {
    const input = inputSchema(toStandardJsonSchema(v.object({ n: v.number() })));
    const text = await errorOf(defineTool({ name: 'x', input, run: () => '' }), { n: 'x'.repeat(100_000) });
    expect(text?.length).toBeLessThan(300);
  });
});

describe('a definition', () => {
  test('makes the JSON Schema once', () => {
    const schema = z.object({ city: z.string() });
    let made = 0;
    const counting: StandardSchema<unknown, { city: string }> = {
      '~standard': {
        ...schema['~standard'],
        jsonSchema: {
          ...schema['~standard'].jsonSchema,
          input: (options) => {
            made += 1;
            return schema['~standard'].jsonSchema.input(options);
          },
        },
      },
    };
    const tool = defineTool({ name: 'x', input: inputSchema(counting), run: () => '' });
    listed(tool);
    listed(tool);
    expect(made).toBe(1);
  });

  test('rejects a schema that is not of an object', () => {
    expect(() => inputSchema(z.array(z.string()))).toThrow(
      'the input schema of zod must be of an object: its JSON Schema has the type "array", instead of "object"',
    );
  });

  test('rejects a schema without a type', () => {
    expect(() => outputSchema(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]))).toThrow(
      'the output schema of zod must be of an object: its JSON Schema has no type, instead of "object"',
    );
  });

  test('rejects a schema that cannot be written as JSON Schema', () => {
    expect(() => outputSchema(z.object({ at: z.date() }))).toThrow(
      /^the output schema of zod has no JSON Schema: Error: Date/,
    );
  });

  test('rejects a schema without JSON Schema, and names what is needed', () => {
    const plain = v.object({ city: v.string() });
    // @ts-expect-error -- Valibot needs toStandardJsonSchema
    expect(() => inputSchema(plain)).toThrow(
      'the input schema of valibot provides no JSON Schema (~standard.jsonSchema): use Zod 4.2 or later, ArkType 2.1.28 or later, or `toStandardJsonSchema` of @valibot/to-json-schema',
    );
  });

  test('rejects what is not a Standard Schema', () => {
    // @ts-expect-error -- not a Standard Schema
    expect(() => inputSchema({ type: 'object' })).toThrow('the input schema of an unknown library provides no JSON');
  });
});

test.each(['input', 'output'])('a tool rejects an %s schema that is not wrapped', (side) => {
  const tool = { name: 'forecast', [side]: z.object({ city: z.string() }), run: () => '' };
  expect(() => toolHandlers([tool as RegisteredTool])).toThrow(
    `tool forecast: pass its ${side} to ${side}Schema of runtime/standard-schema`,
  );
});

test('a client calls a tool with schemas of Zod', async () => {
  const forecast = defineTool({
    name: 'forecast',
    input: inputSchema(z.object({ city: z.string(), days: z.int().default(3) })),
    output: outputSchema(z.object({ text: z.string() })),
    run: ({ city, days }) => ({ structuredContent: { text: `${city}: ${days}` } }),
  });
  const info = { name: 'x', version: '1.0.0' };
  const [here, there] = memoryPair();
  await createServer({ info, handlers: toolHandlers([forecast]) }).connect(there);
  const client = createClient({ info });
  await client.connect(here);
  const result = await client.callTool({ name: 'forecast', arguments: { city: 'Graz' } });
  expect(result.structuredContent).toEqual({ text: 'Graz: 3' });
});

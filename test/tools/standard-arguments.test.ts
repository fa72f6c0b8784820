import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../generated/2025-11-25/client.js';
import { createServer } from '../../generated/2025-11-25/server.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { definePrompt, promptHandlers, type RegisteredPrompt } from '../../generated/runtime/registry.js';
import { argumentsSchema, type StandardSchema } from '../../generated/runtime/standard-schema.js';

const context = { revision: '2025-11-25' } as never;

/** The text of a prompt. */
async function rendered(prompt: RegisteredPrompt, args: Record<string, string>): Promise<string> {
  const { messages } = await promptHandlers([prompt])['prompts/get']({ name: prompt.name, arguments: args }, context);
  const [content] = messages.map((message) => message.content as { readonly text?: string });
  return content?.text ?? '';
}

function listed(prompt: RegisteredPrompt): readonly object[] | undefined {
  return promptHandlers([prompt])['prompts/list']({}).prompts[0]?.arguments;
}

interface Trip {
  city: string;
  days: number;
  style: 'quick' | 'slow';
}

const ARGUMENTS = {
  zod: argumentsSchema(
    z.object({
      city: z.string().min(2).meta({ title: 'City', description: 'Where to go' }),
      days: z.coerce.number().int().max(14),
      style: z.enum(['quick', 'slow']).default('slow'),
    }),
  ),
  arktype: argumentsSchema(
    type({
      city: type('string >= 2').configure({ title: 'City', description: 'Where to go' }),
      days: type('string.integer.parse').to('number <= 14'),
      style: "'quick' | 'slow' = 'slow'",
    }),
  ),
  valibot: argumentsSchema(
    toStandardJsonSchema(
      v.object({
        city: v.pipe(v.string(), v.minLength(2), v.title('City'), v.description('Where to go')),
        days: v.pipe(v.string(), v.toNumber(), v.integer(), v.maxValue(14)),
        style: v.optional(v.picklist(['quick', 'slow']), 'slow'),
      }),
    ),
  ),
};

const TOO_LONG = {
  zod: 'Invalid arguments: /days is wrong: Too big: expected number to be <=14',
  arktype: 'Invalid arguments: /days is wrong: days must be at most 14 (was 15)',
  valibot: 'Invalid arguments: /days is wrong: Invalid value: Expected <=14 but received 15',
};

describe.each(['zod', 'arktype', 'valibot'] as const)('arguments of a prompt by %s', (vendor) => {
  const trip = definePrompt({
    name: 'trip',
    arguments: ARGUMENTS[vendor],
    complete: { city: (typed) => ['Graz', 'Rome'].filter((city) => city.startsWith(typed)) },
    render: (values) => {
      expectTypeOf(values).toExtend<Trip>();
      return JSON.stringify(values);
    },
  });

  test('are listed with title, description and whether they are required', () => {
    const list = [
      { name: 'city', title: 'City', description: 'Where to go', required: true },
      { name: 'days', required: true },
      { name: 'style' },
    ];
    expect(listed(trip)).toEqual(list);
  });

  test('reach `render` after defaults and transforms', async () => {
    expect(JSON.parse(await rendered(trip, { city: 'Graz', days: '3' }))).toEqual({
      city: 'Graz',
      days: 3,
      style: 'slow',
    });
  });

  test('are rejected with the pointer of the wrong one', async () => {
    await expect(rendered(trip, { city: 'Graz', days: '15' })).rejects.toMatchObject({
      code: -32602,
      message: TOO_LONG[vendor],
    });
  });

  test('are rejected if a required one is missing', async () => {
    await expect(rendered(trip, { city: 'Graz' })).rejects.toMatchObject({
      code: -32602,
      message: 'Missing argument: days',
    });
  });

  test('are completed', async () => {
    const info = { name: 'x', version: '1.0.0' };
    const [here, there] = memoryPair();
    await createServer({ info, handlers: promptHandlers([trip]) }).connect(there);
    const client = createClient({ info });
    await client.connect(here);
    const ref = { type: 'ref/prompt' as const, name: 'trip' };
    const { completion } = await client.complete({ ref, argument: { name: 'city', value: 'G' } });
    expect(completion.values).toEqual(['Graz']);
    await client.close();
  });
});

describe('the values of `render` have the output type', () => {
  test('of Zod', () => {
    definePrompt({
      name: 'x',
      arguments: argumentsSchema(z.object({ city: z.string(), days: z.coerce.number(), at: z.string().optional() })),
      render: (values) => {
        expectTypeOf(values).toEqualTypeOf<{ city: string; days: number; at?: string | undefined }>();
        return '';
      },
    });
  });

  test('of ArkType', () => {
    definePrompt({
      name: 'x',
      arguments: argumentsSchema(type({ city: 'string', days: 'string.numeric.parse', 'at?': 'string' })),
      render: (values) => {
        expectTypeOf(values).toEqualTypeOf<{ city: string; days: number; at?: string }>();
        return '';
      },
    });
  });

  test('of Valibot', () => {
    const schema = v.object({ city: v.string(), days: v.pipe(v.string(), v.transform(Number)) });
    definePrompt({
      name: 'x',
      arguments: argumentsSchema(toStandardJsonSchema(schema)),
      render: (values) => {
        expectTypeOf(values).toEqualTypeOf<{ city: string; days: number }>();
        return '';
      },
    });
  });
});

describe('a definition', () => {
  const WRONG = {
    zod: () => z.object({ days: z.int().min(1) }),
    arktype: () => type({ days: 'number.integer >= 1' }),
    valibot: () => toStandardJsonSchema(v.object({ days: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
  };

  test.each(['zod', 'arktype', 'valibot'] as const)('rejects a member of %s that accepts no strings', (vendor) => {
    // @ts-expect-error -- days is a number
    expect(() => argumentsSchema(WRONG[vendor]())).toThrow(
      `the arguments schema of ${vendor}: arguments of prompts are strings, and /days accepts none; its JSON Schema is {`,
    );
  });

  test.each([
    ['a boolean', z.object({ a: z.boolean() })],
    ['a list', z.object({ a: z.array(z.string()) })],
    ['an object', z.object({ a: z.object({}) })],
    ['a number with a maximum', z.object({ a: z.number().max(0) })],
    ['a numeric literal', z.object({ a: z.literal(3) })],
  ])('rejects %s', (_, schema) => {
    expect(() => argumentsSchema(schema as never)).toThrow('and /a accepts none');
  });

  test.each([
    ['a coerced number', z.object({ a: z.coerce.number().min(5) })],
    ['a coerced boolean', z.object({ a: z.coerce.boolean() })],
    ['a string that becomes a boolean', z.object({ a: z.stringbool() })],
    ['a preprocessed number', z.object({ a: z.preprocess(Number, z.number().max(-3)) })],
    ['a union of a string and a number', z.object({ a: z.union([z.string(), z.number()]) })],
  ])('accepts %s', (_, schema) => {
    expect([...argumentsSchema(schema as StandardSchema<object, object>)]).toEqual([{ name: 'a', required: true }]);
  });

  test('accepts a schema without members', () => {
    const empty = [z.object({}), type({}), toStandardJsonSchema(v.object({}))] as const;
    expect(
      [argumentsSchema(empty[0]), argumentsSchema(empty[1]), argumentsSchema(empty[2])].map((list) => [...list]),
    ).toEqual([[], [], []]);
  });

  test('rejects a completer of an unknown argument', () => {
    const prompt = { name: 'x', arguments: ARGUMENTS.zod, complete: { town: () => [] }, render: () => '' };
    expect(() => promptHandlers([prompt as never])).toThrow(
      'prompt x completes "town", which is not one of its arguments',
    );
    definePrompt({
      name: 'x',
      arguments: ARGUMENTS.zod,
      // @ts-expect-error -- there is no such argument
      complete: { town: () => [] },
      render: () => '',
    });
  });

  test('rejects a schema that is not wrapped', () => {
    const prompt = { name: 'trip', arguments: z.object({ city: z.string() }), render: () => '' };
    expect(() => promptHandlers([prompt as never])).toThrow(
      'prompt trip: pass its arguments to argumentsSchema of runtime/standard-schema',
    );
  });
});

test('validation may be asynchronous', async () => {
  const prompt = definePrompt({
    name: 'x',
    arguments: argumentsSchema(
      z.object({ city: z.string().refine((city) => Promise.resolve(city === 'Graz'), 'Unknown city') }),
    ),
    render: ({ city }) => city,
  });
  expect(await rendered(prompt, { city: 'Graz' })).toBe('Graz');
  await expect(rendered(prompt, { city: 'Rome' })).rejects.toThrow('Invalid arguments: /city is wrong: Unknown city');
});

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type * as revision20250618 from '../../generated/2025-06-18/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import * as revision20260728 from '../../generated/2026-07-28/index.js';
import { revision as data20250618 } from '../../generated/2025-06-18/revision.js';
import { revision as data20251125 } from '../../generated/2025-11-25/revision.js';
import { revision as data20260728 } from '../../generated/2026-07-28/revision.js';
import type { Revision } from '../../generated/runtime/index.js';
import { defineTool, toolHandlers } from '../../generated/runtime/registry.js';
import { formSchema, type FormSchema } from '../../generated/runtime/standard-schema.js';
import { Events, TEST_INFO, connectPair, rejectionOf } from './harness.js';

const REVISIONS = [data20250618, data20251125, data20260728];

/** The error of a handler, which its client does not receive. */
function failureIn({ all }: Events): Error | undefined {
  return all.flatMap((event) => ('error' in event && event.error instanceof Error ? [event.error] : []))[0];
}

/** The forms that a client receives in a revision, and what the handler of the server receives. */
async function ask<Content extends object>(
  revision: Revision,
  requestedSchema: FormSchema<Content>,
  answer: revision20260728.ElicitResult,
): Promise<{ readonly sent: unknown; readonly seen: unknown; readonly error: Error | undefined }> {
  let sent: unknown;
  let seen: unknown;
  const tool = defineTool({
    name: 'ask',
    run: async (_args, context: revision20260728.ServerContext) => {
      const { form } = await context.requireInput({
        form: { method: 'elicitation/create', params: { message: 'Who comes?', requestedSchema } },
      });
      seen = form;
      return 'done';
    },
  });
  const events = new Events();
  const server = revision20260728.createServer({
    info: TEST_INFO,
    revisions: REVISIONS,
    onEvent: events.onEvent,
    handlers: toolHandlers([tool]),
  });
  const client = revision20260728.createClient({
    info: TEST_INFO,
    revisions: [revision],
    handlers: {
      'elicitation/create': (params) => {
        // What the revision does not allow, its own validator would have rejected.
        sent = 'requestedSchema' in params ? params.requestedSchema : undefined;
        return answer;
      },
    },
  });
  await connectPair(server, client);
  try {
    await client.callTool({ name: 'ask' });
    return { sent, seen, error: undefined };
  } catch (error) {
    return { sent, seen, error: failureIn(events) ?? (error as Error) };
  } finally {
    await client.close();
  }
}

const FORMS = {
  zod: formSchema(
    z.object({
      guests: z.int().min(1).max(8),
      size: z.enum(['m', 's']),
      outside: z.boolean().default(false),
      email: z.email().optional(),
    }),
  ),
  arktype: formSchema(
    type({
      guests: '1 <= number.integer <= 8',
      size: "'m' | 's'",
      outside: 'boolean = false',
      'email?': 'string.email',
    }),
  ),
  valibot: formSchema(
    toStandardJsonSchema(
      v.object({
        guests: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(8)),
        size: v.picklist(['m', 's']),
        outside: v.optional(v.boolean(), false),
        email: v.optional(v.pipe(v.string(), v.email())),
      }),
    ),
  ),
};

const TOO_MANY = {
  zod: '/content/guests is wrong: Too big: expected number to be <=8',
  arktype: '/content/guests is wrong: guests must be at most 8 (was 9)',
  valibot: '/content/guests is wrong: Invalid value: Expected <=8 but received 9',
};

const REQUIRED = {
  guests: { type: 'integer', minimum: 1, maximum: 8 },
  size: { type: 'string', enum: ['m', 's'] },
  email: { type: 'string', format: 'email' },
};

describe.each(['zod', 'arktype', 'valibot'] as const)('a form by %s', (vendor) => {
  describe.each(REVISIONS)('in $version', (revision) => {
    test('is sent as the fields that forms may have', async () => {
      const { sent } = await ask(revision, FORMS[vendor], { action: 'decline' });
      expect(sent).toMatchObject({
        type: 'object',
        properties: REQUIRED,
        required: expect.arrayContaining(['guests', 'size']) as string[],
      });
      expect(Object.keys(sent as object).sort()).toEqual(['properties', 'required', 'type']);
      // ArkType does not write the default of a boolean.
      const { outside, ...others } = (sent as { properties: { outside: object } }).properties;
      expect(outside).toMatchObject({ type: 'boolean' });
      expect(others).toEqual(REQUIRED);
    });

    test('has the content that the schema returns, with defaults', async () => {
      const { seen } = await ask(revision, FORMS[vendor], { action: 'accept', content: { guests: 2, size: 'm' } });
      expect(seen).toEqual({ action: 'accept', content: { guests: 2, size: 'm', outside: false } });
    });

    test('rejects wrong content with its pointer', async () => {
      const content = { guests: 9, size: 'm' };
      const { seen, error } = await ask(revision, FORMS[vendor], { action: 'accept', content });
      expect(seen).toBeUndefined();
      expect(error?.message).toBe(
        revision === data20260728
          ? `Invalid params: /inputResponses/form${TOO_MANY[vendor]}`
          : `the client's result of elicitation/create is wrong: ${TOO_MANY[vendor]}`,
      );
    });

    test('rejects an answer without content', async () => {
      const { error } = await ask(revision, FORMS[vendor], { action: 'accept' });
      expect(error?.message).toContain('/content/guests is missing: ');
    });

    test('needs no content if the user declines', async () => {
      const { seen } = await ask(revision, FORMS[vendor], { action: 'decline' });
      expect(seen).toEqual({ action: 'decline' });
    });
  });
});

test('the error of wrong content has the pointer of the first issue as data', async () => {
  const { error } = await ask(data20260728, FORMS.zod, { action: 'accept', content: { guests: 9 } });
  expect(error).toMatchObject({ code: -32602, data: { path: '/inputResponses/form/content/guests' } });
});

const CHOICES = {
  zod: formSchema(
    z.object({
      color: z.union([z.literal('#f00').meta({ title: 'Red' }), z.literal('#0f0').meta({ title: 'Green' })]),
      days: z
        .array(z.enum(['mon', 'tue']))
        .min(1)
        .max(2),
    }),
  ),
  arktype: formSchema(
    type({
      color: type("'#f00'")
        .configure({ title: 'Red' })
        .or(type("'#0f0'").configure({ title: 'Green' })),
      days: "1 <= ('mon' | 'tue')[] <= 2",
    }),
  ),
  valibot: formSchema(
    toStandardJsonSchema(
      v.object({
        color: v.union([v.pipe(v.literal('#f00'), v.title('Red')), v.pipe(v.literal('#0f0'), v.title('Green'))]),
        days: v.pipe(v.array(v.picklist(['mon', 'tue'])), v.minLength(1), v.maxLength(2)),
      }),
    ),
  ),
};

describe.each(['zod', 'arktype', 'valibot'] as const)('choices by %s', (vendor) => {
  test('have titles and lists from 2025-11-25 on', async () => {
    const { sent } = await ask(data20251125, CHOICES[vendor], { action: 'decline' });
    expect(sent).toEqual({
      type: 'object',
      properties: {
        color: {
          type: 'string',
          oneOf: expect.arrayContaining([
            { const: '#f00', title: 'Red' },
            { const: '#0f0', title: 'Green' },
          ]) as object[],
        },
        days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] }, minItems: 1, maxItems: 2 },
      },
      required: ['color', 'days'],
    });
  });

  test('cannot be lists in 2025-06-18', async () => {
    const { sent, error } = await ask(data20250618, CHOICES[vendor], { action: 'decline' });
    expect(sent).toBeUndefined();
    expect(error?.message).toBe(
      `the form schema of ${vendor}: the field /days is a list, which forms may have from 2025-11-25 on`,
    );
  });
});

test('titles of choices are in `enumNames` in 2025-06-18, which has defaults of booleans only', async () => {
  const form = formSchema(
    z.object({
      color: z.union([z.literal('#f00').meta({ title: 'Red' }), z.literal('#0f0')]),
      name: z.string().default('Ann'),
      outside: z.boolean().default(true),
    }),
  );
  const { sent } = await ask(data20250618, form, { action: 'decline' });
  expect(sent).toEqual({
    type: 'object',
    properties: {
      color: { type: 'string', enum: ['#f00', '#0f0'], enumNames: ['Red', '#0f0'] },
      name: { type: 'string' },
      outside: { type: 'boolean', default: true },
    },
    required: ['color'],
  });
});

describe('a definition', () => {
  const WRONG = {
    zod: z.object({ address: z.object({ city: z.string() }) }),
    arktype: type({ address: { city: 'string' } }),
    valibot: toStandardJsonSchema(v.object({ address: v.object({ city: v.string() }) })),
  };

  test.each(['zod', 'arktype', 'valibot'] as const)('rejects a nested object of %s', (vendor) => {
    expect(() => formSchema<object>(WRONG[vendor])).toThrow(
      `the form schema of ${vendor}: the field /address must be a string, a number, a boolean, a choice of strings, or a list of such choices; its JSON Schema is {"`,
    );
  });

  test.each([
    ['a list of strings', z.object({ a: z.array(z.string()) })],
    ['a nullable string', z.object({ a: z.string().nullable() })],
    ['a choice of numbers', z.object({ a: z.literal([1, 2]) })],
    ['a choice of strings and numbers', z.object({ a: z.literal(['1', 2]) })],
    ['a string or a number', z.object({ a: z.union([z.string(), z.number()]) })],
    ['a tuple', z.object({ a: z.tuple([z.string()]) })],
    ['any value', z.object({ a: z.unknown() })],
  ])('rejects %s', (_, schema) => {
    expect(() => formSchema<object>(schema)).toThrow('the field /a must be a string, ');
  });

  test('rejects a schema that is not of an object', () => {
    expect(() => formSchema<object>(z.array(z.string()))).toThrow(
      'the form schema of zod must be of an object: its JSON Schema has the type "array", instead of "object"',
    );
  });

  test('does not send what forms lack', () => {
    const form = formSchema(
      z.object({
        a: z.int(),
        b: z.number().positive(),
        c: z.uuid(),
        d: z.string().regex(/x/).max(3),
        e: z.literal('e'),
      }),
    );
    expect(JSON.parse(JSON.stringify(form))).toEqual({
      type: 'object',
      properties: {
        a: { type: 'integer' },
        b: { type: 'number' },
        c: { type: 'string' },
        d: { type: 'string', maxLength: 3 },
        e: { type: 'string', enum: ['e'] },
      },
      required: ['a', 'b', 'c', 'd', 'e'],
    });
  });

  test('follows a schema with a name', () => {
    const Size = z.enum(['s', 'm']).meta({ id: 'Size', title: 'Size' });
    const form = formSchema(z.object({ first: Size, second: Size }));
    const size = { type: 'string', title: 'Size', enum: ['s', 'm'] };
    expect(form.properties).toEqual({ first: size, second: size });
  });
});

test.each(['requireInput', 'elicitation'] as const)('context.%s rejects a schema that is not wrapped', async (how) => {
  const events = new Events();
  const params = { message: 'Who?', requestedSchema: z.object({ a: z.string() }) as never };
  const server = revision20251125.createServer({
    info: TEST_INFO,
    onEvent: events.onEvent,
    handlers: {
      'tools/call': async (_params, context) => {
        if (how === 'elicitation') await context.elicitation(params);
        else await context.requireInput({ form: { method: 'elicitation/create', params } });
        return { content: [] };
      },
    },
  });
  const client = revision20251125.createClient({
    info: TEST_INFO,
    handlers: { 'elicitation/create': () => ({ action: 'decline' }) },
  });
  await connectPair(server, client);
  await rejectionOf(client.callTool({ name: 'x' }));
  expect(failureIn(events)?.message).toBe('pass the requestedSchema to formSchema of runtime/standard-schema');
  await client.close();
});

/** The compiler is the judge: `tsc` fails where a type is not what the test says. */
function compiles(_: () => unknown): void {
  // Nothing runs.
}

declare const first: revision20250618.ServerContext;
declare const stateful: revision20251125.ServerContext;
declare const stateless: revision20260728.ServerContext;

describe('content has the output type', () => {
  test('of Zod, ArkType and Valibot', () => {
    interface Form {
      guests: number;
      size: 's' | 'm';
      outside: boolean;
    }
    compiles(async () => {
      const params = { message: '', requestedSchema: FORMS.zod };
      const { form } = await stateless.requireInput({ form: { method: 'elicitation/create', params } });
      if (form.action === 'accept')
        expectTypeOf(form.content).toEqualTypeOf<{
          guests: number;
          size: 's' | 'm';
          outside: boolean;
          email?: string | undefined;
        }>();
      else expectTypeOf(form.content).toEqualTypeOf<undefined>();
      const one = await stateful.elicitation({ message: '', requestedSchema: FORMS.arktype });
      if (one.action === 'accept') expectTypeOf(one.content).toExtend<Form>();
      const two = await first.elicitation({ message: '', requestedSchema: FORMS.valibot });
      if (two.action === 'accept') expectTypeOf(two.content).toExtend<Form>();
    });
  });

  test('of a schema written in place', () => {
    compiles(async () => {
      const { form } = await stateful.requireInput({
        form: {
          method: 'elicitation/create',
          params: {
            message: '',
            requestedSchema: formSchema(z.object({ at: z.iso.date().transform((text) => new Date(text)) })),
          },
        },
      });
      if (form.action === 'accept') expectTypeOf(form.content).toEqualTypeOf<{ at: Date }>();
    });
  });
});

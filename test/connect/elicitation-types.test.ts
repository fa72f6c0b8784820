/* eslint-disable @typescript-eslint/no-unused-expressions -- What must not compile has no type to check. */
import { describe, expectTypeOf, test } from 'vitest';
import type * as First from '../../generated/2025-06-18/index.js';
import type * as Stateful from '../../generated/2025-11-25/index.js';
import type * as Stateless from '../../generated/2026-07-28/index.js';
import type { DefinitionContext } from '../../generated/runtime/registry.js';
import type { ElicitedContent } from '../../generated/runtime/server/elicitation.js';

/** The compiler is the judge: `tsc` fails where a type is not what the test says. */
function compiles(_: () => unknown): void {
  // Nothing runs.
}

declare const stateful: Stateful.ServerContext;
declare const stateless: Stateless.ServerContext;
declare const first: First.ServerContext;
declare const plain: DefinitionContext;

describe('elicited content', () => {
  test('has required and optional members of primitive types', () => {
    compiles(async () => {
      const { form } = await stateless.requireInput({
        form: {
          method: 'elicitation/create',
          params: {
            message: 'Who comes?',
            requestedSchema: {
              type: 'object',
              properties: {
                name: { type: 'string' },
                guests: { type: 'integer' },
                tip: { type: 'number' },
                outside: { type: 'boolean' },
              },
              required: ['name', 'guests'],
            },
          },
        },
      });
      if (form.action !== 'accept') {
        expectTypeOf(form.action).toEqualTypeOf<'cancel' | 'decline'>();
        expectTypeOf(form.content).toEqualTypeOf<undefined>();
        return;
      }
      expectTypeOf(form.content).toEqualTypeOf<{ name: string; guests: number; tip?: number; outside?: boolean }>();
      // @ts-expect-error no such field
      form.content.nobody;
    });
  });

  test('has the choices of enums and titled enums', () => {
    compiles(async () => {
      const { form } = await stateful.requireInput({
        form: {
          method: 'elicitation/create',
          params: {
            message: 'What?',
            requestedSchema: {
              type: 'object',
              properties: {
                size: { type: 'string', enum: ['s', 'm'] },
                color: {
                  type: 'string',
                  oneOf: [
                    { const: '#f00', title: 'Red' },
                    { const: '#0f0', title: 'Green' },
                  ],
                },
                days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] } },
                extras: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
                old: { type: 'string', enum: ['a'], enumNames: ['A'] },
              },
              required: ['size', 'color', 'days', 'extras', 'old'],
            },
          },
        },
      });
      if (form.action === 'accept')
        expectTypeOf(form.content).toEqualTypeOf<{
          size: 's' | 'm';
          color: '#f00' | '#0f0';
          days: ('mon' | 'tue')[];
          extras: 'x'[];
          old: 'a';
        }>();
    });
  });

  test('has optional members for fields that are not required, with or without a default', () => {
    compiles(async () => {
      const answer = await stateful.elicitation({
        message: 'Who?',
        requestedSchema: {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'Ann' },
            guests: { type: 'integer', default: 2 },
            size: { type: 'string', enum: ['s', 'm'], default: 's' },
            days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] }, default: ['mon'] },
          },
          required: ['guests'],
        },
      });
      if (answer.action === 'accept')
        expectTypeOf(answer.content).toEqualTypeOf<{
          name?: string;
          guests: number;
          size?: 's' | 'm';
          days?: ('mon' | 'tue')[];
        }>();
    });
  });

  test('is typed by context.elicitation too', () => {
    compiles(async () => {
      const one = await stateful.elicitation({
        message: 'How many?',
        requestedSchema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
      });
      if (one.action === 'accept') expectTypeOf(one.content).toEqualTypeOf<{ count: number }>();
      const two = await first.elicitation({
        message: 'Who?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      });
      if (two.action === 'accept') expectTypeOf(two.content).toEqualTypeOf<{ name?: string }>();
    });
  });

  test('of a schema that is not a literal has the type of the protocol', () => {
    compiles(async () => {
      const params = {} as Stateless.ElicitRequestFormParams;
      const { form } = await stateless.requireInput({ form: { method: 'elicitation/create', params } });
      expectTypeOf(form).toEqualTypeOf<Stateless.ElicitResult>();
      expectTypeOf<ElicitedContent<{ properties: { a: { type: 'string' } }; required: string[] }>>().toEqualTypeOf<{
        a?: string;
      }>();
    });
  });

  test('is typed by a constant', () => {
    const form = {
      method: 'elicitation/create',
      params: {
        message: 'What?',
        requestedSchema: {
          type: 'object',
          properties: { size: { type: 'string', enum: ['s', 'm'] } },
          required: ['size'],
        },
      },
    } as const;
    compiles(async () => {
      const answers = await stateless.requireInput({ form });
      if (answers.form.action === 'accept') expectTypeOf(answers.form.content).toEqualTypeOf<{ size: 's' | 'm' }>();
      const answer = await stateful.elicitation(form.params);
      if (answer.action === 'accept') expectTypeOf(answer.content).toEqualTypeOf<{ size: 's' | 'm' }>();
    });
  });

  test('of a visit to a URL has the type of the protocol', () => {
    compiles(async () => {
      const { visit } = await stateless.requireInput({
        visit: { method: 'elicitation/create', params: { mode: 'url', message: '', url: 'https://a.example' } },
      });
      expectTypeOf(visit).toEqualTypeOf<Stateless.ElicitResult>();
    });
  });

  test('next to other answers leaves them typed by their methods', () => {
    compiles(async () => {
      const answers = await stateful.requireInput({ a: { method: 'roots/list' } });
      expectTypeOf(answers).toEqualTypeOf<{ a: Stateful.ListRootsResult }>();
    });
  });
});

describe('the capabilities of a client', () => {
  test('have the types of the revision whose context it is', () => {
    compiles(() => {
      const { capabilities } = stateless.client;
      expectTypeOf(capabilities).toExtend<Stateless.ClientCapabilities>();
      expectTypeOf(capabilities.extensions?.['x']).toExtend<Stateless.JSONObject | undefined>();
      expectTypeOf(stateful.client.capabilities).toExtend<Stateful.ClientCapabilities>();
      expectTypeOf(first.client.capabilities).toExtend<First.ClientCapabilities>();
    });
  });

  test('have the members of other revisions, which the server may speak too', () => {
    compiles(() => stateless.client.capabilities.tasks);
    compiles(() => first.client.capabilities.elicitation?.url);
    // @ts-expect-error no such capability
    compiles(() => stateless.client.capabilities.elicitaton);
  });

  test('are those of all revisions in a plain definition', () => {
    compiles(() => plain.client.capabilities.elicitation?.url ?? plain.client.capabilities.tasks);
    // @ts-expect-error no such capability
    compiles(() => plain.client.capabilities.elicitaton);
  });

  test('fit a plain definition in each revision', () => {
    compiles((): readonly DefinitionContext[] => [stateful, stateless, first]);
  });
});

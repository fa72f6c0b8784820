import { describe, expect, expectTypeOf, test } from 'vitest';
import { revision as data20251125 } from '../../generated/2025-11-25/revision.js';
import type { ElicitRequestFormParams, ElicitResult } from '../../generated/2026-07-28/index.js';
import { revision as data20260728 } from '../../generated/2026-07-28/revision.js';
import type { Revision } from '../../generated/runtime/index.js';
import {
  Events,
  TEST_INFO,
  connectPair,
  connectRawClient,
  rejectionOf,
  revision20251125,
  revision20260728,
  statelessMeta,
  textResult,
} from './harness.js';

const form: { method: 'elicitation/create'; params: ElicitRequestFormParams } = {
  method: 'elicitation/create',
  params: {
    message: 'Who comes?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2, maxLength: 5 },
        guests: { type: 'integer', minimum: 1, maximum: 8 },
        tip: { type: 'number' },
        outside: { type: 'boolean' },
        size: { type: 'string', enum: ['s', 'm'] },
        color: { type: 'string', oneOf: [{ const: '#f00', title: 'Red' }] },
        days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] }, minItems: 1, maxItems: 2 },
        extras: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
        constructor: { type: 'string' as const },
      },
      required: ['name'],
    },
  },
};

interface AskingContext {
  requireInput(requests: { answer: typeof form }): Promise<{ answer: object }>;
}

const ask = async (_: object, context: AskingContext) => {
  const { answer } = await context.requireInput({ answer: form });
  return textResult(JSON.stringify(answer));
};

/** What the handler receives, or the error of the call, in 2026-07-28. */
async function answerStateless(answer: object): Promise<unknown> {
  const server = revision20260728.createServer({ info: TEST_INFO, handlers: { 'tools/call': ask } });
  const { raw } = await connectRawClient(server);
  const call = (id: number, more: object) =>
    raw.request({
      id,
      method: 'tools/call',
      params: { name: 'x', _meta: statelessMeta({ elicitation: {} }), ...more },
    });
  const first = await call(1, {});
  const { requestState } = first.result as { requestState: string };
  const { result, error } = await call(2, { requestState, inputResponses: { answer } });
  if (error !== undefined) return error;
  const [{ text }] = (result as { content: [{ text: string }] }).content;
  return JSON.parse(text) as unknown;
}

describe('case-120: the answer to a form that requires an integer', () => {
  const params = {
    message: 'How old are you?',
    requestedSchema: { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] },
  } as const;

  /** What the handler receives, or the error of the call. */
  async function answered(version: Revision, answer: ElicitResult): Promise<unknown> {
    let seen: unknown;
    const server = revision20260728.createServer({
      info: TEST_INFO,
      revisions: [version],
      handlers: {
        'tools/call': async (_, context) => {
          const { form: age } = await context.requireInput({ form: { method: 'elicitation/create', params } });
          if (age.action === 'accept') expectTypeOf(age.content).toEqualTypeOf<{ age: number }>();
          seen = age;
          return textResult('done');
        },
      },
    });
    const client = revision20260728.createClient({
      info: TEST_INFO,
      revisions: [version],
      handlers: { 'elicitation/create': () => answer },
    });
    await connectPair(server, client);
    const error = await client.callTool({ name: 'x' }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    await client.close();
    return error ?? seen;
  }

  describe.each([data20251125, data20260728])('in $version', (version) => {
    test.each([
      [{ age: 'x' }, 'is wrong: expected an integer, found "x"'],
      [{}, 'is missing: expected an integer'],
      [undefined, 'is missing: expected an integer'],
    ])('with the content %j is an error that says where', async (content, text) => {
      const outcome = await answered(version, { action: 'accept', ...(content === undefined ? {} : { content }) });
      expect(outcome).toMatchObject({ message: expect.stringContaining(`/content/age ${text}`) as string });
    });

    test.each(['decline', 'cancel'] as const)('%s reaches the handler without content', async (action) => {
      expect(await answered(version, { action })).toEqual({ action });
    });
  });
});

describe('the content of a form', () => {
  const all = {
    name: 'Ann',
    guests: 8,
    tip: 0.5,
    outside: false,
    size: 'm',
    color: '#f00',
    days: ['mon', 'tue'],
    extras: [],
    constructor: 'x',
  };

  test('reaches the handler if it matches the requested schema', async () => {
    expect(await answerStateless({ action: 'accept', content: all })).toEqual({ action: 'accept', content: all });
  });

  test.each([
    [{}, '/name', 'missing'],
    [undefined, '/name', 'missing'],
    [{ name: 'A' }, '/name', 'a length of at least 2'],
    [{ name: 'Annabel' }, '/name', 'a length of at most 5'],
    [{ name: 'Ann', guests: '4' }, '/guests', 'an integer'],
    [{ name: 'Ann', guests: 1.5 }, '/guests', 'an integer'],
    [{ name: 'Ann', guests: 0 }, '/guests', 'at least 1'],
    [{ name: 'Ann', guests: 9 }, '/guests', 'at most 8'],
    [{ name: 'Ann', tip: 'much' }, '/tip', 'a number'],
    [{ name: 'Ann', outside: 'yes' }, '/outside', 'a boolean'],
    [{ name: 'Ann', size: 'l' }, '/size', '"s" or "m"'],
    [{ name: 'Ann', color: 'Red' }, '/color', '"#f00"'],
    [{ name: 'Ann', days: ['mon', 'wed'] }, '/days/1', '"mon" or "tue"'],
    [{ name: 'Ann', days: [] }, '/days', 'a length of at least 1'],
    [{ name: 'Ann', days: ['mon', 'mon', 'mon'] }, '/days', 'a length of at most 2'],
    [{ name: 'Ann', extras: ['y'] }, '/extras/0', '"x"'],
    [{ name: 'Ann', constructor: 1 }, '/constructor', 'a string'],
  ])('%j is refused at %s: %s', async (content, path, reason) => {
    const answer = { action: 'accept', ...(content === undefined ? {} : { content }) };
    const error = (await answerStateless(answer)) as { code: number; message: string; data: object };
    expect(error).toMatchObject({ code: -32602, data: { path: `/inputResponses/answer/content${path}` } });
    expect(error.message).toContain(reason);
  });

  test('is not checked if the user declined', async () => {
    expect(await answerStateless({ action: 'decline', content: { guests: 'x' } })).toMatchObject({
      action: 'decline',
    });
  });

  test('is empty if nothing is required and the client sends none', async () => {
    const client = revision20251125.createClient({
      info: TEST_INFO,
      handlers: { 'elicitation/create': () => ({ action: 'accept' }) },
    });
    const server = revision20251125.createServer({
      info: TEST_INFO,
      handlers: {
        'tools/call': async (_, context) => {
          const answer = await context.elicitation({
            message: 'Who?',
            requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
          });
          return textResult(answer.action === 'accept' ? `hello ${String(answer.content.name)}` : 'no');
        },
      },
    });
    await connectPair(server, client);
    expect((await client.callTool({ name: 'x' })).content).toEqual(textResult('hello undefined').content);
    await client.close();
  });

  test.each(['requireInput', 'elicitation'] as const)(
    'rejects the call of context.%s up to 2025-11-25 if it is wrong',
    async (how) => {
      const events = new Events();
      const client = revision20251125.createClient({
        info: TEST_INFO,
        handlers: { 'elicitation/create': () => ({ action: 'accept', content: { name: 'Ann', guests: 'four' } }) },
      });
      const server = revision20251125.createServer({
        info: TEST_INFO,
        onEvent: events.onEvent,
        handlers: {
          'tools/call': async (params, context) =>
            how === 'requireInput' ? ask(params, context) : textResult((await context.elicitation(form.params)).action),
        },
      });
      await connectPair(server, client);
      const error = await rejectionOf(client.callTool({ name: 'x' }));
      expect(error.message).toBe(
        'the client\'s result of elicitation/create is wrong: /content/guests is wrong: expected an integer, found "four"',
      );
      await client.close();
    },
  );
});

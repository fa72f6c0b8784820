import { sValidator } from '@hono/standard-validator';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { initTRPC } from '@trpc/server';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import {
  validateCallToolRequestParams,
  validateTool,
  type CallToolRequestParams,
  type Tool,
} from '../../generated/2025-11-25/index.js';

const tool: Tool = { name: 'add', inputSchema: { type: 'object' } };

/** The compiler says whether a validator is a Standard Schema of its type. */
const standard: StandardSchemaV1<Tool> = validateTool;

describe('a validator is a Standard Schema', () => {
  test('by its own form', () => {
    const { version, vendor, validate } = standard['~standard'];
    expect([version, vendor]).toEqual([1, 'mcpgen']);
    expect(validate(tool)).toEqual({ value: tool });
    expect(validate({ name: 'add', inputSchema: { type: 'array' } })).toEqual({
      issues: [
        {
          message: '/inputSchema/type is wrong (Tool): expected "object", found "array"',
          path: ['inputSchema', 'type'],
        },
      ],
    });
  });

  test('for Hono', async () => {
    const app = new Hono().post('/tools', sValidator('json', validateTool), (context) => {
      const body: Tool = context.req.valid('json');
      return context.json({ name: body.name });
    });
    const post = (body: unknown): Promise<Response> =>
      Promise.resolve(
        app.request('/tools', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
    const right = await post(tool);
    expect([right.status, await right.json()]).toEqual([200, { name: 'add' }]);
    const wrong = await post({ name: 5 });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('/name is wrong (Tool)');
  });

  test('for tRPC', async () => {
    const t = initTRPC.create();
    const router = t.router({
      runTool: t.procedure.input(validateCallToolRequestParams).mutation(({ input }) => {
        const params: CallToolRequestParams = input;
        return params.name;
      }),
    });
    const caller = t.createCallerFactory(router)({});
    expect(await caller.runTool({ name: 'add' })).toBe('add');
    await expect(caller.runTool({ name: 5 } as unknown as CallToolRequestParams)).rejects.toThrow('/name is wrong');
  });
});

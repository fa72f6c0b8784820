import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import * as revision20241105 from '../../generated/2024-11-05/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import * as revision20250618 from '../../generated/2025-06-18/index.js';
import * as revision20250326 from '../../generated/2025-03-26/index.js';
import * as revision20260728 from '../../generated/2026-07-28/index.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { requireReferenceMaterial, officialExamples } from '../support/reference-material.js';
import { checksOf, validatorsOf } from '../support/validators.js';

function failureOf(outcome: revision20251125.Validation<unknown>): revision20251125.Failure {
  if (outcome.success) throw new Error('the value is valid');
  return outcome.failure;
}

describe('a failure', () => {
  test('case-041: names the branch of the discriminator', () => {
    const failure = failureOf(revision20251125.validateCallToolResult({ content: [{ type: 'text', txt: 'a' }] }));
    expect(failure).toEqual({
      path: '/content/0/text',
      reason: 'missing',
      expected: 'a string',
      found: 'nothing',
      definition: 'TextContent',
    });
    expect(revision20251125.describeFailure(failure)).toBe(
      '/content/0/text is missing (TextContent): expected a string',
    );
  });

  test('of an unknown discriminator names those that are known', () => {
    expect(failureOf(revision20251125.validateContentBlock({ type: 'video' }))).toMatchObject({
      path: '/type',
      expected: '"text", "image", "audio", "resource_link" or "resource"',
      found: '"video"',
    });
  });

  test('without a discriminator is that of the branch which got furthest', () => {
    const resource = { uri: 'a', text: 5 };
    expect(failureOf(revision20251125.validateEmbeddedResource({ type: 'resource', resource }))).toMatchObject({
      path: '/resource/text',
      definition: 'TextResourceContents',
    });
    expect(
      failureOf(revision20251125.validateEmbeddedResource({ type: 'resource', resource: { uri: 'a', blob: 5 } })),
    ).toMatchObject({
      path: '/resource/blob',
      definition: 'BlobResourceContents',
    });
  });

  test('never holds more than a glimpse of what was found', () => {
    const huge = 'x'.repeat(5_000_000);
    const failure = failureOf(revision20251125.validateTool({ name: 't', inputSchema: { type: huge } }));
    expect(failure.path).toBe('/inputSchema/type');
    expect(revision20251125.describeFailure(failure).length).toBeLessThan(300);
    const key = failureOf(revision20251125.validateGetPromptRequestParams({ name: 'p', arguments: { [huge]: 5 } }));
    expect(key.path.length).toBeLessThan(300);
  });

  test('escapes names in its pointer', () => {
    const failure = failureOf(
      revision20251125.validateGetPromptRequestParams({ name: 'p', arguments: { 'a/b~c': 5 } }),
    );
    expect(failure.path).toBe('/arguments/a~1b~0c');
  });

  test('is reported for frozen and null-prototype values', () => {
    const value = Object.freeze({ content: Object.freeze([Object.freeze({ type: 'text' })]) });
    expect(failureOf(revision20251125.validateCallToolResult(value)).path).toBe('/content/0/text');
    const bare: unknown = Object.assign(Object.create(null), { name: 5 });
    expect(failureOf(revision20251125.validateTool(bare)).path).toBe('/name');
  });

  test('rejects a value with excessive nesting', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    expect(revision20260728.isJSONValue(deep)).toBe(false);
    expect(failureOf(revision20260728.validateJSONValue(deep)).expected).toContain('levels of nesting');
    expect(revision20260728.isJSONValue([[[1]]])).toBe(true);
  });

  test('ignores inherited members', () => {
    const inherited: unknown = Object.create({ bad: 5 });
    expect(revision20251125.isGetPromptRequestParams({ name: 'p', arguments: inherited })).toBe(true);
    expect(revision20251125.validateGetPromptRequestParams({ name: 'p', arguments: inherited }).success).toBe(true);
    expect(
      failureOf(
        revision20251125.validateGetPromptRequestParams({
          name: 'p',
          arguments: Object.assign(Object.create({ bad: 5 }) as object, { worse: 6 }),
        }),
      ).path,
    ).toBe('/arguments/worse');
  });

  test('an assertion throws it', () => {
    expect(() => {
      revision20251125.assertTool({ name: 1 });
    }).toThrow(revision20251125.ValidationError);
    expect(() => {
      revision20251125.assertTool({ name: 1 });
    }).toThrow('/name is wrong (Tool): expected a string, found 1');
    revision20251125.assertTool({ name: 't', inputSchema: { type: 'object' } });
  });

  test('values that no JSON has do not throw', () => {
    for (const value of [undefined, null, NaN, Symbol('x'), () => 1, 5n, new Date(), new Map(), new Proxy({}, {})]) {
      expect(revision20251125.isCallToolRequest(value)).toBe(false);
      expect(revision20251125.validateCallToolRequest(value).success).toBe(false);
    }
  });
});

describe('by method', () => {
  test('params', () => {
    expect(revision20251125.validateParams('tools/call', { name: 'x' }).success).toBe(true);
    expect(failureOf(revision20251125.validateParams('tools/call', { name: 5 })).path).toBe('/name');
    expect(failureOf(revision20251125.validateParams('tools/call', undefined))).toMatchObject({
      path: '',
      expected: 'an object',
    });
    expect(revision20251125.validateParams('tools/list', undefined).success).toBe(true);
    expect(revision20241105.validateParams('tools/call', { name: 'x', _meta: { progressToken: 1 } }).success).toBe(
      true,
    );
    expect(failureOf(revision20241105.validateParams('tools/call', { name: 'x', _meta: 5 })).path).toBe('/_meta');
  });

  test('case-058: params are required since 2026-07-28', () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(revision20251125.validateRequestMessage(message).success).toBe(true);
    expect(failureOf(revision20260728.validateRequestMessage(message)).path).toBe('/params');
  });

  test('case-037: results', () => {
    expect(failureOf(revision20251125.validateResult('tools/list', { tools: 'not-an-array' })).path).toBe('/tools');
  });

  test('case-038: an empty result may have further members', () => {
    expect(revision20251125.validateResult('ping', { ok: true }).success).toBe(true);
  });

  test('case-071: a result that requires input is not complete', () => {
    const complete = { resultType: 'complete', content: [] };
    const asking = { resultType: 'input_required', inputRequests: {} };
    expect(revision20260728.validateResult('tools/call', complete).success).toBe(true);
    expect(revision20260728.validateResult('tools/call', asking).success).toBe(true);
    expect(failureOf(revision20260728.validateResult('tools/call', { ...asking, inputRequests: 5 })).path).toBe(
      '/inputRequests',
    );
    expect(failureOf(revision20260728.validateResult('tools/list', { ...asking })).path).toBe('/resultType');
    expect(failureOf(revision20260728.validateResult('tools/call', { resultType: 'complete' })).path).toBe('/content');
    expect(failureOf(revision20260728.validateResult('tools/call', { resultType: 'other', content: [] })).path).toBe(
      '/resultType',
    );
    const older = { content: [] };
    const outcome = revision20260728.validateResult('tools/call', older);
    expect(outcome.success && outcome.value).toBe(older);
    expect(revision20260728.isCallToolResult(older)).toBe(false);
  });

  test('a whole response', () => {
    const response = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 5 }] } };
    expect(failureOf(revision20251125.validateResponse('tools/list', response)).path).toBe('/result/tools/0/name');
    expect(
      revision20251125.validateResponse('tools/list', { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } })
        .success,
    ).toBe(true);
    expect(failureOf(revision20251125.validateResponse('tools/list', { jsonrpc: '2.0', id: 1 })).expected).toContain(
      'neither method, result nor error',
    );
  });

  test('a task result where a task was requested', () => {
    const task = { taskId: 't', status: 'working', ttl: null, createdAt: 'x', lastUpdatedAt: 'x' };
    expect(revision20251125.validateTaskResult('tools/call', { task }).success).toBe(true);
    expect(failureOf(revision20251125.validateTaskResult('tools/call', { content: [] })).path).toBe('/task');
  });

  test('whole messages', () => {
    expect(revision20241105.validateRequestMessage({ jsonrpc: '2.0', id: 1, method: 'ping' }).success).toBe(true);
    expect(failureOf(revision20241105.validateRequestMessage({ method: 'ping' })).expected).toContain(
      'jsonrpc is not 2.0',
    );
    expect(failureOf(revision20251125.validateRequestMessage({ jsonrpc: '2.0', id: 1, method: 'no/such' })).path).toBe(
      '/method',
    );
    expect(
      revision20251125.validateNotificationMessage({ jsonrpc: '2.0', id: 1, method: 'notifications/initialized' })
        .success,
    ).toBe(false);
    expect(revision20251125.isRequestMessage({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })).toBe(false);
  });
});

describe('leniency, off by default and named per deviation', () => {
  test('nextCursor: null counts as absent', () => {
    const value = { tools: [], nextCursor: null };
    expect(failureOf(revision20251125.validateListToolsResult(value)).path).toBe('/nextCursor');
    const outcome = revision20251125.validateListToolsResult(value, {
      lenient: revision20251125.tolerating(revision20251125.nullCursor),
    });
    expect(outcome).toEqual({
      success: true,
      value: { tools: [] },
      repairs: [{ deviation: 'nullCursor', path: '/nextCursor' }],
    });
    expect(value.nextCursor).toBeNull();
    expect(
      revision20251125.validateListToolsResult(
        { tools: [], _meta: null },
        { lenient: revision20251125.tolerating(revision20251125.nullCursor) },
      ).success,
    ).toBe(false);
  });

  test('case-060: any optional member may be null', () => {
    const value = { tools: [{ name: 't', title: null, inputSchema: { type: 'object' } }], _meta: null };
    expect(revision20251125.validateListToolsResult(value).success).toBe(false);
    const outcome = revision20251125.validateListToolsResult(value, {
      lenient: revision20251125.tolerating(revision20251125.nullMembers),
    });
    expect(outcome.success && outcome.repairs?.map((repair) => repair.path)).toEqual(['/tools/0/title', '/_meta']);
    const required = revision20251125.validateTool(
      { name: null, inputSchema: { type: 'object' } },
      { lenient: revision20251125.tolerating(revision20251125.nullMembers) },
    );
    expect(failureOf(required)).toMatchObject({ path: '/name', found: 'null' });
  });

  test('case-065: structuredContent without content', () => {
    const value = { structuredContent: { a: 1 } };
    expect(revision20251125.isCallToolResult(value)).toBe(false);
    const outcome = revision20251125.validateCallToolResult(value, {
      lenient: revision20251125.tolerating(revision20251125.missingContent),
    });
    expect(outcome.success && outcome.value).toEqual({ structuredContent: { a: 1 }, content: [] });
    expect(
      revision20251125.validateCallToolResult(
        {},
        { lenient: revision20251125.tolerating(revision20251125.missingContent) },
      ).success,
    ).toBe(false);
  });

  test('case-069: content blocks of unknown types are omitted', () => {
    const value = {
      content: [
        { type: 'video', data: '' },
        { type: 'text', text: 'a' },
      ],
    };
    expect(failureOf(revision20251125.validateCallToolResult(value)).path).toBe('/content/0/type');
    const outcome = revision20251125.validateCallToolResult(value, {
      lenient: revision20251125.tolerating(revision20251125.unknownContent),
    });
    expect(outcome.success && outcome.value.content).toEqual([{ type: 'text', text: 'a' }]);
  });

  test('case-062: the good tools of a list with one bad item', () => {
    const good = { name: 'ok', inputSchema: { type: 'object' } };
    const bad = { name: 'bad', inputSchema: { anyOf: [] } };
    expect(failureOf(revision20251125.validateListToolsResult({ tools: [good, bad] })).path).toBe(
      '/tools/1/inputSchema/type',
    );
    const outcome = revision20251125.lenientList(revision20251125.validateListToolsResult, {
      tools: [good, bad, good],
      nextCursor: 'n',
    });
    expect(outcome.success && outcome.value).toEqual({ tools: [good, good], nextCursor: 'n' });
    expect(outcome.success && outcome.bad).toMatchObject([
      { index: 1, item: bad, failure: { path: '/tools/1/inputSchema/type' } },
    ]);
    expect(
      revision20251125.lenientList(revision20251125.validateListToolsResult, { tools: [], nextCursor: 5 }).success,
    ).toBe(false);
    expect(revision20251125.lenientList(revision20251125.validateListToolsResult, { tools: 5 }).success).toBe(false);
  });

  test('many bad items are no more than linear work', () => {
    const tools = Array.from({ length: 5000 }, (_, index) => ({
      name: index % 2 === 0 ? 'a' : 5,
      inputSchema: { type: 'object' },
    }));
    const outcome = revision20251125.lenientList(revision20251125.validateListToolsResult, { tools });
    expect(outcome.success && outcome.bad.length).toBe(2500);
  });
});

describe('formats', () => {
  test('are asserted by option only', () => {
    const content = { type: 'image', data: 'not base64!', mimeType: 'image/png' };
    expect(revision20251125.isImageContent(content)).toBe(true);
    expect(
      failureOf(revision20251125.validateImageContent(content, { formats: revision20251125.FORMATS })),
    ).toMatchObject({
      path: '/data',
      expected: 'a string of format byte',
    });
    expect(
      revision20251125.validateImageContent({ ...content, data: 'aGk=' }, { formats: revision20251125.FORMATS })
        .success,
    ).toBe(true);
    // The option holds for one validation only.
    expect(revision20251125.validateImageContent(content).success).toBe(true);
  });

  test.each([
    ['uri', ['file:///a', 'https://x.y/z?q#f', 'urn:isbn:1'], ['no scheme', '/relative', 'http://a b']],
    ['uri-template', ['file:///{path}', 'a{?b,c}'], ['{', 'a b']],
    ['byte', ['', 'aGk=', 'aGVs'], ['aGk', '####']],
    ['date', ['2026-01-31'], ['2026-02-31', '2026-1-1']],
    ['date-time', ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+01:00'], ['2026-01-31', '2026-02-30T00:00:00Z']],
    ['email', ['a@b.cd'], ['a@', 'a b@c.d']],
  ])('%s', (format, right, wrong) => {
    const holds = revision20251125.FORMATS[format];
    expect(right.filter((text) => holds?.(text) !== true)).toEqual([]);
    expect(wrong.filter((text) => holds?.(text) !== false)).toEqual([]);
  });
});

describe('cases', () => {
  test('case-035: initialize with empty params is no initialize request', () => {
    expect(revision20251125.isInitializeRequest({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} })).toBe(
      false,
    );
  });
  test('case-042: a boolean schema is no string schema', () => {
    expect(revision20251125.isBooleanSchema({ type: 'boolean' })).toBe(true);
    expect(revision20251125.isStringSchema({ type: 'boolean' })).toBe(false);
    expect(revision20251125.isPrimitiveSchemaDefinition({ type: 'boolean' })).toBe(true);
  });
  test('case-043: unknown members are kept', () => {
    const tool = { name: 't', inputSchema: { type: 'object' }, 'x-vendor': 1 };
    const outcome = revision20251125.validateTool(tool);
    expect(outcome.success && outcome.value).toBe(tool);
  });
  test('case-111: one value may fit several definitions', () => {
    const value = { type: 'string', enum: ['a'] };
    expect([
      revision20251125.isStringSchema(value),
      revision20251125.isUntitledSingleSelectEnumSchema(value),
      revision20251125.isLegacyTitledEnumSchema(value),
    ]).toEqual([true, true, true]);
    expect(revision20251125.isPrimitiveSchemaDefinition(value)).toBe(true);
  });
  test('case-001 to 004: errata hold in validators', () => {
    expect(revision20251125.isNumberSchema({ type: 'number', minimum: 0.5, maximum: 99.5, default: 95.5 })).toBe(true);
    expect(revision20251125.isElicitResult({ action: 'accept', content: { temp: 36.6 } })).toBe(true);
    expect(revision20260728.isJSONValue(null)).toBe(true);
    expect(revision20260728.isJSONValue(1.5)).toBe(true);
  });
  test('case-054: accepts a progress token of 0', () => {
    expect(
      revision20251125.isProgressNotification({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 0.5 },
      }),
    ).toBe(true);
  });
  test('case-056: accepts fractional progress', () => {
    expect(
      revision20250618.isProgressNotification({
        method: 'notifications/progress',
        params: { progressToken: 'a', progress: 0.25, total: 1.5 },
      }),
    ).toBe(true);
  });
  test('case-057: rejects null params', () => {
    expect(revision20251125.isListToolsRequest({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: null })).toBe(
      false,
    );
  });
  test('case-059: rejects positional params', () => {
    expect(revision20251125.isCallToolRequest({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: [1, 2] })).toBe(
      false,
    );
  });
  test('case-061: accepts an empty cursor', () => {
    expect(revision20251125.isListToolsResult({ tools: [], nextCursor: '' })).toBe(true);
  });
  test('case-063: rejects an input schema whose required is null', () => {
    expect(
      failureOf(revision20251125.validateTool({ name: 't', inputSchema: { type: 'object', required: null } })).path,
    ).toBe('/inputSchema/required');
  });
  test('case-064: rejects an output schema of an array', () => {
    expect(
      failureOf(
        revision20251125.validateTool({ name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }),
      ).path,
    ).toBe('/outputSchema/type');
  });
  test('case-066 to 068: content types by revision', () => {
    const link = { content: [{ type: 'resource_link', uri: 'a:b', name: 'n' }] };
    expect(revision20250618.isCallToolResult(link)).toBe(true);
    expect(revision20250326.isCallToolResult(link)).toBe(false);
    const audio = { content: [{ type: 'audio', data: '', mimeType: 'audio/wav' }] };
    expect(revision20250326.isCallToolResult(audio)).toBe(true);
    expect(revision20241105.isCallToolResult(audio)).toBe(false);
  });
  test('case-070: a newer capability member reaches an older peer', () => {
    expect(revision20250618.isClientCapabilities({ elicitation: { form: {} } })).toBe(true);
  });
  test('case-025: members that every object inherits are read as own members only', () => {
    expect(
      revision20251125.isTool(JSON.parse('{"name":"t","inputSchema":{"type":"object"},"__proto__":{"title":5}}')),
    ).toBe(true);
    expect(revision20251125.isTool(JSON.parse('{"__proto__":{"name":"t","inputSchema":{"type":"object"}}}'))).toBe(
      false,
    );
  });
});

describe('official examples', () => {
  test('are valid', async (context) => {
    requireReferenceMaterial(context);
    const examples = officialExamples();
    expect(examples.length).toBeGreaterThan(80);
    for (const { definition, name, value } of examples) {
      const { validate } = await checksOf('2026-07-28', definition);
      const outcome = validate(value);
      expect([name, outcome]).toEqual([name, { success: true, value }]);
      expect(JSON.parse(JSON.stringify(value))).toEqual(value);
    }
  });

  test('are rejected with a pointer if a required member is invalid', async (context) => {
    requireReferenceMaterial(context);
    const oracle = oracleOf(correctedDefinitions('2026-07-28'));
    let tried = 0;
    for (const { definition, value } of officialExamples()) {
      if (typeof value !== 'object' || value === null) continue;
      const { validate } = await checksOf('2026-07-28', definition);
      for (const member of Object.keys(value)) {
        const { [member]: _gone, ...without } = value as Record<string, unknown>;
        for (const changed of [without, { ...value, [member]: 12.5 }, { ...value, [member]: [[]] }]) {
          if (oracle(definition)(changed)) continue;
          tried += 1;
          const failure = failureOf(validate(changed));
          const at = `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
          expect(
            failure.path === at || failure.path.startsWith(`${at}/`),
            `${definition} ${member}: ${JSON.stringify(failure)}`,
          ).toBe(true);
        }
      }
    }
    expect(tried).toBeGreaterThan(200);
  });
});

describe('where code may not be made from strings', () => {
  test('validators run all the same', () => {
    const modules = REVISIONS.map(({ revision }) => path.resolve('dist/generated', revision, 'index.js'));
    const script = `
      try { new Function('return 1')(); process.exit(3); } catch {}
      for (const file of ${JSON.stringify(modules)}) {
        const m = await import(file);
        const outcome = m.validateCallToolResult({ content: [{ type: 'text' }], resultType: 'complete' });
        if (outcome.success || outcome.failure.path !== '/content/0/text') process.exit(4);
        if (!m.isTool({ name: 't', inputSchema: { type: 'object' } })) process.exit(5);
      }`;
    const result = spawnSync(
      process.execPath,
      ['--disallow-code-generation-from-strings', '--input-type=module', '-e', script],
      { encoding: 'utf8' },
    );
    expect([result.status, result.stderr]).toEqual([0, '']);
  });
});

test.each(REVISIONS)('$revision: validates every definition', async ({ revision, definitions }) => {
  const names = Object.keys(correctedDefinitions(revision));
  expect(names).toHaveLength(definitions);
  for (const name of names) await checksOf(revision, name);
  expect(Object.keys(await validatorsOf(revision)).length).toBeGreaterThan(definitions * 3);
});

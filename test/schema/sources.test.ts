/** Sources of schemas, and what is read from the schema of an extension. */
import { describe, expect, test } from 'vitest';
import { McpgenError } from '../../generator/errors.js';
import { builtinDocs } from '../../generator/read/builtin/docs.js';
import {
  builtinExtensionProtocol,
  requireExtension,
  requireExtensionCatalog,
} from '../../generator/read/builtin/extensions.js';
import { namesDefinitions, type ExtensionCatalog } from '../../generator/read/extension.js';
import type { JsonObject } from '../../generator/read/json/json.js';
import { openDefinitions, ownDefinitions } from '../../generator/read/schema/extension.js';
import { isNpmSource, newestNpmSource } from '../../generator/read/schema/npm-file.js';
import { TASKS } from '../extensions/support.js';

function errorOf(action: () => unknown): McpgenError {
  try {
    action();
  } catch (error) {
    if (error instanceof McpgenError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a file of a package on npm', () => {
  test.each([
    ['npm:my-protocol@1.0.0/schema.json', 'npm:my-protocol/schema.json'],
    ['npm:@scope/my-protocol@1.0.0-beta.1+5/dist/v1/schema.json', 'npm:@scope/my-protocol/dist/v1/schema.json'],
    ['npm:my-protocol/schema.json', 'npm:my-protocol/schema.json'],
  ])('%s', (source, newest) => {
    expect(isNpmSource(source)).toBe(true);
    expect(newestNpmSource(source)).toBe(newest);
  });

  test('another form is an error with the first 200 characters', () => {
    expect(isNpmSource('schema.json')).toBe(false);
    expect(errorOf(() => newestNpmSource(`npm:${'x'.repeat(500)}`))).toMatchObject({
      message: 'not a file of a package on npm',
      place: `npm:${'x'.repeat(196)}`,
      remedy: 'Write npm:<package>@<version>/<path>, as in npm:my-protocol@1.0.0/schema.json.',
    });
    expect(errorOf(() => newestNpmSource('npm:a\u001b/')).place).toBe('npm:a\\u001b/');
  });
});

test('an unknown extension is an error with the built-in ones', () => {
  expect(errorOf(() => requireExtension(TASKS.slice(0, -1)))).toMatchObject({
    message: `extension "${TASKS.slice(0, -1)}" is not built in`,
    place: '--extension',
    remedy: expect.stringMatching(
      new RegExp(
        `^Did you mean ${TASKS}\\? Built in: .*${TASKS}.*; for another, pass its catalog with --extend FILE\\.$`,
      ),
    ) as string,
  });
  const far = errorOf(() => requireExtension('x'.repeat(500)));
  expect(far.message.length).toBeLessThan(250);
  expect(far.remedy).toMatch(/^Built in: /);
});

test('the protocol of an extension has the docs of its revision where it has none', () => {
  const UI = 'io.modelcontextprotocol/ui';
  const { protocol } = requireExtensionCatalog(UI);
  const docs = builtinExtensionProtocol(UI)?.docs;
  const base = builtinDocs(protocol?.docs ?? '');
  expect(docs?.definition('HostNotification')).toMatch(/^A notification of a /);
  expect(base.definition('HostNotification')).toBeUndefined();
  expect(base.definition('CallToolResult')).toBeDefined();
  expect(docs?.definition('CallToolResult')).toBe(base.definition('CallToolResult'));
  expect(docs?.definition('NoSuchDefinition')).toBeUndefined();
});

test.each<[boolean, object]>([
  [false, {}],
  [false, { methods: [], results: [], members: [], capabilities: {} }],
  [true, { methods: [{}] }],
  [true, { methods: [], results: [{}] }],
  [true, { members: [{}] }],
  [true, { capabilities: { client: 'A' } }],
])('whether a catalog refers to definitions: %s for %j', (expected, rows) => {
  expect(namesDefinitions(rows as unknown as ExtensionCatalog)).toBe(expected);
});

describe('the definitions of an extension', () => {
  const base: JsonObject = { Same: { type: 'string' }, Other: { type: 'string' } };
  const item: JsonObject = { type: 'object', properties: { a: { type: 'string' } } };

  test('are those that the revision does not have, or has in another form', () => {
    const own = ownDefinitions({ Same: { type: 'string' }, Other: { type: 'number' }, New: { type: 'null' } }, base);
    expect(own).toEqual({ Other: { type: 'number' }, New: { type: 'null' } });
  });

  test('refer to each other where one is written again', () => {
    const list: JsonObject = { type: 'array', items: item };
    expect(ownDefinitions({ Item: item, List: list }, base)['List']).toEqual({
      type: 'array',
      items: { $ref: '#/$defs/Item' },
    });
    // It is not clear which of two equal ones is meant.
    expect(ownDefinitions({ Item: item, Twin: item, List: list }, base)['List']).toEqual(list);
  });

  test('allow other members, and list strings as an enum', () => {
    const closed: JsonObject = {
      type: 'object',
      additionalProperties: false,
      properties: {
        kind: { anyOf: [{ const: 'a', type: 'string' }, { const: 'b' }] },
        mixed: { anyOf: [{ const: 'a' }, { const: 1 }] },
        rest: { type: 'object', additionalProperties: true },
      },
    };
    expect(openDefinitions({ Closed: closed })).toEqual({
      Closed: {
        type: 'object',
        properties: {
          kind: { type: 'string', enum: ['a', 'b'] },
          mixed: { anyOf: [{ const: 'a' }, { const: 1 }] },
          rest: { type: 'object', additionalProperties: true },
        },
      },
    });
  });
});

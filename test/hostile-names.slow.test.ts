import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { generate } from '../generator/index.js';
import { readFiles, hashFolder, listFiles, removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import {
  catalogWith,
  compileOutput,
  errorOf,
  compileErrorsOf,
  generated,
  PING_ROW,
  pingDefinitions,
  schemaWith,
  type ErrorParts,
  type Schema,
} from './support/hostile.js';
import { refused, REF } from './hostile-schema-support.js';

afterAll(removeTemporaryFolders);

describe('names of definitions', () => {
  test('a definition named ErrorCode keeps its name', async () => {
    const files = await generated(schemaWith({ ErrorCode: { const: 'mine' } }));
    const code = compileOutput(files);
    expect(await code.errors()).toEqual([]);
    expect(code.strings()).toContain('mine');
  });
});

describe('names of methods', () => {
  const twoMethods = (one: string, other: string): [Schema, Schema] => {
    const message = (method: string): Schema => ({
      ...(pingDefinitions()['PingRequest'] as Schema),
      properties: {
        ...((pingDefinitions()['PingRequest'] as Schema)['properties'] as Schema),
        method: { const: method },
      },
    });
    const schema = schemaWith({
      PingRequest: message(one),
      PongRequest: message(other),
      ClientRequest: { anyOf: [REF('PingRequest'), REF('PongRequest')] },
    });
    const row = { ...PING_ROW, message: 'PongRequest', params: 'PongRequest.params', method: other };
    return [schema, catalogWith({ methods: [{ ...PING_ROW, method: one }, row] })];
  };

  test.each([
    ['tools/call', 'tools_call', 'TOOLS_CALL'],
    ['tools/callIt', 'tools/call.it', 'TOOLS_CALL_IT'],
    ['$/x', 'x', 'X'],
  ])('%j and %j collide: both are named', async (one, other, made) => {
    const fault = await refused(...twoMethods(one, other));
    expect(fault.message).toContain(JSON.stringify(one));
    expect(fault.message).toContain(JSON.stringify(other));
    expect(fault.message).toContain(`both be called ${made}`);
  });

  test.each([
    ['class', 'default'],
    ['prototype', 'hasOwnProperty'],
    ['to/String', 'valueOf'],
    ['constructor', 'x'.repeat(3000)],
  ])('%j and %.20j compile', async (one, other) => {
    const files = await generated(...twoMethods(one, other));
    const code = compileOutput(files);
    expect(await code.errors()).toEqual([]);
    expect(code.strings()).toContain(other);
  });

  test.each(["o'clock", 'a"b', 'a\nb', 'a b', '', '*/', '`${1}`', '__proto__', '日本', 'a\u202eb', 'a\\b'])(
    '%j is refused by the form of a catalog',
    async (method) => {
      const fault = await refused(...twoMethods('ping', method));
      expect(fault.place).toBe('catalog.json#/methods/1/method');
    },
  );

  test('one method in two rows is refused with both places', async () => {
    const fault = await refused(schemaWith(), catalogWith({ methods: [PING_ROW, { ...PING_ROW, summary: 'Again.' }] }));
    expect(fault.place).toBe('catalog.json#/methods/1');
    expect(fault.message).toContain('#/methods/0');
  });

  test('a method that only one of the two has is refused with both places', async () => {
    const fault = await refused(...[schemaWith(), catalogWith({ methods: [{ ...PING_ROW, method: 'pong' }] })]);
    expect(fault.message).toContain('schema.json#/$defs/PingRequest');
    expect(fault.message).toContain('catalog.json#/methods/0');
  });
});

describe('references', () => {
  const CIRCLES: readonly (readonly [string, Schema])[] = [
    ['members', { A: { type: 'object', properties: { a: REF('A'), list: { type: 'array', items: REF('A') } } } }],
    ['items', { A: { type: 'array', items: REF('A') } }],
    ['items by another name', { A: { type: 'array', items: REF('B') }, B: REF('A') }],
    ['map values', { A: { type: 'object', additionalProperties: REF('A') } }],
    [
      'map values beside members',
      { A: { type: 'object', properties: { x: { type: 'string' } }, additionalProperties: REF('A') } },
    ],
    [
      'a union of containers',
      {
        A: {
          anyOf: [
            { type: 'string' },
            { type: 'array', items: REF('A') },
            { type: 'object', additionalProperties: REF('A') },
          ],
        },
      },
    ],
    [
      'two definitions',
      { A: { type: 'object', properties: { b: REF('B') } }, B: { type: 'object', properties: { a: REF('A') } } },
    ],
    [
      'an intersection',
      {
        A: { allOf: [REF('B'), { type: 'object', properties: { a: REF('A') } }] },
        B: { type: 'object', properties: { a: REF('A') } },
      },
    ],
  ];

  test('circular references compile', async () => {
    const sets = await Promise.all(
      CIRCLES.map(async ([name, definitions]) => [name, await generated(schemaWith(definitions))] as const),
    );
    expect(await compileErrorsOf(new Map(sets))).toEqual([]);
  });
});

describe('what lies in the output folder', () => {
  const input = {
    schema: { name: 'schema.json', contents: JSON.stringify(schemaWith()) },
    catalog: { name: 'catalog.json', contents: JSON.stringify(catalogWith()) },
  };
  const hindered = async (out: string): Promise<ErrorParts> => {
    const before = hashFolder(out);
    const fault = await errorOf(generate({ ...input, out }));
    expect(hashFolder(out), 'something was written').toBe(before);
    return fault;
  };

  test('a symbolic link to a folder outside is not followed', async () => {
    const outside = temporaryFolder();
    const out = temporaryFolder();
    symlinkSync(outside, path.join(out, 'draft'));
    expect((await hindered(out)).message).toContain('is outside the output folder');
    expect(listFiles(outside)).toEqual([]);
  });

  test('a symbolic link to a file outside is not followed', async () => {
    const outside = path.join(temporaryFolder(), 'mine.ts');
    const out = temporaryFolder();
    writeFileSync(outside, 'mine');
    mkdirSync(path.join(out, 'draft'));
    symlinkSync(outside, path.join(out, 'draft/types.ts'));
    expect((await hindered(out)).message).toContain('is outside the output folder');
    expect(readFiles(path.dirname(outside)).get('mine.ts')).toBe('mine');
  });

  test.each(['/nonexistent/there', 'nowhere', 'draft'])(
    'a symbolic link to %s is an explained fault',
    async (target) => {
      const out = temporaryFolder();
      symlinkSync(target, path.join(out, 'draft'));
      const fault = await hindered(out);
      expect(fault.place).toBe(path.join(out, 'draft'));
      expect(fault.message).toContain('the symbolic link is broken');
    },
  );

  test('a symbolic link that stays inside is followed', async () => {
    const out = temporaryFolder();
    mkdirSync(path.join(out, 'elsewhere'));
    symlinkSync('elsewhere', path.join(out, 'draft'));
    await generate({ ...input, out });
    expect(readFiles(path.join(out, 'elsewhere')).has('types.ts')).toBe(true);
  });

  test('a planted link in the place of a file that is being written is not followed', async () => {
    const out = temporaryFolder();
    const outside = path.join(temporaryFolder(), 'mine.ts');
    writeFileSync(outside, 'mine');
    mkdirSync(path.join(out, 'draft'));
    symlinkSync(outside, path.join(out, `draft/.mcpgen-tmp-${process.pid}-0`));
    await generate({ ...input, out });
    expect(readFiles(path.dirname(outside)).get('mine.ts')).toBe('mine');
    expect(listFiles(out).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  test('a folder where a file should be is named', async () => {
    const out = temporaryFolder();
    mkdirSync(path.join(out, 'draft/types.ts'), { recursive: true });
    const fault = await hindered(out);
    expect(fault.place).toBe(path.join(out, 'draft/types.ts'));
    expect(fault.message).toContain('not a file');
  });

  test('a socket where a file should be is named', async () => {
    const out = temporaryFolder();
    mkdirSync(path.join(out, 'draft'));
    const socket = path.join(out, 'draft/types.ts');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    try {
      const fault = await errorOf(generate({ ...input, out }));
      expect(fault.place).toBe(socket);
      expect(listFiles(out)).toEqual(['draft', 'draft/types.ts']);
    } finally {
      server.close();
    }
  });

  test('a file where a folder should be is named', async () => {
    const out = temporaryFolder();
    writeFileSync(path.join(out, 'draft'), 'mine');
    const fault = await hindered(out);
    expect(fault.place).toBe(path.join(out, 'draft'));
    expect(fault.message).toBe('not a folder but a file');
  });

  test('a name that is too long for the file system is an explained fault', async () => {
    const fault = await errorOf(generate({ ...input, out: path.join(temporaryFolder(), 'x'.repeat(300)) }));
    expect(fault.message).toContain('too long');
  });
});

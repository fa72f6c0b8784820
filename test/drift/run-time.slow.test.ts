/** `drift --zod`: schemas at run time, compared by vectors. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compareRunTimeSchemas } from '../../generator/drift/run-time.js';
import { mcpgen, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';

afterAll(removeTemporaryFolders);

/** A module with Standard Schemas in a few lines: `Implementation` is right, and the others have a fault. */
const MODULE = `
const schema = (isValid) => ({ '~standard': { version: 1, vendor: 'test', validate: (value) => (isValid(value) ? { value } : { issues: [{ message: 'no' }] }) } });
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const LATEST_PROTOCOL_VERSION = '2024-11-05';
export const ImplementationSchema = schema((value) => isObject(value) && typeof value.name === 'string' && typeof value.version === 'string');
export const roleSchema = schema((value) => typeof value === 'string');
export const CursorSchema = schema((value) => typeof value === 'string' && value.length > 3);
export const RequestIdValidator = schema((value) => { if (typeof value !== 'string' && !Number.isInteger(value)) throw new Error('no'); return true; });
export const Tool = 7;
`;

function moduleFile(): string {
  const file = path.join(temporaryFolder(), 'schemas.mjs');
  writeFileSync(file, MODULE);
  return file;
}

describe('schemas at run time', () => {
  test('are compared with the definitions that they are named after', async () => {
    const report = await compareRunTimeSchemas({ module: moduleFile(), names: { RequestId: 'RequestIdValidator' } });
    expect(report).toMatchObject({ revision: '2024-11-05', drift: true });
    const status = (name: string): string | undefined => report.definitions.find((item) => item.name === name)?.status;
    expect(['Implementation', 'RequestId', 'Role', 'Cursor', 'Tool'].map(status)).toEqual([
      'same',
      'same',
      'drift',
      'drift',
      'missing',
    ]);
    expect(report.findings.map(({ kind, definition, theirs }) => [kind, definition, theirs])).toEqual([
      ['narrower', 'Cursor', 'CursorSchema'],
      ['wider', 'Role', 'roleSchema'],
    ]);
    // The smallest value of each.
    expect(report.findings[0]?.value).toBe('');
    expect(report.findings[1]).toMatchObject({ rule: 'enum', pointer: '' });
  });

  test('that are ignored do not count', async () => {
    const report = await compareRunTimeSchemas({ module: moduleFile(), ignore: ['Role', 'Cur*'] });
    expect(report).toMatchObject({ drift: false, findings: [] });
  });

  test.each([
    ['a module that does not exist', { module: 'no-such-module' }, 'cannot be loaded'],
    ['a name that is not exported', { names: { Tool: 'ToolSchemas' } }, 'the module exports no schema "ToolSchemas"'],
    ['a name of something else', { names: { Tool: 'Tool' } }, 'the module exports no schema "Tool"'],
    ['an unknown revision', { revision: '2020-01-01' }, '2020-01-01'],
  ])('%s is an error', async (_, options, message) => {
    await expect(compareRunTimeSchemas({ module: moduleFile(), ...options })).rejects.toThrow(message);
  });

  test.each([
    ['never ends', 'await new Promise(() => {});', /cannot be loaded: it awaits a promise|cannot be loaded: timed out/],
    ['ends the process', 'process.exit(0);', /cannot be loaded: it ends the process/],
    [
      'breaks what all programs use',
      `Array.prototype.filter = JSON.parse = String.prototype.split = Map.prototype.get = null; delete Promise.prototype.finally;`,
      /cannot be loaded: it changes Array\.prototype\.filter, which mcpgen needs as it was/,
    ],
    [
      'adds a member to all objects',
      `Object.defineProperty(Object.prototype, 'get', { get() { throw new Error('patched'); }, configurable: true });`,
      /cannot be loaded: it changes Object\.prototype\.get, which mcpgen needs as it was/,
    ],
    [
      'rejects a promise',
      `Promise.reject(new Error('later')); await new Promise((r) => setTimeout(r, 50));`,
      /cannot be loaded: later/,
    ],
    [
      'has an export that throws',
      `export const ToolSchema = new Proxy({}, { get() { throw new Error('trap'); } });`,
      /ToolSchema: the export cannot be read: trap/,
    ],
    [
      'has a schema that ends the process',
      `export const ToolSchema = { '~standard': { validate() { setTimeout(() => { throw new Error('late'); }); return new Promise(() => {}); } } };`,
      /ToolSchema: the schema does not validate: late/,
    ],
  ])(
    'a module that %s is an error, and not a fault of mcpgen',
    async (_, source, message) => {
      const folder = temporaryFolder();
      writeFileSync(path.join(folder, 'bad.mjs'), source);
      const { code, stderr } = await mcpgen(['drift', '--zod', path.join(folder, 'bad.mjs'), '-r', '2025-11-25']);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    },
    20_000,
  );

  test('a module that writes to standard output does not spoil the report', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'loud.mjs'), `console.log('loud');${MODULE}`);
    const { stdout, stderr } = await mcpgen(['drift', '--zod', path.join(folder, 'loud.mjs'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ revision: '2024-11-05' });
    expect(stderr).toContain('loud');
  }, 20_000);
});

/** The Tasks extension: types against the official ones, validators against Ajv, output under all compilers. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadProtocol, render } from '../../generator/index.js';
import { builtinExtensionSchema } from '../../generator/read/builtin/extensions.js';
import { builtinErrata, builtinSchema } from '../../generator/read/builtin/revisions.js';
import { applyErrata } from '../../generator/read/errata.js';
import { objectFromEntries, type JsonObject } from '../../generator/read/json/json.js';
import { canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import { ownDefinitions } from '../../generator/read/schema/extension.js';
import type { Validation } from '../../templates/runtime/validation.js';
import { importOutput } from '../support/import-output.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { referenceFolder } from '../support/reference-material.js';
import { SchemaSampler } from '../support/schema-sampler.js';
import { itemsOf, shareOfToday, shareText } from '../support/today.js';
import { compareTypes } from '../support/type-equality.js';
import { REVISION, TASKS, reports } from './support.js';

const root = path.resolve(import.meta.dirname, '../..');
const official = path.join(referenceFolder, 'extensions/tasks/schema.json');

let out: string;
let names: readonly string[];
let errataNames: readonly string[];

beforeAll(async () => {
  out = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-tasks-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(out, 'node_modules'));
  writeFileSync(path.join(out, 'package.json'), '{ "type": "module" }');
  const requested = { extensions: [TASKS], extend: [reports()] };
  const protocol = await loadProtocol({ revision: REVISION, ...requested });
  names = protocol.definitions.filter(({ extension }) => extension === TASKS).map(({ name }) => name);
  const requests = protocol.methods.filter((method) => method.extension === TASKS && method.kind === 'request');
  errataNames = requests.map(({ message }) => message).sort();
  for (const { path: file, contents } of await render(protocol, out)) {
    mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
    writeFileSync(path.join(out, file), contents);
  }
});
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

/** The extension's definitions with those of the revision, as JSON Schema. */
function definitions(): JsonObject {
  const raw = canonicalizeSchema(builtinExtensionSchema(TASKS), 's.json').definitions;
  const own = applyErrata(raw, REVISION, builtinErrata(TASKS), 's.json').definitions;
  return objectFromEntries([...Object.entries(correctedDefinitions(REVISION)), ...Object.entries(own)]);
}

test('is what the official file adds to the revision', (context) => {
  context.skip(!existsSync(official), 'needs the official schema of the extension in ../shared/extensions/tasks');
  const file = JSON.parse(readFileSync(official, 'utf8')) as JsonObject;
  const { definitions: all } = canonicalizeSchema(file, 'tasks.json', { prose: 'strip' });
  const base = builtinSchema(REVISION)['$defs'] as JsonObject;
  expect(Object.keys(all)).toHaveLength(76);
  expect(ownDefinitions(all, base)).toEqual(builtinExtensionSchema(TASKS)['$defs']);
});

/** Why a type differs from the official one. */
const REASONS = {
  /** The official requests lack `_meta`, which the revision requires of every request. */
  erratum: /Property '_meta' is missing in type/,
  /** The package has parsed JSON where the schema allows anything, and ours say `unknown`. */
  json: /Type 'unknown' is not assignable to type 'JsonValue/,
};

describe('its types are assignable to the official ones and back', () => {
  const compare = async (theirs: string, suffix = ''): Promise<readonly (readonly [string, string])[]> => {
    const relations = await compareTypes(
      path.join(out, REVISION, 'types.ts'),
      theirs,
      names.map((name) => ({ ours: name, theirs: `${name}${suffix}` })),
    );
    return relations
      .filter(({ toOurs, toTheirs }) => !toOurs || !toTheirs)
      .map(({ name, reason = '' }) => [name, reason]);
  };

  test('of the specification: all but the requests that an erratum corrects', async (context) => {
    const file = path.join(referenceFolder, 'extensions/tasks/schema.ts');
    context.skip(!existsSync(file), 'needs schema.ts and spec.types.ts of the extension in ../shared/extensions/tasks');
    const differing = await compare(file);
    expect(differing.map(([name]) => name)).toEqual(errataNames);
    for (const [, reason] of differing) expect(reason).toMatch(REASONS.erratum);
  });

  test('of the package: 7 of 20, the others for two reasons', async () => {
    const file = path.join(root, 'node_modules/@modelcontextprotocol/ext-tasks/dist/core/v2/schemas.d.ts');
    const differing = await compare(file, 'V2');
    expect(differing).toHaveLength(13);
    const other = differing.filter(([, reason]) => !Object.values(REASONS).some((known) => known.test(reason)));
    expect(other).toEqual([]);
    const corrected = differing
      .filter(([, reason]) => !reason.includes("Type 'unknown' is not assignable to type 'JsonValue"))
      .map(([name]) => name);
    expect(corrected.every((name) => errataNames.includes(name))).toBe(true);
  }, 120_000);
});

test('its validators agree with Ajv on generated values', async () => {
  const module = await importOutput<Record<string, (value: unknown) => Validation<unknown>>>(
    path.join(out, REVISION, 'validators.ts'),
  );
  const all = definitions();
  const oracle = oracleOf(all);
  const count = { values: 0, wrong: 0 };
  const differences: string[] = [];
  for (const [seed, name] of names.entries()) {
    const sampler = new SchemaSampler({ ...(all[name] as JsonObject), $defs: all }, seed + 1);
    const expected = oracle(name);
    for (let index = 0; index < 500; index += 1) {
      const value = sampler.next();
      const verdict = expected(value);
      count.values += 1;
      if (!verdict) count.wrong += 1;
      if (module[`validate${name}`]?.(value).success !== verdict)
        differences.push(`${name}: ${String(verdict)}: ${JSON.stringify(value)}`);
    }
  }
  expect(differences.slice(0, 10)).toEqual([]);
  expect(count.values).toBe(10_000);
  expect(count.wrong).toBeGreaterThan(count.values / 6);
  expect(count.wrong).toBeLessThan(count.values * 0.9);
}, 120_000);

test('results of tools/call are distinguished by resultType', async () => {
  const { validateResult, validateParams } = await importOutput<
    Record<'validateResult' | 'validateParams', (method: string, value: unknown) => Validation<unknown>>
  >(path.join(out, REVISION, 'validators.ts'));
  const at = '2026-11-30T00:00:00Z';
  const task = { taskId: 'a', status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: null };
  const isValid = (value: object): boolean => validateResult('tools/call', value).success;
  expect(isValid({ resultType: 'task', ...task })).toBe(true);
  expect(isValid({ resultType: 'task', ...task, status: 'lost' })).toBe(false);
  expect(isValid({ resultType: 'complete', ...task })).toBe(false);
  expect(isValid({ resultType: 'complete', content: [] })).toBe(true);
  expect(isValid({ resultType: 'toString', ...task })).toBe(false);
  expect(validateResult('tools/list', { resultType: 'task', ...task }).success).toBe(false);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
  };
  expect(validateParams('tasks/get', { taskId: 'a', _meta }).success).toBe(true);
  expect(validateParams('tasks/get', { taskId: 'a' }).success).toBe(false);
  expect(validateParams('reports/create', { title: 'a', _meta, months: [12] }).success).toBe(true);
  expect(validateParams('reports/create', { title: 'a', _meta, months: [13] }).success).toBe(false);
});

/** One compiler a day. */
const share = shareOfToday(3);

describe(`the output compiles under the strictest options: ${shareText(share)}`, () => {
  const compilers: readonly [string, readonly string[]][] = [
    ['typescript-5.4', ['erasableSyntaxOnly']],
    ['typescript', []],
    ['typescript-7', []],
  ];
  test.each(itemsOf(compilers, share))(
    'of %s',
    (folder, lacks) => {
      const options: Record<string, unknown> = {
        target: 'ES2022',
        lib: ['ES2022', 'DOM'],
        types: [],
        module: 'nodenext',
        strict: true,
        noEmit: true,
        verbatimModuleSyntax: true,
        isolatedModules: true,
        erasableSyntaxOnly: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
        noPropertyAccessFromIndexSignature: true,
        noImplicitOverride: true,
        noImplicitReturns: true,
        noFallthroughCasesInSwitch: true,
      };
      for (const name of lacks) options[name] = undefined;
      writeFileSync(path.join(out, 'use.ts'), USE);
      const config = path.join(out, 'tsconfig.json');
      writeFileSync(
        config,
        JSON.stringify({ compilerOptions: options, files: [`./${REVISION}/index.ts`, './use.ts'] }),
      );
      const tsc = path.join(root, 'node_modules', folder, 'bin/tsc');
      const { stdout } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: out, encoding: 'utf8' });
      // Each error is in one planted line of use.ts, in order.
      expect(
        stdout
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith(' ')),
      ).toEqual([
        expect.stringMatching(/^use\.ts\(24,.*'task' does not exist/),
        expect.stringMatching(/^use\.ts\(25,.*is not assignable/),
      ]);
    },
    120_000,
  );
});

/** A user's code; the last two statements must not compile. */
const USE = `
import { createClient } from './${REVISION}/client.js';
import { createServer } from './${REVISION}/server.js';

const at = '2026-11-30T00:00:00Z';
const times = { createdAt: at, lastUpdatedAt: at, ttlMs: null };
export const client = createClient({
  info: { name: 'a', version: '1' },
  capabilities: { extensions: { '${TASKS}': {} } },
  notifications: { 'notifications/tasks': (task) => { if (task.status === 'failed') console.log(task.error.code); } },
});
export async function poll(taskId: string): Promise<object | undefined> {
  const task = await client.getTask({ taskId });
  if (task.status === 'input_required') await client.updateTask({ taskId, inputResponses: {} });
  return task.status === 'completed' ? task.result : undefined;
}
export const server = createServer({
  info: { name: 'a', version: '1' },
  handlers: {
    'tools/call': () => ({ resultType: 'task', taskId: 'a', status: 'working', ...times }),
    'tasks/get': ({ taskId }) => ({ taskId, status: 'completed', result: {}, ...times }),
  },
});
await client.getTask({ task: 'a' });
createServer({ info: { name: 'a', version: '1' }, handlers: { 'tasks/get': ({ taskId }) => ({ taskId, status: 'completed', ...times }) } });
`;

test('nothing of it is in the committed output', () => {
  const { stdout } = spawnSync('git', ['grep', '-l', TASKS, '--', 'generated'], { cwd: root, encoding: 'utf8' });
  expect(stdout.split('\n').filter((line) => /^generated\/\d/.test(line))).toEqual([]);
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_PARTS, loadProtocol, render, type Emittable, type Protocol } from '../../generator/index.js';
import { compareProtocols } from '../../generator/model/diff/compare.js';
import { guessRenames } from '../../generator/model/diff/pairing.js';
import { findFormerNames } from '../../generator/model/renames.js';
import { buildReport } from '../../generator/print/diff/report.js';
import { builtinRenames } from '../../generator/read/builtin/renames.js';
import { mcpgen } from '../support/in-process.js';
import { NAMES } from './aliases-support.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-aliases-'));
let protocols: readonly Protocol[];

beforeAll(async () => {
  protocols = await Promise.all(NAMES.map((revision) => loadProtocol({ revision })));
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function named(revision: string): Protocol {
  const found = protocols.find((protocol) => protocol.revision === revision);
  if (found === undefined) throw new Error(`no ${revision}`);
  return found;
}

/** The file of aliases without its header, if it was generated. */
async function aliasesOf(protocol: Protocol, emit: readonly Emittable[]): Promise<string | undefined> {
  const file = (await render(protocol, scratch, { emit })).find((item) => item.path.endsWith('/aliases.ts'));
  return file?.contents.replace(/^(?:\/\/.*\n|\/\* eslint-disable \*\/\n)+\n?/, '');
}

describe('what is known of renames', () => {
  test('matches the schemas', () => {
    const renames = builtinRenames();
    expect(Object.fromEntries(renames.map(({ before, after }) => [before, after]))).toEqual({
      JSONRPCError: 'JSONRPCErrorResponse',
      ResourceReference: 'ResourceTemplateReference',
    });
    for (const { before, after, revision, source } of renames) {
      expect(source).toContain(revision);
      for (const protocol of protocols) {
        const has = (name: string): boolean => protocol.definitions.some((definition) => definition.name === name);
        const isLater = protocol.revision >= revision;
        expect([protocol.revision, has(before), has(after)]).toEqual([protocol.revision, !isLater, isLater]);
      }
    }
  });

  test('is all that a comparison of adjacent revisions would guess by itself', () => {
    const guessed = protocols.slice(1).flatMap((after, index) => {
      const before = protocols[index];
      return before === undefined
        ? []
        : guessRenames(before, after).map((item) => [item.before, item.after, after.revision]);
    });
    expect(guessed).toEqual(builtinRenames().map(({ before, after, revision }) => [before, after, revision]));
  });

  test('follows a name through several renames', () => {
    const step = (before: string, after: string, revision: string): Parameters<typeof findFormerNames>[1][number] => ({
      before,
      after,
      revision,
      source: '',
    });
    const renames = [step('A', 'B', '1'), step('B', 'C', '2'), step('D', 'E', '2')];
    const of = (...names: string[]): unknown =>
      findFormerNames(
        names.map((name) => ({ name })),
        renames,
      );
    expect(of('C', 'E')).toEqual([
      { before: 'A', after: 'C', revision: '1' },
      { before: 'B', after: 'C', revision: '2' },
      { before: 'D', after: 'E', revision: '2' },
    ]);
    expect(of('D', 'E')).toEqual([]);
    expect(of('A', 'C')).toEqual([{ before: 'B', after: 'C', revision: '2' }]);
  });
});

describe('case-110: --emit aliases', () => {
  test('writes the old names as deprecated', async () => {
    expect(await aliasesOf(named('2025-11-25'), ['types', 'aliases'])).toBe(`import type {
  JSONRPCErrorResponse,
  ResourceTemplateReference,
} from "./types.js";

/** @deprecated Since 2025-11-25 it is called {@link JSONRPCErrorResponse}. */
export type JSONRPCError = JSONRPCErrorResponse;

/** @deprecated Since 2025-06-18 it is called {@link ResourceTemplateReference}. */
export type ResourceReference = ResourceTemplateReference;
`);
    const old = await Promise.all(protocols.map((protocol) => aliasesOf(protocol, ['aliases'])));
    expect(old.map((text) => [...(text ?? '').matchAll(/^export type (\w+)/gm)].map((match) => match[1]))).toEqual([
      [],
      [],
      ['ResourceReference'],
      ['JSONRPCError', 'ResourceReference'],
      ['JSONRPCError', 'ResourceReference'],
    ]);
  });

  test('includes aliases of guards and validators', async () => {
    const values = async (emit: readonly Emittable[]): Promise<readonly (string | undefined)[]> => {
      const text = (await aliasesOf(named('2025-06-18'), emit)) ?? '';
      return [...text.matchAll(/^export const (\w+): typeof \w+ =/gm)].map((match) => match[1]);
    };
    const own = ['isResourceReference', 'validateResourceReference', 'assertResourceReference'];
    expect(await values(['types', 'aliases'])).toEqual([]);
    expect(await values([...DEFAULT_PARTS, 'aliases'])).toEqual(own);
    expect(await values(['zod', 'aliases'])).toEqual(['ResourceReferenceSchema']);
    expect(DEFAULT_PARTS).not.toContain('aliases');
    expect(await aliasesOf(named('2025-06-18'), DEFAULT_PARTS)).toBeUndefined();
  });

  test('never shadows a name of the schema', async () => {
    const schema = JSON.parse(readFileSync(path.join(ROOT, 'schema/2025-11-25/schema.json'), 'utf8')) as {
      $defs: Record<string, unknown>;
    };
    const catalog = JSON.parse(readFileSync(path.join(ROOT, 'schema/2025-11-25/catalog.json'), 'utf8')) as object;
    const load = (more: Record<string, unknown>, protocol: string): Promise<Protocol> =>
      loadProtocol({
        schema: { name: 's.json', contents: JSON.stringify({ ...schema, $defs: { ...schema.$defs, ...more } }) },
        catalog: { name: 'c.json', contents: JSON.stringify({ ...catalog, protocol }) },
      });
    const both = await load({ JSONRPCError: { type: 'string' } }, 'Model Context Protocol');
    const text = await aliasesOf(both, ['types', 'aliases']);
    expect(text).toContain('export type ResourceReference =');
    expect(text).not.toContain('JSONRPCError');
    // A name that is only made into one in TypeScript.
    const made = await load({ 'Resource-Reference': { type: 'string' } }, 'Model Context Protocol');
    expect(await aliasesOf(made, ['types', 'aliases'])).not.toContain('ResourceReference');
    expect(await aliasesOf(await load({}, 'Another Protocol'), ['types', 'aliases'])).toBeUndefined();
  });
});

describe('where a rename is declared', () => {
  test('diff distinguishes a known rename from a guess', () => {
    const notes = { given: '', catalog: 'built in' } as const;
    const told = (from: string, to: string): readonly (readonly unknown[])[] =>
      buildReport(compareProtocols(named(from), named(to)), notes, notes)
        .changes.filter(({ rule }) => rule === 'definition-renamed')
        .map(({ before, after, detail, title }) => [title, before, after, detail]);
    const remedy = '; `generate --emit default,aliases` keeps the old name, deprecated';
    expect(told('2025-03-26', '2026-07-28')).toEqual([
      ['definition renamed', 'JSONRPCError', 'JSONRPCErrorResponse', `has this name since 2025-11-25${remedy}`],
      [
        'definition renamed',
        'ResourceReference',
        'ResourceTemplateReference',
        `has this name since 2025-06-18${remedy}`,
      ],
    ]);
    expect(told('2025-11-25', '2025-06-18')).toEqual([
      ['definition renamed', 'JSONRPCErrorResponse', 'JSONRPCError', 'had this name before 2025-11-25'],
    ]);
    const other = named('2025-06-18');
    const renamed = {
      ...other,
      definitions: JSON.parse(
        JSON.stringify(other.definitions).replaceAll('"ImageContent"', '"PictureContent"'),
      ) as Protocol['definitions'],
    };
    const difference = compareProtocols(other, renamed);
    expect(difference.renames).toMatchObject([{ before: 'ImageContent', after: 'PictureContent', isKnown: false }]);
    const [change] = difference.changes.filter(({ rule }) => rule === 'definition-renamed');
    expect(change?.detail).toMatch(/^a guess: /);
  });

  test('explain shows the old and new name', async () => {
    const explain = (...args: readonly string[]): ReturnType<typeof mcpgen> => mcpgen(['explain', ...args]);
    const [newer, older, before] = await Promise.all([
      explain('JSONRPCError', '-r', '2025-11-25'),
      explain('JSONRPCError'),
      explain('JSONRPCErrorResponse', '-r', '2025-06-18'),
    ]);
    expect(newer.code).toBe(0);
    expect(newer.stderr).toBe('JSONRPCError is called JSONRPCErrorResponse since 2025-11-25\n');
    expect(newer.stdout).toMatch(/^JSONRPCErrorResponse {2}revision 2025-11-25\n.*\n {2}formerly +JSONRPCError\n/);
    expect(older.stdout).toMatch(
      /^JSONRPCError {2}revision 2025-06-18\n.*\n {2}renamed +JSONRPCErrorResponse since 2025-11-25\n/,
    );
    expect(before.code).toBe(2);
    expect(before.stderr).toContain('It is called JSONRPCError there, and JSONRPCErrorResponse since 2025-11-25.');
  });
});

/** Vectors: their form, their names, and what `mcpgen vectors` writes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateVectors } from '../../generator/index.js';
import { parseUntrustedJson } from '../../generator/read/json/json.js';
import type { DefinitionVector, MessageVector, VectorIndex } from '../../generator/vectors/form.js';
import { printJsonDocument } from '../../generator/vectors/print.js';
import { vectorsOf } from '../../generator/vectors/set.js';
import { itemsOf, shareOfToday } from '../support/today.js';
import { definitionVectors, messageVectors, subjectOf, SUBJECTS, valueOf, vectorsOfSubject } from './support.js';

const schema = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../schema/vectors.schema.json'), 'utf8'),
) as object;
const isForm = new Ajv2020({ strict: false }).compile(schema);

let out: string;
beforeAll(() => {
  out = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-vectors-'));
});
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

/** One of the five revisions each day; the extension has them all in the slow tests. */
const TODAY = itemsOf(SUBJECTS, shareOfToday(SUBJECTS.length));

describe.each(TODAY)('vectors of $title', (subject) => {
  test('are the same each time, and their files follow the JSON Schema of the form', async () => {
    const { protocol, official, set } = await vectorsOfSubject(subject);
    const again = vectorsOf(protocol, official);
    for (const [file, contents] of set.files) {
      const text = printJsonDocument(contents as never);
      expect(printJsonDocument(again.files.get(file) as never)).toBe(text);
      expect(isForm(JSON.parse(text)), `${file}: ${JSON.stringify(isForm.errors?.slice(0, 3))}`).toBe(true);
    }
    expect(isForm(set.index)).toBe(true);
  });

  test('are under 2 MB', async () => {
    const { set } = await vectorsOfSubject(subject);
    const size = [...set.files.values()].reduce(
      (sum, file) => sum + Buffer.byteLength(printJsonDocument(file as never)),
      0,
    );
    expect(size).toBeGreaterThan(300_000);
    expect(size).toBeLessThan(2_000_000);
  });

  test('have unique names, a pointer or a reason to have none, and a rule where they are invalid', async () => {
    const vectors = await vectorsOfSubject(subject);
    const all: readonly (DefinitionVector | MessageVector)[] = [
      ...definitionVectors(vectors).map(([, vector]) => vector),
      ...messageVectors(vectors),
    ];
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.filter(({ valid, rule }) => valid === (rule !== undefined))).toEqual([]);
    const isUncertain = ({ name, rule }: DefinitionVector | MessageVector): boolean =>
      rule === 'envelope' || name.includes('/is-');
    expect(all.filter((vector) => !vector.valid && vector.pointer === undefined && !isUncertain(vector))).toEqual([]);
    // A text says the same as the value, in another notation.
    for (const vector of all.filter(({ text }) => text !== undefined))
      expect(JSON.stringify(valueOf(vector))).toBe(JSON.stringify('value' in vector ? vector.value : vector.message));
  });

  test('test each definition and each method with valid and invalid values', async () => {
    const { protocol, set } = await vectorsOfSubject(subject);
    const verdicts = new Map<string, Set<boolean>>();
    for (const file of set.files.values()) {
      if (file.kind !== 'definition' && file.kind !== 'message') continue;
      const subjectOf = file.kind === 'definition' ? file.definition : file.method;
      verdicts.set(subjectOf, new Set([...(verdicts.get(subjectOf) ?? []), ...file.vectors.map(({ valid }) => valid)]));
    }
    for (const { name } of protocol.definitions) expect(verdicts.get(name)?.has(true), name).toBe(true);
    for (const { name, direction } of protocol.methods)
      if (direction !== 'embedded') expect([...(verdicts.get(name) ?? [])].sort(), name).toEqual([false, true]);
  });
});

test('a vector reads well: `name` of CallToolRequestParams', async () => {
  const vectors = await vectorsOfSubject(subjectOf('2025-11-25'));
  const find = (name: string): unknown =>
    [...definitionVectors(vectors).map(([, vector]) => vector), ...messageVectors(vectors)].find(
      (vector) => vector.name === name,
    );
  expect(find('CallToolRequestParams/name/missing')).toEqual({
    name: 'CallToolRequestParams/name/missing',
    valid: false,
    pointer: '/name',
    rule: 'required',
    reason: 'The required member `name` is missing.',
    value: {},
  });
  expect(find('messages/tools/call/from-server')).toMatchObject({
    valid: false,
    pointer: '/method',
    rule: 'direction',
  });
  expect(find('ElicitResult/content/entry/is-union')).toBeDefined();
  expect(find('RequestId/decimal-point')).toMatchObject({ valid: true, value: 1, text: '1.0', flags: ['notation'] });
});

test('errata are marked: the official schema rejects a fraction in the content of a form', async () => {
  const vectors = await vectorsOfSubject(subjectOf('2025-06-18'));
  const marked = definitionVectors(vectors).filter(([, { erratum }]) => erratum === 'elicit-result-numbers');
  expect(marked.map(([name, { valid, officialValid }]) => ({ name, valid, officialValid }))).toEqual([
    { name: 'ElicitResult', valid: true, officialValid: false },
  ]);
});

describe('generateVectors', () => {
  test('writes an index, its schema and a file for each subject, and nothing when run again', async () => {
    const options = { revisions: ['2024-11-05'], out };
    const first = await generateVectors(options);
    expect(first.upToDate).toBe(false);
    const folder = path.join(out, '2024-11-05');
    const read = (file: string): unknown => parseUntrustedJson(readFileSync(path.join(folder, file), 'utf8'), file);
    const index = read('index.json') as VectorIndex;
    expect(isForm(index)).toBe(true);
    for (const { path: file, count } of index.files) {
      const contents = read(file) as { readonly vectors: readonly unknown[] };
      expect(isForm(contents), file).toBe(true);
      expect(contents.vectors).toHaveLength(count);
    }
    expect(readdirSync(folder)).toContain('vectors.schema.json');
    const second = await generateVectors(options);
    expect(second.upToDate).toBe(true);
    expect(second.changes.every(({ status }) => status === 'unchanged')).toBe(true);
  });
});

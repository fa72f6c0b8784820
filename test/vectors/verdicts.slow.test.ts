/** Every vector, against generated validators and against Ajv with the corrected and the official schemas. */
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { render } from '../../generator/index.js';
import type { Validation } from '../../templates/runtime/validation.js';
import { oracleOf } from '../support/oracle.js';
import { validatorsOf } from '../support/validators.js';
import { itemsOf, shareOfToday } from '../support/today.js';
import {
  ajvMessageVerdict,
  definitionVectors,
  messageVectors,
  ourMessageVerdict,
  schemaOf,
  SUBJECTS,
  valueOf,
  vectorsOfSubject,
  verdictOf,
  type MessageValidators,
} from './support.js';
import { importOutput } from '../support/import-output.js';

const root = path.resolve(import.meta.dirname, '../..');
let out: string;
beforeAll(() => {
  out = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-vectors-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(out, 'node_modules'));
  writeFileSync(path.join(out, 'package.json'), '{ "type": "module" }');
});
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

type Module = Readonly<Record<string, (value: unknown) => Validation<unknown>>>;

/** The validators of a subject: those that are committed, or generated ones with the extension. */
async function validators(subject: (typeof SUBJECTS)[number]): Promise<Module> {
  if (subject.extensions.length === 0) return (await validatorsOf(subject.revision)) as Module;
  const { protocol } = await vectorsOfSubject(subject);
  for (const file of await render(protocol, out, { emit: ['validators'] })) {
    mkdirSync(path.dirname(path.join(out, file.path)), { recursive: true });
    writeFileSync(path.join(out, file.path), file.contents);
  }
  return importOutput<Module>(path.join(out, subject.revision, 'validators.ts'));
}

/** Each takes several seconds. */
const TODAY = itemsOf(SUBJECTS, shareOfToday(SUBJECTS.length));

describe.each(TODAY)('vectors of $title', (subject) => {
  test('of definitions have the verdicts and pointers of our validators', async () => {
    const vectors = await vectorsOfSubject(subject);
    const module = await validators(subject);
    const differences: unknown[] = [];
    for (const [name, vector] of definitionVectors(vectors)) {
      const validate = module[`validate${name}Definition`] ?? module[`validate${name}`];
      if (validate === undefined) throw new Error(`no validator of ${name}`);
      const { valid, pointer } = verdictOf(validate(valueOf(vector)));
      if (valid !== vector.valid || (vector.pointer !== undefined && pointer !== vector.pointer))
        differences.push({ name: vector.name, vector: vector.pointer ?? vector.valid, ours: pointer ?? valid });
    }
    expect(differences).toEqual([]);
  });

  test('of messages have the verdicts and pointers of our validators', async () => {
    const vectors = await vectorsOfSubject(subject);
    const module = (await validators(subject)) as unknown as MessageValidators;
    const differences: unknown[] = [];
    for (const vector of messageVectors(vectors)) {
      const message = valueOf(vector);
      const { valid, pointer } = ourMessageVerdict(vectors.protocol, module, { ...vector, message });
      if (valid !== vector.valid || (vector.pointer !== undefined && pointer !== vector.pointer))
        differences.push({ name: vector.name, vector: vector.pointer ?? vector.valid, ours: pointer ?? valid });
    }
    expect(differences).toEqual([]);
  });

  test('have the verdicts of Ajv, with errata and without', async () => {
    const vectors = await vectorsOfSubject(subject);
    const differences: string[] = [];
    for (const isCorrected of [true, false]) {
      const definitions = schemaOf(subject, vectors.protocol, isCorrected);
      const oracle = oracleOf(definitions);
      const message = ajvMessageVerdict(vectors.protocol, definitions);
      // A rule that no schema has is not one of an erratum; see the next test.
      const expected = (vector: { valid: boolean; officialValid?: boolean; erratum?: string }): boolean =>
        isCorrected || vector.erratum === undefined ? vector.valid : (vector.officialValid ?? vector.valid);
      for (const [name, vector] of definitionVectors(vectors))
        if (oracle(name)(valueOf(vector)) !== expected(vector))
          differences.push(`${vector.name} ${String(isCorrected)}`);
      for (const vector of messageVectors(vectors))
        if (message(vector) !== expected(vector)) differences.push(`${vector.name} ${String(isCorrected)}`);
    }
    expect(differences).toEqual([]);
  });

  test('differ from the official schema without an erratum only where no schema has the rule', async () => {
    const vectors = await vectorsOfSubject(subject);
    const all = [...definitionVectors(vectors).map(([, vector]) => vector), ...messageVectors(vectors)];
    const differing = all.filter(({ officialValid, erratum }) => officialValid !== undefined && erratum === undefined);
    expect(differing.map(({ name }) => name)).toEqual(
      ['messages/envelope/error-id-null', 'messages/envelope/result-without-kind'].filter(
        (name) => name.endsWith('null') || subject.revision === '2026-07-28',
      ),
    );
    expect(all.every(({ valid, officialValid }) => officialValid !== valid)).toBe(true);
  });
});

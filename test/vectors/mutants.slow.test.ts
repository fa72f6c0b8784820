/** What the vectors of definitions catch, and which of them nothing else replaces. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmitContext } from '../../generator/emit/context.js';
import { emitValidators } from '../../generator/emit/validators.js';
import type { Protocol } from '../../generator/model/protocol.js';
import { findRejection, typesByName, type TypesByName } from '../../generator/model/types/accepts.js';
import type { DefinitionVector } from '../../generator/vectors/form.js';
import type { Validation } from '../../templates/runtime/validation.js';
import { itemsOf, shareOfToday } from '../support/today.js';
import { mutantsOf, type Mutant } from './mutants.js';
import { subjectOf, SUBJECTS, valueOf, vectorsOfSubject, type Vectors } from './support.js';
import { importOutput } from '../support/import-output.js';

/** A mutant with the vectors of its definition that catch it. */
interface Tried {
  readonly definition: string;
  readonly mutant: Mutant;
  readonly killers: readonly DefinitionVector[];
}

function tryMutants({ protocol, set }: Vectors): readonly Tried[] {
  const types = typesByName(protocol);
  const mutated = new Map(types);
  return [...set.files.values()].flatMap((file) => {
    if (file.kind !== 'definition') return [];
    const type = types.get(file.definition);
    if (type === undefined) throw new Error(`${file.definition} has no type`);
    const tried = [...mutantsOf(type, (name) => types.get(name))].map((mutant): Tried => {
      mutated.set(file.definition, mutant.type);
      const killers = file.vectors.filter((vector) => isKilledBy(mutated, mutant, vector));
      return { definition: file.definition, mutant, killers };
    });
    mutated.set(file.definition, type);
    return tried;
  });
}

function isKilledBy(types: TypesByName, { type }: Mutant, vector: DefinitionVector): boolean {
  return (findRejection(types, type, valueOf(vector)) === undefined) !== vector.valid;
}

/** Each takes several seconds. */
const TODAY = itemsOf(SUBJECTS, shareOfToday(3));

test.each(TODAY)('the vectors of $title catch 97 % of all changes of a check', async (subject) => {
  const tried = tryMutants(await vectorsOfSubject(subject));
  const killed = tried.filter(({ killers }) => killers.length > 0);
  console.log(`${subject.title}: ${killed.length} of ${tried.length} mutants caught`);
  expect(tried.length).toBeGreaterThan(2000);
  expect(killed.length / tried.length).toBeGreaterThan(0.97);
  // What is left accepts what the definition accepts, or is deeper than one value per branch shows; never a whole member.
  const missing = tried.filter(({ mutant, killers }) => killers.length === 0 && mutant.check.endsWith(' is optional'));
  expect(missing.filter(({ definition }) => !definition.endsWith('Error'))).toEqual([]);
});

/** Why a vector stays although another one catches the same changes. */
const JUSTIFIED: Readonly<Record<string, RegExp>> = {
  'positive: the value that the invalid ones are changes of': /\/smallest$/,
  'positive: tells the rejection of a known member from that of an unknown one': /\/fullest$/,
  'positive: each definition has these, so that their names are predictable': /\/(?:empty|sparse|unknown-member)$/,
  'positive: a branch whose values another one also accepts': /\/is-[^/]+$/,
  'boundary: how numbers and names are written, which a parsed value does not show':
    /\/(?:unusual-names|decimal-point|exponent|negative-zero|large-integer)$/,
  'wiring: a branch of a union in a union, or one that rejects little': /\/(?:reference|unknown-value)$/,
  'wiring: a member that two parts of an intersection require': /\/code\/missing$/,
};

test('each vector of 2025-11-25 catches what no other does, or has a reason to stay', async () => {
  const vectors = await vectorsOfSubject(subjectOf('2025-11-25'));
  // A vector that an implementation may leave out is no substitute.
  const unique = new Set(
    tryMutants(vectors).flatMap(({ killers }) => {
      const [only, second] = killers.filter(({ flags }) => flags === undefined);
      return only === undefined || second !== undefined ? [] : [only.name];
    }),
  );
  const all = [...vectors.set.files.values()].flatMap((file) =>
    file.kind === 'definition' ? file.vectors.map(({ name }) => name) : [],
  );
  const others = all.filter((name) => !unique.has(name));
  const counts = Object.entries(JUSTIFIED).map(([reason, pattern]) => [
    reason,
    others.filter((name) => pattern.test(name)).length,
  ]);
  console.log(`${all.length} vectors, ${unique.size} of them catch what no other does`, Object.fromEntries(counts));
  expect(others.filter((name) => !Object.values(JUSTIFIED).some((pattern) => pattern.test(name)))).toEqual([]);
  expect(unique.size / all.length).toBeGreaterThan(0.8);
  // Those that are only there as a second of their kind stay few.
  expect(others.filter((name) => /\/(?:reference|unknown-value|missing)$/.test(name)).length).toBeLessThan(30);
});

const root = path.resolve(import.meta.dirname, '../..');
let out: string;
beforeAll(() => {
  out = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-mutants-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(out, 'node_modules'));
  writeFileSync(path.join(out, 'package.json'), '{ "type": "module" }');
});
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

/** Mutants of each revision whose validators are generated. */
const GENERATED = 10;

test.each(TODAY.filter(({ extensions }) => extensions.length === 0))(
  `${GENERATED} mutants of the generated validators of $title are caught`,
  async (subject) => {
    const vectors = await vectorsOfSubject(subject);
    const tried = tryMutants(vectors).filter(({ killers }) => killers.length > 0);
    const checks = new Set<string>();
    const survivors: string[] = [];
    for (let index = 0; index < GENERATED; index += 1) {
      const one = tried[Math.floor(((index + 0.5) * tried.length) / GENERATED)];
      if (one === undefined) throw new Error('there are too few mutants');
      checks.add(one.mutant.check);
      const name = `${one.definition}${one.mutant.name}`;
      const module = await mutatedValidators(vectors.protocol, subject.revision, one, String(index));
      const validate = module[`validate${one.definition}Definition`] ?? module[`validate${one.definition}`];
      if (validate === undefined) throw new Error(`no validator of ${one.definition}`);
      const file = [...vectors.set.files.values()].find(
        (item) => item.kind === 'definition' && item.definition === one.definition,
      );
      const own = (file?.vectors ?? []) as readonly DefinitionVector[];
      const isCaught = own.some((vector) => validate(valueOf(vector)).success !== vector.valid);
      if (!isCaught) survivors.push(name);
    }
    expect(survivors).toEqual([]);
    expect(checks.size).toBeGreaterThan(GENERATED / 2);
  },
);

type Module = Readonly<Record<string, (value: unknown) => Validation<unknown>>>;

async function mutatedValidators(protocol: Protocol, revision: string, one: Tried, number: string): Promise<Module> {
  const definitions = protocol.definitions.map((definition) =>
    definition.name === one.definition ? { ...definition, type: one.mutant.type } : definition,
  );
  const file = emitValidators(createEmitContext({ ...protocol, definitions }));
  const text = file.print({ header: '', importExtension: 'js', fileNames: new Map() }).join('\n\n');
  const generated = path.join(root, 'generated');
  const absolute = text
    .replaceAll(/from (['"])\.\//g, `from $1${generated}/${revision}/`)
    .replaceAll(/from (['"])\.\.\//g, `from $1${generated}/`)
    .replaceAll(/(from ['"][^'"]+)\.js(['"])/g, '$1.ts$2');
  const target = path.join(out, `${revision}-${number}.ts`);
  writeFileSync(target, absolute);
  return importOutput<Module>(target);
}

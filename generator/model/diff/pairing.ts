import { compareText } from '../../read/json/json.js';
import { asObjectType, resolveType, typesByName, type TypesByName } from '../types/accepts.js';
import { Assignability } from '../types/assignable.js';
import { methodLiteralOf } from '../catalog/derive.js';
import { refsIn } from '../types/references.js';
import type { Protocol, TypeNode } from '../protocol.js';

/** A definition that seems to be renamed. */
export interface Rename {
  readonly before: string;
  readonly after: string;
  /** Whether the rename is known; otherwise it is a guess. */
  readonly isKnown: boolean;
  /** The evidence of a guess; for a known rename, its revision. */
  readonly evidence: readonly string[];
}

/** Minimum share of equal members for a guessed rename. */
const MIN_ALIKE = 0.6;

/**
 * Finds renamed definitions: known renames first, then guesses by a common method, or by equal structure and places of
 * use.
 */
export function findRenames(before: Protocol, after: Protocol): readonly Rename[] {
  const [old, now] = [typesByName(before), typesByName(after)];
  const fact = (from: string, to: string, since: string): readonly Rename[] =>
    old.has(from) && !old.has(to) && now.has(to) && !now.has(from)
      ? [{ before: from, after: to, isKnown: true, evidence: [since] }]
      : [];
  const knownRenames = [
    ...after.formerNames.flatMap((item) => fact(item.before, item.after, `has this name since ${item.revision}`)),
    // In reverse, from a newer revision to an older one.
    ...before.formerNames.flatMap((item) => fact(item.after, item.before, `had this name before ${item.revision}`)),
  ];
  const told = new Set(knownRenames.flatMap((item) => [`-${item.before}`, `+${item.after}`]));
  const guesses = guessRenames(
    before,
    after,
    (name) => told.has(`-${name}`),
    (name) => told.has(`+${name}`),
  );
  return [...knownRenames, ...guesses];
}

/**
 * Guesses renames between removed and added definitions.
 *
 * @param isKnownBefore - Whether an old name belongs to a known rename.
 * @param isKnownAfter - Whether a new name belongs to a known rename.
 */
export function guessRenames(
  before: Protocol,
  after: Protocol,
  isKnownBefore: (name: string) => boolean = () => false,
  isKnownAfter: (name: string) => boolean = () => false,
): readonly Rename[] {
  const [old, now] = [typesByName(before), typesByName(after)];
  const names = ({ definitions }: Protocol): readonly string[] => definitions.map(({ name }) => name);
  const gone = names(before).filter((name) => !now.has(name) && !isKnownBefore(name));
  const fresh = names(after).filter((name) => !old.has(name) && !isKnownAfter(name));
  const forward = new Assignability(old, now);
  const backward = new Assignability(now, old);
  const [oldUses, newUses] = [definitionUses(old), definitionUses(now)];
  const candidates = gone.flatMap((a) =>
    fresh.flatMap((b) => {
      const [from, to] = [old.get(a), now.get(b)];
      if (from === undefined || to === undefined) return [];
      const same = forward.holds(from, to) && backward.holds(to, from);
      const alike = likeness(old, from, now, to, forward, backward);
      const shared = (oldUses.get(a) ?? []).filter((use) => newUses.get(b)?.includes(use) === true);
      const method = methodLiteralOf(from);
      const carries = method !== undefined && method === methodLiteralOf(to);
      const score = (carries ? 4 : 0) + alike.share + (shared.length > 0 ? 1 : 0) + (same ? 0.5 : 0);
      const likely = carries || (alike.share >= MIN_ALIKE && (shared.length > 0 || (same && alike.share === 1)));
      if (!likely) return [];
      const evidence = [
        ...(carries ? [`both have the method ${method}`] : []),
        ...(same ? ['the same structure'] : []),
        ...(alike.of > 1 ? [`${alike.count} of ${alike.of} members alike`] : []),
        ...(shared.length > 0 ? [`is used in the same place: ${shared.slice(0, 3).join(', ')}`] : []),
      ];
      return [{ before: a, after: b, score, evidence }];
    }),
  );
  candidates.sort((a, b) => b.score - a.score || compareText(a.before, b.before) || compareText(a.after, b.after));
  const taken = new Set<string>();
  return candidates.flatMap(({ before: a, after: b, score, evidence }) => {
    if (taken.has(`-${a}`) || taken.has(`+${b}`)) return [];
    // If two candidates are equally likely, neither is chosen.
    const rival = candidates.some(
      (other) =>
        other.score === score && (other.before === a) !== (other.after === b) && !taken.has(`-${other.before}`),
    );
    if (rival) return [];
    taken.add(`-${a}`).add(`+${b}`);
    return [{ before: a, after: b, isKnown: false, evidence }];
  });
}

interface Likeness {
  readonly share: number;
  readonly count: number;
  readonly of: number;
}

/** Counts the equal members of two object types; other types are equal if they are the same. */
function likeness(
  old: TypesByName,
  from: TypeNode,
  now: TypesByName,
  to: TypeNode,
  forward: Assignability,
  backward: Assignability,
): Likeness {
  const [a, b] = [asObjectType(old, from), asObjectType(now, to)];
  if (a === undefined || b === undefined) {
    if (resolveType(old, from).kind !== resolveType(now, to).kind) return { share: 0, count: 0, of: 1 };
    // Two strings, or two unions of strings, are not evidence.
    const telling = resolveType(old, from).kind === 'union';
    return { share: telling && forward.holds(from, to) && backward.holds(to, from) ? 1 : 0, count: 1, of: 1 };
  }
  const members = new Map(a.members.map((member) => [member.name, member]));
  const names = new Set([...members.keys(), ...b.members.map((member) => member.name)]);
  let count = 0;
  for (const member of b.members) {
    const other = members.get(member.name);
    if (other === undefined) continue;
    if (forward.holds(other.type, member.type) || backward.holds(member.type, other.type)) count += 1;
    // Different discriminating literals mean different types.
    else if (other.type.kind === 'literal' && member.type.kind === 'literal') return { share: 0, count: 0, of: 1 };
  }
  return { share: names.size === 0 ? 0 : count / names.size, count, of: names.size };
}

/** The places that refer to each definition: `CompleteRequest.params`. */
function definitionUses(types: TypesByName): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, string[]>();
  const note = (type: TypeNode, place: string): void => {
    for (const name of refsIn(type)) uses.set(name, [...(uses.get(name) ?? []), place]);
  };
  for (const [name, type] of types) {
    if (type.kind === 'object') for (const member of type.members) note(member.type, `${name}.${member.name}`);
    else note(type, name);
  }
  return uses;
}

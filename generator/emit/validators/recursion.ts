/**
 * Finds definitions that contain themselves, and those whose check can take exponential time.
 */
import type { Definitions, TypeNode } from '../../model/protocol.js';
import { refsIn, typesInRule } from '../../model/types/references.js';
import { discriminate } from '../../model/types/discriminate.js';
import type { TypeLookup } from '../../model/types/references.js';

/** Definitions that can contain themselves: those of a cycle of references, found in one pass (Tarjan's algorithm). */
export function recursiveDefinitions(protocol: Definitions): ReadonlySet<string> {
  const targets = new Map(
    protocol.definitions.map((definition) => [definition.name, [...new Set(refsIn(definition.type))]]),
  );
  const recursive = new Set<string>();
  /** When each definition was first visited, and the earliest one that it leads back to. */
  const order = new Map<string, number>();
  const earliest = new Map<string, number>();
  /** Visited definitions whose cycle is not complete yet. */
  const pending: string[] = [];
  const isPending = new Set<string>();
  const lower = (name: string, to: number): void => {
    earliest.set(name, Math.min(earliest.get(name) ?? to, to));
  };
  const complete = (name: string): void => {
    if (earliest.get(name) !== order.get(name)) return;
    const cycle = pending.splice(pending.lastIndexOf(name));
    for (const member of cycle) {
      isPending.delete(member);
      if (cycle.length > 1 || targets.get(member)?.includes(member) === true) recursive.add(member);
    }
  };
  // Iterative, since a long chain would be too deep for recursion.
  for (const start of targets.keys()) {
    const path: { readonly name: string; next: number }[] = [];
    const enter = (name: string): void => {
      earliest.set(name, order.size);
      order.set(name, order.size);
      pending.push(name);
      isPending.add(name);
      path.push({ name, next: 0 });
    };
    if (!order.has(start)) enter(start);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const target = targets.get(visit.name)?.[visit.next];
      visit.next += 1;
      if (target !== undefined) {
        if (!order.has(target)) enter(target);
        else if (isPending.has(target)) lower(visit.name, order.get(target) ?? 0);
        continue;
      }
      path.pop();
      complete(visit.name);
      const parent = path.at(-1);
      if (parent !== undefined && isPending.has(visit.name)) lower(parent.name, earliest.get(visit.name) ?? 0);
    }
  }
  return recursive;
}

/** Maximum length of a chain of definitions with indistinguishable branches, each of which checks the rest again. */
const MAX_CALL_CHAIN = 4;

/**
 * Definitions that begin a long chain in which several branches of each contain the next one: without kept verdicts, the
 * time doubles with each, although none of them contains itself.
 */
export function branchingDefinitions(protocol: Definitions, lookup: TypeLookup): ReadonlySet<string> {
  const types = new Map(protocol.definitions.map(({ name, type }) => [name, type]));
  const lengths = new Map<string, number>();
  // Iterative, since a long chain would be too deep for recursion.
  for (const start of types.keys()) {
    const open = [start];
    for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
      const type = types.get(name);
      const targets = type === undefined ? [] : refsIn(type);
      const missing = lengths.has(name) ? [] : targets.filter((target) => !lengths.has(target));
      // A definition that is already being visited counts as 0, which ends a cycle.
      if (!lengths.has(name)) lengths.set(name, 0);
      if (missing.length > 0) {
        open.push(...missing);
        continue;
      }
      open.pop();
      const longest = targets.reduce((most, target) => Math.max(most, lengths.get(target) ?? 0), 0);
      lengths.set(name, longest + (type !== undefined && isBranching(type, lookup) ? 1 : 0));
    }
  }
  return new Set([...lengths].filter(([, length]) => length > MAX_CALL_CHAIN).map(([name]) => name));
}

/** Whether a type contains one of whose parts several may have to be checked completely, for one value. */
function isBranching(type: TypeNode, lookup: TypeLookup): boolean {
  const referring = (parts: readonly TypeNode[]): readonly TypeNode[] =>
    parts.filter((part) => refsIn(part).length > 0);
  const anyInside = (parts: readonly TypeNode[]): boolean => parts.some((part) => isBranching(part, lookup));
  switch (type.kind) {
    case 'union': {
      if (anyInside(type.variants)) return true;
      const compound = referring(type.variants);
      return compound.length > 1 && (type.exclusive || discriminate(compound, lookup) === undefined);
    }
    case 'intersection':
      return referring(type.parts).length > 1 || anyInside(type.parts);
    case 'refined': {
      const parts = [type.type, ...type.rules.flatMap(typesInRule)];
      return referring(parts).length > 1 || anyInside(parts);
    }
    case 'array':
      return anyInside([...(type.prefix ?? []), type.items]);
    case 'object': {
      const members = type.members.map((member) => member.type);
      const patterns = (type.patterns ?? []).map((pattern) => pattern.type);
      // A member may match several patterns.
      const isShared = referring(patterns).length > 0 && referring([...members, ...patterns]).length > 1;
      return isShared || anyInside([...members, ...patterns, ...(type.rest === undefined ? [] : [type.rest])]);
    }
    default:
      return false;
  }
}

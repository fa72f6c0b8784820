/**
 * Definitions that are only references, and refer back to themselves.
 */
import type { Definition, TypeNode } from '../protocol.js';
import { inPlaceTypes } from '../types/references.js';
import { McpgenError } from '../../errors.js';

/**
 * Rejects aliases that are only references to themselves, as TypeScript does; recursion through objects and arrays is
 * fine.
 */
export function refuseAliasCycles(definitions: readonly Definition[], placeOf: (name: string) => string): void {
  const cycle = findAliasCycle(definitions);
  if (cycle !== undefined) throw aliasCycleError(cycle, placeOf(cycle[0] ?? ''));
}

/** The names of definitions that are only references to each other, in their order; undefined without such a cycle. */
export function findAliasCycle(definitions: readonly Definition[]): readonly string[] | undefined {
  const targets = new Map(definitions.map((definition) => [definition.name, aliasTargets(definition.type)]));
  const done = new Set<string>();
  for (const { name: start } of definitions) {
    // Iterative, since a long chain of aliases would overflow the stack. The map keeps the order of the trail.
    const trail = new Map([[start, [...(targets.get(start) ?? [])]]]);
    const steps = [start];
    for (let name = steps.at(-1); name !== undefined; name = steps.at(-1)) {
      const next = trail.get(name)?.pop();
      if (next === undefined || done.has(name)) {
        done.add(name);
        trail.delete(name);
        steps.pop();
      } else if (trail.has(next)) {
        return steps.slice(steps.indexOf(next));
      } else if (!done.has(next)) {
        trail.set(next, [...(targets.get(next) ?? [])]);
        steps.push(next);
      }
    }
  }
  return undefined;
}

function aliasCycleError(names: readonly string[], place: string): McpgenError {
  const [first = ''] = names;
  const shown = names.length > 10 ? [...names.slice(0, 10), `${names.length - 10} more`] : names;
  return new McpgenError(`circular definitions: ${[...shown, first].join(' -> ')}`, {
    place,
    remedy: 'A definition may contain itself in a member or an array, but not be an alias of itself.',
  });
}

function aliasTargets(type: TypeNode): readonly string[] {
  switch (type.kind) {
    case 'ref':
      return [type.name];
    case 'union':
      return type.variants.flatMap(aliasTargets);
    case 'intersection':
      return type.parts.flatMap(aliasTargets);
    case 'refined':
      return [type.type, ...type.rules.flatMap(inPlaceTypes)].flatMap(aliasTargets);
    default:
      return [];
  }
}

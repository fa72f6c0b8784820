/**
 * References and anchors in the schema of a tool.
 */
import { formatPointer, isObject, ownMember, parsePointer } from '../json/json.js';
import type { JsonValue } from '../json/json.js';

/** Pointers of all anchors in a schema, by name; the first of duplicates is used. */
export function findAnchors(schema: JsonValue | undefined, base: string): ReadonlyMap<string, string> {
  const anchors = new Map<string, string>();
  const open: [JsonValue | undefined, string][] = [[schema, base]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, pointer] = next;
    if (value === null || typeof value !== 'object') continue;
    if (isObject(value)) {
      const [anchor, id] = [ownMember(value, '$anchor'), ownMember(value, '$id')];
      for (const name of [anchor, typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined]) {
        if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, pointer);
      }
    }
    for (const [key, child] of Object.entries(value)) open.push([child, pointer + formatPointer(key)]);
  }
  return anchors;
}

/** The part of a key that remains when it becomes a name. */
export function definitionNameOf(key: string): string {
  return key.replaceAll(' ', '').toLowerCase();
}

/**
 * Keys of all definitions that a schema references anywhere; constants are never objects, so they contain no
 * references.
 */
export function referencedKeys(schema: JsonValue): readonly string[] {
  if (Array.isArray(schema)) return (schema as readonly JsonValue[]).flatMap(referencedKeys);
  if (!isObject(schema)) return [];
  const ref = ownMember(schema, '$ref');
  const own = typeof ref === 'string' ? [parsePointer(ref.slice(1))[1] ?? ''] : [];
  return [...own, ...Object.values(schema).flatMap(referencedKeys)];
}

/** Keys of the definitions that a schema aliases, directly or as a variant or part. */
function aliasedKeys(schema: JsonValue): string[] {
  if (!isObject(schema)) return [];
  const ref = ownMember(schema, '$ref');
  const own = typeof ref === 'string' ? [parsePointer(ref.slice(1))[1] ?? ''] : [];
  const parts = (['anyOf', 'oneOf', 'allOf'] as const).flatMap(
    (keyword) => (ownMember(schema, keyword) ?? []) as readonly JsonValue[],
  );
  return [...own, ...parts.flatMap(aliasedKeys)];
}

/**
 * Replaces one definition of each cycle of definitions that are nothing but references by `true`.
 *
 * @returns The keys of the replaced ones.
 */
export function breakAliasCycles(definitions: Map<string, JsonValue>): readonly string[] {
  const broken: string[] = [];
  const done = new Set<string>();
  for (const start of definitions.keys()) {
    const trail: { key: string; open: string[] }[] = [];
    const onTrail = new Set<string>();
    const enter = (key: string): void => {
      trail.push({ key, open: aliasedKeys(definitions.get(key) ?? true) });
      onTrail.add(key);
    };
    if (!done.has(start)) enter(start);
    for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
      const next = top.open.pop();
      if (next === undefined) {
        done.add(top.key);
        onTrail.delete(top.key);
        trail.pop();
      } else if (onTrail.has(next)) {
        definitions.set(next, true);
        broken.push(next);
      } else if (!done.has(next)) enter(next);
    }
  }
  return broken;
}

/** The built-in revisions as values of the generated code, for those who speak them or read what others say. */
import { revision as revision20241105 } from '../generated/2024-11-05/revision.js';
import { revision as revision20250326 } from '../generated/2025-03-26/revision.js';
import { revision as revision20250618 } from '../generated/2025-06-18/revision.js';
import { revision as revision20251125 } from '../generated/2025-11-25/revision.js';
import { revision as revision20260728 } from '../generated/2026-07-28/revision.js';
import type { MethodInfo, Revision, Side } from '../generated/runtime/protocol/revision.js';

/** All released revisions, in order. */
export const REVISIONS: readonly Revision[] = [
  revision20241105,
  revision20250326,
  revision20250618,
  revision20251125,
  revision20260728,
];

/** A released revision by its name. */
export function findRevision(version: unknown): Revision | undefined {
  return REVISIONS.find((revision) => revision.version === version);
}

/** Whether a revision of this name was released. */
export function isReleased(version: string): boolean {
  return findRevision(version) !== undefined;
}

/** What a revision says about a method; undefined if it does not have it. */
export function methodInfo(revision: Revision, method: string): MethodInfo | undefined {
  return Object.hasOwn(revision.methods, method) ? revision.methods[method] : undefined;
}

/** The side that sends a method in every revision that has it; undefined if both do, or none. */
export function senderOf(method: string): Side | undefined {
  const directions = new Set<string>();
  for (const revision of REVISIONS) {
    const info = methodInfo(revision, method);
    if (info !== undefined) directions.add(info.direction);
  }
  if (directions.size !== 1) return undefined;
  if (directions.has('clientToServer')) return 'client';
  return directions.has('serverToClient') ? 'server' : undefined;
}

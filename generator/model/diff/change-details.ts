import { DIRECTION_UNIONS } from '../protocol.js';
import type { Change } from './change.js';

/** Unions that say who sends what: their changes are reported as those of methods and their results. */
export const DIRECTION_UNION_NAMES: ReadonlySet<string> = new Set(
  Object.values(DIRECTION_UNIONS).flatMap(Object.values<string>),
);

/** Names that the protocol keeps for itself (specification, basic, `_meta`). */
export const MCP_NAME_PREFIX = /^(?:[\w-]+\.)*(?:modelcontextprotocol|mcp)(?:\.[\w-]+)*\//;

/** Least share of members that two variants have in common to be taken for one. */
export const MIN_LIKENESS = 0.5;

/** Annotations, which no value is validated against. */
export const ANNOTATION_KEYWORDS: ReadonlySet<string> = new Set(['format', 'contentEncoding', 'contentMediaType']);

export type ChangeDetails = Omit<Change, 'sentBy' | 'rule' | 'subject' | 'name' | 'path'>;

export function listLocations(places: readonly string[]): string {
  return places.length === 0 ? '' : ` and ${places.length} more`;
}

export function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

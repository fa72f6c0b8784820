import { DIRECTION_UNIONS } from '../protocol.js';
import type { Change } from './change.js';

/** Unions that define who sends what: their changes are reported as changes of methods and results. */
export const DIRECTION_UNION_NAMES: ReadonlySet<string> = new Set(
  Object.values(DIRECTION_UNIONS).flatMap(Object.values<string>),
);

/** Names that the protocol reserves (specification, basic, `_meta`). */
export const MCP_NAME_PREFIX = /^(?:[\w-]+\.)*(?:modelcontextprotocol|mcp)(?:\.[\w-]+)*\//;

/** Minimum share of common members for two variants to correspond. */
export const MIN_LIKENESS = 0.5;

/** Annotations, which do not affect validation. */
export const ANNOTATION_KEYWORDS: ReadonlySet<string> = new Set(['format', 'contentEncoding', 'contentMediaType']);

export type ChangeDetails = Omit<Change, 'sentBy' | 'rule' | 'subject' | 'name' | 'path'>;

export function listLocations(places: readonly string[]): string {
  return places.length === 0 ? '' : ` and ${places.length} more`;
}

export function showValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

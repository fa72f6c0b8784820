import type { Change } from './change.js';

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

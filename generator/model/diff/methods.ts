/**
 * Descriptions of methods in a comparison.
 */
import type { Method } from '../protocol.js';
import type { RuleId } from './rules.js';

/** A method, as sent by the side that may no longer send it. */
export function methodWithLostDirection(a: Method, b: Method): Method {
  return { ...a, direction: b.direction === 'clientToServer' ? 'serverToClient' : 'clientToServer' };
}

export const DIRECTIONS = {
  clientToServer: 'sent by the client',
  serverToClient: 'sent by the server',
  both: 'sent by either side',
  embedded: 'inside results',
} as const;

export function directionRule(a: Method, b: Method): RuleId | undefined {
  if (a.direction === b.direction) return undefined;
  if (b.direction === 'embedded') return 'method-embedded';
  if (a.direction === 'embedded') return 'method-unembedded';
  if (b.direction === 'both') return 'direction-widened';
  return a.direction === 'both' ? 'direction-narrowed' : 'direction-turned';
}

export function describe(method: Method): string {
  return `${method.kind}, ${DIRECTIONS[method.direction]}`;
}

export function allResults({ results, taskResult }: Method): readonly string[] {
  return taskResult === undefined ? results : [...results, taskResult];
}

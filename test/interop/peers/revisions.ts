import { revision as r2024 } from '../../../generated/2024-11-05/revision.js';
import { revision as r202503 } from '../../../generated/2025-03-26/revision.js';
import { revision as r202506 } from '../../../generated/2025-06-18/revision.js';
import { revision as r202511 } from '../../../generated/2025-11-25/revision.js';
import { revision as r2026 } from '../../../generated/2026-07-28/revision.js';
import type { Revision } from '../../../generated/runtime/protocol/revision.js';

export const ALL: readonly Revision[] = [r2024, r202503, r202506, r202511, r2026];

export const NAMES: readonly string[] = ALL.map(({ version }) => version);

/** Those of a list of names. */
export function named(names: readonly string[]): readonly Revision[] {
  return ALL.filter(({ version }) => names.includes(version));
}

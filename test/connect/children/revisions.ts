import { revision as r20241105 } from '../../../generated/2024-11-05/revision.js';
import { revision as r20250326 } from '../../../generated/2025-03-26/revision.js';
import { revision as r20250618 } from '../../../generated/2025-06-18/revision.js';
import { revision as r20251125 } from '../../../generated/2025-11-25/revision.js';
import { revision as r20260728 } from '../../../generated/2026-07-28/revision.js';
import type { Revision } from '../../../generated/runtime/protocol/revision.js';

export const ALL: readonly Revision[] = [r20241105, r20250326, r20250618, r20251125, r20260728];

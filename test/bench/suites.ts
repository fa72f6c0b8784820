/** All benchmarks, in the order in which they run. */
import { firstAnswers, memory, stdio } from './calls.js';
import { codec } from './codec.js';
import { diff, generate } from './commands.js';
import { growth } from './growth.js';
import { http } from './http.js';
import { sizes } from './sizes.js';
import type { GrowthSuite, SizeSuite, Suite } from './suite.js';
import { tools } from './tools.js';
import { types } from './types.js';
import { validators } from './validators.js';

export const SUITES: readonly Suite[] = [
  generate,
  memory,
  stdio,
  http,
  validators,
  tools,
  codec,
  types,
  firstAnswers,
  diff,
];
export const GROWTH: readonly GrowthSuite[] = growth;
export const SIZES: readonly SizeSuite[] = [sizes];

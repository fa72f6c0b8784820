import type { Severity } from '../../inspect/rule.js';
import { stdoutColors } from '../../terminal.js';

/** How severities look on standard output. */
export const PAINT: Readonly<Record<Severity, (text: string) => string>> = {
  violation: stdoutColors.red,
  deviation: stdoutColors.yellow,
  advice: stdoutColors.cyan,
};

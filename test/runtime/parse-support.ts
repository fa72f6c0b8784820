import { parseMessage } from '../../templates/runtime/index.js';
import type { Classification, Parsed, ParseOptions } from '../../templates/runtime/index.js';
import { classify } from './codec-support.js';

export function parse(input: string | Uint8Array, options: Partial<ParseOptions> = {}): Parsed {
  return parseMessage<Classification>(input, { classify, ...options });
}

import { testCuts } from './client-cut-bytes-cases.js';
import { VARIANTS } from './cut-bytes.js';

// The other conversations, and every byte: client-cut-bytes.slow.test.ts.
testCuts(VARIANTS.slice(-1), 97);

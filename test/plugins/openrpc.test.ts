import { REVISIONS } from '../support/revisions.js';
import { testOpenRpc } from './openrpc-support.js';

// The others are in openrpc.slow.test.ts.
testOpenRpc(REVISIONS.slice(-1));

import { REVISIONS } from '../support/revisions.js';
import { testOpenRpc } from './openrpc-support.js';

// The newest one is in openrpc.test.ts.
testOpenRpc(REVISIONS.slice(0, -1));

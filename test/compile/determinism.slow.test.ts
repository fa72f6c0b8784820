import { REVISIONS } from '../support/revisions.js';
import { testRevisions } from './determinism-revisions.js';

// The newest one is in determinism.test.ts.
testRevisions(REVISIONS.slice(0, -1));

import { REVISIONS } from '../support/revisions.js';
import { testReferences } from './markdown-revisions.js';

// The newest one is in markdown.test.ts.
testReferences(REVISIONS.slice(0, -1));

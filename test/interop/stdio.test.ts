import { describe } from 'vitest';
import { isRecent, PAIRS } from './stdio-pairs.js';
import { testFeatures } from './stdio-peers.js';

describe.each(PAIRS.filter(isRecent))('over stdio, $revision: client $client, server $server', (pair) => {
  testFeatures(pair);
});

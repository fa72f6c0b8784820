import { describe, test } from 'vitest';
import { memoryCluster } from '../../generated/runtime/cluster/memory.js';
import { clusterChecks } from '../../generated/runtime/cluster-check.js';

describe('memoryCluster', () => {
  test.concurrent.each(clusterChecks(() => ({ cluster: memoryCluster() })))('$name', async ({ run }) => run());
});

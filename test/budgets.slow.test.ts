import { test } from 'vitest';
import { countTypes } from './bench/types.js';
import { expectWithin, TYPES } from './budgets.js';

test('types and instantiations of a program with a client and a server', async () => {
  const { types, instantiations } = await countTypes('mcpgen, JavaScript with declarations');
  expectWithin(types, TYPES.types);
  expectWithin(instantiations, TYPES.instantiations);
});

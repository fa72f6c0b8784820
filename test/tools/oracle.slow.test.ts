import { afterAll, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { expectVerdictsOfAjv, SEED } from './oracle.js';

afterAll(removeTemporaryFolders);

/** Together more than 100,000 pairs, since about half of the schemas have no verdict in Ajv. */
const SCHEMAS = 2400;
const VALUES = 100;

test(`validators agree with Ajv on 100,000 values (MCPGEN_FUZZ_SEED=${SEED})`, { timeout: 300_000 }, () =>
  expectVerdictsOfAjv(SCHEMAS, VALUES),
);

/** Validators of drawn schemas, compared with Ajv. */
import { afterAll, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { expectVerdictsOfAjv, SEED } from './oracle.js';

afterAll(removeTemporaryFolders);

test(`validators agree with Ajv (MCPGEN_FUZZ_SEED=${SEED})`, () => expectVerdictsOfAjv(60));

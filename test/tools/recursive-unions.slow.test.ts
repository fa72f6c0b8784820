/** Unions of recursive, indistinguishable branches are validated in time linear in the size of the value. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileSchema } from '../../templates/runtime/json-schema.js';
import { removeTemporaryFolders } from '../support/cli.js';
import {
  REPEATED,
  repeated,
  generateValidators,
  validators,
  LONGEST,
  millisecondsSince,
} from './recursive-unions-support.js';

beforeAll(generateValidators);
afterAll(removeTemporaryFolders);

const VALUES = ['x', 'y', { a: 'x' }, { a: { a: { a: 'y' } } }, [['x']], null];

describe.each(Object.entries(REPEATED))('%s', (name, step) => {
  test.each(VALUES)('a schema that applies a definition to one value 2^40 times validates %j', (v) => {
    const before = process.cpuUsage();
    validators.get(`Repeated${name}`)?.({ v });
    compileSchema(repeated(step))({ v });
    expect(millisecondsSince(before)).toBeLessThan(LONGEST);
  });
});

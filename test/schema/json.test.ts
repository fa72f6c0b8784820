import { describe, expect, test } from 'vitest';
import { McpgenError } from '../../generator/errors.js';
import { parseUntrustedJson } from '../../generator/read/json/json.js';
import { findJsonFault } from '../../generator/read/json/syntax-fault.js';

describe('the first syntax error of a JSON text', () => {
  // The texts are complete, or cut in the middle of a token.
  test.each<[string, string, number]>([
    ['', 'a value is missing', 0],
    ['[1', 'a comma or ] is missing', 2],
    ['{"a":1', 'a comma or } is missing', 6],
    ['{', 'a member name in double quotes is missing', 1],
    ['{"a"', 'a colon is missing', 4],
    ['[tru', 'a value is missing', 4],
    ['[-', 'a value is missing', 2],
    ['[1e', 'a comma or ] is missing', 3],
    ['[1.', 'a comma or ] is missing', 3],
    ['["a', 'an unterminated string', 3],
    ['["\\u12', 'an unterminated string', 6],
    ["{'a':1}", 'expected a member name in double quotes, found "\'"', 1],
    ['{"a":1,}', 'expected a member name in double quotes, found "}"', 7],
    ['{"a" 1}', 'expected a colon, found "1"', 5],
    ['[1 2]', 'expected a comma or ], found "2"', 3],
    ['{"a":1 "b"}', 'expected a comma or }, found "\\""', 7],
    ['[1,]', 'expected a value, found "]"', 3],
    ['[truth]', 'expected a value, found "t"', 1],
    ['[01]', 'expected a comma or ], found "1"', 2],
    ['[\u{1F600}]', 'expected a value, found "\u{1F600}"', 1],
    ['[\u00a0]', 'expected a value, found U+00A0', 1],
    ['[\u0007]', 'expected a value, found U+0007', 1],
    ['[1] 2', 'expected the end of the file, found "2"', 4],
    ['["a\nb"]', 'a control character or line break in a string', 3],
    ['["a\u001fb"]', 'a control character or line break in a string', 3],
    ['["\\x","more"]', 'an invalid escape in a string', 2],
    ['["\\u12G4","more"]', 'an invalid escape in a string', 2],
    ['["\\x12"]', 'an invalid escape in a string', 2],
    ['{"\\x":1,"b":2}', 'an invalid escape in a string', 2],
    ['{"a":1,"a":2}', 'duplicate member "a"', 7],
    ['{"a":1,"\\u0061":2}', 'duplicate member "\\u0061"', 7],
    ['[{"a":{"b":1,"b":2}}]', 'duplicate member "b"', 13],
  ])('%j: %s', (text, message, offset) => {
    expect(findJsonFault(text)).toEqual({ message, offset });
  });

  test.each([
    '0',
    '-1.5e+3',
    '""',
    '"\\u00e9\\n\\/ "',
    '[]',
    '{}',
    ' [ { } , [ ] ] ',
    '{"a":{"b":1},"c":{"b":1}}',
    '[true,false,null]',
  ])('accepts %s', (text) => {
    expect(findJsonFault(text)).toBeUndefined();
  });
});

test('a duplicate member is an error with line, column and remedy, also after a byte order mark', () => {
  const read = (): unknown => parseUntrustedJson('\ufeff{"a": 1,\n "a": 2}', 'a.json');
  expect(read).toThrow(McpgenError);
  expect(read).toThrow(
    expect.objectContaining({
      message: 'duplicate member "a"',
      place: 'a.json:2:2',
      remedy: 'Keep one of the two, or rename one.',
    }) as Error,
  );
});

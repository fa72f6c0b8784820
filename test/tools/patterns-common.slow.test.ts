/** Regular expressions that take super-linear time. */
import { afterAll, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { riskOf } from './patterns-support.js';

afterAll(removeTemporaryFolders);

describe('a pattern that takes', () => {
  test.each([
    ['spaces at the end', '\\s+$', 2],
    ['adjacent repeats', '^\\d+\\d+\\d+$', 3],
    ['repeats with a common character', '.*.*=.*', 3],
    ['repeats around others', '^\\s*(.*?)\\s*$x', 3],
    ['adjacent repeats of property escapes', '^[\\p{L}]+[\\p{L}\\p{N}]*[\\p{L}]+$', 3],
    ['a repeat that another contains', '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$', 2],
    ['a backreference', '^(a*)\\1b$', 2],
    ['a repeated backreference', '(.+)\\1+$', 3],
  ])('polynomial time is found: %s, %s', (_, pattern, degree) => {
    expect(riskOf(pattern)).toMatchObject({ kind: 'polynomial', degree, attack: expect.any(String) as string });
  });
});

test.each([
  ['email', '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$'],
  ['UUID', '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'],
  ['date', '^\\d{4}-\\d{2}-\\d{2}$'],
  ['time', '^(?:[01]\\d|2[0-3]):[0-5]\\d$'],
  ['date and time', '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?(?:Z|[+-]\\d{2}:\\d{2})$'],
  [
    'version',
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
  ],
  ['slug', '^[a-z0-9]+(?:-[a-z0-9]+)*$'],
  ['color', '^#?([a-f0-9]{6}|[a-f0-9]{3})$'],
  ['country', '^[A-Z]{2}$'],
  ['locale', '^[a-z]{2}(-[A-Z]{2})?$'],
  ['phone', '^\\+?[1-9]\\d{1,14}$'],
  ['URL', '^https?://'],
  ['identifier', '^[a-zA-Z_][a-zA-Z0-9_]*$'],
  ['name', '^[a-zA-Z0-9_-]{1,64}$'],
  ['anything', '^.*$'],
  ['limited text', '^.{1,500}$'],
  ['no spaces', '^\\S+$'],
  ['letters', '^[\\p{L}\\p{N} ]+$'],
  ['IPv4', '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$'],
  ['Base64', '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'],
  ['hash', '^sha256:[a-f0-9]{64}$'],
  ['number', '^-?\\d+(\\.\\d+)?$'],
  ['price', '^\\$[0-9]+(\\.[0-9][0-9])?$'],
  ['repository', '^[^/]+/[^/]+$'],
  ['path', '^/([^/]+/)*[^/]*$'],
  ['extension', '\\.json$'],
  ['choice', '^(GET|POST|PUT)$'],
  ['ARN', '^arn:aws:iam::\\d{12}:role/[\\w+=,.@-]+$'],
  ['host', '^[\\w-]+(\\.[\\w-]+)+$'],
  ['package', '^@?[a-z0-9-~][a-z0-9-._~]*/[a-z0-9-~][a-z0-9-._~]*$'],
  ['password', '^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$'],
  ['revision of a config', '^[0-9A-Za-z][0-9A-Za-z._-]*$'],
  ['emoji', '^🐲*$'],
  ['control character', '^\\cC$'],
  ['property by its long name', '\\p{Letter}cole'],
])('a common pattern is not reported: %s', (_, pattern) => {
  expect(riskOf(pattern)).toBeUndefined();
});

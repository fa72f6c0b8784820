import { describe, expect, test } from 'vitest';
import { resourceHandlers } from '../../generated/runtime/registry.js';
import { matchUri, parseUriTemplate, UriTemplateError } from '../../generated/runtime/registry/uri-template.js';
import { exampleAddress, refuseAddress } from '../../generator/scaffold/edit/resource-address.js';

/** Templates that are not supported, with the place at which they go wrong, counted from 1. */
const UNSUPPORTED: readonly (readonly [string, number])[] = [
  ['x://{?q}', 5],
  ['x://{a}{b}', 8],
  ['x://{a}{+b}', 8],
  ['x://{a-b}', 5],
  ['x://{a', 5],
  ['x://a}', 6],
  ['x://`${1}`', 7],
  ['x://{}', 5],
  ['x://{a:3}', 5],
  ['x://{a*}', 5],
  ['x://{{a}}', 5],
];

const SUPPORTED = ['x://{a}', 'x://{+a}', '{a}', 'x://{a}/{b}', 'x://{a}/{+b}.txt', 'x://{valueOf}/{_1}'];

function served(uriTemplate: string): unknown {
  return resourceHandlers([{ name: 'x', uriTemplate, read: () => 'x' }]);
}

describe('one parser of URI templates', () => {
  test.each(UNSUPPORTED)('rejects %s at character %i', (uri, place) => {
    const where = new RegExp(`at character ${place}$`);
    expect(() => parseUriTemplate(uri)).toThrow(UriTemplateError);
    expect(() => served(uri)).toThrow(where);
    expect(() => {
      refuseAddress(uri, []);
    }).toThrow(where);
  });

  test.each(SUPPORTED)('accepts %s', (uri) => {
    expect(() => served(uri)).not.toThrow();
    refuseAddress(uri, []);
    expect(matchUri(parseUriTemplate(uri), exampleAddress(uri))).toBeDefined();
  });
});

test('a template that is not supported is a UriTemplateError with the reason', () => {
  expect(() => parseUriTemplate('x://{a}{b}')).toThrow(
    expect.objectContaining({
      name: 'UriTemplateError',
      message: 'the URI template x://{a}{b} is not supported: two variables need a text between them, at character 8',
    }),
  );
  expect(() => parseUriTemplate('x://{?q}')).toThrow(/variables are written as \{name\} or \{\+name\}/);
});

describe('matchUri', () => {
  test.each<[string, string, Record<string, string>]>([
    ['x://a', 'x://a', {}],
    ['x://{a}', 'x://one', { a: 'one' }],
    ['x://{a}.txt', 'x://one.txt', { a: 'one' }],
    ['x://{a}/{b}', 'x://one/two', { a: 'one', b: 'two' }],
    ['x://{+a}', 'x://one/two?three#four', { a: 'one/two?three#four' }],
    ['x://{+a}/{b}', 'x://one/two/three', { a: 'one/two', b: 'three' }],
    // The last dot leaves nothing for `b`.
    ['x://{+a}.{b}', 'x://one.two.', { a: 'one', b: 'two.' }],
    ['x://{a}', 'x://one%20two', { a: 'one two' }],
    ['x://{+a}', 'x://one%5Ctwo', { a: 'one\\two' }],
    ['x://{a}', 'x://...', { a: '...' }],
  ])('reads the variables of %s from %s', (template, uri, want) => {
    expect(matchUri(parseUriTemplate(template), uri)).toEqual(want);
  });

  test.each([
    ['x://a', 'x://ab'],
    ['x://{a}', 'y://one'],
    ['x://{a}.txt', 'y://one.txt'],
    ['x://{a}.txt', 'x://one.md'],
    ['x://{a}', 'x://'],
    ['x://{a}/{b}', 'x://one/two/three'],
    ['x://{a}', 'x://one/two'],
    ['x://{a}', 'x://one?two'],
    ['x://{a}', 'x://one#two'],
    ['x://{a}', 'x://one%2Ftwo'],
    ['x://{a}', 'x://one%5Ctwo'],
    ['x://{a}', 'x://one%'],
    ['x://{a}', 'x://one%00'],
    ['x://{a}', 'x://%2e'],
    ['x://{a}', 'x://%2e%2e'],
    ['x://{+a}', 'x://one/./two'],
    ['x://{+a}', 'x://one/../two'],
    ['x://{+a}', 'x://one%5C..%5Ctwo'],
  ])('%s does not match %s', (template, uri) => {
    expect(matchUri(parseUriTemplate(template), uri)).toBeUndefined();
  });

  test('tries the last variable once for each end of the one before it', () => {
    const long = 'q'.repeat(40);
    // After the second `x`, `b` would begin with the segment `..`, however much of the rest it had.
    expect(matchUri(parseUriTemplate('x://{+a}x{+b}'), `x://axkx../${long}`)).toEqual({ a: 'a', b: `kx../${long}` });
  });

  test('gives up after 32 attempts', () => {
    const template = parseUriTemplate('x://{+a}x{+b}');
    // Only the first `x` leaves an `a` that does not end with the segment `.`; each variable is an attempt.
    const uri = (others: number): string => `x://ax${'/.x'.repeat(others)}`;
    expect(matchUri(template, `${uri(30)}b`)).toEqual({ a: 'a', b: `${'/.x'.repeat(30)}b` });
    expect(matchUri(template, `${uri(31)}b`)).toBeUndefined();
  });
});

describe('addresses that are taken', () => {
  const taken = ['notes://all', 'notes://{id}', 'files:///{+path}', 'odd://{?q}'].map((uri) => ({ uri, file: 'a.ts' }));

  test.each(['notes://all', 'notes://{id}', 'notes://{name}', 'files:///{+file}'])('%s is refused', (uri) => {
    expect(() => {
      refuseAddress(uri, taken);
    }).toThrow(/taken/);
  });

  test.each(['notes://one', 'notes://{id}/x', 'notes://{+id}', 'files:///{path}'])('%s is free', (uri) => {
    expect(() => {
      refuseAddress(uri, taken);
    }).not.toThrow();
  });
});

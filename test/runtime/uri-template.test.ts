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

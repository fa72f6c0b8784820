/** The cache on disk: what is not intact counts as missing, and nothing grows without bound. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cachePlaces, SealedCache, type CachePlaces } from '../../generator/output/cache.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-cache-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function newPlaces(): CachePlaces {
  const own = mkdtempSync(path.join(folder, 'places-'));
  return { folder: path.join(own, 'cache'), keyFile: path.join(own, 'state', 'key') };
}

/** The files of the entries of a kind. */
function entriesOf(places: CachePlaces, kind = 'kind'): readonly string[] {
  const entries = path.join(places.folder, kind);
  return existsSync(entries) ? readdirSync(entries).map((name) => path.join(entries, name)) : [];
}

test('returns what was stored, also to another process', () => {
  const places = newPlaces();
  new SealedCache('kind', places).write('key', 'text\nü');
  expect(new SealedCache('kind', places).read('key')).toBe('text\nü');
  expect(new SealedCache('kind', places).read('other key')).toBeUndefined();
  expect(new SealedCache('other', places).read('key')).toBeUndefined();
});

test('an entry that was changed anywhere counts as missing', () => {
  const places = newPlaces();
  const cache = new SealedCache('kind', places);
  cache.write('key', 'the text of the entry');
  const [file = ''] = entriesOf(places);
  const bytes = readFileSync(file);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ change;
      writeFileSync(file, changed);
      // In hexadecimal, case does not matter.
      const isSameSeal = changed.toString('utf8').toLowerCase() === bytes.toString('utf8').toLowerCase() && index < 64;
      expect(cache.read('key')).toBe(isSameSeal ? 'the text of the entry' : undefined);
    }),
    { numRuns: 300 },
  );
  writeFileSync(file, bytes.subarray(0, -1));
  expect(cache.read('key')).toBeUndefined();
});

test('an entry under the name of another one counts as missing', () => {
  const places = newPlaces();
  const cache = new SealedCache('kind', places);
  cache.write('one', 'first');
  const [first = ''] = entriesOf(places);
  cache.write('two', 'second');
  const second = entriesOf(places).find((file) => file !== first) ?? '';
  writeFileSync(second, readFileSync(first));
  expect(cache.read('two')).toBeUndefined();
});

test('an entry sealed with the key of another user counts as missing', () => {
  const [ours, theirs] = [newPlaces(), newPlaces()];
  new SealedCache('kind', theirs).write('key', 'forged');
  new SealedCache('kind', ours).write('key', 'text');
  const shared = new SealedCache('kind', { folder: theirs.folder, keyFile: ours.keyFile });
  expect(shared.read('key')).toBeUndefined();
});

test.skipIf(process.platform === 'win32')('a key that others can read is not used', () => {
  const places = newPlaces();
  new SealedCache('kind', places).write('key', 'text');
  chmodSync(places.keyFile, 0o644);
  expect(new SealedCache('kind', places).read('key')).toBeUndefined();
  new SealedCache('kind', places).write('other', 'text');
  expect(entriesOf(places)).toHaveLength(1);
});

test('a cache that cannot be written is not used, without an error', () => {
  const places = newPlaces();
  mkdirSync(path.dirname(places.folder), { recursive: true });
  writeFileSync(places.folder, 'a file');
  const cache = new SealedCache('kind', places);
  expect(() => {
    cache.write('key', 'text');
  }).not.toThrow();
  expect(cache.read('key')).toBeUndefined();
});

test('removes the oldest entries beyond the limits', () => {
  const places = newPlaces();
  new SealedCache('kind', places).write('first', 'text');
  const [first = ''] = entriesOf(places);
  for (let count = 0; count < 2000; count += 1) writeFileSync(path.join(path.dirname(first), `entry-${count}`), '');
  new SealedCache('kind', places).write('last', 'text');
  expect(entriesOf(places)).toHaveLength(2000);
  expect(new SealedCache('kind', places).read('last')).toBe('text');
});

test('is in the usual places', () => {
  const env = { XDG_CACHE_HOME: '/c', XDG_STATE_HOME: '/s' };
  expect(cachePlaces(env, 'linux')).toEqual({ folder: '/c/mcpgen', keyFile: '/s/mcpgen/cache-key' });
  // The XDG specification: relative paths are invalid.
  expect(cachePlaces({ XDG_CACHE_HOME: 'c' }, 'linux').folder).toBe(path.join(os.homedir(), '.cache/mcpgen'));
  expect(cachePlaces({}, 'darwin').folder).toBe(path.join(os.homedir(), 'Library/Caches/mcpgen'));
  expect(cachePlaces({ LOCALAPPDATA: 'L' }, 'win32').folder).toBe(path.join('L', 'mcpgen', 'Cache'));
});

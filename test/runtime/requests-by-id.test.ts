import { describe, expect, it } from 'vitest';
import { RequestsById } from '../../templates/runtime/jsonrpc/requests-by-id.js';
import type { RequestId } from '../../templates/runtime/jsonrpc/message.js';
import { randomFrom } from '../support/random.js';

interface Entry {
  readonly id: RequestId;
}

const sorted = (entries: readonly Entry[]): RequestId[] =>
  entries.map(({ id }) => id).sort((a, b) => (String(a) < String(b) ? -1 : 1));

describe('RequestsById', () => {
  it('finds what a map finds, with ids of every form, many in flight and some for long', () => {
    const random = randomFrom(23);
    const forms: ((index: number) => RequestId)[] = [
      (index) => index,
      (index) => -index,
      (index) => `id-${index}`,
      (index) => index * 256,
      (index) => index * 2 ** 32 + 7,
      (index) => (index % 2 === 0 ? index : String(index)),
    ];
    for (const form of forms) {
      const requests = new RequestsById<Entry>();
      const expected = new Map<RequestId, Entry>();
      for (let index = 1; index <= 3000; index += 1) {
        const id = form(index);
        const entry = { id };
        requests.add(entry);
        expected.set(id, entry);
        // Mostly as many are deleted as added, of which the oldest stay.
        while (expected.size > 50 && random() < 0.5) {
          const ids = [...expected.keys()];
          const gone = ids[Math.floor((0.1 + random() * 0.9) * ids.length)] ?? id;
          expect(requests.delete(gone)).toBe(expected.delete(gone));
          expect(requests.delete(gone)).toBe(false);
          expect(requests.get(gone)).toBeUndefined();
        }
        expect(requests.size).toBe(expected.size);
        expect(requests.get(id)).toBe(expected.get(id));
      }
      for (const [id, entry] of expected) expect(requests.get(id)).toBe(entry);
      expect(sorted(requests.values())).toEqual(sorted([...expected.values()]));
      for (const id of expected.keys()) expect(requests.delete(id)).toBe(true);
      expect(requests.size).toBe(0);
      expect(requests.values()).toEqual([]);
    }
  });

  it('tells numbers from strings', () => {
    const requests = new RequestsById<Entry>();
    requests.add({ id: 1 });
    requests.add({ id: '1' });
    expect(requests.delete('1')).toBe(true);
    expect(requests.get('1')).toBeUndefined();
    expect(requests.get(1)).toEqual({ id: 1 });
  });
});

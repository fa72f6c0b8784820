import fc from 'fast-check';
import * as revision20241105 from '../../generated/2024-11-05/index.js';
import * as revision20250326 from '../../generated/2025-03-26/index.js';
import * as revision20250618 from '../../generated/2025-06-18/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import * as revision20260728 from '../../generated/2026-07-28/index.js';
import * as codec from '../../templates/runtime/index.js';

/** The envelope rules of each revision. */
export const CLASSIFY = {
  '2024-11-05': revision20241105.classify,
  '2025-03-26': revision20250326.classify,
  '2025-06-18': revision20250618.classify,
  '2025-11-25': revision20251125.classify,
  '2026-07-28': revision20260728.classify,
} as const;

/** Those of a revision without batches, and of the one that has them. */
export const classify = revision20251125.classify;
export const classifyWithBatches = revision20250326.classify;

export type Event = codec.LineEvent;

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Bytes, or text as bytes, one after another. */
export function bytesOf(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
}

/** Cuts bytes into chunks of the given sizes, over and over. */
export function splitBytes(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let start = 0, index = 0; start < bytes.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(bytes.slice(start, start + size));
    start += size;
  }
  return chunks;
}

/** All that a reader makes of a stream. */
export function readEvents(
  chunks: readonly (string | Uint8Array)[],
  options: Partial<codec.LineReaderOptions> = {},
): readonly Event[] {
  const reader = new codec.MessageReader<codec.Classification>({ classify, ...options });
  const events = chunks.flatMap((chunk) => reader.push(typeof chunk === 'string' ? utf8(chunk) : chunk));
  return [...events, ...reader.end()];
}

/** What came as a message. */
export function messagesOf(events: readonly Event[]): readonly unknown[] {
  return events.flatMap((event) => ('message' in event ? [event.message] : []));
}

/** What a stream is made of, in few words: kinds, codes of what is wrong. */
export function kindsOf(events: readonly Event[]): readonly string[] {
  return events.map((event) => (event.kind === 'diagnostic' ? event.code : event.kind));
}

/** A JSON value in any script, at times with hostile names in it. */
export const anyJson = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 });

const anyText = fc.string({ unit: 'binary' });
const anyObject = fc.dictionary(
  fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'id', 'method')),
  anyJson,
  {
    maxKeys: 4,
    noNullPrototype: true,
  },
);
const anyId = fc.oneof(fc.maxSafeInteger(), anyText);
const anyMethod = anyText.filter((method) => !method.startsWith('rpc.'));

/** Any message that the constructors make. */
export const anyMessage: fc.Arbitrary<codec.Message> = fc.oneof(
  fc.tuple(anyId, anyMethod, fc.option(anyObject, { nil: undefined })).map((of) => codec.request(...of)),
  fc.tuple(anyMethod, fc.option(anyObject, { nil: undefined })).map((of) => codec.notification(...of)),
  fc.tuple(anyId, anyObject).map((of) => codec.resultResponse(...of)),
  fc
    .tuple(fc.option(anyId), fc.maxSafeInteger(), anyText, fc.option(anyJson, { nil: undefined }))
    .map(([id, code, message, data]) => codec.errorResponse(id, { code, message, data })),
);

/** How a stream may be cut. */
export const anySizes = fc.array(
  fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) }, fc.integer({ min: 1, max: 3000 })),
  {
    minLength: 1,
  },
);

/** A value as it is read: what `JSON.parse` gives, without prototypes of the sender's. */
export function asRead(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), function (this: unknown, key: string, member: unknown) {
    return key === '__proto__' ? undefined : member;
  });
}

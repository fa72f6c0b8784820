import { Transform, type TransformCallback } from 'node:stream';

/** The first event of a stream is not longer than this, in bytes; a longer one is forwarded as it is. */
const MAX_EVENT_BYTES = 8192;

/** How an event stream of HTTP+SSE begins. */
const ENDPOINT = 'event: endpoint';

/**
 * Replaces the origin in the first event of a stream of HTTP+SSE (2024-11-05), which names the URL for messages:
 * clients would leave the proxy otherwise. All other bytes pass unchanged and without delay.
 *
 * @param from - The origin to replace, such as `https://example.com`.
 * @param to - What replaces it.
 */
export function endpointRewriter(from: string, to: string): Transform {
  let held: Buffer | undefined = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      if (held === undefined) {
        done(undefined, chunk);
        return;
      }
      held = Buffer.concat([held, chunk]);
      const text = held.toString('latin1');
      if (mayBeEndpoint(text) && !/\r?\n\r?\n/.test(text) && held.length < MAX_EVENT_BYTES) {
        done();
        return;
      }
      const forwarded = mayBeEndpoint(text) ? Buffer.from(rewrite(text, from, to), 'latin1') : held;
      held = undefined;
      done(undefined, forwarded);
    },
    flush(done) {
      done(undefined, held);
    },
  });
}

function mayBeEndpoint(text: string): boolean {
  const start = text.replace(/^event:(?! )/, 'event: ');
  return ENDPOINT.startsWith(start) || start.startsWith(ENDPOINT);
}

/** The text with the URL of its first event rewritten. */
function rewrite(text: string, from: string, to: string): string {
  return text.replace(/^(event:[^\r\n]*\r?\ndata: ?)(\S+)/, (found, before: string, url: string) =>
    URL.canParse(url) && new URL(url).origin === from ? before + withOrigin(url, to) : found,
  );
}

/** A URL with another origin; everything after it stays as it is. */
export function withOrigin(url: string, origin: string): string {
  return origin + url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
}

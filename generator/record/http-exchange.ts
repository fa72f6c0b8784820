import type { HttpHeaders, Side } from '../recording/entry.js';
import { ByteCollector, CUT_LINE_BYTES, type Line } from '../recording/byte-lines.js';
import type { Recorder } from '../recording/recorder.js';
import { EventSplitter } from './event-splitter.js';

/** A request and its response, as they are recorded. */
export class Exchange {
  /** The side that ended it early, once one did. */
  brokenBy: Side | undefined;
  readonly #recorder: Recorder;
  readonly #number: number;
  readonly #request: { readonly method: string; readonly path: string; readonly headers: HttpHeaders };
  readonly #requestBody: BodyBuffer;
  #isRequestRecorded = false;
  #response: { readonly status: number; readonly headers: HttpHeaders } | undefined;
  readonly #responseBody: BodyBuffer;
  #events: EventSplitter | undefined;

  constructor(recorder: Recorder, number: number, request: { method: string; path: string; headers: HttpHeaders }) {
    this.#recorder = recorder;
    this.#number = number;
    this.#request = request;
    this.#requestBody = new BodyBuffer(recorder.maxFrameBytes);
    this.#responseBody = new BodyBuffer(recorder.maxFrameBytes);
  }

  addToRequest(chunk: Buffer): void {
    if (!this.#isRequestRecorded) this.#requestBody.add(chunk);
  }

  /** @param isComplete - False if its response began, or it was aborted, before that. */
  endRequest(isComplete = true): void {
    if (this.#isRequestRecorded) return;
    this.#isRequestRecorded = true;
    this.#recorder.add('client', this.#requestBody.take(isComplete), {
      http: { exchange: this.#number, kind: 'request', ...this.#request },
    });
  }

  /** The response has begun. Without an event stream, it is recorded once it is complete. */
  respond(status: number, headers: HttpHeaders): void {
    this.endRequest(false);
    this.#response = { status, headers };
    if (!/^text\/event-stream\s*(?:;|$)/i.test(headers['content-type'] ?? '')) return;
    this.#recordResponse();
    this.#events = new EventSplitter(this.#recorder.maxFrameBytes, ({ data, ...event }) => {
      this.#recorder.add('server', data, { http: { exchange: this.#number, kind: 'event', ...event } });
    });
  }

  /** @param chunk - Decompressed. */
  addToResponse(chunk: Buffer): void {
    if (this.#events === undefined) this.#responseBody.add(chunk);
    else this.#events.add(chunk);
  }

  end(): void {
    this.endRequest(false);
    if (this.#events === undefined && this.#response !== undefined) this.#recordResponse();
    if (this.#events === undefined && this.brokenBy === undefined) return;
    this.#recorder.add(this.brokenBy ?? 'server', undefined, {
      http: { exchange: this.#number, kind: 'end', isComplete: this.brokenBy === undefined },
    });
  }

  #recordResponse(): void {
    if (this.#response === undefined) return;
    this.#recorder.add('server', this.#responseBody.take(), {
      http: { exchange: this.#number, kind: 'response', ...this.#response },
    });
  }
}

/** Collects a body as far as it is recorded. */
class BodyBuffer {
  readonly #maxBytes: number;
  readonly #kept = new ByteCollector();
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    const wasCut = this.#size > this.#maxBytes;
    this.#size += chunk.length;
    if (wasCut) return;
    this.#kept.add(chunk);
    if (this.#size > this.#maxBytes) this.#kept.truncate(CUT_LINE_BYTES);
  }

  /** The body; undefined if it is empty. One that is not complete is recorded as omitted. */
  take(isComplete = true): Line | undefined {
    const bytes = this.#kept.take();
    if (this.#size === 0) return undefined;
    return this.#size > this.#maxBytes || !isComplete
      ? { kind: 'cut', start: bytes.subarray(0, CUT_LINE_BYTES), size: this.#size }
      : { kind: 'whole', bytes };
  }
}

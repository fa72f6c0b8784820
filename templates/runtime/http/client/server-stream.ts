import type { ClientConnectionEvent } from "../../jsonrpc/connection-events.js";
import { HttpError } from "../errors.js";
import { EventTooLargeError } from "../event-stream.js";
import { STREAM_TYPE } from "../headers.js";
import { discardBody, mediaTypeOf } from "./fetch.js";
import { isTransientStatus } from "./reconnect.js";
import type { Reconnector } from "./reconnect.js";
import { readRejection } from "./requester.js";
import type { Requester } from "./requester.js";
import type { ClientSession } from "./session.js";
import { StreamPosition } from "./stream.js";
import type { ValueReader } from "./stream.js";

/** What the stream needs from its transport. */
export interface ServerStreamContext {
  readonly requester: Requester;
  readonly reader: ValueReader;
  readonly reconnector: Reconnector;
  readonly session: ClientSession;
  readonly onValue: (value: unknown) => void;
  /** Receives the reason why the stream ended for good. */
  readonly onError: (error: unknown) => void;
  readonly emit: (event: ClientConnectionEvent) => void;
}

/**
 * The stream on which the server sends messages that belong to no request, if it has one.
 *
 * At most one is open or being opened; opening another aborts the former. None is opened after close().
 */
export class ServerStream {
  readonly #context: ServerStreamContext;
  #current: AbortController | undefined;
  /** Aborts the connection of the stream, and not the stream, which is then resumed. */
  #connection = new AbortController();
  #isClosed = false;

  constructor(context: ServerStreamContext) {
    this.#context = context;
  }

  /** Opens the stream and keeps it open. */
  open(): void {
    this.#current?.abort();
    if (this.#isClosed) return;
    const controller = new AbortController();
    this.#current = controller;
    this.#run(controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) this.#context.onError(error);
    });
  }

  /** Drops the connection of the stream, which may be dead, and resumes the stream. */
  reconnect(): void {
    this.#connection.abort(new Error("the connection seems to be dead"));
  }

  close(): void {
    this.#isClosed = true;
    this.#current?.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { requester, reader, reconnector, session, onValue, emit } =
      this.#context;
    const { maxAttempts } = reconnector;
    const position = new StreamPosition();
    let connection = new AbortController();
    signal.addEventListener(
      "abort",
      () => {
        connection.abort(signal.reason);
      },
      { once: true },
    );
    for (let isFirst = true; ; isFirst = false) {
      if (!isFirst) {
        if (position.failedAttempts >= maxAttempts)
          throw reconnector.giveUp(
            new HttpError(
              `gave up the server's own stream after ${maxAttempts} failed attempts`,
              { method: "GET", url: requester.url },
            ),
          );
        await reconnector.wait(position, signal);
      }
      await session.renewed;
      const sessionId = session.id;
      signal.throwIfAborted();
      connection = new AbortController();
      this.#connection = connection;
      const response = await reconnector.open(
        position,
        signal,
        connection.signal,
      );
      if (response === undefined) continue;
      if (!response.ok || mediaTypeOf(response) !== STREAM_TYPE) {
        if (isFirst && response.status === 405) {
          discardBody(response);
          return;
        }
        const text = await readRejection(response, signal);
        // A new session has its own stream.
        if (!isFirst && (await session.renewIfLost(response, text, sessionId)))
          return;
        if (
          !isFirst &&
          position.lastEventId !== undefined &&
          response.status === 400
        )
          position.lastEventId = undefined;
        else if (isTransientStatus(response.status))
          reconnector.noteRejection(response, position);
        else
          throw new HttpError("the server does not offer its own stream", {
            method: "GET",
            url: requester.url,
            status: response.status,
            body: text,
          });
        continue;
      }
      if (!isFirst) emit({ kind: "streamResumed", stream: "server" });
      const since = performance.now();
      try {
        await reader.readEvents(response, position, onValue);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof EventTooLargeError) throw error;
      }
      position.noteEnd(performance.now() - since);
    }
  }
}

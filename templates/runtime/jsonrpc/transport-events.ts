import type { ClientConnectionEvent } from "./connection-events.js";
import type { Diagnostic } from "./ndjson.js";
import type { Invalid } from "./parse.js";
import type { Transport } from "./transport.js";

/** Delivers a value; an error of the receiver is reported, so that the next value still arrives. */
export function emitMessage(transport: Transport, value: unknown): void {
  try {
    transport.onmessage?.(value);
  } catch (error) {
    emitError(transport, error);
  }
}

/** Delivers an invalid text, and likewise reports an error of the receiver. */
export function emitInvalid(
  transport: Transport,
  invalid: Diagnostic | Invalid,
): void {
  try {
    transport.oninvalid?.(invalid);
  } catch (error) {
    emitError(transport, error);
  }
}

/** Reports what happened to the connection. */
export function emitEvent(
  transport: Transport,
  event: ClientConnectionEvent,
): void {
  try {
    transport.onevent?.(event);
  } catch (error) {
    emitError(transport, error);
  }
}

/** Calls a listener of the user, and ignores its failure, at once or later. */
export function notifyListener<E>(
  listener: ((event: E) => unknown) | undefined,
  event: E,
): void {
  try {
    const outcome = listener?.(event);
    // An `async` function is assignable to a type that returns void, and its rejection would end the process.
    if (outcome instanceof Promise) outcome.catch(() => undefined);
  } catch {
    // A listener's failure must not end the connection.
  }
}

/** Reports that the connection is closed. The caller ensures that this happens once. */
export function emitClose(transport: Transport): void {
  try {
    transport.onclose?.();
  } catch (error) {
    emitError(transport, error);
  }
}

/** Reports a failure. */
export function emitError(transport: Transport, error: unknown): void {
  try {
    transport.onerror?.(toError(error));
  } catch {
    // A failing error listener has nowhere to report to.
  }
}

/** A thrown value as an `Error`. */
export function toError(thrown: unknown): Error {
  try {
    return thrown instanceof Error
      ? thrown
      : new Error(String(thrown), { cause: thrown });
  } catch {
    // Converting an object to a string may fail.
    return new Error(
      "a value was thrown that cannot be converted to a string",
      {
        cause: thrown,
      },
    );
  }
}

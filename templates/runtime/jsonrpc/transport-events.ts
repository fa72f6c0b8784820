import type { Diagnostic } from "./ndjson.js";
import type { Invalid } from "./parse.js";
import type { Transport } from "./transport.js";

/** Hands a value to whoever receives; what that throws is reported, so that the next one comes all the same. */
export function emitMessage(transport: Transport, value: unknown): void {
  try {
    transport.onmessage?.(value);
  } catch (error) {
    emitError(transport, error);
  }
}

/** Hands on what was no JSON value, likewise. */
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

/** Tells a listener of the user's; its own failure, at once or later, is nobody's concern. */
export function notifyListener<E>(
  listener: ((event: E) => unknown) | undefined,
  event: E,
): void {
  try {
    const outcome = listener?.(event);
    // An `async` one fits a type that says void, and what it rejects with would end a process.
    if (outcome instanceof Promise) outcome.catch(() => undefined);
  } catch {
    // Nothing may end because of it.
  }
}

/** Says that the connection is over. Whoever calls it sees to it that this is once. */
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
    // Who is told of failures and fails at that has nobody left to be told.
  }
}

/** What was thrown as an `Error`. */
export function toError(thrown: unknown): Error {
  try {
    return thrown instanceof Error
      ? thrown
      : new Error(String(thrown), { cause: thrown });
  } catch {
    // An object may refuse even to be made a text.
    return new Error("something was thrown that has no text", {
      cause: thrown,
    });
  }
}

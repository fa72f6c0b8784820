/** Aborts: their error, and promises that end with one. */

export function createAbortError(reason: string): Error {
  return Object.assign(new Error(reason), { name: "AbortError" });
}

/** Whether a reason for an abort is a cancellation, and not the end of a connection. */
export function isAbortError(reason: unknown): boolean {
  return reason instanceof Error && reason.name === "AbortError";
}

/** The result of a promise, or the reason of an abort, whichever is first: others may wait for the same promise. */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  promise.catch(() => undefined);
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    void promise.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", abort);
    });
  });
}

/**
 * Results that require input (MCP 2026-07-28, multi round-trip requests).
 */
import {
  CapabilityError,
  ConnectionClosedError,
} from "../jsonrpc/call-errors.js";
import { toResult } from "../jsonrpc/endpoint.js";
import { missingCapability } from "../protocol/revision.js";
import { TooManyInputsError } from "./errors.js";
import type { SpokenRevision } from "./spoken-revision.js";
import type { ClientRequestHandler, ClientSettings } from "./types.js";

export const DEFAULT_MAX_ROUNDS = 10;

const DEFAULT_MAX_INPUT_REQUESTS = 100;

export interface InputRequiredResult {
  readonly inputRequests?: Readonly<
    Record<
      string,
      { readonly method: string; readonly params?: object | undefined }
    >
  >;
  readonly requestState?: string;
}

export function isInputRequired(result: object): result is InputRequiredResult {
  return (
    (result as { readonly resultType?: unknown }).resultType ===
    "input_required"
  );
}

/**
 * Each running collection has an entry in #aborts; closing rejects all of them, and aborts their handlers.
 * A collection answers every key, or throws.
 */
export class InputCollector {
  readonly #settings: ClientSettings;
  readonly #spoken: SpokenRevision;
  readonly #aborts = new Set<(reason: Error) => void>();

  constructor(settings: ClientSettings, spoken: SpokenRevision) {
    this.#settings = settings;
    this.#spoken = spoken;
  }

  /** Rejects all collections: the connection is closed. */
  close(): void {
    for (const abort of this.#aborts) abort(new ConnectionClosedError());
  }

  /** Runs the handlers for the requested inputs. Returns what to add to the params of the next round. */
  async collect(
    result: InputRequiredResult,
    signal: AbortSignal | undefined,
  ): Promise<object> {
    const { inputRequests = {}, requestState } = result;
    const requests = Object.entries(inputRequests);
    const maxRequests =
      this.#settings.maxInputRequests ?? DEFAULT_MAX_INPUT_REQUESTS;
    if (requests.length > maxRequests)
      throw new TooManyInputsError(requests.length, maxRequests);
    signal?.throwIfAborted();
    const controller = new AbortController();
    let abortInput: (reason: Error) => void = () => undefined;
    const aborted = new Promise<never>((_, reject) => {
      abortInput = (reason) => {
        controller.abort(reason);
        reject(reason);
      };
    });
    const onAbort = (): void => {
      abortInput(signal?.reason as Error);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#aborts.add(abortInput);
    const handled = requests.map(async ([key, { method, params }]) => {
      const response = await this.#handlerOf(method)((params ?? {}) as never, {
        method,
        key,
        signal: controller.signal,
      });
      return [key, toResult(response)] as const;
    });
    let inputResponses: object;
    try {
      // A handler that never ends must not keep the call open.
      inputResponses = Object.fromEntries(
        await Promise.race([aborted, Promise.all(handled)]),
      );
    } catch (error) {
      controller.abort(error);
      throw error;
    } finally {
      this.#aborts.delete(abortInput);
      signal?.removeEventListener("abort", onAbort);
    }
    return {
      ...(result.inputRequests === undefined ? {} : { inputResponses }),
      // MCP 2026-07-28, multi round-trip requests: unchanged, and only if the result has it.
      ...(requestState === undefined ? {} : { requestState }),
    };
  }

  /** @throws CapabilityError if the server requests something that this client does not declare. */
  #handlerOf(method: string): ClientRequestHandler {
    const { embedded } = this.#spoken.revision;
    const needed = Object.hasOwn(embedded, method)
      ? (embedded[method]?.capabilities ?? [])
      : [`client.${method}`];
    const handler = this.#settings.handlers?.[method];
    const missing = missingCapability(
      needed,
      "client",
      this.#spoken.capabilities,
    );
    if (handler === undefined || missing !== undefined)
      throw new CapabilityError(
        method,
        missing ?? needed[0] ?? `client.${method}`,
        "this client",
      );
    return handler;
  }
}

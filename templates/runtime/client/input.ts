/**
 * Inputs that a server requests: inside results (MCP 2026-07-28, multi round-trip requests), and in separate requests.
 */
import {
  CapabilityError,
  ConnectionClosedError,
} from "../jsonrpc/call-errors.js";
import { toResult } from "../jsonrpc/endpoint.js";
import { isObject } from "../jsonrpc/envelope.js";
import { missingCapability } from "../protocol/revision.js";
import { RELATED_TASK, hasCoreTasks } from "../protocol/version-rules.js";
import { TooManyInputsError } from "./errors.js";
import type { SpokenRevision } from "./spoken-revision.js";
import type { ClientRequestHandler, ClientSettings } from "./types.js";

export const DEFAULT_MAX_ROUNDS = 10;

const DEFAULT_MAX_INPUT_REQUESTS = 100;

/** Maximum of failed inputs of tasks to remember, and of the characters of each. */
const MAX_FAILED_INPUTS = 100;
const MAX_FAILED_INPUT_CHARS = 10_000;

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
  /** Errors of the handlers of separate requests that belong to tasks. */
  readonly #failed = new Map<string, { readonly error: unknown }>();

  constructor(settings: ClientSettings, spoken: SpokenRevision) {
    this.#settings = settings;
    this.#spoken = spoken;
  }

  /** Rejects all collections: the connection is closed. */
  close(): void {
    for (const abort of this.#aborts) abort(new ConnectionClosedError());
    this.#failed.clear();
  }

  /** Runs the handler of a separate request. */
  answer(
    handler: ClientRequestHandler,
    method: string,
    params: object,
    signal: AbortSignal,
  ): object | Promise<object> {
    const run = (): object | Promise<object> =>
      handler(params as never, { method, key: undefined, signal });
    const { _meta: meta, ...rest } = params as { readonly _meta?: unknown };
    const task = isObject(meta) ? meta[RELATED_TASK] : undefined;
    if (!isObject(task) || !hasCoreTasks(this.#spoken.revision.version))
      return run();
    return this.#answerForTask(
      run,
      task,
      JSON.stringify([task["taskId"], method, rest]),
      signal,
    );
  }

  /**
   * A server may request an input again whose handler has failed, and the user should not see it again.
   *
   * @param input - Identifies the input.
   */
  async #answerForTask(
    run: () => object | Promise<object>,
    task: object,
    input: string,
    signal: AbortSignal,
  ): Promise<object> {
    const failed = this.#failed.get(input);
    if (failed !== undefined) throw failed.error;
    try {
      const result = toResult(await run());
      const { _meta: meta } = result as { readonly _meta?: unknown };
      // MCP 2025-11-25, tasks, Associating Task-Related Messages: responses name the task too.
      return {
        ...result,
        _meta: { ...(isObject(meta) ? meta : {}), [RELATED_TASK]: task },
      };
    } catch (error) {
      if (!signal.aborted && input.length <= MAX_FAILED_INPUT_CHARS) {
        const [oldest] = this.#failed.keys();
        if (oldest !== undefined && this.#failed.size >= MAX_FAILED_INPUTS)
          this.#failed.delete(oldest);
        this.#failed.set(input, { error });
      }
      throw error;
    }
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

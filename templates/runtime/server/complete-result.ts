/** Adds what each revision requires of a result. */
import { META_KEYS } from "../protocol/revision.js";
import type { Implementation, Revision } from "../protocol/revision.js";
import { toResult } from "../jsonrpc/endpoint.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";

/** Thrown to end a handler that waits for input; `result` is the result of this round. */
export class InputRequiredSignal extends Error {
  readonly result: object;

  constructor(result: object) {
    super("the handler waits for input; do not catch this");
    this.result = result;
  }
}

export function unwrapInputRequired(error: unknown): object {
  if (error instanceof InputRequiredSignal) return error.result;
  throw error;
}

/**
 * The `_meta` of all results whose handler adds nothing to it, of which only one exists. Frozen, since the memory
 * transport passes it on by reference.
 */
export function resultMeta(info: Implementation): object {
  return Object.freeze({ [META_KEYS.SERVER_INFO]: info });
}

/** @param meta - What {@link resultMeta} has returned. */
export function completeResult(
  revision: Revision,
  method: string,
  result: object,
  meta: object,
): object {
  const handlerResult = toResult(result);
  const { resultType, _meta: ownMeta } = handlerResult as {
    readonly resultType?: unknown;
    readonly _meta?: object;
  };
  // Not spread: in Node 20, members that are added to a spread copy cost twenty times as much.
  const completed: Record<string, unknown> = Object.assign(
    { resultType: "complete" },
    handlerResult,
  );
  completed["_meta"] =
    ownMeta === undefined ? meta : Object.assign({}, meta, ownMeta);
  if (resultType !== undefined && resultType !== "complete") return completed;
  // A member that the handler left undefined counts as absent.
  completed["resultType"] ??= "complete";
  const defaults = revision.defaults[method] as UnknownObject | undefined;
  for (const name in defaults) completed[name] ??= defaults[name];
  return completed;
}

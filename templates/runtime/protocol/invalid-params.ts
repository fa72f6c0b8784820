/** Errors about invalid params and results, shared by all sides. */
import { describeFailure } from "../validation.js";
import type { Failure } from "../validation.js";
import {
  CallError,
  RpcError,
  STANDARD_ERROR_CODES,
} from "../jsonrpc/error-codes.js";

/** A failure in the words of another library. */
export interface DescribedFailure {
  /** JSON pointer to the first wrong value, from the root of what was received. */
  readonly path: string;
  /** What is wrong, and where. */
  readonly description: string;
}

/**
 * The error for a request with invalid params.
 *
 * @param below - JSON pointer, within the params, to the validated value.
 */
export function invalidParamsError(
  failure: Failure | DescribedFailure,
  below = "",
): RpcError {
  if ("description" in failure)
    return new RpcError(
      STANDARD_ERROR_CODES.INVALID_PARAMS,
      `Invalid params: ${failure.description}`,
      { path: failure.path },
    );
  const { expected, found } = failure;
  const path = below + failure.path;
  return new RpcError(
    STANDARD_ERROR_CODES.INVALID_PARAMS,
    path === ""
      ? `Invalid params: params must be ${expected}, not ${found}`
      : `Invalid params: ${describeFailure({ ...failure, path })}`,
    { path, expected, found },
  );
}

/** The error of a call whose result is invalid. */
export function invalidResultError(
  method: string,
  failure: Failure | DescribedFailure,
): RpcError {
  const text =
    "description" in failure ? failure.description : describeFailure(failure);
  return new RpcError(
    STANDARD_ERROR_CODES.INTERNAL_ERROR,
    `the client's result of ${method} is wrong: ${text}`,
  );
}

/**
 * A result that does not match its method: the call has run, and the other side has a fault. Tolerate known deviations with
 * `lenient`.
 */
export class InvalidResultError extends CallError {
  override readonly name = "InvalidResultError";
  readonly mayHaveRun = true;
  readonly failure: Failure;

  constructor(method: string, failure: Failure) {
    super(`the result of ${method} is wrong: ${describeFailure(failure)}`);
    this.failure = failure;
  }
}

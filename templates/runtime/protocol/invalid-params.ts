/** Errors about invalid params and results, shared by client and server. */
import { describeFailure } from "../validation.js";
import type { Failure } from "../validation.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";

/**
 * The error for a request with invalid params.
 *
 * @param below - JSON pointer, within the params, to the validated value.
 */
export function invalidParamsError(failure: Failure, below = ""): RpcError {
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
export function invalidResultError(method: string, failure: Failure): RpcError {
  return new RpcError(
    STANDARD_ERROR_CODES.INTERNAL_ERROR,
    `the client's result of ${method} is wrong: ${describeFailure(failure)}`,
  );
}

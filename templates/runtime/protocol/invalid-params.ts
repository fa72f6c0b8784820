/**
 * Errors about invalid params and results, worded once for client and server.
 */
import { describeFailure } from "../validation.js";
import type { Failure } from "../validation.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";

/**
 * The answer to a request with invalid params.
 *
 * @param below - JSON pointer, within the params, of the value that was validated.
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

/** The error of a call whose result the other side got wrong. */
export function invalidResultError(method: string, failure: Failure): RpcError {
  return new RpcError(
    STANDARD_ERROR_CODES.INTERNAL_ERROR,
    `the client's answer to ${method} is wrong: ${describeFailure(failure)}`,
  );
}

/**
 * Errors about invalid parameters and results.
 */
import type { Failure } from "../validation.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";

export function invalidParams(
  { path, expected, found }: Failure,
  below = "",
): RpcError {
  const data = { path: below + path, expected, found };
  return new RpcError(
    STANDARD_ERROR_CODES.INVALID_PARAMS,
    data.path === ""
      ? `Invalid params: params must be ${expected}, not ${found}`
      : `Invalid params: ${data.path} should be ${expected}, not ${found}`,
    data,
  );
}

export function invalidResultError(method: string, failure: Failure): RpcError {
  return new RpcError(
    STANDARD_ERROR_CODES.INTERNAL_ERROR,
    `the client's answer to ${method} is wrong: ${describeMismatch(failure)}`,
  );
}

export function describeMismatch({ path, expected, found }: Failure): string {
  return `${path || "/"} should be ${expected}, not ${found}`;
}

/** Errors of calls that a client ends. */
import { CallError } from "../jsonrpc/error-codes.js";
export { InvalidResultError } from "../protocol/invalid-params.js";

/**
 * The server requested input in more rounds than the client allows, so the call may have run in part. Raise `maxRounds`
 * only for a server that you trust.
 */
export class TooManyRoundsError extends CallError {
  override readonly name = "TooManyRoundsError";
  readonly mayHaveRun = true;

  constructor(method: string, rounds: number) {
    super(`${method} still requires input after ${rounds} rounds`);
  }
}

/**
 * The server requested more inputs at once than the client allows, so the call may have run in part. Raise
 * `maxInputRequests` only for a server that you trust.
 */
export class TooManyInputsError extends CallError {
  override readonly name = "TooManyInputsError";
  readonly mayHaveRun = true;

  constructor(requested: number, limit: number) {
    super(
      `the server requests ${requested} inputs at once, more than ${limit}`,
    );
  }
}

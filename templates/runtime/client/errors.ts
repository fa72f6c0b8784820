/** Errors of calls that a client ends. */
import { CallError } from "../jsonrpc/error-codes.js";
import { describeFailure } from "../validation.js";
import type { Failure } from "../validation.js";

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

/**
 * A result that does not match its method: the call has run, and the server has a fault. Tolerate known deviations with
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

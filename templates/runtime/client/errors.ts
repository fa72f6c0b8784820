/**
 * Errors of calls that a client gives up.
 */
import { describeFailure } from "../validation.js";
import type { Failure } from "../validation.js";

/** The server asked for input more often than the client lets it. */
export class TooManyRoundsError extends Error {
  override readonly name = "TooManyRoundsError";

  constructor(method: string, rounds: number) {
    super(`${method} still asks for input after ${rounds} rounds`);
  }
}

/** The server asked for more at once than the client lets it. */
export class TooManyInputsError extends Error {
  override readonly name = "TooManyInputsError";

  constructor(requested: number, limit: number) {
    super(
      `the server asks for ${requested} inputs at once, more than ${limit}`,
    );
  }
}

/** A result that is not what its method promises. */
export class InvalidResultError extends Error {
  override readonly name = "InvalidResultError";
  readonly failure: Failure;

  constructor(method: string, failure: Failure) {
    super(`the result of ${method} is wrong: ${describeFailure(failure)}`);
    this.failure = failure;
  }
}

/** Errors of calls that a client ends. */
import { describeFailure } from "../validation.js";
import type { Failure } from "../validation.js";

/** The server requested input in more rounds than the client allows. */
export class TooManyRoundsError extends Error {
  override readonly name = "TooManyRoundsError";

  constructor(method: string, rounds: number) {
    super(`${method} still requires input after ${rounds} rounds`);
  }
}

/** The server requested more inputs at once than the client allows. */
export class TooManyInputsError extends Error {
  override readonly name = "TooManyInputsError";

  constructor(requested: number, limit: number) {
    super(
      `the server requests ${requested} inputs at once, more than ${limit}`,
    );
  }
}

/** A result that does not match its method. */
export class InvalidResultError extends Error {
  override readonly name = "InvalidResultError";
  readonly failure: Failure;

  constructor(method: string, failure: Failure) {
    super(`the result of ${method} is wrong: ${describeFailure(failure)}`);
    this.failure = failure;
  }
}

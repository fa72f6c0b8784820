/** Creates validators and assertions from checks. */
import type {
  Assertion,
  Failure,
  StandardSchemaProps,
  ValidateOptions,
  Validation,
  Validator,
} from "./types.js";
import { explainMismatch, validateWith } from "./explain.js";
import { pointerTokens } from "./pointer.js";

/** Thrown by an assertion; its message has the location, the reason, what was expected and what was found. */
export class ValidationError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(describeFailure(failure));
    this.name = "ValidationError";
    this.failure = failure;
  }
}

/** Describes a failure in one line. */
export function describeFailure({
  path,
  reason,
  expected,
  found,
  definition,
}: Failure): string {
  const where = path === "" ? "the value" : path;
  const owner = definition === undefined ? "" : ` (${definition})`;
  return reason === "missing"
    ? `${where} is missing${owner}: expected ${expected}`
    : `${where} is wrong${owner}: expected ${expected}, found ${found}`;
}

/** Creates a validator from a guard. */
export function validator<T>(
  guard: (value: unknown) => value is T,
): Validator<T> {
  const validate = (
    value: unknown,
    options?: ValidateOptions,
  ): Validation<T> => {
    return validateWith<T>(guard, value, options);
  };
  const props: StandardSchemaProps<T> = {
    version: 1,
    vendor: "mcpgen",
    validate(value) {
      const outcome = validate(value);
      if (outcome.success) return { value: outcome.value };
      return {
        issues: [
          {
            message: describeFailure(outcome.failure),
            path: pointerTokens(outcome.failure.path),
          },
        ],
      };
    },
  };
  return Object.assign(validate, { "~standard": props });
}

/** Creates an assertion from a guard. */
export function assertion<T>(
  guard: (value: unknown) => value is T,
): Assertion<T> {
  return (value): asserts value is T => {
    if (!guard(value)) throw new ValidationError(explainMismatch(guard, value));
  };
}

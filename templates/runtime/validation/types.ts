/**
 * Types of validators, failures and tolerated deviations.
 */
/** Why a value is not valid: one place and one reason. */
export type Failure = {
  /**
   * JSON pointer (RFC 6901) to the wrong value, or to the member that is missing; `""` is the value itself. Names of more
   * than 200 characters are cut in it, so that a sender cannot make it grow.
   */
  readonly path: string;
  /** `missing`: a required member is not there; `value`: what is there is wrong. */
  readonly reason: "missing" | "value";
  /** What would be right, in words. */
  readonly expected: string;
  /** What was found, in words, shortened. */
  readonly found: string;
  /** The innermost definition that the failure lies in. */
  readonly definition?: string;
};

/** A check of a value. It only says yes or no; why not is found out afterwards, by {@link explainMismatch}. */
export type Check = (value: unknown) => boolean;

/** A deviation from the protocol that can be put up with: it repairs a copy of the value, and never the value itself. */
export type Deviation = {
  readonly name: string;
  /** A copy of `root` without the fault, or undefined if this deviation is not what is wrong. */
  readonly repair: (
    root: unknown,
    failure: Failure,
  ) => { readonly value: unknown } | undefined;
};

/** A repair that made a value valid. */
export type Repair = {
  /** Name of the deviation. */
  readonly deviation: string;
  /** JSON pointer to what was repaired. */
  readonly path: string;
};

/** Tries to make a value valid whose failure is known. */
export type Leniency = <T>(
  check: Check,
  value: unknown,
  failure: Failure,
) => Validation<T>;

/** How to validate. */
export type ValidateOptions = {
  /** Formats to assert, by name, such as {@link FORMATS}; without it a format is an annotation. */
  readonly formats?: Readonly<Record<string, (text: string) => boolean>>;
  /** Deviations to put up with, as {@link tolerating} makes it; none by default. */
  readonly lenient?: Leniency;
};

/** The outcome of a validation. */
export type Validation<T> =
  | {
      readonly success: true;
      /** The value itself, unchanged, or a repaired copy where a deviation was put up with. */
      readonly value: T;
      readonly repairs?: readonly Repair[];
    }
  | { readonly success: false; readonly failure: Failure };

/** The part of Standard Schema (version 1) that a validator has, so that libraries can take it as a schema. */
export type StandardSchemaProps<T> = {
  readonly version: 1;
  readonly vendor: "mcpgen";
  readonly validate: (value: unknown) => StandardSchemaResult<T>;
  readonly types?: { readonly input: T; readonly output: T };
};

type StandardSchemaResult<T> =
  { readonly value: T } | { readonly issues: readonly StandardSchemaIssue[] };

type StandardSchemaIssue = {
  readonly message: string;
  readonly path: readonly PropertyKey[];
};

/** Validates a value. Is a Standard Schema too. */
export type Validator<T> = ((
  value: unknown,
  options?: ValidateOptions,
) => Validation<T>) & {
  readonly "~standard": StandardSchemaProps<T>;
};

/**
 * Does nothing if a value is of a type.
 *
 * @throws {@link ValidationError} if it is not.
 */
export type Assertion<T> = (value: unknown) => asserts value is T;

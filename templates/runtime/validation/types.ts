/**
 * Types of validators, failures and tolerated deviations.
 */
/** Why a value is invalid: one location and one reason. */
export type Failure = {
  /**
   * JSON pointer (RFC 6901) to the wrong value, or to the missing member; `""` is the value itself. Names of more than
   * 200 characters are cut, so that a sender cannot make the pointer long.
   */
  readonly path: string;
  /** `missing`: a required member is absent; `value`: the value is wrong. */
  readonly reason: "missing" | "value";
  /** A description of a valid value. */
  readonly expected: string;
  /** A short description of the value found. */
  readonly found: string;
  /** The innermost definition that contains the failure. */
  readonly definition?: string;
};

/** A check of a value that only returns true or false; {@link explainMismatch} finds out why. */
export type Check = (value: unknown) => boolean;

/** A deviation from the protocol that can be tolerated: it repairs a copy of the value, and never the value itself. */
export type Deviation = {
  readonly name: string;
  /** A copy of `root` without the fault, or undefined if the fault is a different one. */
  readonly repair: (
    root: unknown,
    failure: Failure,
  ) => { readonly value: unknown } | undefined;
};

/** A repair that made a value valid. */
export type Repair = {
  /** Name of the deviation. */
  readonly deviation: string;
  /** JSON pointer to the repaired value. */
  readonly path: string;
};

/** Tries to repair a value whose failure is known. */
export type Leniency = <T>(
  check: Check,
  value: unknown,
  failure: Failure,
) => Validation<T>;

/** Options of a validation. */
export type ValidateOptions = {
  /** Formats to assert, by name, such as {@link FORMATS}; by default a format is only an annotation. */
  readonly formats?: Readonly<Record<string, (text: string) => boolean>>;
  /** Deviations to tolerate, from {@link tolerating}; none by default. */
  readonly lenient?: Leniency;
};

/** The outcome of a validation. */
export type Validation<T> =
  | {
      readonly success: true;
      /** The value itself, unchanged, or a repaired copy if a deviation was tolerated. */
      readonly value: T;
      readonly repairs?: readonly Repair[];
    }
  | { readonly success: false; readonly failure: Failure };

/** The part of Standard Schema (version 1) that a validator implements, so that libraries can use it as a schema. */
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

/** Validates a value. Also a Standard Schema. */
export type Validator<T> = ((
  value: unknown,
  options?: ValidateOptions,
) => Validation<T>) & {
  readonly "~standard": StandardSchemaProps<T>;
};

/**
 * Checks that a value is of a type.
 *
 * @throws {@link ValidationError} if it is not.
 */
export type Assertion<T> = (value: unknown) => asserts value is T;

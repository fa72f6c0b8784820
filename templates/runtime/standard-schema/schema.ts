/** A Standard Schema that provides JSON Schema: its type, its JSON Schema, and its validation with our messages. */
import type {
  MaybePromise,
  ObjectSchema,
  SchemaValidation,
} from "../registry/types.js";
import { truncate } from "../protocol/revision.js";
import { escapePointerToken, valueAtTokens } from "../validation/pointer.js";

/**
 * A Standard Schema that provides JSON Schema: `StandardSchemaV1` and `StandardJSONSchemaV1` of `@standard-schema/spec`.
 *
 * @typeParam Input - What it accepts.
 * @typeParam Output - What it returns, after defaults and transforms.
 */
export interface StandardSchema<Input, Output> {
  readonly "~standard": {
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    readonly validate: (value: unknown) => MaybePromise<StandardResult<Output>>;
    readonly jsonSchema: Readonly<
      Record<
        "input" | "output",
        (options: {
          readonly target: "draft-2020-12";
        }) => Record<string, unknown>
      >
    >;
    /** Only has types. */
    readonly types?:
      { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The outcome of a validation. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Something that a library has found wrong. */
export interface StandardIssue {
  readonly message: string;
  readonly path?:
    readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Later issues are only counted: arguments can have any number of wrong items. */
const MAX_ISSUES = 5;

/**
 * The JSON Schema of an object, which the library makes.
 *
 * @param role - What the schema is for, such as `input`.
 * @param side - Of what it accepts, or of what it returns.
 * @throws TypeError if the schema provides none, or that of a value other than an object.
 */
export function objectSchemaOf(
  schema: Partial<StandardSchema<unknown, unknown>>,
  role: string,
  side: "input" | "output",
): ObjectSchema {
  const name = schemaName(schema, role);
  const { jsonSchema } = schema["~standard"] ?? {};
  if (jsonSchema === undefined)
    throw new TypeError(
      `${name} provides no JSON Schema (~standard.jsonSchema): use Zod 4.2 or later, ArkType 2.1.28 or later, or \`toStandardJsonSchema\` of @valibot/to-json-schema`,
    );
  let json: Record<string, unknown>;
  try {
    json = jsonSchema[side]({ target: "draft-2020-12" });
  } catch (cause) {
    throw new TypeError(`${name} has no JSON Schema: ${String(cause)}`, {
      cause,
    });
  }
  const { type } = json;
  if (type !== "object")
    throw new TypeError(
      `${name} must be of an object: its JSON Schema has ${type === undefined ? "no type" : `the type ${JSON.stringify(type)}`}, instead of "object"`,
    );
  return { ...json, type };
}

/** The name of a schema in messages, such as `the input schema of zod`. */
export function schemaName(
  schema: Partial<StandardSchema<unknown, unknown>>,
  role: string,
): string {
  const { vendor = "an unknown library" } = schema["~standard"] ?? {};
  return `the ${role} schema of ${vendor}`;
}

/** Validates a value by its library; a failure says what is wrong, as `describeFailure` does for generated validators. */
export async function validateBy<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): Promise<SchemaValidation<Output>> {
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined
    ? { success: true, value: result.value }
    : { success: false, failure: describeIssues(result.issues, value, "") };
}

/** @param below - JSON pointer to the validated value. */
export function describeIssues(
  issues: readonly StandardIssue[],
  value: unknown,
  below: string,
): string {
  // Not `slice`: in ArkType, the list is of a class whose constructor takes other arguments.
  const all = Array.from(issues);
  const texts = all
    .slice(0, MAX_ISSUES)
    .map((issue) => describeIssue(issue, value, below));
  if (all.length > MAX_ISSUES) texts.push(`${all.length - MAX_ISSUES} more`);
  return texts.join("; ");
}

function describeIssue(
  issue: StandardIssue,
  value: unknown,
  below: string,
): string {
  const where = below + issuePointer(issue);
  const isMissing = valueAtTokens(value, issueTokens(issue)) === undefined;
  return `${where === "" ? "the value" : where} is ${isMissing ? "missing" : "wrong"}: ${truncate(issue.message)}`;
}

/** JSON pointer to what an issue is about; `""` is the value itself. */
export function issuePointer(issue: StandardIssue): string {
  return issueTokens(issue)
    .map((token) => `/${escapePointerToken(token)}`)
    .join("");
}

/** The names and indexes that lead to what an issue is about. */
export function issueTokens({ path = [] }: StandardIssue): readonly string[] {
  return Array.from(path, (segment) =>
    String(typeof segment === "object" ? segment.key : segment),
  );
}

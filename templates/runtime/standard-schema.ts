/**
 * Schemas of other libraries for tools: any Standard Schema that provides JSON Schema, such as those of Zod, ArkType and
 * Valibot. The types are those of the Standard Schema specification, so no library is a dependency.
 */
import type {
  MaybePromise,
  ObjectSchema,
  ToolSchema,
} from "./registry/types.js";
import { truncate } from "./protocol/revision.js";
import { escapePointerToken, valueAtTokens } from "./validation/pointer.js";

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

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?:
    readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Later issues are only counted: arguments can have any number of wrong items. */
const MAX_ISSUES = 5;

/**
 * Makes a Standard Schema the `input` of a tool. `run` receives what the schema returns, after defaults and transforms;
 * clients see the JSON Schema of what it accepts.
 *
 *     defineTool({ name: "shout", input: inputSchema(z.object({ text: z.string() })), run: ({ text }) => `${text}!` });
 *
 * The JSON Schema is of draft 2020-12, the default dialect (MCP 2025-11-25, basic, JSON Schema usage).
 *
 * @throws TypeError if the schema provides no JSON Schema, or that of a value other than an object.
 */
export function inputSchema<Output extends object>(
  schema: StandardSchema<unknown, Output>,
): ToolSchema<Output> {
  return toolSchema(schema, "input");
}

/**
 * Makes a Standard Schema the `output` of a tool. `run` returns what the schema accepts as `structuredContent`; clients
 * receive what it returns, after defaults and transforms, and see the JSON Schema of that, in draft 2020-12.
 *
 * @throws TypeError if the schema provides no JSON Schema, or that of a value other than an object.
 */
export function outputSchema<Input extends object>(
  schema: StandardSchema<Input, object>,
): ToolSchema<Input> {
  // What the tool returns is of the type that the schema accepts; what is sent is of the type that it returns.
  return toolSchema(schema, "output") as ToolSchema<Input>;
}

function toolSchema<Output extends object>(
  schema: StandardSchema<unknown, Output>,
  side: "input" | "output",
): ToolSchema<Output> {
  return {
    schema: objectSchema(schema, side),
    validate: async (value) => {
      const result = await schema["~standard"].validate(value);
      return result.issues === undefined
        ? { success: true, value: result.value }
        : { success: false, failure: describeIssues(result.issues, value) };
    },
  };
}

function objectSchema(
  schema: Partial<StandardSchema<unknown, unknown>>,
  side: "input" | "output",
): ObjectSchema {
  const { vendor = "an unknown library", jsonSchema } =
    schema["~standard"] ?? {};
  const name = `the ${side} schema of ${vendor}`;
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

/** Says what is wrong, as `describeFailure` does for generated validators. */
function describeIssues(
  issues: readonly StandardIssue[],
  value: unknown,
): string {
  // Not `slice`: in ArkType, the list is of a class whose constructor takes other arguments.
  const all = Array.from(issues);
  const texts = all
    .slice(0, MAX_ISSUES)
    .map((issue) => describeIssue(issue, value));
  if (all.length > MAX_ISSUES) texts.push(`${all.length - MAX_ISSUES} more`);
  return texts.join("; ");
}

function describeIssue(
  { message, path = [] }: StandardIssue,
  value: unknown,
): string {
  const tokens = Array.from(path, (segment) =>
    String(typeof segment === "object" ? segment.key : segment),
  );
  const where =
    tokens.length === 0
      ? "the value"
      : tokens.map((token) => `/${escapePointerToken(token)}`).join("");
  const isMissing = valueAtTokens(value, tokens) === undefined;
  return `${where} is ${isMissing ? "missing" : "wrong"}: ${truncate(message)}`;
}

/** The arguments of a prompt by a Standard Schema. */
import { optionalMember } from "../registry/lists.js";
import type { ArgumentsSchema, PromptArgument } from "../registry/prompts.js";
import { truncate } from "../protocol/revision.js";
import {
  issueTokens,
  objectSchemaOf,
  schemaName,
  validateBy,
} from "./schema.js";
import type { StandardSchema } from "./schema.js";

/** The names of members that accept no strings. */
type NamesOfOthers<Input> = {
  [Name in keyof Input]-?: unknown extends Input[Name]
    ? never
    : Extract<Input[Name], string> extends never
      ? Input[Name] extends never
        ? never
        : Name
      : never;
}[keyof Input];

/** Nothing, or what the compiler reports if a member accepts no strings. */
type OnlyStrings<Input> = [NamesOfOthers<Input>] extends [never]
  ? unknown
  : {
      readonly "arguments of prompts are strings, and not accepted by": NamesOfOthers<Input>;
    };

/** The part of a JSON Schema of an argument that is used here. */
interface ArgumentJson {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
}

/**
 * Makes a Standard Schema the `arguments` of a prompt. `render` receives what the schema returns, after defaults and
 * transforms; clients see the name, title and description of each member, and whether it is required.
 *
 *     definePrompt({
 *       name: "plan",
 *       arguments: argumentsSchema(z.object({ city: z.string(), days: z.coerce.number().default(3) })),
 *       render: ({ city, days }) => `Plan ${days} days in ${city}.`,
 *     });
 *
 * Arguments are strings (MCP, server features, prompts), so each member must accept strings, as `z.coerce.number()` does.
 *
 * @throws TypeError if a member accepts no strings, or the schema provides no JSON Schema of an object.
 */
export function argumentsSchema<Input extends object, Output extends object>(
  schema: StandardSchema<Input, Output> & OnlyStrings<Input>,
): ArgumentsSchema<keyof Input & string, Output> {
  const { properties = {}, required = [] } = objectSchemaOf(
    schema,
    "arguments",
    "input",
  ) as {
    readonly properties?: Readonly<Record<string, ArgumentJson>>;
    readonly required?: readonly string[];
  };
  const list = Object.entries(properties).map(
    ([name, json]): PromptArgument & {
      readonly name: keyof Input & string;
    } => {
      if (!acceptsStrings(schema, name, json))
        throw new TypeError(
          `${schemaName(schema, "arguments")}: arguments of prompts are strings, and /${name} accepts none; its JSON Schema is ${truncate(JSON.stringify(json))}`,
        );
      return {
        name: name as keyof Input & string,
        ...optionalMember("title", textOf(json.title)),
        ...optionalMember("description", textOf(json.description)),
        ...(required.includes(name) ? { required: true } : {}),
      };
    },
  );
  return Object.assign(list, {
    validate: (values: unknown) => validateBy(schema, values),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Whether a member accepts strings. The JSON Schema of `z.coerce.number()` is that of `z.number()`, so a value that fits
 * it is validated twice: if it is accepted as it is, and rejected as a string, the member accepts no strings.
 */
function acceptsStrings(
  schema: StandardSchema<unknown, unknown>,
  name: string,
  json: ArgumentJson,
): boolean {
  const { type } = json;
  if (type === undefined || [type].flat().includes("string")) return true;
  if (type !== "number" && type !== "integer" && type !== "boolean")
    return false;
  const example =
    json.const ??
    json.enum?.[0] ??
    json.default ??
    json.minimum ??
    json.maximum ??
    (type === "boolean" ? true : 1);
  return (
    !isAccepted(schema, name, example) ||
    isAccepted(schema, name, JSON.stringify(example))
  );
}

/** Whether validation has nothing to say about a member. An asynchronous one does not say. */
function isAccepted(
  schema: StandardSchema<unknown, unknown>,
  name: string,
  value: unknown,
): boolean {
  const result = schema["~standard"].validate({ [name]: value });
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return true;
  }
  return Array.from(result.issues ?? []).every(
    (issue) => issueTokens(issue)[0] !== name,
  );
}

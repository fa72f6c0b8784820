/** A form by a Standard Schema: JSON Schema of the few kinds of fields that forms may have, and validation. */
import { isObject } from "../jsonrpc/envelope.js";
import { truncate } from "../protocol/revision.js";
import { hasRichForms } from "../protocol/version-rules.js";
import { FORM } from "../server/elicitation.js";
import type { FormSchema } from "../server/elicitation.js";
import {
  describeIssues,
  issuePointer,
  objectSchemaOf,
  schemaName,
} from "./schema.js";
import type { StandardSchema } from "./schema.js";

type Json = Readonly<Record<string, unknown>>;

/** A choice of a field; the title is for people. */
interface Choice {
  readonly const: string;
  readonly title?: string;
}

/** Keywords of all fields. */
const ANNOTATIONS = ["title", "description", "default"];

/** Keywords with which a field is more than a string, a number or a boolean. */
const CHOICES = ["enum", "oneOf", "anyOf", "allOf"];

/** Keywords of each type of field, in addition (MCP, elicitation, requested schema). */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  boolean: [],
};

const FORMATS: ReadonlySet<unknown> = new Set([
  "date",
  "date-time",
  "email",
  "uri",
]);

/**
 * Makes a Standard Schema the `requestedSchema` of a form. The content that the user accepts is what the schema returns,
 * after defaults and transforms; clients see the JSON Schema of what it accepts.
 *
 *     requestedSchema: formSchema(z.object({ guests: z.int().min(1), outside: z.boolean().optional() })),
 *
 * Fields are strings, numbers, booleans, choices of strings, and lists of such choices (MCP, elicitation, requested
 * schema). Clients do not see keywords that forms lack, such as `pattern`; the server validates them.
 *
 * @throws TypeError if a field is of another kind, or the schema provides no JSON Schema of an object.
 */
export function formSchema<Content extends object>(
  schema: StandardSchema<unknown, Content>,
): FormSchema<Content> {
  const name = schemaName(schema, "form");
  const json = objectSchemaOf(schema, "form", "input") as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
    readonly $defs?: Readonly<Record<string, Json>>;
  };
  const { properties = {}, required = [], $defs = {} } = json;
  const fields = Object.entries(properties).map(([key, given]) => {
    const field = formField(withoutReference(given, $defs));
    if (field === undefined)
      throw new TypeError(
        `${name}: the field /${key} must be a string, a number, a boolean, a choice of strings, or a list of such choices; its JSON Schema is ${truncate(JSON.stringify(given))}`,
      );
    return [key, field] as const;
  });
  const form = {
    type: "object",
    properties: Object.fromEntries(fields) as Record<string, never>,
    required,
  } as const;
  return {
    ...form,
    [FORM]: {
      schemaIn: (revision) =>
        hasRichForms(revision)
          ? form
          : {
              ...form,
              properties: Object.fromEntries(
                fields.map(([key, field]) => [
                  key,
                  simpleField(field, `${name}: the field /${key}`),
                ]),
              ),
            },
      validate: async (content, below) => {
        const result = await schema["~standard"].validate(content);
        if (result.issues === undefined)
          return { success: true, value: result.value };
        const [first] = result.issues;
        return {
          success: false,
          failure: {
            path: below + (first === undefined ? "" : issuePointer(first)),
            description: describeIssues(result.issues, content, below),
          },
        };
      },
    },
  };
}

/** Libraries put a schema with a name into `$defs`. */
function withoutReference(
  json: Json,
  $defs: Readonly<Record<string, Json>>,
): Json {
  const { $ref, ...others } = json;
  const name = typeof $ref === "string" ? $ref.replace("#/$defs/", "") : "";
  return Object.hasOwn($defs, name) ? { ...$defs[name], ...others } : json;
}

/** A field as forms may have it, from 2025-11-25 on; undefined if no form has its like. */
function formField(json: Json): Json | undefined {
  const { type, items, format } = json;
  const choices = choicesOf(json);
  if (choices !== undefined)
    return {
      type: "string",
      ...pick(json, ANNOTATIONS),
      ...choiceSchema(choices, "oneOf"),
    };
  if (type === "array") {
    const itemChoices = isObject(items) ? choicesOf(items) : undefined;
    return itemChoices === undefined
      ? undefined
      : {
          type,
          ...pick(json, [...ANNOTATIONS, "minItems", "maxItems"]),
          items: {
            ...(isTitled(itemChoices) ? {} : { type: "string" }),
            ...choiceSchema(itemChoices, "anyOf"),
          },
        };
  }
  const isChoiceOfOthers = CHOICES.some((keyword) => keyword in json);
  const limits =
    typeof type === "string" && !isChoiceOfOthers ? LIMITS[type] : undefined;
  return limits === undefined
    ? undefined
    : {
        type,
        ...pick(json, [...ANNOTATIONS, ...limits]),
        ...(FORMATS.has(format) ? { format } : {}),
      };
}

/** The choices of a schema that allows some strings only, however a library writes that. */
function choicesOf(json: Json): readonly Choice[] | undefined {
  const values =
    json["enum"] ?? ("const" in json ? [json["const"]] : undefined);
  const alternatives = json["oneOf"] ?? json["anyOf"];
  const choices: readonly Json[] | undefined = Array.isArray(values)
    ? values.map((value: unknown) => ({ const: value }))
    : Array.isArray(alternatives)
      ? alternatives.map((item: unknown) =>
          isObject(item) ? pick(item, ["const", "title"]) : {},
        )
      : undefined;
  return choices?.every(isChoice) === true ? choices : undefined;
}

function isChoice(choice: Json): choice is Json & Choice {
  return typeof choice["const"] === "string";
}

function isTitled(choices: readonly Choice[]): boolean {
  return choices.some(({ title }) => title !== undefined);
}

function choiceSchema(
  choices: readonly Choice[],
  keyword: "oneOf" | "anyOf",
): Json {
  return isTitled(choices)
    ? {
        [keyword]: choices.map(({ const: value, title = value }) => ({
          const: value,
          title,
        })),
      }
    : { enum: choices.map((choice) => choice.const) };
}

/** A field of 2025-06-18: without lists, titles of choices in `enumNames`, and defaults of booleans only. */
function simpleField(field: Json, name: string): Json {
  if (field["type"] === "array")
    throw new TypeError(
      `${name} is a list, which forms may have from 2025-11-25 on`,
    );
  const { default: value, oneOf, ...others } = field;
  const choices = oneOf as readonly Required<Choice>[] | undefined;
  return {
    ...others,
    ...(typeof value === "boolean" ? { default: value } : {}),
    ...(choices === undefined
      ? {}
      : {
          enum: choices.map((choice) => choice.const),
          enumNames: choices.map((choice) => choice.title),
        }),
  };
}

function pick(json: Json, keywords: readonly string[]): Json {
  return Object.fromEntries(
    keywords.flatMap((keyword) => {
      const value = json[keyword];
      // Zod writes the limits of safe integers, which say nothing to a user.
      const isNoLimit =
        typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER;
      return value === undefined || isNoLimit ? [] : [[keyword, value]];
    }),
  );
}

/** Forms that a user fills in: the types of their content, and the check that an answer matches the form. */
import type { UnknownObject } from "../jsonrpc/envelope.js";
import {
  arrayOf,
  boolean,
  integer,
  number,
  string,
} from "../validation/checks.js";
import {
  mismatch,
  noneOf,
  object,
  ownMember,
  validateWith,
} from "../validation/explain.js";
import type { Validation } from "../validation.js";
import type { DescribedFailure } from "../protocol/invalid-params.js";

/** The key of a form by a schema of another library; JSON does not have it. */
export const FORM: unique symbol = Symbol("form");

/** A form by a schema of another library. */
export interface Form<Content extends object> {
  /**
   * Its JSON Schema, as a revision allows it.
   *
   * @throws TypeError if the revision lacks a kind of field.
   */
  readonly schemaIn: (revision: string) => object;
  /** @param below - JSON pointer to the content. */
  readonly validate: (
    content: object,
    below: string,
  ) => Promise<FormValidation<Content>>;
}

type FormValidation<Content> =
  | { readonly success: true; readonly value: Content }
  | { readonly success: false; readonly failure: DescribedFailure };

/**
 * The `requestedSchema` of a form that a Standard Schema describes, from `formSchema` of `runtime/standard-schema`.
 *
 * @typeParam Content - What the schema returns, after defaults and transforms.
 */
export interface FormSchema<Content extends object> {
  readonly type: "object";
  /** As JSON Schema; opaque, since fields differ between revisions. */
  readonly properties: Readonly<Record<string, never>>;
  readonly required: readonly string[];
  readonly [FORM]: Form<Content>;
}

/** The value of a field, by its schema. */
type FieldValue<Field> = Field extends {
  readonly enum: readonly (infer Choice)[];
}
  ? Choice
  : Field extends {
        readonly oneOf: readonly { readonly const: infer Choice }[];
      }
    ? Choice
    : Field extends { readonly type: "array"; readonly items: infer Items }
      ? ItemValue<Items>[]
      : Field extends { readonly type: "number" | "integer" }
        ? number
        : Field extends { readonly type: "boolean" }
          ? boolean
          : string;

type ItemValue<Items> = Items extends {
  readonly enum: readonly (infer Choice)[];
}
  ? Choice
  : Items extends {
        readonly anyOf: readonly { readonly const: infer Choice }[];
      }
    ? Choice
    : string;

/** Names in `required`; none if the list is not a literal. */
type RequiredOf<Schema> = Schema extends {
  readonly required: readonly (infer Name)[];
}
  ? string extends Name
    ? never
    : Name
  : never;

/**
 * The content of a form that the user accepted, by the literal type of its `requestedSchema`: fields in `required` are
 * present, choices are unions of their values, and a list of choices is an array.
 */
export type ElicitedContent<Schema> = Schema extends {
  readonly properties: infer Fields;
}
  ? Flatten<
      {
        -readonly [
          Name in keyof Fields as Name extends RequiredOf<Schema> ? Name : never
        ]: FieldValue<Fields[Name]>;
      } & {
        -readonly [
          Name in keyof Fields as Name extends RequiredOf<Schema> ? never : Name
        ]?: FieldValue<Fields[Name]>;
      }
    >
  : never;

/** Whether the names of an object's members are literals, and there are any. */
type HasKnownNames<T> = [keyof T] extends [never]
  ? false
  : string extends keyof T
    ? false
    : true;

/** JSON of a type, which may be a constant (`as const`). */
export type ReadonlyJson<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyJson<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: ReadonlyJson<T[Name]> }
    : T;

type Flatten<T> = { [Name in keyof T]: T[Name] };

/**
 * The answer to `elicitation/create` with these params. `action` shows whether there is content; its type comes from
 * the `requestedSchema`. A visit to a URL, and a form whose fields are not known, have the answer of the protocol.
 *
 * @typeParam Answer - The protocol's `ElicitResult`.
 */
export type ElicitAnswer<Params, Answer> = Params extends {
  readonly requestedSchema: FormSchema<infer Content>;
}
  ? AnswerWith<Content, Answer>
  : Params extends {
        readonly requestedSchema: infer Schema extends {
          readonly properties: object;
        };
      }
    ? HasKnownNames<Schema["properties"]> extends false
      ? Answer
      : AnswerWith<ElicitedContent<Schema>, Answer>
    : Answer;

type AnswerWith<Content, Answer> =
  | ({ action: "accept"; content: Content } & Omit<
      Answer,
      "action" | "content"
    >)
  | ({ action: "cancel" | "decline"; content?: never } & Omit<
      Answer,
      "action" | "content"
    >);

/**
 * The params as a revision allows them.
 *
 * @throws TypeError if its form has a kind of field that the revision lacks, or is a schema that is not wrapped.
 */
export function elicitParamsIn(revision: string, params: object): object {
  const schema = formOf(params);
  if (schema?.["~standard"] !== undefined)
    throw new TypeError(
      "pass the requestedSchema to formSchema of runtime/standard-schema",
    );
  const form = schema?.[FORM];
  return form === undefined
    ? params
    : { ...params, requestedSchema: form.schemaIn(revision) };
}

function formOf(params: object): AnyForm | undefined {
  const { requestedSchema } = params as { readonly requestedSchema?: AnyForm };
  return requestedSchema ?? undefined;
}

/**
 * Validates the content of a form that the user accepted (MCP, elicitation: both sides should validate it against the
 * requested schema). Absent content is that of a form in which nothing is filled in.
 *
 * @param params - Those of the request.
 * @param result - An `ElicitResult`.
 * @param below - JSON pointer to the result, for the form of another library.
 */
export async function validateElicited(
  params: object,
  result: object,
  below: string,
): Promise<FormValidation<object> | Validation<object>> {
  const schema = formOf(params);
  const { action, content = {} } = result as UnknownObject;
  if (action !== "accept" || schema === undefined)
    return { success: true, value: result };
  const form = schema[FORM];
  if (form === undefined) return validateFields(schema, { ...result, content });
  const checked = await form.validate(content as object, `${below}/content`);
  return checked.success
    ? { success: true, value: { ...result, content: checked.value } }
    : checked;
}

/** @param result - With the `content` of the form. */
function validateFields(form: AnyForm, result: object): Validation<object> {
  const { properties = {}, required = [] } = form;
  const fields = Object.entries(properties);
  return validateWith<object>((value) => {
    const { content: filled } = value as UnknownObject;
    return (
      object(filled) &&
      fields.every(([name, schema]) => {
        const field = ownMember(filled, name);
        return (
          (field === undefined && !required.includes(name)) ||
          matchesField(schema, field)
        );
      })
    );
  }, result);
}

/** A form, as the author of the server wrote it: JSON Schema, or a schema of another library. */
interface AnyForm {
  readonly [FORM]?: Form<object>;
  /** Of a schema that is not wrapped. */
  readonly "~standard"?: unknown;
  readonly properties?: Readonly<Record<string, FormField>>;
  readonly required?: readonly string[];
}

/** The keywords of a field's schema. */
interface FormField {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
  readonly anyOf?: readonly { readonly const: string }[];
  readonly items?: FormField;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

function matchesField(field: FormField, value: unknown): boolean {
  const { type, items = {} } = field;
  const isOfType =
    type === "array"
      ? arrayOf(value, (item) => matchesField(items, item))
      : type === "boolean"
        ? boolean(value)
        : type === "integer"
          ? integer(value)
          : type === "number"
            ? number(value)
            : isChoice(field, value);
  return isOfType && isWithin(field, value);
}

/** Whether a value is one of a field's choices, or any string if it has none. */
function isChoice(field: FormField, value: unknown): boolean {
  const choices =
    field.enum ?? (field.oneOf ?? field.anyOf)?.map((item) => item.const);
  return choices === undefined
    ? string(value)
    : choices.includes(value as string) || noneOf(value, ...choices);
}

/** Checks the limits of a number, and of the length of a list (in items) or a text (in code points). */
function isWithin(field: FormField, value: unknown): boolean {
  const {
    minimum = field.minLength ?? field.minItems ?? -Infinity,
    maximum = field.maxLength ?? field.maxItems ?? Infinity,
  } = field;
  const isNumber = typeof value === "number";
  if (minimum === -Infinity && maximum === Infinity) return true;
  const size = isNumber ? value : Array.from(value as Iterable<unknown>).length;
  const what = isNumber ? "" : "a length of ";
  if (size < minimum) return mismatch(`${what}at least ${minimum}`, value);
  return size <= maximum || mismatch(`${what}at most ${maximum}`, value);
}

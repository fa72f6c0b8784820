/**
 * Schemas of other libraries for tools, prompts and forms: any Standard Schema that provides JSON Schema, such as those of
 * Zod, ArkType and Valibot. The types are those of the Standard Schema specification, so no library is a dependency.
 */
import type { ToolSchema } from "./registry/types.js";
import { objectSchemaOf, validateBy } from "./standard-schema/schema.js";
import type { StandardSchema } from "./standard-schema/schema.js";
export type { StandardSchema } from "./standard-schema/schema.js";
export { argumentsSchema } from "./standard-schema/arguments.js";
export type { ArgumentsSchema } from "./registry/prompts.js";
export { formSchema } from "./standard-schema/form.js";
export type { FormSchema } from "./server/elicitation.js";

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
    schema: objectSchemaOf(schema, side, side),
    validate: (value) => validateBy(schema, value),
  };
}

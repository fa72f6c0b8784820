/**
 * Validates by a JSON Schema that is only known at run time, such as that of a tool that a server has just listed.
 * Nothing is evaluated as code and nothing is fetched; the verdicts are those of generated validators, which are faster.
 */
import { callStructuredTool, callTool } from "./client/tool-calls.js";
import type { ToolCallOptions, ToolClient } from "./client/tool-calls.js";
import { isObject } from "./jsonrpc/envelope.js";
import { CallError } from "./jsonrpc/error-codes.js";
import { SchemaCompiler } from "./json-schema/compile.js";
import { Documents } from "./json-schema/documents.js";
import { present, validator } from "./validation.js";
import type { Validator } from "./validation.js";

/** Options of {@link compileSchema}. */
export interface SchemaOptions {
  /** Schemas that references may lead to, by URI; a relative URI is relative to the schema's. None by default. */
  readonly documents?: Readonly<Record<string, unknown>>;
  /**
   * Whether all patterns are tested. By default only those are that surely take a time proportional to the length of the
   * text, since a pattern of a stranger can block the process.
   */
  readonly trustPatterns?: boolean;
  /**
   * Called for each part of the schema that is not checked, since it is wrong, leads nowhere or is not trusted.
   *
   * @param pointer - A JSON pointer into the schema; a part of another document has the URI of that before it.
   */
  readonly onUnchecked?: (pointer: string, reason: string) => void;
}

/**
 * Compiles a JSON Schema of draft 2020-12 or draft-07 (by its `$schema`; 2020-12 without one).
 *
 *     const validate = compileSchema(tool.outputSchema);
 *     const outcome = validate(result.structuredContent);
 *     if (!outcome.success) console.error(describeFailure(outcome.failure));
 *
 * Formats are annotations unless the validator is called with `{ formats: FORMATS }`.
 */
export function compileSchema(
  schema: unknown,
  { documents = {}, trustPatterns = false, onUnchecked }: SchemaOptions = {},
): Validator<unknown> {
  const index = new Documents(schema, documents);
  const compiler = new SchemaCompiler(index, trustPatterns, (pointer, reason) =>
    onUnchecked?.(pointer, reason),
  );
  const check = compiler.compile();
  return validator((value): value is unknown => present(value) && check(value));
}

/** A tool as a server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

/** Options of {@link toolCaller}. */
export interface ToolCallerOptions extends Omit<SchemaOptions, "onUnchecked"> {
  /**
   * Called for each part of a tool's schemas that is not checked, when the tool is called for the first time.
   *
   * @param pointer - A JSON pointer into the tool, such as `/inputSchema/properties/city/pattern`.
   */
  readonly onUnchecked?: (
    pointer: string,
    reason: string,
    tool: ListedTool,
  ) => void;
}

/**
 * Makes a function that calls tools by name and validates their arguments and their structured content by the schemas
 * that the server listed (MCP 2025-06-18 and later: clients SHOULD validate structured results, server/tools, Output
 * Schema). Each schema is compiled when its tool is called for the first time.
 *
 *     const call = await toolCaller(client, client.listAllTools());
 *     const result = await call("add", { a: 1, b: 2 });
 *
 * The function throws {@link ToolArgumentsError} before anything is sent, {@link ToolOutputError} for invalid structured
 * content, {@link UnlistedToolError} for a name that is not in the list, and any error of the client.
 *
 * @throws Any error of the list.
 */
export async function toolCaller<Options, Result extends object>(
  client: ToolClient<Options, Result>,
  tools: Iterable<ListedTool> | AsyncIterable<ListedTool>,
  options: ToolCallerOptions = {},
): Promise<
  (
    name: string,
    args: Record<string, unknown>,
    callOptions?: ToolCallOptions<Options>,
  ) => Promise<Result>
> {
  const listed = new Map<string, ListedTool>();
  for await (const tool of tools) listed.set(tool.name, tool);
  const compiled = new Map<string, CompiledTool>();
  return async (name, args, callOptions) => {
    const tool = listed.get(name);
    if (tool === undefined) throw new UnlistedToolError(name);
    const { input, output } = compiled.get(name) ?? compileTool(tool, options);
    compiled.set(name, { input, output });
    return output === undefined
      ? callTool(client, name, args, input, callOptions)
      : ((await callStructuredTool(
          client,
          name,
          args,
          input,
          output,
          callOptions,
        )) as Result);
  };
}

/** A call of a tool that is not in the list of tools. Nothing was sent: list the tools again. */
export class UnlistedToolError extends CallError {
  override readonly name = "UnlistedToolError";
  readonly mayHaveRun = false;
  readonly tool: string;

  constructor(tool: string) {
    super(`the tool ${JSON.stringify(tool)} is not in the list`);
    this.tool = tool;
  }
}

interface CompiledTool {
  readonly input: Validator<unknown>;
  readonly output: Validator<unknown> | undefined;
}

function compileTool(
  tool: ListedTool,
  { onUnchecked, ...options }: ToolCallerOptions,
): CompiledTool {
  const compile = (side: "inputSchema" | "outputSchema"): Validator<unknown> =>
    compileSchema(tool[side], {
      ...options,
      onUnchecked: (pointer, reason) =>
        onUnchecked?.(
          /^(?:\/|$)/.test(pointer) ? `/${side}${pointer}` : pointer,
          reason,
          tool,
        ),
    });
  return {
    input: compile("inputSchema"),
    output: isObject(tool.outputSchema) ? compile("outputSchema") : undefined,
  };
}

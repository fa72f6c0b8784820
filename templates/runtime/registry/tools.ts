/**
 * Tools: definitions, and the handlers of `tools/list` and `tools/call`.
 */
import type {
  Content,
  DefinitionContext,
  MaybePromise,
  ObjectSchema,
  SchemaValidation,
  ToolMeta,
  ToolSchema,
} from "./types.js";
import {
  contextRevision,
  failureText,
  indexBy,
  invalidArgumentError,
  optionalMember,
  singlePage,
} from "./lists.js";
import type { ListParams } from "./lists.js";
import { truncate } from "../protocol/revision.js";
import { APP_TOOLS } from "../server/apps.js";
import type { AppTool } from "../server/apps.js";
import { adaptContent } from "./content.js";
import type { AnyContent } from "./content.js";

interface ToolResultBase {
  /** What the model reads. By default, structured content as a block of JSON text. */
  readonly content?: readonly Content[];
  readonly _meta?: Record<string, unknown>;
}

/** The result of a tool without an output schema. */
export interface PlainToolResult extends ToolResultBase {
  /** Data for programs. With an `output` schema, its type is that of the schema. */
  readonly structuredContent?: object;
  /** The tool ran and failed; the content explains the failure to the model. */
  readonly isError?: boolean;
}

/** The result of a tool with an output schema that failed. */
export interface FailedToolResult extends ToolResultBase {
  readonly structuredContent?: object;
  /** The tool ran and failed; the content explains the failure to the model. */
  readonly isError: true;
}

/** The result of a tool with an output schema. */
export interface StructuredToolResult<
  Output extends object,
> extends ToolResultBase {
  /** What the output schema describes. */
  readonly structuredContent: Output;
  readonly isError?: false;
}

/**
 * What a tool returns: a text, or a result. If structured content has no content blocks, it is repeated as a block of
 * JSON text. A tool with an `output` returns structured content of that type, unless it failed.
 */
export type ToolOutcome<Output extends object = object> = object extends Output
  ? string | PlainToolResult
  : // The compiler explains a mistake by the last variant.
    FailedToolResult | StructuredToolResult<Output>;

/** A value whose arrays may be readonly, at any depth. */
type WithReadonlyArrays<T> = T extends object
  ? { readonly [K in keyof T]: WithReadonlyArrays<T[K]> }
  : T;

/**
 * Structured content as `run` may return it. `Output` itself, which is a `const` type parameter of `defineTool`, has the
 * compiler keep the literals that `run` returns: `priority: "low"` would be a string otherwise, whatever the schema lists.
 * It makes arrays in a literal readonly, too. The compiler explains a mistake by the last variant.
 */
export type Returned<Output extends object> =
  NoInfer<Output> | NoInfer<WithReadonlyArrays<Output>>;

/** Hints about a tool's behavior, which a client need not trust. */
export interface ToolHints {
  /** A name for people. */
  readonly title?: string;
  /** It changes nothing; false by default. */
  readonly readOnlyHint?: boolean;
  /** It may delete or overwrite something; true by default. */
  readonly destructiveHint?: boolean;
  /** A second call with the same arguments changes nothing more; false by default. */
  readonly idempotentHint?: boolean;
  /** It reaches things outside of the server, such as the web; true by default. */
  readonly openWorldHint?: boolean;
}

/**
 * A tool: its description for the model, and its implementation.
 *
 * @typeParam Args - Its arguments, without defaults.
 * @typeParam Complete - Its arguments, with defaults.
 * @typeParam Applied - Whether defaults are applied.
 */
export interface ToolDefinition<
  Args extends object = Record<string, unknown>,
  Context = DefinitionContext,
  Output extends object = object,
  Complete extends object = Args,
  Applied extends boolean = boolean,
> {
  /** Unique in the server. Clients and models call the tool by it. */
  readonly name: string;
  /** A name for people, such as `Book a table`. */
  readonly title?: string;
  /** What it does and when to use it, for the model. */
  readonly description?: string;
  /**
   * The schema of the arguments, which determines their type and is checked before `run`; no arguments by default. It is
   * generated, or from `inputSchema` of `runtime/standard-schema`.
   */
  readonly input?: ToolSchema<Args, Complete>;
  /**
   * Fills in the defaults of the input schema before the arguments are validated, so that members with a default are
   * present in `run`. Off by default.
   */
  readonly applyDefaults?: Applied;
  /**
   * The schema of the structured content; none by default. It is generated, or from `outputSchema` of
   * `runtime/standard-schema`.
   */
  readonly output?: ToolSchema<Output>;
  /** Hints about its behavior for clients, such as `{ readOnlyHint: true }`. */
  readonly annotations?: ToolHints;
  /** Metadata for clients, such as `{ ui: { resourceUri: "ui://weather/chart" } }` for a page that shows the result. */
  readonly _meta?: ToolMeta;
  /**
   * Returns a text, or a result with `content` or `structuredContent`. Throw a {@link ToolError} for a failure that the
   * model should read.
   */
  readonly run: (
    args: Applied extends true ? Complete : Args,
    context: Context,
  ) => MaybePromise<ToolOutcome<Returned<Output>>>;
}

/** A tool in a list, without the types of its arguments. */
export type RegisteredTool<Context = DefinitionContext> = Omit<
  ToolDefinition<object, Context>,
  "run"
> & {
  readonly run: (args: never, context: Context) => MaybePromise<ToolOutcome>;
};

/** A tool's failure that the model should read: the result has `isError`, with this message as its text. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** Defines a tool; `input` determines the type of its arguments, `output` that of its structured content. */
export function defineTool<
  Args extends object = Record<string, unknown>,
  Context = DefinitionContext,
  const Output extends object = object,
  Complete extends object = Args,
  const Applied extends boolean = false,
>(
  tool: ToolDefinition<Args, Context, Output, Complete, Applied>,
): ToolDefinition<Args, Context, Output, Complete, Applied> {
  return tool;
}

/** @internal The tools whose metadata is about pages. */
export function appTools(
  tools: readonly { readonly name: string; readonly _meta?: ToolMeta }[],
): readonly AppTool[] {
  return tools.flatMap(({ name, _meta }) =>
    _meta?.ui === undefined ? [] : [{ name, page: _meta.ui.resourceUri }],
  );
}

/** Handlers of `tools/list` and `tools/call`. */
export interface ToolHandlers<Context> {
  readonly [APP_TOOLS]: readonly AppTool[];
  readonly "tools/list": (
    params: ListParams,
    context?: Pick<DefinitionContext, "revision">,
  ) => { tools: ListedTool[] };
  readonly "tools/call": (
    params: { readonly name: string; readonly arguments?: object },
    context: Context,
  ) => Promise<ToolCallResult>;
}

/**
 * Serves tools. An unknown name gets the error -32602. Invalid arguments get a result that says which and why, so that
 * the model can fix them (MCP, server features, tools, error handling).
 *
 * @throws TypeError if two tools have the same name, or a schema of another library is not wrapped by `inputSchema` or
 *   `outputSchema` of `runtime/standard-schema`.
 */
export function toolHandlers<Context = DefinitionContext>(
  tools: readonly RegisteredTool<Context>[],
): ToolHandlers<Context> {
  const byName = indexBy(tools, "tool", ({ name }) => name);
  const listed = tools.map(listedTool);
  return {
    [APP_TOOLS]: appTools(tools),
    "tools/list": (params) => ({ tools: singlePage(params, listed) }),
    "tools/call": async ({ name, arguments: args = {} }, context) => {
      const tool = byName.get(name);
      if (tool === undefined)
        throw invalidArgumentError(`Unknown tool: ${truncate(name)}`);
      const checked = await checkedArguments(tool, args);
      return checked.success
        ? runTool(tool, checked.value, context)
        : checked.result;
    },
  };
}

/** The arguments for `run`, or the result that says why they are invalid. */
export type CheckedArguments =
  | { readonly success: true; readonly value: object }
  | { readonly success: false; readonly result: ToolCallResult };

/** @internal Validates the arguments of a call, and fills in defaults. */
export async function checkedArguments(
  { input, applyDefaults }: Pick<RegisteredTool, "input" | "applyDefaults">,
  args: object,
): Promise<CheckedArguments> {
  const checked = await (applyDefaults === true &&
  input?.validateWithDefaults !== undefined
    ? input.validateWithDefaults(args)
    : input?.validate(args));
  if (checked?.success === false)
    return {
      success: false,
      result: toolErrorResult(
        `Invalid arguments: ${failureText(checked.failure)}`,
      ),
    };
  return { success: true, value: checked?.value ?? args };
}

/** @internal Runs a tool with valid arguments. */
export async function runTool<Context>(
  tool: Pick<RegisteredTool<Context>, "name" | "output" | "run">,
  args: object,
  context: Context,
): Promise<ToolCallResult> {
  try {
    const outcome = await tool.run(args as never, context);
    if (typeof outcome === "string")
      return { content: [{ type: "text", text: outcome } as AnyContent] };
    const output = outcome.isError === true ? undefined : tool.output;
    const { structuredContent } = outcome;
    return toolCallResult(
      outcome,
      output === undefined
        ? structuredContent
        : validStructuredContent(
            tool.name,
            await output.validate(structuredContent),
          ),
      contextRevision(context),
    );
  } catch (error) {
    if (error instanceof ToolError) return toolErrorResult(error.message);
    throw error;
  }
}

// A type alias, since only aliases are assignable to an index signature.
type ListedSchema = {
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
};

/** The tool's entry in a list; clients of older revisions ignore members that they do not know. */
export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: ListedSchema;
  outputSchema?: ListedSchema;
  annotations?: ToolHints;
  _meta?: ToolMeta;
}

export interface ToolCallResult {
  content: AnyContent[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

const EMPTY_OBJECT_SCHEMA: ObjectSchema = { type: "object" };

/** @internal A tool's entry in `tools/list`. */
export function listedTool<Context>(
  tool: Omit<RegisteredTool<Context>, "run">,
): ListedTool {
  const { name, title, description, annotations, _meta } = tool;
  return {
    name,
    ...optionalMember("title", title),
    ...optionalMember("description", description),
    inputSchema: schemaOf(tool, "input") ?? EMPTY_OBJECT_SCHEMA,
    ...optionalMember("outputSchema", schemaOf(tool, "output") as ListedSchema),
    ...optionalMember("annotations", annotations),
    ...optionalMember("_meta", _meta),
  };
}

/** Rejects a schema of another library that is not wrapped: types prevent that, but not every author uses them. */
function schemaOf<Context>(
  tool: Omit<RegisteredTool<Context>, "run">,
  side: "input" | "output",
): ObjectSchema | undefined {
  const given = tool[side];
  if (given !== undefined && !("schema" in given))
    throw new TypeError(
      `tool ${tool.name}: pass its ${side} to ${side}Schema of runtime/standard-schema`,
    );
  return given?.schema;
}

function toolErrorResult(text: string): ToolCallResult {
  return { content: [{ type: "text", text } as AnyContent], isError: true };
}

function validStructuredContent(
  tool: string,
  checked: SchemaValidation<object>,
): object {
  if (checked.success) return checked.value;
  throw new TypeError(
    `invalid structured content of ${tool}: ${failureText(checked.failure)}`,
  );
}

function toolCallResult(
  outcome: PlainToolResult,
  structuredContent: object | undefined,
  revision: string,
): ToolCallResult {
  const { isError, _meta } = outcome;
  const content =
    outcome.content ??
    (structuredContent === undefined
      ? []
      : [{ type: "text" as const, text: JSON.stringify(structuredContent) }]);
  return {
    content: content.map((block) => adaptContent(block, revision)),
    ...optionalMember(
      "structuredContent",
      structuredContent as ToolCallResult["structuredContent"],
    ),
    ...optionalMember("isError", isError),
    ...optionalMember("_meta", _meta),
  };
}

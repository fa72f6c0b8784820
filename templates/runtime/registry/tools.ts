/**
 * Tools: definitions, and the handlers of `tools/list` and `tools/call`.
 */
import type {
  Content,
  DefinitionContext,
  MaybePromise,
  ObjectSchema,
  TypedSchema,
} from "./types.js";
import {
  contextRevision,
  indexBy,
  invalidArgumentError,
  optionalMember,
  singlePage,
} from "./lists.js";
import type { ListParams } from "./lists.js";
import { truncate } from "../protocol/revision.js";
import { describeFailure } from "../validation.js";
import { adaptContent } from "./content.js";
import type { AnyContent } from "./content.js";

/** A tool's result without its structured content. */
interface ToolResultBase {
  readonly content?: readonly Content[];
  readonly _meta?: Record<string, unknown>;
}

/**
 * What a tool returns: a text, or a result. If structured content has no content blocks, it is repeated as a block of
 * JSON text. A tool with an `output` returns structured content of that type, unless it failed.
 */
export type ToolOutcome<Output extends object = object> = object extends Output
  ? | string
    | (ToolResultBase & {
        readonly structuredContent?: object;
        /** The tool ran and failed; the content explains the failure to the model. */
        readonly isError?: boolean;
      })
  : | (ToolResultBase & {
        readonly structuredContent: Output;
        readonly isError?: false;
      })
    | (ToolResultBase & {
        readonly structuredContent?: object;
        readonly isError: true;
      });

/** Hints about a tool's behavior, which a client need not trust. */
export interface ToolHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool: its description for the model, and its implementation. */
export interface ToolDefinition<
  Args extends object = Record<string, unknown>,
  Context = DefinitionContext,
  Output extends object = object,
> {
  readonly name: string;
  readonly title?: string;
  /** What it does and when to use it, for the model. */
  readonly description?: string;
  /** The input schema; no arguments by default. */
  readonly input?: TypedSchema<Args>;
  /** The output schema; no structured content by default. */
  readonly output?: TypedSchema<Output>;
  readonly annotations?: ToolHints;
  /** Throw a {@link ToolError} for a failure that the model should read. */
  readonly run: (
    args: Args,
    context: Context,
  ) => MaybePromise<ToolOutcome<NoInfer<Output>>>;
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
  Output extends object = object,
>(
  tool: ToolDefinition<Args, Context, Output>,
): ToolDefinition<Args, Context, Output> {
  return tool;
}

/** Handlers of `tools/list` and `tools/call`. */
export interface ToolHandlers<Context> {
  readonly "tools/list": (params: ListParams) => { tools: ListedTool[] };
  readonly "tools/call": (
    params: { readonly name: string; readonly arguments?: object },
    context: Context,
  ) => Promise<ToolCallResult>;
}

/**
 * Serves tools. An unknown name gets the error -32602. Invalid arguments get a result that says which and why, so that
 * the model can fix them (MCP, server features, tools, error handling).
 *
 * @throws TypeError if two tools have the same name.
 */
export function toolHandlers<Context = DefinitionContext>(
  tools: readonly RegisteredTool<Context>[],
): ToolHandlers<Context> {
  const byName = indexBy(tools, "tool", ({ name }) => name);
  const listed = tools.map(listedTool);
  return {
    "tools/list": (params) => ({ tools: singlePage(params, listed) }),
    "tools/call": async ({ name, arguments: args = {} }, context) => {
      const tool = byName.get(name);
      if (tool === undefined)
        throw invalidArgumentError(`Unknown tool: ${truncate(name)}`);
      const outcome = tool.input?.validate(args);
      if (outcome?.success === false)
        return toolErrorResult(
          `Invalid arguments: ${describeFailure(outcome.failure)}`,
        );
      try {
        return toolCallResult(
          tool,
          await tool.run((outcome?.value ?? args) as never, context),
          contextRevision(context),
        );
      } catch (error) {
        if (error instanceof ToolError) return toolErrorResult(error.message);
        throw error;
      }
    },
  };
}

// A type alias, since only aliases are assignable to an index signature.
type ListedSchema = {
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
};

/** The tool's entry in a list; clients of older revisions ignore members that they do not know. */
interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: ListedSchema;
  outputSchema?: ListedSchema;
  annotations?: ToolHints;
}

interface ToolCallResult {
  content: AnyContent[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

const EMPTY_OBJECT_SCHEMA: ObjectSchema = { type: "object" };

function listedTool<Context>(tool: RegisteredTool<Context>): ListedTool {
  const { name, title, description, input, output, annotations } = tool;
  return {
    name,
    ...optionalMember("title", title),
    ...optionalMember("description", description),
    inputSchema: input?.schema ?? EMPTY_OBJECT_SCHEMA,
    ...optionalMember("outputSchema", output?.schema as ListedSchema),
    ...optionalMember("annotations", annotations),
  };
}

function toolErrorResult(text: string): ToolCallResult {
  return { content: [{ type: "text", text } as AnyContent], isError: true };
}

function toolCallResult<Context>(
  tool: RegisteredTool<Context>,
  outcome: ToolOutcome,
  revision: string,
): ToolCallResult {
  if (typeof outcome === "string")
    return { content: [{ type: "text", text: outcome } as AnyContent] };
  const { structuredContent, isError, _meta } = outcome;
  if (tool.output !== undefined && isError !== true) {
    const checked = tool.output.validate(structuredContent);
    if (!checked.success)
      throw new TypeError(
        `invalid structured content of ${tool.name}: ${describeFailure(checked.failure)}`,
      );
  }
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

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

/** A result of a tool, without its structured content. */
interface ToolResultBase {
  readonly content?: readonly Content[];
  readonly _meta?: Record<string, unknown>;
}

/**
 * What a tool gives: a text, or a result. Structured content without blocks is repeated as a block of JSON text. A tool
 * that has an `output` gives structured content of that type, unless it failed.
 */
export type ToolOutcome<Output extends object = object> = object extends Output
  ? | string
    | (ToolResultBase & {
        readonly structuredContent?: object;
        /** The tool ran and failed; the content says how, so that the model can do better. */
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

/** What is told of a tool's behaviour; hints, which a client need not believe. */
export interface ToolHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool: what the model is told of it, and what it does. */
export interface ToolDefinition<
  Args extends object = Record<string, unknown>,
  Context = DefinitionContext,
  Output extends object = object,
> {
  readonly name: string;
  readonly title?: string;
  /** What it does and when to use it, for the model. */
  readonly description?: string;
  /** Its arguments; none by default. */
  readonly input?: TypedSchema<Args>;
  /** Its structured content; none by default. */
  readonly output?: TypedSchema<Output>;
  readonly annotations?: ToolHints;
  /** Throw a {@link ToolError} for a failure that the model is to read. */
  readonly run: (
    args: Args,
    context: Context,
  ) => MaybePromise<ToolOutcome<NoInfer<Output>>>;
}

/** A tool of a list: its own validator knows its arguments. */
export type RegisteredTool<Context = DefinitionContext> = Omit<
  ToolDefinition<object, Context>,
  "run"
> & {
  readonly run: (args: never, context: Context) => MaybePromise<ToolOutcome>;
};

/** A failure of a tool that the model is to read: the result says `isError`, with this message as its text. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** Defines a tool; `input` decides the type of its arguments, `output` that of its structured content. */
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
 * Serves tools. A name that none of them has is answered by the error -32602; arguments that a tool's validator refuses
 * by a result that says which and why, so that the model can mend them (MCP, server features, tools, error handling).
 *
 * @throws TypeError if two tools have one name.
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

// An alias, which can be assigned to an index signature.
type ListedSchema = {
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
};

/** As a tool is listed: the members that a revision does not know are no matter to its clients. */
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
        `the structured content of ${tool.name}: ${describeFailure(checked.failure)}`,
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

import { CallError } from "../jsonrpc/error-codes.js";
import { describeFailure } from "../validation.js";
import type { Failure, Validation } from "../validation.js";

/** An object that can call tools: the generated `Client`, or any other with such a method. */
export interface ToolClient<Options, Result extends object> {
  callTool(
    params: {
      readonly name: string;
      readonly arguments?: Record<string, unknown>;
      _meta?: Record<string, unknown>;
    },
    options?: Options,
  ): Promise<Result>;
}

/** Options of a call of a tool: those of the client, and `meta`. */
export type ToolCallOptions<Options> = Options & {
  /** Members of the request's `_meta`, such as `{ traceparent }`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
};

/** A result without the members that depend on whether the call failed; keeps an index signature. */
type CommonMembers<Result> = {
  [
    Member in keyof Result as Member extends "structuredContent" | "isError"
      ? never
      : Member
  ]: Result[Member];
};

/**
 * The result of a tool with an output schema. `isError` tells both cases apart:
 *
 *     if (result.isError) return result.content; // what went wrong, for the model
 *     return result.structuredContent; // typed by the output schema, and valid
 */
export type ToolResult<Result extends object, Output> =
  | (CommonMembers<Result> & {
      /** The tool failed: `content` says why. */
      readonly isError: true;
      /** Not validated, since the tool failed. */
      readonly structuredContent?: unknown;
    })
  | (CommonMembers<Result> & {
      /** The tool succeeded, so `structuredContent` is present. */
      readonly isError?: false;
      /** Present and valid by the output schema, since the tool succeeded. */
      readonly structuredContent: Output;
    });

/** Arguments that do not match the tool's input schema. Nothing was sent: correct them. */
export class ToolArgumentsError extends CallError {
  override readonly name = "ToolArgumentsError";
  readonly mayHaveRun = false;
  /** The name of the tool on the server. */
  readonly tool: string;
  readonly failure: Failure;

  constructor(tool: string, failure: Failure) {
    super(`Invalid arguments of ${tool}: ${describeFailure(failure)}`);
    this.tool = tool;
    this.failure = failure;
  }
}

/**
 * Structured content that does not match the tool's output schema: the tool has run, and `result` is what it returned.
 * If the tool has changed, generate its types again.
 */
export class ToolOutputError extends CallError {
  override readonly name = "ToolOutputError";
  readonly mayHaveRun = true;
  /** The name of the tool on the server. */
  readonly tool: string;
  readonly failure: Failure;
  /** The received result. */
  readonly result: object;

  constructor(tool: string, failure: Failure, result: object) {
    super(
      `the result of ${tool} has invalid structured content: ${describeFailure(failure)}`,
    );
    this.tool = tool;
    this.failure = failure;
    this.result = result;
  }
}

type ToolValidator = (value: unknown) => Validation<unknown>;

/**
 * Calls a tool without an output schema.
 *
 * @throws {@link ToolArgumentsError} before anything is sent; any error of the client.
 */
export async function callTool<Options, Result extends object>(
  client: ToolClient<Options, Result>,
  name: string,
  args: unknown,
  validateInput: ToolValidator | undefined,
  options: ToolCallOptions<Options> | undefined,
): Promise<Result> {
  const checked = validateInput?.(args);
  if (checked?.success === false)
    throw new ToolArgumentsError(name, checked.failure);
  const meta = options?.meta;
  return client.callTool(
    {
      name,
      arguments: args as Record<string, unknown>,
      ...(meta === undefined ? {} : { _meta: { ...meta } }),
    },
    options,
  );
}

/**
 * Calls a tool with an output schema.
 *
 * @throws {@link ToolArgumentsError} before anything is sent; {@link ToolOutputError} unless the result has `isError`;
 *   any error of the client.
 */
export async function callStructuredTool<
  Output,
  Options,
  Result extends object,
>(
  client: ToolClient<Options, Result>,
  name: string,
  args: unknown,
  validateInput: ToolValidator | undefined,
  validateOutput: (value: unknown) => Validation<Output>,
  options: ToolCallOptions<Options> | undefined,
): Promise<ToolResult<Result, Output>> {
  const result = await callTool(client, name, args, validateInput, options);
  const { isError, structuredContent } = result as {
    readonly isError?: unknown;
    readonly structuredContent?: unknown;
  };
  if (isError !== true) {
    const checked = validateOutput(structuredContent);
    if (!checked.success)
      throw new ToolOutputError(name, checked.failure, result);
  }
  return result as unknown as ToolResult<Result, Output>;
}

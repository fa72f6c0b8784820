import { describeFailure } from "../validation.js";
import type { Failure, Validation } from "../validation.js";

/** What calls tools: the generated `Client`, or any other with such a method. */
export interface ToolClient<Options, Result extends object> {
  callTool(
    params: {
      readonly name: string;
      readonly arguments?: Record<string, unknown>;
    },
    options?: Options,
  ): Promise<Result>;
}

/** A result but for its structured content, be it that its other members are open. */
type WithoutStructuredContent<Result> = {
  [
    Member in keyof Result as Member extends "structuredContent"
      ? never
      : Member
  ]: Result[Member];
};

/**
 * The result of a tool that has an output schema: only a call that failed may lack the structured content, and what it
 * has there is not validated.
 */
export type ToolResult<Result extends object, Output> =
  | (WithoutStructuredContent<Result> & {
      readonly isError: true;
      readonly structuredContent?: unknown;
    })
  | (WithoutStructuredContent<Result> & {
      readonly isError?: false;
      readonly structuredContent: Output;
    });

/** Arguments that a tool does not take. Nothing was sent. */
export class ToolArgumentsError extends TypeError {
  override readonly name = "ToolArgumentsError";
  /** The tool, as the server calls it. */
  readonly tool: string;
  readonly failure: Failure;

  constructor(tool: string, failure: Failure) {
    super(`the arguments of ${tool} are wrong: ${describeFailure(failure)}`);
    this.tool = tool;
    this.failure = failure;
  }
}

/** A result whose structured content is not what the tool's output schema promises. */
export class ToolOutputError extends Error {
  override readonly name = "ToolOutputError";
  /** The tool, as the server calls it. */
  readonly tool: string;
  readonly failure: Failure;
  /** The result as it came. */
  readonly result: object;

  constructor(tool: string, failure: Failure, result: object) {
    super(
      `the structured content of ${tool} is wrong: ${describeFailure(failure)}`,
    );
    this.tool = tool;
    this.failure = failure;
    this.result = result;
  }
}

type ToolValidator = (value: unknown) => Validation<unknown>;

/**
 * Calls a tool that has no output schema.
 *
 * @throws {@link ToolArgumentsError}, with nothing sent; what the client throws.
 */
export async function callTool<Options, Result extends object>(
  client: ToolClient<Options, Result>,
  name: string,
  args: unknown,
  validateInput: ToolValidator | undefined,
  options: Options | undefined,
): Promise<Result> {
  const checked = validateInput?.(args);
  if (checked?.success === false)
    throw new ToolArgumentsError(name, checked.failure);
  return client.callTool(
    { name, arguments: args as Record<string, unknown> },
    options,
  );
}

/**
 * Calls a tool that has an output schema.
 *
 * @throws {@link ToolArgumentsError}, with nothing sent; {@link ToolOutputError} unless the result says `isError`; what
 *   the client throws.
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
  options: Options | undefined,
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

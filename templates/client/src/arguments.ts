import { parseArgs } from "node:util";

export const USAGE = [
  "Usage: example-client [--call TOOL [--arguments JSON]] SERVER",
  "",
  "Connects to a server, and lists its tools or calls one of them. SERVER is",
  "  URL                       a server that is there already", // if: http
  "  -- COMMAND [ARGUMENT ...] a program, which is run as the server", // if: stdio
].join("\n");

/** What the command line asks for. */
export interface Task {
  /** The server, as it was given. */
  readonly target: readonly [string, ...string[]];
  /** The tool to call; without it, tools are listed. */
  readonly tool: string | undefined;
  readonly toolArguments: Record<string, unknown>;
}

/**
 * Reads the command line.
 *
 * @throws Error that says what is wrong with it.
 */
export function readArguments(words: readonly string[]): Task {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      call: { type: "string" },
      arguments: { type: "string" },
    },
  });
  const [first, ...rest] = positionals;
  if (first === undefined) throw new Error("no server is given");
  return {
    target: [first, ...rest],
    tool: values.call,
    toolArguments: objectOf(values.arguments ?? "{}"),
  };
}

function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("--arguments must be a JSON object");
  return value as Record<string, unknown>;
}

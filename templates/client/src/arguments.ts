import { parseArgs } from "node:util";
import { defaultTarget } from "./target.js"; // if: target

export const USAGE = [
  "Usage: example-client [--call TOOL [--arguments JSON]] SERVER", // if: !listed
  "Usage: example-client [--example | --call TOOL [--arguments JSON]] SERVER", // if: listed&!target
  "Usage: example-client [--example | --call TOOL [--arguments JSON]] [SERVER]", // if: target
  "",
  "Lists the tools of a server, or calls one of them.",
  "",
  "SERVER:",
  "  URL                        A running server. MCP_TOKEN is its token.", // if: http
  "  -- COMMAND [ARGUMENT ...]  A program to run as the server.", // if: stdio
  `  The default is ${defaultTarget.join(" ")}.`, // if: target
  "",
  "Options:",
  "  --call TOOL                Calls a tool, and exits with 1 if it fails.",
  "  --arguments JSON           The arguments of the tool, a JSON object.",
  "  --example                  Runs src/example.ts.", // if: listed
  "  --help                     Prints this text.",
].join("\n");

/** The parsed command line. */
export interface Task {
  /** The server's URL, or its program and arguments. */
  readonly target: readonly [string, ...string[]];
  /** The tool to call; without it, tools are listed. */
  readonly tool: string | undefined;
  readonly toolArguments: Record<string, unknown>;
  // if: listed
  /** Whether to run `example.ts`. */
  readonly isExample: boolean;
  // end
}

/**
 * Reads the command line. Undefined if it has `--help`.
 *
 * @throws Error if it is invalid.
 */
export function readArguments(words: readonly string[]): Task | undefined {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      call: { type: "string" },
      arguments: { type: "string" },
      example: { type: "boolean", default: false }, // if: listed
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  if (positionals.length === 0) positionals.push(...defaultTarget); // if: target
  const [first, ...rest] = positionals;
  if (first === undefined) throw new Error("the server is missing");
  return {
    target: [first, ...rest],
    tool: values.call,
    toolArguments: objectOf(values.arguments ?? "{}"),
    isExample: values.example, // if: listed
  };
}

function objectOf(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`--arguments must be a JSON object: ${String(error)}`, {
      cause: error,
    });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("--arguments must be a JSON object");
  return value as Record<string, unknown>;
}

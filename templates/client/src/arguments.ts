import { parseArgs } from "node:util";
import { defaultTarget } from "./target.js"; // if: target

export const USAGE = [
  "Usage: example-client [--call TOOL [--arguments JSON]] SERVER", // if: !listed
  "Usage: example-client [--example | --call TOOL [--arguments JSON]] SERVER", // if: listed
  "",
  "Connects to a server, and lists its tools or calls one of them. SERVER is",
  "  URL                       a running server; MCP_TOKEN is its token", // if: http
  "  -- COMMAND [ARGUMENT ...] a program to run as the server", // if: stdio
  `The default is ${defaultTarget.join(" ")}`, // if: target
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
 * Reads the command line.
 *
 * @throws Error if it is invalid.
 */
export function readArguments(words: readonly string[]): Task {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      call: { type: "string" },
      arguments: { type: "string" },
      example: { type: "boolean", default: false }, // if: listed
    },
  });
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

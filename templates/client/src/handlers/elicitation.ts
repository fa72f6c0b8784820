import { createInterface } from "node:readline/promises";
import type { ClientHandlers } from "../protocol.js";

type Handler = NonNullable<ClientHandlers["elicitation/create"]>;

/** Asks a person one question, and returns the answer. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string>;

/** Asks the user for the fields of a form, one after the other. An empty answer to a required one declines. */
export const elicitationBy =
  (ask: Ask): Handler =>
  async (params, { signal }) => {
    // Only forms: the client declares no other mode.
    if (!("requestedSchema" in params)) return { action: "decline" };
    const { message, requestedSchema } = params;
    const content: Record<string, string | number | boolean> = {};
    for (const [name, field] of Object.entries(requestedSchema.properties)) {
      const title = field.title ?? name;
      const answer = await ask(`${message}\n${title}: `, signal);
      const isRequired = requestedSchema.required?.includes(name) === true;
      if (answer === "" && isRequired) return { action: "decline" };
      if (answer !== "") content[name] = valueOf(field.type, answer);
    }
    return { action: "accept", content };
  };

function valueOf(type: string, answer: string): string | number | boolean {
  switch (type) {
    case "number":
    case "integer":
      return Number(answer);
    case "boolean":
      return /^(y|yes|true)$/i.test(answer);
    default:
      return answer;
  }
}

/** Asks on the terminal. Without a terminal, the answer is empty. */
async function askOnTerminal(
  question: string,
  signal: AbortSignal,
): Promise<string> {
  if (!process.stdin.isTTY) return "";
  const terminal = createInterface({
    input: process.stdin,
    output: process.stderr,
  });
  try {
    return await terminal.question(question, { signal });
  } finally {
    terminal.close();
  }
}

export const elicitation = elicitationBy(askOnTerminal);

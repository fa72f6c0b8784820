import { createInterface } from "node:readline/promises";
import type { ClientHandlers } from "../protocol.js";

type Handler = NonNullable<ClientHandlers["elicitation/create"]>;

/** Asks a person one question, and returns the answer. */
export type Ask = (question: string, signal: AbortSignal) => Promise<string>;

/** What the user may answer: the value to send, and what it is called. */
interface Choice {
  readonly const: string;
  readonly title?: string;
}

/** The members of a form's fields that decide what the user may answer. */
interface Field {
  readonly type: string;
  readonly title?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly Choice[];
  // if: lists
  readonly items?: {
    readonly enum?: readonly string[];
    readonly anyOf?: readonly Choice[];
  };
  // end
}

type Value =
  | string[] // if: lists
  | string
  | number
  | boolean;

/** Asks the user for the fields of a form, one after the other. An empty answer to a required one declines. */
export const elicitationBy =
  (ask: Ask): Handler =>
  async (params, { signal }) => {
    // Only forms: the client declares no other mode.
    if (!("requestedSchema" in params)) return { action: "decline" };
    const { message, requestedSchema } = params;
    const content: Record<string, Value> = {};
    for (const [name, field] of Object.entries(requestedSchema.properties)) {
      const question = questionOf(name, field);
      let answer = (await ask(`${message}\n${question}`, signal)).trim();
      let value = valueOf(field, answer);
      while (answer !== "" && value === undefined) {
        answer = (await ask(`Not a valid answer.\n${question}`, signal)).trim();
        value = valueOf(field, answer);
      }
      if (value !== undefined) content[name] = value;
      else if (requestedSchema.required?.includes(name) === true)
        return { action: "decline" };
    }
    return { action: "accept", content };
  };

function choicesOf(field: Field): readonly Choice[] {
  const {
    oneOf,
    enum: values = [],
    items, // if: lists
  } = field;
  const plain = [
    ...values,
    ...(items?.enum ?? []), // if: lists
  ].map((value) => ({ const: value }));
  return [
    ...(oneOf ?? []),
    ...(items?.anyOf ?? []), // if: lists
    ...plain,
  ];
}

function questionOf(name: string, field: Field): string {
  const choices = choicesOf(field).map(({ const: value, title = value }) =>
    title === value ? value : `${value} = ${title}`,
  );
  if (field.type === "boolean") choices.push("yes", "no");
  if (field.type === "array") choices.push("several with commas"); // if: lists
  const hint = choices.length === 0 ? "" : ` (${choices.join(", ")})`;
  return `${field.title ?? name}${hint}: `;
}

/** The value of an answer; undefined if the field does not allow it. */
function valueOf(field: Field, answer: string): Value | undefined {
  if (answer === "") return undefined;
  const number = Number(answer);
  const choices = choicesOf(field);
  const chosen = (text: string): string | undefined =>
    choices.length === 0
      ? text
      : choices.find((one) => one.const === text || one.title === text)?.const;
  switch (field.type) {
    case "number":
    case "integer":
      return number >= (field.minimum ?? -Number.MAX_VALUE) &&
        number <= (field.maximum ?? Number.MAX_VALUE) &&
        (field.type === "number" || Number.isInteger(number))
        ? number
        : undefined;
    case "boolean":
      if (/^(y|yes|true)$/i.test(answer)) return true;
      return /^(n|no|false)$/i.test(answer) ? false : undefined;
    // if: lists
    case "array": {
      const items = answer.split(",").map((item) => chosen(item.trim()));
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    // end
    default:
      return chosen(answer);
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

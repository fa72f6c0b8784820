/** Tasks as data: what a store keeps, and what their handlers see. */
import type { ErrorObject } from "../jsonrpc/message.js";
import type { ClientInfo, EmbeddedRequest } from "../server/types.js";

/** The state of a task. The last three are terminal: they do not change any more. */
export type TaskStatus =
  "working" | "input_required" | "completed" | "failed" | "cancelled";

/** An input that a task requested, and the client's answer once it is there: a result or an error. */
export interface TaskInput {
  readonly request: EmbeddedRequest;
  readonly response?: object;
  /** Only clients of 2025-11-25 answer with errors. */
  readonly error?: ErrorObject;
}

/** The answer to an input. */
export type TaskAnswer =
  { readonly response: object } | { readonly error: ErrorObject };

/**
 * A task as a store keeps it: JSON, and never changed in place. Times are milliseconds since 1970.
 *
 * A record holds arguments, results and answers of users. Protect a store like the data that its tools handle.
 */
export interface TaskRecord {
  /** Unguessable. */
  readonly id: string;
  /** 1 when it is created, and one more with each change. */
  readonly version: number;
  /** Whose task it is: the principal of the request that made it; `""` if the transport knows none. */
  readonly principal: string;
  /** The process that runs it, by the id of its heartbeat; `""` if none does. */
  readonly owner: string;
  /** How often its work was started: more than 1 only for resumable tools. */
  readonly attempt: number;
  readonly tool: string;
  readonly arguments: object;
  /** What `before` returned, or the last `save` of its work; absent if neither has a value. */
  readonly state?: unknown;
  /** The protocol revision of the request that made it. */
  readonly revision: string;
  /** The client that made it. */
  readonly client: ClientInfo;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it may be deleted; null for never. */
  readonly expiresAt: number | null;
  /** Milliseconds between two polls of a client. */
  readonly pollIntervalMs: number;
  /** All inputs that it has requested, by key. */
  readonly inputs: Readonly<Record<string, TaskInput>>;
  /** The result of the tool, if it returned one. */
  readonly result?: object;
  /** The JSON-RPC error with which it failed. */
  readonly error?: ErrorObject;
}

/** Whether a status does not change any more. */
export function isTerminal(status: TaskStatus): boolean {
  return status !== "working" && status !== "input_required";
}

/** @throws RangeError if an option is neither absent nor a positive integer. */
export function checkPositive(
  name: string,
  value: number | null | undefined,
): void {
  if (
    value !== undefined &&
    value !== null &&
    !(Number.isSafeInteger(value) && value > 0)
  )
    throw new RangeError(`${name} must be a positive integer, not ${value}`);
}

/** Whether a task counts as gone, even if it has not been deleted yet. */
export function isExpired({
  expiresAt,
}: Pick<TaskRecord, "expiresAt">): boolean {
  return expiresAt !== null && expiresAt <= Date.now();
}

/** Whether an input has its answer. */
export function isAnswered({ response, error }: TaskInput): boolean {
  return response !== undefined || error !== undefined;
}

/** The inputs without an answer. */
export function outstandingInputs(
  record: TaskRecord,
): Readonly<Record<string, EmbeddedRequest>> {
  return Object.fromEntries(
    Object.entries(record.inputs).flatMap(([key, input]) =>
      isAnswered(input) ? [] : [[key, input.request] as const],
    ),
  );
}

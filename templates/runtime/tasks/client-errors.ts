/** Errors of a client that waits for a task. */
import { TimeoutError } from "../jsonrpc/call-errors.js";
import { SERVER_BUSY } from "../jsonrpc/endpoint-options.js";
import {
  CallError,
  RpcError,
  STANDARD_ERROR_CODES,
} from "../jsonrpc/error-codes.js";

/** A task was cancelled, by this client or another one. Its work may have run in part. */
export class TaskCancelledError extends CallError {
  override readonly name = "TaskCancelledError";
  readonly mayHaveRun = true;
  readonly taskId: string;

  constructor(taskId: string, message?: string) {
    super(
      `the task was cancelled${message === undefined ? "" : `: ${message}`}`,
    );
    this.taskId = taskId;
  }
}

/**
 * The time for which a server keeps a task is over, and the task was not done (Tasks extension, Task Polling). Its work
 * may have run in part.
 */
export class TaskExpiredError extends CallError {
  override readonly name = "TaskExpiredError";
  readonly mayHaveRun = true;
  readonly taskId: string;

  constructor(taskId: string) {
    super("the task has expired before it was done");
    this.taskId = taskId;
  }
}

/** Statuses of HTTP that pass by themselves: timeouts, too many requests, and gateways without a server. */
const PASSING_STATUSES: ReadonlySet<unknown> = new Set([
  408, 429, 502, 503, 504,
]);

/** Whether a request did not reach the server, or its response was lost, or the server was busy. */
export function isOutage(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (error instanceof RpcError) return error.code === SERVER_BUSY;
  const status = httpStatusOf(error);
  if (status === null) return false;
  // With a success, only the body was unusable, as that of a response that was cut off.
  return (
    status === undefined ||
    PASSING_STATUSES.has(status) ||
    (status >= 200 && status < 300)
  );
}

/** Whether the server failed with an error that says nothing about the task. */
export function isServerFailure(error: unknown): boolean {
  return error instanceof RpcError
    ? error.code === STANDARD_ERROR_CODES.INTERNAL_ERROR
    : httpStatusOf(error) === 500;
}

/** How long the server asks to wait, in milliseconds. */
export function retryAfterOf(error: unknown): number {
  const { retryAfterMs } = (error ?? {}) as { readonly retryAfterMs?: unknown };
  return typeof retryAfterMs === "number" ? retryAfterMs : 0;
}

/** The status of an `HttpError`, undefined without a response; null for other errors. Tasks need no HTTP, so its class is not imported. */
function httpStatusOf(error: unknown): number | undefined | null {
  return error instanceof CallError && "status" in error
    ? (error.status as number | undefined)
    : null;
}

/** Errors of a client that waits for a task. */
import { CallError } from "../jsonrpc/error-codes.js";

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

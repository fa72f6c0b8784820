/** Tasks as they are sent, in both generations of the protocol. */
import { truncate } from "../protocol/revision.js";
import { RELATED_TASK } from "../protocol/version-rules.js";
import { isTerminal, outstandingInputs } from "./types.js";
import type { TaskRecord, TaskStatus } from "./types.js";

/** A task in 2026-07-28 (Tasks extension, Tasks). */
export interface WireTask {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  ttlMs: number | null;
  pollIntervalMs: number;
}

/** The members of a task that all its messages have (Tasks extension, Tasks). */
export function taskSummary(record: TaskRecord): WireTask {
  const { statusMessage } = record;
  return {
    taskId: record.id,
    status: record.status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: new Date(record.createdAt).toISOString(),
    lastUpdatedAt: new Date(record.updatedAt).toISOString(),
    ttlMs: ttlOf(record),
    pollIntervalMs: record.pollIntervalMs,
  };
}

/** A task with its result, error or outstanding inputs (Tasks extension, Task Status). */
export function detailedTask(record: TaskRecord): object {
  const { status, result, error } = record;
  const summary = taskSummary(record);
  switch (status) {
    case "input_required":
      return { ...summary, inputRequests: outstandingInputs(record) };
    case "completed":
      return { ...summary, result: { resultType: "complete", ...result } };
    case "failed":
      return { ...summary, error };
    default:
      return summary;
  }
}

/** A task in 2025-11-25 (MCP 2025-11-25, tasks, Task). */
export function coreTask(record: TaskRecord): object {
  const { isError, content } = (record.result ?? {}) as {
    readonly isError?: unknown;
    readonly content?: readonly { readonly text?: unknown }[];
  };
  // There, a tool's own failure is a failure of the task.
  const hasFailed = record.status === "completed" && isError === true;
  const text = hasFailed ? content?.[0]?.text : undefined;
  const statusMessage =
    typeof text === "string" ? truncate(text) : record.statusMessage;
  const { ttlMs, pollIntervalMs, ...common } = taskSummary(record);
  return {
    ...common,
    status: hasFailed ? "failed" : record.status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    ttl: ttlMs,
    pollInterval: pollIntervalMs,
  };
}

/** `_meta` that says to which task a message belongs. */
export function relatedTaskMeta(id: string): object {
  return { [RELATED_TASK]: { taskId: id } };
}

/** Whether a task has what `tasks/result` returns. */
export function isDone(record: TaskRecord): boolean {
  return isTerminal(record.status);
}

function ttlOf({ createdAt, expiresAt }: TaskRecord): number | null {
  return expiresAt === null ? null : expiresAt - createdAt;
}

/** What the work of a task sees. */
import type { DefinitionContext } from "../registry/types.js";
import type { ClientInfo } from "../server/types.js";

/**
 * The context of a task tool's work: the same whether it runs as a task or within the call.
 *
 * @typeParam State - What `before` returns.
 * @typeParam Context - The context whose `requireInput` it has, such as the generated `ServerContext`.
 */
export interface TaskContext<State = unknown, Context = DefinitionContext> {
  /** The id of the task; undefined if the work runs within the call. */
  readonly id: string | undefined;
  /** 1 at first. Higher if an earlier process stopped during the work of a resumable tool. */
  readonly attempt: number;
  /** What `before` returned, or an earlier attempt passed to {@link save}. */
  readonly state: State;
  /**
   * Aborted when the task is cancelled or expires, when this process may not continue it, or, within the call, when the
   * call is cancelled. What the work returns after that is ignored.
   */
  readonly signal: AbortSignal;
  /** The revision of the call, such as `2026-07-28`. */
  readonly revision: string;
  /** The client that called. */
  readonly client: ClientInfo;
  /** Sets the status message, which a client may show. Within the call, it is sent as progress. */
  report(this: void, message: string): void;
  /**
   * Requests input from the client, all of it at once, and returns the answers under the same keys. The task waits for
   * them with the status `input_required`; it expires if none come. If a client of a stateful revision answers with an
   * error, this rejects with that `RpcError`.
   *
   * Within the call of a stateless revision, this ends the work, which runs again with the answers: ask first and act
   * afterwards.
   */
  readonly requireInput: Context extends {
    readonly requireInput: infer Require;
  }
    ? Require
    : DefinitionContext["requireInput"];
  /**
   * Keeps a state for a later attempt of a resumable tool: a JSON value. Resolves when it is stored. Within the call, it
   * does nothing.
   *
   * @throws Error if this process may not continue the task.
   */
  save(this: void, state: State): Promise<void>;
}

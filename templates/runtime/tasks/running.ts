/** A task whose work runs in this process. */
import type { DefinitionContext } from "../registry/types.js";
import { missingClientCapability } from "../server/client-capabilities.js";
import { elicitParamsIn, validateElicited } from "../server/elicitation.js";
import type { ClientInfo, EmbeddedRequest } from "../server/types.js";
import { invalidParamsError } from "../protocol/invalid-params.js";
import { missingCapabilityError } from "../protocol/missing-capability.js";
import { UnsupportedMethodError } from "../jsonrpc/call-errors.js";
import { RpcError } from "../jsonrpc/error-codes.js";
import { createAbortError } from "../jsonrpc/abort.js";
import type { TaskContext } from "./context.js";
import { isAnswered, isTerminal, outstandingInputs } from "./types.js";
import type { TaskInput, TaskRecord } from "./types.js";

const ELICITATION = "elicitation/create";

/** The client capability that each request for input needs, in every revision. */
const INPUT_CAPABILITIES: Readonly<Record<string, string>> = {
  [ELICITATION]: "client.elicitation",
  "sampling/createMessage": "client.sampling",
  "roots/list": "client.roots",
};

/** Changes a stored task; does nothing if it is gone, or `change` returns undefined. */
export type ChangeTask = (
  id: string,
  change: (record: TaskRecord) => TaskRecord | undefined,
) => Promise<TaskRecord | undefined>;

/** An input that the work requests. */
interface RequestedInput {
  /** The name that the work gave it. */
  readonly name: string;
  /** Its key in the task. */
  readonly key: string;
  readonly request: EmbeddedRequest;
  /** The request as it is sent. */
  readonly sent: EmbeddedRequest;
}

interface Waiter {
  readonly resolve: (answered: TaskInput) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The work of one task, and its context.
 *
 * It ends once: when its work returns, or when it is stopped. After that nothing is stored for it.
 */
export class RunningTask implements TaskContext {
  readonly id: string;
  readonly attempt: number;
  readonly revision: string;
  readonly client: ClientInfo;
  readonly principal: string;
  readonly owner: string;
  readonly #controller = new AbortController();
  readonly #change: ChangeTask;
  readonly #waiters = new Map<string, Waiter>();
  /** How often the work has requested an input under each name, in this attempt. */
  readonly #requested = new Map<string, number>();
  /** The keys of those inputs. */
  readonly #keys = new Set<string>();
  #record: TaskRecord;
  #state: unknown;
  #message: string | undefined;
  #isReporting = false;

  constructor(record: TaskRecord, change: ChangeTask) {
    this.id = record.id;
    this.attempt = record.attempt;
    this.revision = record.revision;
    this.client = record.client;
    this.principal = record.principal;
    this.owner = record.owner;
    this.#record = record;
    this.#state = record.state;
    this.#change = change;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get state(): unknown {
    return this.#state;
  }

  get expiresAt(): number {
    return this.#record.expiresAt ?? Number.POSITIVE_INFINITY;
  }

  /** Whether this process may still change a task. */
  owns(record: TaskRecord): boolean {
    return (
      !this.signal.aborted &&
      record.owner === this.owner &&
      record.attempt === this.attempt &&
      !isTerminal(record.status)
    );
  }

  /** Reacts to a change of the stored task, by any process. */
  observe(record: TaskRecord): void {
    if (record.version < this.#record.version) return;
    this.#record = record;
    if (!this.owns(record)) {
      this.stop(
        record.status === "cancelled"
          ? "the task was cancelled"
          : isTerminal(record.status)
            ? `the task has ended: it is ${record.status}`
            : "another process has taken over the task",
      );
      return;
    }
    for (const [key, waiter] of this.#waiters) {
      const input = inputOf(record, key);
      if (input === undefined || !isAnswered(input)) continue;
      this.#waiters.delete(key);
      waiter.resolve(input);
    }
  }

  /** Aborts the work. */
  stop(reason: string): void {
    if (this.signal.aborted) return;
    const error = createAbortError(reason);
    this.#controller.abort(error);
    for (const { reject } of this.#waiters.values()) reject(error);
    this.#waiters.clear();
  }

  readonly report = (message: string): void => {
    this.#message = message;
    if (!this.#isReporting) void this.#storeMessage();
  };

  /** While one message is being stored, only the last of the others is kept. */
  async #storeMessage(): Promise<void> {
    this.#isReporting = true;
    try {
      while (this.#message !== undefined) {
        const statusMessage = this.#message;
        this.#message = undefined;
        await this.#changeOwn((record) => ({ ...record, statusMessage }));
      }
    } catch {
      // The work goes on without a message.
    } finally {
      this.#isReporting = false;
    }
  }

  readonly save = async (state: unknown): Promise<void> => {
    this.signal.throwIfAborted();
    // JSON now: the work may change the value while it is being stored.
    const json = JSON.stringify(state) as string | undefined;
    const stored: unknown = json === undefined ? undefined : JSON.parse(json);
    this.#state = stored;
    await this.#changeOwn((record) => ({ ...record, state: stored }));
    this.signal.throwIfAborted();
  };

  readonly requireInput: DefinitionContext["requireInput"] = async (
    requests,
  ) => {
    this.signal.throwIfAborted();
    const sent = Object.entries(requests).map(([name, request]) => ({
      name,
      request,
      sent: this.#sentRequest(request),
    }));
    // Before anything is awaited, so that no other call gets the same keys.
    const requested: readonly RequestedInput[] = sent.map((input) => ({
      ...input,
      key: this.#reserveKey(input.name, input.sent),
    }));
    await this.#changeOwn((record) => {
      const inputs = { ...record.inputs };
      for (const input of requested)
        if (inputOf(record, input.key) === undefined)
          inputs[input.key] = { request: input.sent };
      const changed = { ...record, inputs };
      const isWaiting = Object.keys(outstandingInputs(changed)).length > 0;
      return { ...changed, status: isWaiting ? "input_required" : "working" };
    });
    const answers = await Promise.all(
      requested.map(async ({ name, key, request }) => {
        const response = await this.#answer(key);
        return [name, await validAnswer(name, request, response)] as const;
      }),
    );
    return Object.fromEntries(answers);
  };

  /**
   * The key of a request: each is unique during the life of a task (Tasks extension, Task Update Requests), so a second
   * request under the same name gets a number. A later attempt finds the answers of the same requests again.
   */
  #reserveKey(name: string, request: EmbeddedRequest): string {
    for (let count = this.#requested.get(name) ?? 0; ; count += 1) {
      const key = count === 0 ? name : `${name}#${count + 1}`;
      if (this.#keys.has(key)) continue;
      const known = inputOf(this.#record, key);
      if (
        known !== undefined &&
        JSON.stringify(known.request) !== JSON.stringify(request)
      )
        continue;
      this.#requested.set(name, count + 1);
      this.#keys.add(key);
      return key;
    }
  }

  /** @throws RpcError if the client answered with an error, as within a call. */
  async #answer(key: string): Promise<object> {
    const known = inputOf(this.#record, key);
    const { response, error } =
      known !== undefined && isAnswered(known)
        ? known
        : await new Promise<TaskInput>((resolve, reject) => {
            if (this.signal.aborted) reject(this.signal.reason as Error);
            else this.#waiters.set(key, { resolve, reject });
          });
    if (error !== undefined) throw RpcError.from(error);
    return response ?? {};
  }

  /**
   * The request as it is sent.
   *
   * @throws RpcError if the client has not declared the capability; UnsupportedMethodError for any other request.
   */
  #sentRequest(request: EmbeddedRequest): EmbeddedRequest {
    const { method, params } = request;
    const needed = Object.hasOwn(INPUT_CAPABILITIES, method)
      ? INPUT_CAPABILITIES[method]
      : undefined;
    if (needed === undefined)
      throw new UnsupportedMethodError(method, this.revision);
    const missing = missingClientCapability(
      method,
      params,
      [needed],
      this.client.capabilities,
    );
    if (missing !== undefined) throw missingCapabilityError(missing);
    return JSON.parse(
      JSON.stringify(
        method === ELICITATION
          ? { method, params: elicitParamsIn(this.revision, params ?? {}) }
          : { method, params },
      ),
    ) as EmbeddedRequest;
  }

  async #changeOwn(change: (record: TaskRecord) => TaskRecord): Promise<void> {
    const record = await this.#change(this.id, (stored) =>
      this.owns(stored) ? change(stored) : undefined,
    );
    if (record === undefined) this.stop("the task has expired");
    // Nothing was stored if another process has taken the task over.
    else this.observe(record);
    this.signal.throwIfAborted();
  }
}

function inputOf({ inputs }: TaskRecord, key: string): TaskInput | undefined {
  return Object.hasOwn(inputs, key) ? inputs[key] : undefined;
}

/** @throws RpcError if an answer does not match the form of another library; a generated check has seen it before. */
async function validAnswer(
  key: string,
  request: EmbeddedRequest,
  response: object,
): Promise<object> {
  if (request.method !== ELICITATION) return response;
  const checked = await validateElicited(
    request.params ?? {},
    response,
    `/inputResponses/${key}`,
  );
  if (!checked.success)
    throw invalidParamsError(checked.failure, `/inputResponses/${key}`);
  return checked.value;
}

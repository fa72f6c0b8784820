/** Pings that notice when a connection is dead (MCP 2025-11-25, ping). */
import { RpcError } from "../jsonrpc/error-codes.js";
import type { CallOptions } from "../jsonrpc/endpoint.js";
import { MAX_TIMER_DELAY_MS } from "../jsonrpc/envelope.js";

/**
 * How to send pings. 2026-07-28 has no `ping`, so these options have no effect there: each request is self-contained, and
 * a server keeps its streams open with comments (MCP 2026-07-28, Streamable HTTP, receiving messages).
 */
export interface KeepAliveOptions {
  /** Milliseconds between the response to a ping and the next ping; 30,000 by default. */
  readonly intervalMs?: number | undefined;
  /** Milliseconds to wait for the response; 10,000 by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * What to do if there is no response, after the event `pingFailed`:
   *
   * - `close`, the default: closes the connection, so that pending calls fail.
   * - `reconnect`: over HTTP, drops the server's own stream and resumes it. Closes other connections, which cannot be
   *   resumed.
   * - `report`: continues with the next ping.
   */
  readonly onFailure?: "close" | "reconnect" | "report" | undefined;
}

type Policy = NonNullable<KeepAliveOptions["onFailure"]>;
type Ping = (options: CallOptions) => Promise<object>;

/** The option `keepAlive` of a client, from {@link keepAlive}. */
export interface KeepAliveFactory {
  /** @internal */
  readonly create: (
    ping: Ping,
    onFailure: (error: unknown, policy: Policy) => void,
  ) => KeepAlive;
}

/**
 * The option `keepAlive` of a client: sends pings while the connection is open, to notice when it is dead.
 *
 *     const client = createClient({ info, keepAlive: keepAlive({ intervalMs: 30_000 }) });
 *
 * @throws RangeError if a number is not greater than 0.
 */
export function keepAlive(options: KeepAliveOptions = {}): KeepAliveFactory {
  checkTimes(options);
  return {
    create: (ping, onFailure) => new KeepAlive(options, ping, onFailure),
  };
}

function checkTimes({ intervalMs = 1, timeoutMs = 1 }: KeepAliveOptions): void {
  for (const [name, value] of Object.entries({ intervalMs, timeoutMs }))
    if (!(value > 0))
      throw new RangeError(
        `keepAlive.${name} must be greater than 0, not ${value}`,
      );
}

/** At most one ping waits for its response, and no ping is sent after stop(). */
export class KeepAlive {
  readonly #intervalMs: number;
  readonly #timeoutMs: number;
  readonly #policy: Policy;
  readonly #ping: Ping;
  readonly #onFailure: (error: unknown, policy: Policy) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(
    {
      intervalMs = 30_000,
      timeoutMs = 10_000,
      onFailure: policy = "close",
    }: KeepAliveOptions,
    ping: Ping,
    onFailure: (error: unknown, policy: Policy) => void,
  ) {
    this.#intervalMs = Math.min(intervalMs, MAX_TIMER_DELAY_MS);
    this.#timeoutMs = timeoutMs;
    this.#policy = policy;
    this.#ping = ping;
    this.#onFailure = onFailure;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      void this.#run();
    }, this.#intervalMs);
    // In Node, a program that only waits for pings ends.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    try {
      await this.#ping({ timeout: this.#timeoutMs });
    } catch (error) {
      if (this.#isStopped) return;
      if (!isResponse(error)) this.#onFailure(error, this.#policy);
    }
    this.start();
  }
}

/** Whether a server that responds has caused the error: it does not know `ping`, or is busy. */
function isResponse(error: unknown): boolean {
  return (
    error instanceof RpcError ||
    // The server has answered; what is missing is a token.
    (error as { readonly name?: unknown } | null)?.name ===
      "UnauthorizedError" ||
    (error as { readonly status?: unknown } | null)?.status !== undefined
  );
}

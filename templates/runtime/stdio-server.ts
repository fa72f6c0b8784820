import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { MAX_TIMER_DELAY_MS } from "./jsonrpc/envelope.js";
import { emitClose, emitError } from "./jsonrpc/transport-events.js";
import { createLineReader, LineChannel } from "./stdio/lines.js";
import type { LineOptions } from "./stdio/lines.js";
import { PIPE_NETWORK } from "./jsonrpc/transport.js";
import type { Transport } from "./jsonrpc/transport.js";

/** How a server communicates over stdio. */
export interface StdioServerOptions extends LineOptions {
  /** The input; standard input by default. */
  readonly input?: Readable;
  /** The output; standard output by default. */
  readonly output?: Writable;
  /**
   * Redirects other writes to standard output, such as a stray `console.log`, to standard error while the transport is
   * open, with a warning before the first. On by default. It cannot redirect writes by native code or by a child that
   * inherited standard output.
   */
  readonly protectStdout?: boolean;
  /**
   * Milliseconds within which pending requests can still be answered after the input ends; 1500 by default, less than
   * clients usually wait before they terminate a server. 0 closes at once.
   */
  readonly drainMs?: number;
}

/** Milliseconds that closing waits for a client that does not read. */
const CLOSE_TIMEOUT_MS = 2000;

const DEFAULT_DRAIN_MS = 1500;

/**
 * The server's side of the stdio transport (specification: Basic, Transports, stdio): messages are lines of standard
 * input and standard output. For Node.
 *
 * While the client does not read, the transport does not read either, so that responses do not accumulate. When the
 * client closes our input, which is how it ends the connection, `onend` is called after all earlier messages: pending
 * requests can be answered, within `drainMs`. So `cat requests.ndjson
 * node server.js` prints all responses. `onclose` follows.
 *
 * Closing writes everything that was sent, but waits at most two seconds for a client that does not read. Afterwards
 * the transport does not keep the process alive.
 */
export function stdioServerTransport(
  options: StdioServerOptions = {},
): Transport {
  return new StdioServer(options);
}

class StdioServer implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onend: Transport["onend"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly network = PIPE_NETWORK;
  readonly #channel: LineChannel;
  readonly #stdoutRedirect: StdoutRedirect | undefined;
  #hasStarted = false;
  #closed: Promise<void> | undefined;
  readonly #drainMs: number;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(options: StdioServerOptions) {
    const {
      input = process.stdin,
      output = process.stdout,
      protectStdout = true,
      drainMs = DEFAULT_DRAIN_MS,
    } = options;
    if (!(drainMs >= 0))
      throw new RangeError(`drainMs must be at least 0, not ${drainMs}`);
    this.#drainMs = drainMs;
    this.#stdoutRedirect =
      protectStdout && output === process.stdout
        ? new StdoutRedirect()
        : undefined;
    this.#channel = new LineChannel(
      {
        transport: this,
        input,
        output,
        write: this.#stdoutRedirect?.writeToStdout,
        pauseWhenFull: true,
        maxUnread: options.maxUnread,
        onEnd: () => {
          // One turn for responses that only need promises.
          setImmediate(() => {
            this.#drain();
          });
        },
        onFailure: (error) => {
          if (error !== undefined) emitError(this, describeWriteError(error));
          void this.close();
        },
      },
      createLineReader(options),
    );
  }

  start(): Promise<void> {
    if (this.#hasStarted)
      return Promise.reject(
        new Error("the transport has been started already"),
      );
    if (this.#closed !== undefined)
      return Promise.reject(new Error("the connection is closed"));
    this.#hasStarted = true;
    this.#stdoutRedirect?.install();
    this.#channel.open();
    return Promise.resolve();
  }

  send(message: object): Promise<void> | undefined {
    if (!this.#hasStarted)
      throw new Error("the transport has not been started");
    return this.#channel.send(message);
  }

  pause(): void {
    this.#channel.hold();
  }

  resume(): void {
    this.#channel.release();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** The input has ended: pending requests have some time to be answered. */
  #drain(): void {
    if (this.#closed !== undefined || this.#drainTimer !== undefined) return;
    if (this.onend === undefined || this.#drainMs === 0) {
      void this.close();
      return;
    }
    // It keeps the process alive, since nothing else may any more.
    this.#drainTimer = setTimeout(
      () => void this.close(),
      Math.min(this.#drainMs, MAX_TIMER_DELAY_MS),
    );
    try {
      this.onend();
    } catch (error) {
      emitError(this, error);
      void this.close();
    }
  }

  async #close(): Promise<void> {
    clearTimeout(this.#drainTimer);
    if (this.#hasStarted) {
      this.#channel.stopReading();
      await this.#channel.stopWriting(CLOSE_TIMEOUT_MS);
      this.#channel.releaseOutput();
      this.#stdoutRedirect?.restore();
    }
    emitClose(this);
  }
}

/** A client that stops reading is common: one line of a log, without a stack. */
function describeWriteError(error: NodeJS.ErrnoException): Error {
  if (error.code !== "EPIPE") return error;
  const plain = new Error("the client closed its end of our output (EPIPE)");
  plain.stack = `${plain.name}: ${plain.message}`;
  return plain;
}

function ignoreError(): void {
  // The failure cannot be reported anywhere.
}

const STDOUT_WARNING =
  "Standard output is reserved for protocol messages; other output to it is shown here instead.\n";

/** Reserves standard output for messages (specification: the server must write nothing else to it). */
class StdoutRedirect {
  /** Writes to the original standard output. */
  readonly writeToStdout: typeof process.stdout.write;
  readonly #originalWrite: PropertyDescriptor | undefined;
  #isActive = false;
  #hasWarned = false;

  constructor() {
    this.#originalWrite = Object.getOwnPropertyDescriptor(
      process.stdout,
      "write",
    );
    this.writeToStdout = process.stdout.write.bind(process.stdout);
  }

  install(): void {
    this.#isActive = true;
    // Standard error may be closed, which must not end the process.
    process.stderr.on("error", ignoreError);
    process.stdout.write = this.#redirect as typeof process.stdout.write;
  }

  restore(): void {
    this.#isActive = false;
    // Pending writes may fail as well.
    if (process.stderr.writableLength === 0)
      process.stderr.off("error", ignoreError);
    // A wrapper installed after ours stays, and reaches the original through ours.
    const current: unknown = Reflect.get(process.stdout, "write");
    if (current !== this.#redirect) return;
    if (this.#originalWrite === undefined)
      Reflect.deleteProperty(process.stdout, "write");
    else Object.defineProperty(process.stdout, "write", this.#originalWrite);
  }

  readonly #redirect = (
    ...args: Parameters<typeof process.stdout.write>
  ): boolean => {
    if (!this.#isActive) return this.writeToStdout(...args);
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      process.stderr.write(STDOUT_WARNING);
    }
    process.stderr.write(...args);
    // Never "full": the writer would wait for a drain of standard output, which does not come.
    return true;
  };
}

import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { MAX_TIMER_DELAY_MS } from "./jsonrpc/envelope.js";
import { emitClose, emitError } from "./jsonrpc/transport-events.js";
import { createLineReader, LineChannel } from "./stdio/lines.js";
import type { LineOptions } from "./stdio/lines.js";
import type { Transport } from "./jsonrpc/transport.js";

/** How a server talks over stdio. */
export interface StdioServerOptions extends LineOptions {
  /** Where messages come from; standard input by default. */
  readonly input?: Readable;
  /** Where messages go; standard output by default. */
  readonly output?: Writable;
  /**
   * Sends to standard error what others write to standard output while messages are written there, such as a stray
   * `console.log`, with a warning before the first of it. On by default. Writes past `process.stdout`, by native code or
   * a child that inherited it, are out of reach.
   */
  readonly protectStdout?: boolean;
  /**
   * Milliseconds in which requests that are in flight when the input ends can still be answered; 1500 by default, which is
   * less than clients commonly wait before they terminate a server. 0 ends at once.
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
 * While the client does not read, nothing is read from it either, so that unread answers do not pile up. When it closes
 * our input, which is how it ends the connection, `onend` is called after all messages before that were handed on: what is
 * in flight can be answered, within `drainMs`. So `cat requests.ndjson | node server.js` gets all answers. `onclose`
 * follows.
 *
 * Closing writes what was sent, but waits no longer than two seconds for a client that does not take it. The transport
 * keeps no process alive afterwards.
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
          // A turn for answers that only need promises.
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

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** The input has ended: whoever answers what came has some time for it. */
  #drain(): void {
    if (this.#closed !== undefined) return;
    if (this.onend === undefined || this.#drainMs === 0) {
      void this.close();
      return;
    }
    // It keeps the process alive, since nothing else may by now.
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

/** A client that no longer reads is an event of everyday life: one line of a log, without a stack. */
function describeWriteError(error: NodeJS.ErrnoException): Error {
  if (error.code !== "EPIPE") return error;
  const plain = new Error("the client closed its end of our output (EPIPE)");
  plain.stack = `${plain.name}: ${plain.message}`;
  return plain;
}

function ignoreError(): void {
  // There is nothing to be done about it.
}

const STDOUT_WARNING =
  "Standard output carries protocol messages and nothing else; what was written to it besides is shown here instead.\n";

/** Keeps standard output to ourselves (specification: the server must write nothing to it that is no message). */
class StdoutRedirect {
  /** The way past the protection. */
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
    // Nobody may listen to what is diverted, and that is no reason to die.
    process.stderr.on("error", ignoreError);
    process.stdout.write = this.#redirect as typeof process.stdout.write;
  }

  restore(): void {
    this.#isActive = false;
    // What is still on its way there may fail as well.
    if (process.stderr.writableLength === 0)
      process.stderr.off("error", ignoreError);
    // Whoever wrapped it after us keeps that, and comes through ours to the original.
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

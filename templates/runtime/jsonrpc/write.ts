import type { Message } from "./message.js";

/** The part of a Node writable stream that is used. */
export interface NodeSink {
  write(text: string): boolean;
  once(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(
    event: string,
    listener: (...args: unknown[]) => void,
  ): unknown;
  /** False once the stream is ended, destroyed or broken. */
  readonly writable?: boolean;
}

/** The part of a web `WritableStream` of bytes that is used. */
export interface WebSink {
  getWriter(): WebSinkWriter;
}

/** The writer of a web `WritableStream`, for callers that hold its lock. */
export interface WebSinkWriter {
  write(bytes: Uint8Array): Promise<void>;
  releaseLock(): void;
}

/** A sink for lines. */
export type Sink = NodeSink | WebSink | WebSinkWriter;

/**
 * Serializes a message, or a batch, as one line with its newline.
 *
 * Undefined members are omitted, as in `JSON.stringify`. U+2028 and U+2029 are escaped, since some line readers split
 * at them.
 *
 * @throws TypeError if it cannot be serialized; the error message has the location.
 */
export function encodeLine(message: Message | readonly Message[]): string {
  let text: string | undefined;
  try {
    text = stringify(message);
  } catch (error) {
    throw new TypeError(
      `a message cannot be written: ${explainUnwritable(message, error)}`,
      { cause: error },
    );
  }
  if (text === undefined)
    throw new TypeError(`a message cannot be written: it is ${typeof message}`);
  return escapeSeparators(text);
}

/**
 * Returns a serialized message as one line with its newline.
 *
 * @throws TypeError if it contains a line break or is blank: it would be read as several lines, or none.
 */
export function encodeText(text: string): string {
  const index = text.search(/[\r\n]/);
  if (index >= 0) {
    throw new TypeError(
      `a message must be one line, but this text has a line break at ${index}; write it without indentation`,
    );
  }
  if (text.trim() === "") throw new TypeError("a message cannot be blank");
  return escapeSeparators(text);
}

/** Unchanged: undefined and functions have no JSON. */
const stringify: (value: unknown) => string | undefined = JSON.stringify;

function escapeSeparators(text: string): string {
  // Nearly no text has them, and to look for them first takes a sixth of the time.
  if (!/[\u2028\u2029]/.test(text)) return `${text}\n`;
  // They can only be inside strings, where an escape means the same.
  return `${text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

/**
 * Writes a message, or a batch, as one line.
 *
 * Resolves when the sink accepts more: at once, or, if the sink is full, when it has drained (Node) or accepted the
 * message (web). Awaiting it before the next message never fills a buffer. Calls that are not awaited keep their order.
 *
 * @throws TypeError if the message cannot be serialized; the sink's error, or an error if it closed before it drained.
 */
export function writeLine(
  sink: Sink,
  message: Message | readonly Message[],
): Promise<void> {
  return write(sink, () => encodeLine(message));
}

/** Writes a serialized message, otherwise like {@link writeLine}. */
export function writeText(sink: Sink, text: string): Promise<void> {
  return write(sink, () => encodeText(text));
}

async function write(sink: Sink, encode: () => string): Promise<void> {
  const line = encode();
  if ("getWriter" in sink) await writeToStream(sink, line);
  else if ("releaseLock" in sink)
    await sink.write(new TextEncoder().encode(line));
  else await writeToNode(sink, line);
}

/** Full sinks, and the promise of their next drain, so that many waiting calls share one listener. */
const drainPromises = /* @__PURE__ */ new WeakMap<NodeSink, Promise<void>>();

function writeToNode(sink: NodeSink, line: string): Promise<void> | undefined {
  // A dead stream emits nothing more, so waiting for it would never end.
  if (sink.writable === false) throw new Error("the stream is closed");
  if (sink.write(line)) return undefined;
  let drained = drainPromises.get(sink);
  if (drained === undefined) {
    drained = untilDrained(sink).finally(() => drainPromises.delete(sink));
    drainPromises.set(sink, drained);
  }
  return drained;
}

function untilDrained(sink: NodeSink): Promise<void> {
  return new Promise((resolve, reject) => {
    const onDrain = (): void => {
      removeListeners();
      resolve();
    };
    const onError = (error: unknown): void => {
      removeListeners();
      reject(
        error instanceof Error
          ? error
          : new Error("the stream failed", { cause: error }),
      );
    };
    const onClose = (): void => {
      removeListeners();
      reject(new Error("the stream closed before the message was written"));
    };
    const removeListeners = (): void => {
      sink.removeListener("drain", onDrain);
      sink.removeListener("error", onError);
      sink.removeListener("close", onClose);
    };
    sink.once("drain", onDrain);
    sink.once("error", onError);
    sink.once("close", onClose);
  });
}

/** The locks of streams that are being written to, shared by concurrent calls. */
const locks = /* @__PURE__ */ new WeakMap<
  WebSink,
  { readonly writer: WebSinkWriter; users: number }
>();

async function writeToStream(sink: WebSink, line: string): Promise<void> {
  let lock = locks.get(sink);
  if (lock === undefined) {
    lock = { writer: sink.getWriter(), users: 0 };
    locks.set(sink, lock);
  }
  lock.users += 1;
  try {
    await lock.writer.write(new TextEncoder().encode(line));
  } finally {
    lock.users -= 1;
    if (lock.users === 0) {
      locks.delete(sink);
      lock.writer.releaseLock();
    }
  }
}

function explainUnwritable(message: unknown, error: unknown): string {
  try {
    return (
      findUnwritable(message) ??
      (error instanceof Error ? error.message : String(error))
    );
  } catch {
    // A getter that made JSON.stringify throw may throw here too.
    return "it cannot be read";
  }
}

/** The location of a value that JSON does not support, or undefined if something else failed, such as `toJSON`. */
function findUnwritable(root: unknown): string | undefined {
  const ancestors = new Set<object>();
  return visitValue(root, "");

  function visitValue(value: unknown, pointer: string): string | undefined {
    const location = pointer === "" ? "at the top" : `at ${pointer}`;
    if (typeof value === "bigint") return `a BigInt ${location}`;
    // With `toJSON`, the members say nothing about the output.
    if (typeof value !== "object" || value === null || "toJSON" in value)
      return undefined;
    if (ancestors.has(value)) return `a cycle ${location}`;
    if (ancestors.size > 1000) return "it is nested too deeply";
    ancestors.add(value);
    for (const [name, member] of Object.entries(value)) {
      const found = visitValue(
        member,
        `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
      );
      if (found !== undefined) return found;
    }
    ancestors.delete(value);
    return undefined;
  }
}

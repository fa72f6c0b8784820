/**
 * A transport between two windows of a browser, such as a page in a frame and the page around it. It uses no types of the
 * DOM, so that a program without them compiles.
 */
import { STANDARD_ERROR_CODES } from "./jsonrpc/error-codes.js";
import { errorResponse, isRequestId } from "./jsonrpc/message.js";
import type { Invalid } from "./jsonrpc/parse.js";
import {
  emitClose,
  emitError,
  emitInvalid,
  emitMessage,
} from "./jsonrpc/transport-events.js";
import type { Transport } from "./jsonrpc/transport.js";
import { copyJson } from "./post-message/copy-json.js";
import type { JsonFault } from "./post-message/copy-json.js";

/** A window that messages are sent to, such as `window.parent` or `frame.contentWindow`. */
export interface MessageWindow {
  postMessage(message: unknown, targetOrigin: string): void;
}

/** What a window receives. */
export interface WindowMessage {
  readonly data: unknown;
  /** The window that sent it. */
  readonly source: unknown;
  /** The origin of the page in that window; `null` as a text for a sandboxed frame without one. */
  readonly origin: string;
}

/** A window that receives messages; in a page, `window`. */
export interface ReceivingWindow {
  addEventListener(
    type: "message",
    listener: (event: WindowMessage) => void,
  ): void;
  removeEventListener(
    type: "message",
    listener: (event: WindowMessage) => void,
  ): void;
}

/** Options of {@link postMessageTransport}. */
export interface PostMessageOptions {
  /**
   * The origin of the other window, such as `https://host.example`: messages from another one are ignored, and none is
   * sent to another one. By default, that of the first message that the other window sends; until then, messages are sent
   * to whatever page is in it. Pass it if you know it.
   */
  readonly origin?: string | undefined;
  /** The window of this side; `window` by default. */
  readonly receiver?: ReceivingWindow | undefined;
  /**
   * Maximum size of a message: its characters, plus 8 for each value. A larger one is invalid. 16 Mi by default, which is
   * the limit of the other transports.
   */
  readonly maxMessageSize?: number | undefined;
}

const DEFAULT_MAX_MESSAGE_SIZE = 16 * 1024 * 1024;

/** The origin of every frame that is sandboxed without `allow-same-origin`; it cannot be a target. */
const OPAQUE_ORIGIN = "null";

/**
 * A transport to another window. A page in a frame passes `window.parent`, and the page around it the frame's
 * `contentWindow`:
 *
 *     const transport = postMessageTransport(window.parent);
 *
 * It ignores what other windows or origins send, and what is not a JSON-RPC message; what JSON cannot hold or is too large
 * is invalid. Windows do not report that they are closed: close the transport when the frame is removed.
 */
export function postMessageTransport(
  other: MessageWindow,
  options: PostMessageOptions = {},
): Transport {
  return new PostMessageTransport(other, options);
}

class PostMessageTransport implements Transport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly #other: MessageWindow;
  readonly #options: PostMessageOptions;
  #origin: string | undefined;
  #receiver: ReceivingWindow | undefined;
  #state: "new" | "open" | "closed" = "new";

  readonly #listener = (event: WindowMessage): void => {
    try {
      this.#receive(event);
    } catch (error) {
      // An event from a program is an ordinary object, whose members may throw.
      emitError(this, error);
    }
  };

  constructor(other: MessageWindow, options: PostMessageOptions) {
    this.#other = other;
    this.#options = options;
    this.#origin = options.origin;
  }

  start(): Promise<void> {
    if (this.#state !== "new")
      return Promise.reject(
        new Error("this transport has been started already"),
      );
    const receiver =
      this.#options.receiver ?? (globalThis as unknown as ReceivingWindow);
    if ((receiver as unknown) === this.#other)
      return Promise.reject(
        new Error("the other window is this one: the page is not in a frame"),
      );
    if (typeof receiver.addEventListener !== "function")
      return Promise.reject(
        new Error("this program has no window that receives messages"),
      );
    this.#state = "open";
    this.#receiver = receiver;
    receiver.addEventListener("message", this.#listener);
    return Promise.resolve();
  }

  send(message: object): void {
    if (this.#state !== "open") throw new Error("the connection is closed");
    const target =
      this.#origin === undefined || this.#origin === OPAQUE_ORIGIN
        ? "*"
        : this.#origin;
    // As over any other transport: without members that are undefined, and dates as text.
    this.#other.postMessage(JSON.parse(JSON.stringify(message)), target);
  }

  close(): Promise<void> {
    if (this.#state !== "closed") {
      this.#state = "closed";
      this.#receiver?.removeEventListener("message", this.#listener);
      emitClose(this);
    }
    return Promise.resolve();
  }

  #receive({ data, source, origin }: WindowMessage): void {
    if (source !== this.#other || this.#state !== "open") return;
    if (this.#origin !== undefined && origin !== this.#origin) return;
    // Other scripts of a page send messages too, and must not be answered.
    if (!isMessage(data)) return;
    this.#origin = origin;
    const { maxMessageSize = DEFAULT_MAX_MESSAGE_SIZE } = this.#options;
    const copied = copyJson(data, maxMessageSize);
    if (copied.success) emitMessage(this, copied.value);
    else emitInvalid(this, invalidMessage(data, copied.fault));
  }
}

const REASONS: Readonly<Record<JsonFault, string>> = {
  "not-json": "the message contains what JSON cannot hold",
  "too-deep": "the message is nested too deeply",
  "too-large": "the message is larger than the limit",
};

/** The members by which a message is recognized. */
interface MessageHead {
  readonly jsonrpc: "2.0";
  readonly method?: unknown;
  readonly id?: unknown;
}

/** Rejects the message, so that the sender of a request, or the caller that it answers, does not wait forever. */
function invalidMessage(
  { method, id }: MessageHead,
  fault: JsonFault,
): Invalid {
  const known = isRequestId(id) ? id : undefined;
  const messageKind =
    known === undefined
      ? "notification"
      : method === undefined
        ? "response"
        : "request";
  const reason = REASONS[fault];
  return {
    kind: "invalid",
    code: fault,
    reason,
    messageKind,
    id: known ?? null,
    errorResponse:
      messageKind === "request"
        ? errorResponse(known, {
            code: STANDARD_ERROR_CODES.INVALID_REQUEST,
            message: `Invalid Request: ${reason}`,
          })
        : undefined,
  };
}

/** JSON-RPC 2.0 §4 and §5: every message has this member. Batches do not exist between windows. */
function isMessage(data: unknown): data is MessageHead {
  return (
    typeof data === "object" &&
    data !== null &&
    (data as { readonly jsonrpc?: unknown }).jsonrpc === "2.0"
  );
}

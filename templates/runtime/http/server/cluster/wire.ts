/** The messages between the processes of a cluster. What arrives is checked: a process may be of another version. */
import { isObject } from "../../../jsonrpc/envelope.js";
import type { UnknownObject } from "../../../jsonrpc/envelope.js";
import type { HeaderFields } from "../call.js";

/** A call of a client, which the owner of its session answers. */
export interface CallMessage {
  readonly kind: "call";
  /** Identifies the call, among those of the sender. */
  readonly call: number;
  readonly session: string;
  /** Whether the receiver takes over the session, if no process owns it. */
  readonly adopt: boolean;
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderFields;
  /** What authorization found out about the caller, as JSON. */
  readonly auth: UnknownObject | undefined;
  readonly remoteAddress: string | undefined;
  readonly isJsonOnly: boolean;
  /** The posted JSON text. */
  readonly body: string | undefined;
}

/** What the sender of a call says about it later. */
export type CallerMessage =
  /** The client has accepted so many more characters. */
  | { readonly kind: "read"; readonly call: number; readonly chars: number }
  /** The client has disconnected. */
  | { readonly kind: "gone"; readonly call: number }
  /** Asks which of these calls the owner does not know. */
  | { readonly kind: "ping"; readonly calls: readonly number[] };

/** What the owner of a session answers to a call. Counted by `index` for each call, so that a gap is noticed. */
export type AnswerMessage = {
  readonly call: number;
  readonly index: number;
} & AnswerBody;

/** The parts of {@link AnswerMessage}. */
export type AnswerBody =
  /** The call will be handled. */
  | { readonly kind: "accepted" }
  /** The call was not handled: the session is not here. */
  | { readonly kind: "moved" }
  | {
      readonly kind: "respond";
      readonly status: number;
      readonly headers: HeaderFields;
      readonly body: string | undefined;
    }
  | {
      readonly kind: "stream";
      readonly status: number;
      readonly headers: HeaderFields;
      readonly length: number | undefined;
    }
  | { readonly kind: "chunk"; readonly text: string }
  | { readonly kind: "end" }
  | { readonly kind: "abort" };

/** Any message between processes. */
export type WireMessage =
  | CallMessage
  | CallerMessage
  | AnswerMessage
  | { readonly kind: "pong"; readonly lost: readonly number[] }
  /** A notification for all clients. */
  | {
      readonly kind: "notify";
      /** Identifies the server that sends it. */
      readonly server: string;
      readonly method: string;
      readonly params: object | undefined;
    };

/** The messages that one process sent to another at once. */
export interface Mail {
  readonly from: string;
  readonly messages: readonly WireMessage[];
}

/** Serializes messages that are serialized already. */
export function encodeMail(from: string, messages: readonly string[]): string {
  return `{"from":${JSON.stringify(from)},"messages":[${messages.join(",")}]}`;
}

/** Reads a text of another process; undefined if it is no JSON object. */
export function parseObject(text: string): UnknownObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads what arrived in a mailbox. Messages that are not understood are left out. */
export function parseMail(text: string): Mail | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const { from, messages } = value;
  if (typeof from !== "string" || !Array.isArray(messages)) return undefined;
  return {
    from,
    messages: messages
      .map(readMessage)
      // TypeScript 5.4 does not infer the predicate.
      .filter((message): message is WireMessage => message !== undefined),
  };
}

function readMessage(value: unknown): WireMessage | undefined {
  if (!isObject(value)) return undefined;
  const { kind, call } = value;
  switch (kind) {
    case "ping": {
      const calls = numbersOf(value["calls"]);
      return calls === undefined ? undefined : { kind, calls };
    }
    case "pong": {
      const lost = numbersOf(value["lost"]);
      return lost === undefined ? undefined : { kind, lost };
    }
    case "notify":
      return readNotify(value);
    default:
  }
  if (typeof call !== "number") return undefined;
  switch (kind) {
    case "call":
      return readCall(call, value);
    case "gone":
      return { kind, call };
    case "read": {
      const { chars } = value;
      return typeof chars === "number" && chars > 0
        ? { kind, call, chars }
        : undefined;
    }
    default: {
      const { index } = value;
      const body = readAnswer(value);
      return typeof index === "number" && body !== undefined
        ? { call, index, ...body }
        : undefined;
    }
  }
}

function readNotify(value: UnknownObject): WireMessage | undefined {
  const { server, method, params } = value;
  return typeof server === "string" &&
    typeof method === "string" &&
    (params === undefined || isObject(params))
    ? { kind: "notify", server, method, params }
    : undefined;
}

function readCall(call: number, value: UnknownObject): CallMessage | undefined {
  const { session, adopt, method, target, auth, isJsonOnly } = value;
  const headers = headersOf(value["headers"]);
  if (
    typeof session !== "string" ||
    typeof method !== "string" ||
    typeof target !== "string" ||
    headers === undefined ||
    (auth !== undefined && !isObject(auth))
  )
    return undefined;
  return {
    kind: "call",
    call,
    session,
    adopt: adopt === true,
    method,
    target,
    headers,
    auth,
    remoteAddress: textOf(value["remoteAddress"]),
    isJsonOnly: isJsonOnly === true,
    body: textOf(value["body"]),
  };
}

function readAnswer(value: UnknownObject): AnswerBody | undefined {
  const { kind, status, text, length } = value;
  switch (kind) {
    case "accepted":
    case "moved":
    case "end":
    case "abort":
      return { kind };
    case "chunk":
      return typeof text === "string" ? { kind, text } : undefined;
    case "respond":
    case "stream": {
      const headers = headersOf(value["headers"]);
      if (!isStatus(status) || headers === undefined) return undefined;
      return kind === "respond"
        ? { kind, status, headers, body: textOf(value["body"]) }
        : {
            kind,
            status,
            headers,
            length: typeof length === "number" ? length : undefined,
          };
    }
    default:
      return undefined;
  }
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 200 && Number(value) < 600;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numbersOf(value: unknown): readonly number[] | undefined {
  return Array.isArray(value) &&
    value.every((item): item is number => typeof item === "number")
    ? value
    : undefined;
}

function headersOf(value: unknown): HeaderFields | undefined {
  return isObject(value) &&
    Object.values(value).every((item) => typeof item === "string")
    ? (value as HeaderFields)
    : undefined;
}

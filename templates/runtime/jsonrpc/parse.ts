import { STANDARD_ERROR_CODES } from "./error-codes.js";
import { errorResponse, isRequestId } from "./message.js";
import type {
  ErrorResponse,
  Notification,
  Request,
  RequestId,
  Response,
  ResultResponse,
} from "./message.js";
import { DEFAULT_MAX_DEPTH, parseJson, scanEnvelope } from "./scan.js";
import type { JsonValue, MessageKind } from "./scan.js";

/** What a revision's `classify` returns for a value. `batch` exists only in a revision with batches. */
export type Classification =
  | { readonly kind: "request"; readonly message: Request }
  | { readonly kind: "notification"; readonly message: Notification }
  | { readonly kind: "result"; readonly message: ResultResponse }
  | { readonly kind: "error"; readonly message: ErrorResponse }
  | { readonly kind: "batch"; readonly messages: readonly unknown[] }
  | { readonly kind: "invalid"; readonly reason: string };

/** The results of `classify` for single messages. */
export type ClassifiedMessage<C extends Classification = Classification> =
  Extract<C, { readonly message: unknown }>;

/** Why a text is not a message. */
export type InvalidCode =
  /** The text is not JSON. */
  | "not-json"
  /** The bytes are not UTF-8. */
  | "not-utf8"
  /** Nested deeper than the limit. */
  | "too-deep"
  /** Larger than the limit of a transport that receives values. */
  | "too-large"
  /** The id is an integer that JavaScript rounds, so no response could have it. */
  | "unsafe-id"
  /** Everything is valid except `params`, which is not an object. */
  | "params"
  /** Not a JSON-RPC message of this revision. */
  | "envelope"
  /** A batch that is invalid, or a message that must not be in a batch. */
  | "batch";

/** Input that is not a message, with the response to send. */
export interface Invalid {
  readonly kind: "invalid";
  readonly code: InvalidCode;
  /** An explanation for people; contains nothing that the sender wrote. */
  readonly reason: string;
  /**
   * The kind of message that it seems to be. A `response` with an id is the invalid response to one of our calls, which
   * gets no other: reject that call.
   */
  readonly messageKind: MessageKind;
  /** The id, if it can be read. */
  readonly id: RequestId | null;
  /** The response that JSON-RPC requires; undefined for responses and notifications, which are never answered. */
  readonly errorResponse: ErrorResponse | undefined;
}

/** The members of a batch, each classified: requests and notifications, or only responses, and invalid messages. */
export interface ParsedBatch<C extends Classification = Classification> {
  readonly kind: "batch";
  readonly members: readonly (ClassifiedMessage<C> | Invalid)[];
}

/** The result of {@link parseMessage}: a message, a batch if the revision has batches, or why it is neither. */
export type Parsed<C extends Classification = Classification> =
  | ClassifiedMessage<C>
  | ([Extract<C, { readonly kind: "batch" }>] extends [never]
      ? never
      : ParsedBatch<C>)
  | Invalid;

/** Deviations that an option tolerates. */
export type ToleratedDeviation = "nullParamsAsAbsent" | "nullErrorAsAbsent";

/** Options of {@link parseMessage}. */
export interface ParseOptions<C extends Classification = Classification> {
  /** Applies the revision's envelope rules, which are defined only there. */
  readonly classify: (value: unknown) => C;
  /** Maximum nesting depth of arrays and objects; 256 by default. */
  readonly maxDepth?: number;
  /**
   * Maximum of messages in a batch; 1000 by default, since the response to an invalid one is longer than the message.
   */
  readonly maxBatch?: number;
  /** Returns why a message must not be in a batch, or undefined if it may; for rules about methods. */
  readonly refuseInBatch?: (
    message: ClassifiedMessage<C>,
  ) => string | undefined;
  /** Treats `params: null` as absent params, which some peers write. Off by default. */
  readonly nullParamsAsAbsent?: boolean;
  /** Treats `error: null` next to a result as an absent error, which some peers write. Off by default. */
  readonly nullErrorAsAbsent?: boolean;
  /** Called for each message that is accepted only because an option tolerates its deviation. */
  readonly onTolerated?: (
    deviation: ToleratedDeviation,
    id: RequestId | null,
  ) => void;
  /** The id of a response to a message without a readable id: `null`, as JSON-RPC requires (the default), or absent. */
  readonly unreadableId?: "null" | "absent";
}

const DEFAULT_MAX_BATCH = 1000;

/** Options of {@link readJson}. */
export type JsonOptions = Pick<ParseOptions, "maxDepth" | "unreadableId">;

/**
 * Parses one JSON text within the limits: the layer below {@link parseMessage}, for transports that do not know the
 * revision. Never throws.
 *
 * @param input - Text, or bytes in UTF-8; a byte order mark at the start is skipped.
 */
export function readJson(
  input: string | Uint8Array,
  options: JsonOptions,
): JsonValue | Invalid {
  let text: string;
  if (typeof input === "string") text = input;
  else {
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(input);
    } catch {
      return invalidUtf8(options);
    }
  }
  const maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  const parsed = parseJson(text, maxDepth);
  if (parsed === "too-deep") return invalidDepth(text, maxDepth, options);
  return parsed === "not-json"
    ? createInvalid(
        "not-json",
        "the text is not JSON",
        "unknown",
        null,
        options,
      )
    : parsed;
}

/**
 * Parses one message. Never throws: anything else is returned as {@link Invalid}, with the response to send.
 *
 * Members named `__proto__` are dropped at any depth, however they are escaped. Everything else is as `JSON.parse`
 * returns it.
 *
 * @param input - Text, or bytes in UTF-8; a byte order mark at the start is skipped.
 */
export function parseMessage<C extends Classification>(
  input: string | Uint8Array,
  options: ParseOptions<C>,
): Parsed<C> {
  const read = readJson(input, options);
  return read.kind === "value" ? classifyMessage(read.value, options) : read;
}

/**
 * The responses to a batch as an array, in the given order; JSON-RPC allows any.
 *
 * @param answers - One for each request and invalid message; undefined for members without a response.
 * @returns Undefined if nothing may be sent, as for a batch of notifications.
 */
export function collectBatchResponse(
  answers: Iterable<Response | undefined>,
): Response[] | undefined {
  const responses = [...answers].filter(
    (answer): answer is Response => answer !== undefined,
  );
  return responses.length === 0 ? undefined : responses;
}

/** The result for a line that is not UTF-8. */
export function invalidUtf8(options: ErrorResponseOptions): Invalid {
  return createInvalid(
    "not-utf8",
    "the bytes are not UTF-8",
    "unknown",
    null,
    options,
  );
}

/** The options that decide how to respond. */
export type ErrorResponseOptions = Pick<ParseOptions, "unreadableId">;

/** The response to an invalid message, or undefined if none may be sent. */
export function errorResponseFor(
  messageKind: MessageKind,
  id: RequestId | null,
  code: number,
  message: string,
  options: ErrorResponseOptions,
): ErrorResponse | undefined {
  if (messageKind === "response" || messageKind === "notification")
    return undefined;
  return errorResponse(
    id ?? (options.unreadableId === "absent" ? undefined : null),
    { code, message },
  );
}

/**
 * The result for a text that is too deep to be parsed. It includes the id, so that the caller does not wait without
 * success.
 */
function invalidDepth(
  text: string,
  maxDepth: number,
  options: ErrorResponseOptions,
): Invalid {
  const { messageKind, id } = scanEnvelope(text, true);
  return createInvalid(
    "too-deep",
    `nested deeper than ${maxDepth} levels`,
    messageKind,
    id,
    options,
  );
}

/**
 * Classifies a parsed JSON value, as {@link parseMessage} does for a text. A value that is not a message is returned as
 * {@link Invalid}, with its id and the response to send.
 *
 * @param value - Any JSON value, such as a frame that `pipe` passes to `onFrame`.
 */
export function classifyMessage<C extends Classification>(
  value: unknown,
  options: ParseOptions<C>,
): Parsed<C> {
  const classified = options.classify(value);
  switch (classified.kind) {
    case "batch":
      // Only a revision with batches classifies a value as one, and then they are part of the result's type.
      return classifyBatch(classified.messages, options) as Parsed<C>;
    case "invalid":
      return diagnoseInvalid(value, classified.reason, options);
    default:
      return rejectUnsafeId(classified as ClassifiedMessage<C>, options);
  }
}

function rejectUnsafeId<C extends Classification>(
  classified: ClassifiedMessage<C>,
  options: ErrorResponseOptions,
): ClassifiedMessage<C> | Invalid {
  const { kind, message }: ClassifiedMessage = classified;
  if (
    kind === "notification" ||
    typeof message.id !== "number" ||
    Number.isSafeInteger(message.id)
  )
    return classified;
  return invalidId(kind === "request" ? "request" : "response", options);
}

/** The result for a message whose id is an unsafe integer. */
export function invalidId(
  messageKind: MessageKind,
  options: ErrorResponseOptions,
): Invalid {
  return createInvalid(
    "unsafe-id",
    "the id is an integer beyond 2^53 - 1, which JavaScript cannot represent exactly",
    messageKind,
    null,
    options,
  );
}

function diagnoseInvalid<C extends Classification>(
  value: unknown,
  reason: string,
  options: ParseOptions<C>,
): ClassifiedMessage<C> | Invalid {
  const messageKind = messageKindOf(value);
  const id = readId(value);
  if (messageKind === "request" || messageKind === "notification") {
    const { params, ...rest } = value as { readonly params?: unknown };
    // If it is a message without its params, only the params are wrong.
    const withoutParams = options.classify(rest);
    if (
      withoutParams.kind === "request" ||
      withoutParams.kind === "notification"
    ) {
      if (params === null && options.nullParamsAsAbsent === true) {
        options.onTolerated?.("nullParamsAsAbsent", id);
        return rejectUnsafeId<C>(
          withoutParams as ClassifiedMessage<C>,
          options,
        );
      }
      return createInvalid("params", reason, messageKind, id, options);
    }
  }
  if (messageKind === "response" && options.nullErrorAsAbsent === true) {
    const { error, ...rest } = value as { readonly error?: unknown };
    const without = error === null ? options.classify(rest) : undefined;
    if (without?.kind === "result") {
      options.onTolerated?.("nullErrorAsAbsent", id);
      return rejectUnsafeId<C>(without as ClassifiedMessage<C>, options);
    }
  }
  return createInvalid("envelope", reason, messageKind, id, options);
}

function classifyBatch<C extends Classification>(
  values: readonly unknown[],
  options: ParseOptions<C>,
): ParsedBatch<C> | Invalid {
  const maxBatch = options.maxBatch ?? DEFAULT_MAX_BATCH;
  if (values.length > maxBatch) {
    return createInvalid(
      "batch",
      `a batch of more than ${maxBatch} messages`,
      messageKindOf(values),
      null,
      options,
    );
  }
  const members = values.map((value) => classifyBatchMember(value, options));
  const messageKinds = members.map((member) =>
    member.kind === "invalid"
      ? member.messageKind
      : messageKindOf(member.message),
  );
  if (!messageKinds.includes("response")) return { kind: "batch", members };
  if (
    messageKinds.some(
      (messageKind) =>
        messageKind === "request" || messageKind === "notification",
    )
  ) {
    return createInvalid(
      "batch",
      "responses in one batch with requests or notifications",
      "unknown",
      null,
      options,
    );
  }
  // It is the response to one of our batches, and responses are never answered.
  return {
    kind: "batch",
    members: members.map((member) =>
      member.kind === "invalid"
        ? { ...member, errorResponse: undefined }
        : member,
    ),
  };
}

function classifyBatchMember<C extends Classification>(
  value: unknown,
  options: ParseOptions<C>,
): ClassifiedMessage<C> | Invalid {
  const classified = options.classify(value);
  if (classified.kind === "batch")
    return createInvalid(
      "batch",
      "a batch inside a batch",
      messageKindOf(value),
      null,
      options,
    );
  if (classified.kind === "invalid")
    return diagnoseInvalid(value, classified.reason, options);
  const message = rejectUnsafeId(classified as ClassifiedMessage<C>, options);
  if (message.kind === "invalid") return message;
  const reason = options.refuseInBatch?.(message);
  return reason === undefined
    ? message
    : createInvalid(
        "batch",
        reason,
        messageKindOf(value),
        readId(value),
        options,
      );
}

function readId(value: unknown): RequestId | null {
  if (typeof value !== "object" || value === null || !("id" in value))
    return null;
  return isRequestId(value.id) ? value.id : null;
}

function messageKindOf(value: unknown): MessageKind {
  if (!Array.isArray(value)) return kindOfSingleMessage(value);
  // Batches inside a batch are always invalid, so this checks one level only.
  return value.length > 0 &&
    value.every((item) => kindOfSingleMessage(item) === "response")
    ? "response"
    : "unknown";
}

function kindOfSingleMessage(value: unknown): MessageKind {
  if (typeof value !== "object" || value === null) return "unknown";
  if (!("method" in value))
    return "result" in value || "error" in value ? "response" : "unknown";
  if ("id" in value) return "request";
  // Only an unambiguous notification gets no response; JSON-RPC requires a null id for everything else.
  const { jsonrpc, method } = value as {
    readonly jsonrpc?: unknown;
    readonly method: unknown;
  };
  const isCall =
    jsonrpc === "2.0" &&
    typeof method === "string" &&
    !("result" in value) &&
    !("error" in value);
  return isCall ? "notification" : "unknown";
}

function createInvalid(
  invalidCode: InvalidCode,
  reason: string,
  messageKind: MessageKind,
  id: RequestId | null,
  options: ErrorResponseOptions,
): Invalid {
  const [code, title] = rpcErrorFor(invalidCode);
  return {
    kind: "invalid",
    code: invalidCode,
    reason,
    messageKind,
    id,
    errorResponse: errorResponseFor(
      messageKind,
      id,
      code,
      `${title}: ${reason}`,
      options,
    ),
  };
}

function rpcErrorFor(
  invalidCode: InvalidCode,
): readonly [code: number, title: string] {
  switch (invalidCode) {
    case "not-json":
    case "not-utf8":
      return [STANDARD_ERROR_CODES.PARSE_ERROR, "Parse error"];
    case "params":
      return [STANDARD_ERROR_CODES.INVALID_PARAMS, "Invalid params"];
    default:
      // This includes too-deep: the JSON may be well-formed, and the limit is ours.
      return [STANDARD_ERROR_CODES.INVALID_REQUEST, "Invalid Request"];
  }
}

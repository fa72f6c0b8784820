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

/** What a revision's `classify` says of a value. `batch` is there only if the revision has batches. */
export type Classification =
  | { readonly kind: "request"; readonly message: Request }
  | { readonly kind: "notification"; readonly message: Notification }
  | { readonly kind: "result"; readonly message: ResultResponse }
  | { readonly kind: "error"; readonly message: ErrorResponse }
  | { readonly kind: "batch"; readonly messages: readonly unknown[] }
  | { readonly kind: "invalid"; readonly reason: string };

/** The single messages among what `classify` may say. */
export type ClassifiedMessage<C extends Classification = Classification> =
  Extract<C, { readonly message: unknown }>;

/** Why a text is no message. */
export type InvalidCode =
  /** The text is not JSON. */
  | "not-json"
  /** The bytes are not UTF-8. */
  | "not-utf8"
  /** Nested deeper than the limit. */
  | "too-deep"
  /** The id is an integer that JavaScript rounds, so that no answer could bear it. */
  | "unsafe-id"
  /** All is right but `params`, which is not an object. */
  | "params"
  /** No JSON-RPC message of this revision. */
  | "envelope"
  /** A batch that is no batch, or a message that may not be in one. */
  | "batch";

/** What is no message, and what to do about it. */
export interface Invalid {
  readonly kind: "invalid";
  readonly code: InvalidCode;
  /** For people; no part of it is the sender's. */
  readonly reason: string;
  /**
   * What it was meant to be, as far as that shows. A `response` with an id is the broken answer to a call of ours, which
   * will get no other: fail that call.
   */
  readonly messageKind: MessageKind;
  /** The id, if it can be read. */
  readonly id: RequestId | null;
  /** The answer that JSON-RPC wants; undefined if there must be none, because nobody answers responses and notifications. */
  readonly errorResponse: ErrorResponse | undefined;
}

/** The members of a batch, each judged on its own: requests and notifications, or responses only, and invalid ones. */
export interface ParsedBatch<C extends Classification = Classification> {
  readonly kind: "batch";
  readonly members: readonly (ClassifiedMessage<C> | Invalid)[];
}

/** What {@link parseMessage} makes of a text: a message, a batch where the revision has them, or why it is neither. */
export type Parsed<C extends Classification = Classification> =
  | ClassifiedMessage<C>
  | ([Extract<C, { readonly kind: "batch" }>] extends [never]
      ? never
      : ParsedBatch<C>)
  | Invalid;

/** The options that tolerate something, by name. */
export type ToleratedDeviation = "nullParamsAsAbsent" | "nullErrorAsAbsent";

/** How {@link parseMessage} reads. */
export interface ParseOptions<C extends Classification = Classification> {
  /** The revision's own; the rules of envelopes are there and only there. */
  readonly classify: (value: unknown) => C;
  /** How many arrays and objects may be inside one another; 256 by default. */
  readonly maxDepth?: number;
  /** How many members a batch may have; 1000 by default, since each invalid one is answered with more than it took. */
  readonly maxBatch?: number;
  /** Says why a message must not be in a batch, or undefined if it may: for rules that look at the method. */
  readonly refuseInBatch?: (
    message: ClassifiedMessage<C>,
  ) => string | undefined;
  /** Reads `params: null` as absent params, which some peers write. Off by default. */
  readonly nullParamsAsAbsent?: boolean;
  /** Reads `error: null` next to a result as an absent error, which some peers write. Off by default. */
  readonly nullErrorAsAbsent?: boolean;
  /** Called for each message that is accepted only because an option tolerates what is wrong with it. */
  readonly onTolerated?: (
    deviation: ToleratedDeviation,
    id: RequestId | null,
  ) => void;
  /** What an answer bears whose id could not be read: `null` as JSON-RPC wants it (the default), or no member. */
  readonly unreadableId?: "null" | "absent";
}

const DEFAULT_MAX_BATCH = 1000;

/** How {@link readJson} reads. */
export type JsonOptions = Pick<ParseOptions, "maxDepth" | "unreadableId">;

/**
 * Reads one JSON text within the limits, whatever it holds: the layer below {@link parseMessage}, for transports that do
 * not know the revision. Never throws.
 *
 * @param input - Text, or bytes in UTF-8, where a byte order mark at the start is passed over.
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
 * Reads one message. Never throws: what is no message comes back as {@link Invalid}, with the answer that it deserves.
 *
 * No object in it has a `__proto__` of the sender's: such members are dropped, at any depth and however they are
 * written. Everything else is as `JSON.parse` reads it.
 *
 * @param input - Text, or bytes in UTF-8, where a byte order mark at the start is passed over.
 */
export function parseMessage<C extends Classification>(
  input: string | Uint8Array,
  options: ParseOptions<C>,
): Parsed<C> {
  const read = readJson(input, options);
  return read.kind === "value" ? classifyMessage(read.value, options) : read;
}

/**
 * The answer to a batch: an array of all answers, in the order in which they are given, which may be any.
 *
 * @param answers - One for each request, and those of invalid members; undefined for members that get none.
 * @returns Undefined if there is nothing to answer, as for a batch of notifications: then nothing may be sent.
 */
export function collectBatchResponse(
  answers: Iterable<Response | undefined>,
): Response[] | undefined {
  const responses = [...answers].filter(
    (answer): answer is Response => answer !== undefined,
  );
  return responses.length === 0 ? undefined : responses;
}

/** The verdict on a line that is not UTF-8. */
export function invalidUtf8(options: ErrorResponseOptions): Invalid {
  return createInvalid(
    "not-utf8",
    "the bytes are not UTF-8",
    "unknown",
    null,
    options,
  );
}

/** What of the options says how to answer. */
export type ErrorResponseOptions = Pick<ParseOptions, "unreadableId">;

/** The ready answer to what is no message, or undefined if there must be none. */
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

/** The verdict on a message that is not parsed. It gets its id all the same, so that nobody waits for it in vain. */
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

/** Judges a JSON value that is parsed already, as {@link parseMessage} does with a text. */
export function classifyMessage<C extends Classification>(
  value: unknown,
  options: ParseOptions<C>,
): Parsed<C> {
  const classified = options.classify(value);
  switch (classified.kind) {
    case "batch":
      // Only a revision whose classify knows batches gets here, and then they are part of the result's type.
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
  const messageKind = kind === "request" ? "request" : "response";
  return createInvalid(
    "unsafe-id",
    "the id is an integer beyond 2^53 - 1, which is not kept exactly",
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
    // If it is a message without its params, they alone are to blame.
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
  // It is the answer to a batch of ours, and nobody answers answers.
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
  // A batch inside a batch is nothing, so this goes one level down only.
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
  // Only what is a notification beyond doubt goes unanswered; JSON-RPC answers the rest with a null id.
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
      // Too deep as well: the JSON may be well formed, the limit is ours.
      return [STANDARD_ERROR_CODES.INVALID_REQUEST, "Invalid Request"];
  }
}

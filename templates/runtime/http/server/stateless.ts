import { SERVER_BUSY } from "../../jsonrpc/endpoint.js";
import { isObject, metaOf } from "../../jsonrpc/envelope.js";
import { STANDARD_ERROR_CODES } from "../../jsonrpc/error-codes.js";
import type { ErrorObject } from "../../jsonrpc/message.js";
import { classifyMessage } from "../../jsonrpc/parse.js";
import {
  truncate,
  META_KEYS,
  STATELESS_ERROR_CODES,
  newestRevision,
  versionOf,
} from "../../protocol/revision.js";
import type { Revision } from "../../protocol/revision.js";
import { headerMismatch, HTTP_HEADERS } from "../headers.js";
import {
  isListenRequest,
  isRequestWithInvalidParams,
  metaVersionOf,
} from "./context.js";
import type { HttpContext, PostedRequest } from "./context.js";
import { STREAM_NOT_ACCEPTED } from "./error-response.js";
import { ParamHeaders } from "./param-headers.js";
import type { Responder } from "./responder.js";
import type { SingleRequests } from "./single-requests.js";
import type { AnyServer } from "./types.js";

/**
 * Serves stateless revisions: each POST is self-contained.
 *
 * A request reaches the server only after its headers were compared with its body.
 * Nothing is kept from one request to the next except the header parameters of tools.
 */
export class StatelessEndpoint {
  readonly #responder: Responder;
  readonly #singleRequests: SingleRequests;
  readonly #paramHeaders = new ParamHeaders();

  constructor(responder: Responder, singleRequests: SingleRequests) {
    this.#responder = responder;
    this.#singleRequests = singleRequests;
  }

  /** Serves one message (MCP 2026-07-28, Streamable HTTP). */
  async post(
    context: HttpContext,
    value: unknown,
    server: AnyServer,
    revisions: readonly Revision[],
  ): Promise<void> {
    const { call, headers } = context;
    const metaVersion = metaVersionOf(value);
    const revision =
      revisions.find(({ version }) => version === metaVersion) ??
      newestRevision(revisions);
    const parsed = classifyMessage(value, { classify: revision.classify });
    const isRequest =
      parsed.kind === "request" || isRequestWithInvalidParams(parsed);
    if (!isRequest && parsed.kind === "invalid") {
      this.#responder.refuseInvalid(context, parsed, revision.version);
      return;
    }
    if (!isRequest && parsed.kind !== "notification") {
      this.#responder.refuse(
        call,
        headers,
        400,
        "Invalid Request: clients send no responses in this revision",
      );
      return;
    }
    // MCP 2026-07-28, subscriptions: the response is a stream from its first message on.
    if (
      isListenRequest(value) &&
      this.#responder.refuseIfDraining(call, headers)
    )
      return;
    if (context.isJsonOnly && isListenRequest(value)) {
      const { id } = value as PostedRequest;
      this.#responder.refuse(
        call,
        headers,
        406,
        STREAM_NOT_ACCEPTED,
        undefined,
        id,
      );
      return;
    }
    if (isRequest) {
      const mismatch = await this.#findHeaderMismatch(
        context,
        value as PostedRequest,
        server,
        revisions,
      );
      if (mismatch !== undefined) {
        const { code, message, data } = mismatch;
        const { id } = value as PostedRequest;
        this.#responder.refuse(call, headers, 400, message, code, id, data);
        return;
      }
    }
    const status = hasRequiredMeta(value) ? statusOf : statusOfIncompleteMeta;
    await this.#singleRequests.serve(
      context,
      value,
      server,
      revision.version,
      isRequest,
      status,
    );
  }

  /** What is wrong with the headers of a request (MCP 2026-07-28, Streamable HTTP, Server Validation). */
  async #findHeaderMismatch(
    { call, auth }: HttpContext,
    request: PostedRequest,
    server: AnyServer,
    revisions: readonly Revision[],
  ): Promise<ErrorObject | undefined> {
    const version = call.header("mcp-protocol-version");
    const metaVersion = metaVersionOf(request);
    if (typeof metaVersion !== "string") {
      // An older client shows its user only this error.
      if (version !== undefined || request.method === "initialize")
        return undefined;
      return headerMismatchError(
        `${HTTP_HEADERS.PROTOCOL_VERSION} is missing; this server supports ${revisions.map(versionOf).join(", ")}`,
      );
    }
    const revision = revisions.find((item) => item.version === metaVersion);
    if (revision === undefined && metaVersion === version) {
      const supported = revisions.map(versionOf);
      return {
        code: STATELESS_ERROR_CODES.UNSUPPORTED_VERSION,
        message: `Unsupported protocol version; this server supports ${supported.join(", ")}`,
        data: { supported, requested: truncate(metaVersion) },
      };
    }
    const pendingParams = this.#paramHeaders.forRequest(
      server,
      revision ?? newestRevision(revisions),
      request,
      {
        principal: auth?.principal,
      },
    );
    const params =
      pendingParams instanceof Promise ? await pendingParams : pendingParams;
    const reason = headerMismatch(
      (name) => call.header(name.toLowerCase()) ?? null,
      request,
      params,
    );
    return reason === undefined ? undefined : headerMismatchError(reason);
  }
}

function headerMismatchError(reason: string): ErrorObject {
  return {
    code: STATELESS_ERROR_CODES.HEADER_MISMATCH,
    message: `Header mismatch: ${reason}`,
  };
}

/** Whether a request has the members that every request must have (MCP 2026-07-28, Basic, `_meta`). */
function hasRequiredMeta(value: unknown): boolean {
  const meta = metaOf(value);
  return (
    typeof meta?.[META_KEYS.VERSION] === "string" &&
    isObject(meta[META_KEYS.CLIENT_CAPABILITIES])
  );
}

/** The status of an error response (MCP 2026-07-28, Streamable HTTP and Basic). */
function statusOf(code: number): number {
  switch (code) {
    case STANDARD_ERROR_CODES.METHOD_NOT_FOUND:
      return 404;
    case STANDARD_ERROR_CODES.PARSE_ERROR:
    case STANDARD_ERROR_CODES.INVALID_REQUEST:
    case STATELESS_ERROR_CODES.HEADER_MISMATCH:
    case STATELESS_ERROR_CODES.MISSING_CLIENT_CAPABILITY:
    case STATELESS_ERROR_CODES.UNSUPPORTED_VERSION:
      return 400;
    case SERVER_BUSY:
      return 503;
    default:
      return 200;
  }
}

/** The same for a request without the required `_meta`. */
function statusOfIncompleteMeta(code: number): number {
  return code === STANDARD_ERROR_CODES.INVALID_PARAMS ? 400 : statusOf(code);
}

/** The context of a handler, for one request. */
import { META_KEYS, maySend } from "../protocol/revision.js";
import type { Implementation, Revision } from "../protocol/revision.js";
import type { RequestStateSigner } from "../protocol/request-state.js";
import { isPromiseLike } from "../jsonrpc/endpoint.js";
import type { CallOptions, InboundRequest } from "../jsonrpc/endpoint.js";
import type { Request, RequestId } from "../jsonrpc/message.js";
import type {
  ClientInfo,
  EmbeddedRequest,
  HandlerContext,
  RequestHandler,
} from "./types.js";
import {
  InputRequiredSignal,
  completeResult,
  unwrapInputRequired,
} from "./complete-result.js";
import { missingClientCapability } from "./client-capabilities.js";
import { principalOf } from "../jsonrpc/transport.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { metaOf, paramsOf } from "../jsonrpc/envelope.js";
import { UnsupportedMethodError } from "../jsonrpc/call-errors.js";
import {
  invalidParamsError,
  invalidResultError,
} from "../protocol/invalid-params.js";
import { missingCapabilityError } from "../protocol/missing-capability.js";
import { elicitParamsIn, validateElicited } from "./elicitation.js";

const ELICITATION = "elicitation/create";

/** Notifications that belong to a request; outside of subscriptions, a stateless revision has no others. */
const REQUEST_SCOPED_NOTIFICATIONS: ReadonlySet<string> = new Set([
  "notifications/progress",
  "notifications/message",
]);

/** Notifications of changes, which concern all clients. */
const CHANGE = /\/(?:list_changed|resources\/updated)$/;

/** What a context needs from its session. */
interface ContextSession {
  readonly server: {
    readonly resultMeta: object;
    readonly requestStateSigner: RequestStateSigner | undefined;
    broadcast(
      method: string,
      params?: object,
      origin?: { readonly session: object; readonly id: RequestId },
    ): void;
  };
  readonly client: ClientInfo;
  request(
    method: string,
    params?: object,
    options?: CallOptions,
  ): Promise<object>;
  notifyForRequest(
    inbound: InboundRequest,
    method: string,
    params: object | undefined,
  ): void;
  wantsLog(revision: Revision, request: Request, level: string): boolean;
}

/** What the client of a stateless request says about itself. */
export function clientInfoOf(request: Request): ClientInfo {
  const meta = metaOf(request) ?? {};
  return {
    info: meta[META_KEYS.CLIENT_INFO] as Implementation | undefined,
    capabilities: meta[META_KEYS.CLIENT_CAPABILITIES] ?? {},
  };
}

/**
 * The context of a handler; one for each request.
 *
 * Progress only increases, and nothing is sent once the request is settled.
 * Answers of earlier rounds come only from signed state; a handler never sees state that this server did not issue.
 */
export class RequestContext implements HandlerContext {
  readonly #session: ContextSession;
  readonly #revision: Revision;
  readonly #inbound: InboundRequest;
  /** Undefined until it is read from a request that says who its client is. */
  #client: ClientInfo | undefined;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #state: unknown;
  /** Of this round and all before it; created on first access, since most handlers do not need it. */
  #inputResponses: Map<string, unknown> | undefined;
  /** The request state that {@link requireInput} returns to the client. */
  #issuedState: string | undefined;

  constructor(
    session: ContextSession,
    revision: Revision,
    inbound: InboundRequest,
  ) {
    this.#session = session;
    this.#revision = revision;
    this.#inbound = inbound;
  }

  get client(): ClientInfo {
    this.#client ??= this.#revision.isStateless
      ? clientInfoOf(this.#inbound.request)
      : this.#session.client;
    return this.#client;
  }

  get id(): RequestId {
    return this.#inbound.request.id;
  }

  get method(): string {
    return this.#inbound.request.method;
  }

  get revision(): string {
    return this.#revision.version;
  }

  get signal(): AbortSignal {
    return this.#inbound.signal;
  }

  get extra(): unknown {
    return this.#inbound.extra;
  }

  get state(): unknown {
    return this.#state;
  }

  /** Runs a handler; if it waits for input, returns the result that requests it. */
  run(handler: RequestHandler, params: object): object | Promise<object> {
    try {
      const outcome = handler(params as never, this as never);
      return isPromiseLike(outcome)
        ? Promise.resolve(outcome).catch(unwrapInputRequired)
        : outcome;
    } catch (error) {
      return unwrapInputRequired(error);
    }
  }

  /** Runs a handler with the state of the previous round. */
  async resume(
    handler: RequestHandler,
    params: Record<string, unknown>,
  ): Promise<object> {
    const { server } = this.#session;
    const { requestState } = params;
    const previous =
      typeof requestState === "string"
        ? await server.requestStateSigner?.verify(
            requestState,
            this.method,
            params,
            principalOf(this.extra),
          )
        : undefined;
    if (previous === undefined) {
      throw new RpcError(
        STANDARD_ERROR_CODES.INVALID_PARAMS,
        "Invalid params: the request state was not issued by this server for this request, or has expired",
        {
          path: "/requestState",
        },
      );
    }
    this.#state = previous.state;
    const handlerParams = previous.isHandlerState
      ? { ...params, requestState: previous.state }
      : params;
    this.#inputResponses = new Map(
      Object.entries({
        ...previous.answers,
        ...(params["inputResponses"] as object | undefined),
      }),
    );
    const result = await this.run(handler, handlerParams);
    return this.completeResult(result);
  }

  /** Adds what a stateless revision requires of a result. */
  completeResult(result: object): object | Promise<object> {
    const { resultMeta, requestStateSigner } = this.#session.server;
    const completed = completeResult(
      this.#revision,
      this.method,
      result,
      resultMeta,
    ) as {
      readonly inputRequests?: unknown;
      readonly requestState?: unknown;
      readonly resultType?: unknown;
    };
    const { requestState: state, resultType } = completed;
    if (resultType !== "input_required") return completed;
    // MCP 2026-07-28, multi round-trip requests: a client cannot continue from a result with neither.
    if (state === undefined && completed.inputRequests === undefined)
      throw new TypeError(
        "a result that requires input has neither inputRequests nor requestState",
      );
    if (
      state === undefined ||
      state === this.#issuedState ||
      requestStateSigner === undefined
    )
      return completed;
    // State that a handler sets itself is protected too.
    return requestStateSigner
      .sign(
        this.method,
        paramsOf(this.#inbound.request),
        {
          state,
          answers: Object.fromEntries(this.#knownResponses()),
          isHandlerState: true,
        },
        principalOf(this.extra),
      )
      .then((requestState) => ({ ...completed, requestState }));
  }

  // Bound functions, since a handler may destructure the context: `(args, { progress }) => ...`. Each is created when it
  // is read, since most handlers need few of them.
  get progress(): HandlerContext["progress"] {
    return (progress, total, message): void => {
      const token = metaOf(this.#inbound.request)?.["progressToken"];
      // MCP, progress: only if requested, and always increasing. JSON has no infinite numbers.
      if (
        (typeof token !== "string" && !Number.isFinite(token)) ||
        !Number.isFinite(progress) ||
        !(progress > this.#lastProgress)
      )
        return;
      this.#lastProgress = progress;
      this.#session.notifyForRequest(this.#inbound, "notifications/progress", {
        progressToken: token,
        progress,
        ...(Number.isFinite(total) ? { total } : {}),
        ...(message === undefined ? {} : { message }),
      });
    };
  }

  get log(): HandlerContext["log"] {
    return (level, data, logger): void => {
      if (!this.#session.wantsLog(this.#revision, this.#inbound.request, level))
        return;
      this.#session.notifyForRequest(this.#inbound, "notifications/message", {
        level,
        ...(logger === undefined ? {} : { logger }),
        data,
      });
    };
  }

  get notify(): HandlerContext["notify"] {
    return (method, params): void => {
      if (!maySend(this.#revision, "server", "notification", method)) {
        throw new UnsupportedMethodError(method, this.revision);
      }
      const level = (params as { readonly level?: unknown } | undefined)?.level;
      if (
        method === "notifications/message" &&
        !this.#session.wantsLog(
          this.#revision,
          this.#inbound.request,
          String(level),
        )
      )
        return;
      if (CHANGE.test(method))
        this.#session.server.broadcast(method, params, {
          session: this.#session,
          id: this.id,
        });
      else if (
        !this.#revision.isStateless ||
        REQUEST_SCOPED_NOTIFICATIONS.has(method) ||
        this.#revision.requestScoped?.includes(method) === true
      )
        this.#session.notifyForRequest(this.#inbound, method, params);
    };
  }

  get request(): HandlerContext["request"] {
    return (method, params, options): Promise<object> => {
      if (this.#revision.isStateless)
        return Promise.reject(
          new UnsupportedMethodError(method, this.revision),
        );
      return this.#session.request(method, params, {
        signal: this.signal,
        ...options,
        relatedRequestId: this.id,
      });
    };
  }

  get sampling(): HandlerContext["sampling"] {
    return (params, options): Promise<object> =>
      this.request("sampling/createMessage", params, options);
  }

  get elicitation(): HandlerContext["elicitation"] {
    return async (params, options): Promise<object> => {
      const sent = elicitParamsIn(this.revision, params);
      const result = await this.request(ELICITATION, sent, options);
      const outcome = await validateElicited(params, result, "");
      if (!outcome.success)
        throw invalidResultError(ELICITATION, outcome.failure);
      return outcome.value;
    };
  }

  get roots(): HandlerContext["roots"] {
    return (params, options): Promise<object> =>
      this.request("roots/list", params, options);
  }

  #knownResponses(): Map<string, unknown> {
    const given = paramsOf(this.#inbound.request)["inputResponses"];
    this.#inputResponses ??= new Map(
      Object.entries((given ?? {}) as Record<string, unknown>),
    );
    return this.#inputResponses;
  }

  get requireInput(): HandlerContext["requireInput"] {
    return async (
      requests: Readonly<Record<string, EmbeddedRequest>>,
      state?: unknown,
    ): Promise<Record<string, object>> => {
      if (!this.#revision.isStateless) return this.#requestInput(requests);
      const responses = this.#knownResponses();
      const missing: Record<string, EmbeddedRequest> = {};
      const answers: (readonly [string, object])[] = [];
      for (const [key, request] of Object.entries(requests)) {
        const info = this.#revision.embedded[request.method];
        if (info === undefined)
          throw new UnsupportedMethodError(request.method, this.revision);
        const response = responses.get(key);
        if (response === undefined) {
          this.#checkCapability(request, info.capabilities);
          missing[key] =
            request.method === ELICITATION
              ? {
                  ...request,
                  params: elicitParamsIn(this.revision, request.params ?? {}),
                }
              : request;
          continue;
        }
        answers.push([key, await this.validInput(key, request, response)]);
      }
      if (Object.keys(missing).length === 0) return Object.fromEntries(answers);
      const params = paramsOf(this.#inbound.request);
      const previousResponses = Object.fromEntries(responses);
      this.#issuedState = await this.#session.server.requestStateSigner?.sign(
        this.method,
        params,
        {
          state: state ?? this.#state,
          answers: previousResponses,
          isHandlerState: false,
        },
        principalOf(this.extra),
      );
      throw new InputRequiredSignal({
        resultType: "input_required",
        inputRequests: missing,
        requestState: this.#issuedState,
      });
    };
  }

  /** @internal See {@link InputValidator}. */
  async validInput(
    key: string,
    request: EmbeddedRequest,
    response: unknown,
  ): Promise<object> {
    const path = `/inputResponses/${key}`;
    const outcome = this.#revision.embedded[request.method]?.validateResult(
      response,
    ) ?? { success: true, value: response };
    const checked =
      outcome.success && request.method === ELICITATION
        ? await validateElicited(request.params ?? {}, response as object, path)
        : outcome;
    if (!checked.success) throw invalidParamsError(checked.failure, path);
    return checked.value as object;
  }

  /** @internal Whether the revision of the request has another request that clients may send. */
  hasRequest(method: string): boolean {
    return maySend(this.#revision, "client", "request", method);
  }

  /** In a stateful revision, input is requested at once, each with a separate request. */
  async #requestInput(
    requests: Readonly<Record<string, EmbeddedRequest>>,
  ): Promise<Record<string, object>> {
    const results = await Promise.all(
      Object.entries(requests).map(
        async ([key, { method, params }]) =>
          [
            key,
            await (method === ELICITATION
              ? this.elicitation(params ?? {})
              : this.request(method, params)),
          ] as const,
      ),
    );
    return Object.fromEntries(results);
  }

  /** MCP 2026-07-28: a server must not request what the client did not declare. */
  #checkCapability(request: EmbeddedRequest, needed: readonly string[]): void {
    const missing = missingClientCapability(
      request.method,
      request.params,
      needed,
      this.client.capabilities,
    );
    if (missing !== undefined) throw missingCapabilityError(missing);
  }
}

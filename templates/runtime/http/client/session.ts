import { isStatelessVersion } from "../../protocol/version-rules.js";
import type { ClientConnectionEvent } from "../../jsonrpc/connection-events.js";
import { isObject, methodOf } from "../../jsonrpc/envelope.js";
import { HttpError } from "../errors.js";
import { HTTP_HEADERS, isSessionId } from "../headers.js";
import { discardBody } from "./fetch.js";
import type { InternalRequests } from "./internal-requests.js";
import { isSessionLost } from "./lost-session.js";
import type { SentRequest } from "./messages.js";
import { POST_HEADERS } from "./requester.js";
import type { HeaderList, Requester } from "./requester.js";

/** Milliseconds that the server may take to end a session. */
const DELETE_TIMEOUT_MS = 2000;
/** Maximum of consecutive sessions in which the server answers no request. */
const MAX_UNUSED_SESSIONS = 3;
/** Milliseconds until the client tries again after so many. */
const RENEWAL_PAUSE_MS = 30_000;
/** Milliseconds that a renewal may take, since all requests wait for it. */
const RENEWAL_TIMEOUT_MS = 60_000;

/** What a session needs from its transport. */
export interface ClientSessionContext {
  readonly requester: Requester;
  readonly internalRequests: InternalRequests;
  /** Aborted when the transport closes. */
  readonly closed: AbortSignal;
  readonly emit: (event: ClientConnectionEvent) => void;
}

/**
 * The session that the server assigned, and the revision that its requests name.
 *
 * At most one renewal runs; requests wait for it, both those that were rejected with the old session and new ones.
 * `#unusedSessions` counts the renewals since a request was answered; past a limit, renewals pause.
 * The id is the one in the newest response to `initialize`, or the lost one after a failed renewal.
 */
export class ClientSession {
  readonly #context: ClientSessionContext;
  #id: string | undefined;
  #protocolVersion: string | undefined;
  #isStateless = false;
  #initializeRequest: SentRequest | undefined;
  #renewal: Promise<void> | undefined;
  #renewals = 0;
  #unusedSessions = 0;
  #lastRenewalAt = 0;

  constructor(context: ClientSessionContext) {
    this.#context = context;
  }

  get id(): string | undefined {
    return this.#id;
  }

  /** Whether the agreed revision has no sessions; false until a revision is agreed. */
  get isStateless(): boolean {
    return this.#isStateless;
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
    this.#isStateless = isStatelessVersion(version);
  }

  /** Resolves when no renewal runs, whether it succeeded or not; undefined if that is now. */
  get renewed(): Promise<void> | undefined {
    return this.#renewal?.catch(() => undefined);
  }

  /** Called when the server answers a request of the session. */
  noteAnswer(): void {
    this.#unusedSessions = 0;
  }

  /** Remembers the request that starts a session, to renew it. */
  rememberInitialize(request: SentRequest): void {
    this.#initializeRequest = request;
  }

  /**
   * Reads the id from the response to `initialize`, the only one that has it (MCP, Streamable HTTP, session
   * management).
   *
   * @throws HttpError if the id has invalid characters.
   */
  saveId(response: Response): void {
    const id = response.headers.get(HTTP_HEADERS.SESSION_ID) ?? undefined;
    if (id !== undefined && !isSessionId(id)) {
      discardBody(response);
      throw this.#context.requester.createError(
        response,
        `the session id ${JSON.stringify(id.slice(0, 60))} is invalid`,
      );
    }
    this.#id = id;
  }

  /** The headers that name the revision and the session. */
  get headers(): HeaderList {
    const headers: (readonly [string, string])[] = [];
    if (this.#protocolVersion !== undefined)
      headers.push([HTTP_HEADERS.PROTOCOL_VERSION, this.#protocolVersion]);
    if (this.#id !== undefined)
      headers.push([HTTP_HEADERS.SESSION_ID, this.#id]);
    return headers;
  }

  /** The headers of a POST whose message does not name its revision itself. */
  postHeaders(message: object): HeaderList {
    const method = methodOf(message);
    if (method === "initialize") return POST_HEADERS;
    return this.#isStateless
      ? [...POST_HEADERS, [HTTP_HEADERS.METHOD, method ?? ""], ...this.headers]
      : [...POST_HEADERS, ...this.headers];
  }

  /**
   * Starts a new session if the server has lost the one of a request (MCP 2025-11-25, Streamable HTTP, session
   * management).
   *
   * @param text - The body of the response.
   * @param id - The session of the request.
   * @returns Whether there is a new one, so that the request may be retried.
   */
  async renewIfLost(
    response: Response,
    text: string,
    id: string | undefined,
  ): Promise<boolean> {
    if (id === undefined || !isSessionLost(response.status, text)) return false;
    if (
      this.#initializeRequest === undefined ||
      this.#context.requester.postUrl !== undefined
    )
      return false;
    // Another request may have renewed it meanwhile.
    if (this.#renewal === undefined && id !== this.#id) return true;
    if (this.#renewal === undefined && this.#isPaused(response)) return false;
    this.#renewal ??= this.#renewInTime(this.#initializeRequest).finally(() => {
      this.#renewal = undefined;
    });
    await this.#renewal;
    return true;
  }

  /** Whether the server has lost too many sessions in a row, so that a further one would be of no use now. */
  #isPaused(response: Response): boolean {
    if (this.#unusedSessions < MAX_UNUSED_SESSIONS) return false;
    if (performance.now() - this.#lastRenewalAt > RENEWAL_PAUSE_MS) {
      this.#unusedSessions = 0;
      return false;
    }
    // Reported once.
    if (this.#unusedSessions === MAX_UNUSED_SESSIONS) {
      this.#unusedSessions += 1;
      const error = this.#context.requester.createError(
        response,
        `the server has lost ${MAX_UNUSED_SESSIONS} new sessions in a row`,
      );
      this.#context.emit({ kind: "gaveUp", error });
    }
    return true;
  }

  async #renewInTime(request: SentRequest): Promise<void> {
    const { closed, requester } = this.#context;
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort(closed.reason);
    };
    closed.addEventListener("abort", abort, { once: true });
    const timer = setTimeout(() => {
      controller.abort(
        new HttpError(`no new session within ${RENEWAL_TIMEOUT_MS} ms`, {
          method: "POST",
          url: requester.url,
        }),
      );
    }, RENEWAL_TIMEOUT_MS);
    try {
      await this.#renew(request, controller.signal);
    } finally {
      clearTimeout(timer);
      closed.removeEventListener("abort", abort);
    }
  }

  async #renew({ params }: SentRequest, signal: AbortSignal): Promise<void> {
    const { requester, internalRequests, emit } = this.#context;
    const lost = this.#id;
    this.#id = undefined;
    this.#renewals += 1;
    this.#unusedSessions += 1;
    this.#lastRenewalAt = performance.now();
    try {
      const { result } = await internalRequests.send({
        request: {
          jsonrpc: "2.0",
          id: `session-${this.#renewals}`,
          method: "initialize",
          ...(params === undefined ? {} : { params }),
        },
        headers: POST_HEADERS,
        signal,
        onResponse: (response) => {
          this.saveId(response);
        },
      });
      this.#checkVersion(
        isObject(result) ? result["protocolVersion"] : undefined,
      );
    } catch (error) {
      this.#id = lost;
      throw error;
    }
    const initialized = {
      jsonrpc: "2.0",
      method: "notifications/initialized",
    };
    const response = await requester.fetch(
      "POST",
      this.postHeaders(initialized),
      signal,
      initialized,
    );
    discardBody(response);
    emit({ kind: "sessionRenewed", sessionId: this.#id });
  }

  /** A new session continues in the revision of the old one. */
  #checkVersion(version: unknown): void {
    if (
      this.#protocolVersion !== undefined &&
      version !== this.#protocolVersion
    )
      throw new HttpError(
        `the server has lost the session, and chose ${String(version).slice(0, 60)} instead of ${this.#protocolVersion} for a new one`,
        { method: "POST", url: this.#context.requester.url, status: 404 },
      );
  }

  /** Asks the server to end the session. */
  async end(): Promise<void> {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort();
    }, DELETE_TIMEOUT_MS);
    try {
      discardBody(
        await this.#context.requester.fetch(
          "DELETE",
          this.headers,
          controller.signal,
        ),
      );
    } catch {
      // The server ends the session eventually; a caller that closes cannot use the error.
    } finally {
      clearTimeout(timer);
    }
  }
}

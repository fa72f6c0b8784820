import { methodOf } from "../../jsonrpc/envelope.js";
import { HTTP_HEADERS } from "../headers.js";
import type { Auth } from "./auth.js";
import type { RetainedBody } from "./bodies.js";
import type { Caller } from "./callers.js";
import type { HttpContext } from "./context.js";
import type { ResumeLimits } from "./event-buffer.js";
import type { Responder } from "./responder.js";
import { CallerResumeBudget, ResumeBudget } from "./resume-budget.js";
import type { ServerSource } from "./server-source.js";
import { HttpSession } from "./session.js";
import type { SessionHost } from "./session.js";
import type { ResumabilityOptions, SessionOptions } from "./types.js";

const MIB = 1024 * 1024;
const IDLE_TIMEOUT_MS = 30 * 60_000;
const MAX_SESSIONS = 10_000;
/** Milliseconds within which a new session must be used. */
const FIRST_USE_TIMEOUT_MS = 60_000;

/**
 * The sessions of stateful revisions.
 *
 * A session is stored only after `initialize` succeeded, and removed when it closes.
 * Its caller holds a place from before the server is created until the session is removed, or is not stored after all.
 */
export class SessionStore<A extends Auth = Auth> implements SessionHost {
  readonly resumeLimits: ResumeLimits | undefined;
  /** Maximum of sessions and HTTP+SSE streams. */
  readonly max: number;
  readonly idleTimeout: number;
  readonly #responder: Responder;
  readonly #servers: ServerSource<A>;
  readonly #resumeBudget: ResumeBudget;
  readonly #resumeBudgets = new WeakMap<Caller, CallerResumeBudget>();
  readonly #sessions = new Map<string, HttpSession>();
  /** Who opened a session, and with which body if that was large: the session keeps the client's information. */
  readonly #openers = new WeakMap<
    HttpSession,
    { readonly caller: Caller; readonly request: RetainedBody | undefined }
  >();

  constructor(
    responder: Responder,
    servers: ServerSource<A>,
    options: SessionOptions,
    resumability: ResumabilityOptions | false,
  ) {
    this.#responder = responder;
    this.#servers = servers;
    this.max = options.max ?? MAX_SESSIONS;
    this.idleTimeout = options.idleTimeout ?? IDLE_TIMEOUT_MS;
    const { maxTotalBytes = 64 * MIB, ...limits } =
      resumability === false ? {} : resumability;
    this.resumeLimits =
      resumability === false
        ? undefined
        : {
            maxEvents: limits.maxEvents ?? 256,
            maxBytes: limits.maxBytes ?? MIB,
            retry: limits.retry ?? 1000,
          };
    this.#resumeBudget = new ResumeBudget(maxTotalBytes);
  }

  get size(): number {
    return this.#sessions.size;
  }

  get(id: string): HttpSession | undefined {
    return this.#sessions.get(id);
  }

  /** Serves a POST of a stateful revision; `initialize` opens a session. */
  async post(context: HttpContext<A>, value: unknown): Promise<void> {
    const { call, auth, caller } = context;
    const id = call.header("mcp-session-id");
    if (id === undefined && methodOf(value) === "initialize") {
      await this.#open(context, value);
      return;
    }
    const session = this.find(context);
    if (session === undefined) return;
    session.post(call, this.#responder.reply(context), value, {
      auth,
      principal: auth?.principal,
      counter: context.retainedBody ?? caller,
    });
  }

  /**
   * The session that a request names, if it exists and belongs to the caller. Undefined if the request was answered.
   */
  find(context: HttpContext): HttpSession | undefined {
    const { call, headers, auth } = context;
    const id = call.header("mcp-session-id");
    if (id === undefined) {
      this.#responder.refuse(
        call,
        headers,
        400,
        `Bad Request: ${HTTP_HEADERS.SESSION_ID} is missing; a session begins with initialize`,
      );
      return undefined;
    }
    const session = this.#sessions.get(id);
    // A session of another caller is treated as unknown.
    if (session === undefined || session.principal !== auth?.principal) {
      this.#responder.refuseUnknownSession(context);
      return undefined;
    }
    const version = call.header("mcp-protocol-version");
    if (version === undefined || version === session.revision) return session;
    const stateful = session.statefulVersions;
    if (stateful.includes(version)) return session;
    this.#responder.refuse(
      call,
      headers,
      400,
      `Bad Request: ${HTTP_HEADERS.PROTOCOL_VERSION} is not one of ${stateful.join(", ")}`,
    );
    return undefined;
  }

  /** Whether no handler runs in any session. */
  get isIdle(): boolean {
    for (const session of this.#sessions.values())
      if (!session.isIdle) return false;
    return true;
  }

  /** Ends the streams that only listen. */
  endListening(): void {
    for (const session of this.#sessions.values()) session.endListening();
  }

  /** Closes the sessions that have been idle for too long. */
  closeIdle(now: number): void {
    for (const session of [...this.#sessions.values()]) {
      const allowed = session.hasBeenUsed
        ? this.idleTimeout
        : Math.min(this.idleTimeout, FIRST_USE_TIMEOUT_MS);
      if (now - session.lastUsedAt > allowed && !session.isAttached)
        void session.close();
    }
  }

  async close(): Promise<void> {
    for (const session of [...this.#sessions.values()]) await session.close();
  }

  /** @internal */
  onClosed(session: HttpSession): void {
    if (!this.#sessions.delete(session.id)) return;
    const opener = this.#openers.get(session);
    opener?.caller.sessions.release();
    opener?.request?.release();
    this.#responder.emit({
      kind: "sessionClosed",
      sessions: this.#sessions.size,
    });
  }

  async #open(context: HttpContext<A>, value: unknown): Promise<void> {
    const { call, headers, auth, caller } = context;
    if (this.#responder.refuseIfDraining(call, headers)) return;
    if (!caller.sessions.canAcquire(this.max)) {
      this.#responder.refuseBusy(call, headers);
      return;
    }
    let isStored = false;
    caller.sessions.acquire();
    try {
      const server = await this.#servers.forSession(auth);
      if (this.#responder.refuseIfClosed(call, headers)) return;
      const session = await HttpSession.open(
        createSessionId(),
        auth?.principal,
        this,
        this.#resumeBudgetOf(caller),
        server,
      );
      if (this.#responder.refuseIfClosed(call, headers)) {
        await session.close();
        return;
      }
      session.post(call, this.#responder.reply(context), value, {
        auth,
        principal: auth?.principal,
        counter: context.retainedBody ?? caller,
      });
      if (!session.isInitialized) {
        await session.close();
        return;
      }
      this.#openers.set(session, { caller, request: context.retainedBody });
      context.retainedBody?.retain();
      this.#sessions.set(session.id, session);
      isStored = true;
      this.#responder.emit({
        kind: "sessionOpened",
        sessions: this.#sessions.size,
      });
    } finally {
      if (!isStored) caller.sessions.release();
    }
  }

  #resumeBudgetOf(caller: Caller): CallerResumeBudget {
    let budget = this.#resumeBudgets.get(caller);
    if (budget === undefined) {
      budget = new CallerResumeBudget(this.#resumeBudget);
      this.#resumeBudgets.set(caller, budget);
    }
    return budget;
  }
}

/** 32 hexadecimal digits, of which 122 bits are random. */
export function createSessionId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

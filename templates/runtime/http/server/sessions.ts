import { methodOf } from "../../jsonrpc/envelope.js";
import { HTTP_HEADERS } from "../headers.js";
import type { Auth } from "./auth.js";
import type { RetainedBody } from "./bodies.js";
import type { Caller } from "./callers.js";
import type { HttpContext } from "./context.js";
import type { ResumeLimits } from "./event-buffer.js";
import type { SessionRecord } from "../../cluster/types.js";
import type {
  OwnedSession,
  SessionStorage,
} from "./cluster/session-storage.js";
import type { Responder } from "./responder.js";
import { CallerResumeBudget, ResumeBudget } from "./resume-budget.js";
import type { ServerSource } from "./server-source.js";
import { HttpSession } from "./session.js";
import type { SessionHost } from "./session.js";
import { versionOf } from "../../protocol/revision.js";
import type { SavedSession } from "../../server/saved-session.js";
import type {
  AnyServer,
  ResumabilityOptions,
  SessionOptions,
} from "./types.js";

const MIB = 1024 * 1024;
const IDLE_TIMEOUT_MS = 30 * 60_000;
const MAX_SESSIONS = 10_000;
/** Milliseconds within which a new session must be used. */
const FIRST_USE_TIMEOUT_MS = 60_000;

/** Sessions that are handed over at once. */
const MAX_LEAVING = 64;

interface Opener {
  readonly caller: Caller;
  readonly request: RetainedBody | undefined;
}

/**
 * The sessions of stateful revisions.
 *
 * A session is stored only after `initialize` succeeded, and removed when it closes.
 * Its caller holds a place from before the server is created until the session is removed, or is not stored after all.
 */
export class Sessions<A extends Auth = Auth> implements SessionHost {
  readonly resumeLimits: ResumeLimits | undefined;
  /** Maximum of sessions and HTTP+SSE streams. */
  readonly max: number;
  readonly idleTimeout: number;
  /** Where other processes find them; undefined without a cluster. */
  readonly #storage: SessionStorage | undefined;
  readonly #owned = new WeakMap<HttpSession, OwnedSession>();
  readonly #responder: Responder;
  readonly #servers: ServerSource<A>;
  readonly #resumeBudget: ResumeBudget;
  readonly #resumeBudgets = new WeakMap<Caller, CallerResumeBudget>();
  readonly #sessions = new Map<string, HttpSession>();
  readonly #changing = new Set<string>();
  /** Who opened a session, and with which body if that was large: the session keeps the client's information. */
  readonly #openers = new WeakMap<HttpSession, Opener>();

  constructor(
    responder: Responder,
    servers: ServerSource<A>,
    options: SessionOptions,
    resumability: ResumabilityOptions | false,
    cluster?: {
      storage(idleTimeout: number, max: number): SessionStorage;
    },
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
    this.#storage = cluster?.storage(this.idleTimeout, this.max);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Whether a session is being opened or handed over. */
  isChanging(id: string): boolean {
    return this.#changing.has(id);
  }

  get(id: string): HttpSession | undefined {
    return this.#sessions.get(id);
  }

  /** Whether a posted value opens a session. */
  opens({ call }: HttpContext, value: unknown): boolean {
    return (
      call.header("mcp-session-id") === undefined &&
      methodOf(value) === "initialize"
    );
  }

  /** Serves a POST of a session. */
  post(session: HttpSession, context: HttpContext, value: unknown): void {
    const { call, auth, caller } = context;
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
      else void this.#owned.get(session)?.extendIfDue();
    }
  }

  async close(): Promise<void> {
    for (const session of [...this.#sessions.values()])
      if (this.#storage === undefined) await session.close();
      else session.leave();
  }

  /** Ends all sessions here: other processes may own them by now. */
  leaveAll(): void {
    for (const session of [...this.#sessions.values()]) session.leave();
  }

  /** Hands over the sessions without a running handler; resolves when others can take them. */
  async handOverIdle(timeout: number): Promise<void> {
    const leaving: Promise<void>[] = [];
    for (const session of [...this.#sessions.values()]) {
      const owned = this.#owned.get(session);
      if (owned === undefined || !session.isIdle) continue;
      this.#remove(session);
      this.#changing.add(session.id);
      leaving.push(
        owned.handOver(timeout).finally(() => {
          this.#changing.delete(session.id);
        }),
      );
      if (leaving.length >= MAX_LEAVING) break;
    }
    await Promise.allSettled(leaving);
  }

  /**
   * Takes over a session whose owner is gone. Undefined if another process was faster, or the session cannot go on here
   * and was removed.
   *
   * @param owner - The address of this process.
   */
  async adopt(
    former: SessionRecord,
    owner: string,
    { auth, caller }: HttpContext<A>,
  ): Promise<HttpSession | undefined> {
    const storage = this.#storage;
    const taken = await storage?.take(former, owner);
    if (storage === undefined || taken === undefined) return undefined;
    const { record, saved, firstKey, log } = taken;
    const { id, principal } = record;
    try {
      const server = await this.#servers.forSession(auth);
      if (saved === undefined || !canContinue(server, saved)) {
        // Of an older or newer version of the server: its client begins another one.
        await storage.delete(id);
        return undefined;
      }
      const owned = storage.keep(id, principal, owner, record);
      const session = await HttpSession.resume(
        {
          id,
          principal: auth?.principal,
          host: this,
          budget: this.#resumeBudgetOf(caller),
          server,
          journal: owned.journal,
        },
        { saved, firstKey, log },
      );
      caller.sessions.acquire();
      this.#add(session, { caller, request: undefined }, owned);
      if (owned.isCurrent && !this.#responder.isClosed) return session;
      session.leave();
      return undefined;
    } catch (error) {
      await storage.abandon(record);
      throw error;
    }
  }

  /** @internal */
  onClosed(session: HttpSession, hasLeft: boolean): void {
    const owned = this.#owned.get(session);
    if (hasLeft) owned?.stop();
    else if (owned !== undefined) void this.#removeStored(session, owned);
    this.#remove(session);
  }

  /**
   * Ends a session for all processes.
   *
   * @throws StoreError if it may not be removed: it ends here, and lives on for whoever names it next.
   */
  async delete(session: HttpSession): Promise<void> {
    const owned = this.#owned.get(session);
    await session.close();
    if (owned !== undefined) await owned.delete();
  }

  /** Until the store has removed it, this process does not take it over again. */
  async #removeStored(
    session: HttpSession,
    owned: OwnedSession,
  ): Promise<void> {
    this.#changing.add(session.id);
    try {
      await owned.delete();
    } catch {
      // It expires.
    } finally {
      this.#changing.delete(session.id);
    }
  }

  #add(session: HttpSession, opener: Opener, owned?: OwnedSession): void {
    this.#openers.set(session, opener);
    if (owned !== undefined) {
      this.#owned.set(session, owned);
      owned.attach(session);
    }
    this.#sessions.set(session.id, session);
    this.#responder.emit({
      kind: "sessionOpened",
      sessions: this.#sessions.size,
    });
  }

  #remove(session: HttpSession): void {
    if (!this.#sessions.delete(session.id)) return;
    const opener = this.#openers.get(session);
    opener?.caller.sessions.release();
    opener?.request?.release();
    this.#responder.emit({
      kind: "sessionClosed",
      sessions: this.#sessions.size,
    });
  }

  /** Opens a session. Rejects with a StoreError or SessionsFullError if other processes share them. */
  async open(context: HttpContext<A>, value: unknown): Promise<void> {
    const { call, headers, auth, caller } = context;
    if (this.#responder.refuseIfDraining(call, headers)) return;
    if (!caller.sessions.canAcquire(this.max)) {
      this.#responder.refuseBusy(call, headers);
      return;
    }
    let isStored = false;
    caller.sessions.acquire();
    const id = createSessionId();
    this.#changing.add(id);
    try {
      const principal = auth?.principal;
      const owner = await this.#storage?.admit(principal ?? "");
      const owned =
        owner === undefined
          ? undefined
          : this.#storage?.keep(id, principal ?? "", owner);
      const server = await this.#servers.forSession(auth);
      if (this.#responder.refuseIfClosed(call, headers)) return;
      const session = await HttpSession.open({
        id,
        principal,
        host: this,
        budget: this.#resumeBudgetOf(caller),
        server,
        journal: owned?.journal,
      });
      if (this.#responder.refuseIfClosed(call, headers)) {
        await session.close();
        return;
      }
      this.post(session, context, value);
      if (session.saving !== undefined) await session.saving;
      if (!session.isInitialized) {
        await session.close();
        return;
      }
      context.retainedBody?.retain();
      isStored = true;
      this.#add(session, { caller, request: context.retainedBody }, owned);
      if (owned?.isCurrent === false) session.leave();
    } finally {
      this.#changing.delete(id);
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

/** Whether a server can go on with a session that another process had. */
function canContinue(
  { revisions }: AnyServer,
  { revision }: SavedSession,
): boolean {
  return revisions.some(
    (known) => !known.isStateless && versionOf(known) === revision,
  );
}

/** 32 hexadecimal digits, of which 122 bits are random. */
export function createSessionId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

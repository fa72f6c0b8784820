import type { Cluster, SessionRecord } from "../../../cluster/types.js";
import type { Auth } from "../auth.js";
import type { HttpContext } from "../context.js";
import type { Responder } from "../responder.js";
import type { HttpSession } from "../session.js";
import type {
  AnyServer,
  ClusterLimits,
  ClusterMember,
  HttpEvent,
} from "../types.js";
import type { UnreadBudget } from "../unread-budget.js";
import { FanOut } from "./fan-out.js";
import { ForwardedCall } from "./forwarded-call.js";
import { Forwarding } from "./forwarding.js";
import { limitCluster, StoreError } from "./limited-cluster.js";
import { Membership } from "./membership.js";
import { Outbox } from "./outbox.js";
import { SessionsFullError, SessionStorage } from "./session-storage.js";
import { parseMail } from "./wire.js";
import type { CallMessage, WireMessage } from "./wire.js";

const LEASE_MS = 10_000;
/** Milliseconds before the owner of a session is looked up again, while it changes. */
const LOOKUP_PAUSE_MS = 10;
/** The same after several times. */
const MAX_LOOKUP_PAUSE_MS = 160;
/** Owners that are remembered: those of the sessions that were used last. */
const MAX_KNOWN = 10_000;

/** The sessions of this process. */
export interface LocalSessions<A extends Auth> {
  get(id: string): HttpSession | undefined;
  /** Whether it is being opened or handed over. */
  isChanging(id: string): boolean;
  find(context: HttpContext<A>): HttpSession | undefined;
  adopt(
    record: SessionRecord,
    owner: string,
    context: HttpContext<A>,
  ): Promise<HttpSession | undefined>;
  leaveAll(): void;
}

/** What forwarding a call needs to know of its session. */
interface KnownOwner {
  readonly owner: string;
  readonly principal: string;
}

/** What a {@link ClusterNode} needs. */
export interface ClusterNodeInit<A extends Auth> {
  readonly responder: Responder;
  readonly unread: UnreadBudget;
  /** The one server of all clients; undefined if each session has another one. */
  readonly server: AnyServer | undefined;
  readonly sessions: () => LocalSessions<A>;
  /** Serves a call that another process received. */
  readonly serve: (
    message: CallMessage,
    call: ForwardedCall,
    accept: (context: HttpContext<A>) => Promise<HttpSession | undefined>,
  ) => void;
  /** Serves a call that resumes a stream. */
  readonly resume: (context: HttpContext<A>) => void;
}

/** A {@link ClusterMember} with its types. */
export interface JoinableCluster extends ClusterMember {
  readonly join: <A extends Auth>(init: ClusterNodeInit<A>) => ClusterNode<A>;
}

/**
 * The option `cluster` of `createHttpHandler`: with it, each process that has the same cluster serves every session.
 *
 *     createHttpHandler({ server, cluster: joinCluster(redisCluster(client)) });
 */
export function joinCluster(
  cluster: Cluster,
  limits: ClusterLimits = {},
): ClusterMember {
  const member: JoinableCluster = {
    join: (init) => new ClusterNode(init, cluster, limits),
  };
  return member;
}

/**
 * This process in its cluster: finds the owner of a session, takes over sessions without one, and serves the calls that
 * other processes forward.
 *
 * A session is local only while the lease of this process is valid. A call is forwarded at most once, and a forwarded
 * one never again. `#adopting` has the sessions that are being taken over.
 */
export class ClusterNode<A extends Auth> {
  readonly members: Membership;
  readonly #init: ClusterNodeInit<A>;
  readonly #cluster: Cluster;
  readonly #outbox: Outbox;
  readonly #forwarding: Forwarding;
  readonly #fanOut: FanOut;
  #storage: SessionStorage | undefined;
  readonly #adopting = new Map<string, Promise<HttpSession | undefined>>();
  /** The owners that answered the last call of a session. */
  readonly #known = new Map<string, KnownOwner>();
  /** The calls that other processes have forwarded, by address and number. */
  readonly #served = new Map<string, ForwardedCall>();

  constructor(
    init: ClusterNodeInit<A>,
    cluster: Cluster,
    limits: ClusterLimits,
  ) {
    const emit = (event: HttpEvent): void => {
      init.responder.emit(event);
    };
    const { lease = LEASE_MS } = limits;
    const { timeout = lease / 2 } = limits;
    this.#init = init;
    this.#cluster = limitCluster(cluster, timeout, (operation, error) => {
      emit({ kind: "storeFailed", operation, error });
    });
    this.#outbox = new Outbox((address, mail) =>
      Promise.resolve(this.#cluster.mailbox.send(address, mail)),
    );
    this.members = new Membership(this.#cluster.mailbox, lease, {
      receive: (mail) => {
        this.#receive(mail);
      },
      onFenced: () => {
        emit({ kind: "fenced" });
        init.sessions().leaveAll();
        for (const call of [...this.#served.values()]) call.disconnect();
        this.#forwarding.failAll();
      },
    });
    this.#forwarding = new Forwarding({
      members: this.members,
      outbox: this.#outbox,
      responder: init.responder,
      unread: init.unread,
      resume: (context) => {
        init.resume(context as HttpContext<A>);
      },
    });
    this.#fanOut = new FanOut(
      this.members,
      this.#cluster.mailbox,
      this.#outbox,
      init.server,
    );
  }

  /** Where sessions are stored. */
  storage(idleTimeout: number, max: number): SessionStorage {
    this.#storage ??= new SessionStorage(
      this.#cluster,
      this.members,
      idleTimeout,
      max,
    );
    return this.#storage;
  }

  /** Whether no forwarded request waits for a response, and everything was sent. */
  get isIdle(): boolean {
    return this.#forwarding.isIdle && this.#outbox.isIdle;
  }

  /** Ends the streams of clients that listen to sessions of other processes. */
  endListening(retry: number | undefined): void {
    this.#forwarding.endListening(
      retry === undefined ? "" : `retry: ${retry}\n\n`,
    );
  }

  /** Leaves the cluster. */
  async close(): Promise<void> {
    this.#fanOut.close();
    this.#forwarding.close();
    // What was answered last is on its way, at most as long as the store may take.
    await this.#outbox.flush();
    await this.members.close();
  }

  /**
   * The session that a call names, if this process owns it or takes it over. Undefined if the call was answered, or is
   * answered by the owner.
   *
   * @param value - The posted value, if any.
   */
  async find(
    context: HttpContext<A>,
    value?: unknown,
  ): Promise<HttpSession | undefined> {
    const id = context.call.header("mcp-session-id");
    const sessions = this.#init.sessions();
    if (id === undefined || this.#localSession(id) !== undefined)
      return sessions.find(context);
    return this.guard(context, () => this.#findElsewhere(id, context, value));
  }

  /** Answers a call whose handling fails as the store does not answer. */
  async guard<T>(
    { call, headers }: HttpContext,
    run: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      const { responder } = this.#init;
      if (error instanceof StoreError)
        responder.refuseUnavailable(call, headers);
      else if (error instanceof SessionsFullError)
        responder.refuseBusy(call, headers);
      else throw error;
      return undefined;
    }
  }

  /** A session of this process. If its lease has run out, it has none. */
  #localSession(id: string): HttpSession | undefined {
    return this.members.isValid ? this.#init.sessions().get(id) : undefined;
  }

  async #findElsewhere(
    id: string,
    context: HttpContext<A>,
    value: unknown,
  ): Promise<HttpSession | undefined> {
    const { call, headers, auth } = context;
    const { responder } = this.#init;
    const until = performance.now() + this.members.lease;
    const gone = new Set<string>();
    let pause = LOOKUP_PAUSE_MS;
    let isMoved = false;
    do {
      if (responder.refuseIfClosed(call, headers)) return undefined;
      const address = await this.members.ready();
      if (this.#localSession(id) !== undefined)
        return this.#init.sessions().find(context);
      // Another request may have remembered an owner that this one knows to be gone.
      const remembered = this.#known.get(id);
      const known =
        remembered === undefined || gone.has(remembered.owner)
          ? undefined
          : remembered;
      const record =
        known === undefined ? await this.#storage?.get(id) : undefined;
      if (responder.refuseIfClosed(call, headers)) return undefined;
      // A session of another caller is treated as unknown.
      if ((known ?? record)?.principal !== (auth?.principal ?? "")) {
        responder.refuseUnknownSession(context);
        return undefined;
      }
      const owner = (known ?? record)?.owner;
      if (owner !== undefined && owner !== address && !gone.has(owner)) {
        const outcome = await this.#forwarding.forward(
          context,
          id,
          value,
          owner,
          isMoved,
        );
        if (outcome === "answered") {
          this.#remember(id, { owner, principal: auth?.principal ?? "" });
          return undefined;
        }
        this.#known.delete(id);
        if (outcome === "gone") {
          gone.add(owner);
          continue;
        }
        // What the store has may be right: an owner that failed to go on with the session tries again.
        isMoved = known === undefined;
      } else if (call.method === "DELETE" && owner !== address) {
        await this.#storage?.delete(id);
        call.respond(204, headers);
        return undefined;
      } else if (owner === address && this.#init.sessions().isChanging(id)) {
        // It is known in a moment.
      } else if (responder.isDraining) {
        if (await this.#forwardToAny(id, context, value)) return undefined;
      } else if (record !== undefined) {
        const session = await this.#adopt(record, address, context);
        if (session !== undefined && !responder.isClosed)
          return this.#init.sessions().find(context);
      }
      await delay(pause);
      pause = Math.min(2 * pause, MAX_LOOKUP_PAUSE_MS);
    } while (performance.now() < until);
    responder.refuseBusy(call, headers);
    return undefined;
  }

  /** Saves looking up the owner next time. One that does not own it any more sends the call back. */
  #remember(id: string, known: KnownOwner): void {
    this.#known.delete(id);
    this.#known.set(id, known);
    if (this.#known.size <= MAX_KNOWN) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** Has another process take over a session, and answer a call. Returns whether one did. */
  async #forwardToAny(
    id: string,
    context: HttpContext<A>,
    value: unknown,
  ): Promise<boolean> {
    const { address } = this.members;
    const others = (await this.#cluster.mailbox.list()).filter(
      (other) => other !== address,
    );
    const start = Math.floor(Math.random() * others.length);
    for (const owner of [...others.slice(start), ...others.slice(0, start)]) {
      const outcome = await this.#forwarding.forward(
        context,
        id,
        value,
        owner,
        true,
      );
      if (outcome === "answered") return true;
    }
    return false;
  }

  #adopt(
    record: SessionRecord,
    address: string,
    context: HttpContext<A>,
  ): Promise<HttpSession | undefined> {
    const { id } = record;
    let adopting = this.#adopting.get(id);
    if (adopting === undefined) {
      adopting = this.#init
        .sessions()
        .adopt(record, address, context)
        .finally(() => this.#adopting.delete(id));
      this.#adopting.set(id, adopting);
    }
    return adopting;
  }

  /** Handles what arrived in the mailbox of this process. Nothing in it can make it throw. */
  #receive(text: string): void {
    const mail = parseMail(text);
    if (mail === undefined) return;
    for (const message of mail.messages) {
      try {
        this.#handle(mail.from, message);
      } catch (error) {
        this.#init.responder.emit({ kind: "failed", error });
      }
    }
  }

  #handle(from: string, message: WireMessage): void {
    switch (message.kind) {
      case "call":
        this.#serve(from, message);
        return;
      case "read":
        this.#served
          .get(servedKey(from, message.call))
          ?.handleRead(message.chars);
        return;
      case "gone":
        this.#served.get(servedKey(from, message.call))?.disconnect();
        return;
      case "ping": {
        const lost = message.calls.filter(
          (call) => !this.#served.has(servedKey(from, call)),
        );
        if (lost.length > 0) this.#send(from, { kind: "pong", lost });
        return;
      }
      case "pong":
        this.#forwarding.receiveLost(from, message.lost);
        return;
      case "notify":
        this.#fanOut.receive(message);
        return;
      default:
        this.#forwarding.receive(from, message);
    }
  }

  #serve(from: string, message: CallMessage): void {
    const key = servedKey(from, message.call);
    if (this.#served.has(key)) return;
    const call = new ForwardedCall(
      message,
      (index, answer) =>
        this.#outbox.send(this.members.address, from, {
          call: message.call,
          index,
          ...answer,
        }),
      () => this.#served.delete(key),
    );
    this.#served.set(key, call);
    this.#init.serve(message, call, (context) =>
      this.#accept(call, message, context),
    );
  }

  /** The session of a forwarded call, if it is here; otherwise the call goes back. */
  async #accept(
    call: ForwardedCall,
    message: CallMessage,
    context: HttpContext<A>,
  ): Promise<HttpSession | undefined> {
    const { session: id, adopt } = message;
    try {
      await this.#adopting.get(id);
      if (adopt && this.#localSession(id) === undefined)
        await this.#adoptFor(id, context);
    } catch {
      // It is not here.
    }
    if (this.#localSession(id) === undefined) {
      call.move();
      return undefined;
    }
    call.accept();
    return this.#init.sessions().find(context);
  }

  /** Takes over a session of a process that cannot keep it. */
  async #adoptFor(id: string, context: HttpContext<A>): Promise<void> {
    const { responder } = this.#init;
    if (responder.isDraining || this.#init.sessions().isChanging(id)) return;
    const address = await this.members.ready();
    const record = await this.#storage?.get(id);
    if (record?.principal !== (context.auth?.principal ?? "")) return;
    const { owner } = record;
    if (
      owner === undefined ||
      owner === address ||
      !(await this.#cluster.mailbox.isOpen(owner))
    )
      await this.#adopt(record, address, context);
  }

  #send(address: string, message: WireMessage): void {
    this.#outbox
      .send(this.members.address, address, message)
      .catch(() => undefined);
  }
}

function servedKey(from: string, call: number): string {
  return `${call} ${from}`;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

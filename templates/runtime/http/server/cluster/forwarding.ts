import type { RequestId } from "../../../jsonrpc/message.js";
import {
  isObject,
  keepProcessAlive,
  methodOf,
} from "../../../jsonrpc/envelope.js";
import type { HeaderFields, HttpCall } from "../call.js";
import type { HttpContext } from "../context.js";
import { encodeLostRequests, ERROR_HEADERS } from "../error-response.js";
import type { Responder } from "../responder.js";
import type { UnreadBudget } from "../unread-budget.js";
import { StoreError } from "./limited-cluster.js";
import type { Membership } from "./membership.js";
import type { Outbox } from "./outbox.js";
import { ContinuedCall } from "./continued-call.js";
import { RemoteCall } from "./remote-call.js";
import type { BrokenStream, RemoteOutcome } from "./remote-call.js";
import type { AnswerMessage, CallerMessage, CallMessage } from "./wire.js";

/** How often the owners of open calls are asked, in a lease. */
const PINGS = 4;
/**
 * Headers that stay in this process, since the store may keep what is forwarded: what they prove is forwarded as the
 * result of authorization.
 */
const SECRET_HEADER =
  /(?:^|[-_])(?:authorization|auth|cookie|credentials?|password|secret|signature|(?:api|access|private|secret)[-_]?key|jwt|token)(?:$|[-_])/;
/** What is forwarded where a binding cannot list the headers. */
const PROTOCOL_HEADERS = [
  "accept",
  "content-type",
  "host",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-session-id",
  "origin",
  "user-agent",
];

/** Answers after which more follow. */
const GOES_ON = new Set<AnswerMessage["kind"]>(["accepted", "stream", "chunk"]);

/** What {@link Forwarding} needs. */
export interface ForwardingInit {
  readonly members: Membership;
  readonly outbox: Outbox;
  readonly responder: Responder;
  readonly unread: UnreadBudget;
  /** Goes on with a stream of events elsewhere. */
  readonly resume: (context: HttpContext) => void;
}

/**
 * Forwards calls to the owners of their sessions, and passes on the responses.
 *
 * A call is in `#calls` from when it is sent until it is over. None is sent twice: what was sent to an owner that does
 * not answer any more is answered with an error.
 */
export class Forwarding {
  readonly #init: ForwardingInit;
  readonly #calls = new Map<number, RemoteCall>();
  #nextId = 1;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(init: ForwardingInit) {
    this.#init = init;
  }

  /** Whether no request waits for a response. */
  get isIdle(): boolean {
    for (const { isListening } of this.#calls.values())
      if (!isListening) return false;
    return true;
  }

  /**
   * Sends a call to the owner of its session. Resolves when it is known who answers it.
   *
   * @param value - The posted value, if any.
   * @param adopt - Whether the receiver takes the session over, if no process owns it.
   */
  async forward(
    context: HttpContext,
    session: string,
    value: unknown,
    owner: string,
    adopt: boolean,
  ): Promise<Exclude<RemoteOutcome, "unsent">> {
    const { members, outbox, responder, unread } = this.#init;
    const { call, headers, caller } = context;
    const id = this.#nextId;
    this.#nextId += 1;
    // From here on it is answered here.
    responder.endAdmission(call);
    const remote = new RemoteCall({
      id,
      owner,
      call,
      isListening: call.method === "GET",
      headers,
      caller,
      unread,
      send: (message) => {
        this.#send(owner, message);
      },
      answerLost: (stream) => {
        this.#answerLost(context, value, stream);
      },
      onOver: () => {
        this.#calls.delete(id);
        if (this.#calls.size === 0) this.#stopPinging();
      },
    });
    this.#calls.set(id, remote);
    this.#startPinging();
    try {
      const message = callMessage(context, id, session, value, adopt);
      if (!(await outbox.send(members.address, owner, message)))
        remote.setGone();
    } catch (error) {
      if (error instanceof StoreError && error.isUnsent) remote.setUnsent();
      else remote.fail();
    }
    const outcome = await remote.outcome;
    if (outcome !== "unsent") return outcome;
    if (members.address === undefined)
      responder.refuseUnavailable(call, headers);
    else responder.refuseBusy(call, headers);
    return "answered";
  }

  /** Handles an answer of an owner. */
  receive(from: string, answer: AnswerMessage): void {
    const remote = this.#calls.get(answer.call);
    if (remote?.owner === from) {
      try {
        remote.receive(answer);
      } catch (error) {
        // The response cannot be passed on, for instance as a header is invalid.
        remote.fail();
        throw error;
      }
    } else if (remote === undefined && GOES_ON.has(answer.kind))
      // It did not learn that the client is gone.
      this.#send(from, { kind: "gone", call: answer.call });
  }

  /** Handles what an owner says about calls that it does not know. */
  receiveLost(from: string, calls: readonly number[]): void {
    for (const id of calls) {
      const remote = this.#calls.get(id);
      if (remote?.owner === from) remote.fail();
    }
  }

  /** Nothing that is open will be answered: this process has a new address. */
  failAll(): void {
    for (const remote of [...this.#calls.values()]) remote.fail();
  }

  /** Ends all that is open. */
  close(): void {
    for (const remote of [...this.#calls.values()])
      if (!remote.endStream("")) remote.fail();
  }

  /** Ends the streams of clients that only listen. */
  endListening(lastEvent: string): void {
    for (const remote of [...this.#calls.values()])
      if (remote.isListening && !remote.endStream(lastEvent)) remote.fail();
  }

  #send(address: string, message: CallerMessage): void {
    const { members, outbox } = this.#init;
    outbox.send(members.address, address, message).catch(() => undefined);
  }

  #startPinging(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => {
      this.#ping();
    }, this.#init.members.lease / PINGS);
    keepProcessAlive(this.#timer, false);
  }

  #stopPinging(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Finds out which owners have ended, which calls they have lost, and which clients do not read. */
  #ping(): void {
    const { members, outbox, responder } = this.#init;
    const { stallTimeout } = responder.streamLimits;
    const byOwner = new Map<string, RemoteCall[]>();
    const now = performance.now();
    for (const remote of [...this.#calls.values()]) {
      remote.abortIfStalled(Date.now(), stallTimeout);
      if (remote.isComplete || !this.#calls.has(remote.id)) continue;
      if (!remote.isAccepted && now - remote.sentAt > 2 * members.lease) {
        remote.fail();
        continue;
      }
      const others = byOwner.get(remote.owner);
      if (others === undefined) byOwner.set(remote.owner, [remote]);
      else others.push(remote);
    }
    for (const [owner, remotes] of byOwner) {
      const calls = remotes.map(({ id }) => id);
      outbox.send(members.address, owner, { kind: "ping", calls }).then(
        (isAlive) => {
          if (!isAlive) for (const remote of remotes) remote.fail();
        },
        // Nothing is known about the owner while the store does not answer.
        () => undefined,
      );
    }
  }

  #answerLost(
    context: HttpContext,
    value: unknown,
    stream: BrokenStream | undefined,
  ): void {
    const { call, headers } = context;
    const requests = requestIdsOf(value);
    const error =
      requests.length === 0
        ? undefined
        : encodeLostRequests(requests, Array.isArray(value));
    if (stream === undefined) {
      if (error !== undefined)
        call.respond(200, { ...ERROR_HEADERS, ...headers }, error);
      else this.#init.responder.refuseUnavailable(call, headers);
      return;
    }
    const { sink, isBetweenEvents, lastEventId } = stream;
    const lastEvent = error === undefined ? undefined : `data: ${error}\n\n`;
    // Its client notices that the response is not complete, and resumes it if it can.
    if (!isBetweenEvents) call.abort();
    else if (lastEventId !== undefined) {
      const continued = new ContinuedCall(call, stream, lastEvent);
      this.#init.resume({ ...context, call: continued });
    } else {
      if (lastEvent !== undefined) sink.write(lastEvent);
      sink.end();
    }
  }
}

function callMessage(
  { call, auth, isJsonOnly }: HttpContext,
  id: number,
  session: string,
  value: unknown,
  adopt: boolean,
): CallMessage {
  return {
    kind: "call",
    call: id,
    session,
    adopt,
    method: call.method,
    target: call.target,
    headers: forwardedHeaders(call),
    auth: auth as Record<string, unknown> | undefined,
    remoteAddress: call.remoteAddress,
    isJsonOnly,
    body: value === undefined ? undefined : JSON.stringify(value),
  };
}

function forwardedHeaders(call: HttpCall): HeaderFields {
  const headers: Record<string, string> = {};
  for (const name of call.headerNames?.() ?? PROTOCOL_HEADERS) {
    const value = SECRET_HEADER.test(name) ? undefined : call.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** The ids of the requests in a posted value. */
function requestIdsOf(value: unknown): readonly RequestId[] {
  return [value]
    .flat()
    .filter((item) => methodOf(item) !== undefined)
    .map((item) => (isObject(item) ? item["id"] : undefined))
    .filter(
      (id): id is RequestId => typeof id === "string" || typeof id === "number",
    );
}

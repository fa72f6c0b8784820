import {
  cancelledIdOf,
  isObject,
  metaOf,
  methodOf,
  paramsOf,
  responseIdOf,
} from "../jsonrpc/envelope.js";
import { META_KEYS } from "./revision.js";
import type { Revision, Side } from "./revision.js";

/** Requests in flight that a session remembers; beyond that, the oldest is forgotten. */
const MAX_REQUESTS = 10_000;

/**
 * What {@link revisionOf} knows about a connection. Create one for each connection with {@link createRevisionSession},
 * keep it as long as the connection, and pass it every frame of both sides in order.
 */
export interface RevisionSession<R extends Revision = Revision> {
  /** The revisions to choose from. */
  readonly revisions: readonly R[];
  /**
   * The revision that `initialize` has agreed on. Set it yourself if you know it from elsewhere, such as from the header
   * `MCP-Protocol-Version`.
   */
  agreed: R | undefined;
  /** The `initialize` that waits for its response: its id, and the revision that the client proposes. */
  proposal:
    { readonly id: unknown; readonly revision: R | undefined } | undefined;
  /** The revision of the last request that named one. */
  lastNamed: R | undefined;
  /** The revision of each request that named one and has no response yet, by id and by progress token. */
  readonly requests: Map<
    unknown,
    { readonly revision: R; readonly token: unknown }
  >;
  readonly tokens: Map<unknown, { readonly revision: R; readonly id: unknown }>;
}

/** The state of a new connection, in which nothing is known yet. */
export function createRevisionSession<R extends Revision>(
  revisions: readonly R[],
): RevisionSession<R> {
  return {
    revisions,
    agreed: undefined,
    proposal: undefined,
    lastNamed: undefined,
    requests: new Map(),
    tokens: new Map(),
  };
}

/**
 * Says which revision a frame is in, and updates the session.
 *
 * 1. From 2026-07-28 on, each request names its revision in `_meta` (MCP 2026-07-28, basic protocol). Its response and
 *    the notifications that refer to it, by id, progress token or subscription, are in the same revision.
 * 2. `initialize` is in the revision that the client proposes, and its response and everything after it in the one that
 *    the server answers with (MCP 2025-11-25, lifecycle).
 * 3. Anything else is in the agreed revision. Without one, a notification or response is in the revision of the last
 *    request that named one, and a batch in 2025-03-26, which alone has batches.
 *
 * The frame is not validated: use the functions of the returned revision.
 *
 * @param frame - Any JSON value.
 * @param sender - The side that sent the frame; the ids of both sides are independent.
 * @returns Undefined if the frame names a revision that the session does not have, or comes before any is known.
 */
export function revisionOf<R extends Revision>(
  frame: unknown,
  session: RevisionSession<R>,
  sender: Side,
): R | undefined {
  const method = methodOf(frame);
  const hasId = isObject(frame) && frame["id"] !== undefined;
  if (method === undefined) return revisionOfOther(frame, session, sender);
  if (sender === "client" && hasId) {
    if (method === "initialize") return propose(frame, session);
    const named = metaOf(frame)?.[META_KEYS.VERSION];
    if (typeof named === "string") return remember(frame, session, named);
  }
  if (hasId) return session.agreed;
  return revisionOfNotification(frame, method, session);
}

/** The revision of a response, a batch, or something invalid. */
function revisionOfOther<R extends Revision>(
  frame: unknown,
  session: RevisionSession<R>,
  sender: Side,
): R | undefined {
  if (Array.isArray(frame))
    return session.agreed ?? findRevision(session, "2025-03-26");
  const id = responseIdOf(frame);
  const { agreed, proposal, lastNamed } = session;
  if (id === undefined || id === null || sender === "client")
    return agreed ?? lastNamed;
  const request = session.requests.get(id);
  if (request !== undefined) {
    forget(session, id);
    return request.revision;
  }
  return proposal?.id === id
    ? agree(frame, session, proposal.revision)
    : (agreed ?? lastNamed);
}

function revisionOfNotification<R extends Revision>(
  frame: unknown,
  method: string,
  session: RevisionSession<R>,
): R | undefined {
  const { agreed, lastNamed, requests, tokens } = session;
  const subscription = metaOf(frame)?.[META_KEYS.SUBSCRIPTION];
  let revision = requests.get(subscription)?.revision;
  if (method === "notifications/progress")
    revision ??= tokens.get(paramsOf(frame)["progressToken"])?.revision;
  if (method === "notifications/cancelled") {
    // It may still be answered, so it is not forgotten.
    revision ??= requests.get(cancelledIdOf(frame))?.revision;
  }
  return revision ?? agreed ?? lastNamed;
}

/** Notes a request that names its revision. */
function remember<R extends Revision>(
  request: unknown,
  session: RevisionSession<R>,
  version: string,
): R | undefined {
  const revision = findRevision(session, version);
  if (revision?.isStateless !== true) return undefined;
  const { requests, tokens } = session;
  const id = isObject(request) ? request["id"] : undefined;
  const token = metaOf(request)?.["progressToken"];
  session.lastNamed = revision;
  forget(session, id);
  requests.set(id, { revision, token });
  if (token !== undefined) tokens.set(token, { revision, id });
  if (requests.size > MAX_REQUESTS)
    forget(session, requests.keys().next().value);
  return revision;
}

function forget(session: RevisionSession, id: unknown): void {
  const { requests, tokens } = session;
  const token = requests.get(id)?.token;
  requests.delete(id);
  // Another request may have the same token by mistake.
  if (tokens.get(token)?.id === id) tokens.delete(token);
}

function propose<R extends Revision>(
  request: unknown,
  session: RevisionSession<R>,
): R | undefined {
  const version = paramsOf(request)["protocolVersion"];
  const revision = findRevision(session, version);
  const id = isObject(request) ? request["id"] : undefined;
  session.proposal = { id, revision };
  return revision;
}

function agree<R extends Revision>(
  response: unknown,
  session: RevisionSession<R>,
  proposed: R | undefined,
): R | undefined {
  session.proposal = undefined;
  const result = isObject(response) ? response["result"] : undefined;
  // An error is in the proposed revision, since nothing else is known.
  if (!isObject(result)) return proposed;
  session.agreed = findRevision(session, result["protocolVersion"]);
  return session.agreed;
}

function findRevision<R extends Revision>(
  { revisions }: RevisionSession<R>,
  version: unknown,
): R | undefined {
  return revisions.find((revision) => revision.version === version);
}

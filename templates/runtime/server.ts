import { ServerSession } from "./server/session.js";
import type {
  RequestOrigin,
  ServerCore,
  ServerSettings,
} from "./server/session.js";
import {
  checkVendorNotifications,
  deriveCapabilities,
  maySend,
  mergeCapabilities,
  missingCapability,
  versionOf,
} from "./protocol/revision.js";
import type { Revision } from "./protocol/revision.js";
import { appsOf } from "./server/apps.js";
import { withCompletion } from "./server/completion.js";
import type { RequestStateSigner } from "./protocol/request-state.js";
import { checkedSettings } from "./jsonrpc/endpoint-options.js";
import type { EndpointEvent } from "./jsonrpc/endpoint.js";
import type { Transport } from "./jsonrpc/transport.js";
import { resultMeta } from "./server/complete-result.js";
import type { ResumedSession } from "./server/saved-session.js";
import type { RequestHandler, ServerExtension } from "./server/types.js";
import { notifyListener } from "./jsonrpc/transport-events.js";
export type {
  HandlerContext,
  EmbeddedRequest,
  ClientInfo,
  RequestHandler,
  ServerExtension,
  ListenContext,
  ListenSource,
} from "./server/types.js";
export {
  canElicit,
  canListRoots,
  canSample,
} from "./server/client-capabilities.js";
export { canShowPages } from "./server/apps.js";
export { ServerSession } from "./server/session.js";
export type {
  NotificationHandler,
  ServerSettings,
  ServerCore,
} from "./server/session.js";

/**
 * A server: its handlers, capabilities and revisions, shared by all connections to it.
 *
 * What it offers is fixed when it is constructed. A session is in {@link sessions} from connect until its endpoint closes.
 */
export class Server<
  Notifications extends object = Record<string, object | undefined>,
> implements ServerCore {
  readonly settings: ServerSettings;
  readonly revisions: readonly Revision[];
  readonly requestStateSigner: RequestStateSigner | undefined;
  readonly resultMeta: object;
  readonly #sessions = new Set<ServerSession>();
  /** Pass broadcasts to other processes. */
  readonly #relays = new Set<
    (method: string, params: object | undefined) => void
  >();
  /** Methods of notifications that were not sent, since the server does not declare their capability. */
  readonly #reported = new Set<string>();
  readonly #declaredCapabilities = new Map<string, Record<string, unknown>>();
  readonly #supportedRequests = new Map<string, ReadonlySet<string>>();

  /**
   * @param revisions - All revisions that it supports; a client gets the one it requests, or the newest.
   * @throws RangeError if the list is empty; TypeError if a handler is for a method that none of the revisions has, or an
   *   option is not what its function returns.
   */
  constructor(revisions: readonly Revision[], options: ServerSettings) {
    const settings = checkedSettings(options);
    if (revisions.length === 0)
      throw new RangeError("a server needs at least one revision");
    const { extensions = [] } = settings;
    const handlers = withCompletion(
      { ...extensionHandlers(extensions, revisions), ...settings.handlers },
      revisions,
    );
    this.settings = { ...settings, handlers };
    this.revisions = revisions;
    for (const { createSigner } of revisions)
      this.requestStateSigner ??= createSigner?.(settings.requestState);
    this.resultMeta = resultMeta(settings.info);
    for (const [kind, named] of [
      ["request", handlers],
      ["notification", settings.notifications ?? {}],
    ] as const) {
      for (const method of Object.keys(named)) {
        if (
          revisions.some((revision) =>
            maySend(revision, "client", kind, method),
          )
        )
          continue;
        throw new TypeError(
          `no client sends ${method} as a ${kind}, in ${revisions.map(versionOf).join(", ")}`,
        );
      }
    }
    checkVendorNotifications(revisions, settings.vendorNotifications);
    const apps = appsOf(handlers);
    for (const revision of revisions) {
      // In every revision: capabilities are no closed set, and older ones negotiate extensions the same way (SEP-2133).
      let added: object = apps.capabilities;
      for (const extension of extensions)
        added = mergeCapabilities(added, extension.capabilities(revision));
      const declared = mergeCapabilities(
        deriveCapabilities(revision, handlers, added),
        settings.capabilities ?? {},
      );
      this.#declaredCapabilities.set(revision.version, declared);
      const served = Object.entries(revision.methods).filter(
        ([method, { capabilities }]) =>
          maySend(revision, "client", "request", method) &&
          (handlers[method] !== undefined ||
            revision.builtIn.includes(method)) &&
          missingCapability(capabilities, "server", declared) === undefined,
      );
      this.#supportedRequests.set(
        revision.version,
        new Set(served.map(([method]) => method)),
      );
    }
    for (const reason of apps.warnings)
      this.#warn({ kind: "appWarning", reason }, reason);
  }

  /** Reports what is worth a warning; without a listener, on the console. */
  #warn(event: EndpointEvent, text: string): void {
    const { onEvent } = this.settings;
    if (onEvent === undefined) console.warn(text);
    notifyListener(onEvent, event);
  }

  get sessions(): ReadonlySet<ServerSession> {
    return this.#sessions;
  }

  capabilities(revision: Revision): Record<string, unknown> {
    return this.#declaredCapabilities.get(revision.version) ?? {};
  }

  supportsRequest(revision: Revision, method: string): boolean {
    return this.#supportedRequests.get(revision.version)?.has(method) === true;
  }

  /**
   * Serves one more connection. Resolves when its transport has started.
   *
   * @param negotiatedVersion - The connection's revision, if the transport knows it: then `initialize` is not sent.
   * @param resumed - The session that the connection goes on with, if another process began it.
   * @throws RangeError if the server does not support its revision.
   */
  async connect(
    transport: Transport,
    negotiatedVersion?: string,
    resumed?: ResumedSession,
  ): Promise<ServerSession> {
    const session = new ServerSession(
      this,
      (closed) => this.#sessions.delete(closed),
      negotiatedVersion,
      resumed,
    );
    this.#sessions.add(session);
    try {
      await session.start(transport);
    } catch (error) {
      this.#sessions.delete(session);
      throw error;
    }
    return session;
  }

  /**
   * Notifies every client that should know: in a stateful revision, all that are connected, and of an updated resource
   * those that subscribed to it; in a stateless one, those with a `subscriptions/listen` that requests it.
   *
   *     server.notify("notifications/resources/list_changed");
   *     server.notify("notifications/resources/updated", { uri });
   *
   * The server must declare the capability: `capabilities: { resources: { listChanged: true, subscribe: true } }`.
   */
  notify<M extends keyof Notifications & string>(
    method: M,
    params?: Notifications[M],
  ): void {
    this.broadcast(method, params as object | undefined);
  }

  /** @internal See {@link ServerCore}. */
  broadcast(method: string, params?: object, origin?: RequestOrigin): void {
    for (const revision of this.revisions)
      if (maySend(revision, "server", "notification", method))
        this.declares(revision, method);
    this.broadcastLocally(method, params, origin);
    for (const relay of this.#relays) relay(method, params);
  }

  /** @internal Sends a notification to the clients of this process that want it. */
  broadcastLocally(
    method: string,
    params?: object,
    origin?: RequestOrigin,
  ): void {
    for (const session of this.#sessions)
      session.notifyIfWanted(method, params, origin);
  }

  /** @internal Also passes broadcasts to a relay, until the returned function is called. */
  addRelay(
    relay: (method: string, params: object | undefined) => void,
  ): () => void {
    this.#relays.add(relay);
    return () => this.#relays.delete(relay);
  }

  /** @internal See {@link ServerCore}. */
  declares(revision: Revision, method: string): boolean {
    const missing = missingCapability(
      revision.methods[method]?.capabilities ?? [],
      "server",
      this.capabilities(revision),
    );
    if (missing !== undefined && !this.#reported.has(method)) {
      this.#reported.add(method);
      const capability = missing.replace("server.", "");
      const text = `${method} is not sent: the server does not declare ${capability}`;
      this.#warn({ kind: "undeclaredNotification", method, capability }, text);
    }
    return missing === undefined;
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }
}

/**
 * The handlers of extensions whose methods a revision has.
 *
 * @throws TypeError if no revision has any method of an extension.
 */
function extensionHandlers(
  extensions: readonly ServerExtension[],
  revisions: readonly Revision[],
): Record<string, RequestHandler> {
  const known: [string, RequestHandler][] = [];
  for (const { handlers } of extensions) {
    const own = Object.entries(handlers).filter(([method]) =>
      revisions.some((revision) =>
        maySend(revision, "client", "request", method),
      ),
    );
    if (own.length === 0)
      throw new TypeError(
        `no client sends ${Object.keys(handlers).join(", ")} in ${revisions.map(versionOf).join(", ")}; generate the revision with \`--extension\``,
      );
    known.push(...own);
  }
  return Object.fromEntries(known);
}

import { isPromiseLike } from "../../jsonrpc/endpoint.js";
import type { Auth } from "./auth.js";
import type { AnyServer, HttpHandlerOptions } from "./types.js";

/**
 * The servers of a handler: one that all requests without a session share, and one for each session.
 *
 * `shared` calls the factory once, and again only after it failed.
 * `forSession` calls it each time; without a factory both return the same server.
 */
export class ServerSource<A extends Auth = Auth> {
  readonly #source: HttpHandlerOptions<A>["server"];
  #cachedServer: AnyServer | Promise<AnyServer> | undefined;

  constructor(source: HttpHandlerOptions<A>["server"]) {
    this.#source = source;
  }

  /** The server of all requests that belong to no session. */
  shared(): AnyServer | Promise<AnyServer> {
    if (this.#cachedServer === undefined) {
      const made =
        typeof this.#source === "function"
          ? this.#source({ auth: undefined })
          : this.#source;
      this.#cachedServer = made;
      if (isPromiseLike(made)) {
        made.then(
          (server) => (this.#cachedServer = server),
          // The next request tries again.
          () => (this.#cachedServer = undefined),
        );
      }
    }
    return this.#cachedServer;
  }

  forSession(auth: A | undefined): AnyServer | Promise<AnyServer> {
    return typeof this.#source === "function"
      ? this.#source({ auth })
      : this.#source;
  }
}

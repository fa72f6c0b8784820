import type { HttpCall } from "./call.js";
import type { HealthOptions } from "./types.js";

const HEALTH_HEADERS = { "cache-control": "no-store" };

/** Answers the health checks of load balancers and orchestrators, which know nothing of MCP, hosts or tokens. */
export class HealthChecks {
  readonly #live: string;
  readonly #ready: string;

  private constructor({ live = "/livez", ready = "/readyz" }: HealthOptions) {
    this.#live = live;
    this.#ready = ready;
  }

  static from(
    options: HealthOptions | boolean | undefined,
  ): HealthChecks | undefined {
    if (options === undefined || options === false) return undefined;
    return new HealthChecks(options === true ? {} : options);
  }

  /** Answers a call if it is a health check. Returns whether it was. */
  answer(call: HttpCall, isReady: boolean): boolean {
    const path = call.target.split("?", 1)[0];
    if (path !== this.#live && path !== this.#ready) return false;
    if (call.method !== "GET" && call.method !== "HEAD")
      call.respond(405, { allow: "GET, HEAD" });
    else
      call.respond(path === this.#live || isReady ? 200 : 503, HEALTH_HEADERS);
    return true;
  }
}

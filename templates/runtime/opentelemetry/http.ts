/** Metrics of an HTTP handler, from its events. */
import { SCOPE } from "./api.js";
import type { OpenTelemetryApi, TelemetryMeter } from "./api.js";
import { errorTypeOf } from "./attributes.js";

/** An event of an HTTP handler, as far as it is counted. Others are ignored. */
interface CountedEvent {
  readonly kind: string;
  readonly status?: number;
  readonly error?: unknown;
}

/**
 * Metrics of an HTTP handler, for the semantic conventions have none:
 *
 * - `mcpgen.http.server.sessions` (`{session}`): open sessions.
 * - `mcpgen.http.server.refused_requests` (`{request}`): requests that never reached the server, by
 *   `http.response.status_code`.
 * - `mcpgen.http.server.failures` (`{failure}`): hooks and factories that threw, by `error.type`.
 *
 *     createHttpHandler({ server, onEvent: httpMetrics(api) });
 *
 * @param api - `import * as api from "@opentelemetry/api"`.
 * @returns A listener for `onEvent` of `createHttpHandler`.
 */
export function httpMetrics(
  api: Pick<OpenTelemetryApi, "metrics">,
  options: {
    /** By default, one with the name `mcpgen`. */
    readonly meter?: TelemetryMeter | undefined;
  } = {},
): (event: CountedEvent) => void {
  const meter = options.meter ?? api.metrics.getMeter(SCOPE);
  const sessions = meter.createUpDownCounter("mcpgen.http.server.sessions", {
    description: "Sessions that are open.",
    unit: "{session}",
  });
  const refused = meter.createCounter("mcpgen.http.server.refused_requests", {
    description: "HTTP requests that were rejected before the server saw them.",
    unit: "{request}",
  });
  const failures = meter.createCounter("mcpgen.http.server.failures", {
    description: "Errors that hooks or the server's factory threw.",
    unit: "{failure}",
  });
  return ({ kind, status, error }) => {
    if (kind === "sessionOpened") sessions.add(1);
    else if (kind === "sessionClosed") sessions.add(-1);
    else if (kind === "refused" && status !== undefined)
      refused.add(1, { "http.response.status_code": status });
    else if (kind === "failed")
      failures.add(1, { "error.type": errorTypeOf(error) });
  };
}

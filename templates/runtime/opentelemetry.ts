export { httpMetrics } from "./opentelemetry/http.js";
export { openTelemetry } from "./opentelemetry/instrument.js";
export type { OpenTelemetryOptions } from "./opentelemetry/instrument.js";
export type {
  OpenTelemetryApi,
  TelemetryAttributes,
  TelemetryContext,
  TelemetryMeter,
  TelemetrySpan,
  TelemetryTracer,
} from "./opentelemetry/api.js";

/** What is used of the package `@opentelemetry/api`, as types, so that generated code does not import it. */

/** The name under which spans and metrics are recorded. */
export const SCOPE = "mcpgen";

/** Values of `SpanKind` in the API. */
export const SPAN_KIND = { SERVER: 1, CLIENT: 2 } as const;

/** `SpanStatusCode.ERROR` of the API. */
export const STATUS_ERROR = 2;

/** An immutable set of values that follows a call, such as its span. */
export interface TelemetryContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): TelemetryContext;
  deleteValue(key: symbol): TelemetryContext;
}

/** Attributes of a span or a measurement. */
export type TelemetryAttributes = Record<string, string | number | boolean>;

/** Identifies a span across processes. */
export interface TelemetrySpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** A span. */
export interface TelemetrySpan {
  spanContext(): TelemetrySpanContext;
  isRecording(): boolean;
  setAttributes(attributes: TelemetryAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

/** Starts spans. */
export interface TelemetryTracer {
  startSpan(
    name: string,
    options: {
      kind: number;
      attributes: TelemetryAttributes;
      links: { context: TelemetrySpanContext }[];
    },
    context: TelemetryContext,
  ): TelemetrySpan;
}

/** Records durations. */
export interface TelemetryHistogram {
  record(
    value: number,
    attributes: TelemetryAttributes,
    context?: TelemetryContext,
  ): void;
}

/** Counts. */
export interface TelemetryCounter {
  add(value: number, attributes?: TelemetryAttributes): void;
}

/** How an instrument is described. */
export interface TelemetryInstrumentOptions {
  description: string;
  unit: string;
  advice?: { explicitBucketBoundaries: number[] };
}

/** Creates metrics. */
export interface TelemetryMeter {
  createHistogram(
    name: string,
    options: TelemetryInstrumentOptions,
  ): TelemetryHistogram;
  createCounter(
    name: string,
    options: TelemetryInstrumentOptions,
  ): TelemetryCounter;
  createUpDownCounter(
    name: string,
    options: TelemetryInstrumentOptions,
  ): TelemetryCounter;
}

/** The package `@opentelemetry/api`, version 1.3 or later, as `import * as api from "@opentelemetry/api"` has it. */
export interface OpenTelemetryApi {
  readonly context: {
    active(): TelemetryContext;
    with<T>(context: TelemetryContext, action: () => T): T;
  };
  readonly trace: {
    getTracer(name: string): TelemetryTracer;
    setSpan(context: TelemetryContext, span: TelemetrySpan): TelemetryContext;
    deleteSpan(context: TelemetryContext): TelemetryContext;
    getSpanContext(context: TelemetryContext): TelemetrySpanContext | undefined;
    isSpanContextValid(spanContext: TelemetrySpanContext): boolean;
  };
  readonly metrics: { getMeter(name: string): TelemetryMeter };
  readonly propagation: {
    inject<Carrier>(
      context: TelemetryContext,
      carrier: Carrier,
      setter: {
        set(carrier: Carrier, key: string, value: string): void;
      },
    ): void;
    extract<Carrier>(
      context: TelemetryContext,
      carrier: Carrier,
      getter: {
        keys(carrier: Carrier): string[];
        get(carrier: Carrier, key: string): string | undefined;
      },
    ): TelemetryContext;
  };
}

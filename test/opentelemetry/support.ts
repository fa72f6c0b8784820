/** Clients and servers whose spans and metrics are kept in memory. */
import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { HistogramMetricData, MetricData } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { revision as older } from '../../generated/2025-11-25/revision.js';
import { createClient, type Client, type ClientOptions } from '../../generated/2026-07-28/client.js';
import { revision as latest } from '../../generated/2026-07-28/revision.js';
import { createServer, type ServerOptions } from '../../generated/2026-07-28/server.js';
import { memoryPair, type Revision } from '../../generated/runtime/index.js';
import { openTelemetry, type OpenTelemetryOptions } from '../../generated/runtime/opentelemetry.js';

export { api, latest, older };

const info = { name: 'test', version: '1' };
let exporter: InMemorySpanExporter;
let metricExporter: InMemoryMetricExporter;
let reader: PeriodicExportingMetricReader;

/** Registers the SDK for the tests of a file. */
export function useTelemetry(): void {
  beforeAll(() => {
    exporter = new InMemorySpanExporter();
    metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
    reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 30 });
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    api.propagation.setGlobalPropagator(
      new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
    );
    api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  });
  beforeEach(async () => {
    await metrics();
    exporter.reset();
  });
  afterAll(async () => {
    await reader.shutdown();
    for (const part of [api.context, api.propagation, api.trace, api.metrics]) part.disable();
  });
}

/** The spans that have ended, in the order of their ends. */
export function spans(): readonly ReadableSpan[] {
  return exporter.getFinishedSpans();
}

/** The span of a message on one side. */
export function spanOf(name: string, kind: api.SpanKind): ReadableSpan {
  const [found, ...others] = spans().filter((span) => span.name === name && span.kind === kind);
  if (found === undefined || others.length > 0)
    throw new Error(
      `not one span ${name} among ${spans()
        .map((span) => span.name)
        .join()}`,
    );
  return found;
}

/** Both spans of a message. */
export function sidesOf(name: string): readonly [client: ReadableSpan, server: ReadableSpan] {
  return [spanOf(name, api.SpanKind.CLIENT), spanOf(name, api.SpanKind.SERVER)];
}

/** Metrics since the last call, by name. */
export async function metrics(): Promise<ReadonlyMap<string, MetricData>> {
  metricExporter.reset();
  await reader.forceFlush();
  const data = metricExporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return new Map(data.map((metric) => [metric.descriptor.name, metric]));
}

/** The attributes of a metric's measurements. */
export function attributesIn(metric: MetricData | undefined): readonly object[] {
  return (metric as HistogramMetricData | undefined)?.dataPoints.map(({ attributes }) => attributes) ?? [];
}

/** A server that is observed. */
export function tracedServer(options: Partial<ServerOptions>, telemetry?: OpenTelemetryOptions) {
  return createServer({
    info,
    revisions: [older, latest],
    handlers: {},
    instrument: openTelemetry(api, telemetry),
    ...options,
  });
}

/** A client that is observed and not yet connected. */
export function tracedClient(options: Partial<ClientOptions>, telemetry?: OpenTelemetryOptions): Client {
  return createClient({ info, instrument: openTelemetry(api, telemetry), ...options });
}

/** An observed client, connected to an observed server in this process. */
export async function connectedPair(
  revision: Revision,
  server: Partial<ServerOptions>,
  client: Partial<ClientOptions> = {},
  telemetry?: OpenTelemetryOptions,
) {
  const [clientSide, serverSide] = memoryPair();
  const traced = tracedServer(server, telemetry);
  await traced.connect(serverSide);
  const connected = tracedClient({ revisions: [revision], ...client }, telemetry);
  await connected.connect(clientSide);
  return {
    client: connected,
    server: traced,
    close: async () => {
      await connected.close();
      await traced.close();
    },
  };
}

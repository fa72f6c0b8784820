/** Spans and metrics of connections. */
import { safeInstrument } from "../jsonrpc/instrument.js";
import type {
  ConnectionObserver,
  Observation,
  ObservedConnection,
  OutgoingObservation,
  Outcome,
  SafeInstrument,
} from "../jsonrpc/instrument.js";
import type { ClientConnectionEvent } from "../jsonrpc/connection-events.js";
import type { Notification, Request } from "../jsonrpc/message.js";
import { SCOPE, SPAN_KIND, STATUS_ERROR } from "./api.js";
import type {
  OpenTelemetryApi,
  TelemetryAttributes,
  TelemetryContext,
  TelemetryHistogram,
  TelemetryMeter,
  TelemetrySpan,
  TelemetrySpanContext,
  TelemetryTracer,
} from "./api.js";
import {
  MetricNames,
  contentOf,
  describe,
  errorTypeOf,
  networkAttributes,
  outcomeAttributes,
  revisionIn,
} from "./attributes.js";
import type { DescribedMessage } from "./attributes.js";
import { extract, inject } from "./propagation.js";

/** What is recorded, and how. */
export interface OpenTelemetryOptions {
  /** Starts the spans; by default, the tracer with the name `mcpgen`. */
  readonly tracer?: TelemetryTracer | undefined;
  /** Creates the metrics; by default, the meter with the name `mcpgen`. */
  readonly meter?: TelemetryMeter | undefined;
  /**
   * Which methods to record, such as `(method) => method !== "ping"`; all by default. Others have no trace context
   * either.
   */
  readonly includes?: ((method: string) => boolean) | undefined;
  /**
   * Records arguments and results of tool calls on spans, as JSON of at most 65,536 characters: `gen_ai.tool.call.arguments`
   * and `gen_ai.tool.call.result`. They may contain personal data and secrets. Off by default.
   */
  readonly recordsContent?: boolean | undefined;
  /**
   * Records `mcp.session.id` on spans. On by default; set it to false if whoever reads traces must not know the ids of
   * open sessions.
   */
  readonly recordsSessionId?: boolean | undefined;
  /**
   * What the trace context of received messages becomes: the `parent` of their spans, a `link` for servers whose
   * clients should not decide what is sampled, or nothing with `ignore`. `parent` by default; baggage is used only then.
   */
  readonly remoteContext?: "parent" | "link" | "ignore" | undefined;
}

/**
 * Records spans and metrics by the OpenTelemetry semantic conventions for MCP, and passes the trace context in `_meta`.
 *
 *     import * as api from "@opentelemetry/api";
 *     const server = createServer({ ..., instrument: openTelemetry(api) });
 *
 * One instrument serves any number of servers and clients. Spans: one of kind `CLIENT` where a message is sent, and one
 * of kind `SERVER` where it is handled, which is active in handlers. Metrics, in seconds:
 * `mcp.client.operation.duration`, `mcp.server.operation.duration`, `mcp.client.session.duration` and
 * `mcp.server.session.duration`; sessions exist in stateful revisions only.
 *
 * @param api - `import * as api from "@opentelemetry/api"`.
 * @returns The option `instrument` of servers and clients.
 */
export function openTelemetry(
  api: OpenTelemetryApi,
  options: OpenTelemetryOptions = {},
): SafeInstrument {
  const telemetry = new Telemetry(api, options);
  return safeInstrument({
    observe: (connection) => new TracedConnection(telemetry, connection),
  });
}

/** `ExplicitBucketBoundaries` of all durations in the conventions. */
const BUCKETS = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
];

type Role = "client" | "server";

/** What all connections share. */
class Telemetry {
  readonly api: OpenTelemetryApi;
  readonly options: OpenTelemetryOptions;
  readonly tracer: TelemetryTracer;
  readonly operations: Readonly<Record<Role, TelemetryHistogram>>;
  readonly sessions: Readonly<Record<Role, TelemetryHistogram>>;
  readonly names = new MetricNames();

  constructor(api: OpenTelemetryApi, options: OpenTelemetryOptions) {
    this.api = api;
    this.options = options;
    this.tracer = options.tracer ?? api.trace.getTracer(SCOPE);
    const meter = options.meter ?? api.metrics.getMeter(SCOPE);
    const histogram = (name: string, description: string): TelemetryHistogram =>
      meter.createHistogram(name, {
        description,
        unit: "s",
        advice: { explicitBucketBoundaries: BUCKETS },
      });
    this.operations = {
      client: histogram(
        "mcp.client.operation.duration",
        "Duration of a request or notification, from sending it to the response or its acceptance.",
      ),
      server: histogram(
        "mcp.server.operation.duration",
        "Duration of a request or notification, from its arrival to the response or the end of its handlers.",
      ),
    };
    this.sessions = {
      client: histogram(
        "mcp.client.session.duration",
        "Duration of a session, as a client observes it.",
      ),
      server: histogram(
        "mcp.server.session.duration",
        "Duration of a session, as a server observes it.",
      ),
    };
  }
}

class TracedConnection implements ConnectionObserver {
  readonly #telemetry: Telemetry;
  readonly #connection: ObservedConnection;
  readonly #openedAt = performance.now();
  readonly #network: TelemetryAttributes;
  /** The newest revision that was seen, for messages that do not name theirs. */
  #revision: string | undefined;
  /** Why the client no longer tries to reach the server. */
  #failure: string | undefined;

  constructor(telemetry: Telemetry, connection: ObservedConnection) {
    this.#telemetry = telemetry;
    this.#connection = connection;
    this.#network = networkAttributes(connection.transport.network);
  }

  send(message: Request | Notification): OutgoingObservation | undefined {
    const { api, tracer, options } = this.#telemetry;
    if (options.includes?.(message.method) === false) return undefined;
    const described = describe(message);
    const parent = api.context.active();
    const span = tracer.startSpan(
      described.spanName,
      {
        kind: SPAN_KIND.CLIENT,
        attributes: this.#startAttributes(message, described),
        links: [],
      },
      parent,
    );
    const context = api.trace.setSpan(parent, span);
    return {
      ...this.#observation("client", message, described, span, context),
      params: inject(api, context, message.params),
    };
  }

  receive(message: Request | Notification): Observation | undefined {
    const { api, tracer, options } = this.#telemetry;
    if (options.includes?.(message.method) === false) return undefined;
    const described = describe(message);
    const { parent, links } = this.#originOf(message);
    const span = tracer.startSpan(
      described.spanName,
      {
        kind: SPAN_KIND.SERVER,
        attributes: this.#startAttributes(message, described),
        links: links.map((context) => ({ context })),
      },
      parent,
    );
    const context = api.trace.setSpan(parent, span);
    return this.#observation("server", message, described, span, context);
  }

  handleEvent(event: ClientConnectionEvent): void {
    if (event.kind === "gaveUp") this.#failure = errorTypeOf(event.error);
    else if (event.kind === "sessionRenewed") this.#failure = undefined;
  }

  close(): void {
    const { side, revision, transport } = this.#connection;
    if (
      side === undefined ||
      revision === undefined ||
      transport.network?.isSingleMessage === true
    )
      return;
    this.#telemetry.sessions[side].record(secondsSince(this.#openedAt), {
      "mcp.protocol.version": revision,
      ...this.#network,
      ...(this.#failure === undefined ? {} : { "error.type": this.#failure }),
    });
  }

  /**
   * The parent of a received message's span, and what to link: the sender's span is the parent, and one that is active,
   * such as that of the HTTP request, is linked.
   */
  #originOf(message: Request | Notification): {
    readonly parent: TelemetryContext;
    readonly links: readonly TelemetrySpanContext[];
  } {
    const { api, options } = this.#telemetry;
    const { side, transport } = this.#connection;
    const mode = options.remoteContext ?? "parent";
    const active = api.context.active();
    // What is active may be the parent only where each message has an HTTP request: a pipe is read in whatever was active
    // when it was opened.
    const isInHttpRequest =
      side === "server" && transport.network?.protocol === "http";
    const base = isInHttpRequest ? active : api.trace.deleteSpan(active);
    const sent = mode === "ignore" ? base : extract(api, base, message);
    const parent = mode === "parent" ? sent : base;
    const parentId = this.#validSpan(parent)?.spanId;
    const candidates = [this.#validSpan(sent), this.#validSpan(active)];
    return {
      parent,
      links: candidates.filter(
        (span, index): span is TelemetrySpanContext =>
          span !== undefined &&
          span.spanId !== parentId &&
          (index === 0 || span.spanId !== candidates[0]?.spanId),
      ),
    };
  }

  #validSpan(context: TelemetryContext): TelemetrySpanContext | undefined {
    const { trace } = this.#telemetry.api;
    const span = trace.getSpanContext(context);
    return span !== undefined && trace.isSpanContextValid(span)
      ? span
      : undefined;
  }

  #startAttributes(
    message: Request | Notification,
    { common, spanOnly, toolArguments }: DescribedMessage,
  ): TelemetryAttributes {
    const attributes = {
      ...common,
      ...spanOnly,
      ...this.#connectionAttributes(revisionIn(message)),
      ...this.#sessionAttributes(),
    };
    if (this.#telemetry.options.recordsContent === true) {
      const content = contentOf(toolArguments);
      if (content !== undefined)
        attributes["gen_ai.tool.call.arguments"] = content;
    }
    return attributes;
  }

  #connectionAttributes(named: string | undefined): TelemetryAttributes {
    this.#revision = named ?? this.#connection.revision ?? this.#revision;
    return this.#revision === undefined
      ? this.#network
      : { "mcp.protocol.version": this.#revision, ...this.#network };
  }

  #sessionAttributes(): TelemetryAttributes {
    const { sessionId } = this.#connection.transport;
    return sessionId === undefined ||
      this.#telemetry.options.recordsSessionId === false
      ? {}
      : { "mcp.session.id": sessionId };
  }

  #observation(
    role: Role,
    message: Request | Notification,
    described: DescribedMessage,
    span: TelemetrySpan,
    context: TelemetryContext,
  ): Observation {
    const { api } = this.#telemetry;
    const startedAt = performance.now();
    return {
      run: (action) => api.context.with(context, action),
      end: (outcome) => {
        const failure = outcomeAttributes(message.method, outcome);
        const connection = this.#connectionAttributes(
          agreedRevision(message, outcome) ?? revisionIn(message),
        );
        this.#endSpan(span, message, outcome, { ...failure, ...connection });
        const { names, operations } = this.#telemetry;
        operations[role].record(
          secondsSince(startedAt),
          {
            ...(role === "server"
              ? names.bounded(described.common, outcome)
              : described.common),
            ...connection,
            ...failure,
          },
          context,
        );
      },
    };
  }

  #endSpan(
    span: TelemetrySpan,
    { method }: Request | Notification,
    outcome: Outcome,
    attributes: TelemetryAttributes,
  ): void {
    if (span.isRecording()) {
      const isError = "error.type" in attributes;
      // The session has an id only once `initialize` was answered.
      span.setAttributes({ ...attributes, ...this.#sessionAttributes() });
      if (isError)
        span.setStatus({
          code: STATUS_ERROR,
          ...(outcome.kind === "error" ? { message: outcome.message } : {}),
        });
      else if (
        method === "tools/call" &&
        outcome.kind === "result" &&
        this.#telemetry.options.recordsContent === true
      ) {
        const content = contentOf(outcome.result);
        if (content !== undefined)
          span.setAttributes({ "gen_ai.tool.call.result": content });
      }
    }
    span.end();
  }
}

/** The revision in the response to `initialize`. */
function agreedRevision(
  { method }: Request | Notification,
  outcome: Outcome,
): string | undefined {
  if (method !== "initialize" || outcome.kind !== "result") return undefined;
  const { protocolVersion } = (outcome.result ?? {}) as {
    readonly protocolVersion?: unknown;
  };
  return typeof protocolVersion === "string" ? protocolVersion : undefined;
}

function secondsSince(time: number): number {
  return (performance.now() - time) / 1000;
}

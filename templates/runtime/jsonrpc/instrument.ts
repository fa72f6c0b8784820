/** Observing the messages of connections, for tracing and metrics. */
import type { ClientConnectionEvent } from "./connection-events.js";
import { RpcError } from "./error-codes.js";
import type { Message, Notification, Request } from "./message.js";
import type { SendOptions, Transport } from "./transport.js";

/**
 * Observes connections, such as for tracing; {@link safeInstrument} makes it an option of servers and clients.
 *
 * A connection without one does no work for it.
 */
export interface Instrument {
  /** Called for each connection, before its transport starts. Returns undefined to leave it out. */
  observe(connection: ObservedConnection): ConnectionObserver | undefined;
}

/** The option `instrument` of servers and clients, from {@link safeInstrument}. */
export interface SafeInstrument {
  /** @internal */
  readonly create: (
    connection: ObservedConnection,
  ) => SafeConnectionObserver | undefined;
}

/**
 * The option `instrument` of servers and clients: ignores what the instrument throws, so that telemetry cannot break a
 * call.
 */
export function safeInstrument(instrument: Instrument): SafeInstrument {
  return { create: (connection) => observe(instrument, connection) };
}

/** What an instrument may ask about a connection, at any time. */
export interface ObservedConnection {
  /** Which side this is; undefined in protocols without these roles. */
  readonly side: "client" | "server" | undefined;
  /** The agreed revision of a stateful session; undefined before `initialize`, and in stateless revisions. */
  readonly revision: string | undefined;
  readonly transport: Pick<Transport, "network" | "sessionId">;
}

/** Observes one connection. */
export interface ConnectionObserver {
  /** This side sends a request or a notification. Returns undefined to leave it out. */
  send(message: Request | Notification): OutgoingObservation | undefined;
  /** A request or a notification has arrived. Its params have not been validated. */
  receive(message: Request | Notification): Observation | undefined;
  /** The transport reports an event. */
  handleEvent?(event: ClientConnectionEvent): void;
  /** The connection is closed. Called once. */
  close(): void;
}

/** Observes one request or notification. */
export interface Observation {
  /** Runs what sends or handles the message, and returns its result. */
  run<T>(action: () => T): T;
  /** Called once: with the response, or when there will be none. */
  end(outcome: Outcome): void;
}

/** Observes a request or notification that this side sends. */
export interface OutgoingObservation extends Observation {
  /** The params to send. */
  readonly params: object | undefined;
}

/** How a request or notification ended. */
export type Outcome =
  /** A result; undefined for a notification. */
  | { readonly kind: "result"; readonly result: object | undefined }
  /** The error of a response. */
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** Cancelled, by either side. */
  | { readonly kind: "cancelled" }
  /** There is no response: a timeout, a closed connection, or a notification whose handler threw. */
  | { readonly kind: "failed"; readonly error: unknown };

/** Observes a connection with an instrument; undefined if that leaves it out. */
function observe(
  instrument: Instrument,
  connection: ObservedConnection,
): SafeConnectionObserver | undefined {
  const observer = guarded(() => instrument.observe(connection));
  return observer === undefined
    ? undefined
    : new SafeConnectionObserver(observer);
}

/** An observer whose failures are ignored. */
export class SafeConnectionObserver {
  readonly #observer: ConnectionObserver;

  constructor(observer: ConnectionObserver) {
    this.#observer = observer;
  }

  send<M extends Request | Notification>(
    message: M,
  ): SentMessage<M> | undefined {
    const observation = guarded(() => this.#observer.send(message));
    return observation === undefined
      ? undefined
      : new SentMessage(message, observation);
  }

  receive(message: Request | Notification): ReceivedMessage | undefined {
    const observation = guarded(() => this.#observer.receive(message));
    return observation === undefined
      ? undefined
      : new ReceivedMessage(observation);
  }

  handleEvent(event: ClientConnectionEvent): void {
    guarded(() => this.#observer.handleEvent?.(event));
  }

  close(): void {
    guarded(() => {
      this.#observer.close();
    });
  }
}

/** An observed message. It ends once, whatever is called after that. */
export class ObservedMessage {
  readonly #observation: Observation;
  #hasEnded = false;

  constructor(observation: Observation) {
    this.#observation = observation;
  }

  /** Runs the action exactly once, even if the observation fails. */
  run<T>(action: () => T): T {
    let outcome:
      { readonly value: T } | { readonly error: unknown } | undefined;
    guarded(() => {
      this.#observation.run(() => {
        if (outcome !== undefined) return;
        try {
          outcome = { value: action() };
        } catch (error) {
          outcome = { error };
        }
      });
    });
    if (outcome === undefined) return action();
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }

  end(outcome: Outcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    guarded(() => {
      this.#observation.end(outcome);
    });
  }
}

/** An observed request or notification of this side. */
export class SentMessage<
  M extends Request | Notification = Request | Notification,
> extends ObservedMessage {
  /** The message to send. */
  readonly message: M;

  constructor(message: M, observation: OutgoingObservation) {
    super(observation);
    const { params } = observation;
    this.message =
      params === undefined || params === message.params
        ? message
        : Object.assign({}, message, { params });
  }

  /** Sends a message. A notification ends when the transport accepts it, since it has no response. */
  send(
    transport: Transport,
    message: Message,
    options: SendOptions | undefined,
  ): Promise<void> | void {
    const isNotification = !("id" in message);
    let sent: Promise<void> | void;
    try {
      sent = this.run(() => transport.send(message, options));
    } catch (error) {
      if (isNotification) this.end({ kind: "failed", error });
      throw error;
    }
    if (!isNotification) return sent;
    if (!(sent instanceof Promise)) this.end(DELIVERED);
    else
      sent.then(
        () => {
          this.end(DELIVERED);
        },
        (error: unknown) => {
          this.end({ kind: "failed", error });
        },
      );
    return sent;
  }

  /** A function that ends it with a result, and passes that on. */
  resolving(resolve: (result: object) => void): (result: object) => void {
    return (result) => {
      this.end({ kind: "result", result });
      resolve(result);
    };
  }

  /** A function that ends it with an error, and passes that on. */
  rejecting(
    reject: (error: unknown) => void,
    signal: AbortSignal | undefined,
  ): (error: unknown) => void {
    return (error) => {
      this.end(
        signal?.aborted === true && error === signal.reason
          ? { kind: "cancelled" }
          : error instanceof RpcError
            ? { kind: "error", code: error.code, message: error.message }
            : { kind: "failed", error },
      );
      reject(error);
    };
  }
}

/** An observed request or notification of the other side. */
export class ReceivedMessage extends ObservedMessage {
  #running = 1;
  #failure: { readonly error: unknown } | undefined;

  /** A handler of the notification starts. */
  hold(): void {
    this.#running += 1;
  }

  /** A handler of the notification, or the code that starts them, has ended. The last one ends the observation. */
  release(failure?: { readonly error: unknown }): void {
    this.#failure ??= failure;
    this.#running -= 1;
    if (this.#running > 0) return;
    this.end(
      this.#failure === undefined
        ? DELIVERED
        : { kind: "failed", error: this.#failure.error },
    );
  }
}

const DELIVERED: Outcome = { kind: "result", result: undefined };

function guarded<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Sends responses, including those that cannot be serialized. */
import type { EndpointEvent } from "./endpoint-options.js";
import { STANDARD_ERROR_CODES } from "./error-codes.js";
import {
  errorClassName,
  errorMessage,
  isUnsupportedCall,
  replaceUnserializable,
  serializationErrorOf,
} from "./handler-errors.js";
import type { InboundRequest } from "./inbound-request.js";
import type { Outcome } from "./instrument.js";
import type { ErrorObject, Message, RequestId, Response } from "./message.js";

/** What sending needs from its endpoint. */
export interface SendingEndpoint {
  isOpen(): boolean;
  /** Throws or rejects if the message cannot be sent. */
  send(
    message: Message | readonly Message[],
    relatedRequestId: RequestId | undefined,
  ): Promise<void> | void;
  /** Ends the exchange of a batch that gets no response. */
  endUnanswered(): void;
  emit(event: EndpointEvent): void;
}

/**
 * Every request gets at most one response, and one that cannot be serialized is replaced by an error, so that the
 * caller does not wait forever. Details of a thrown error are not sent unless its message may be exposed.
 */
export class ResponseSender {
  readonly #exposeErrors: boolean;
  readonly #endpoint: SendingEndpoint;

  constructor(exposeErrors: boolean, endpoint: SendingEndpoint) {
    this.#exposeErrors = exposeErrors;
    this.#endpoint = endpoint;
  }

  send(inbound: InboundRequest, response: Response): void {
    this.#send(inbound, response);
    // After sending, since a response that cannot be serialized has become an error.
    inbound.observed?.end(outcomeOf(response));
  }

  #send(inbound: InboundRequest, response: Response): void {
    if (inbound.batch !== undefined) {
      inbound.batch.addResponse(response);
      return;
    }
    try {
      const sent = this.#endpoint.send(response, inbound.request.id);
      if (sent instanceof Promise)
        sent.catch((error: unknown) => {
          this.#handleFailure(inbound, response, error);
        });
    } catch (error) {
      this.#handleFailure(inbound, response, error);
    }
  }

  #handleFailure(
    inbound: InboundRequest,
    response: Response,
    error: unknown,
  ): void {
    const failure = this.#endpoint.isOpen()
      ? serializationErrorOf(response)
      : undefined;
    if (failure === undefined) {
      this.#endpoint.emit({ kind: "transportFailed", error });
      return;
    }
    const { reason } = failure;
    const { method } = inbound.request;
    this.#endpoint.emit({ kind: "handlerFailed", method, error: reason });
    this.sendError(inbound, this.internalError(reason));
  }

  /** Sends what needs no answer to its failure: that is reported as an event. */
  #sendOrReport(
    message: Message | readonly Message[],
    relatedRequestId: RequestId | undefined,
    onFailure = (error: unknown): void => {
      this.#endpoint.emit({ kind: "transportFailed", error });
    },
  ): void {
    try {
      const sent = this.#endpoint.send(message, relatedRequestId);
      if (sent instanceof Promise) sent.catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  }

  sendError(inbound: InboundRequest, error: ErrorObject): void {
    const { id } = inbound.request;
    const response: Response = { jsonrpc: "2.0", id, error };
    if (inbound.batch === undefined) this.#sendOrReport(response, id);
    else inbound.batch.addResponse(response);
    inbound.observed?.end(outcomeOf(response));
  }

  /** Sends the responses of a batch; an error replaces only those that cannot be serialized. */
  sendBatch(responses: readonly Response[]): void {
    if (responses.length === 0) {
      this.#endpoint.endUnanswered();
      return;
    }
    this.#sendOrReport(responses, undefined, (error) => {
      const writable = this.#endpoint.isOpen()
        ? replaceUnserializable(responses, (reason) => {
            const method = "a member of a batch";
            this.#endpoint.emit({
              kind: "handlerFailed",
              method,
              error: reason,
            });
            return this.internalError(reason);
          })
        : undefined;
      if (writable === undefined)
        this.#endpoint.emit({ kind: "transportFailed", error });
      else this.#sendOrReport(writable, undefined);
    });
  }

  /** The error that a caller receives if a handler throws. */
  internalError(thrown: unknown): ErrorObject {
    return {
      code: STANDARD_ERROR_CODES.INTERNAL_ERROR,
      message:
        this.#exposeErrors || isUnsupportedCall(thrown)
          ? errorMessage(thrown)
          : "Internal error",
      data: { name: errorClassName(thrown) },
    };
  }
}

function outcomeOf(response: Response): Outcome {
  if ("result" in response) return { kind: "result", result: response.result };
  const { code, message } = response.error;
  return { kind: "error", code, message };
}

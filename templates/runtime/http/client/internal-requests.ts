import { isObject, responseIdOf } from "../../jsonrpc/envelope.js";
import type { UnknownObject } from "../../jsonrpc/envelope.js";
import { STREAM_TYPE } from "../headers.js";
import { mediaTypeOf, readBodyStart, readBodyText } from "./fetch.js";
import type { SentRequest } from "./messages.js";
import { MAX_ERROR_BYTES } from "./requester.js";
import type { HeaderList, Requester } from "./requester.js";
import { StreamPosition } from "./stream.js";
import type { ValueReader } from "./stream.js";

/** A request that the transport makes itself, with the headers of its POST. */
export interface InternalRequest {
  readonly request: SentRequest & { readonly jsonrpc: "2.0" };
  readonly headers: HeaderList;
  readonly signal: AbortSignal;
  /** Receives the response before its body is read. */
  readonly onResponse?: (response: Response) => void;
}

/** Makes the transport's own requests, whose responses are not delivered to the endpoint. */
export class InternalRequests {
  readonly #requester: Requester;
  readonly #reader: ValueReader;

  constructor(requester: Requester, reader: ValueReader) {
    this.#requester = requester;
    this.#reader = reader;
  }

  /**
   * @returns The response message, which has a result.
   * @throws HttpError if there is no result.
   */
  async send({
    request,
    headers,
    signal,
    onResponse,
  }: InternalRequest): Promise<UnknownObject> {
    const response = await this.#requester.fetch(
      "POST",
      headers,
      signal,
      request,
    );
    if (!response.ok) {
      const { text } = await readBodyStart(response, MAX_ERROR_BYTES);
      throw this.#requester.createError(
        response,
        `the server rejects ${request.method}`,
        text,
      );
    }
    onResponse?.(response);
    let answer: UnknownObject | undefined;
    const take = (value: unknown): void => {
      if (isObject(value) && responseIdOf(value) === request.id)
        answer ??= value;
    };
    if (mediaTypeOf(response) === STREAM_TYPE)
      await this.#reader.readEvents(response, new StreamPosition(), take);
    else {
      const text = await readBodyText(response, this.#reader.maxMessageBytes);
      const read = this.#reader.parse(text ?? "");
      if (typeof read !== "string") take(read.value);
    }
    if (answer === undefined || !("result" in answer))
      throw this.#requester.createError(
        response,
        `the server returned no result of ${request.method}`,
      );
    return answer;
  }
}

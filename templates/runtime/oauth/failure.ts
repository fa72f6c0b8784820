import {
  OperationProcessingError,
  ResponseBodyError,
  AuthorizationResponseError,
} from "oauth4webapi";
import { UnauthorizedError } from "../http/errors.js";

const MAX_SHOWN_CHARS = 400;

/** What failed. */
export interface Failure {
  /** The step of the flow: `token request to https://auth.example.com/token`. */
  readonly step: string;
  readonly reason: string;
  /** What the user or developer can do. */
  readonly remedy?: string | undefined;
}

/** The error of a flow for a server. It never has a cause: those of the OAuth library have response bodies. */
export function createFailure(
  server: URL,
  { step, reason, remedy }: Failure,
): UnauthorizedError {
  return new UnauthorizedError(
    `OAuth: ${step}: ${reason}${remedy === undefined ? "" : `; ${remedy}`}`,
    { method: "POST", url: server },
  );
}

/** Text of another party in quotes: one line of printable characters, without secrets. */
export function quote(text: string, secrets: readonly string[] = []): string {
  let shown = text;
  for (const secret of secrets)
    if (secret !== "") shown = shown.replaceAll(secret, "[secret]");
  shown = shown.replace(/[\s\p{C}]+/gu, " ").trim();
  return JSON.stringify(
    shown.length > MAX_SHOWN_CHARS
      ? `${shown.slice(0, MAX_SHOWN_CHARS)}...`
      : shown,
  );
}

/** The code of an OAuth error response, such as `invalid_grant`; undefined if it is another failure. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof ResponseBodyError ||
    error instanceof AuthorizationResponseError
    ? error.error
    : undefined;
}

/** Why an operation of the OAuth library failed, without secrets that were part of the request. */
export function describeError(
  error: unknown,
  secrets: readonly string[] = [],
): string {
  if (
    error instanceof ResponseBodyError ||
    error instanceof AuthorizationResponseError
  ) {
    const { error: code, error_description: description } = error;
    return description === undefined || description === ""
      ? quote(code, secrets)
      : `${quote(code, secrets)} (${quote(description, secrets)})`;
  }
  // Messages of the library are fixed texts; what varies is in their causes.
  if (error instanceof OperationProcessingError) {
    const { cause } = error;
    const text = error.message.replace(/"response" (?:body )?/g, "");
    return cause instanceof Response
      ? `${text}, ${cause.status}`
      : `the response is invalid: ${text}`;
  }
  return error instanceof Error && error.message !== ""
    ? quote(error.message, secrets)
    : "it failed";
}

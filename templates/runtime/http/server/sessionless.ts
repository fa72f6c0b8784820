import { VERSION_WITHOUT_HEADER } from "../../protocol/version-rules.js";
import { methodOf } from "../../jsonrpc/envelope.js";
import { classifyMessage } from "../../jsonrpc/parse.js";
import {
  newestRevision,
  truncate,
  versionOf,
} from "../../protocol/revision.js";
import type { Revision } from "../../protocol/revision.js";
import { HTTP_HEADERS } from "../headers.js";
import { isRequestWithInvalidParams } from "./context.js";
import type { HttpContext } from "./context.js";
import type { Responder } from "./responder.js";
import type { SingleRequests } from "./single-requests.js";
import type { AnyServer } from "./types.js";

/**
 * Serves stateful revisions without sessions.
 *
 * Each POST gets a connection in the revision that its header names, as if it had been initialized.
 * No state is kept between requests.
 */
export class SessionlessEndpoint {
  readonly #responder: Responder;
  readonly #singleRequests: SingleRequests;

  constructor(responder: Responder, singleRequests: SingleRequests) {
    this.#responder = responder;
    this.#singleRequests = singleRequests;
  }

  /** A stateful revision without sessions: as if the client had initialized before each request. */
  async post(
    context: HttpContext,
    value: unknown,
    server: AnyServer,
  ): Promise<void> {
    const stateful = server.revisions.filter(({ isStateless }) => !isStateless);
    const header = context.call.header("mcp-protocol-version");
    const isInitialize = methodOf(value) === "initialize";
    const version =
      header ??
      stateful.find((revision) => revision.version === VERSION_WITHOUT_HEADER)
        ?.version ??
      newestRevision(stateful).version;
    const revision = stateful.find((item) => item.version === version);
    if (revision === undefined && !isInitialize) {
      this.#refuseVersion(context, version, stateful);
      return;
    }
    const { classify } = revision ?? newestRevision(stateful);
    const parsed = classifyMessage(value, { classify });
    const expectsResponse =
      parsed.kind === "request" ||
      isRequestWithInvalidParams(parsed) ||
      (parsed.kind === "batch" &&
        parsed.members.some(
          (member) => member.kind === "request" || member.kind === "invalid",
        ));
    if (parsed.kind === "invalid" && !expectsResponse) {
      this.#responder.refuseInvalid(context, parsed, version);
      return;
    }
    await this.#singleRequests.serve(
      context,
      value,
      server,
      isInitialize ? undefined : version,
      expectsResponse,
      () => 200,
    );
  }

  #refuseVersion(
    { call, headers }: HttpContext,
    version: string,
    revisions: readonly Revision[],
  ): void {
    this.#responder.refuse(
      call,
      headers,
      400,
      `Bad Request: ${HTTP_HEADERS.PROTOCOL_VERSION} is ${truncate(version)}, not one of ${revisions.map(versionOf).join(", ")}`,
    );
  }
}

/** The client capabilities that a request to the client needs. */
import { missingCapability } from "../protocol/revision.js";

/** What the context of a handler knows about its client. */
interface RequestOfClient {
  readonly client: { readonly capabilities: object };
}

/**
 * Whether the client of a request can ask its user: check it before `requireInput` with `elicitation/create`.
 *
 * @param mode - `form` for a form that the user fills in, `url` for a visit to a URL.
 */
export function canElicit(
  { client }: RequestOfClient,
  mode: "form" | "url" = "form",
): boolean {
  return hasCapability(client, "elicitation/create", { mode }, "elicitation");
}

/** Whether the client of a request can ask its language model: check it before `sampling/createMessage`. */
export function canSample({ client }: RequestOfClient): boolean {
  return hasCapability(client, "sampling/createMessage", {}, "sampling");
}

/** Whether the client of a request can list the folders that its user has opened: check it before `roots/list`. */
export function canListRoots({ client }: RequestOfClient): boolean {
  return hasCapability(client, "roots/list", {}, "roots");
}

function hasCapability(
  { capabilities }: RequestOfClient["client"],
  method: string,
  params: object,
  name: string,
): boolean {
  const needed = [`client.${name}`];
  return (
    missingClientCapability(method, params, needed, capabilities) === undefined
  );
}

/**
 * The first capability that a request to the client needs and the client has not declared.
 *
 * @param needed - What the method needs, whatever its params.
 */
export function missingClientCapability(
  method: string,
  params: object | undefined,
  needed: readonly string[],
  declared: object,
): string | undefined {
  return missingCapability(
    capabilitiesNeededBy(method, params, needed, declared),
    "client",
    declared,
  );
}

/** The client capabilities that a request to the client needs, including those that depend on its params. */
function capabilitiesNeededBy(
  method: string,
  params: object | undefined,
  needed: readonly string[],
  declared: object,
): readonly string[] {
  const requested = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (method === "elicitation/create") {
    if (requested["mode"] === "url")
      return [...needed, "client.elicitation.url"];
    // A client that names modes supports those; one that names none supports forms.
    const namesUrl =
      missingCapability(["client.elicitation.url"], "client", declared) ===
      undefined;
    return namesUrl ? [...needed, "client.elicitation.form"] : needed;
  }
  if (
    method === "sampling/createMessage" &&
    (requested["tools"] !== undefined || requested["toolChoice"] !== undefined)
  )
    return [...needed, "client.sampling.tools"];
  return needed;
}

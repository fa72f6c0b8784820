/**
 * Which of the client's capabilities a request to it needs.
 */
import { missingCapability } from "../protocol/revision.js";

/** The client's capabilities that a request to it needs, with those that depend on what it asks for. */
export function capabilitiesNeededBy(
  method: string,
  params: object | undefined,
  needed: readonly string[],
  declared: object,
): readonly string[] {
  const requested = (params ?? {}) as Readonly<Record<string, unknown>>;
  if (method === "elicitation/create") {
    if (requested["mode"] === "url")
      return [...needed, "client.elicitation.url"];
    // A client that names modes has those; one that names none has forms.
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

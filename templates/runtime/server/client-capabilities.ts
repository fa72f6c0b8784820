/** The client capabilities that a request to the client needs. */
import { missingCapability } from "../protocol/revision.js";

/** The client capabilities that a request to the client needs, including those that depend on its params. */
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

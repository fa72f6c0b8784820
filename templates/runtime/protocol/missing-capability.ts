/** The error for a client that has not declared what a request needs. */
import { RpcError } from "../jsonrpc/error-codes.js";
import { STATELESS_ERROR_CODES, capabilitySteps } from "./revision.js";

/**
 * MCP 2026-07-28, error codes: `requiredCapabilities` has the form of the client's capabilities.
 *
 * @param capability - Its path, such as `client.elicitation.url`.
 */
export function missingCapabilityError(capability: string): RpcError {
  const names = capabilitySteps(capability).slice(1);
  let requiredCapabilities: object = {};
  for (const name of [...names].reverse())
    requiredCapabilities = { [name]: requiredCapabilities };
  return missingCapabilitiesError(names.join("."), requiredCapabilities);
}

/**
 * @param name - What is missing, for people.
 * @param requiredCapabilities - What the client has to declare.
 */
export function missingCapabilitiesError(
  name: string,
  requiredCapabilities: object,
): RpcError {
  return new RpcError(
    STATELESS_ERROR_CODES.MISSING_CLIENT_CAPABILITY,
    `Missing required client capability: ${name}`,
    { requiredCapabilities },
  );
}

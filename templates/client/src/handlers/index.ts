import type { ClientHandlers } from "../protocol.js";
import { elicitation } from "./elicitation.js"; // if: elicitation
import { roots } from "./roots.js"; // if: roots
import { sampling } from "./sampling.js"; // if: sampling

/** Handlers of the server's requests. The client declares the capabilities that they imply. */
export const handlers: ClientHandlers = {
  "elicitation/create": elicitation, // if: elicitation
  "roots/list": roots, // if: roots
  "sampling/createMessage": sampling, // if: sampling
};

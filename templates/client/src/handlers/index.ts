import type { ClientHandlers } from "../protocol.js";
import { elicitation } from "./elicitation.js"; // if: elicitation
import { roots } from "./roots.js"; // if: roots
import { sampling } from "./sampling.js"; // if: sampling

/** Answers to what a server may ask. The client declares what it has an answer to. */
export const handlers: ClientHandlers = {
  "elicitation/create": elicitation, // if: elicitation
  "roots/list": roots, // if: roots
  "sampling/createMessage": sampling, // if: sampling
};

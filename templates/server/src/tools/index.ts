import { book } from "./book.js"; // if: elicitation
import { count } from "./count.js"; // if: progress
import { folders } from "./folders.js"; // if: roots
import { greet } from "./greet.js";
import { roll } from "./roll.js"; // if: app
import { shout } from "./shout.js"; // if: logging
import { summarize } from "./summarize.js"; // if: sampling

/** The tools that the server offers, in the order in which they are listed. */
export const tools = [
  greet,
  count, // if: progress
  shout, // if: logging
  book, // if: elicitation
  summarize, // if: sampling
  folders, // if: roots
  roll, // if: app
];

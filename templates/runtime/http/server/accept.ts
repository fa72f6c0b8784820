import type { HttpCall } from "./call.js";

/** The content types that a client accepts. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** The result for the last `Accept` header, since nearly all clients send the same one. */
let lastAccept: string | undefined;
let lastAccepted: Accepted = { json: true, stream: true };

/** What the `Accept` header of a call lists. */
export function acceptedBy(call: HttpCall): Accepted {
  const accept = call.header("accept");
  if (accept !== lastAccept) {
    lastAccepted = {
      json: acceptsType(accept, "application/json"),
      stream: acceptsType(accept, "text/event-stream"),
    };
    lastAccept = accept;
  }
  return lastAccepted;
}

/** Whether a header accepts a type, by its most specific matching range (RFC 9110, 12.5.1). */
function acceptsType(accept: string | undefined, type: string): boolean {
  if (accept === undefined) return true;
  const family = type.slice(0, type.indexOf("/") + 1);
  let specificity = 0;
  let isAccepted = false;
  for (const item of accept.split(",")) {
    const end = item.indexOf(";");
    const range = (end < 0 ? item : item.slice(0, end)).trim().toLowerCase();
    const fit =
      range === type ? 3 : range === `${family}*` ? 2 : range === "*/*" ? 1 : 0;
    if (fit === 0 || fit < specificity) continue;
    const isRefused =
      end >= 0 && /;[ \t]*q=0(?:\.0*)?[ \t]*(?:;|$)/i.test(item);
    // Of two equally specific ranges, the one that accepts it counts.
    isAccepted = (fit === specificity && isAccepted) || !isRefused;
    specificity = fit;
  }
  return isAccepted;
}

/** The rules of MCP about every request, for the endpoints of clients and servers. */
import type {
  CancellationRule,
  ProgressRule,
} from "../jsonrpc/endpoint-options.js";

/** MCP, cancellation: a cancelled request is not answered, and `initialize` must not be cancelled. */
export const CANCELLATION: CancellationRule = {
  method: "notifications/cancelled",
  id: "requestId",
  reason: "reason",
  except: ["initialize"],
};

/** MCP, progress. */
export const PROGRESS: ProgressRule = {
  method: "notifications/progress",
  meta: "_meta",
  token: "progressToken",
};

import { inspect } from "node:util";
// if: tools|resources|prompts
import {
  promptHandlers, // if: prompts
  resourceHandlers, // if: resources
  toolHandlers, // if: tools
} from "./generated/runtime/registry.js";
// end
import { info } from "./info.js";
import { log } from "./log.js";
import { prompts } from "./prompts/index.js"; // if: prompts
import { createServer, revisions } from "./protocol.js";
import { resources } from "./resources/index.js"; // if: resources
import { settings } from "./settings.js"; // if: redis&stateless
import { tools } from "./tools/index.js"; // if: tools

/** The server, without a transport: `await buildServer().connect(transport)`. */
export function buildServer(): ReturnType<typeof createServer> {
  return createServer({
    info,
    revisions,
    capabilities: { logging: {} }, // if: logging
    requestState: { secret: settings.requestStateSecrets }, // if: redis&stateless
    handlers: {
      ...toolHandlers(tools), // if: tools
      ...resourceHandlers(resources), // if: resources
      ...promptHandlers(prompts), // if: prompts
    },
    onEvent: (event) => {
      // The client learns that a handler failed, but not why.
      if ("error" in event) log(`${event.kind}: ${inspect(event.error)}`);
      if (event.kind === "undeclaredNotification")
        log(
          `${event.method} is not sent: the server does not declare ${event.capability}`,
        );
      if (event.kind === "appWarning") log(event.reason); // if: tools
    },
  });
}

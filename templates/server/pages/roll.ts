// The page that shows the result of the tool `roll`. It runs in a frame of the host, and talks to the host only.
import {
  applyHostContext,
  watchSize,
} from "../src/generated/runtime/app-page.js";
import { postMessageTransport } from "../src/generated/runtime/post-message.js";
import { PROTOCOL_VERSION } from "../src/generated/ui/methods.js";
import type { CallToolResult } from "../src/generated/ui/types.js";
import { createView, type HostConnection } from "../src/generated/ui/view.js";

const dice = element("dice");
const status = element("status");
const again = element("again") as HTMLButtonElement;

/** The arguments of the call whose result is shown. */
let input: Record<string, unknown> = {};
let stopWatching = (): void => undefined;

const view = createView({
  handlers: {
    ping: () => ({}),
    // The host removes the page when this is answered.
    "ui/resource-teardown": () => {
      stopWatching();
      return {};
    },
  },
  notifications: {
    "ui/notifications/tool-input": (params) => {
      input = params.arguments ?? {};
      status.textContent = "Rolling…";
    },
    "ui/notifications/tool-result": (result) => {
      show(result);
    },
    "ui/notifications/tool-cancelled": () => {
      status.textContent = "The roll was cancelled.";
    },
    "ui/notifications/host-context-changed": (context) => {
      applyHostContext(context);
    },
  },
});

try {
  const { host, result } = await view.open(
    postMessageTransport(window.parent),
    {
      appInfo: { name: "roll", version: "1.0.0" },
      appCapabilities: {},
      protocolVersion: PROTOCOL_VERSION,
    },
  );
  applyHostContext(result.hostContext);
  stopWatching = watchSize((size) => {
    host.notify("ui/notifications/size-changed", size);
  });
  const { serverTools, updateModelContext } = result.hostCapabilities;
  again.hidden = serverTools === undefined;
  again.addEventListener("click", () => {
    void rollAgain(host, updateModelContext !== undefined);
  });
} catch (error) {
  status.textContent = `This page has no host: ${messageOf(error)}`;
}

/** Calls the tool through the host. */
async function rollAgain(
  host: HostConnection,
  canTellModel: boolean,
): Promise<void> {
  again.disabled = true;
  try {
    const result = await host.callTool({ name: "roll", arguments: input });
    show(result);
    // The model has seen only the first roll.
    if (canTellModel)
      await host.updateModelContext({ content: result.content });
  } catch (error) {
    status.textContent = messageOf(error);
  } finally {
    again.disabled = false;
  }
}

function show({ content, structuredContent, isError }: CallToolResult): void {
  const [block] = content;
  const text = block?.type === "text" ? block.text : "";
  status.textContent = text;
  if (isError === true || structuredContent === undefined) return;
  // What the output schema of the tool describes.
  const { rolls } = structuredContent as { rolls: number[] };
  dice.replaceChildren(
    ...rolls.map((roll) => {
      const item = document.createElement("li");
      item.textContent = String(roll);
      return item;
    }),
  );
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

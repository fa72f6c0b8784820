#!/usr/bin/env node
import { listen } from "./listen.js";
import { log } from "./log.js";
import { connectStore } from "./store.js"; // if: redis

// if: own
/** Milliseconds for which running requests may go on when the process is stopped. */
const DRAIN_TIMEOUT_MS = 20_000;

// end
const port = process.env["PORT"] ?? "3000";
// if: redis
const store = await connectStore().catch((error: unknown) => {
  log(error instanceof Error ? error.message : String(error));
  process.exit(1);
});
// end
const listening = await listen(
  Number(port),
  store, // if: redis
).catch((error: unknown) => {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) < 65_536;
  const reason = isPort ? String(error) : "not a number from 0 to 65535";
  log(`cannot listen on port ${port} (set PORT for another one): ${reason}`);
  process.exit(1);
});
log(`ready at ${listening.url.href}`);
// if: redis
if (store === undefined)
  log("sessions are kept in memory: set REDIS_URL to share them");
// end

async function stop(): Promise<void> {
  await listening.drain({ timeout: DRAIN_TIMEOUT_MS }); // if: own
  await listening.close(); // if: sdk
  await store?.close(); // if: redis
  process.exit();
}

// Only the first signal is waited for: the second one ends the process at once.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stop());

#!/usr/bin/env node
import { listen } from "./listen.js";
import { log } from "./log.js";

const port = process.env["PORT"] ?? "3000";
const listening = await listen(Number(port)).catch((error: unknown) => {
  log(
    `cannot listen on port ${port} (set PORT for another one): ${String(error)}`,
  );
  process.exit(1);
});
log(`ready at ${listening.url.href}`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void listening.close());

#!/usr/bin/env node
import { listen } from "./listen.js";
import { log } from "./log.js";

const listening = await listen(Number(process.env["PORT"] ?? 3000));
log(`ready at ${listening.url.href}`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void listening.close());

#!/usr/bin/env node
import { stdioServerTransport } from "./generated/runtime/stdio-server.js";
import { log } from "./log.js";
import { buildServer } from "./server.js";

// The connection ends when the client closes our standard input.
const { closed } = await buildServer().connect(stdioServerTransport());
log("ready on standard input and output");
await closed;

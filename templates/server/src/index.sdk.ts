#!/usr/bin/env node
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { log } from "./log.js";
import { buildServer } from "./server.js";

// The connection ends when the client closes our standard input.
const { closed } = await buildServer().connect(new StdioServerTransport());
log("ready on standard input and output");
await closed;

#!/usr/bin/env node
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { log } from "./log.js";
import { buildServer } from "./server.js";

const server = buildServer();
// The client ends the connection by closing our standard input, which this transport does not notice.
process.stdin.once("end", () => void server.close());
const { closed } = await server.connect(new StdioServerTransport());
log("ready on standard input and output");
await closed;

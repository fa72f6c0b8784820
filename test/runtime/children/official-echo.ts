/** Sends back whatever comes over the official SDK's stdio transport. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const transport = new StdioServerTransport();
transport.onmessage = (message) => void transport.send(message);
await transport.start();

/** Adapter over version 1 of the official SDK: `mcpgen vectors run -- npx tsx examples/vectors/sdk-v1.ts`. */
import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import * as schemas from '@modelcontextprotocol/sdk/types.js';
import { answerVectors } from './adapter.js';
import { answerWithZod } from './zod.js';

await answerVectors((request) => answerWithZod({ schemas, createReader: () => new ReadBuffer() }, request));

/** Adapter over version 2 of the official SDK: `mcpgen vectors run -- npx tsx examples/vectors/sdk-v2.ts`. */
import * as schemas from '@modelcontextprotocol/core';
import { ReadBuffer } from '@modelcontextprotocol/server';
import { answerVectors } from './adapter.js';
import { answerWithZod } from './zod.js';

await answerVectors((request) => answerWithZod({ schemas, createReader: () => new ReadBuffer() }, request));

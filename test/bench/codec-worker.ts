/** Readers of a stream of messages whose throughput is measured. */
import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { ReadBuffer as ReadBufferV2 } from '@modelcontextprotocol/server';
import { classify } from '../../generated/2025-11-25/index.js';
import { encodeLine, MessageReader } from '../../templates/runtime/index.js';
import type { Message } from '../../templates/runtime/index.js';
import process from 'node:process';
import { median } from './suite.js';

const CHUNK = 64 * 1024;
const STREAM = 1024 * 1024;

const tool = (index: number): object => ({
  name: `tool_${index}`,
  title: `Tool ${index}`,
  description: 'Does a thing with files and returns what it found in them.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Where' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['path'],
  },
});
const tools = (count: number): object => ({ tools: Array.from({ length: count }, (_, index) => tool(index)) });
const text = (length: number, word: string): object => ({
  content: [{ type: 'text', text: word.repeat(Math.ceil(length / word.length)) }],
});

export const CORPORA: Readonly<Record<string, readonly Message[]>> = {
  'small messages': [
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hello world' } } },
    { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'hello world' }] } },
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 0.5, total: 1 } },
    { jsonrpc: '2.0', id: 'a2', error: { code: -32602, message: 'no such tool', data: { name: 'x' } } },
  ],
  'lists of 20 tools': [{ jsonrpc: '2.0', id: 3, result: tools(20) }],
  'lists of 500 tools': [{ jsonrpc: '2.0', id: 3, result: tools(500) }],
  'texts of 1 MB': [{ jsonrpc: '2.0', id: 4, result: text(1e6, 'lorem ipsum dolor sit "amet"\n') }],
  'texts of 20 kB, not ASCII': [{ jsonrpc: '2.0', id: 5, result: text(2e4, 'größer als 5 € 😀 ') }],
};

const decoder = new TextDecoder();

/** Each of them reads a whole stream and returns how many messages it had. */
export const READERS: Readonly<Record<string, (bytes: Uint8Array, chunks: readonly Uint8Array[]) => number>> = {
  'split + JSON.parse': (bytes) => {
    let count = 0;
    for (const line of decoder.decode(bytes).split('\n')) {
      if (line !== '' && typeof JSON.parse(line) === 'object') count += 1;
    }
    return count;
  },
  MessageReader: (_, chunks) => {
    const reader = new MessageReader({ classify });
    let count = 0;
    for (const chunk of chunks) {
      for (const event of reader.push(chunk)) if (event.kind !== 'invalid') count += 1;
    }
    return count + reader.end().length;
  },
  'SDK v1 ReadBuffer': (_, chunks) => countOf(new ReadBuffer(), chunks),
  'SDK v2 ReadBuffer': (_, chunks) => countOf(new ReadBufferV2(), chunks),
};

function countOf(
  buffer: { append(chunk: Buffer): void; readMessage(): unknown },
  chunks: readonly Uint8Array[],
): number {
  let count = 0;
  for (const chunk of chunks) {
    buffer.append(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    while (buffer.readMessage() !== null) count += 1;
  }
  return count;
}

/** Milliseconds of processor time for a megabyte, in each corpus. */
export function measureReader(name: string): readonly number[] {
  const read = READERS[name];
  if (read === undefined) throw new Error(`nothing is called ${name}`);
  return Object.values(CORPORA).map((messages) => {
    const one = Buffer.from(messages.map(encodeLine).join(''));
    const times = Math.ceil(STREAM / one.length);
    const bytes = new Uint8Array(Buffer.concat(Array<Buffer>(times).fill(one)));
    const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, index) =>
      bytes.subarray(index * CHUNK, (index + 1) * CHUNK),
    );
    const samples = Array.from({ length: 20 }, () => {
      const start = process.cpuUsage();
      const count = read(bytes, chunks);
      const { user, system } = process.cpuUsage(start);
      if (count !== times * messages.length) throw new Error(`${name}: ${count} messages`);
      return (user + system) / 1000 / (bytes.length / 1e6);
    });
    // The first of them run while code is compiled.
    return median(samples.slice(10));
  });
}

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { endOf, entriesFrom, newRecording, residentMiB, startRecord, until } from './support.js';
import type { Recorded } from './support.js';

afterAll(removeTemporaryFolders);

const MIB = 1024 * 1024;
const SIZE = 100 * MIB;

/** Writes a message of one line in chunks of any length, and waits for the reader. */
async function writeMessage(child: Recorded): Promise<string> {
  const hash = createHash('sha256');
  const write = async (bytes: Buffer): Promise<void> => {
    hash.update(bytes);
    if (!child.stdin.write(bytes)) await once(child.stdin, 'drain');
  };
  await write(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"'));
  for (let sent = 0; sent < SIZE;) {
    const size = Math.min(SIZE - sent, 1 + ((sent * 7919) % 200_000));
    await write(Buffer.alloc(size, 'abcdefghij'));
    sent += size;
  }
  await write(Buffer.from('"}}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n'));
  child.stdin.end();
  return hash.digest('hex');
}

async function hashOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The largest resident memory until a process ends, in MiB. */
function watchMemory(child: Recorded): { readonly peak: () => number } {
  let peak = 0;
  const timer = setInterval(() => {
    if (child.exitCode === null && child.signalCode === null) peak = Math.max(peak, residentMiB(child));
    else clearInterval(timer);
  }, 20);
  return { peak: () => peak };
}

test('messages of 100 MB pass byte for byte in both directions, with bounded memory, and are omitted', async () => {
  const file = newRecording();
  const child = startRecord(file, 'process.stdin.pipe(process.stdout)');
  const memory = watchMemory(child);
  const [received, sent] = await Promise.all([hashOf(child.stdout), writeMessage(child)]);
  expect(received).toBe(sent);
  expect((await endOf(child)).code).toBe(0);
  for (const side of ['client', 'server'] as const) {
    const [long, next] = entriesFrom(file, side);
    expect(long?.omitted?.bytes).toBeGreaterThan(SIZE);
    expect(next?.frame).toEqual({ jsonrpc: '2.0', id: 2, method: 'ping' });
  }
  expect(statSync(file).size).toBeLessThan(10_000);
  // Two lines of up to 64 MiB, and what Node needs.
  expect(memory.peak()).toBeLessThan(350);
}, 120_000);

test('with a lower limit, memory is that of the limit', async () => {
  const child = startRecord(newRecording(), 'process.stdin.pipe(process.stdout)', ['--max-frame-bytes', '1000000']);
  const memory = watchMemory(child);
  const [received, sent] = await Promise.all([hashOf(child.stdout), writeMessage(child)]);
  expect(received).toBe(sent);
  await endOf(child);
  expect(memory.peak()).toBeGreaterThan(20);
  expect(memory.peak()).toBeLessThan(180);
}, 120_000);

test('a client that reads slowly does not make memory grow', async () => {
  const child = startRecord(
    newRecording(),
    `const chunk = JSON.stringify({ a: 'x'.repeat(10_000) }) + '\\n'; let sent = 0;
     const write = () => { while (sent++ < 20_000) if (!process.stdout.write(chunk)) return process.stdout.once('drain', write); };
     write()`,
  );
  const memory = watchMemory(child);
  let read = 0;
  for await (const chunk of child.stdout) {
    read += (chunk as Buffer).length;
    if (read < 20 * MIB) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(read).toBe(20_000 * 10_009);
  await until(() => child.exitCode !== null);
  expect(memory.peak()).toBeLessThan(250);
}, 120_000);

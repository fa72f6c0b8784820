import { spawn } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { stdioClientTransport } from '../../templates/runtime/stdio-client.js';
import type { StdioClientTransport } from '../../templates/runtime/stdio-client.js';
import { removeTemporaryFolders, run } from '../support/cli.js';
import { childProgram, recordEvents, isAlive, waitUntil } from './stdio-support.js';
import { call, ECHO, DEAF_TO_TERM, READY, client } from './stdio-client-support.js';

afterAll(removeTemporaryFolders);
const DEAF_TO_END = 'setInterval(() => undefined, 1000); process.stdin.resume();';

describe('talking', () => {
  test('waits in send while the server does not read', async () => {
    const { transport, count, messages } = await client(`setTimeout(() => { ${ECHO} }, 300);`);
    const text = 'x'.repeat(10_000);
    let waited = 0;
    for (let id = 0; id < 300; id += 1) {
      const room = transport.send({ id, text });
      if (room === undefined) continue;
      waited += 1;
      await room;
    }
    expect(waited).toBeGreaterThan(0);
    await count(300);
    expect(messages.map((message) => (message as { id: number }).id)).toEqual([...Array(300).keys()]);
    await transport.close();
  });

  test('both sides full at once is no deadlock', async () => {
    const { transport, count, messages } = await client('', { args: childProgram('echo-server.ts'), stderr: 'ignore' });
    const text = 'x'.repeat(1000);
    // Nobody waits, so the input of the server is full while it writes.
    for (let id = 0; id < 20_000; id += 1) void transport.send({ id, text });
    await count(20_000);
    expect(messages.at(-1)).toEqual({ id: 19_999, text });
    await transport.close();
  });
});

describe('a server that asks and does not read', () => {
  test('is stopped early with a reason', async () => {
    // Asks as long as it runs, some 40 bytes at a time.
    const program = `${DEAF_TO_TERM} const chunk = ${JSON.stringify('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')}.repeat(1000);
      let left = 1000; const more = () => { while (left-- > 0 && process.stdout.write(chunk)); if (left > 0) process.stdout.once("drain", more); };
      more(); setInterval(() => undefined, 1000);`;
    const transport = stdioClientTransport({
      command: process.execPath,
      args: ['-e', program],
      shutdown: { graceMs: 100, killMs: 100 },
    });
    const { errors, closed } = recordEvents(transport);
    let answered = 0;
    let refused = 0;
    transport.onmessage = () => {
      try {
        void Promise.resolve(transport.send({ jsonrpc: '2.0', id: 1, result: {} })).catch(() => undefined);
        answered += 1;
      } catch {
        refused += 1;
      }
    };
    const before = process.memoryUsage().rss;
    await transport.start();
    await closed;
    expect(errors.map(({ message }) => message)).toEqual([
      'the other side does not read: more than 10000 responses wait for it',
    ]);
    expect(answered).toBeLessThan(50_000);
    expect(refused).toBe(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  test('this side’s calls do not count', async () => {
    const { transport, messages, count } = await client(`setTimeout(() => { ${ECHO} }, 300);`);
    const sent = [...Array(30_000).keys()].map(call);
    for (const message of sent) void transport.send(message);
    await count(sent.length);
    expect(messages).toEqual(sent);
    await transport.close();
  });
});

describe('closing', () => {
  const took = async (transport: StdioClientTransport): Promise<number> => {
    const begin = performance.now();
    await transport.close();
    return performance.now() - begin;
  };

  test('a server that ignores the end is asked to terminate', async () => {
    const { transport, count, closes, errors } = await client(DEAF_TO_END + READY, { shutdown: { graceMs: 300 } });
    await count(1);
    expect(await took(transport)).toBeGreaterThan(290);
    await expect(transport.exit).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    expect([closes(), errors]).toEqual([1, []]);
  });

  test('a server that ignores that too is killed', async () => {
    const { transport, count, closes } = await client(DEAF_TO_TERM + DEAF_TO_END + READY, {
      shutdown: { graceMs: 200, killMs: 200 },
    });
    await count(1);
    const pid = transport.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    expect(await took(transport)).toBeGreaterThan(390);
    await expect(transport.exit).resolves.toEqual({ code: null, signal: 'SIGKILL' });
    expect(isAlive(pid)).toBe(false);
    expect(closes()).toBe(1);
  });

  test('the process group of a server that has to be terminated is ended with it', async () => {
    const child = `${DEAF_TO_TERM} setInterval(() => undefined, 1000); process.stdout.write(process.pid + "\\n")`;
    const start = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: ["ignore", "inherit", "ignore"] });`;
    const { transport, count, messages } = await client(start + DEAF_TO_END, {
      shutdown: { graceMs: 200, killMs: 300 },
    });
    await count(1);
    const pid = messages[0] as number;
    expect(isAlive(pid)).toBe(true);
    await transport.close();
    await expect(transport.exit).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    await waitUntil(() => !isAlive(pid), 'its child is gone');
  });

  test('a child of the server that holds its output does not hold us', async () => {
    const grandchild = 'const { spawn } = require("node:child_process");';
    const program = `${grandchild} spawn(process.execPath, ["-e", "setTimeout(() => 0, 5000)"], { stdio: ["ignore", "inherit", "ignore"], detached: true }).unref(); ${READY} ${ECHO}`;
    const { transport, count, closes } = await client(program);
    await count(1);
    expect(await took(transport)).toBeLessThan(4000);
    expect(closes()).toBe(1);
  });
});

describe('a paused transport', () => {
  test('delivers nothing until it is resumed, and the server waits', async () => {
    const line = `${JSON.stringify('x'.repeat(1000))}\n`;
    const program = `let n = 0; const more = () => { while (n < 2000) { n += 1; if (!process.stdout.write(${JSON.stringify(line)})) return process.stdout.once("drain", more); } }; more(); process.stdin.resume().on("end", () => process.stderr.write(String(n)));`;
    let log = '';
    const { transport, messages, count, closes } = await client(program, {
      stderr: (chunk) => (log += Buffer.from(chunk).toString()),
    });
    transport.pause?.();
    await transport.end?.();
    await waitUntil(() => log !== '', 'the server has seen the end');
    expect(Number(log)).toBeLessThan(2000);
    expect([messages.length, closes()]).toEqual([0, 0]);
    transport.resume?.();
    await count(2000);
  });

  test('reports the end of the server after its last messages', async () => {
    const { transport, messages, closed, closes } = await client(READY.repeat(3));
    transport.pause?.();
    // Longer than the transport waits for the output of a process that has ended.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect([messages, closes()]).toEqual([[], 0]);
    transport.resume?.();
    await closed;
    expect([messages, closes()]).toEqual([['ready', 'ready', 'ready'], 1]);
  });
});

describe('a server that ends by itself', () => {
  test('in the middle of our writing ends the waiting', async () => {
    const { transport, closed, errors } = await client('setTimeout(() => process.exit(4), 300)');
    const waits: Promise<unknown>[] = [];
    await waitUntil(() => {
      const room = transport.send({ text: 'x'.repeat(100_000) });
      if (room !== undefined) waits.push(room.catch((error: unknown) => error));
      return waits.length > 3;
    }, 'the pipe is full');
    await closed;
    const ends = await Promise.all(waits);
    expect(
      ends.every((end) => end instanceof Error && end.message.includes('closed before the message was written')),
    ).toBe(true);
    expect(errors.at(-1)?.message).toBe('the server exited with code 4');
  });

  test('closes its output but goes on: it is shut down', async () => {
    const program = `require("node:fs").closeSync(1); ${DEAF_TO_END}`;
    const { closed, transport, errors } = await client(program, { shutdown: { graceMs: 100 } });
    await closed;
    await expect(transport.exit).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    expect(errors).toEqual([]);
  });
});

describe.concurrent('our own process', () => {
  test('takes a server along that ignores the end of its input', async () => {
    const result = await run(process.execPath, childProgram('client.ts', 'abandon'));
    expect(result.code).toBe(0);
    const { pid } = JSON.parse(result.stdout) as { pid: number };
    await waitUntil(() => !isAlive(pid), 'the server is gone');
  });

  test.each([
    ['exits', 'abandon', undefined, { code: 0, signal: null }],
    ['is ended by the SIGINT of a terminal', 'wait', 'SIGINT', { code: null, signal: 'SIGINT' }],
    ['is killed', 'wait', 'SIGKILL', { code: null, signal: 'SIGKILL' }],
  ] as const)('takes a server along that ignores SIGTERM when it %s', async (_, mode, signal, how) => {
    const child = spawn(process.execPath, childProgram('client.ts', mode, 'stubborn'), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise((resolve) => {
      child.once('exit', (code, by) => {
        resolve({ code, signal: by });
      });
    });
    await waitUntil(() => output.includes('\n'), 'the server answers');
    const { pid } = JSON.parse(output) as { pid: number };
    expect(isAlive(pid)).toBe(true);
    if (signal !== undefined) child.kill(signal);
    expect(await ended).toEqual(how);
    await waitUntil(() => !isAlive(pid), 'the server is gone');
  });
});

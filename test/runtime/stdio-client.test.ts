import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultEnvironment, stdioClientTransport } from '../../templates/runtime/stdio-client.js';
import type { StdioClientOptions, StdioClientTransport } from '../../templates/runtime/stdio-client.js';
import { removeTemporaryFolders, run, temporaryFolder } from '../support/cli.js';
import { childProgram, recordEvents, isAlive, waitUntil } from './stdio-support.js';
import type { TransportEvents } from './stdio-support.js';

afterAll(removeTemporaryFolders);

const call = (id: number): { jsonrpc: '2.0'; id: number; method: string } => ({ jsonrpc: '2.0', id, method: 'ping' });

/** Programs for `node -e`. */
const ECHO = 'process.stdin.pipe(process.stdout);';
const DEAF_TO_END = 'setInterval(() => undefined, 1000); process.stdin.resume();';
const DEAF_TO_TERM = 'process.on("SIGTERM", () => undefined);';
const say = (text: string): string => `process.stdout.write(${JSON.stringify(`${text}\n`)});`;
const READY = say('"ready"');

interface Setup extends TransportEvents {
  readonly transport: StdioClientTransport;
}

async function client(program: string, options: Partial<StdioClientOptions> = {}): Promise<Setup> {
  const transport = stdioClientTransport({ command: process.execPath, args: ['-e', program], ...options });
  const ears = recordEvents(transport);
  await transport.start();
  return { transport, ...ears };
}

describe('talking', () => {
  test('echoes messages in order', async () => {
    const { transport, messages, count, errors, closes } = await client(ECHO);
    const sent = [...Array(2000).keys()].map((id) =>
      id % 100 === 0 ? [call(id), call(id + 1)] : { ...call(id), params: { text: 'é€😀\u2028' } },
    );
    for (const message of sent) await transport.send(message);
    await count(sent.length);
    expect(messages).toEqual(sent);
    expect(closes()).toBe(0);
    await transport.close();
    expect([closes(), errors]).toEqual([1, []]);
    await expect(transport.exit).resolves.toEqual({ code: 0, signal: null });
  });

  test('reports invalid lines and continues', async () => {
    const program = say('Server is running') + say('[[[1]]]') + say(`"${'x'.repeat(200)}"`) + say('{"id":1}');
    const { transport, messages, invalid, count } = await client(program, { maxMessageBytes: 100, maxDepth: 2 });
    await count(1);
    expect(messages).toEqual([{ id: 1 }]);
    expect(invalid.map((what) => (what.kind === 'diagnostic' ? what.code : what.code))).toEqual([
      'not-json',
      'too-deep',
      'too-long',
    ]);
    await transport.close();
  });

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

  test("the official SDK's server transport talks with ours", async () => {
    const { transport, count, messages, errors, invalid } = await client('', {
      args: childProgram('official-echo.ts'),
    });
    const sent = [...Array(500).keys()].map((id) => ({ ...call(id), params: { text: 'é€😀\u2028' } }));
    for (const message of sent) await transport.send(message);
    await count(sent.length);
    expect(messages).toEqual(sent);
    await transport.close();
    expect([errors, invalid]).toEqual([[], []]);
    await expect(transport.exit).resolves.toEqual({ code: 0, signal: null });
  });
});

test('end() waits for messages that the server has no room for yet', async () => {
  const { transport, count, messages } = await client(`setTimeout(() => { ${ECHO} }, 200);`);
  const big = [1, 2, 3].map((id) => ({ ...call(id), params: { text: 'x'.repeat(900_000) } }));
  const sent = big.map((message) => Promise.resolve(transport.send(message)));
  await transport.end?.();
  await expect(Promise.all(sent)).resolves.toHaveLength(3);
  await count(3);
  expect(messages).toEqual(big);
  await transport.close();
});

test('end() does not count messages as written that close() gave up', async () => {
  const transport = stdioClientTransport({
    command: process.execPath,
    args: ['-e', `${DEAF_TO_TERM} setInterval(() => undefined, 1000);`],
    shutdown: { graceMs: 50, killMs: 50 },
  });
  await transport.start();
  const sent = [1, 2, 3].map((id) =>
    Promise.resolve(transport.send({ ...call(id), params: { text: 'x'.repeat(900_000) } })),
  );
  const outcomes = Promise.allSettled(sent);
  await transport.end?.();
  await transport.close();
  expect((await outcomes).map(({ status }) => status)).not.toContain('fulfilled');
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

describe('starting', () => {
  test('a command that does not exist is named', async () => {
    const transport = stdioClientTransport({ command: 'no-such-command-here' });
    const { closes, errors } = recordEvents(transport);
    const failure: unknown = await transport.start().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      message: 'cannot start "no-such-command-here": no such command (ENOENT)',
      code: 'ENOENT',
    });
    await expect(transport.exit).resolves.toEqual({ code: null, signal: null });
    expect(transport.pid).toBeUndefined();
    expect(() => transport.send(call(1))).toThrow('not been started');
    await transport.close();
    expect([closes(), errors]).toEqual([0, []]);
  });

  test('a folder that does not exist is named', async () => {
    const cwd = path.join(temporaryFolder(), 'nowhere');
    await expect(client(ECHO, { cwd })).rejects.toThrow(`no such folder: ${JSON.stringify(cwd)} (ENOENT)`);
  });

  test('a file that is no program is refused', async () => {
    await expect(client(ECHO, { command: import.meta.filename })).rejects.toThrow('permission denied (EACCES)');
    await expect(client(ECHO, { command: 'a\0b' })).rejects.toThrow('cannot start "a\\u0000b"');
  });

  test('start rejects a second time', async () => {
    const { transport } = await client(ECHO);
    await expect(transport.start()).rejects.toThrow('started already');
    await transport.close();
    expect(() => transport.send(call(1))).toThrow('the connection is closed');
  });

  test('start rejects after the close', async () => {
    const other = stdioClientTransport({ command: process.execPath });
    const { closes } = recordEvents(other);
    await other.close();
    expect(closes()).toBe(1);
    await expect(other.start()).rejects.toThrow('the connection is closed');
  });

  test('rejects an invalid limit', () => {
    expect(() => stdioClientTransport({ command: 'x', maxDepth: 0 })).toThrow(RangeError);
  });

  test('closing while it starts ends the process', async () => {
    const transport = stdioClientTransport({ command: process.execPath, args: ['-e', ECHO] });
    const { closes } = recordEvents(transport);
    const starting = transport.start();
    await transport.close();
    await starting;
    expect(closes()).toBe(1);
    expect(isAlive(transport.pid ?? 0)).toBe(false);
  });

  test('the server receives a safe environment', async () => {
    process.env['SECRET_TOKEN'] = 'secret';
    const cwd = temporaryFolder();
    const program = 'console.log(JSON.stringify({ env: process.env, cwd: process.cwd() }))';
    const { messages, closed } = await client(program, { env: { GIVEN: 'yes', TERM: 'other' }, cwd });
    await closed;
    delete process.env['SECRET_TOKEN'];
    const [{ env, cwd: actual }] = messages as [{ env: Record<string, string>; cwd: string }];
    expect(env).toMatchObject({ ...defaultEnvironment(), GIVEN: 'yes', TERM: 'other' });
    expect(env).not.toHaveProperty('SECRET_TOKEN');
    expect(env['PATH']).toBe(process.env['PATH']);
    expect(path.basename(actual)).toBe(path.basename(cwd));
  });

  test('functions of Bash are not passed on', () => {
    const before = process.env['TERM'];
    process.env['TERM'] = '() { :; }; echo';
    expect(defaultEnvironment()).not.toHaveProperty('TERM');
    if (before === undefined) delete process.env['TERM'];
    else process.env['TERM'] = before;
  });
});

describe('the log of the server', () => {
  const program = `process.stderr.write("log line"); ${READY} ${ECHO}`;

  test('is passed to a function', async () => {
    let text = '';
    const stderr = (chunk: Uint8Array): void => {
      text += Buffer.from(chunk).toString();
      throw new Error('log failed');
    };
    const { transport, count, errors } = await client(program, { stderr });
    await count(1);
    await transport.close();
    expect(text).toBe('log line');
    expect(errors.map(({ message }) => message)).toEqual(['log failed']);
  });

  test('or to a stream', async () => {
    const { transport, count } = await client(program, { stderr: 'pipe' });
    let text = '';
    transport.stderr?.on('data', (chunk: Uint8Array) => (text += Buffer.from(chunk).toString()));
    await count(1);
    await transport.close();
    expect(text).toBe('log line');
  });

  test('or nowhere', async () => {
    const { transport, count } = await client(program, { stderr: 'ignore' });
    await count(1);
    expect(transport.stderr).toBeUndefined();
    await transport.close();
  });
});

describe('closing', () => {
  const took = async (transport: StdioClientTransport): Promise<number> => {
    const begin = performance.now();
    await transport.close();
    return performance.now() - begin;
  };

  test('closing the input lets a server read the rest and exit', async () => {
    const sum = 'let n = 0; process.stdin.on("data", (c) => n += c.length).on("end", () => process.exitCode = n)';
    const { transport, closes, errors } = await client(sum);
    void transport.send([1, 2]);
    expect(await took(transport)).toBeLessThan(2000);
    // Its code is no failure once we close.
    expect([closes(), errors]).toEqual([1, []]);
    await expect(transport.exit).resolves.toEqual({ code: 6, signal: null });
    await transport.close();
    expect(closes()).toBe(1);
  });

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

  test('closing lets a server finish its answer', async () => {
    const program = `${READY} process.stdin.once("data", () => process.stdout.write(${JSON.stringify('"more"\n')}.repeat(1e6), () => process.exit(7)))`;
    const { transport, count, messages } = await client(program);
    await count(1);
    void transport.send(call(1));
    await transport.close();
    expect(messages).toEqual(['ready']);
    await expect(transport.exit).resolves.toEqual({ code: 7, signal: null });
  });

  test('a child of the server that holds its output does not hold us', async () => {
    const grandchild = 'const { spawn } = require("node:child_process");';
    const program = `${grandchild} spawn(process.execPath, ["-e", "setTimeout(() => 0, 5000)"], { stdio: ["ignore", "inherit", "ignore"], detached: true }).unref(); ${READY} ${ECHO}`;
    const { transport, count, closes } = await client(program);
    await count(1);
    expect(await took(transport)).toBeLessThan(4000);
    expect(closes()).toBe(1);
  });

  test('no listener is left on the process', async () => {
    const names = (): unknown[] => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const before = names();
    const exits = process.listenerCount('exit');
    const setups = await Promise.all([client(ECHO), client(ECHO), client(ECHO)]);
    expect(process.listenerCount('exit')).toBe(exits + 1);
    await Promise.all(setups.map(({ transport }) => transport.close()));
    expect(names()).toEqual(before);
  });
});

describe('half-close', () => {
  test('ends the input of the server, which can still answer', async () => {
    const program =
      'let n = 0; process.stdin.on("data", () => { n += 1; }).on("end", () => setTimeout(() => console.log(JSON.stringify({ n })), 100));';
    const { transport, closed, messages, errors } = await client(program);
    void transport.send(call(1));
    await transport.end?.();
    expect(() => transport.send(call(2))).toThrow('the connection is closed');
    await closed;
    expect([messages, errors]).toEqual([[{ n: 1 }], []]);
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

  test('can be closed', async () => {
    const { transport, closes } = await client(READY.repeat(3));
    transport.pause?.();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await transport.close();
    expect(closes()).toBe(1);
  });
});

describe('a server that ends by itself', () => {
  test('with code 0 is reported as a close after its last messages', async () => {
    const { closed, errors, messages, closes, transport } = await client(READY.repeat(1000));
    await closed;
    expect([messages.length, errors, closes()]).toEqual([1000, [], 1]);
    await transport.close();
    expect(closes()).toBe(1);
    expect(() => transport.send(call(1))).toThrow('the connection is closed');
  });

  test('with another code is one', async () => {
    const { closed, errors, messages } = await client(`${READY} process.exitCode = 3;`);
    await closed;
    expect(messages).toEqual(['ready']);
    expect(errors.map(({ message }) => message)).toEqual(['the server exited with code 3']);
  });

  test('by a signal is one', async () => {
    const { closed, errors } = await client('process.kill(process.pid, "SIGKILL"); setTimeout(() => 0, 1000)');
    await closed;
    expect(errors.map(({ message }) => message)).toEqual(['the server was ended by SIGKILL']);
  });

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
  test('ends by itself after close', async () => {
    const result = await run(process.execPath, childProgram('client.ts'));
    expect(result.stdout).toMatch(/^\{"value":\{"jsonrpc":"2.0","id":1,"method":"ping"\},"pid":\d+\}\nclosed\n$/);
    expect([result.code, result.stderr]).toEqual([0, '']);
  });

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

import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultEnvironment, stdioClientTransport } from '../../templates/runtime/stdio-client.js';
import type { StdioClientTransport } from '../../templates/runtime/stdio-client.js';
import { removeTemporaryFolders, run, temporaryFolder } from '../support/cli.js';
import { childProgram, recordEvents, isAlive } from './stdio-support.js';
import { call, ECHO, DEAF_TO_TERM, say, READY, client } from './stdio-client-support.js';

afterAll(removeTemporaryFolders);

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

  test('closing lets a server finish its answer', async () => {
    const program = `${READY} process.stdin.once("data", () => process.stdout.write(${JSON.stringify('"more"\n')}.repeat(1e6), () => process.exit(7)))`;
    const { transport, count, messages } = await client(program);
    await count(1);
    void transport.send(call(1));
    await transport.close();
    expect(messages).toEqual(['ready']);
    await expect(transport.exit).resolves.toEqual({ code: 7, signal: null });
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
});

describe.concurrent('our own process', () => {
  test('ends by itself after close', async () => {
    const result = await run(process.execPath, childProgram('client.ts'));
    expect(result.stdout).toMatch(/^\{"value":\{"jsonrpc":"2.0","id":1,"method":"ping"\},"pid":\d+\}\nclosed\n$/);
    expect([result.code, result.stderr]).toEqual([0, '']);
  });
});

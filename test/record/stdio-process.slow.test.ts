import { once } from 'node:events';
import { statSync, writeFileSync, readdirSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { mcpgen, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { ECHO, endOf, entriesFrom, newRecording, readAll, readRecording, startRecord, until } from './support.js';
import { REQUEST } from './stdio-support.js';

afterAll(removeTemporaryFolders);

describe('bytes', () => {
  /** Lines of all kinds: messages, text, bytes that are not UTF-8, empty ones, CR LF. */
  const line = fc.oneof(
    fc.json().map((text) => Buffer.from(text)),
    fc.string({ unit: 'binary', maxLength: 200 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.constant(Buffer.from(`${REQUEST}\r`)),
    fc.nat(100_000).map((size) => Buffer.from(JSON.stringify('x'.repeat(size)))),
  );
  const stream = fc
    .array(line, { maxLength: 20 })
    .map((lines) => Buffer.concat(lines.flatMap((bytes) => [bytes, Buffer.from('\n')])));

  test('pass through unchanged in both directions, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        stream,
        fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 10 }),
        async (bytes, sizes) => {
          const file = newRecording();
          const child = startRecord(file, ECHO);
          const echoed = readAll(child.stdout);
          for (let start = 0, index = 0; start < bytes.length; index += 1) {
            const size = sizes[index % sizes.length] ?? 1;
            child.stdin.write(bytes.subarray(start, start + size));
            start += size;
            if (index % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
            if (index > 200) {
              child.stdin.write(bytes.subarray(start));
              break;
            }
          }
          child.stdin.end();
          expect((await echoed).equals(bytes)).toBe(true);
          expect(await endOf(child)).toEqual({ code: 0, signal: null });
          const kept = entriesFrom(file, 'client').filter(({ end }) => end === undefined);
          const lines = splitLines(bytes);
          expect(kept.length).toBe(lines.length);
          const again = entriesFrom(file, 'server').filter(({ end }) => end === undefined);
          expect(again.map(({ time: _, from: _from, ...rest }) => rest)).toEqual(
            kept.map(({ time: _, from: _from, ...rest }) => rest),
          );
          expectLines(kept, lines);
        },
      ),
      { numRuns: 12, seed: 7 },
    );
  });

  function splitLines(bytes: Buffer): readonly Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    return start < bytes.length ? [...lines, bytes.subarray(start)] : lines;
  }

  function expectLines(entries: ReturnType<typeof entriesFrom>, lines: readonly Buffer[]): void {
    for (const [index, bytes] of lines.entries()) {
      const { frame, text, base64 } = entries[index] ?? {};
      if (base64 !== undefined) expect(Buffer.from(base64, 'base64').equals(bytes)).toBe(true);
      else if (text !== undefined) expect(Buffer.from(text).equals(bytes)).toBe(true);
      else expect(frame).toEqual(JSON.parse(bytes.toString()));
    }
  }

  test('of a frame over the limit are omitted, and the next frame is recorded', async () => {
    const file = newRecording();
    const long = JSON.stringify({ text: 'x'.repeat(5000) });
    const { stdout } = await mcpgenRecord(file, `${long}\n${REQUEST}\n`, ['--max-frame-bytes', '3000']);
    expect(stdout).toBe(`${long}\n${REQUEST}\n`);
    const [first, second] = entriesFrom(file, 'server');
    expect(first?.omitted).toEqual({ bytes: long.length, start: long.slice(0, 1000) });
    expect(second?.frame).toEqual(JSON.parse(REQUEST));
  });

  async function mcpgenRecord(file: string, input: string | Uint8Array, options: readonly string[] = []) {
    return mcpgen(['record', '--out', file, ...options, '--', process.execPath, '-e', ECHO], { input });
  }
});

describe('the end', () => {
  test.each(['SIGTERM', 'SIGKILL', 'SIGABRT'] as const)('dies by the %s that ended the server', async (signal) => {
    const file = newRecording();
    const child = startRecord(file, `console.log('{}'); setTimeout(() => process.kill(process.pid, '${signal}'), 50)`);
    expect(await endOf(child)).toEqual({ code: null, signal });
    expect(entriesFrom(file, 'server').map(({ frame, end }) => frame ?? end)).toEqual([{}, { signal }]);
  });

  test('comes at once, although the client keeps its side open', async () => {
    const child = startRecord(newRecording(), 'setTimeout(() => process.exit(3), 100)');
    const start = performance.now();
    expect((await endOf(child)).code).toBe(3);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test("of the server's output is forwarded while the server goes on", async () => {
    const file = newRecording();
    const child = startRecord(
      file,
      `const fs = require('fs'); fs.writeSync(1, 'last\\n'); fs.closeSync(1); process.stdin.resume()`,
    );
    expect((await readAll(child.stdout)).toString()).toBe('last\n');
    expect(child.exitCode).toBeNull();
    child.stdin.end('{}\n');
    expect((await endOf(child)).code).toBe(0);
    expect(entriesFrom(file, 'client').map(({ frame, end }) => frame ?? end)).toEqual([{}, {}]);
  });

  test('of a client that is gone makes the next writes of the server fail', async () => {
    const file = newRecording();
    const child = startRecord(
      file,
      `process.stdout.on('error', ({ code }) => { console.error(code); process.exit(9); });
       setInterval(() => console.log('{}'), 20)`,
    );
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const log = await readAll(child.stderr);
    expect(log.toString()).toContain('EPIPE');
    expect((await endOf(child)).code).toBe(9);
    expect(readRecording(file).at(-1)?.end).toEqual({ code: 9 });
  });

  test('of a server that reads no more makes the next writes of the client fail', async () => {
    const child = startRecord(
      newRecording(),
      `require('fs').closeSync(0); console.log('closed'); setInterval(() => {}, 1000)`,
    );
    await once(child.stdout, 'data');
    const failed = once(child.stdin, 'error') as Promise<[NodeJS.ErrnoException]>;
    const timer = setInterval(() => child.stdin.write(`${REQUEST}\n`), 20);
    const [error] = await failed;
    clearInterval(timer);
    expect(['EPIPE', 'ECONNRESET']).toContain(error.code);
    child.kill();
    await endOf(child);
  });

  test('by SIGKILL closes the input of the server, and what was recorded is complete', async () => {
    const marker = path.join(temporaryFolder(), 'ended');
    const file = newRecording();
    const child = startRecord(
      file,
      `console.log('{"up":1}'); process.stdin.resume().on('end', () => require('fs').writeFileSync('${marker}', ''))`,
    );
    await once(child.stdout, 'data');
    await until(() => readRecording(file).length >= 2);
    child.kill('SIGKILL');
    await until(() => statSync(marker, { throwIfNoEntry: false }) !== undefined);
    expect(readRecording(file)[1]?.frame).toEqual({ up: 1 });
  });

  test('does not wait for a process that the server left behind', async () => {
    const child = startRecord(
      newRecording(),
      `require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 8000)'], { stdio: 'inherit', detached: true }).unref();
       console.log('started')`,
    );
    const start = performance.now();
    expect((await endOf(child)).code).toBe(0);
    expect(performance.now() - start).toBeLessThan(6000);
  });
});

describe('signals', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const)(
    'forwards %s, and the server decides',
    async (signal) => {
      const file = newRecording();
      const child = startRecord(
        file,
        `process.on('${signal}', () => { console.log('{"got":"${signal}"}'); setTimeout(() => process.exit(4), 50); });
       console.log('{}'); setInterval(() => {}, 1000)`,
      );
      await once(child.stdout, 'data');
      child.kill(signal);
      expect(await endOf(child)).toEqual({ code: 4, signal: null });
      expect(entriesFrom(file, 'server').map(({ frame, end }) => frame ?? end)).toEqual([
        {},
        { got: signal },
        { code: 4 },
      ]);
    },
  );

  test('does not end a server that ignores them and the end of its input', async () => {
    const child = startRecord(
      newRecording(),
      `process.on('SIGTERM', () => {}); console.log('up'); setTimeout(() => process.exit(6), 1500)`,
    );
    await once(child.stdout, 'data');
    child.stdin.end();
    child.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(child.exitCode).toBeNull();
    expect((await endOf(child)).code).toBe(6);
  });
});

describe('back-pressure', () => {
  test('a client that does not read stops the server', async () => {
    const child = startRecord(
      newRecording(),
      `let sent = 0; const chunk = '"' + 'x'.repeat(65_000) + '"\\n';
       const write = () => { while (sent < 200e6 && process.stdout.write(chunk)) sent += chunk.length; if (sent < 200e6) process.stdout.once('drain', write); };
       write(); setInterval(() => process.stderr.write(sent + '\\n'), 50)`,
    );
    let sent = 0;
    child.stderr.on('data', (chunk: Buffer) => {
      sent = Number(chunk.toString().trim().split('\n').at(-1));
    });
    child.stdout.pause();
    await until(() => sent > 0);
    // Until all buffers are full.
    for (let before = -1; before !== sent;) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    expect(sent).toBeLessThan(20e6);
    child.kill('SIGKILL');
    child.stdout.destroy();
  });

  test('a server that does not read stops the client', async () => {
    const child = startRecord(newRecording(), `console.log('up'); setTimeout(() => {}, 4000)`);
    await once(child.stdout, 'data');
    const chunk = Buffer.alloc(1e6, 'x\n');
    let accepted = 0;
    const write = (): void => {
      child.stdin.write(chunk, () => {
        accepted += 1;
        if (accepted < 100) write();
      });
    };
    write();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(accepted).toBeLessThan(10);
    child.kill('SIGKILL');
  });

  test('a client that writes everything before it reads is not blocked by output of the server', async () => {
    const child = startRecord(
      newRecording(),
      `process.stdout.write('y'.repeat(3e6)); let read = 0;
       process.stdin.on('data', (chunk) => { read += chunk.length; if (read === 3e6) process.stderr.write('all read'); })`,
    );
    child.stdin.write('x'.repeat(3e6));
    await until(() => child.stderr.readableLength > 0);
    expect(String(child.stderr.read())).toContain('all read');
    child.stdin.end();
    expect((await readAll(child.stdout)).length).toBe(3e6);
    expect((await endOf(child)).code).toBe(0);
  });
});

test('standard error of the server is its own: it is inherited, and writing to it blocks', async () => {
  const child = startRecord(
    newRecording(),
    `process.stderr; const flags = /flags:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/fdinfo/2', 'utf8'))[1];
     console.log(parseInt(flags, 8) & 0o4000); console.error('log')`,
  );
  const log = readAll(child.stderr);
  await readAll(child.stdout);
  expect((await log).toString()).toBe('log\n');
});

describe('the file', () => {
  test('that fails does not break the conversation', async () => {
    const { code, stdout, stderr } = await mcpgen(
      ['record', '--out', '/dev/full', '--', process.execPath, '-e', `${ECHO}; process.exitCode = 5`],
      { input: `${REQUEST}\n`.repeat(1000) },
    );
    expect(stdout).toBe(`${REQUEST}\n`.repeat(1000));
    expect(code).toBe(5);
    expect(stderr.match(/^warning: .*\n/gm)).toEqual([
      'warning: /dev/full: the recording ends here, the conversation goes on (ENOSPC)\n',
      'warning: /dev/full: the recording is incomplete\n',
    ]);
  });

  test('is different for each of several processes that start at once', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'calls.ndjson');
    await Promise.all(
      [1, 2, 3, 4].map((number) =>
        mcpgen(['record', '--out', file, '--', process.execPath, '-e', ECHO], { input: `${number}\n`.repeat(100) }),
      ),
    );
    const names = readdirSync(folder);
    expect(names).toHaveLength(4);
    const frames = names.map(
      (name) => new Set(entriesFrom(path.join(folder, name), 'client').flatMap(({ frame }) => frame ?? [])),
    );
    expect(frames.flatMap((found) => [...found]).sort()).toEqual([1, 2, 3, 4]);
  });

  test('in a folder is named by time and process', async () => {
    const folder = path.join(temporaryFolder(), 'calls');
    mkdirSync(folder);
    const { code } = await mcpgen(['record', '--out', folder, '--', process.execPath, '-e', ECHO], { input: '{}\n' });
    expect(code).toBe(0);
    expect(readdirSync(folder).join()).toMatch(/^\d{8}T\d{6}Z-\d+\.ndjson$/);
  });

  test('can only be read by its owner', async () => {
    const file = newRecording();
    await mcpgen(['record', '--out', file, '--', process.execPath, '-e', ''], {});
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('has the time of each entry, in milliseconds', async () => {
    const file = newRecording();
    const child = startRecord(file, `console.log('1'); setTimeout(() => console.log('2'), 300)`);
    await endOf(child);
    const [first = 0, second = 0] = entriesFrom(file, 'server').map(({ time }) => time);
    expect(second - first).toBeGreaterThan(280);
    expect(second - first).toBeLessThan(3000);
  });
});

test('--inspect prints what breaks the protocol while the conversation goes on, without its secrets', async () => {
  const child = startRecord(
    newRecording(),
    `console.log('log: token=abcdef'); process.stdin.resume().on('end', () => console.error('end'))`,
    ['--inspect'],
  );
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  await until(() => log.includes('not-json'));
  expect(child.exitCode).toBeNull();
  child.stdin.end();
  expect((await endOf(child)).code).toBe(0);
  expect(log).toMatch(/^violation not-json #1 by the server: .*token=\[redacted\].*$/m);
  expect(log).toContain('mcpgen record: found 1 violation, 0 deviations, 0 advice findings\n');
  expect(log).not.toContain('abcdef');
});

test('takes the server in quotes, too, and a path with spaces as it is', async () => {
  const folder = path.join(temporaryFolder(), 'with spaces');
  mkdirSync(folder);
  const program = path.join(folder, 'echo');
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} -e '${ECHO}'\n`, { mode: 0o755 });
  for (const server of [`${process.execPath} -e "${ECHO}"`, program]) {
    const file = newRecording();
    const { code, stdout } = await mcpgen(['record', '--out', file, '--', server], { input: `${REQUEST}\n` });
    expect([code, stdout]).toEqual([0, `${REQUEST}\n`]);
    expect(entriesFrom(file, 'server')[0]?.frame).toEqual(JSON.parse(REQUEST));
  }
});

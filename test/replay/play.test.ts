/** Plays scripts against servers in memory: causality, values that a server chooses, what is missing and unexpected. */
import { describe, expect, test } from 'vitest';
import { memoryPair } from '../../generated/runtime/memory.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { looseTemplate, parseMatchers } from '../../generator/replay/matchers.js';
import { MockConnection, RecordedServer } from '../../generator/replay/mock.js';
import { playScript } from '../../generator/replay/play.js';
import { readScript } from '../../generator/replay/script.js';
import { DEFAULTS, entriesOf, type Send, play, short } from './play-support.js';

describe('playScript', () => {
  test('finds no difference where the server answers as it did', async () => {
    const result = await play(
      [
        '> {"id": 1, "method": "ping"}',
        '< {"id": 1, "result": {}}',
        '> {"id": 2, "method": "x"}',
        '< {"id": 2, "result": {"a": 1}}',
      ],
      ({ id, method }, send) => {
        send({ id: id ?? null, result: method === 'ping' ? {} : { a: 1 } });
      },
    );
    expect([short(result), result.compared, [...result.loose]]).toEqual([[], 2, []]);
  });

  test('reports what changed by pointer', async () => {
    const result = await play(
      ['> {"id": 1, "method": "tools/call"}', '< {"id": 1, "result": {"content": [{"text": "a"}], "gone": 1}}'],
      ({ id }, send) => {
        send({ id: id ?? null, result: { content: [{ text: 'b' }], added: true } });
      },
    );
    expect(short(result)).toEqual([
      [
        'response',
        'tools/call',
        [
          ['/result/content/0/text', 'a', 'b'],
          ['/result/gone', 1, undefined],
          ['/result/added', undefined, true],
        ],
      ],
    ]);
  });

  test('sends a frame only after the messages that were before it', async () => {
    const log: string[] = [];
    await play(
      [
        '> {"id": 1, "method": "slow"}',
        '> {"id": 2, "method": "fast"}',
        '< {"id": 2, "result": {}}',
        '< {"id": 1, "result": {}}',
        '> {"id": 3, "method": "after"}',
        '< {"id": 3, "result": {}}',
        '< {"method": "notifications/late"}',
        '> {"method": "notifications/last"}',
      ],
      ({ id, method }, send) => {
        log.push(method as string);
        const answer = (): void => {
          log.push(`answer ${method as string}`);
          if (id !== undefined) send({ id, result: {} });
          if (method === 'after')
            setTimeout(() => {
              log.push('late');
              send({ method: 'notifications/late' });
            }, 30);
        };
        if (method === 'slow') setTimeout(answer, 60);
        else answer();
      },
    );
    expect(log).toEqual([
      'slow',
      'fast',
      'answer fast',
      'answer slow',
      'after',
      'answer after',
      'late',
      'notifications/last',
      'answer notifications/last',
    ]);
  });

  test('returns cursors, states and tokens as the server chooses them now', async () => {
    const uuid = (digit: string): string => `${digit.repeat(8)}-aaaa-4bbb-8ccc-${digit.repeat(12)}`;
    const result = await play(
      [
        '> {"id": 1, "method": "tools/list"}',
        '< {"id": 1, "result": {"tools": [], "nextCursor": "2"}}',
        '> {"id": 2, "method": "tools/list", "params": {"cursor": "2"}}',
        '< {"id": 2, "result": {"tools": []}}',
        `> {"id": 3, "method": "start"}`,
        `< {"id": 3, "result": {"requestState": "old", "uri": "job://${uuid('1')}"}}`,
        `> {"id": 4, "method": "resources/read", "params": {"requestState": "old", "uri": "job://${uuid('1')}/log", "n": "2"}}`,
        '< {"id": 4, "result": {}}',
      ],
      ({ id, method }, send) => {
        const results: Readonly<Record<string, JsonObject>> = {
          'tools/list': { tools: [], ...(id === 1 ? { nextCursor: 'b' } : {}) },
          start: { requestState: 'new', uri: `job://${uuid('9')}` },
          'resources/read': {},
        };
        send({ id: id ?? null, result: results[method as string] ?? {} });
      },
    );
    expect(short(result)).toEqual([]);
    expect(result.received.map(({ params }) => params)).toEqual([
      undefined,
      { cursor: 'b' },
      undefined,
      { requestState: 'new', uri: `job://${uuid('9')}/log`, n: '2' },
    ]);
    expect([...result.loose]).toEqual([
      ['cursor', 1],
      ['state', 1],
      ['token', 1],
    ]);
  });

  test('answers requests of the server under their new ids, with the progress tokens of now', async () => {
    const result = await play(
      [
        '> {"id": 1, "method": "tools/call"}',
        '< {"id": 0, "method": "sampling/createMessage", "params": {"_meta": {"progressToken": "p0"}}}',
        '> {"method": "notifications/progress", "params": {"progressToken": "p0", "progress": 1}}',
        '> {"id": 0, "result": {"model": "m"}}',
        '< {"id": 1, "result": {"ok": true}}',
      ],
      (message, send) => {
        if (message['method'] === 'tools/call')
          send({ id: 'q-77', method: 'sampling/createMessage', params: { _meta: { progressToken: 'p5' } } });
        if (message['id'] === 'q-77') send({ id: 1, result: { ok: true } });
      },
    );
    expect(short(result)).toEqual([]);
    expect(result.received.slice(1)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p5', progress: 1 } },
      { jsonrpc: '2.0', id: 'q-77', result: { model: 'm' } },
    ]);
  });

  test('reports what the recording does not have, and refuses requests of that kind', async () => {
    const result = await play(['> {"id": 1, "method": "x"}', '< {"id": 1, "result": {}}'], ({ id, method }, send) => {
      if (method !== 'x') return;
      send({ method: 'notifications/new' });
      send({ id: 9, method: 'roots/list' });
      send({ id: id ?? null, result: {} });
      send({ id: id ?? null, result: {} });
    });
    expect(short(result)).toEqual([
      ['unexpected', 'notification', 'notifications/new'],
      ['unexpected', 'request', 'roots/list'],
      ['unexpected', 'response', 'x'],
    ]);
    expect(result.received.at(-1)).toMatchObject({ id: 9, error: { code: -32601 } });
  });

  test('accepts notifications of one method in another order', async () => {
    const lines = [
      '> {"id": 1, "method": "x"}',
      '< {"method": "notifications/message", "params": {"data": "a"}}',
      '< {"method": "notifications/message", "params": {"data": "b"}}',
      '< {"method": "notifications/message", "params": {"data": "c"}}',
      '< {"id": 1, "result": {}}',
    ];
    const sending =
      (...data: readonly string[]) =>
      ({ id }: JsonObject, send: Send): void => {
        for (const text of data) send({ method: 'notifications/message', params: { data: text } });
        send({ id: id ?? null, result: {} });
      };
    expect(short(await play(lines, sending('c', 'a', 'b')))).toEqual([]);
    expect(short(await play(lines, sending('c', 'x', 'b')))).toEqual([
      ['notification', 'notifications/message', [['/params/data', 'a', 'x']]],
    ]);
    expect(short(await play(lines, sending('a', 'b', 'c', 'd')))).toEqual([
      ['unexpected', 'notification', 'notifications/message'],
    ]);
  });

  test('does not care whether a cancelled request is answered', async () => {
    const lines = [
      '> {"id": 1, "method": "x"}',
      '> {"method": "notifications/cancelled", "params": {"requestId": 1}}',
      '> {"id": 2, "method": "ping"}',
      '< {"id": 2, "result": {}}',
    ];
    const answering =
      (isLate: boolean) =>
      ({ id, method }: JsonObject, send: Send): void => {
        if (method === 'ping' || (isLate && method === 'x')) send({ id: id ?? null, result: {} });
      };
    expect(short(await play(lines, answering(true)))).toEqual([]);
    expect(short(await play(lines, answering(false)))).toEqual([]);
    const answered = [...lines.slice(0, 2), '< {"id": 1, "result": {}}', ...lines.slice(2)];
    expect(short(await play(answered, answering(false)))).toEqual([]);
  });

  test('stops where the server ends, without waiting', async () => {
    const start = performance.now();
    const result = await play(
      [
        '> {"id": 1, "method": "x"}',
        '< {"id": 1, "result": {}}',
        '> {"id": 2, "method": "y"}',
        '< {"id": 2, "result": {}}',
      ],
      (_, __, server) => void server.close(),
      { timeoutMs: 20_000 },
    );
    expect(result.ended).toBe('the server closed the connection');
    expect(result.unplayed).toBe(1);
    expect(short(result)).toEqual([
      ['missing', 'response', 'x'],
      ['missing', 'response', 'y'],
    ]);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test('replays a batch as a batch', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'a' },
      { jsonrpc: '2.0', id: 2, method: 'b' },
    ];
    const answer = [
      { jsonrpc: '2.0', id: 2, result: {} },
      { jsonrpc: '2.0', id: 1, result: {} },
    ];
    const [client, server] = memoryPair();
    const received: unknown[] = [];
    server.onmessage = (value) => {
      received.push(value);
      void server.send(answer);
    };
    await server.start();
    const script = readScript([
      { from: 'client', content: { kind: 'frame', frame: batch } },
      { from: 'server', content: { kind: 'frame', frame: [...answer].reverse() } },
    ]);
    const result = await playScript(client, script, { timeoutMs: 1000, matchers: DEFAULTS });
    expect([received, short(result), result.compared]).toEqual([[batch], [], 2]);
  });
});

describe('matchers', () => {
  const compareTo = async (
    recorded: JsonValue,
    found: JsonValue,
    options: Partial<Parameters<typeof parseMatchers>[0]> = {},
  ): Promise<unknown> => {
    const matchers = parseMatchers({ exact: false, ignore: [], match: [], ...options }, () => undefined);
    const result = await play(
      ['> {"id": 1, "method": "m"}', `< {"id": 1, "result": ${JSON.stringify(recorded)}}`],
      ({ id }, send) => {
        send({ id: id ?? null, result: found });
      },
      { matchers },
    );
    return result.differences.length === 0 ? Object.fromEntries(result.loose) : 'different';
  };

  test.each([
    [{ at: '2026-01-01T10:00:00Z' }, { at: '2027-02-02T11:11:11.123+02:00' }, { time: 1 }],
    [{ text: 'done at 10:00:01 on 2026-01-01' }, { text: 'done at 9:30:59 on 2026-05-05' }, { time: 1 }],
    [{ at: 1_770_000_000_000 }, { at: 1_780_000_000_000 }, { time: 1 }],
    [{ expires_at: 1_770_000_000 }, { expires_at: 1_780_000_000 }, { time: 1 }],
    [{ id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427' }, { id: '6ba7b810-9dad-41d1-80b4-00c04fd430c8' }, { token: 1 }],
    [{ token: 'a1b2c3d4e5f6g7h8' }, { token: 'z9y8x7w6v5u4t3s2' }, { token: 1 }],
    [{ taskId: 'x' }, { taskId: 'y' }, { token: 1 }],
    [{ serverInfo: { version: '1.0.0' } }, { serverInfo: { version: '2.0.0' } }, { version: 1 }],
    [{ key: '[redacted]' }, { key: 'anything' }, { redacted: 1 }],
    [{ nextCursor: 'a' }, {}, 'different'],
    [{ text: 'done at 10:00:01' }, { text: 'failed at 10:00:02' }, 'different'],
    [{ count: 3 }, { count: 4 }, 'different'],
    [{ count: 1_770_000_000 }, { count: 5 }, 'different'],
    // 1 GiB and 2 GiB: only the name of the member distinguishes a size from seconds since 1970.
    [{ size: 1_073_741_824 }, { size: 2_147_483_648 }, 'different'],
    [{ name: 'a1b2c3d4e5f6g7h8' }, { name: 'z9y8x7w6v5u4t3s2' }, 'different'],
    [{ name: 'get-structured-content' }, { name: 'get-structured-contents' }, 'different'],
    [{ version: '1.0.0' }, { version: '2.0.0' }, 'different'],
    [{ at: '2026-01-01T10:00:00Z' }, { at: 'soon' }, 'different'],
  ])('%j and %j: %j', async (recorded, found, outcome) => {
    expect(await compareTo(recorded, found)).toEqual(outcome);
    if (typeof outcome === 'object' && !('redacted' in outcome))
      expect(await compareTo(recorded, found, { exact: true })).toBe('different');
  });

  test('--ignore skips values, and everything in them', async () => {
    expect(await compareTo({ a: { b: 1 }, c: 2 }, { a: 5, c: 2 }, { ignore: ['/result/a'] })).toEqual({ ignored: 1 });
    expect(
      await compareTo({ a: [{ b: 1 }, { b: 2 }] }, { a: [{ b: 3 }, { b: 4 }] }, { ignore: ['/result/a/*/b'] }),
    ).toEqual({ ignored: 2 });
    expect(await compareTo({ a: 1 }, { a: 2 }, { ignore: ['m:/result/a'] })).toEqual({ ignored: 1 });
    expect(await compareTo({ a: 1 }, { a: 2 }, { ignore: ['other:/result/a'] })).toBe('different');
    expect(await compareTo({ a: 1 }, {}, { ignore: ['/result/a'] })).toEqual({ ignored: 1 });
  });

  test('--match compares with a pattern', async () => {
    const match = ['/result/a=^Found \\d+$'];
    expect(await compareTo({ a: 'Found 3' }, { a: 'Found 12' }, { match })).toEqual({ pattern: 1 });
    expect(await compareTo({ a: 'Found 3' }, { a: 'Lost 12' }, { match })).toBe('different');
    expect(await compareTo({ a: 'Found 3' }, {}, { match })).toBe('different');
    expect(await compareTo({ a: 7 }, { a: 8 }, { match: ['/result/a=^\\d$'] })).toEqual({ pattern: 1 });
  });

  test.each([
    [{ ignore: ['result'] }, 'not a JSON pointer'],
    [{ match: ['/a'] }, 'not a pointer and a regular expression'],
    [{ match: ['/a=('] }, 'not a regular expression'],
    [{ match: ['/a=(x+)+$'] }, 'may take very long'],
  ])('rejects %j', (options, message) => {
    expect(() =>
      parseMatchers({ exact: false, ignore: [], match: [], ...options }, (pattern) =>
        pattern.includes('+)+') ? { kind: 'unknown' } : undefined,
      ),
    ).toThrow(message);
  });

  test('the pattern of a recorded text matches its punctuation', () => {
    const text = 'job-7 [a/b] (50%) ended at 2026-01-01T10:00:00Z.';
    const template = looseTemplate(text, ['result', 'content', '0', 'text']) as RegExp;
    expect(template.test(text)).toBe(true);
    expect(template.test(text.replace('2026', '2027'))).toBe(true);
    expect(template.test(text.replace('job-7', 'job-8'))).toBe(false);
  });

  test('the pattern of a text with very many times does not backtrack', () => {
    const text = Array.from({ length: 60 }, (_, index) => `a${index} 2026-01-01T10:00:00Z`)
      .join(' ')
      .concat(' end');
    const template = looseTemplate(text, ['result', 'content', '0', 'text']) as RegExp;
    expect(template.test(text.replaceAll('2026', '2027'))).toBe(true);
    const start = performance.now();
    expect(template.test(`${text.repeat(20)}!`)).toBe(false);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  test('a test expects what a replay accepts', () => {
    expect(looseTemplate(1_770_000_000, ['result', 'expires_at'])).toBe('any');
    expect(looseTemplate(1_073_741_824, ['result', 'size'])).toBeUndefined();
  });

  test('a new tool is one difference, and a new order another one', async () => {
    const tools = (...names: readonly string[]): JsonObject => ({ tools: names.map((name) => ({ name, n: name })) });
    const compare = async (before: JsonObject, after: JsonObject): Promise<readonly unknown[]> =>
      short(
        await play(
          ['> {"id": 1, "method": "m"}', `< {"id": 1, "result": ${JSON.stringify(before)}}`],
          ({ id }, send) => {
            send({ id: id ?? null, result: after });
          },
        ),
      );
    expect(await compare(tools('a', 'b'), tools('x', 'a', 'b'))).toEqual([
      ['response', 'm', [['/result/tools/0', undefined, { name: 'x', n: 'x' }]]],
    ]);
    expect(await compare(tools('a', 'b'), tools('b', 'a'))).toEqual([
      ['response', 'm', [['/result/tools', ['a', 'b'], ['b', 'a']]]],
    ]);
  });
});

describe('the recorded server', () => {
  /** Serves a script in memory, and records what the client receives. */
  const serve = async (lines: readonly string[]): Promise<{ client: Transport; received: JsonObject[] }> => {
    const [client, server] = memoryPair();
    const received: JsonObject[] = [];
    client.onmessage = (value) => received.push(value as JsonObject);
    await new MockConnection(new RecordedServer([readScript(entriesOf(lines))], () => undefined), server).start();
    await client.start();
    return { client, received };
  };

  test('closes when its input ends, without waiting for an answer that cannot come', { timeout: 5000 }, async () => {
    const { client, received } = await serve([
      '> {"id": 1, "method": "tools/call"}',
      '< {"id": 9, "method": "roots/list"}',
      '> {"id": 9, "result": {"roots": []}}',
      '< {"id": 1, "result": {}}',
    ]);
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' });
    await expect.poll(() => received.length).toBe(1);
    await client.end?.();
    await closed;
  });

  test('answers a request whose id was cancelled after an earlier response', async () => {
    const { client, received } = await serve(['> {"id": 1, "method": "m"}', '< {"id": 1, "result": {}}']);
    await client.send({ jsonrpc: '2.0', id: 1, method: 'm' });
    await expect.poll(() => received.length).toBe(1);
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await client.send({ jsonrpc: '2.0', id: 1, method: 'm' });
    await expect.poll(() => received.length).toBe(2);
    await client.close();
  });
});

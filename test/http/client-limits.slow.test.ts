import { describe, expect, test } from 'vitest';
import {
  connectTestClient,
  sendEvent,
  sessionScript,
  resultMessage,
  startScriptedServer,
  startStream,
  TEXT,
  waitUntil,
} from './client-peer.js';
import { call, message } from './client-limits-support.js';

describe('a server whose streams end soon', () => {
  test('is polled less and less often', async () => {
    const times: number[] = [];
    const { url } = await startScriptedServer(
      sessionScript(({ verb }, response) => {
        if (verb !== 'GET') {
          response.writeHead(202).end();
          return;
        }
        times.push(performance.now());
        startStream(response);
        response.write('retry: 0\n');
        sendEvent(response, message(`${times.length}`), `e${times.length}`);
        response.end();
      }),
    );
    await connectTestClient(['2025-11-25'], { url });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    // One event each at 100 ms, 200 to 400, 400 to 800, 800 to 1600: 45 a second without a floor.
    expect(times.length).toBeGreaterThan(3);
    expect(times.length).toBeLessThan(8);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(95);
    expect((times[3] ?? 0) - (times[2] ?? 0)).toBeGreaterThan(350);
  });

  test('but carry more is asked when it says', async () => {
    const waits: number[] = [];
    let endedAt = 0;
    const { url } = await startScriptedServer(
      sessionScript(({ verb }, response) => {
        if (verb !== 'GET') {
          response.writeHead(202).end();
          return;
        }
        if (endedAt > 0) waits.push(performance.now() - endedAt);
        startStream(response);
        response.write('retry: 150\n');
        sendEvent(response, message('a'), `a${waits.length}`);
        sendEvent(response, message('b'), `b${waits.length}`);
        response.end(() => (endedAt = performance.now()));
      }),
    );
    await connectTestClient(['2025-11-25'], { url });
    await waitUntil(() => waits.length === 6);
    for (const wait of waits) expect(wait).toBeGreaterThan(140);
    expect(Math.min(...waits.slice(3))).toBeLessThan(300);
  });
});

test('an answer that polls with one event each still comes', async () => {
  let id: number | string | undefined;
  let polls = 0;
  const { url } = await startScriptedServer(
    sessionScript(({ verb, headers, message: came }, response) => {
      if (verb === 'POST') {
        id = came.id;
        startStream(response);
        response.write('retry: 100\n');
        sendEvent(response, '', 'e0');
        response.end();
      } else if (headers['last-event-id'] === undefined) response.writeHead(405).end();
      else {
        polls += 1;
        startStream(response);
        sendEvent(response, polls < 4 ? '' : resultMessage(id, TEXT), `e${polls}`);
        response.end();
      }
    }),
  );
  const { client } = await connectTestClient(['2025-11-25'], { url });
  await client.callTool(call);
  expect(polls).toBe(4);
});

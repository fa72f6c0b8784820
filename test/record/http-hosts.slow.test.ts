import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { removeTemporaryFolders } from '../support/cli.js';
import { readRecording } from './support.js';
import { started, serve, startProxy, send, httpOf } from './http-support.js';

afterAll(removeTemporaryFolders);
afterEach(() => {
  for (const { kill } of started.splice(0)) kill();
});

describe('a request', () => {
  test.each<[string, Record<string, string>]>([
    ['host', { host: 'evil.example' }],
    ['host', { host: '127.0.0.1.evil.example:80' }],
    ['origin', { origin: 'https://evil.example' }],
    ['origin', { origin: 'null' }],
  ])('with the %s of another machine is rejected: %j', async (name, headers) => {
    let count = 0;
    const origin = await serve((_, outgoing) => {
      count += 1;
      outgoing.end('{}');
    });
    const proxy = await startProxy(`${origin}/mcp`);
    const answer = await send(proxy.url, { method: 'POST', headers, body: '{}' });
    expect([answer.status, answer.body.toString()]).toEqual([403, `the header ${name} does not name this machine`]);
    const { port } = new URL(proxy.url);
    expect(
      (await send(proxy.url, { headers: { host: `localhost:${port}`, origin: 'http://localhost:6274' } })).status,
    ).toBe(200);
    const log = await proxy.stop();
    expect(log).toContain(`a request was rejected: the header ${name} does not name this machine`);
    expect(count).toBe(1);
    expect(httpOf(readRecording(proxy.file))).toHaveLength(2);
  });
});

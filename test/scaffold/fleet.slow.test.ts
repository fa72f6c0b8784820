/**
 * What compose.yaml of a scaffolded server describes, started by hand: Redis, two instances, and a load balancer as its
 * Caddyfile configures it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createClient as createStatefulClient } from '../../generated/2025-11-25/client.js';
import { createClient } from '../../generated/2026-07-28/client.js';
import { httpClientTransport } from '../../generated/runtime/http-client.js';
import { CLI, plainEnvironment, removeTemporaryFolders, run, temporaryFolder } from '../support/cli.js';
import { compileProject } from '../support/compiler.js';
import { REDIS_MISSING, startRedis, type RedisServer } from '../support/redis.js';
import { shareOfToday, skipReason } from '../support/today.js';
import { Balancer, readCaddyfile } from './balancer.js';
import { runScripts, runStep, shareModules } from './support.js';

const INFO = { name: 'visitor', version: '1.0.0' };
const SOON = { timeout: 20_000 };
const FLAGS = [
  ...['--yes', '--no-install', '--no-git', '-r', '2025-11-25', '-r', '2026-07-28'],
  ...['--features', 'tools,progress,elicitation', '--transport', 'http', '--store', 'redis'],
];

let project = '';
beforeAll(async () => {
  const folder = temporaryFolder();
  shareModules(folder);
  const { code, output } = await runStep(process.execPath, [CLI, 'init', 'server', 'demo', ...FLAGS], folder);
  expect([code, output]).toEqual([0, expect.any(String)]);
  project = path.join(folder, 'demo');
});
afterAll(removeTemporaryFolders);

const share = shareOfToday(3);
/** Why a part does not run today; undefined if it does. */
const reasonOfPart = (part: number): string | undefined => skipReason(share.parts === 1 || share.part === part, share);
test.for([
  ['check', 1],
  ['lint', 2],
  ['test', 1],
] as const)('its script %s passes without Redis', async ([script, part], context) => {
  const reason = reasonOfPart(part);
  context.skip(reason !== undefined, reason);
  const [step] = await runScripts(project, [script]);
  expect(step).toMatchObject({ code: 0 });
});

describe('instances of the server', () => {
  const children = new Set<ChildProcess>();
  let redis: RedisServer | undefined;
  let balancer: Balancer;
  let url: URL;
  /** What compose.yaml sets, with the address of this Redis. */
  let environment: Record<string, string>;

  const reason = REDIS_MISSING ?? reasonOfPart(0);

  beforeEach((context) => {
    context.skip(reason !== undefined, reason);
  });
  beforeAll(async () => {
    if (reason !== undefined) return;
    expect(await compileProject(project, 'tsconfig.build.json')).toEqual([]);
    redis = await startRedis();
    const compose = parse(readFileSync(path.join(project, 'compose.yaml'), 'utf8')) as {
      readonly services: { readonly 'server-1': { readonly environment: Record<string, string> } };
    };
    environment = {
      ...compose.services['server-1'].environment,
      REDIS_URL: redis.url,
      REQUEST_STATE_SECRET: 'a secret of the test',
    };
    balancer = new Balancer(readCaddyfile(readFileSync(path.join(project, 'Caddyfile'), 'utf8')));
    url = await balancer.listen();
  });
  afterEach(async () => {
    await Promise.all([...children].map(stop));
  });
  afterAll(async () => {
    if (reason === undefined) balancer.close();
    await redis?.stop();
  });

  /** Starts an instance under a name of the Caddyfile. */
  async function start(name: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, ['dist/http.js'], {
      cwd: project,
      env: plainEnvironment({ ...environment, PORT: '0' }),
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    children.add(child);
    let log = '';
    const port = await new Promise<number>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        const found = /ready at http:\/\/127\.0\.0\.1:(\d+)\/mcp\n/.exec(log)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
      child.on('exit', () => {
        reject(new Error(`the instance ended: ${log}`));
      });
    });
    await balancer.setPort(name, port);
    return child;
  }

  /** Stops an instance as an orchestrator does. Returns its exit code. */
  async function stop(child: ChildProcess): Promise<number | null> {
    children.delete(child);
    if (child.exitCode !== null) return child.exitCode;
    const exited = once(child, 'exit') as Promise<[number | null]>;
    child.kill('SIGTERM');
    return (await exited)[0];
  }

  test('a session outlives a deploy of all instances, without an error', async () => {
    const old = [await start('server-1:3000'), await start('server-2:3000')] as const;
    const events: string[] = [];
    const client = createStatefulClient({ info: INFO, onEvent: ({ kind }) => events.push(kind) });
    await client.connect(httpClientTransport({ url: url.href }));
    const greet = async (name: string): Promise<unknown> =>
      (await client.callTool({ name: 'greet', arguments: { name } })).content;
    const before = balancer.posts;
    for (let index = 0; index < 6; index += 1) expect(await greet('Ann')).toMatchObject([{ text: 'Hello, Ann!' }]);
    // Both instances got calls of the session, which only one of them owns. Its listening stream takes a turn too.
    for (const [name, posts] of Object.entries(balancer.posts)) expect(posts - (before[name] ?? 0)).toBeGreaterThan(1);
    for (const [index, child] of old.entries()) {
      const steps: number[] = [];
      const counting = client.callTool(
        { name: 'count', arguments: { to: 6, pauseMs: 100 } },
        { onProgress: ({ progress }) => steps.push(progress) },
      );
      await expect.poll(() => steps.length, SOON).toBeGreaterThan(0);
      const stopped = stop(child);
      expect(await greet('Bob')).toMatchObject([{ text: 'Hello, Bob!' }]);
      expect((await counting).content).toMatchObject([{ text: 'Counted to 6.' }]);
      expect(steps).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await stopped).toBe(0);
      expect(await greet('Cy')).toMatchObject([{ text: 'Hello, Cy!' }]);
      await start(`server-${index + 1}:3000`);
    }
    expect(await greet('Di')).toMatchObject([{ text: 'Hello, Di!' }]);
    // The session is the one that was opened first.
    expect(events.filter((kind) => kind !== 'streamResumed' && kind !== 'reconnecting')).toEqual([]);
    await client.close();
  });

  test('a request of 2026-07-28 that waits for its user goes on in the other instance', async () => {
    await start('server-1:3000');
    await start('server-2:3000');
    const client = createClient({
      info: INFO,
      handlers: { 'elicitation/create': () => ({ action: 'accept', content: { count: 4 } }) },
    });
    await client.connect(httpClientTransport({ url: url.href }));
    const before = balancer.posts;
    const { content } = await client.callTool({ name: 'book', arguments: { day: 'Friday' } });
    expect(content).toMatchObject([{ text: 'Booked a table on Friday for 4.' }]);
    for (const [name, posts] of Object.entries(balancer.posts))
      expect([name, posts - (before[name] ?? 0)]).toEqual([name, 1]);
    await client.close();
  });

  test('the program says in one line which Redis it cannot reach, and ends with 1', async () => {
    const env = { ...environment, REDIS_URL: 'redis://user:hidden@127.0.0.1:1', PORT: '0' };
    const { code, stdout, stderr } = await run(process.execPath, ['dist/http.js'], { cwd: project, env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      '[demo] cannot connect to Redis at 127.0.0.1:1 (REDIS_URL): connect ECONNREFUSED 127.0.0.1:1\n',
    );
  });

  test('without REDIS_URL it keeps sessions in memory, and says so', async () => {
    const child = spawn(process.execPath, ['dist/http.js'], {
      cwd: project,
      env: plainEnvironment({ PORT: '0' }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.add(child);
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await expect.poll(() => log, SOON).toContain('sessions are kept in memory: set REDIS_URL to share them\n');
    expect(await stop(child)).toBe(0);
  });
});

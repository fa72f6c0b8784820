/** Servers over HTTP: `tools/call` with 50 in flight over connections that are kept. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { HttpLoad } from '../support/http-load.js';
import { bundleProgram } from './processes.js';
import type { Bench, Contender, Suite } from './suite.js';

const IN_FLIGHT = 50;
/** More than are measured: code that is not compiled yet would count. */
const WARM_UP_CALLS = 5000;
const CALLS = 2000;

async function processorTimeOf(server: ChildProcess): Promise<number> {
  server.send('usage');
  const [{ cpu }] = (await once(server, 'message')) as [{ readonly cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}

/** Starts a server in a process, warms it up, and measures one call: time on the clock, and of the server's processor. */
async function measure(
  program: string,
  name: string,
  isModern: boolean,
  [warmUpCalls, calls]: readonly [number, number],
): Promise<readonly number[]> {
  const server = fork(program, [name], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const load = new HttpLoad(new URL(`http://127.0.0.1:${port}/mcp`), isModern, IN_FLIGHT);
    await load.open();
    await load.run(warmUpCalls);
    const before = await processorTimeOf(server);
    const start = performance.now();
    await load.run(calls);
    const clock = (performance.now() - start) * 1000;
    const processor = (await processorTimeOf(server)) - before;
    await load.close();
    return [clock / calls, processor / calls];
  } finally {
    server.kill();
  }
}

const FLOOR = 'bare node:http';
const STATEFUL = ['ours', 'SDK v1', 'SDK v1, JSON answers', 'SDK v2', 'SDK v2, JSON answers'];
const STATELESS = { ours: 'ours, 2026-07-28', 'SDK v2, createMcpHandler': 'SDK v2, 2026-07-28' };

export const http: Suite = {
  name: 'http',
  title: 'tools/call over HTTP',
  about: `${IN_FLIGHT} in flight over connections that are kept; the load comes from another process, so the time on the clock contains it. The floor is a node:http handler that collects the body, parses it and answers.`,
  columns: [
    { title: 'on the clock', unit: 'us' },
    { title: "server's processor", unit: 'us' },
  ],
  races: [
    {
      title: '2025-11-25, with sessions',
      floor: FLOOR,
      ours: 'ours',
      peers: STATEFUL.slice(1),
      aims: [{ ofPeer: 4 }, { speed: 0.6 }],
    },
    {
      title: '2026-07-28',
      floor: FLOOR,
      ours: STATELESS.ours,
      peers: [STATELESS['SDK v2, createMcpHandler']],
      aims: [{ ofPeer: 4 }, { speed: 0.6 }],
    },
  ],
  contenders: async ({ scratch, root, isQuick }: Bench) => {
    const program = await bundleProgram(scratch, 'http-servers', root);
    const of = (name: string, isModern: boolean): Contender => {
      return () => measure(program, name, isModern, isQuick ? [300, 300] : [WARM_UP_CALLS, CALLS]);
    };
    return {
      [FLOOR]: of(FLOOR, false),
      ...Object.fromEntries(STATEFUL.map((name) => [name, of(name, false)])),
      ...Object.fromEntries(Object.entries(STATELESS).map(([name, shown]) => [shown, of(name, true)])),
    };
  },
};

/**
 * A server over stdio whose tasks are in an SQLite file: `node shared-server.mjs DATABASE LOG`. Its tools write a line to
 * the log for each thing that they do.
 */
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from '../../generated/2026-07-28/server.js';
import { defineTool } from '../../generated/runtime/registry.js';
import { stdioServerTransport } from '../../generated/runtime/stdio-server.js';
import { createTasks, defineTaskTool } from '../../generated/runtime/tasks.js';
import { sqliteTaskStore, type SqliteDatabase } from '../../generated/runtime/tasks-sqlite.js';
import { latest, older } from './revisions.js';

const [, , database = '', log = '', driver = 'node:sqlite'] = process.argv;
const write = (line: string): void => {
  appendFileSync(log, `${line}\n`);
};

// The types of Node 20 do not know `node:sqlite`.
const loaded = createRequire(import.meta.url)(driver) as { DatabaseSync: new (file: string) => SqliteDatabase };
const Database = driver === 'node:sqlite' ? loaded.DatabaseSync : (loaded as unknown as typeof loaded.DatabaseSync);
const tasks = createTasks({
  store: sqliteTaskStore(new Database(database)),
  leaseMs: 600,
  pollIntervalMs: 30,
  syncMs: 30,
});

const once = defineTaskTool({
  name: 'once',
  taskSupport: 'required',
  run: async (args, task) => {
    write(`once ${task.id ?? ''}`);
    await delay(Number(args['ms']));
    return 'done';
  },
});
const steps = defineTaskTool({
  name: 'steps',
  taskSupport: 'required',
  resumable: true,
  before: () => 0,
  run: async (args, task) => {
    write(`attempt ${task.attempt} ${task.id ?? ''}`);
    for (let step = task.state; step < 5; step += 1) {
      await delay(Number(args['ms']));
      task.signal.throwIfAborted();
      write(`step ${step} ${task.id ?? ''}`);
      await task.save(step + 1);
    }
    return 'five steps';
  },
});
const waiting = defineTaskTool({
  name: 'waiting',
  taskSupport: 'required',
  run: async (_args, task) => {
    task.signal.addEventListener('abort', () => {
      write(`aborted ${task.id ?? ''}`);
    });
    const { answer } = await task.requireInput({ answer: { method: 'roots/list' } });
    return JSON.stringify(answer);
  },
});
const pid = defineTool({ name: 'pid', run: () => String(process.pid) });

const server = createServer({
  info: { name: 'shared', version: '1' },
  revisions: [latest, older],
  handlers: tasks.toolHandlers([once, steps, waiting, pid]),
  extensions: [tasks],
});
tasks.start();
await server.connect(stdioServerTransport());

/** How a process ends. */
import type { Probe, ProbeContext } from '../probe.js';
import { StdioConnection } from '../raw/stdio.js';

/** Fewest milliseconds that a process has to exit. */
const EXIT_TIMEOUT_MS = 3000;
/** Most of them, for a slow process. */
const MAX_EXIT_TIMEOUT_MS = 20_000;
/** How many times longer than its start a process may take to exit. */
const EXIT_FACTOR = 3;

/** A process that has started completely, since it speaks the revision. */
interface Started {
  readonly process: StdioConnection;
  /** Milliseconds that it has to exit, going by how long its start took. */
  readonly exitMs: number;
}

async function started(context: ProbeContext): Promise<Started> {
  const start = performance.now();
  const { connection: process } = await context.start();
  if (!(process instanceof StdioConnection)) throw new TypeError('not a process');
  const exitMs = Math.max(EXIT_TIMEOUT_MS, EXIT_FACTOR * (performance.now() - start));
  return { process, exitMs: Math.min(MAX_EXIT_TIMEOUT_MS, exitMs) };
}

/** Seconds for a message. */
function seconds(milliseconds: number): string {
  return String(Math.round(milliseconds / 1000));
}

/** Probes of the end of a process. */
export const PROCESS_PROBES: readonly Probe[] = [
  {
    id: 'end-of-input',
    isSeparate: true,
    title: 'exit at the end of input',
    transport: 'stdio',
    isOnce: true,
    run: async (context) => {
      const { process, exitMs } = await started(context);
      if (process.end !== undefined) return;
      process.closeInput();
      if (await process.ended(exitMs)) return;
      context.report({
        rule: 'stays-after-input-ends',
        subject: 'end of input',
        message: `the server runs ${seconds(exitMs)} s after its input has ended`,
        connection: process,
        frames: [process.log.entries.length],
        isGeneral: true,
      });
    },
  },
  {
    id: 'sigterm',
    isSeparate: true,
    title: 'exit on SIGTERM',
    transport: 'stdio',
    isOnce: true,
    run: async (context) => {
      const { process, exitMs } = await started(context);
      if (process.end !== undefined) return;
      process.kill('SIGTERM');
      if (await process.ended(exitMs)) return;
      context.report({
        rule: 'ignores-sigterm',
        subject: 'SIGTERM',
        message: `the server runs ${seconds(exitMs)} s after SIGTERM`,
        connection: process,
        frames: [process.log.entries.length],
        isGeneral: true,
      });
    },
  },
];

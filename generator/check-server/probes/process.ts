/** How a process ends. */
import { EXIT_TIMEOUT_MS } from '../raw/stdio.js';
import type { Probe, ProbeContext } from '../probe.js';
import { handshake, Session } from '../session.js';
import type { StdioConnection } from '../raw/stdio.js';

/** A process on which the revision is spoken, so that it has started completely. */
async function started(context: ProbeContext): Promise<StdioConnection> {
  const process = await context.openProcess();
  const session = new Session(process, context.revision, context.timeoutMs);
  if (session.isStateless) await session.request('server/discover');
  else await handshake(process, context.revision, context.timeoutMs);
  return process;
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
      const process = await started(context);
      if (process.end !== undefined) return;
      process.closeInput();
      if (await process.ended(EXIT_TIMEOUT_MS)) return;
      context.report({
        rule: 'stays-after-input-ends',
        subject: 'end of input',
        message: `the server runs ${EXIT_TIMEOUT_MS / 1000} s after its input has ended`,
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
      const process = await started(context);
      if (process.end !== undefined) return;
      process.kill('SIGTERM');
      if (await process.ended(EXIT_TIMEOUT_MS)) return;
      context.report({
        rule: 'ignores-sigterm',
        subject: 'SIGTERM',
        message: `the server runs ${EXIT_TIMEOUT_MS / 1000} s after SIGTERM`,
        connection: process,
        frames: [process.log.entries.length],
        isGeneral: true,
      });
    },
  },
];

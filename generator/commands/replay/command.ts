import { openTransport } from '../../connect/open.js';
import type { ServerTarget } from '../../connect/target.js';
import { McpgenError } from '../../errors.js';
import type { Matchers } from '../../replay/matchers.js';
import { playScript, type PlayResult } from '../../replay/play.js';
import { differenceLines, summaryLine } from '../../replay/report.js';
import type { Script } from '../../replay/script.js';
import { printJson, printLine, printToStderr, printWarning, stdoutColors } from '../../terminal.js';
import type { ReplayOptions } from './options.js';
import { readConversations, type Recorded } from './read.js';

/** `mcpgen replay`. Returns the exit code. */
export async function replayCommand({ file, matchers, action }: ReplayOptions): Promise<number> {
  const conversations = await readConversations(file);
  if (action.kind === 'play') return playAll(file, conversations, action.target, matchers, action.json);
  const script = single(file, conversations);
  if (action.kind === 'serve') return serve(script, action.port);
  const { writeTest } = await import('./write-test.js');
  printLine(await writeTest(file, script, action, matchers));
  return 0;
}

async function playAll(
  file: string,
  conversations: readonly Recorded[],
  target: ServerTarget,
  matchers: Matchers,
  json: boolean,
): Promise<number> {
  const skipped = conversations.reduce((sum, { script }) => sum + script.skipped, 0);
  if (skipped > 0) {
    printWarning({
      message: `${skipped} ${skipped === 1 ? 'entry is not a message and is' : 'entries are not messages and are'} not replayed`,
      place: file,
    });
  }
  const results: PlayResult[] = [];
  for (const { script } of conversations) results.push(await play(script, target, matchers));
  if (json) {
    printJson(target.secrets.redactJson(results.map(resultJson)));
  } else {
    for (const [index, result] of results.entries()) {
      if (results.length > 1) printLine(stdoutColors.bold(`Conversation ${index + 1}`));
      for (const line of differenceLines(result.differences, stdoutColors)) printLine(target.secrets.redact(line));
      if (result.differences.length > 0) printLine();
      printLine(target.secrets.redact(summaryLine(result)));
    }
  }
  return results.every(({ differences }) => differences.length === 0) ? 0 : 1;
}

function resultJson({ differences, compared, loose, ended }: PlayResult): Record<string, never> {
  return { compared, loose: Object.fromEntries(loose), ended: ended ?? null, differences } as never;
}

/** @throws {@link McpgenError} if the server does not start. */
async function play(script: Script, target: ServerTarget, matchers: Matchers): Promise<PlayResult> {
  const { transport, log, release } = await openTransport(target);
  try {
    const result = await playScript(transport, script, { matchers, timeoutMs: target.timeoutMs });
    if (result.ended !== undefined) {
      const end = log().trimEnd().split('\n').slice(-5).join('\n');
      printWarning({ message: target.secrets.redact(`the server ended before the recording did: ${result.ended}`) });
      if (end !== '') printToStderr(end);
    }
    return result;
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    throw new McpgenError(target.secrets.redact(`the server did not start: ${(error as Error).message}`), {
      place: target.secrets.redact(target.place),
      remedy: 'Check the command or the URL.',
    });
  } finally {
    await release();
  }
}

async function serve(script: Script, port: number | undefined): Promise<number> {
  const warn = (message: string): void => {
    printWarning({ message });
  };
  const { serveRecording, serveStdio } = await import('../../replay/serve.js');
  if (port === undefined) {
    await serveStdio(script, warn);
    return 0;
  }
  const server = await listen(() => serveRecording(script, port, warn), port);
  printLine(`listening on ${server.url.href}`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await server.close();
  return 0;
}

async function listen<T>(open: () => Promise<T>, port: number): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new McpgenError(`the port is not available (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      place: `--port ${port}`,
      remedy: 'Choose another one; 0 chooses a free port.',
      cause: error,
    });
  }
}

function single(file: string, conversations: readonly Recorded[]): Script {
  const [first, ...others] = conversations;
  if (first === undefined || others.length > 0) {
    throw new McpgenError(`has ${conversations.length} conversations`, {
      place: file,
      remedy: 'Pass a recording of one: put each, from its header on, into a file.',
    });
  }
  return first.script;
}

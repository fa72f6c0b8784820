import { openTransport } from '../../connect/open.js';
import type { ServerTarget } from '../../connect/target.js';
import { McpgenError } from '../../errors.js';
import type { Matchers } from '../../replay/matchers.js';
import { playScript, type PlayResult } from '../../replay/play.js';
import { differenceLines, summaryLine } from '../../replay/report.js';
import type { Script } from '../../replay/script.js';
import { printJson, printLine, printToStderr, printWarning, stdoutColors } from '../../terminal.js';
import type { ReplayAction, ReplayOptions } from './options.js';
import { readConversations, type Recorded } from './read.js';
import { assertUpdatable, updateRecording } from './update.js';

/** `mcpgen replay`. Returns the exit code. */
export async function replayCommand({ file, matchers, action }: ReplayOptions): Promise<number> {
  const conversations = await readConversations(file);
  if (action.kind === 'play') return playAll(file, conversations, action, matchers);
  if (action.kind === 'serve') return serve(scriptsOfOne(file, conversations), action.port);
  const script = single(file, conversations);
  const { writeTest } = await import('./write-test.js');
  printLine(await writeTest(file, script, action, matchers));
  return 0;
}

async function playAll(
  file: string,
  conversations: readonly Recorded[],
  { target, json, update }: Extract<ReplayAction, { kind: 'play' }>,
  matchers: Matchers,
): Promise<number> {
  if (update) assertUpdatable(file);
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
  if (update) return updateFrom(file, results);
  return results.every((result) => result.differences.length === 0 && !endedEarly(result)) ? 0 : 1;
}

/** Writes what changed. What is missing or unexpected is not a change of an answer, so it still fails. */
function updateFrom(file: string, results: readonly PlayResult[]): number {
  const changed = updateRecording(file, new Map(results.flatMap(({ current }) => [...current])));
  const others = results.flatMap(({ differences }) => differences.filter(({ kind }) => kind !== 'changed')).length;
  const rest = others === 0 ? '' : `; ${others} missing or unexpected messages are not in it`;
  printToStderr(`mcpgen replay: updated ${changed} ${changed === 1 ? 'entry' : 'entries'} of ${file}${rest}`);
  return others === 0 && !results.some(endedEarly) ? 0 : 1;
}

function resultJson({ differences, compared, loose, ended, unplayed }: PlayResult): Record<string, never> {
  return { compared, loose: Object.fromEntries(loose), ended: ended ?? null, unplayed, differences } as never;
}

/** Whether something was outstanding when the server ended: one that exits after its last answer has done its work. */
function endedEarly({ ended, unplayed, differences }: PlayResult): boolean {
  return ended !== undefined && (unplayed > 0 || differences.some(({ kind }) => kind === 'missing'));
}

/** @throws {@link McpgenError} if the server does not start. */
async function play(script: Script, target: ServerTarget, matchers: Matchers): Promise<PlayResult> {
  const { transport, log, release } = await openTransport(target);
  try {
    const result = await playScript(transport, script, { matchers, timeoutMs: target.timeoutMs });
    if (endedEarly(result)) {
      const end = log().trimEnd().split('\n').slice(-5).join('\n');
      const missing = result.differences.filter(({ kind }) => kind === 'missing').length;
      const counts = `${result.unplayed} requests not sent, ${missing} recorded messages missing`;
      printWarning({
        message: target.secrets.redact(`the server ended before the recording did: ${result.ended ?? ''}; ${counts}`),
      });
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

async function serve(scripts: readonly Script[], port: number | undefined): Promise<number> {
  const warn = (message: string): void => {
    printWarning({ message });
  };
  const { serveRecording, serveStdio } = await import('../../replay/serve.js');
  if (port === undefined) {
    await serveStdio(scripts, warn);
    return 0;
  }
  const server = await listen(() => serveRecording(scripts, port, warn), port);
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

/** The clients of one recording, which a mock server has as one. */
function scriptsOfOne(file: string, conversations: readonly Recorded[]): readonly Script[] {
  const [first] = conversations;
  if (conversations.some(({ header }) => header === undefined || header !== first?.header))
    return [single(file, conversations)];
  return conversations.map(({ script }) => script);
}

function single(file: string, conversations: readonly Recorded[]): Script {
  const [first, ...others] = conversations;
  if (first === undefined || others.length > 0) {
    throw new McpgenError(`has ${conversations.length} conversations`, {
      place: file,
      remedy: 'Pass a recording of one client: put each conversation, from its header on, into a file.',
    });
  }
  return first.script;
}

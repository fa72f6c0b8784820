import { closeSync, openSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpProxy } from '../../record/http.js';
import { recordStdio, type ServerEnd } from '../../record/stdio.js';
import { RECORDING_VERSION, type RecordingHeader } from '../../recording/entry.js';
import { Recorder } from '../../recording/recorder.js';
import { Redactor } from '../../recording/redact.js';
import { RecordingFile } from '../../recording/write-file.js';
import { printToStderr, printWarning } from '../../terminal.js';
import { displayUrl, shellQuote } from '../../text.js';
import { readExtendedRevisions } from '../shared/extensions.js';
import type { HttpOptions, RecordCommandOptions } from './options.js';

/** How long a signal that ends this process may need, in milliseconds. */
const SIGNAL_DELAY_MS = 200;

/** Records a conversation. Returns the exit code: that of the server, if it is a command. */
export async function recordCommand(options: RecordCommandOptions): Promise<number> {
  const recording = await openRecording(options);
  const [command, ...args] = options.command;
  if (command === undefined) return recordHttp(recording, options.http);
  let end: ServerEnd;
  try {
    leaveErrorsToStreams();
    end = await recordStdio({
      command,
      args,
      recorder: recording.recorder,
      input: process.stdin,
      output: process.stdout,
      closeInput: () => {
        process.stdin.destroy();
        closeForClient(0);
      },
      closeOutput: () => {
        closeForClient(1);
      },
    });
  } catch (error) {
    recording.file.discard();
    throw error;
  }
  await recording.close();
  return endLike(end);
}

/** Records a server over HTTP until a signal ends it. */
async function recordHttp({ file, recorder, close }: OpenRecording, http: HttpOptions | undefined): Promise<number> {
  if (http === undefined) return 0;
  let isWarned = false;
  let proxy: HttpProxy;
  try {
    proxy = await HttpProxy.start({
      ...http,
      recorder,
      onRejected: (reason) => {
        // A page can repeat it as often as it likes.
        if (!isWarned) printWarning({ message: `a request was rejected: ${reason}`, place: proxy.url });
        isWarned = true;
      },
    });
  } catch (error) {
    file.discard();
    throw error;
  }
  printToStderr(`mcpgen record: ${proxy.url} forwards to ${displayUrl(http.url.href)}; Ctrl+C ends it`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => {
        resolve();
      });
  });
  await proxy.close();
  await close();
  printToStderr(`mcpgen record: recorded ${proxy.exchanges} requests in ${file.path}`);
  return 0;
}

/** A recording, and what happens at its end. */
interface OpenRecording {
  readonly file: RecordingFile;
  readonly recorder: Recorder;
  /** Writes everything and reports what was redacted. */
  readonly close: () => Promise<void>;
}

async function openRecording(options: RecordCommandOptions): Promise<OpenRecording> {
  const extensions = await readExtendedRevisions(options);
  const { out, redacts, patterns, maxFrameBytes, http, command, inspect } = options;
  const redactor = redacts ? new Redactor(patterns) : undefined;
  const file = RecordingFile.create(out, (error) => {
    warn(`the recording ends here, the conversation goes on (${error.code ?? error.message})`, file.path);
  });
  if (file.path !== out) printToStderr(`mcpgen record: recording to ${file.path}`);
  const words = command.map((word, index) => redactor?.argument(word, command[index - 1]) ?? word);
  const header: RecordingHeader = {
    version: RECORDING_VERSION,
    transport: http === undefined ? 'stdio' : 'http',
    started: new Date().toISOString(),
    server: http === undefined ? words.map(quoted).join(' ') : displayUrl(http.url.href),
    ...(redacts ? (patterns.length === 0 ? {} : { redact: patterns }) : { redact: false }),
  };
  // Imported on demand: it loads all revisions, and a host waits for its server to start.
  const findings = inspect ? new (await import('./live-findings.js')).LiveFindings(header, extensions) : undefined;
  const recorder = new Recorder({ file, redactor, maxFrameBytes, onEntry: findings?.add }, header);
  const close = async (): Promise<void> => {
    await file.close();
    findings?.end();
    const counts = [...(redactor?.counts ?? [])].map(([name, count]) => `${name} (${count})`);
    if (counts.length > 0) printToStderr(`mcpgen record: redacted ${counts.join(', ')} in ${file.path}`);
    if (file.failure !== undefined) warn('the recording is incomplete', file.path);
  };
  return { file, recorder, close };
}

/** Only for readers, so options stay as they are. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word);
}

function warn(message: string, place: string): void {
  printWarning({ message, place });
}

/** By default, a closed pipe ends this process at once: here the server decides, and the recording is completed. */
function leaveErrorsToStreams(): void {
  process.stdout.removeAllListeners('error');
  process.stderr.removeAllListeners('error').on('error', () => undefined);
}

/** Closes standard input or output for the client, though this process goes on: Node closes them at the end only. */
function closeForClient(descriptor: 0 | 1): void {
  if (process.platform === 'win32') return;
  closeSync(descriptor);
  // Otherwise another file would get this number.
  openSync(os.devNull, descriptor === 0 ? 'r' : 'w');
}

/** Ends this process by the signal that ended the server; otherwise returns the exit code of the server. */
async function endLike({ code, signal }: ServerEnd): Promise<number> {
  if (signal === null) return code ?? 0;
  process.kill(process.pid, signal);
  // Some signals do not end Node.
  await sleep(SIGNAL_DELAY_MS);
  return 128 + os.constants.signals[signal];
}

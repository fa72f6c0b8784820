import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { McpgenError } from '../errors.js';
import type { Side } from '../recording/entry.js';
import { ByteLineSplitter } from '../recording/byte-lines.js';
import type { Recorder } from '../recording/recorder.js';
import { pump, type Tap } from './pump.js';

/** How a server ended: its exit code, or the signal that ended it. */
export interface ServerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What to record, and between which streams. */
export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly recorder: Recorder;
  /** What the client writes. */
  readonly input: Readable;
  /** What the client reads. */
  readonly output: Writable;
  /** Closes {@link input} for the client, whose next write fails. */
  readonly closeInput: () => void;
  /** Closes {@link output} for the client, once everything is written. */
  readonly closeOutput: () => void;
}

/** Signals that are forwarded to the server. */
const FORWARDED_SIGNALS: readonly NodeJS.Signals[] =
  process.platform === 'win32'
    ? ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK']
    : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

/**
 * How long output of a server that has exited is awaited, in milliseconds since the last of it: a process that the
 * server started may keep the stream open.
 */
const OUTPUT_LINGER_MS = 500;

/**
 * Starts a server over stdio and forwards bytes, ends of streams and signals between it and the client, until the
 * server has exited and the client has read its output, or is gone.
 *
 * @throws {@link McpgenError} if the command cannot be started.
 */
export async function recordStdio(options: StdioOptions): Promise<ServerEnd> {
  const { command, args, recorder, input, output, closeInput, closeOutput } = options;
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  // At once: a signal that comes before must not leave the server alone.
  const leaving = forwardSignals(child);
  try {
    await started(child, command);
  } catch (error) {
    leaving.stop();
    throw error;
  }

  const client = new SideRecorder('client', recorder);
  const server = new SideRecorder('server', recorder);
  const exited = exitOf(child);

  input.on('end', () => {
    client.end();
    recorder.add('client', undefined, { end: {} });
    child.stdin.end();
  });
  input.on('error', () => child.stdin.end());
  // The server reads no more: then neither do we, and the client notices as it would without us.
  child.stdin.on('error', closeInput);
  // Nobody reads what the server writes: its next write fails, as it would without us.
  output.on('error', () => child.stdout.destroy());
  child.stdout.on('error', () => undefined);
  child.stdout.on('end', () => {
    whenWritten(output, closeOutput);
  });
  pump(input, child.stdin, client);
  pump(child.stdout, output, server);

  const end = await exited;
  await Promise.race([outputEnd(child.stdout), leaving.promise]);
  await Promise.race([
    new Promise<void>((resolve) => {
      whenWritten(output, resolve);
    }),
    leaving.promise,
  ]);
  leaving.stop();
  input.destroy();
  client.end();
  server.end();
  const { code, signal } = end;
  recorder.add('server', undefined, { end: signal === null ? { code: code ?? 0 } : { signal } });
  return end;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Records the lines of a side. */
class SideRecorder implements Tap {
  readonly #recorder: Recorder;
  readonly #lines: ByteLineSplitter;

  constructor(side: Side, recorder: Recorder) {
    this.#recorder = recorder;
    this.#lines = new ByteLineSplitter(recorder.maxFrameBytes, (line) => {
      recorder.add(side, line);
    });
  }

  readonly add = (chunk: Buffer): void => {
    this.#lines.add(chunk);
  };

  readonly isFull = (): boolean => this.#recorder.isFull;

  readonly drained = (): Promise<void> => this.#recorder.drained();

  /** Records a last line without a newline. */
  end(): void {
    this.#lines.end();
  }
}

async function started(child: Child, command: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Readonly<Record<string, string>> = {
        ENOENT: 'the command was not found',
        EACCES: 'the command is not executable',
      };
      const reason = reasons[error.code ?? ''] ?? `the command cannot be started (${error.code ?? error.message})`;
      const remedy = 'Check it; a host may have another PATH than your shell, so a full path is safer.';
      reject(new McpgenError(reason, { place: command, remedy, cause: error }));
    });
  });
  // A signal that cannot be sent, for example.
  child.on('error', () => undefined);
}

function exitOf(child: Child): Promise<ServerEnd> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
}

/** Forwards signals to the server. The promise is fulfilled by one that comes after the server has exited. */
function forwardSignals(child: Child): { readonly promise: Promise<void>; readonly stop: () => void } {
  let leave: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const forward = (signal: NodeJS.Signals): void => {
    if (child.exitCode !== null || child.signalCode !== null) leave();
    // A terminal sends Ctrl+C to the server, too; some servers exit without cleaning up at the second one.
    else if (signal !== 'SIGINT' || ![0, 1, 2].some((descriptor) => isatty(descriptor))) child.kill(signal);
  };
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  const stop = (): void => {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  };
  return { promise, stop };
}

/** Is fulfilled once a stream has ended, or is silent for a while without having been paused. */
function outputEnd(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const restart = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (stream.isPaused()) restart();
        else done();
      }, OUTPUT_LINGER_MS);
    };
    if (stream.closed) {
      done();
      return;
    }
    stream.on('data', restart);
    stream.once('close', done);
    restart();
  });
}

/** Calls back once everything is written, or nothing can be written anymore. */
function whenWritten(stream: Writable, callback: () => void): void {
  if (!stream.writable) callback();
  else
    stream.write('', () => {
      callback();
    });
}

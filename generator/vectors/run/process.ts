/** A program that reads and writes lines, with bounded memory. */
import type { Buffer } from 'node:buffer';
import { spawn, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import { McpgenError } from '../../errors.js';
import { ByteLineSplitter } from '../../recording/byte-lines.js';

/** Longest line that is read, in bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Characters of standard error that are kept. */
const MAX_STDERR_LENGTH = 4096;
/** Milliseconds that a program has to exit after its input ends, and again after SIGTERM. */
const EXIT_TIMEOUT_MS = 1000;
const IS_POSIX = process.platform !== 'win32';

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a program is called with each line; undefined for a line over the limit. */
export type OnLine = (line: string | undefined) => void;

/** Programs that run; none of them outlives mcpgen. */
const running = new Set<LineProgram>();

/** Ends all programs that run. */
export function killPrograms(): void {
  for (const program of running) program.kill('SIGKILL');
}

/** A running program. */
export class LineProgram {
  /** The last of standard error. */
  stderr = '';
  end: ProgramEnd | undefined;
  readonly #child: ChildProcess;
  readonly #exited: Promise<ProgramEnd>;
  /** Called when the program ends. */
  onend: () => void = () => undefined;

  /**
   * Starts a program.
   *
   * @param command - The program and its arguments.
   * @throws {@link McpgenError} if it cannot be started.
   */
  static async start([file = '', ...args]: readonly string[], onLine: OnLine): Promise<LineProgram> {
    const child = spawn(file, args, { stdio: 'pipe', detached: IS_POSIX });
    return new Promise((resolve, reject) => {
      child.once('spawn', () => {
        resolve(new LineProgram(child, onLine));
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        const reason = error.code === 'ENOENT' ? 'the program was not found' : `it cannot be started (${error.code})`;
        reject(new McpgenError(reason, { place: file, remedy: 'Check the command after --.' }));
      });
    });
  }

  private constructor(child: ChildProcess, onLine: OnLine) {
    this.#child = child;
    running.add(this);
    const splitter = new ByteLineSplitter(MAX_LINE_BYTES, (line) => {
      onLine(line.kind === 'cut' ? undefined : line.bytes.toString('utf8'));
    });
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('data', (chunk: Buffer) => {
      splitter.add(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString('utf8')).slice(-MAX_STDERR_LENGTH);
    });
    this.#exited = new Promise((resolve) => {
      const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.end !== undefined) return;
        splitter.end();
        running.delete(this);
        this.end = { code, signal };
        resolve(this.end);
        this.onend();
      };
      child.once('close', finish);
      child.once('exit', (code, signal) => {
        // A process that it left behind may keep the streams open.
        setTimeout(() => {
          finish(code, signal);
        }, 200).unref();
      });
    });
  }

  /** Writes bytes. Resolves when the program has room for more, or has ended; never for one that does not read. */
  async write(bytes: Uint8Array | string): Promise<void> {
    const { stdin } = this.#child;
    if (stdin?.writable !== true || stdin.write(bytes)) return;
    let resume: () => void = () => undefined;
    const drained = new Promise<void>((resolve) => {
      resume = resolve;
      stdin.once('drain', resume).once('close', resume);
    });
    await Promise.race([this.#exited, drained]);
    stdin.off('drain', resume).off('close', resume);
  }

  /** Ends the input of the program. */
  endInput(): void {
    this.#child.stdin?.end();
  }

  /** Sends a signal; SIGKILL goes to the processes that it started, too. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    try {
      if (IS_POSIX && pid !== undefined && signal === 'SIGKILL') process.kill(-pid, signal);
      else this.#child.kill(signal);
    } catch {
      this.#child.kill(signal);
    }
  }

  /** Waits for the end. Returns whether it came in time. */
  async ended(timeoutMs: number): Promise<boolean> {
    return this.end !== undefined || isInTime(this.#exited, timeoutMs);
  }

  /** Ends the program, by force if necessary. */
  async close(): Promise<void> {
    this.endInput();
    if (!(await this.ended(EXIT_TIMEOUT_MS))) {
      this.kill('SIGTERM');
      await this.ended(EXIT_TIMEOUT_MS);
    }
    // Also what it left behind.
    this.kill('SIGKILL');
    await this.ended(EXIT_TIMEOUT_MS);
  }

  /** How it ended, for messages. */
  endText(): string {
    const { code = null, signal = null } = this.end ?? {};
    return signal === null ? `exited with ${code ?? 'no code'}` : `was ended by ${signal}`;
  }

  /** The last lines of standard error, for messages. */
  stderrLines(count = 5): readonly string[] {
    return this.stderr
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-count);
  }
}

/** Waits for a promise. Returns whether it resolved in time. */
export async function isInTime(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

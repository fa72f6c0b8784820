/** A fresh process of a server, with its standard streams. */
import { spawn, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpgenError } from '../../errors.js';
import type { StdioTarget } from '../../connect/target.js';
import type { EndOfSide } from '../../recording/entry.js';
import { messagesOfEntry } from '../../recording/message.js';
import { answerTo, type Connection, type SendOptions, type Sent } from './connection.js';
import { contentOf, Log, MAX_FRAME_BYTES, omitted } from './log.js';

/** Milliseconds between the pieces of a message. */
const PIECE_PAUSE_MS = 20;
/** Characters of standard error that are kept. */
const MAX_STDERR_LENGTH = 4096;
const IS_POSIX = process.platform !== 'win32';

/** Processes that run; none of them outlives mcpgen. */
const running = new Set<StdioConnection>();

/** Ends all processes that run. */
export function killServers(): void {
  for (const connection of running) connection.kill('SIGKILL');
}

/** A process of a server. */
export class StdioConnection implements Connection {
  readonly kind = 'stdio';
  readonly log = new Log();
  end: EndOfSide | undefined;
  /** The last lines of standard error. */
  stderr = '';
  readonly #child: ChildProcess;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #lineBytes = 0;
  /** What is being written in pieces, and what waits behind it. */
  #pieces: Promise<void> | undefined;

  /**
   * Starts a server.
   *
   * @throws {@link McpgenError} if it cannot be started.
   */
  static async open({ command, args, env, cwd }: StdioTarget): Promise<StdioConnection> {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: 'pipe',
      // A group of processes, so that what a launcher such as npx started ends, too.
      detached: IS_POSIX,
      ...(cwd === undefined ? {} : { cwd }),
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', () => {
        resolve(new StdioConnection(child));
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        const reason = error.code === 'ENOENT' ? 'the program was not found' : `it cannot be started (${error.code})`;
        reject(new McpgenError(reason, { place: command, remedy: 'Check the command and its path.' }));
      });
    });
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
    running.add(this);
    this.log.onFlood = () => {
      this.kill('SIGKILL');
    };
    child.on('error', () => undefined);
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('data', (chunk: Buffer) => {
      this.#receive(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString('utf8')).slice(-MAX_STDERR_LENGTH);
    });
    const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (this.end !== undefined) return;
      running.delete(this);
      this.#completeLine();
      this.end = { ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) };
      this.log.add({ from: 'server', content: { kind: 'none' }, end: this.end });
    };
    child.once('close', finish);
    child.once('exit', (code, signal) => {
      // A process that it left behind may keep the streams open.
      setTimeout(() => {
        finish(code, signal);
      }, 200).unref();
    });
  }

  async send(text: string, { pieceBytes, lineEnd = '\n' }: SendOptions = {}): Promise<Sent> {
    const bytes = Buffer.from(text + lineEnd);
    // Several lines in one write are several messages.
    const [first = '', ...others] = text.split('\n');
    const frame = this.log.add({ from: 'client', content: contentOf(Buffer.from(first)) });
    for (const line of others) this.log.add({ from: 'client', content: contentOf(Buffer.from(line)) });
    if (pieceBytes === undefined && this.#pieces === undefined) this.#write(bytes);
    else await this.#writeInTurn(bytes, pieceBytes ?? bytes.length);
    return { frame, exchange: undefined };
  }

  setHeaders(): void {
    // Only HTTP has headers.
  }

  isOver(): boolean {
    return this.end !== undefined;
  }

  /** Closes the server's input. */
  closeInput(): void {
    if (this.#child.stdin?.writableEnded === true || this.end !== undefined) return;
    this.log.add({ from: 'client', content: { kind: 'none' }, end: {} });
    this.#child.stdin?.end();
  }

  /** Sends a signal to the process; SIGKILL goes to its whole group. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    try {
      if (IS_POSIX && pid !== undefined && signal === 'SIGKILL') process.kill(-pid, signal);
      else this.#child.kill(signal);
    } catch {
      this.#child.kill(signal);
    }
  }

  /** Waits for the process to end. Returns whether it did. */
  async ended(timeoutMs: number): Promise<boolean> {
    return (await this.log.wait(() => (this.end === undefined ? undefined : true), timeoutMs)) ?? false;
  }

  async close(): Promise<void> {
    this.closeInput();
    if (await this.ended(500)) {
      this.#killGroup();
      return;
    }
    this.kill('SIGTERM');
    if (!(await this.ended(500))) this.kill('SIGKILL');
    await this.ended(1000);
    this.#killGroup();
    running.delete(this);
  }

  /** Ends what the process left behind. */
  #killGroup(): void {
    if (!IS_POSIX || this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // Nothing was left.
    }
  }

  /** Writes pieces with pauses; what is sent meanwhile, such as an answer to a ping, must not come between them. */
  async #writeInTurn(bytes: Uint8Array, pieceBytes: number): Promise<void> {
    const before = this.#pieces;
    const writing = (async () => {
      await before;
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        if (at > 0) await sleep(PIECE_PAUSE_MS);
        this.#write(bytes.subarray(at, at + pieceBytes));
      }
    })();
    this.#pieces = writing;
    await writing;
    if (this.#pieces === writing) this.#pieces = undefined;
  }

  #write(bytes: Uint8Array): void {
    const { stdin } = this.#child;
    if (stdin?.writable === true) stdin.write(bytes);
  }

  #receive(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(10, start);
      this.#append(chunk.subarray(start, newline === -1 ? chunk.length : newline));
      if (newline === -1 || this.log.isFlooded) return;
      this.#completeLine();
      start = newline + 1;
    }
  }

  #append(piece: Buffer): void {
    this.#lineBytes += piece.length;
    // A line that never ends must not fill the memory.
    if (this.#pendingBytes > MAX_FRAME_BYTES) {
      if (this.#lineBytes > MAX_FRAME_BYTES * 8) this.kill('SIGKILL');
      return;
    }
    this.#pending.push(piece);
    this.#pendingBytes += piece.length;
  }

  #completeLine(): void {
    const bytes = Buffer.concat(this.#pending);
    const lineBytes = this.#lineBytes;
    [this.#pending, this.#pendingBytes, this.#lineBytes] = [[], 0, 0];
    if (lineBytes === 0) return;
    const content = lineBytes > MAX_FRAME_BYTES ? omitted(lineBytes, bytes) : contentOf(bytes);
    const entry = { from: 'server', content } as const;
    this.log.add(entry, lineBytes);
    for (const message of messagesOfEntry(entry)) {
      const answer = answerTo(message);
      if (answer !== undefined) void this.send(JSON.stringify(answer));
    }
  }
}

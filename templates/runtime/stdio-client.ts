import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import type { Readable } from "node:stream";
import { emitClose, emitError, toError } from "./jsonrpc/transport-events.js";
import { createLineReader, LineChannel } from "./stdio/lines.js";
import type { JsonLineReader } from "./jsonrpc/ndjson.js";
import type { LineOptions } from "./stdio/lines.js";
import { PIPE_NETWORK } from "./jsonrpc/transport.js";
import type { Transport } from "./jsonrpc/transport.js";

/** Which server to run, and how to communicate with it. */
export interface StdioClientOptions extends LineOptions {
  /**
   * The program. It runs without a shell, so on Windows a `.cmd` file needs `cmd` as the command and `/c` before it.
   */
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the variables of {@link defaultEnvironment}. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /**
   * Where the server's log (standard error) goes: to ours (`inherit`, the default), nowhere, to the stream {@link
   * StdioClientTransport.stderr}, which you must then read, or in chunks to a function.
   */
  readonly stderr?:
    "inherit" | "ignore" | "pipe" | ((chunk: Uint8Array) => void);
  /** How long `close` waits for the server: after ending its input, and again after asking it to terminate. */
  readonly shutdown?: {
    /** Milliseconds from ending the input to SIGTERM; 2000 by default. */
    readonly graceMs?: number;
    /** Milliseconds from SIGTERM to SIGKILL, both sent to the server's process group; 2000 by default. */
    readonly killMs?: number;
  };
}

/** How a process ended: with a code or by a signal, or neither if it never ran. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A transport that runs the server's process. */
export interface StdioClientTransport extends Transport {
  /** The server's process; undefined before `start` and if it could not be spawned. A restart replaces it. */
  readonly pid: number | undefined;
  /** The server's log, if the option `stderr` is `pipe`; undefined before `start`. */
  readonly stderr: Readable | undefined;
  /** Resolves when the process has ended for any reason. Never rejects. */
  readonly exit: Promise<ProcessExit>;
}

const INHERITED_VARIABLES =
  process.platform === "win32"
    ? [
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMFILES",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERNAME",
        "USERPROFILE",
      ]
    : ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"];

const IS_POSIX = process.platform !== "win32";

/** Milliseconds between two checks whether a process group is gone. */
const GROUP_POLL_MS = 50;

/** Commands known to exit if the first message is not `initialize`. */
const needInitialize = new Set<string>();

/** Milliseconds within which the streams of an ended process must end too; a child of it may keep them open. */
const PIPE_LINGER_MS = 500;

/** The environment that a server inherits: variables that programs need to run, and none that may be secret. */
export function defaultEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of INHERITED_VARIABLES) {
    const value = process.env[name];
    // The next Bash would run functions that Bash exports.
    if (value !== undefined && !value.startsWith("()"))
      environment[name] = value;
  }
  return environment;
}

/**
 * The client's side of the stdio transport (specification: Basic, Transports, stdio): runs a server as a child process,
 * with messages as lines of its standard input and output. For Node.
 *
 * Closing follows the specification (Basic, Lifecycle, Shutdown): it ends the server's input, waits for it to exit,
 * then sends SIGTERM, then SIGKILL; it resolves when the process is gone. If the server ends by itself, `onclose` is
 * called, after `onerror` unless the exit code is 0.
 *
 * On POSIX systems the server leads its own process group and session, and signals go to the whole group: also to
 * children, such as the program that `npx` runs. The terminal's Ctrl+C does not reach it. If our process ends for any
 * reason, a small shell process terminates the group, and kills it two seconds later. On Windows only the process
 * itself is terminated, at once, and not if our process is killed; its children, and a server that ignores the end of
 * its input, then continue.
 *
 * A server that exits instead of answering `server/discover` is restarted once with `initialize`; the next connection
 * to the same command starts with that.
 */
export function stdioClientTransport(
  options: StdioClientOptions,
): StdioClientTransport {
  return new StdioClient(options);
}

class StdioClient implements StdioClientTransport {
  onmessage: Transport["onmessage"];
  onclose: Transport["onclose"];
  onerror: Transport["onerror"];
  oninvalid: Transport["oninvalid"];

  readonly network = PIPE_NETWORK;
  readonly exit: Promise<ProcessExit>;
  onexit: Transport["onexit"];
  readonly #options: StdioClientOptions;
  #reader: JsonLineReader;
  #resolveExit!: (exit: ProcessExit) => void;
  /** The process and its streams have ended. */
  readonly #terminated: Promise<void>;
  #resolveTerminated!: () => void;

  #child: ChildProcess | undefined;
  /** Resolves when the current process has exited. */
  #exitPromise: Promise<void> | undefined;
  /** Resolves when the restarted server runs; messages wait for it. */
  #restart: Promise<void> | undefined;
  #hasRestarted = false;
  #channel: LineChannel | undefined;
  #hasStarted = false;
  #closed: Promise<void> | undefined;
  #termination: Promise<void> | undefined;
  #hasKilled = false;
  /** How the process ended while messages of it are held; reported after them. */
  #heldExit: ProcessExit | undefined;
  /** Why the server's input could not be written; reported if its exit does not explain it. */
  #brokenPipe: Error | undefined;

  constructor(options: StdioClientOptions) {
    this.#options = options;
    this.#reader = createLineReader(options);
    this.exit = new Promise((resolve) => (this.#resolveExit = resolve));
    this.#terminated = new Promise(
      (resolve) => (this.#resolveTerminated = resolve),
    );
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get needsInitialize(): boolean {
    return needInitialize.has(keyOf(this.#options));
  }

  get stderr(): Readable | undefined {
    return this.#options.stderr === "pipe"
      ? (this.#child?.stderr ?? undefined)
      : undefined;
  }

  async start(): Promise<void> {
    if (this.#hasStarted)
      throw new Error("the transport has been started already");
    if (this.#closed !== undefined) throw new Error("the connection is closed");
    this.#hasStarted = true;
    try {
      await this.#spawn();
    } catch (error) {
      this.#resolveExit({ code: null, signal: null });
      this.#resolveTerminated();
      throw this.#describeSpawnError(toError(error));
    }
  }

  send(message: object): Promise<void> | undefined {
    if (this.#closed !== undefined) throw new Error("the connection is closed");
    const restart = this.#restart;
    if (restart !== undefined)
      return restart.then(() => this.send(message) ?? undefined);
    if (this.#channel === undefined)
      throw new Error("the transport has not been started");
    return this.#channel.send(message);
  }

  async end(): Promise<void> {
    await this.#restart;
    if (this.#closed !== undefined) return;
    void this.#channel?.finishWriting();
    this.#child?.stdin?.end();
  }

  pause(): void {
    this.#channel?.hold();
  }

  resume(): void {
    this.#channel?.release();
    const exit = this.#heldExit;
    if (exit === undefined || this.#channel?.isHeld === true) return;
    this.#heldExit = undefined;
    this.#handleStreamsClosed(exit);
  }

  setProtocolVersion(): void {
    if (this.#hasRestarted) needInitialize.add(keyOf(this.#options));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (!this.#hasStarted) {
      emitClose(this);
      return;
    }
    this.#channel?.discardInput();
    // If it has exited already, only its messages were still waiting.
    this.resume();
    await this.#terminate();
  }

  async #spawn(): Promise<void> {
    const { command, args = [], env, cwd, stderr = "inherit" } = this.#options;
    const child = spawn(command, args, {
      env: { ...defaultEnvironment(), ...env },
      cwd,
      shell: false,
      windowsHide: true,
      detached: IS_POSIX,
      stdio: ["pipe", "pipe", typeof stderr === "function" ? "pipe" : stderr],
    });
    this.#child = child;
    child.on("error", (error) => {
      if (this.#channel !== undefined) emitError(this, error);
    });
    this.#exitPromise = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        resolve();
        this.#handleExit(child, { code, signal });
      });
    });
    if (typeof stderr === "function") {
      child.stderr?.on("data", (chunk: Uint8Array) => {
        try {
          stderr(chunk);
        } catch (error) {
          emitError(this, error);
        }
      });
    }
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("spawn", () => {
        child.off("error", reject);
        trackServer(child);
        this.#connect(child);
        resolve();
      });
    });
  }

  #connect({ stdin: output, stdout: input }: ChildProcess): void {
    // They exist, since they are pipes; the types do not know it.
    if (output === null || input === null) return;
    // Also after the lines are detached: ending a pipe can fail as writing can.
    output.on("error", () => undefined);
    this.#channel = new LineChannel(
      {
        transport: this,
        input,
        output,
        // The server may stop reading while we do not read, so we always do.
        pauseWhenFull: false,
        maxUnread: this.#options.maxUnread,
        // A server whose input or output has ended is of no use.
        onEnd: () => void this.#terminate(),
        onFailure: (error) => {
          // The server closes its input when it exits, and then its exit code says more.
          if (hasCode(error, "EPIPE")) this.#brokenPipe = error;
          else if (error !== undefined && this.#closed === undefined)
            emitError(this, error);
          void this.#terminate();
        },
      },
      this.#reader,
    );
    this.#channel.open();
    if (this.#closed !== undefined) this.#channel.discardInput();
  }

  #describeSpawnError(error: NodeJS.ErrnoException): Error {
    const { command, cwd } = this.#options;
    let reason = error.message;
    if (error.code === "ENOENT") {
      const isFolderMissing = cwd !== undefined && !existsSync(cwd);
      reason = isFolderMissing
        ? `no such folder: ${JSON.stringify(cwd)}`
        : "no such command";
    } else if (error.code === "EACCES") reason = "permission denied";
    const code = error.code === undefined ? "" : ` (${error.code})`;
    return Object.assign(
      new Error(`cannot start ${JSON.stringify(command)}: ${reason}${code}`, {
        cause: error,
      }),
      {
        code: error.code,
      },
    );
  }

  /** Ends the process step by step; does nothing if it has ended already. */
  #terminate(): Promise<void> {
    this.#termination ??= this.#terminateInSteps();
    return this.#termination;
  }

  async #terminateInSteps(): Promise<void> {
    const child = this.#child;
    const { graceMs = 2000, killMs = 2000 } = this.#options.shutdown ?? {};
    if (child?.pid !== undefined) {
      void this.#channel?.stopWriting(0);
      child.stdin?.end();
      if (!(await this.#exitsWithin(graceMs))) {
        this.#hasKilled = true;
        signalGroup(child, "SIGTERM");
        const deadline = performance.now() + killMs;
        const hasExited = await this.#exitsWithin(killMs);
        // The leader may be gone, but not its children.
        while (isGroupAlive(child) && performance.now() < deadline)
          await new Promise((resolve) => setTimeout(resolve, GROUP_POLL_MS));
        if (!hasExited || isGroupAlive(child)) signalGroup(child, "SIGKILL");
      }
    }
    await this.#terminated;
  }

  async #exitsWithin(timeoutMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, false);
    });
    const exits = await Promise.race([
      this.#exitPromise?.then(() => true) ?? true,
      timeout,
    ]);
    clearTimeout(timer);
    return exits;
  }

  #handleExit(child: ChildProcess, exit: ProcessExit): void {
    untrackServer(child);
    const timer = setInterval(() => {
      // What the process wrote before it exited is still read.
      if (this.#channel?.isHeld === true && this.#closed === undefined) return;
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, PIPE_LINGER_MS);
    child.once("close", () => {
      clearInterval(timer);
      this.#handleStreamsClosed(exit);
    });
  }

  /** Restarts the server once, if the user of the transport wants that. */
  #startsNewProcess(): boolean {
    if (this.#closed !== undefined || this.#hasKilled || this.#hasRestarted)
      return false;
    if (this.onexit?.() !== true) return false;
    this.#hasRestarted = true;
    this.#brokenPipe = undefined;
    this.#channel = undefined;
    this.#termination = undefined;
    this.#reader = createLineReader(this.#options);
    const restart = this.#spawn();
    this.#restart = restart;
    restart.then(
      () => {
        this.#restart = undefined;
      },
      (error: unknown) => {
        this.#restart = undefined;
        emitError(this, this.#describeSpawnError(toError(error)));
        this.#handleStreamsClosed({ code: null, signal: null });
      },
    );
    return true;
  }

  #handleStreamsClosed(exit: ProcessExit): void {
    if (this.#channel?.isHeld === true && this.#closed === undefined) {
      this.#heldExit = exit;
      return;
    }
    this.#channel?.stopReading();
    void this.#channel?.stopWriting(0);
    if (this.#startsNewProcess()) return;
    this.#resolveExit(exit);
    const { code, signal } = exit;
    if (this.#closed === undefined) {
      if (!this.#hasKilled && code !== 0) {
        const how =
          signal === null
            ? `exited with code ${code ?? "unknown"}`
            : `was ended by ${signal}`;
        emitError(this, new Error(`the server ${how}`));
      } else if (this.#brokenPipe !== undefined)
        emitError(this, this.#brokenPipe);
    }
    this.#closed ??= this.#terminated;
    emitClose(this);
    this.#resolveTerminated();
  }
}

function hasCode(error: Error | undefined, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}

/** The key under which a command is remembered. */
function keyOf({ command, args = [], cwd }: StdioClientOptions): string {
  return JSON.stringify([command, args, cwd]);
}

/** Signals a server and, if it leads a group, all processes of the group. */
function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    if (IS_POSIX && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // The group is gone, or the platform has none, so only the process can be signalled.
    child.kill(signal);
  }
}

function isGroupAlive({ pid }: ChildProcess): boolean {
  if (!IS_POSIX || pid === undefined) return false;
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/**
 * Waits for a line, or for the end of its input, which means that we have ended: then it ends a process group. Our
 * process may end without running any code, and signal handlers would change what Ctrl+C does.
 */
const WATCHDOG_SCRIPT =
  'read -r line || { kill -s TERM -- "-$1"; sleep 2; kill -s KILL -- "-$1"; } 2>/dev/null';

/**
 * Ends a server's process group if our process ends first.
 *
 * @returns Cancels that; undefined if the platform has no process groups, or no shell.
 */
function startWatchdog(child: ChildProcess): (() => void) | undefined {
  if (!IS_POSIX) return undefined;
  const watcher = spawn(
    "/bin/sh",
    ["-c", WATCHDOG_SCRIPT, "mcp-watch", `${child.pid}`],
    {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    },
  );
  watcher.on("error", () => undefined);
  watcher.stdin.on("error", () => undefined);
  // Without a shell, only an exit handler is possible.
  if (watcher.pid === undefined) return undefined;
  watcher.unref();
  (watcher.stdin as { unref?: () => void }).unref?.();
  return () => {
    watcher.stdin.end("\n");
  };
}

/**
 * Running servers, and the functions that cancel their watchdogs. One listener for all, since many listeners look like
 * a leak.
 */
const runningServers = new Map<ChildProcess, (() => void) | undefined>();

const terminateServers = (): void => {
  for (const [child, callOff] of runningServers)
    if (callOff === undefined) signalGroup(child, "SIGTERM");
};

/** A server must not outlive us, even if it ignores the end of its input. */
function trackServer(child: ChildProcess): void {
  if (runningServers.size === 0) process.once("exit", terminateServers);
  runningServers.set(child, startWatchdog(child));
}

function untrackServer(child: ChildProcess): void {
  runningServers.get(child)?.();
  if (runningServers.delete(child) && runningServers.size === 0)
    process.off("exit", terminateServers);
}

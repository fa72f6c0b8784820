/** Plays vectors of sessions with a server or a client over its standard streams. */
import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { isNestedTooDeep, type JsonValue } from '../../read/json/json.js';
import { escapeHiddenCharacters } from '../../text.js';
import type { SessionStep, SessionVector, VectorFile, VectorSender } from '../form.js';
import { fillIn, findMismatch, type Captures } from '../match.js';
import { isInTime, LineProgram } from './process.js';
import type { ReportBuilder, VectorOutcome, VectorStatus } from './report.js';

/** Conversations that are played at once, each with its own process. */
const MAX_CONVERSATIONS = 4;
/** Milliseconds between chunks. */
const CHUNK_PAUSE_MS = 10;
/** Milliseconds that a program has to exit after its input has ended. */
const EXIT_TIMEOUT_MS = 3000;
/** Messages that wait to be read, and their characters, after which a program counts as flooding. */
const MAX_WAITING = 1000;
const MAX_WAITING_LENGTH = 32 * 1024 * 1024;
/** Lines of a conversation that a report shows, and characters of each. */
const MAX_SHOWN_LINES = 6;
const MAX_SHOWN_LENGTH = 600;

/** How conversations are played. */
export interface PlaySettings {
  /** The program under test and its arguments. */
  readonly command: readonly string[];
  /** Which side it is. */
  readonly role: VectorSender;
  /** Milliseconds in which an expected message has to arrive. */
  readonly timeoutMs: number;
  readonly onProgress?: (text: string) => void;
}

/**
 * Plays the conversations of some files with the side under test.
 *
 * @throws {@link McpgenError} if the program cannot be started.
 */
export async function playSessions(
  files: AsyncIterable<{ readonly revision: string; readonly file: VectorFile }>,
  report: ReportBuilder,
  settings: PlaySettings,
): Promise<void> {
  for await (const { revision, file } of files) {
    if (file.kind !== 'session') continue;
    const vectors = file.vectors.filter(({ role }) => role === settings.role);
    const waiting = vectors.values();
    const outcomes = new Map<string, readonly [VectorOutcome, number]>();
    const work = async (): Promise<void> => {
      for (const vector of waiting) {
        settings.onProgress?.(`${revision} ${vector.name}`);
        const start = performance.now();
        const outcome = await new Conversation(vector, revision, settings).play();
        outcomes.set(vector.name, [outcome, performance.now() - start]);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONVERSATIONS }, work));
    // In the order of the file, whatever ended first.
    for (const { name } of vectors) {
      const [outcome, milliseconds] = outcomes.get(name) ?? [];
      if (outcome !== undefined) report.add(outcome, milliseconds);
    }
  }
}

/** Why a conversation stopped. */
class Stop extends Error {
  readonly status: VectorStatus;

  constructor(status: VectorStatus, message: string) {
    super(message);
    this.status = status;
  }
}

/** What a line was. */
type Arrived = ({ readonly message: JsonValue } | { readonly problem: string }) & { readonly length: number };

class Conversation {
  readonly #vector: SessionVector;
  readonly #revision: string;
  readonly #settings: PlaySettings;
  readonly #waiting: Arrived[] = [];
  readonly #captures: Captures = new Map();
  readonly #sent: string[] = [];
  readonly #received: string[] = [];
  #waitingLength = 0;
  #isFlooding = false;
  #program: LineProgram | undefined;
  #last: JsonValue | undefined;
  #wake: () => void = () => undefined;

  constructor(vector: SessionVector, revision: string, settings: PlaySettings) {
    this.#vector = vector;
    this.#revision = revision;
    this.#settings = settings;
  }

  async play(): Promise<VectorOutcome> {
    const program = await LineProgram.start(this.#settings.command, (line) => {
      this.#receive(line);
    });
    this.#program = program;
    program.onend = () => {
      this.#wake();
    };
    try {
      for (const step of this.#vector.steps) await this.#take(step, program);
      return this.#outcome('passed', '');
    } catch (error) {
      if (error instanceof Stop) return this.#outcome(error.status, error.message);
      throw error;
    } finally {
      await program.close();
    }
  }

  #receive(line: string | undefined): void {
    if (line?.trim() === '') return;
    const length = line?.length ?? 0;
    this.#isFlooding ||=
      this.#waiting.length >= MAX_WAITING ||
      (this.#waiting.length > 0 && this.#waitingLength + length > MAX_WAITING_LENGTH);
    if (this.#isFlooding) {
      this.#program?.kill('SIGKILL');
      return;
    }
    this.#waitingLength += length;
    this.#received.push(shown(line ?? '(a line longer than 16 MiB)'));
    this.#received.splice(0, this.#received.length - MAX_SHOWN_LINES);
    this.#waiting.push(line === undefined ? { problem: 'a line is longer than 16 MiB', length } : parseLine(line));
    this.#wake();
  }

  async #take(step: SessionStep, program: LineProgram): Promise<void> {
    if ('send' in step) await this.#writeLine(program, JSON.stringify(fillIn(step.send, this.#captures)));
    else if ('sendText' in step) await this.#writeLine(program, step.sendText);
    else if ('sendChunks' in step) {
      const chunks = step.sendChunks.map((chunk) => Buffer.from(chunk, 'base64'));
      this.#note(Buffer.concat(chunks).toString('utf8').trimEnd());
      for (const chunk of chunks) {
        await this.#write(program, chunk);
        await sleep(CHUNK_PAUSE_MS);
      }
    } else if ('expect' in step) await this.#expectOneOf([step.expect]);
    else if ('expectAll' in step) {
      const patterns = [...step.expectAll];
      while (patterns.length > 0) patterns.splice(await this.#expectOneOf(patterns), 1);
    } else if ('require' in step) {
      if (findMismatch(step.require, this.#last, this.#captures) !== undefined)
        throw new Stop('skipped', step.otherwise);
    } else if ('silenceMs' in step) await this.#expectSilence(step.silenceMs);
    else {
      program.endInput();
      if (!(await program.ended(EXIT_TIMEOUT_MS)))
        throw new Stop(
          'other-conversation',
          `it does not exit within ${EXIT_TIMEOUT_MS / 1000} s after its input ends`,
        );
    }
  }

  async #writeLine(program: LineProgram, text: string): Promise<void> {
    this.#note(text);
    await this.#write(program, `${text}\n`);
  }

  async #write(program: LineProgram, bytes: Uint8Array | string): Promise<void> {
    const { timeoutMs, role } = this.#settings;
    if (!(await isInTime(program.write(bytes), timeoutMs)))
      throw new Stop('no-answer', `the ${role} does not read its input within ${timeoutMs / 1000} s`);
  }

  #note(text: string): void {
    for (const line of text.split('\n')) this.#sent.push(shown(line));
    this.#sent.splice(0, this.#sent.length - MAX_SHOWN_LINES);
  }

  /** Waits for a message that matches one of the patterns. Returns which one. */
  async #expectOneOf(patterns: readonly JsonValue[]): Promise<number> {
    const deadline = performance.now() + this.#settings.timeoutMs;
    for (;;) {
      const arrived = await this.#next(deadline);
      if (arrived === undefined) throw new Stop('no-answer', this.#missing(patterns));
      if ('problem' in arrived) throw new Stop('other-conversation', arrived.problem);
      const { message } = arrived;
      const index = patterns.findIndex((pattern) => findMismatch(pattern, message, this.#captures) === undefined);
      if (index !== -1) {
        this.#last = message;
        return index;
      }
      if (!this.#isIgnored(message)) throw new Stop('other-conversation', difference(patterns, message));
    }
  }

  async #expectSilence(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const arrived = await this.#next(deadline);
      if (arrived === undefined) return;
      if ('problem' in arrived) throw new Stop('other-conversation', arrived.problem);
      if (!this.#isIgnored(arrived.message))
        throw new Stop('other-conversation', `it sends what must not come: ${shown(JSON.stringify(arrived.message))}`);
    }
  }

  #isIgnored(message: JsonValue): boolean {
    return this.#vector.ignore.some((pattern) => findMismatch(pattern, message, new Map()) === undefined);
  }

  /** The next message; undefined if none arrives in time, or the program has ended. */
  async #next(deadline: number): Promise<Arrived | undefined> {
    for (;;) {
      const first = this.#waiting.shift();
      if (first !== undefined) this.#waitingLength -= first.length;
      else if (this.#isFlooding)
        throw new Stop('other-conversation', 'it floods its output: more arrives than is expected');
      const rest = deadline - performance.now();
      if (first !== undefined || rest <= 0 || this.#program?.end !== undefined) return first;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, rest);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = () => undefined;
    }
  }

  #missing(patterns: readonly JsonValue[]): string {
    const program = this.#program;
    const [last] = program?.stderrLines(1) ?? [];
    const how =
      program?.end === undefined
        ? `nothing arrives within ${this.#settings.timeoutMs / 1000} s`
        : `the ${this.#settings.role} ${program.endText()}${last === undefined ? '' : `: ${shown(last)}`}`;
    return `${how}; expected ${shown(JSON.stringify(patterns[0] ?? null))}`;
  }

  #outcome(status: VectorStatus, message: string): VectorOutcome {
    const { name, reason, rule, severity, section, role } = this.#vector;
    const isFailure = status !== 'passed' && status !== 'skipped';
    return {
      revision: this.#revision,
      kind: 'session',
      group: role,
      name,
      reason,
      rule,
      severity,
      section,
      status,
      message: isFailure ? `${reason} But ${message}` : message,
      ...(isFailure ? { evidence: { sent: [...this.#sent], received: [...this.#received] } } : {}),
    };
  }
}

function parseLine(line: string): Arrived {
  try {
    const message = JSON.parse(line) as JsonValue;
    const { length } = line;
    return isNestedTooDeep(message)
      ? { problem: 'it writes a message of more than 256 levels', length }
      : { message, length };
  } catch {
    return { problem: `it writes a line that is not JSON: ${shown(line)}`, length: line.length };
  }
}

/** Where a message differs from the pattern that it comes closest to: the deepest place. */
function difference(patterns: readonly JsonValue[], message: JsonValue): string {
  const [pattern = null] = patterns;
  const { pointer = '', expected = null } = findMismatch(pattern, message, new Map()) ?? {};
  const where = pointer === '' ? '' : ` at ${pointer}`;
  return `it sends ${shown(JSON.stringify(message))}; expected${where} ${shown(JSON.stringify(expected))}`;
}

function shown(text: string): string {
  const line = escapeHiddenCharacters(text.slice(0, MAX_SHOWN_LENGTH));
  return text.length > MAX_SHOWN_LENGTH ? `${line}...` : line;
}

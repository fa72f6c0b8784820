/** Asks an adapter, a program in any language, about vectors, and compares its answers with their verdicts. */
import { McpgenError } from '../../errors.js';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { escapeHiddenCharacters } from '../../text.js';
import type {
  AdapterRequest,
  DefinitionVector,
  ExpectedFrame,
  Frame,
  FramingVector,
  MessageVector,
  VectorFile,
} from '../form.js';
import { matchesFrames, namesErrorsDifferently } from '../match.js';
import { LineProgram } from './process.js';
import type { ReportBuilder, VectorOutcome, VectorStatus } from './report.js';

/** Vectors that may wait for an answer at once. */
const MAX_IN_FLIGHT = 32;
/** Times that an adapter is started again after it has ended or stopped answering. */
const MAX_RESTARTS = 50;
/** Lines that are no answers, after which the adapter is given up. */
const MAX_GARBAGE_LINES = 1000;
/** Characters of a value that reports show. */
const MAX_SHOWN_LENGTH = 2000;
/** Characters of a text in an answer that are kept. */
const MAX_TEXT_LENGTH = 500;
const ONLY_ANSWERS = 'Write one answer for each vector, and nothing else; logs belong on standard error.';

/** How an adapter is run. */
export interface AdapterSettings {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Milliseconds without any answer after which the adapter counts as stuck. */
  readonly timeoutMs: number;
  readonly onProgress?: (text: string) => void;
}

/** A vector that an adapter can answer, with the request for it. */
interface Question {
  readonly revision: string;
  readonly kind: 'definition' | 'message' | 'framing';
  readonly group: string;
  readonly vector: DefinitionVector | MessageVector | FramingVector;
  readonly request: AdapterRequest;
}

/**
 * Runs the vectors of some files. Never more than {@link MAX_IN_FLIGHT} wait for an answer, and all vectors of a revision
 * are answered before the first of the next one is sent.
 *
 * An adapter that ends or stops answering is started again, and the vectors in flight are sent one at a time: the one
 * that ends it again is reported.
 *
 * @throws {@link McpgenError} if the adapter cannot be started, or never answers.
 */
export async function runAdapter(
  files: AsyncIterable<{ readonly revision: string; readonly file: VectorFile }>,
  report: ReportBuilder,
  settings: AdapterSettings,
): Promise<void> {
  const run = new AdapterRun(report, settings);
  try {
    for await (const { revision, file } of files) {
      if (file.kind === 'session') continue;
      settings.onProgress?.(`${revision} ${groupOf(file)}`);
      for (const question of questionsOf(revision, file)) await run.ask(question);
    }
    await run.settle();
  } finally {
    await run.close();
  }
}

function groupOf(file: VectorFile): string {
  return file.kind === 'definition' ? file.definition : file.kind === 'message' ? file.method : file.kind;
}

function* questionsOf(revision: string, file: VectorFile): Iterable<Question> {
  const group = groupOf(file);
  switch (file.kind) {
    case 'definition':
      for (const vector of file.vectors) {
        const { name, value } = vector;
        const request = { name, revision, kind: file.kind, definition: file.definition, value } as const;
        yield { revision, kind: file.kind, group, vector, request };
      }
      break;
    case 'message':
      for (const vector of file.vectors) {
        const { name, sender, answers, message } = vector;
        const about = { name, revision, kind: file.kind, method: file.method, sender } as const;
        const request = { ...about, ...(answers === undefined ? {} : { answers }), message };
        yield { revision, kind: file.kind, group, vector, request };
      }
      break;
    case 'framing':
      for (const vector of file.vectors) {
        const { name, chunks } = vector;
        yield { revision, kind: file.kind, group, vector, request: { name, revision, kind: file.kind, chunks } };
      }
      break;
    case 'session':
  }
}

/** The line of a request. A value whose notation a parser may lose is written as its text. */
function lineOf({ vector, request }: Question): string {
  const text = 'text' in vector ? vector.text : undefined;
  if (text === undefined || text.includes('\n')) return JSON.stringify(request);
  const member = request.kind === 'definition' ? 'value' : 'message';
  const others = JSON.stringify({ ...request, [member]: undefined });
  return `${others.slice(0, -1)},${JSON.stringify(member)}:${text}}`;
}

class AdapterRun {
  readonly #report: ReportBuilder;
  readonly #settings: AdapterSettings;
  #program: LineProgram | undefined;
  /** Vectors that were sent, by name. All are of one revision. */
  readonly #inFlight = new Map<string, Question>();
  /** After the adapter ended, until these are answered, one vector is sent at a time. */
  #suspects = 0;
  #restarts = 0;
  #answers = 0;
  #garbage = 0;
  #firstProblem: string | undefined;
  #lastAnswer = 0;
  #wake: () => void = () => undefined;

  constructor(report: ReportBuilder, settings: AdapterSettings) {
    this.#report = report;
    this.#settings = settings;
  }

  /** Sends a vector, when there is room for it. */
  async ask(question: Question): Promise<void> {
    const [first] = this.#inFlight.values();
    if (first !== undefined && first.revision !== question.revision) await this.settle();
    // Two vectors with one name could not be distinguished.
    await this.#until(() => this.#inFlight.size < MAX_IN_FLIGHT && !this.#inFlight.has(question.vector.name));
    await this.#send(question);
  }

  /** Waits until everything is answered. */
  async settle(): Promise<void> {
    await this.#until(() => this.#inFlight.size === 0);
  }

  async close(): Promise<void> {
    const program = this.#program;
    this.#program = undefined;
    await program?.close();
  }

  async #send(question: Question): Promise<void> {
    const program = await this.#running();
    if (this.#inFlight.size === 0) this.#lastAnswer = performance.now();
    this.#inFlight.set(question.vector.name, question);
    let isWritten = false;
    void program.write(`${lineOf(question)}\n`).then(() => {
      isWritten = true;
      this.#wake();
    });
    // An adapter that does not read is as stuck as one that does not answer.
    await this.#until(() => isWritten || program !== this.#program);
  }

  async #running(): Promise<LineProgram> {
    if (this.#program !== undefined) return this.#program;
    const program = await LineProgram.start(this.#settings.command, (line) => {
      if (this.#program === program) this.#receive(line);
    });
    program.onend = () => {
      this.#wake();
    };
    this.#program = program;
    return program;
  }

  /** Waits for a condition that answers bring about; an adapter that ends or is stuck is replaced. */
  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const program = this.#program;
      if (program?.end !== undefined) await this.#recover(program, program.endText());
      else if (performance.now() - this.#lastAnswer >= this.#settings.timeoutMs && program !== undefined) {
        await this.#recover(program, `did not answer within ${this.#settings.timeoutMs / 1000} s`);
      } else if (this.#garbage > MAX_GARBAGE_LINES) {
        throw this.#fault('writes lines that are no answers', ONLY_ANSWERS);
      } else await this.#changed(this.#settings.timeoutMs - (performance.now() - this.#lastAnswer));
    }
  }

  /** Waits for a line, for the end of the adapter, or for a time. */
  async #changed(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, timeoutMs));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }

  /** The adapter has ended or is stuck. Finds the vector that is the cause. */
  async #recover(program: LineProgram, what: string): Promise<void> {
    const questions = [...this.#inFlight.values()];
    this.#inFlight.clear();
    this.#program = undefined;
    program.kill('SIGKILL');
    await program.ended(1000);
    if (this.#answers === 0 && (questions.length > 1 || this.#restarts > 0))
      throw this.#fault(what, undefined, program);
    this.#restarts += 1;
    if (this.#restarts > MAX_RESTARTS) {
      throw this.#fault(
        `ended or stopped answering ${this.#restarts} times; the last time it ${what}`,
        undefined,
        program,
      );
    }
    const [first, ...others] = questions;
    if (first === undefined) return;
    if (others.length === 0 || this.#suspects > 0) {
      this.#add(first, 'no-answer', `the adapter ${what}${lastLine(program)}`);
      for (const question of others) await this.#askAlone(question);
      return;
    }
    for (const question of questions) await this.#askAlone(question);
  }

  /** Sends one vector while no other one waits. */
  async #askAlone(question: Question): Promise<void> {
    this.#suspects += 1;
    await this.#send(question);
    await this.settle();
    this.#suspects -= 1;
  }

  #receive(line: string | undefined): void {
    if (line?.trim() === '') return;
    const problem = this.#accept(line);
    if (problem === undefined) this.#lastAnswer = performance.now();
    else {
      this.#garbage += 1;
      this.#firstProblem ??= problem;
      this.#report.addProblem(problem);
    }
    this.#wake();
  }

  /** Reads a line. Returns what is wrong with it. */
  #accept(line: string | undefined): string | undefined {
    if (line === undefined) return 'a line is longer than 16 MiB';
    let answer: JsonValue;
    try {
      answer = JSON.parse(line) as JsonValue;
    } catch {
      return `a line is not JSON: ${excerpt(line)}`;
    }
    const name = isObject(answer) ? ownMember(answer, 'name') : undefined;
    if (!isObject(answer) || typeof name !== 'string') return `an answer has no name: ${excerpt(line)}`;
    const question = this.#inFlight.get(name);
    if (question === undefined) return `an answer to a vector that does not wait for one: ${excerpt(name)}`;
    const wanted = question.kind === 'framing' ? 'frames' : 'valid';
    // Nothing better would come for this vector.
    const unreadable = `the answer has neither ${wanted} nor skip: ${excerpt(line)}`;
    this.#inFlight.delete(name);
    this.#answers += 1;
    this.#report.add(readAnswer(question, answer) ?? outcomeOf(question, 'no-answer', unreadable));
    return undefined;
  }

  #add(question: Question, status: VectorStatus, message: string): void {
    this.#report.add(outcomeOf(question, status, message));
  }

  #fault(what: string, remedy?: string, program = this.#program): McpgenError {
    const log = program?.stderrLines() ?? [];
    const wrote = log.length === 0 ? '' : `; it wrote:\n${log.map((line) => `  ${line}`).join('\n')}`;
    const example = this.#firstProblem === undefined ? '' : ` (${this.#firstProblem})`;
    return new McpgenError(`the adapter ${what}${example}${wrote}`, {
      place: this.#settings.command.join(' '),
      remedy: remedy ?? this.#remedy(program),
    });
  }

  /** What an adapter that is given up should do instead. */
  #remedy(program: LineProgram | undefined): string {
    if (this.#firstProblem !== undefined) return ONLY_ANSWERS;
    if (program?.end !== undefined || this.#answers > 0)
      return 'An adapter answers each line of its input, until the input ends; its errors belong on standard error.';
    return 'Write each answer as a line to standard output, and flush it at once.';
  }
}

function lastLine(program: LineProgram): string {
  const [last] = program.stderrLines(1);
  return last === undefined ? '' : `: ${excerpt(last)}`;
}

function excerpt(text: string, maxLength = 80): string {
  const shown = escapeHiddenCharacters(text.slice(0, maxLength));
  return text.length > maxLength ? `${shown}...` : shown;
}

/** A text of an answer, as far as it is kept. */
function limited(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}...` : text;
}

/** The outcome of an answer; undefined if it has no verdict. */
function readAnswer(question: Question, answer: JsonObject): VectorOutcome | undefined {
  const skip = ownMember(answer, 'skip');
  if (typeof skip === 'string') return outcomeOf(question, 'skipped', excerpt(skip, MAX_TEXT_LENGTH));
  const { vector } = question;
  if ('chunks' in vector) {
    const frames = readFrames(ownMember(answer, 'frames'));
    return frames === undefined ? undefined : compareFrames(question, vector, frames);
  }
  const valid = ownMember(answer, 'valid');
  if (typeof valid !== 'boolean') return undefined;
  const pointer = ownMember(answer, 'pointer');
  return compareVerdict(question, vector, valid, typeof pointer === 'string' ? pointer : undefined);
}

const FRAME_ERRORS: ReadonlySet<JsonValue | undefined> = new Set(['not-json', 'not-utf8', 'not-a-message']);

function readFrames(value: JsonValue | undefined): readonly Frame[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value as readonly JsonValue[];
  const isFrame = (item: JsonValue): boolean =>
    isObject(item) && (Object.hasOwn(item, 'message') || FRAME_ERRORS.has(ownMember(item, 'error')));
  return items.every(isFrame) ? (items as unknown as readonly Frame[]) : undefined;
}

function compareVerdict(
  question: Question,
  vector: DefinitionVector | MessageVector,
  valid: boolean,
  pointer: string | undefined,
): VectorOutcome {
  if (valid !== vector.valid) {
    const status = valid ? 'wrongly-accepted' : 'wrongly-rejected';
    const where = pointer === undefined ? '' : ` (at ${pointer === '' ? 'the whole value' : limited(pointer)})`;
    const outcome = outcomeOf(question, status, `${vector.reason}${valid ? '' : where}`);
    // Whoever follows the schema as published decides as it does.
    const { erratum, officialValid } = vector;
    return erratum !== undefined && officialValid === valid ? { ...outcome, erratum } : outcome;
  }
  const outcome = outcomeOf(question, 'passed', '');
  const isOther = !valid && pointer !== undefined && vector.pointer !== undefined && pointer !== vector.pointer;
  return isOther ? { ...outcome, otherPointer: limited(pointer) } : outcome;
}

function compareFrames(question: Question, vector: FramingVector, frames: readonly Frame[]): VectorOutcome {
  const all = [vector.frames, ...(vector.alternatives ?? [])];
  const matched = all.find((expected) => matchesFrames(expected, frames));
  if (matched === undefined) {
    const message = `${vector.reason} Expected ${framesText(vector.frames)}, found ${framesText(frames)}.`;
    return outcomeOf(question, 'other-frames', message);
  }
  const outcome = outcomeOf(question, 'passed', '');
  return namesErrorsDifferently(matched, frames) ? { ...outcome, otherPointer: framesText(frames) } : outcome;
}

/** Frames in a few words: `message, not-json, message`. */
function framesText(frames: readonly ExpectedFrame[]): string {
  const words = frames.map((frame) => ('error' in frame ? frame.error : 'message' in frame ? 'message' : 'anything'));
  if (words.length === 0) return 'nothing';
  const shown = words.slice(0, 8).join(', ');
  return words.length > 8 ? `${shown} and ${words.length - 8} more` : shown;
}

function outcomeOf(question: Question, status: VectorStatus, message: string): VectorOutcome {
  const { revision, kind, group, vector } = question;
  const isRule = 'section' in vector;
  const sent = status === 'passed' || status === 'skipped' ? '' : lineOf(question);
  return {
    revision,
    kind,
    group,
    name: vector.name,
    reason: vector.reason,
    rule: vector.rule ?? 'valid',
    severity: isRule ? vector.severity : 'violation',
    ...(isRule ? { section: vector.section } : {}),
    status,
    message,
    ...(sent === '' || sent.length > MAX_SHOWN_LENGTH ? {} : { evidence: { sent: [sent], received: [] } }),
  };
}

/** Runs the probes against a server, each so that a server that hangs or crashes does not stop the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { isLoopback, type ServerTarget } from '../connect/target.js';
import { McpgenError } from '../errors.js';
import type { ExtendedRevisions } from '../inspect/extensions.js';
import { Inspector } from '../inspect/inspector.js';
import type { Finding } from '../inspect/finding.js';
import { SEVERITIES } from '../inspect/rule.js';
import { ruleOf, type RuleId } from '../inspect/rules.js';
import { compareText, isObject, ownMember, type JsonObject } from '../read/json/json.js';
import { RECORDING_VERSION } from '../recording/entry.js';
import { isResponse, messagesOfEntry } from '../recording/message.js';
import { displayUrl } from '../text.js';
import { againLine, evidenceOf, targetWords } from './evidence.js';
import type { CallSettings, Probe, ProbeContext, ReportedFinding, ServerFacts } from './probe.js';
import { PROBES } from './probes/index.js';
import { readLists } from './probes/lists.js';
import { isAlive } from './probes/messages.js';
import { received, type Connection } from './raw/connection.js';
import { HttpConnection } from './raw/http.js';
import { StdioConnection } from './raw/stdio.js';
import type { CheckFinding, CheckReport, ProbeOutcome } from './report.js';
import {
  handshake,
  Pace,
  Session,
  STATEFUL_REVISIONS,
  STATELESS_REVISION,
  type Handshake,
  type Reply,
} from './session.js';

/** Most milliseconds of one probe. */
const PROBE_TIMEOUT_MS = 120_000;
/** Most milliseconds of a request after the handshake. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often a revision may hang before its other probes are skipped. */
const MAX_HANGS = 3;
/** Connections of one revision that a server may flood before nothing more is asked. */
const MAX_FLOODS = 2;
/** Revisions that are probed at the same time. */
const CONCURRENCY = 2;
/** The revision whose transport is HTTP+SSE. */
const SSE_REVISION = '2024-11-05';
/** Probes with their own connections that run at the same time, in addition to one of those that share a connection. */
const SEPARATE_PROBES = 3;

/** Options of {@link checkServer}. */
export interface CheckSettings {
  readonly calls: CallSettings;
  /** The revisions with extensions, by which messages are validated. */
  readonly extensions?: ExtendedRevisions | undefined;
  /** Receives what is being done. */
  readonly onProgress?: (text: string) => void;
}

/** A finding before it is merged with the same one of other revisions. */
interface RawFinding extends Omit<CheckFinding, 'isKnown' | 'revisions'> {
  readonly revision: string | undefined;
}

/** What was found out about one revision. */
interface Spoken {
  readonly revision: string;
  readonly session: Session;
  readonly capabilities: JsonObject;
  readonly serverInfo: JsonObject;
}

/**
 * Asks a server all that the probes ask, in each revision that it speaks.
 *
 * @throws {@link McpgenError} if it cannot be started, or speaks no revision.
 */
export async function checkServer(target: ServerTarget, settings: CheckSettings): Promise<CheckReport> {
  // Imported on demand: it loads a whole client.
  const { createDispatcher } = await import('../connect/open.js');
  const dispatcher = target.kind === 'http' ? await createDispatcher(target) : undefined;
  const check = new Check(target, settings, dispatcher);
  try {
    return await check.run();
  } finally {
    await check.closeAll();
    await dispatcher?.destroy();
  }
}

/** What a probe has reported, also after it has ended. */
interface Tally {
  found: number;
}

class Check {
  readonly #target: ServerTarget;
  readonly #settings: CheckSettings;
  readonly #dispatcher: Dispatcher | undefined;
  readonly #findings: RawFinding[] = [];
  readonly #outcomes: ProbeOutcome[] = [];
  readonly #tallies = new Map<ProbeOutcome, Tally>();
  readonly #pace = new Pace();
  /** Whether a request of the handshake had a status of 4xx, as servers on HTTP+SSE answer. */
  #isPostRefused = false;
  #usesSse = false;
  /** Revisions of which a handshake was tried. */
  #tried: readonly string[] = [];
  /** A request of server/discover that had no answer in time. */
  #lateDiscovery: { readonly session: Session; readonly reply: Reply } | undefined;
  /** Decisions about requests that had no answer yet, by connection. */
  readonly #late = new Map<Connection, Promise<void>[]>();
  readonly #open = new Set<Connection>();
  /** Entries that a probe has reported, by connection. */
  readonly #reported = new WeakMap<Connection, Set<number>>();
  #stderr = '';

  constructor(target: ServerTarget, settings: CheckSettings, dispatcher: Dispatcher | undefined) {
    this.#target = target;
    this.#settings = settings;
    this.#dispatcher = dispatcher;
  }

  async run(): Promise<CheckReport> {
    const spoken = await this.#findRevisions();
    const newest = spoken.at(-1);
    if (newest === undefined) throw this.#speaksNothing();
    const queue = [...spoken];
    let tools = 0;
    const worker = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        const facts = await this.#probeRevision(next, spoken, next === newest);
        if (next === newest) tools = facts.tools.length;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    const { kind, secrets } = this.#target;
    const text = (value: unknown): string | undefined =>
      typeof value === 'string' ? secrets.redact(value) : undefined;
    return {
      server: {
        target: secrets.redact(
          this.#target.kind === 'http' ? displayUrl(this.#target.url.href) : targetWords(this.#target),
        ),
        name: text(ownMember(newest.serverInfo, 'name')),
        version: text(ownMember(newest.serverInfo, 'version')),
      },
      transport: kind,
      revisions: spoken.map(({ revision }) => revision),
      tools,
      probes: this.#sortedOutcomes(),
      findings: mergeFindings(this.#findings),
      fixed: [],
    };
  }

  /** The outcomes by revision and in the order of the probes, with what they found after they ended. */
  #sortedOutcomes(): readonly ProbeOutcome[] {
    const order = ['handshake', 'lists', ...PROBES.map(({ id }) => id)];
    return this.#outcomes
      .map((outcome) => {
        const hasFound = outcome.status === 'passed' && (this.#tallies.get(outcome)?.found ?? 0) > 0;
        return hasFound ? { ...outcome, status: 'found' as const } : outcome;
      })
      .sort(
        (a, b) =>
          Number(b.id === 'handshake') - Number(a.id === 'handshake') ||
          compareText(b.revision ?? '', a.revision ?? '') ||
          order.indexOf(a.id) - order.indexOf(b.id),
      );
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open].map(async (connection) => connection.close()));
    this.#open.clear();
  }

  async #connect(): Promise<Connection> {
    const target = this.#target;
    const connection =
      target.kind === 'http' ? new HttpConnection(target, this.#dispatcher) : await StdioConnection.open(target);
    this.#open.add(connection);
    if (this.#usesSse && connection instanceof HttpConnection) await connection.openStream(target.timeoutMs);
    return connection;
  }

  /** Closes a connection and inspects what was said on it. */
  async #finish(connection: Connection, revision: string | undefined, probe: string): Promise<void> {
    if (!this.#open.has(connection)) return;
    for (let late = this.#late.get(connection); late !== undefined; late = this.#late.get(connection)) {
      this.#late.delete(connection);
      await Promise.all(late);
    }
    this.#open.delete(connection);
    await connection.close();
    if (connection instanceof StdioConnection) this.#stderr = connection.stderr || this.#stderr;
    if (connection.log.isFlooded) {
      this.#report(
        {
          rule: 'flood',
          subject: 'output',
          message: `the server sent ${connection.log.entries.length} messages in a row; the connection was closed`,
          connection,
          frames: [1, 2, connection.log.entries.length],
          isGeneral: true,
        },
        revision,
      );
      return;
    }
    this.#inspect(connection, revision, probe);
  }

  #inspect(connection: Connection, revision: string | undefined, probe: string): void {
    const inspector = new Inspector({
      extensions: this.#settings.extensions,
      header: {
        version: RECORDING_VERSION,
        transport: connection instanceof HttpConnection && connection.isSse ? 'sse' : connection.kind,
        ...(revision === undefined ? {} : { revision }),
      },
    });
    const { entries } = connection.log;
    const found: Finding[] = [];
    const subjects = new Map<number, string>();
    for (const entry of entries) {
      const inspected = inspector.add(entry);
      found.push(...inspected.findings);
      const [message] = inspected.messages;
      const subject = [message?.method, message?.target].filter((part) => part !== undefined).join(' ');
      if (subject !== '') subjects.set(inspected.frame, subject);
    }
    const reported = this.#reported.get(connection) ?? new Set<number>();
    const known = new Set<string>();
    for (const finding of found) {
      if (finding.by !== 'server' || EXPECTED.has(finding.rule) || reported.has(finding.frame)) continue;
      const { rule, severity, message, frame, related, pointer } = finding;
      const subject = `${subjects.get(frame) ?? probe}${pointer ?? ''}`;
      // The first of its kind is shown.
      const key = JSON.stringify([rule, subject]);
      if (known.has(key)) continue;
      known.add(key);
      const frames = related === undefined ? [frame] : [related, frame];
      const own = this.#redacted(connection, frames);
      this.#findings.push({
        rule,
        severity,
        subject,
        message: this.#target.secrets.redact(message),
        pointer,
        revision: finding.revision ?? revision,
        evidence: own,
        again: againLine(this.#target, connection, withRequest(connection, frames)),
      });
    }
  }

  #redacted(connection: Connection, frames: readonly number[]): CheckFinding['evidence'] {
    const { sent, received } = evidenceOf(connection, withRequest(connection, frames));
    const redact = (text: string): string => this.#target.secrets.redact(text);
    return { sent: sent.map(redact), received: received.map(redact) };
  }

  #report(finding: ReportedFinding, revision: string | undefined): void {
    const { rule, subject, message, connection, frames, isGeneral = false } = finding;
    const known = this.#reported.get(connection) ?? new Set<number>();
    for (const frame of frames) known.add(frame);
    this.#reported.set(connection, known);
    this.#findings.push({
      rule,
      severity: ruleOf(rule).severity,
      subject,
      message: this.#target.secrets.redact(message),
      revision: isGeneral ? undefined : revision,
      evidence: this.#redacted(connection, frames),
      again: finding.again ?? againLine(this.#target, connection, frames),
    });
  }

  /** The revisions that the server speaks, oldest first, each with an open session. */
  async #findRevisions(): Promise<readonly Spoken[]> {
    const wanted = this.#target.revisions;
    const candidates = [STATELESS_REVISION, ...[...STATEFUL_REVISIONS].reverse()].filter(
      (revision) => wanted?.includes(revision) ?? true,
    );
    this.#tried = candidates;
    const spoken: Spoken[] = [];
    let silent = 0;
    for (const revision of candidates) {
      // A server that does not answer twice answers nothing.
      if (silent === 2 && spoken.length === 0) break;
      this.#settings.onProgress?.(`${revision}: connecting`);
      const start = performance.now();
      const { found, isSilent } = await this.#speak(revision);
      silent += isSilent ? 1 : 0;
      if (found !== undefined) spoken.unshift(found);
      this.#outcomes.push({
        id: 'handshake',
        title: revision === STATELESS_REVISION ? 'server/discover' : 'handshake',
        revision,
        status: found === undefined ? 'skipped' : 'passed',
        ...(found === undefined ? { note: isSilent ? 'no answer' : 'not supported' } : {}),
        milliseconds: Math.round(performance.now() - start),
      });
    }
    const late = await this.#discoveredLate();
    if (late !== undefined) {
      spoken.push(late);
      const index = this.#outcomes.findIndex(({ revision }) => revision === STATELESS_REVISION);
      const outcome = this.#outcomes[index];
      if (outcome !== undefined) {
        const { note: _, ...known } = outcome;
        this.#outcomes[index] = { ...known, status: 'passed' };
      }
    }
    if (spoken.length === 0 && this.#isPostRefused && (wanted?.includes(SSE_REVISION) ?? true)) {
      // As clients do (2025-11-25, transports, backward compatibility).
      this.#usesSse = true;
      this.#tried = [SSE_REVISION];
      this.#settings.onProgress?.(`${SSE_REVISION}: connecting over HTTP+SSE`);
      const start = performance.now();
      const { found } = await this.#speak(SSE_REVISION);
      if (found !== undefined) spoken.push(found);
      this.#outcomes.push({
        id: 'handshake',
        title: 'handshake over HTTP+SSE',
        revision: SSE_REVISION,
        status: found === undefined ? 'skipped' : 'passed',
        ...(found === undefined ? { note: 'not supported' } : {}),
        milliseconds: Math.round(performance.now() - start),
      });
    }
    return spoken;
  }

  async #speak(revision: string): Promise<{ readonly found: Spoken | undefined; readonly isSilent: boolean }> {
    const connection = await this.#connect();
    const timeoutMs = this.#target.timeoutMs;
    if (revision === STATELESS_REVISION) return this.#speakStateless(connection);
    const { session, reply, version } = await handshake(connection, revision, timeoutMs, this.#pace);
    this.#isPostRefused ||= reply.status !== undefined && reply.status >= 400 && reply.status < 500;
    if (version !== revision || reply.result === undefined) {
      await this.#finish(connection, undefined, 'handshake');
      return { found: undefined, isSilent: reply.outcome === 'timeout' };
    }
    const [capabilities, serverInfo] = ['capabilities', 'serverInfo'].map((key) => memberObject(reply.result, key));
    return {
      found: {
        revision,
        session: this.#limited(session),
        capabilities: capabilities ?? {},
        serverInfo: serverInfo ?? {},
      },
      isSilent: false,
    };
  }

  async #speakStateless(
    connection: Connection,
  ): Promise<{ readonly found: Spoken | undefined; readonly isSilent: boolean }> {
    const session = new Session(connection, STATELESS_REVISION, this.#target.timeoutMs);
    // Servers of older revisions may not answer what comes before the handshake.
    const isOnly = this.#tried.length === 1;
    const timeoutMs = isOnly ? session.timeoutMs : Math.min(session.timeoutMs, REQUEST_TIMEOUT_MS);
    const reply = await session.request('server/discover', undefined, { timeoutMs });
    if (reply.outcome === 'timeout') {
      // The process may still be starting.
      this.#lateDiscovery = { session, reply };
      return { found: undefined, isSilent: true };
    }
    return { found: await this.#discovered(session, reply), isSilent: false };
  }

  /** Looks again whether `server/discover` has an answer, after the time that the handshakes of other revisions took. */
  async #discoveredLate(): Promise<Spoken | undefined> {
    if (this.#lateDiscovery === undefined) return undefined;
    const { session, reply } = this.#lateDiscovery;
    return this.#discovered(session, await session.reply(reply.sent, reply.id, 0));
  }

  /** What a server said to `server/discover`; undefined, and the connection is closed, if it does not speak the revision. */
  async #discovered(session: Session, reply: Reply): Promise<Spoken | undefined> {
    const { connection } = session;
    const versions = reply.result === undefined ? undefined : ownMember(reply.result, 'supportedVersions');
    if (Array.isArray(versions) && (versions as readonly unknown[]).includes(STATELESS_REVISION)) {
      const meta = memberObject(reply.result, '_meta');
      return {
        revision: STATELESS_REVISION,
        session: this.#limited(session),
        capabilities: memberObject(reply.result, 'capabilities') ?? {},
        serverInfo: memberObject(meta, 'io.modelcontextprotocol/serverInfo') ?? {},
      };
    }
    if (reply.outcome === 'error') {
      // A list of tools with a result type is of this revision, whatever became of server/discover.
      const timeoutMs = Math.min(session.timeoutMs, REQUEST_TIMEOUT_MS);
      const tools = await session.request('tools/list', undefined, { timeoutMs });
      if (tools.result !== undefined && Object.hasOwn(tools.result, 'resultType')) {
        return {
          revision: STATELESS_REVISION,
          session: this.#limited(session),
          capabilities: { tools: {} },
          serverInfo: {},
        };
      }
    }
    // What a server of an older revision says before the handshake is not inspected.
    this.#open.delete(connection);
    await connection.close();
    return undefined;
  }

  /** The same session with the time limit of requests after the handshake, waiting as the answers so far suggest. */
  #limited({ connection, revision, timeoutMs }: Session): Session {
    return new Session(connection, revision, Math.min(timeoutMs, REQUEST_TIMEOUT_MS), this.#paceOf(connection));
  }

  #speaksNothing(): McpgenError {
    const { secrets, place } = this.#target;
    const lines = this.#stderr
      .trim()
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-5);
    const log = lines.length === 0 ? '' : `; it wrote:\n${lines.map((line) => `  ${line}`).join('\n')}`;
    return new McpgenError(secrets.redact(`the server speaks no revision of MCP that is known${log}`), {
      place: secrets.redact(place),
      remedy: 'Check that it runs and its credentials are right; --timeout SECONDS allows more time.',
    });
  }

  async #probeRevision(found: Spoken, all: readonly Spoken[], isNewest: boolean): Promise<ServerFacts> {
    const { revision } = found;
    const spoken = all.map((item) => item.revision);
    let session = found.session;
    let hangs = 0;
    const flooded = new Set<Connection>();
    const facts = await this.#timed('lists', 'lists with all pages', revision, async (tally) => {
      const report = this.#reporter(revision, tally);
      return readLists({ session, report, whenAnswered: this.#whenAnswered(report) }, found.capabilities);
    });
    const known: ServerFacts = {
      ...(facts ?? { capabilities: found.capabilities, tools: [], resources: [], prompts: [], paged: new Set() }),
      harmless: await this.#findHarmless(session, facts?.answered ?? []),
    };
    /** Runs a probe, unless it does not apply. Returns whether it ran. */
    const runProbe = async (probe: Probe): Promise<boolean> => {
      if (hangs >= MAX_HANGS) {
        this.#skipped(probe, revision, 'the server hangs');
        return false;
      }
      if (flooded.size >= MAX_FLOODS) {
        this.#skipped(probe, revision, 'the server sends without end');
        return false;
      }
      const own = new Set<Connection>();
      const tally: Tally = { found: 0 };
      const report = this.#reporter(revision, tally);
      const context = this.#context({ session, facts: known, spoken, own, report });
      const why = probe.skip?.(context);
      if (why !== undefined) {
        this.#skipped(probe, revision, why);
        return false;
      }
      this.#settings.onProgress?.(`${revision}: ${probe.title}`);
      await this.#timed(probe.id, probe.title, revision, async () => probe.run(context), tally);
      for (const connection of [session.connection, ...own]) if (connection.log.isFlooded) flooded.add(connection);
      for (const connection of own) await this.#finish(connection, revision, probe.id);
      return true;
    };
    const probes = PROBES.filter((probe) => this.#whySkipped(probe, session, isNewest) === undefined);
    const separate = probes.filter(({ isSeparate }) => isSeparate === true);
    const runSeparate = async (): Promise<void> => {
      for (let probe = separate.shift(); probe !== undefined; probe = separate.shift()) await runProbe(probe);
    };
    const hung: Connection[] = [];
    const runShared = async (): Promise<void> => {
      for (const probe of probes.filter(({ isSeparate }) => isSeparate !== true)) {
        if (!(await runProbe(probe))) continue;
        const next = await this.#keepAlive(session, known);
        if (next === session) continue;
        if (!session.connection.log.isFlooded) hangs += 1;
        // What it has not answered is decided while others are asked.
        hung.push(session.connection);
        session = next ?? session;
      }
    };
    await Promise.all([runShared(), ...Array.from({ length: SEPARATE_PROBES }, runSeparate)]);
    await Promise.all(
      [...hung, session.connection].map(async (connection) => this.#finish(connection, revision, 'shared')),
    );
    return known;
  }

  #reporter(revision: string, tally: Tally): ProbeContext['report'] {
    return (finding) => {
      // After a flood the connection is closed: what is missing there shows nothing else.
      if (finding.connection.log.isFlooded) return;
      tally.found += 1;
      this.#report(finding, revision);
    };
  }

  /** Over HTTP, each request has its own connection, and waits as long as it may. */
  #paceOf({ kind }: Connection): Pace | undefined {
    return kind === 'stdio' ? this.#pace : undefined;
  }

  /** Handles an answer: at once if there is one or its time is over, otherwise when it arrives. */
  #whenAnswered(report: ProbeContext['report']): ProbeContext['whenAnswered'] {
    return async (session, reply, what, handle) => {
      const { connection, timeoutMs, pace } = session;
      const decide = async (decided: Reply): Promise<void> => {
        const isMissing =
          what === undefined ? decided.message === undefined : isUnanswered(report, session, decided, what);
        if (!isMissing) await handle(decided);
      };
      const restMs = timeoutMs - connection.log.ageOf(reply.sent.frame);
      if (reply.outcome !== 'timeout' || pace === undefined || restMs <= 0) {
        await decide(reply);
        return;
      }
      const decision = (async () => {
        const late = await session.reply(reply.sent, reply.id, restMs);
        // What comes late shows how long this server takes.
        if (late.message !== undefined) pace.note(connection.log.ageOf(reply.sent.frame));
        await decide(late);
      })();
      this.#late.set(connection, [...(this.#late.get(connection) ?? []), decision]);
    };
  }

  /** A method that the server answers: not every server knows ping. */
  async #findHarmless(session: Session, answered: readonly string[]): Promise<string> {
    if (session.isStateless) return 'server/discover';
    const [list] = answered;
    const options = list === undefined ? { timeoutMs: session.timeoutMs } : {};
    const { message } = await session.request('ping', undefined, options);
    return message === undefined ? (list ?? 'ping') : 'ping';
  }

  #whySkipped(probe: Probe, session: Session, isNewest: boolean): string | undefined {
    if (probe.transport !== undefined && probe.transport !== this.#target.kind) return 'another transport';
    if (probe.era !== undefined && (probe.era === 'stateless') !== session.isStateless) return 'another revision';
    return probe.isOnce === true && !isNewest && !this.#isNewestOfEra(probe, session) ? 'once' : undefined;
  }

  /** Probes of the handshake run in the newest revision that has one. */
  #isNewestOfEra(probe: Probe, session: Session): boolean {
    return (
      probe.era === 'stateful' &&
      !this.#outcomes.some(
        ({ id, revision, status }) =>
          id === 'handshake' &&
          status === 'passed' &&
          revision !== STATELESS_REVISION &&
          String(revision) > session.revision,
      )
    );
  }

  #skipped({ id, title }: Probe, revision: string, note: string): void {
    this.#outcomes.push({ id, title, revision, status: 'skipped', note, milliseconds: 0 });
  }

  /** Runs a probe within its time. What goes wrong is its outcome. */
  async #timed<T>(
    id: string,
    title: string,
    revision: string,
    action: (tally: Tally) => Promise<T>,
    tally: Tally = { found: 0 },
  ): Promise<T | undefined> {
    const start = performance.now();
    const controller = new AbortController();
    let note: string | undefined;
    let result: T | undefined;
    try {
      const limit = sleep(PROBE_TIMEOUT_MS, undefined, { signal: controller.signal, ref: false }).then(() => {
        throw new Error(`not finished after ${PROBE_TIMEOUT_MS / 1000} s`);
      });
      limit.catch(() => undefined);
      result = await Promise.race([action(tally), limit]);
    } catch (error) {
      note = error instanceof Error ? error.message : String(error);
    }
    controller.abort();
    const outcome: ProbeOutcome = {
      id,
      title,
      revision,
      status: note === undefined ? 'passed' : 'failed',
      ...(note === undefined ? {} : { note: this.#target.secrets.redact(note) }),
      milliseconds: Math.round(performance.now() - start),
    };
    this.#outcomes.push(outcome);
    this.#tallies.set(outcome, tally);
    return result;
  }

  /** The session itself; one with a new process if the old one ended or hangs; undefined if none starts. */
  async #keepAlive(session: Session, facts: ServerFacts): Promise<Session | undefined> {
    const { connection, revision } = session;
    const isRunning = connection.end === undefined && !connection.log.isFlooded;
    if (isRunning) {
      // Over HTTP each request has its own connection.
      if (connection.kind === 'http' || hasAnsweredLast(connection)) return session;
      if (await isAlive(session, facts, this.#pace.patienceMs(session.timeoutMs))) return session;
    }
    return this.#startShared(revision).catch(() => undefined);
  }

  async #startShared(revision: string): Promise<Session> {
    return this.#limited(await this.#start(revision));
  }

  async #start(revision: string): Promise<Session> {
    const connection = await this.#connect();
    const timeoutMs = Math.min(this.#target.timeoutMs, REQUEST_TIMEOUT_MS);
    if (revision === STATELESS_REVISION) {
      const session = new Session(connection, revision, this.#target.timeoutMs);
      // The answer shows that a process has started, so that later ones are not just late.
      if (connection.kind === 'stdio') await session.request('server/discover');
      return new Session(connection, revision, timeoutMs);
    }
    const { session, version } = await handshake(connection, revision, this.#target.timeoutMs);
    if (version !== revision) throw new Error(`the server no longer agrees on ${revision}`);
    return new Session(session.connection, revision, timeoutMs);
  }

  #context({
    session,
    facts,
    spoken,
    own,
    report,
  }: {
    readonly session: Session;
    readonly facts: ServerFacts;
    readonly spoken: readonly string[];
    readonly own: Set<Connection>;
    readonly report: ProbeContext['report'];
  }): ProbeContext {
    const target = this.#target;
    const { timeoutMs, revision } = session;
    const owned = async <T>(make: () => Promise<T>, connectionOf: (made: T) => Connection): Promise<T> => {
      const made = await make();
      own.add(connectionOf(made));
      return made;
    };
    return {
      revision,
      transport: target.kind,
      session,
      facts,
      calls: this.#settings.calls,
      isLocal: target.kind === 'http' && isLoopback(target.url),
      spoken,
      tried: this.#tried,
      timeoutMs,
      start: async () =>
        owned(
          async () => this.#start(revision),
          (made) => made.connection,
        ),
      shake: async (version): Promise<Handshake> => {
        const connection = await owned(
          async () => this.#connect(),
          (made) => made,
        );
        return handshake(connection, version, target.timeoutMs);
      },
      report,
      isUnanswered: (asked, reply, what) => isUnanswered(report, asked, reply, what),
      whenAnswered: this.#whenAnswered(report),
      patienceMs: () => (target.kind === 'stdio' ? this.#pace.patienceMs(timeoutMs) : timeoutMs),
    };
  }
}

function isUnanswered(report: ProbeContext['report'], session: Session, reply: Reply, what: string): boolean {
  if (reply.outcome === 'result' || reply.outcome === 'error') return false;
  // Over HTTP, a status of failure is an answer.
  if (reply.status !== undefined && reply.status >= 400) return true;
  const { connection } = session;
  const how =
    connection.end === undefined ? `no answer within ${session.timeoutMs / 1000} s` : 'no answer: the server exited';
  report({
    rule: 'no-answer',
    subject: what,
    message: `${what} has ${reply.outcome === 'over' && connection.end === undefined ? 'no response message' : how}`,
    connection,
    frames: [...reply.frames, ...(connection.end === undefined ? [] : [connection.log.entries.length])],
  });
  return true;
}

/** Whether the last message to a server is a request that it has answered, so that it lives. */
function hasAnsweredLast({ log }: Connection): boolean {
  let index = log.entries.length - 1;
  while (index >= 0 && log.entries[index]?.from !== 'client') index -= 1;
  const entry = log.entries[index];
  const last = entry === undefined ? undefined : messagesOfEntry(entry).at(-1);
  const id = last === undefined ? undefined : ownMember(last, 'id');
  if (last === undefined || id === undefined || !Object.hasOwn(last, 'method')) return false;
  return received(log, index + 1).some(({ message }) => isResponse(message) && ownMember(message, 'id') === id);
}

/** What a probe provokes: a connection that is cut leaves requests without a response. */
const EXPECTED: ReadonlySet<RuleId> = new Set<RuleId>(['http-no-response']);

/** The frames, and the request of a response over HTTP. */
function withRequest({ log }: Connection, frames: readonly number[]): readonly number[] {
  const exchanges = new Set(frames.map((frame) => log.entries[frame - 1]?.http?.exchange));
  const requests = log.entries.flatMap(({ http }, index) =>
    http?.kind === 'request' && exchanges.has(http.exchange) ? [index + 1] : [],
  );
  return [...new Set([...frames, ...requests])].sort((a, b) => a - b);
}

function memberObject(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const member = value === undefined ? undefined : ownMember(value, key);
  return isObject(member) ? member : undefined;
}

/** The findings, those that are the same in several revisions as one, the worst first. */
function mergeFindings(findings: readonly RawFinding[]): readonly CheckFinding[] {
  const merged = new Map<string, CheckFinding & { revisions: readonly string[] }>();
  for (const { revision, ...finding } of findings) {
    const key = JSON.stringify([finding.rule, finding.subject]);
    const known = merged.get(key);
    const revisions = new Set([...(known?.revisions ?? []), ...(revision === undefined ? [] : [revision])]);
    // The newest revision is shown.
    const isNewer = known === undefined || (revision ?? '') > (known.revisions.at(-1) ?? '');
    const shown = isNewer ? finding : known;
    merged.set(key, { ...shown, revisions: [...revisions].sort(), isKnown: false });
  }
  return [...merged.values()].sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      compareText(a.rule, b.rule) ||
      compareText(a.subject, b.subject),
  );
}

/**
 * Shows what `check-server` finds on published servers by raw exchanges, for
 * `npm run confirm:servers -- [--only NAMES] [--installed DIR] [--reports DIR]`. It writes lines to a process and reads
 * lines, and shares no code with `check-server`, its rules or any client; no tool of a server is called.
 *
 * `--reports DIR` has the reports of `npm run check:servers -- --out DIR`: the exit code is 1 if a finding of theirs was not
 * seen here, or something was seen here that they do not have.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SERVERS, withInstalled, type Installed } from './published-servers.js';

/** Some servers need Node 22. */
const NODE = path.resolve(import.meta.dirname, '../node_modules/node-22/bin/node');
const ANSWER_TIMEOUT_MS = 30_000;
/** Milliseconds after which something has no answer that others answer at once. */
const SILENCE_MS = 5000;
const UNKNOWN = 'no-such-thing';
const CLIENT = { name: 'raw', version: '1' };

interface Answer {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
}

/** A process, its lines, and nothing else. */
class Lines {
  readonly read: string[] = [];
  readonly #child: ChildProcess;
  #rest = '';

  constructor({ folder, args, env }: Installed) {
    this.#child = spawn(NODE, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (this.#rest + chunk).split('\n');
      this.#rest = lines.pop() ?? '';
      this.read.push(...lines);
    });
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** The line that answers an id, once it is there. */
  async answer(id: number, timeoutMs = ANSWER_TIMEOUT_MS): Promise<Answer | undefined> {
    const until = performance.now() + timeoutMs;
    while (performance.now() < until) {
      for (const line of this.read) {
        const value = parse(line);
        const found = (Array.isArray(value) ? (value as unknown[]) : [value]).find(
          (item) => typeof item === 'object' && item !== null && (item as Answer).id === id && !('method' in item),
        );
        if (found !== undefined) return found as Answer;
      }
      await sleep(20);
    }
    return undefined;
  }

  async ask(id: number, method: string, params?: object): Promise<Answer | undefined> {
    this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return this.answer(id);
  }

  /** Initializes; returns what was agreed on. */
  async initialize(protocolVersion: string): Promise<Answer | undefined> {
    const answer = await this.ask(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo: CLIENT });
    if (answer?.result !== undefined) this.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return answer;
  }

  /** Ends the process: with SIGTERM, and by force after that. */
  async end(): Promise<void> {
    const exited = new Promise((resolve) => this.#child.once('close', resolve));
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM');
      await Promise.race([exited, sleep(2000)]);
    }
    try {
      process.kill(-(this.#child.pid ?? 0), 'SIGKILL');
    } catch {
      // Nothing is left.
    }
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** What was seen: the rule that it breaks, what was sent, and what came back. */
interface Seen {
  readonly rule: string;
  readonly sent: string;
  readonly answer: string;
}

/** An answer in a few words. */
function brief({ result, error }: Answer): string {
  if (error !== undefined) return `error ${String(error.code)} ${JSON.stringify(error.message).slice(0, 90)}`;
  const { isError, content, ...other } = result ?? {};
  if (isError === true) return `result with isError ${JSON.stringify(content).slice(0, 110)}`;
  return `result ${JSON.stringify(content ?? other).slice(0, 110)}`;
}

/** What an answer breaks that has to be an error with one code; undefined for what it has to be, and without an answer. */
function wrong(answer: Answer | undefined, code: number, accepted: string, other: string): string | undefined {
  if (answer === undefined) return 'no-answer';
  if (answer.error === undefined) return accepted;
  return answer.error.code === code ? undefined : other;
}

const LISTS = [
  ['tools', 'tools/list', 'tools'],
  ['resources', 'resources/list', 'resources'],
  ['resources', 'resources/templates/list', 'resourceTemplates'],
  ['prompts', 'prompts/list', 'prompts'],
] as const;

/** The exchanges after a handshake. */
async function exchange(server: Lines, capabilities: object): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  let id = 0;
  const lists = new Map<string, readonly Readonly<Record<string, unknown>>[]>();
  const ask = async (
    method: string,
    params: object | undefined,
    ruleOf: (answer: Answer | undefined) => string | undefined,
  ): Promise<Answer | undefined> => {
    id += 1;
    const answer = await server.ask(id, method, params);
    const rule = ruleOf(answer);
    const sent = `${method} ${params === undefined ? '' : JSON.stringify(params)}`.trim();
    if (rule !== undefined) seen.push({ rule, sent, answer: answer === undefined ? 'none' : brief(answer) });
    return answer;
  };
  const has = (name: string): boolean => Object.hasOwn(capabilities, name);
  for (const [capability, method, member] of LISTS) {
    if (!has(capability)) {
      await ask(method, undefined, (answer) => {
        const items = answer?.result?.[member];
        return Array.isArray(items) && items.length > 0 ? 'served-not-declared' : undefined;
      });
      continue;
    }
    const answer = await ask(method, undefined, (given) =>
      given?.error?.code === -32601 && member !== 'resourceTemplates' ? 'declared-not-served' : undefined,
    );
    const items = answer?.result?.[member];
    lists.set(member, Array.isArray(items) ? (items as Readonly<Record<string, unknown>>[]) : []);
    const isPaged = typeof answer?.result?.['nextCursor'] === 'string';
    await ask(method, { cursor: UNKNOWN }, (given) => {
      if (given?.error?.code === -32601) return undefined;
      const accepted = isPaged ? 'invalid-cursor-accepted' : 'invalid-cursor-ignored';
      return wrong(given, -32602, accepted, 'invalid-cursor-code');
    });
  }
  const size = JSON.stringify(lists.get('tools') ?? []).length;
  if (size > 100_000) seen.push({ rule: 'list-large', sent: 'tools/list', answer: `${size} characters` });
  await ask('no/such-method', {}, (answer) => wrong(answer, -32601, 'unknown-method-accepted', 'unknown-method-code'));
  await ask('ping', undefined, (answer) => (answer?.result === undefined ? 'ping-refused' : undefined));
  if (has('tools'))
    await ask('tools/call', { name: UNKNOWN, arguments: {} }, (answer) => {
      const accepted = answer?.result?.['isError'] === true ? 'unknown-tool-result' : 'unknown-tool-accepted';
      return wrong(answer, -32602, accepted, 'unknown-tool-code');
    });
  if (has('resources'))
    await ask('resources/read', { uri: `${UNKNOWN}://x` }, (answer) =>
      wrong(answer, -32002, 'unknown-resource-accepted', 'unknown-resource-code'),
    );
  if (has('prompts'))
    await ask('prompts/get', { name: UNKNOWN }, (answer) =>
      wrong(answer, -32602, 'unknown-prompt-accepted', 'unknown-prompt-code'),
    );
  const prompt = lists
    .get('prompts')
    ?.find((item) => ((item['arguments'] ?? []) as { readonly required?: boolean }[]).some(({ required }) => required));
  if (prompt !== undefined)
    await ask('prompts/get', { name: prompt['name'] }, (answer) =>
      wrong(answer, -32602, 'prompt-arguments-accepted', 'prompt-arguments-code'),
    );
  if (has('logging'))
    await ask('logging/setLevel', { level: 'loudest' }, (answer) =>
      answer?.error?.code === -32601
        ? 'declared-partly'
        : wrong(answer, -32602, 'log-level-accepted', 'invalid-params-code'),
    );
  const before = server.read.length;
  server.write('{"cut');
  await sleep(SILENCE_MS);
  const said = server.read.slice(before).filter((line) => /"id":null|"id": null/.test(line) || !line.includes('"id"'));
  const isSilent = said.every((line) => !line.includes('"error"'));
  await ask('ping', undefined, (answer) => (answer === undefined ? 'malformed-blocks' : undefined));
  if (isSilent) seen.push({ rule: 'malformed-unanswered', sent: '{"cut', answer: 'none; the next ping is answered' });
  return seen;
}

/** The exchanges of 2026-07-28. */
async function exchangeStateless(server: Lines): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const meta = (version: string): object => ({
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  });
  const found = await server.ask(1, 'server/discover', meta('2026-07-28'));
  if (!JSON.stringify(found?.result?.['supportedVersions'] ?? []).includes('2026-07-28')) return [];
  const listed = await server.ask(2, 'tools/list', meta('2026-07-28'));
  if (listed?.result === undefined) return [];
  const old = await server.ask(3, 'tools/list', meta('1999-01-01'));
  const sent = 'tools/list of 2026-07-28, then tools/list of the version 1999-01-01';
  const rule = wrong(old, -32022, 'version-accepted', 'version-code');
  if (rule !== undefined) seen.push({ rule, sent, answer: old === undefined ? 'none' : brief(old) });
  return seen;
}

/** A batch of two pings. */
async function exchangeBatch(server: Lines): Promise<readonly Seen[]> {
  server.write('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]');
  const answers = await Promise.all([server.answer(1, SILENCE_MS), server.answer(2, SILENCE_MS)]);
  if (answers.every((answer) => answer !== undefined)) return [];
  return [{ rule: 'batch-unsupported', sent: 'a batch of two pings in 2025-03-26', answer: 'none' }];
}

/** All that is seen on a server. */
async function confirm(installed: Installed): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const withServer = async (action: (server: Lines) => Promise<readonly Seen[]>): Promise<void> => {
    const server = new Lines(installed);
    try {
      seen.push(...(await action(server)));
    } finally {
      await server.end();
    }
    const noise = server.read.find((line) => line !== '' && parse(line) === undefined);
    if (noise !== undefined) seen.push({ rule: 'not-json', sent: 'SIGTERM', answer: noise.slice(0, 90) });
  };
  await withServer(async (server) => {
    // A server agrees to the newest revision that it has.
    const answer = await server.initialize('2025-11-25');
    return exchange(server, answer?.result?.['capabilities'] ?? {});
  });
  await withServer(async (server) => {
    const answer = await server.initialize('2025-03-26');
    return answer?.result?.['protocolVersion'] === '2025-03-26' ? exchangeBatch(server) : [];
  });
  await withServer(exchangeStateless);
  return seen;
}

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, installed: { type: 'string' }, reports: { type: 'string' } },
});
const installed = options.installed === undefined ? undefined : path.resolve(options.installed);
for (const [name, server] of Object.entries(SERVERS)) {
  if (options.only !== undefined && !options.only.split(',').includes(name)) continue;
  const report = options.reports === undefined ? '' : path.join(options.reports, `${name}.json`);
  if (options.reports !== undefined && !existsSync(report)) continue;
  await withInstalled(name, server, installed, async (found) => {
    const seen = await confirm(found);
    process.stdout.write(`\n${name} ${found.version}\n`);
    for (const { rule, sent, answer } of seen) process.stdout.write(`  ${rule}\n    > ${sent}\n    < ${answer}\n`);
    if (report === '') return;
    const { findings } = JSON.parse(readFileSync(report, 'utf8')) as { readonly findings: { readonly rule: string }[] };
    const [theirs, ours] = [findings, seen].map((list) => new Set(list.map(({ rule }) => rule)));
    const missing = [...(theirs ?? [])].filter((rule) => ours?.has(rule) !== true);
    const additional = [...(ours ?? [])].filter((rule) => theirs?.has(rule) !== true);
    for (const rule of missing) process.stdout.write(`  not seen: ${rule}\n`);
    for (const rule of additional) process.stdout.write(`  not in the report: ${rule}\n`);
    if (missing.length + additional.length > 0) process.exitCode = 1;
  });
}

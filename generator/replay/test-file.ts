/** Writes a recording as a test for Vitest over the generated client. */
import { memberAt, isObject, ownMember, stableStringify, type JsonObject, type JsonValue } from '../read/json/json.js';
import { literalKey } from '../print/names.js';
import { escapeHiddenCharacters } from '../text.js';
import { coversPlace, isPlace, looseTemplate, type Matchers } from './matchers.js';
import { isMethodCall, isRequest, isResponse, keyOf, methodOf } from '../recording/message.js';
import type { Script } from './script.js';

/** What a test needs in addition to the recording. */
export interface TestSettings {
  /** The name of the recording, for the header. */
  readonly source: string;
  /** The program and its arguments, or a URL. */
  readonly server: { readonly command: readonly string[] } | { readonly url: string };
  readonly revision: string;
  /** The folder with the generated client, as an import begins: `../src/generated`. */
  readonly generated: string;
  readonly matchers: Matchers;
}

/** A test file, and how much of the recording is not in it. */
export interface TestFile {
  /** Not formatted yet. */
  readonly text: string;
  readonly calls: number;
  /** Requests without a response in the recording, and those that a client sends by itself. */
  readonly skipped: number;
}

/** What the client does by itself, or what does not end with a response. */
const NOT_CALLED = new Set(['initialize', 'server/discover', 'subscriptions/listen']);

/** Renders a test that makes the recorded calls and expects the recorded results. */
export function renderTest(script: Script, settings: TestSettings): TestFile {
  const calls = readCalls(script);
  const called = calls.filter(({ method, response }) => !NOT_CALLED.has(method) && response !== undefined);
  const answers = readAnswers(script);
  const isHttp = 'url' in settings.server;
  const { generated } = settings;
  const cursors = called.filter(({ response }) => typeof memberAt(response, 'result', 'nextCursor') === 'string');
  const titles = new Map<string, number>();
  const title = (call: Call): string => {
    const target = memberAt(call.request, 'params', 'name') ?? memberAt(call.request, 'params', 'uri');
    const text = `${call.method}${typeof target === 'string' ? ` ${target}` : ''}`;
    const count = (titles.get(text) ?? 0) + 1;
    titles.set(text, count);
    return count === 1 ? text : `${text} (${count})`;
  };
  const tests = called.map((call) => renderCall(call, title(call), settings.matchers, cursors));
  const hasSequence = [...answers.values()].some((list) => list.length > 1);
  const text = [
    `// Written by mcpgen replay from ${comment(settings.source)}. Edit it as you like: it is never overwritten.`,
    `import { afterAll, beforeAll, expect, test } from 'vitest';`,
    `import { createClient } from ${quote(`${generated}/${settings.revision}/client.js`)};`,
    isHttp
      ? `import { httpClientTransport } from ${quote(`${generated}/runtime/http-client.js`)};`
      : `import { stdioClientTransport } from ${quote(`${generated}/runtime/stdio-client.js`)};`,
    '',
    ...(tests.some((item) => item.includes('ANYTHING')) ? [ANYTHING] : []),
    ...(hasSequence ? [SEQUENCE] : []),
    `const client = createClient(${clientOptions(script, answers)});`,
    ...(cursors.length > 0
      ? ['/** The cursors of the server, which may be different each time. */', 'const cursors: unknown[] = [];']
      : []),
    '',
    `beforeAll(() => client.connect(${transport(settings.server)}));`,
    'afterAll(() => client.close());',
    '',
    ...tests,
  ].join('\n');
  return {
    text,
    calls: called.length,
    skipped: calls.filter(({ method }) => !NOT_CALLED.has(method)).length - called.length,
  };
}

/** `expect.anything()` does not accept null. */
const ANYTHING = `/** Any value, also null. */
const ANYTHING: unknown = { asymmetricMatch: () => true };
`;

const SEQUENCE = `/** Returns the answers one after the other, and the last one from then on. */
function inOrder<T>(...answers: [T, ...T[]]): () => T {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)] ?? answers[0];
    next += 1;
    return answer;
  };
}
`;

interface Call {
  readonly method: string;
  readonly request: JsonObject;
  readonly response: JsonObject | undefined;
}

function readCalls({ steps, fromServer }: Script): readonly Call[] {
  const responses = new Map<string, JsonObject[]>();
  for (const { message } of fromServer) {
    if (!isResponse(message)) continue;
    const key = keyOf(ownMember(message, 'id'));
    const list = responses.get(key) ?? [];
    list.push(message);
    responses.set(key, list);
  }
  return steps
    .flatMap(({ messages }) => messages)
    .filter(isRequest)
    .map((request) => ({
      method: methodOf(request),
      request,
      response: responses.get(keyOf(ownMember(request, 'id')))?.shift(),
    }));
}

/** What the client answered to requests of the server, by method. */
function readAnswers({ steps, fromServer }: Script): ReadonlyMap<string, readonly JsonObject[]> {
  const methods = new Map<string, string>();
  for (const { message } of fromServer)
    if (isRequest(message)) methods.set(keyOf(ownMember(message, 'id')), methodOf(message));
  const answers = new Map<string, JsonObject[]>();
  for (const message of steps.flatMap(({ messages }) => messages)) {
    const result = ownMember(message, 'result');
    const method = methods.get(keyOf(ownMember(message, 'id')));
    if (isMethodCall(message) || method === undefined || method === 'ping' || !isObject(result)) continue;
    const list = answers.get(method) ?? [];
    list.push(result);
    answers.set(method, list);
  }
  // The same answer every time is one answer.
  return new Map(
    [...answers].map(([method, list]) => [
      method,
      new Set(list.map((answer) => stableStringify(answer))).size === 1 ? list.slice(0, 1) : list,
    ]),
  );
}

const META = 'io.modelcontextprotocol/';

function clientOptions({ steps }: Script, answers: ReadonlyMap<string, readonly JsonObject[]>): string {
  const messages = steps.flatMap((step) => step.messages);
  const find = (name: string): JsonValue | undefined =>
    messages
      .map((message) => memberAt(message, 'params', name) ?? memberAt(message, 'params', '_meta', META + name))
      .find((value) => value !== undefined);
  const capabilities = find('capabilities') ?? find('clientCapabilities');
  const info = find('clientInfo') ?? { name: 'test', version: '1.0.0' };
  const handlers = [...answers].map(([method, list]) => {
    const [first] = list;
    const handler =
      list.length === 1 && first !== undefined
        ? `() => (${printPlain(first)})`
        : `inOrder(${list.map(printPlain).join(', ')})`;
    return `${quote(method)}: ${handler}`;
  });
  return `{ info: ${printPlain(info)}, ${isObject(capabilities) && Object.keys(capabilities).length > 0 ? `capabilities: ${printPlain(capabilities)},` : ''} ${handlers.length === 0 ? '' : `handlers: { ${handlers.join(', ')} },`} }`;
}

function transport(server: TestSettings['server']): string {
  if ('url' in server) return `httpClientTransport({ url: ${quote(server.url)} })`;
  const [command = '', ...args] = server.command;
  const list = args.length === 0 ? '' : `, args: [${args.map(quote).join(', ')}]`;
  return `stdioClientTransport({ command: ${quote(command)}${list}, stderr: 'ignore' })`;
}

function renderCall(
  { method, request, response = {} }: Call,
  title: string,
  matchers: Matchers,
  cursors: readonly Call[],
): string {
  const given = ownMember(request, 'params');
  const params = isObject(given) ? Object.entries(given).filter(([key]) => key !== '_meta') : [];
  const cursor = memberAt(given, 'cursor');
  const from = cursors.findIndex(
    (call) => cursor !== undefined && memberAt(call.response, 'result', 'nextCursor') === cursor,
  );
  const members = params.map(([key, value]) =>
    key === 'cursor' && from !== -1 ? `cursor: cursors[${from}]` : `${printKey(key)}: ${printPlain(value)}`,
  );
  const call = `client.request(${quote(method)}${members.length === 0 ? '' : `, { ${members.join(', ')} }`})`;
  const printer = new ExpectationPrinter(method, matchers);
  const error = ownMember(response, 'error');
  if (isObject(error)) {
    const expected = ['code', 'message']
      .map((key) => `${key}: ${printer.print(ownMember(error, key) ?? null, ['error', key])}`)
      .join(', ');
    return `test(${quote(title)}, async () => { await expect(${call}).rejects.toMatchObject({ ${expected} }); });\n`;
  }
  const own = cursors.findIndex((item) => item.request === request);
  const keep = own === -1 ? '' : `\n  cursors[${own}] = (result as { nextCursor?: unknown }).nextCursor;`;
  const result = ownMember(response, 'result') ?? {};
  return `test(${quote(title)}, async () => {
  const result = await ${call};${keep}
  expect(result).toEqual(${printer.print(result, ['result'])});
});
`;
}

/** Prints an expected value, with matchers where it may differ. */
class ExpectationPrinter {
  readonly #method: string;
  readonly #matchers: Matchers;

  constructor(method: string, matchers: Matchers) {
    this.#method = method;
    this.#matchers = matchers;
  }

  print(value: JsonValue, place: readonly string[]): string {
    const { ignored, patterns, isExact } = this.#matchers;
    if (ignored.some((pattern) => coversPlace(pattern, this.#method, place))) return 'ANYTHING';
    const pattern = patterns.find(({ at }) => isPlace(at, this.#method, place))?.pattern;
    if (pattern !== undefined) return `expect.stringMatching(${printPattern(pattern)})`;
    if (Array.isArray(value)) {
      const items = (value as readonly JsonValue[]).map((item, index) => this.print(item, [...place, String(index)]));
      return `[${items.join(', ')}]`;
    }
    if (isObject(value)) {
      const members = Object.entries(value).map(
        ([key, item]) => `${printKey(key)}: ${this.print(item, [...place, key])}`,
      );
      return `{ ${members.join(', ')} }`;
    }
    const template = isExact ? undefined : looseTemplate(value, place);
    if (template === undefined) return printPlain(value);
    if (template === 'any') return typeof value === 'number' ? 'expect.any(Number)' : 'expect.any(String)';
    return `expect.stringMatching(${printPattern(template)})`;
  }
}

function printPattern(pattern: RegExp): string {
  return `new RegExp(${quote(pattern.source)}, ${quote(pattern.flags)})`;
}

/** A JSON value as an expression; nothing in it is invisible. */
function printPlain(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(printPlain).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${printKey(key)}: ${printPlain(item)}`);
    return `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? quote(value) : JSON.stringify(value);
}

function printKey(name: string): string {
  return escapeHiddenCharacters(literalKey(name));
}

function quote(text: string): string {
  return escapeHiddenCharacters(JSON.stringify(text));
}

function comment(text: string): string {
  return escapeHiddenCharacters(text);
}

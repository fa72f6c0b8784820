/** Notifications, many requests at once, and messages that are cut, joined, malformed or large. */
import { STANDARD_ERROR_CODES } from '../../../generated/runtime/jsonrpc/error-codes.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownMember, type JsonValue } from '../../read/json/json.js';
import { received, type Sent } from '../raw/connection.js';
import { HttpConnection } from '../raw/http.js';
import { isResponse, messagesOfEntry } from '../../recording/message.js';
import type { Probe, ProbeContext, ServerFacts } from '../probe.js';
import { textIn, type Reply, type Session } from '../session.js';

const { PARSE_ERROR, INVALID_REQUEST } = STANDARD_ERROR_CODES;

/** Fewest milliseconds in which something that must not come would come. */
const QUIET_MS = 300;
/** Most of them, for a slow server. */
const MAX_QUIET_MS = 6000;
/** Requests that are sent at once. */
const BURST = 40;
/** Most milliseconds in which they are answered, if answers keep coming. */
const MAX_BURST_MS = 60_000;
/** Bytes of a large message. */
const LARGE_BYTES = 1024 * 1024;

/** Whether a server answers a request that it has answered before. */
export async function isAlive(
  session: Session,
  { harmless }: Pick<ServerFacts, 'harmless'>,
  timeoutMs = session.timeoutMs,
): Promise<boolean> {
  const { outcome } = await session.request(harmless, undefined, { timeoutMs });
  return outcome === 'result' || outcome === 'error';
}

/** Milliseconds in which an error that must not come would come, going by how long this server takes for one. */
async function quietMs(context: ProbeContext, session: Session): Promise<number> {
  // Over HTTP, the response is waited for.
  if (context.transport === 'http') return QUIET_MS;
  const start = performance.now();
  // Errors may take longer than all other answers.
  const timeoutMs = Math.max(context.patienceMs(), MAX_QUIET_MS);
  const { message } = await session.request('mcpgen/check-pace', {}, { timeoutMs });
  if (message === undefined) return QUIET_MS;
  return Math.min(MAX_QUIET_MS, Math.max(QUIET_MS, 1.5 * (performance.now() - start)));
}

/** Probes of how messages arrive. */
export const MESSAGE_PROBES: readonly Probe[] = [
  {
    id: 'notifications',
    title: 'notifications have no answer',
    run: async (context) => {
      const { session, report, transport } = context;
      const { connection } = session;
      const quiet = await quietMs(context, session);
      const notifications = [
        ['notifications/mcpgen-check-unknown', undefined],
        // Unknown requests must be ignored.
        ['notifications/cancelled', { requestId: 'mcpgen-check-unknown', reason: 'a check' }],
      ] as const;
      for (const [method, params] of notifications) {
        // Over HTTP, 2026-07-28 defines no notifications of clients.
        if (transport === 'http' && session.isStateless) continue;
        // HTTP+SSE does not say with what a POST is answered.
        if (connection instanceof HttpConnection && connection.isSse) continue;
        const sent = await session.notify(method, params);
        if (transport === 'http') {
          const status = await session.status(sent);
          const body = connection.log.entries.slice(sent.frame).find(({ http }) => http?.exchange === sent.exchange);
          const hasBody = body !== undefined && body.content.kind !== 'none';
          if (status === undefined || status >= 400 || (status === 202 && !hasBody)) continue;
          report({
            rule: 'http-notification-status',
            subject: method,
            message: `${method} is answered with ${status}${hasBody ? ' and a body' : ''}`,
            connection,
            frames: [sent.frame, ...(body === undefined ? [] : [connection.log.entries.indexOf(body) + 1])],
          });
          continue;
        }
        await sleep(quiet);
        const answer = received(connection.log, sent.frame).find(
          ({ message }) => isResponse(message) && (ownMember(message, 'id') ?? null) === null,
        );
        if (answer === undefined) continue;
        report({
          rule: 'notification-answered',
          subject: method,
          message: `the notification ${method} is answered`,
          connection,
          frames: [sent.frame, answer.frame],
        });
      }
    },
  },
  {
    id: 'concurrency',
    title: 'many requests at once',
    run: async (context) => {
      const { session, report } = context;
      const { connection } = session;
      const ids = Array.from({ length: BURST }, (_, index) => `mcpgen-burst-${index}`);
      const { timeoutMs } = session;
      const until = performance.now() + MAX_BURST_MS;
      let replies = await Promise.all(
        ids.map(async (id) => session.request('mcpgen/check-burst', {}, { id, timeoutMs })),
      );
      const [first] = replies;
      if (first === undefined) return;
      let lost = replies.filter(isLost);
      // A server that answers one after the other needs longer for all of them.
      for (let before = BURST; lost.length > 0 && lost.length < before && performance.now() < until;) {
        before = lost.length;
        const ms = context.patienceMs();
        replies = await Promise.all(
          replies.map(async (reply) => (isLost(reply) ? session.reply(reply.sent, reply.id, ms) : reply)),
        );
        lost = replies.filter(isLost);
      }
      const answers = received(connection.log, first.sent.frame).filter(({ message }) => isResponse(message));
      const twice = ids.find((id) => answers.filter(({ message }) => ownMember(message, 'id') === id).length > 1);
      const finding = { rule: 'concurrent-lost', subject: 'many requests', connection } as const;
      if (lost.length === BURST) {
        context.isUnanswered(session, first, 'a request among many');
      } else if (lost[0] !== undefined) {
        const message = `${lost.length} of ${BURST} requests sent at once have no answer`;
        report({ ...finding, message, frames: lost.flatMap(({ frames }) => frames) });
      } else if (twice !== undefined) {
        const frames = answers.filter(({ message }) => ownMember(message, 'id') === twice).map(({ frame }) => frame);
        report({ ...finding, message: `the request ${JSON.stringify(twice)} is answered more than once`, frames });
      }
    },
  },
  {
    id: 'split',
    isSeparate: true,
    title: 'a message that arrives in pieces',
    transport: 'stdio',
    isOnce: true,
    run: async (context) => {
      const session = await context.start();
      // The pieces also cut characters of several bytes.
      const params = { text: 'übergrößenträger 日本語 🌱' };
      const reply = await session.request('mcpgen/check-split', params, { pieceBytes: 13 });
      if (reply.outcome === 'error' || reply.outcome === 'result') return;
      context.report({
        rule: 'split-frame',
        subject: 'a message in pieces',
        message: 'a request that is written in pieces has no answer',
        connection: session.connection,
        frames: reply.frames,
        isGeneral: true,
      });
    },
  },
  {
    id: 'joined',
    isSeparate: true,
    title: 'messages that arrive together',
    transport: 'stdio',
    isOnce: true,
    run: async (context) => {
      const session = await context.start();
      const { connection } = session;
      const request = (id: string): string =>
        JSON.stringify({ jsonrpc: '2.0', id, method: 'mcpgen/check-joined', params: session.params() });
      const ids = ['joined-1', 'joined-2', 'joined-3'];
      const sent = await connection.send(ids.map(request).join('\n'));
      const replies = await Promise.all(ids.map(async (id) => session.reply(sent, id)));
      const lost = replies.filter(({ outcome }) => outcome !== 'error' && outcome !== 'result');
      const finding = { rule: 'joined-frames', connection, isGeneral: true } as const;
      if (lost.length > 0) {
        context.report({
          ...finding,
          subject: 'messages together',
          message: `${lost.length} of ${ids.length} requests in one write have no answer`,
          frames: ids.map((_, index) => sent.frame + index),
        });
      }
    },
  },
  {
    id: 'malformed',
    isSeparate: true,
    title: 'malformed messages',
    isOnce: true,
    run: runMalformed,
  },
  {
    id: 'batch-newer',
    isSeparate: true,
    title: 'a batch, which only 2025-03-26 has',
    skip: ({ revision }) => (revision === '2025-03-26' ? 'it has batches' : undefined),
    isOnce: true,
    run: async (context) => {
      const session = await context.start();
      const { connection } = session;
      const sent = await connection.send(batchText(session, context.facts), {
        headers: batchHeaders(session, context.facts),
      });
      await afterwards(context, session, sent.frame, 'a batch');
    },
  },
  {
    id: 'batch',
    isSeparate: true,
    title: 'a batch',
    skip: ({ revision }) => (revision === '2025-03-26' ? undefined : 'only in 2025-03-26'),
    run: async (context) => {
      const session = await context.start();
      const { connection } = session;
      const sent = await connection.send(batchText(session, context.facts));
      const ids = ['batch-1', 'batch-2'];
      const replies = await Promise.all(ids.map(async (id) => session.reply(sent, id)));
      if (replies.every(({ message }) => message !== undefined && ids.includes(textIn(message, 'id')))) return;
      context.report({
        rule: 'batch-unsupported',
        subject: 'a batch',
        message: 'a batch of two requests is not answered in 2025-03-26',
        connection,
        frames: [...new Set(replies.flatMap(({ frames }) => frames))],
      });
    },
  },
  {
    id: 'cancellation',
    title: 'a request that is cancelled',
    isSeparate: true,
    run: runCancellation,
  },
  {
    id: 'large',
    isSeparate: true,
    title: 'a large message',
    isOnce: true,
    run: async (context) => {
      const session = await context.start();
      const { connection } = session;
      const reply = await session.request('mcpgen/check-large', { text: 'x'.repeat(LARGE_BYTES) });
      const isRefused = reply.status !== undefined && reply.status >= 400;
      if (reply.outcome === 'error' || reply.outcome === 'result' || isRefused) return;
      if (connection.end === undefined && (await isAlive(session, context.facts))) return;
      context.report({
        rule: 'large-frame',
        subject: 'a large message',
        message: `after a request of 1 MiB, ${connection.end === undefined ? 'nothing is answered' : 'the server exits'}`,
        connection,
        frames: reply.frames,
        isGeneral: true,
      });
    },
  },
];

/** Whether one of many requests has no answer; a server may refuse to answer so many. */
function isLost({ outcome, status }: Reply): boolean {
  return outcome !== 'result' && outcome !== 'error' && !(Number(status) >= 400);
}

function batchText(session: Session, { harmless: method }: ServerFacts): string {
  return JSON.stringify(['batch-1', 'batch-2'].map((id) => ({ jsonrpc: '2.0', id, method, params: session.params() })));
}

function batchHeaders({ isStateless, revision }: Session, { harmless }: ServerFacts): Readonly<Record<string, string>> {
  return isStateless ? { 'mcp-protocol-version': revision, 'mcp-method': harmless } : {};
}

/** Cancels a request in flight; the server must still answer the next one. */
async function runCancellation(context: ProbeContext): Promise<void> {
  const session = await context.start();
  const { connection } = session;
  const [cancelled, next] = ['mcpgen-check-cancelled', 'mcpgen-check-after'] as const;
  const message = (id: string): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method: context.facts.harmless, params: session.params() });
  const cancellation = { requestId: cancelled, reason: 'a check' };
  const frames: number[] = [];
  let sent: Sent;
  if (connection instanceof HttpConnection) {
    const first = await connection.send(message(cancelled), { headers: batchHeaders(session, context.facts) });
    // Without sessions, a client cancels by closing the response.
    if (session.isStateless) connection.abort(first);
    else frames.push((await session.notify('notifications/cancelled', cancellation)).frame);
    sent = await connection.send(message(next), { headers: batchHeaders(session, context.facts) });
    frames.unshift(first.frame);
    frames.push(sent.frame);
  } else {
    const params = session.params(cancellation);
    const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    // In one write, so that the request is still in flight.
    sent = await connection.send([message(cancelled), notification, message(next)].join('\n'));
    frames.push(sent.frame, sent.frame + 1, sent.frame + 2);
  }
  const reply = await session.reply(sent, next);
  if (reply.outcome === 'result' || reply.outcome === 'error' || Number(reply.status) >= 400) return;
  const hasEnded = connection.end !== undefined;
  context.report({
    rule: 'cancellation-blocks',
    subject: 'a cancelled request',
    message: `after a request was cancelled, ${hasEnded ? 'the server exits' : 'the next one has no answer'}`,
    connection,
    frames: [...frames, ...(hasEnded ? [connection.log.entries.length] : [])],
  });
}

/** Texts that are not messages, each with the codes that JSON-RPC 2.0 has for it. */
const MALFORMED: readonly (readonly [string, string, readonly number[]])[] = [
  ['text that is not JSON', '{"jsonrpc": "2.0", "id": "cut", "method": ', [PARSE_ERROR]],
  ['a number', '42', [INVALID_REQUEST]],
  ['an object that is not a message', '{"hello": "world"}', [INVALID_REQUEST]],
  ['a request whose method is a number', '{"jsonrpc": "2.0", "id": "odd", "method": 1}', [INVALID_REQUEST]],
  ['an empty array', '[]', [INVALID_REQUEST]],
];

async function runMalformed(context: ProbeContext): Promise<void> {
  let session = await context.start();
  const quiet = await quietMs(context, session);
  // A server that exits at unknown methods does not exit because of what follows.
  if (session.connection.end !== undefined) session = await context.start();
  for (const [index, malformed] of MALFORMED.entries()) {
    if (await sendMalformed(context, session, malformed, quiet)) continue;
    // An invalid message ended or blocked the server: each of the others has its own connection, so that the waits overlap.
    await Promise.all(
      MALFORMED.slice(index + 1).map(async (next) => sendMalformed(context, await context.start(), next, quiet)),
    );
    return;
  }
}

/** Sends one malformed text. Returns whether the server answers requests after it. */
async function sendMalformed(
  context: ProbeContext,
  session: Session,
  [what, text, codes]: (typeof MALFORMED)[number],
  quiet: number,
): Promise<boolean> {
  const { connection } = session;
  const sent = await connection.send(text, { headers: batchHeaders(session, context.facts) });
  await connection.log.wait(
    () => received(connection.log, sent.frame).find(({ message }) => isResponse(message)),
    quiet,
  );
  const status = context.transport === 'http' ? await session.status(sent) : undefined;
  const isAnswering = await afterwards(context, session, sent.frame, what);
  // A slow server has answered it by now, before the request that followed.
  const answer = received(connection.log, sent.frame).find(
    ({ message }) => isResponse(message) && !isOwn(ownMember(message, 'id')),
  );
  reportMalformed(context, session, { what, frame: sent.frame, answer, codes, status });
  return isAnswering;
}

/** Whether an id is of a request that was valid. */
function isOwn(id: JsonValue | undefined): boolean {
  return typeof id === 'number';
}

interface MalformedAnswer {
  readonly what: string;
  readonly frame: number;
  readonly answer: ReturnType<typeof received>[number] | undefined;
  readonly codes: readonly number[];
  readonly status: number | undefined;
}

function reportMalformed(
  { report, transport }: ProbeContext,
  { connection }: Session,
  { what, frame, answer, codes, status }: MalformedAnswer,
): void {
  const isText = codes.includes(PARSE_ERROR);
  const finding = { subject: what, connection, isGeneral: true } as const;
  if (transport === 'http' && isText && status !== undefined && status < 400) {
    const frames = [frame, ...responseFrames(connection, frame)];
    report({ rule: 'http-malformed-status', message: `${what} is answered with ${status}`, frames, ...finding });
  }
  if (answer === undefined) {
    if (transport === 'http' || !isText || connection.end !== undefined) return;
    report({ rule: 'malformed-unanswered', message: `${what} is not answered`, frames: [frame], ...finding });
    return;
  }
  const error = ownMember(answer.message, 'error');
  const code = error === null || typeof error !== 'object' ? undefined : (error as { readonly code?: unknown }).code;
  // Codes of the server's own range are as good as none; -32700 for what is not a message is common.
  if (typeof code !== 'number' || codes.includes(code) || code > INVALID_REQUEST || code === PARSE_ERROR) return;
  report({
    rule: 'malformed-code',
    message: `${what} is answered with ${code} instead of ${codes.join(' or ')}`,
    frames: [frame, answer.frame],
    ...finding,
  });
}

function responseFrames({ log }: Session['connection'], after: number): readonly number[] {
  const index = log.entries.findIndex(
    (entry, at) => at >= after && entry.from === 'server' && entry.http !== undefined,
  );
  return index === -1 ? [] : [index + 1];
}

/** Whether the server still answers; reports if it does not. */
async function afterwards(context: ProbeContext, session: Session, frame: number, what: string): Promise<boolean> {
  const { connection } = session;
  const isFine = await isAlive(session, context.facts);
  if (isFine) return true;
  const { entries } = connection.log;
  const probe = entries.findIndex(
    (entry, index) => index >= frame && entry.from === 'client' && messagesOfEntry(entry).length > 0,
  );
  const hasEnded = connection.end !== undefined;
  context.report({
    rule: hasEnded ? 'ended-by-input' : 'malformed-blocks',
    subject: what,
    message: hasEnded ? `${what} ends the server` : `after ${what}, requests are not answered`,
    connection,
    frames: [frame, ...(probe === -1 ? [] : [probe + 1]), ...(hasEnded ? [entries.length] : [])],
    isGeneral: true,
  });
  return false;
}

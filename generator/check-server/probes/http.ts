/** What only HTTP has: statuses, headers, origins, sessions, streams. */
import { STATELESS_ERROR_CODES } from '../../../generated/runtime/protocol/revision.js';
import { received } from '../raw/connection.js';
import { isResponse } from '../../recording/message.js';
import type { Probe, ProbeContext } from '../probe.js';
import { encodeHeader, metaOf, sessionIdOf, STATELESS_REVISION, type Reply, type Session } from '../session.js';
import type { ServerRuleId } from '../../inspect/server-rules.js';
import { ownMember } from '../../read/json/json.js';

const { HEADER_MISMATCH } = STATELESS_ERROR_CODES;

const FOREIGN_ORIGIN = 'https://mcpgen-check.example';
const FOREIGN_HOST = 'mcpgen-check.example';
const UNKNOWN_TOOL = 'mcpgen-check-unknown';
/** Fewest milliseconds in which a message that must not be replayed would come. */
const REPLAY_QUIET_MS = 1000;

/** A request that every server answers. */
async function harmless(
  session: Session,
  { facts }: ProbeContext,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<Reply> {
  return session.request(facts.harmless, undefined, { headers });
}

/** Whether a request was served. */
function isServed({ status = 0 }: Reply): boolean {
  return status >= 200 && status < 300;
}

function isRefusedForLogin({ status }: Reply): boolean {
  return status === 401;
}

/** Probes over HTTP. */
export const HTTP_PROBES: readonly Probe[] = [
  {
    id: 'origin',
    title: 'a request from a web page of another site',
    transport: 'http',
    run: async (context) => {
      const { session, report, isLocal } = context;
      const { connection } = session;
      const reply = await harmless(session, context, { origin: FOREIGN_ORIGIN });
      const finding = { subject: 'Origin', connection, frames: reply.frames } as const;
      if (isServed(reply)) {
        // A server for everybody may accept every origin.
        if (!isLocal) return;
        report({ rule: 'http-origin', message: `a request with Origin: ${FOREIGN_ORIGIN} is served`, ...finding });
      } else if (session.revision >= '2025-11-25' && reply.status !== 403 && !isRefusedForLogin(reply)) {
        const message = `a request with Origin: ${FOREIGN_ORIGIN} has the status ${reply.status ?? 'unknown'} instead of 403`;
        report({ rule: 'http-origin-status', message, ...finding });
      }
    },
  },
  {
    id: 'host',
    title: 'a request for another host name',
    transport: 'http',
    isOnce: true,
    skip: ({ isLocal }) => (isLocal ? undefined : 'only on this machine'),
    run: async (context) => {
      const { session, report } = context;
      const reply = await harmless(session, context, { host: FOREIGN_HOST });
      if (!isServed(reply)) return;
      report({
        rule: 'http-host',
        subject: 'Host',
        message: `a request with Host: ${FOREIGN_HOST} is served`,
        connection: session.connection,
        frames: reply.frames,
        isGeneral: true,
      });
    },
  },
  {
    id: 'get',
    isSeparate: true,
    title: 'GET',
    transport: 'http',
    era: 'stateful',
    skip: ({ revision }) => (revision === '2024-11-05' ? 'this revision has another transport' : undefined),
    run: async (context) => {
      const session = await context.start();
      const { connection } = session;
      const sent = await connection.send('', { method: 'GET', headers: { accept: 'text/event-stream' } });
      const status = await session.status(sent);
      const response = connection.log.entries.slice(sent.frame).find(({ http }) => http?.exchange === sent.exchange);
      const headers = response?.http?.kind === 'response' ? response.http.headers : {};
      const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
      if (status === 405 || status === 401 || (status === 200 && isStream)) return;
      context.report({
        rule: 'http-get',
        subject: 'GET',
        message:
          status === undefined
            ? 'GET has no response'
            : `GET has the status ${status} and ${headers['content-type'] ?? 'no content type'}`,
        connection,
        frames: [sent.frame, ...(response === undefined ? [] : [connection.log.entries.indexOf(response) + 1])],
      });
    },
  },
  {
    id: 'removed-methods',
    title: 'GET and DELETE',
    transport: 'http',
    era: 'stateless',
    skip: ({ spoken }) => (spoken.length > 1 ? 'the server also speaks older revisions' : undefined),
    run: async ({ session, report }) => {
      const { connection } = session;
      for (const method of ['GET', 'DELETE'] as const) {
        const sent = await connection.send('', { method, headers: { accept: 'text/event-stream' } });
        const status = await session.status(sent);
        if (status === 405 || status === 401) continue;
        report({
          rule: 'http-removed-methods',
          subject: method,
          message: `${method} has the status ${status ?? 'unknown'} instead of 405`,
          connection,
          frames: [sent.frame, connection.log.entries.length],
        });
      }
    },
  },
  {
    id: 'version-header',
    title: 'an invalid MCP-Protocol-Version header',
    transport: 'http',
    era: 'stateful',
    skip: ({ revision }) => (revision < '2025-06-18' ? 'this revision has no such header' : undefined),
    run: async (context) => {
      const { session, report } = context;
      const reply = await harmless(session, context, { 'mcp-protocol-version': '1999-01-01' });
      if (reply.status === 400 || isRefusedForLogin(reply) || reply.status === undefined) return;
      report({
        rule: 'http-version-unchecked',
        subject: 'MCP-Protocol-Version',
        message: `a request with MCP-Protocol-Version: 1999-01-01 has the status ${reply.status} instead of 400`,
        connection: session.connection,
        frames: reply.frames,
      });
    },
  },
  {
    id: 'header-mismatch',
    title: 'headers that contradict the body',
    transport: 'http',
    era: 'stateless',
    run: runHeaderMismatch,
  },
  {
    id: 'sessions',
    isSeparate: true,
    title: 'sessions',
    transport: 'http',
    era: 'stateful',
    skip: ({ revision }) => (revision === '2024-11-05' ? 'this revision has another transport' : undefined),
    run: runSessions,
  },
  {
    id: 'replay',
    isSeparate: true,
    title: 'resumption of a stream',
    transport: 'http',
    era: 'stateful',
    skip: ({ revision }) => (revision === '2024-11-05' ? 'this revision has another transport' : undefined),
    run: runReplay,
  },
];

/** A header that contradicts the body, or is missing. */
interface Mismatch {
  readonly what: string;
  readonly method: string;
  readonly params?: { readonly name: string; readonly arguments: Readonly<Record<string, never>> };
  readonly headers: Readonly<Record<string, string | undefined>>;
}

const UNKNOWN_CALL = { name: UNKNOWN_TOOL, arguments: {} } as const;

const MISMATCHES: readonly Mismatch[] = [
  { what: 'another Mcp-Method', method: 'server/discover', headers: { 'mcp-method': 'tools/list' } },
  { what: 'no Mcp-Method', method: 'server/discover', headers: { 'mcp-method': undefined } },
  { what: 'another Mcp-Name', method: 'tools/call', params: UNKNOWN_CALL, headers: { 'mcp-name': 'another' } },
  { what: 'no Mcp-Name', method: 'tools/call', params: UNKNOWN_CALL, headers: { 'mcp-name': undefined } },
];

async function runHeaderMismatch({ session, report, facts, spoken }: ProbeContext): Promise<void> {
  const { connection } = session;
  const hasTools = Object.hasOwn(facts.capabilities, 'tools');
  const refuse = (what: string, subject: string, reply: Reply): void => {
    if (reply.status === undefined || isRefusedForLogin(reply)) return;
    const finding = { subject, connection, frames: reply.frames };
    if (isServed(reply) && reply.outcome === 'result') {
      report({ rule: 'http-header-unchecked', message: `a request with ${what} is served`, ...finding });
    } else if (reply.status !== 400 || reply.code !== HEADER_MISMATCH) {
      const message = `a request with ${what} has the status ${reply.status} and the code ${reply.code ?? 'none'} instead of 400 and -32020`;
      report({ rule: 'http-header-code', message, ...finding });
    }
  };
  for (const { what, method, params, headers } of MISMATCHES) {
    if (params !== undefined && !hasTools) continue;
    refuse(what, what, await session.request(method, params, { headers }));
  }
  // Two versions that the server speaks, so that only their difference is wrong.
  const other = spoken.find((version) => version !== STATELESS_REVISION);
  if (other !== undefined) {
    const reply = await session.request('server/discover', undefined, {
      meta: metaOf(STATELESS_REVISION),
      headers: { 'mcp-protocol-version': other },
    });
    refuse('another MCP-Protocol-Version', 'another MCP-Protocol-Version', reply);
  }
  if (!hasTools) return;
  const name = 'mcpgen-check-ünknown';
  const encoded = await session.request(
    'tools/call',
    { name, arguments: {} },
    { headers: { 'mcp-name': encodeHeader(name) } },
  );
  if (encoded.code !== HEADER_MISMATCH) return;
  report({
    rule: 'http-header-encoding',
    subject: 'Mcp-Name',
    message: 'an Mcp-Name in Base64 does not match the same name in the body',
    connection,
    frames: encoded.frames,
  });
}

async function runSessions(context: ProbeContext): Promise<void> {
  const first = await context.shake(context.revision);
  const id = sessionIdOf(first.session.connection, first.reply);
  if (id === undefined) return;
  const second = await context.shake(context.revision);
  const report = (
    rule: ServerRuleId,
    subject: string,
    message: string,
    { session, frames }: { readonly session: Session; readonly frames: readonly number[] },
  ): void => {
    context.report({ rule, subject, message, connection: session.connection, frames });
  };
  if (sessionIdOf(second.session.connection, second.reply) === id) {
    const { session, reply } = second;
    report('http-session-reused', 'Mcp-Session-Id', 'two sessions have the same id', { session, frames: reply.frames });
  }
  const { session } = first;
  const without = await harmless(session, context, { 'mcp-session-id': undefined });
  if (without.status !== undefined && !isServed(without) && without.status !== 400 && !isRefusedForLogin(without)) {
    const message = `a request without its session id has the status ${without.status} instead of 400`;
    report('http-session-missing', 'Mcp-Session-Id', message, { session, frames: without.frames });
  }
  const deleted = await session.connection.send('', { method: 'DELETE' });
  const status = await session.status(deleted);
  // Servers may keep clients from ending sessions.
  if (status === undefined || status >= 300) return;
  const after = await harmless(session, context, {});
  if (after.status === 404 || after.status === undefined || isRefusedForLogin(after)) return;
  const message = `after DELETE, a request of the session has the status ${after.status} instead of 404`;
  report('http-session-ended', 'Mcp-Session-Id', message, { session, frames: [deleted.frame, ...after.frames] });
}

async function runReplay(context: ProbeContext): Promise<void> {
  const session = await context.start();
  const { connection } = session;
  const start = performance.now();
  const first = await session.request(context.facts.harmless, undefined, { id: 'mcpgen-stream-1' });
  await session.request(context.facts.harmless, undefined, { id: 'mcpgen-stream-2' });
  const answerMs = performance.now() - start;
  const event = connection.log.entries.find(
    ({ http }) =>
      http?.kind === 'event' && http.exchange === first.sent.exchange && http.id !== undefined && http.id !== '',
  );
  const id = event?.http?.kind === 'event' ? event.http.id : undefined;
  if (id === undefined) return;
  const sent = await connection.send('', {
    method: 'GET',
    headers: { accept: 'text/event-stream', 'last-event-id': id },
  });
  const replayed = await connection.log.wait(
    () =>
      received(connection.log, sent.frame).find(
        ({ message }) => isResponse(message) && ownMember(message, 'id') === 'mcpgen-stream-2',
      ),
    Math.min(context.timeoutMs, Math.max(REPLAY_QUIET_MS, answerMs)),
  );
  if (replayed === undefined) return;
  context.report({
    rule: 'http-replay',
    subject: 'Last-Event-ID',
    message: 'after Last-Event-ID of one stream, the response of another one is replayed',
    connection,
    frames: [sent.frame, replayed.frame],
  });
}

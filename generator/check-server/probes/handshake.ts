/** Unknown and future versions, in the handshake and in requests. */
import { STANDARD_ERROR_CODES } from '../../../generated/runtime/jsonrpc/error-codes.js';
import { STATELESS_ERROR_CODES } from '../../../generated/runtime/protocol/revision.js';
import { isObject, ownMember, type JsonValue } from '../../read/json/json.js';
import type { Probe } from '../probe.js';
import { LISTS } from './lists.js';
import { metaOf, STATEFUL_REVISIONS, STATELESS_REVISION } from '../session.js';

const { INVALID_PARAMS } = STANDARD_ERROR_CODES;
const { UNSUPPORTED_VERSION } = STATELESS_ERROR_CODES;

/** Versions that do not exist. */
const UNKNOWN_VERSIONS = ['1999-01-01', '2099-12-31', 'mcpgen-check'];

/** Probes of versions. */
export const VERSION_PROBES: readonly Probe[] = [
  {
    id: 'unknown-versions',
    isSeparate: true,
    title: 'initialize with versions that do not exist',
    era: 'stateful',
    isOnce: true,
    run: async (context) => {
      for (const version of UNKNOWN_VERSIONS) {
        const { session, reply, version: answered } = await context.shake(version);
        if (context.isUnanswered(session, reply, `initialize with the version ${version}`)) continue;
        const finding = {
          subject: `initialize ${version}`,
          connection: session.connection,
          frames: reply.frames,
          isGeneral: true,
        } as const;
        if (reply.outcome === 'error' || answered === undefined) {
          const message = `initialize with the version ${version} fails with ${reply.code ?? 'no code'}`;
          context.report({ rule: 'unknown-version-refused', message, ...finding });
        } else if (answered === version) {
          const message = `initialize agrees on the version ${version}, which does not exist`;
          context.report({ rule: 'unknown-version-accepted', message, ...finding });
        } else if (context.tried.includes(answered) && !context.spoken.includes(answered)) {
          const message = `initialize offers ${answered}, but does not agree on it when it is requested`;
          context.report({ rule: 'handshake-version', message, ...finding });
        }
      }
    },
  },
  {
    id: 'unsupported-versions',
    title: 'requests with versions that do not exist',
    era: 'stateless',
    run: async (context) => {
      const { session, report, transport, facts } = context;
      // A server may answer server/discover for any version, since clients probe with it.
      const list = LISTS.find(([capability]) => Object.hasOwn(facts.capabilities, capability));
      if (list === undefined) return;
      for (const version of UNKNOWN_VERSIONS) {
        const first = await session.request(list[1], undefined, {
          meta: metaOf(version),
          headers: { 'mcp-protocol-version': version },
        });
        await context.whenAnswered(session, first, `a request with the version ${version}`, (reply) => {
          const finding = { subject: `the version ${version}`, connection: session.connection, frames: reply.frames };
          const error = reply.message === undefined ? undefined : ownMember(reply.message, 'error');
          const data = isObject(error) ? ownMember(error, 'data') : undefined;
          const supported = isObject(data) ? ownMember(data, 'supported') : undefined;
          if (reply.outcome === 'result') {
            report({
              rule: 'version-accepted',
              message: `a request with the version ${version} is served`,
              ...finding,
            });
          } else if (reply.code !== UNSUPPORTED_VERSION) {
            const message = `a request with the version ${version} fails with ${reply.code ?? 'no code'} instead of -32022`;
            report({ rule: 'version-code', message, ...finding });
          } else if (!Array.isArray(supported) || !(supported as readonly JsonValue[]).includes(STATELESS_REVISION)) {
            const message = 'data.supported of the error -32022 does not list 2026-07-28, which the server speaks';
            report({ rule: 'version-code', message, ...finding });
          } else if (transport === 'http' && reply.status !== 400) {
            const message = `an unsupported version has the status ${reply.status ?? 'unknown'} instead of 400`;
            report({ rule: 'http-error-status', message, ...finding });
          }
        });
      }
    },
  },
  {
    id: 'supported-versions',
    title: 'the versions that server/discover lists',
    era: 'stateless',
    run: async (context) => {
      const { session, report } = context;
      const reply = await session.request('server/discover', undefined, { timeoutMs: session.timeoutMs });
      if (reply.outcome === 'error' && reply.code === -32601) {
        report({
          rule: 'discover-missing',
          subject: 'server/discover',
          message: 'server/discover does not exist',
          connection: session.connection,
          frames: reply.frames,
        });
        return;
      }
      const listed = reply.result === undefined ? undefined : ownMember(reply.result, 'supportedVersions');
      if (!Array.isArray(listed)) return;
      for (const version of listed as readonly JsonValue[]) {
        if (!STATEFUL_REVISIONS.some((known) => known === version) || typeof version !== 'string') continue;
        const shaken = await context.shake(version);
        if (shaken.version === version || shaken.reply.outcome === 'timeout') continue;
        report({
          rule: 'initialize-refused',
          subject: `initialize ${version}`,
          message: `server/discover lists ${version}, but initialize does not agree on it`,
          connection: shaken.session.connection,
          frames: shaken.reply.frames,
        });
      }
    },
  },
  {
    id: 'meta',
    title: 'requests without required members of _meta',
    era: 'stateless',
    run: async (context) => {
      const { session, report, transport } = context;
      const { 'io.modelcontextprotocol/clientCapabilities': _, ...meta } = metaOf(STATELESS_REVISION);
      const what = 'a request without clientCapabilities in _meta';
      const first = await session.request('tools/list', undefined, { meta });
      await context.whenAnswered(session, first, what, (reply) => {
        const finding = { subject: 'clientCapabilities', connection: session.connection, frames: reply.frames };
        if (reply.code === -32601) return;
        if (reply.code !== INVALID_PARAMS) {
          const how = reply.outcome === 'result' ? 'is served' : `fails with ${reply.code ?? 'no code'}`;
          report({ rule: 'meta-not-required', message: `${what} ${how} instead of failing with -32602`, ...finding });
        } else if (transport === 'http' && reply.status !== 400) {
          const message = `${what} has the status ${reply.status ?? 'unknown'} instead of 400`;
          report({ rule: 'http-error-status', message, ...finding });
        }
      });
    },
  },
  {
    id: 'listen',
    isSeparate: true,
    title: 'subscriptions/listen',
    era: 'stateless',
    run: async (context) => {
      const session = await context.start();
      const { connection } = session;
      const id = 'mcpgen-check-listen';
      const params = session.params({ notifications: { toolsListChanged: true } });
      const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
      const sent = await connection.send(text, {
        headers: { 'mcp-protocol-version': STATELESS_REVISION, 'mcp-method': 'subscriptions/listen' },
      });
      const first = await connection.log.wait(
        () =>
          connection.log.entries
            .slice(sent.frame)
            .find(({ from, content }) => from === 'server' && content.kind === 'frame'),
        context.timeoutMs,
      );
      const frame = first?.content.kind === 'frame' ? first.content.frame : undefined;
      // An error refuses the subscription.
      if (
        isObject(frame) &&
        (Object.hasOwn(frame, 'error') || ownMember(frame, 'method') === 'notifications/subscriptions/acknowledged')
      )
        return;
      context.report({
        rule: 'listen-unacknowledged',
        subject: 'subscriptions/listen',
        message:
          frame === undefined
            ? 'subscriptions/listen is not acknowledged'
            : 'the first message after subscriptions/listen is not its acknowledgment',
        connection,
        frames: [sent.frame, ...(first === undefined ? [] : [connection.log.entries.indexOf(first) + 1])],
      });
    },
  },
];

/** Requests that must fail, ids of all kinds, ping, and methods of declared capabilities. */
import { STANDARD_ERROR_CODES } from '../../../generated/runtime/jsonrpc/error-codes.js';
import { isObject, ownMember, type JsonObject } from '../../read/json/json.js';
import type { ServerRuleId } from '../../inspect/server-rules.js';
import type { Probe, ProbeContext } from '../probe.js';
import { objectsIn, type Reply } from '../session.js';
import { received, type Connection, type Received, type Sent } from '../raw/connection.js';
import { isResponse, messagesOfEntry } from '../../recording/message.js';

const { METHOD_NOT_FOUND, INVALID_PARAMS } = STANDARD_ERROR_CODES;

const NOT_FOUND = -32002;

/** Something that no server has. */
const UNKNOWN = 'mcpgen-check-unknown';

/** Ids that a server must return unchanged. */
const IDS = [0, -1, 9_007_199_254_740_991, '0', '7', 'e7d5f3a8-6a1c-4d0e-9b7a-2f0c8d1e4b55', 'id with spaces/ü', ''];

/** What a request that must fail may lead to. */
interface Expected {
  readonly method: string;
  readonly params: JsonObject;
  readonly subject: string;
  /** The rule of a result. */
  readonly accepted: ServerRuleId;
  /** The rule of another code than the expected ones. */
  readonly otherCode: ServerRuleId;
  readonly codes: readonly number[];
}

/** Sends a request that must fail, and reports what else happens. */
async function expectError(context: ProbeContext, expected: Expected, also?: (reply: Reply) => void): Promise<void> {
  const { session, report } = context;
  const { method, params, subject, codes } = expected;
  const first = await session.request(method, params);
  await context.whenAnswered(session, first, `${method} (${subject})`, (reply) => {
    const finding = { subject, connection: session.connection, frames: reply.frames };
    if (reply.outcome === 'result') {
      report({ rule: expected.accepted, message: `${method} succeeds for ${subject}`, ...finding });
    } else if (!codes.includes(reply.code ?? Number.NaN)) {
      const message = `${method} for ${subject} fails with ${reply.code ?? 'no code'} instead of ${codes[0]}`;
      report({ rule: expected.otherCode, message, ...finding });
    }
    also?.(reply);
  });
}

/** Probes of single requests. */
export const REQUEST_PROBES: readonly Probe[] = [
  {
    id: 'unknown-method',
    title: 'a method that does not exist',
    run: async (context) => {
      const { session, report, transport } = context;
      const expected: Expected = {
        method: 'mcpgen/check-unknown',
        params: {},
        subject: 'an unknown method',
        accepted: 'unknown-method-accepted',
        otherCode: 'unknown-method-code',
        codes: [METHOD_NOT_FOUND],
      };
      await expectError(context, expected, (reply) => {
        if (transport !== 'http' || !session.isStateless || reply.outcome !== 'error' || reply.status === 404) return;
        report({
          rule: 'http-error-status',
          subject: 'unknown method',
          message: `an unknown method has the status ${reply.status ?? 'unknown'} instead of 404`,
          connection: session.connection,
          frames: reply.frames,
        });
      });
    },
  },
  {
    id: 'unknown-tool',
    title: 'a tool that does not exist',
    skip: ({ facts }) => (Object.hasOwn(facts.capabilities, 'tools') ? undefined : 'no tools'),
    run: async (context) => {
      const { session, report } = context;
      const first = await session.request('tools/call', { name: UNKNOWN, arguments: {} });
      await context.whenAnswered(session, first, 'a call of an unknown tool', (reply) => {
        const finding = { subject: 'tools/call', connection: session.connection, frames: reply.frames };
        if (reply.outcome === 'result') {
          const isError = reply.result !== undefined && ownMember(reply.result, 'isError') === true;
          report({
            rule: isError ? 'unknown-tool-result' : 'unknown-tool-accepted',
            message: isError
              ? 'a call of an unknown tool returns a result with isError instead of the error -32602'
              : 'a call of an unknown tool succeeds',
            ...finding,
          });
        } else if (reply.code !== INVALID_PARAMS) {
          const message = `a call of an unknown tool fails with ${reply.code ?? 'no code'} instead of -32602`;
          report({ rule: 'unknown-tool-code', message, ...finding });
        }
      });
    },
  },
  {
    id: 'unknown-resource',
    title: 'a resource that does not exist',
    skip: ({ facts }) => (Object.hasOwn(facts.capabilities, 'resources') ? undefined : 'no resources'),
    run: async (context) => {
      const isStateless = context.session.isStateless;
      await expectError(context, {
        method: 'resources/read',
        params: { uri: `${UNKNOWN}://nowhere/at-all` },
        subject: 'an unknown resource',
        accepted: isStateless ? 'resource-not-found' : 'unknown-resource-accepted',
        otherCode: isStateless ? 'resource-not-found' : 'unknown-resource-code',
        codes: isStateless ? [INVALID_PARAMS] : [NOT_FOUND],
      });
    },
  },
  {
    id: 'unknown-prompt',
    title: 'a prompt that does not exist',
    skip: ({ facts }) => (Object.hasOwn(facts.capabilities, 'prompts') ? undefined : 'no prompts'),
    run: async (context) => {
      await expectError(context, {
        method: 'prompts/get',
        params: { name: UNKNOWN },
        subject: 'an unknown prompt',
        accepted: 'unknown-prompt-accepted',
        otherCode: 'unknown-prompt-code',
        codes: [INVALID_PARAMS],
      });
    },
  },
  {
    id: 'prompt-arguments',
    title: 'a prompt without its required arguments',
    skip: ({ facts }) => (promptWithArguments(facts.prompts) === undefined ? 'no required arguments' : undefined),
    run: async (context) => {
      const prompt = promptWithArguments(context.facts.prompts);
      if (prompt === undefined) return;
      await expectError(context, {
        method: 'prompts/get',
        params: { name: prompt },
        subject: `the prompt ${JSON.stringify(prompt)} without arguments`,
        accepted: 'prompt-arguments-accepted',
        otherCode: 'prompt-arguments-code',
        codes: [INVALID_PARAMS],
      });
    },
  },
  {
    id: 'log-level',
    title: 'log levels',
    era: 'stateful',
    skip: ({ facts }) => (Object.hasOwn(facts.capabilities, 'logging') ? undefined : 'no logging'),
    run: async (context) => {
      const { session, report } = context;
      const first = await session.request('logging/setLevel', { level: 'loudest' });
      await context.whenAnswered(session, first, 'logging/setLevel', (reply) => {
        const finding = { subject: 'logging/setLevel', connection: session.connection, frames: reply.frames };
        if (reply.code === METHOD_NOT_FOUND) {
          const message = 'the server declares logging, but logging/setLevel does not exist';
          report({ rule: 'declared-partly', message, ...finding });
        } else if (reply.outcome === 'result') {
          report({ rule: 'log-level-accepted', message: 'the level "loudest" is accepted', ...finding });
        } else if (reply.code !== INVALID_PARAMS) {
          const message = `an invalid log level fails with ${reply.code ?? 'no code'} instead of -32602`;
          report({ rule: 'invalid-params-code', message, ...finding });
        }
      });
    },
  },
  {
    id: 'completion',
    title: 'completion of a prompt that does not exist',
    skip: ({ facts }) => (Object.hasOwn(facts.capabilities, 'completions') ? undefined : 'no completions'),
    run: async (context) => {
      const { session, report } = context;
      const first = await session.request('completion/complete', {
        ref: { type: 'ref/prompt', name: UNKNOWN },
        argument: { name: 'text', value: 'a' },
      });
      await context.whenAnswered(session, first, 'completion/complete', (reply) => {
        if (reply.code !== METHOD_NOT_FOUND) return;
        report({
          rule: 'declared-partly',
          subject: 'completion/complete',
          message: 'the server declares completions, but completion/complete does not exist',
          connection: session.connection,
          frames: reply.frames,
        });
      });
    },
  },
  {
    id: 'subscribe',
    title: 'subscription to a resource',
    era: 'stateful',
    skip: ({ facts }) => (canSubscribe(facts.capabilities) ? undefined : 'no subscriptions'),
    run: async (context) => {
      const { session, facts, report } = context;
      const [resource] = facts.resources;
      const uri = resource === undefined ? undefined : ownMember(resource, 'uri');
      if (typeof uri !== 'string') return;
      const first = await session.request('resources/subscribe', { uri });
      await context.whenAnswered(session, first, 'resources/subscribe', async (reply) => {
        if (reply.code === METHOD_NOT_FOUND) {
          report({
            rule: 'declared-partly',
            subject: 'resources/subscribe',
            message: 'the server declares resources.subscribe, but resources/subscribe does not exist',
            connection: session.connection,
            frames: reply.frames,
          });
        }
        if (reply.outcome === 'result') await session.request('resources/unsubscribe', { uri });
      });
    },
  },
  {
    id: 'ping',
    title: 'ping',
    era: 'stateful',
    run: async (context) => {
      const { session, report } = context;
      const first = await session.request('ping');
      await context.whenAnswered(session, first, 'ping', (reply) => {
        if (reply.outcome !== 'error') return;
        report({
          rule: 'ping-refused',
          subject: 'ping',
          message: `ping fails with ${reply.code ?? 'no code'}`,
          connection: session.connection,
          frames: reply.frames,
        });
      });
    },
  },
  {
    id: 'ids',
    title: 'ids of all kinds',
    run: async (context) => {
      const { session, report } = context;
      const { connection } = session;
      // The error of an unknown method is the cheapest answer in every revision.
      let method = 'mcpgen/check-ids';
      for (const id of IDS) {
        const reply = await session.request(method, {}, { id });
        // Whoever ignores unknown methods may still have an answer to this one.
        if (reply.message === undefined) method = context.facts.harmless;
        const message = reply.message;
        const isNull = message !== undefined && (ownMember(message, 'id') ?? null) === null;
        if (message !== undefined && !isNull) continue;
        const other = received(connection.log, reply.sent.frame).find(
          (item) => isResponse(item.message) && !isLate(connection, reply.sent, item),
        );
        const found = other === undefined ? undefined : (ownMember(other.message, 'id') ?? null);
        if (other === undefined) {
          // The empty string is a string, but nothing depends on it.
          if (id === '') continue;
          await context.whenAnswered(session, reply, `a request with the id ${JSON.stringify(id)}`, () => undefined);
        } else if (found !== id) {
          report({
            rule: 'id-not-echoed',
            subject: `the id ${JSON.stringify(id)}`,
            message: `a request with the id ${JSON.stringify(id)} is answered with the id ${JSON.stringify(found)}`,
            connection,
            frames: [reply.sent.frame, other.frame],
          });
        }
      }
    },
  },
];

/** Whether a response is the late answer to something that was sent before. */
function isLate({ log }: Connection, sent: Sent, { frame, message }: Received): boolean {
  const isSame = (other: JsonObject): boolean => ownMember(other, 'id') === ownMember(message, 'id');
  const isAsked = log.entries
    .slice(0, sent.frame - 1)
    .some(
      (entry) =>
        entry.from === 'client' &&
        messagesOfEntry(entry).some((item) => ownMember(item, 'method') !== undefined && isSame(item)),
    );
  return (
    isAsked && !received(log, 0).some((item) => item.frame < frame && isResponse(item.message) && isSame(item.message))
  );
}

/** The first prompt with a required argument. */
function promptWithArguments(prompts: readonly JsonObject[]): string | undefined {
  const prompt = prompts.find((item) =>
    objectsIn(item, 'arguments').some((argument) => ownMember(argument, 'required') === true),
  );
  const name = prompt === undefined ? undefined : ownMember(prompt, 'name');
  return typeof name === 'string' ? name : undefined;
}

function canSubscribe(capabilities: JsonObject): boolean {
  const resources = ownMember(capabilities, 'resources');
  return isObject(resources) && ownMember(resources, 'subscribe') === true;
}

/** Calls of tools, and reading what a server offers. Only runs on request. */
import { isObject, ownMember, type JsonObject } from '../../read/json/json.js';
import { invalidArguments, validArguments } from '../arguments.js';
import { HttpConnection } from '../raw/http.js';
import type { CallSettings, Probe, ProbeContext } from '../probe.js';
import { textIn } from '../session.js';

/** Most tools, resources and prompts that are asked. */
const MAX_CALLS = 50;
/** Most tools that are called to find one that is still running when it is cancelled. */
const MAX_CANCELLED = 10;
/** Milliseconds after which a call is cancelled. */
const CANCEL_AFTER_MS = 200;
/** Milliseconds in which the response of a cancelled call would come. */
const CANCELLED_QUIET_MS = 2000;

/** The tools that may be called. */
export function callableTools(
  tools: readonly JsonObject[],
  { readOnly, tools: named }: CallSettings,
): readonly JsonObject[] {
  return tools
    .filter((tool) => (readOnly && isReadOnly(tool)) || named.includes(textIn(tool, 'name')))
    .slice(0, MAX_CALLS);
}

function isReadOnly(tool: JsonObject): boolean {
  const annotations = ownMember(tool, 'annotations');
  return isObject(annotations) && ownMember(annotations, 'readOnlyHint') === true;
}

/** Why nothing is called. */
function withoutTools({ facts, calls }: ProbeContext): string | undefined {
  if (!calls.readOnly && calls.tools.length === 0) return 'needs --call';
  return callableTools(facts.tools, calls).length === 0 ? 'no tool with readOnlyHint' : undefined;
}

/** Probes that call something. */
export const CALL_PROBES: readonly Probe[] = [
  {
    id: 'calls',
    title: 'tools with valid arguments',
    skip: withoutTools,
    run: async (context) => {
      const { session, facts, calls, report } = context;
      for (const tool of callableTools(facts.tools, calls)) {
        const name = textIn(tool, 'name');
        const args = validArguments(tool);
        if (args === undefined) continue;
        const reply = await session.request(
          'tools/call',
          {
            name,
            arguments: args,
            _meta: { progressToken: `mcpgen-${name}` },
          },
          { timeoutMs: session.timeoutMs },
        );
        if (context.isUnanswered(session, reply, `a call of ${JSON.stringify(name)}`)) continue;
        if (reply.outcome !== 'error') continue;
        report({
          rule: 'valid-arguments-refused',
          subject: `tool ${name}`,
          message: `${JSON.stringify(name)} fails with the error ${reply.code ?? 'without a code'} for arguments that its schema allows`,
          connection: session.connection,
          frames: reply.frames,
        });
      }
    },
  },
  {
    id: 'invalid-arguments',
    title: 'tools with invalid arguments',
    skip: withoutTools,
    run: async (context) => {
      const { session, facts, calls, report } = context;
      for (const tool of callableTools(facts.tools, calls)) {
        const name = textIn(tool, 'name');
        for (const { what, value } of invalidArguments(tool)) {
          const reply = await session.request(
            'tools/call',
            { name, arguments: value },
            { timeoutMs: session.timeoutMs },
          );
          if (context.isUnanswered(session, reply, `a call of ${JSON.stringify(name)} ${what}`)) continue;
          if (reply.result === undefined || ownMember(reply.result, 'isError') === true) continue;
          if (ownMember(reply.result, 'resultType') === 'input_required') continue;
          report({
            rule: 'arguments-not-validated',
            subject: `tool ${name}`,
            message: `${JSON.stringify(name)} succeeds ${what}`,
            connection: session.connection,
            frames: reply.frames,
          });
          break;
        }
      }
    },
  },
  {
    id: 'cancelled-calls',
    title: 'a call that is cancelled',
    isSeparate: true,
    skip: withoutTools,
    run: runCancelledCalls,
  },
  {
    id: 'reads',
    title: 'resources and prompts',
    skip: ({ calls, facts }) =>
      calls.readOnly ? (facts.resources.length + facts.prompts.length === 0 ? 'none' : undefined) : 'needs --call',
    run: async (context) => {
      const { session, facts } = context;
      for (const resource of facts.resources.slice(0, MAX_CALLS)) {
        const uri = ownMember(resource, 'uri');
        if (typeof uri !== 'string') continue;
        const reply = await session.request('resources/read', { uri }, { timeoutMs: session.timeoutMs });
        context.isUnanswered(session, reply, `reading ${JSON.stringify(uri)}`);
      }
      for (const prompt of facts.prompts.slice(0, MAX_CALLS)) {
        const name = ownMember(prompt, 'name');
        if (typeof name !== 'string') continue;
        const reply = await session.request(
          'prompts/get',
          { name, arguments: promptArguments(prompt) },
          { timeoutMs: session.timeoutMs },
        );
        context.isUnanswered(session, reply, `the prompt ${JSON.stringify(name)}`);
      }
    },
  },
];

/** Cancels the first call that is still running after a moment. */
async function runCancelledCalls(context: ProbeContext): Promise<void> {
  const session = await context.start();
  const { connection } = session;
  // There, a client cancels by closing the response, after which nothing can come.
  if (connection instanceof HttpConnection && session.isStateless) return;
  for (const tool of callableTools(context.facts.tools, context.calls).slice(0, MAX_CANCELLED)) {
    const name = textIn(tool, 'name');
    const args = validArguments(tool);
    if (args === undefined) continue;
    const id = `mcpgen-cancelled-${name}`;
    const timeoutMs = CANCEL_AFTER_MS;
    const reply = await session.request('tools/call', { name, arguments: args }, { id, timeoutMs });
    if (reply.outcome === 'over') return;
    if (reply.outcome !== 'timeout') continue;
    const cancelled = await session.notify('notifications/cancelled', { requestId: id, reason: 'a check' });
    // What was on its way when the notification arrived is no fault.
    const isAlive = await session.request(session.isStateless ? 'server/discover' : 'ping');
    if (isAlive.message === undefined || (await session.reply(reply.sent, id, 0)).message !== undefined) return;
    const late = await session.reply(reply.sent, id, CANCELLED_QUIET_MS);
    if (late.message === undefined) return;
    context.report({
      rule: 'cancelled-answered',
      subject: 'a cancelled call',
      message: `a call of ${JSON.stringify(name)} is answered after it was cancelled`,
      connection,
      frames: [reply.sent.frame, cancelled.frame, ...late.frames.slice(1)],
    });
    return;
  }
}

function promptArguments(prompt: JsonObject): JsonObject {
  const list = ownMember(prompt, 'arguments');
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(
    (list as readonly JsonObject[]).flatMap((item) => {
      const name = isObject(item) ? ownMember(item, 'name') : undefined;
      return typeof name === 'string' && ownMember(item, 'required') === true ? [[name, 'text']] : [];
    }),
  );
}

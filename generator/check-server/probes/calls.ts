/** Calls of tools, and reading what a server offers. Only runs on request. */
import { isObject, ownMember, type JsonObject } from '../../read/json/json.js';
import { invalidArguments, validArguments } from '../arguments.js';
import type { CallSettings, Probe, ProbeContext } from '../probe.js';
import { textIn } from '../session.js';

/** Most tools, resources and prompts that are asked. */
const MAX_CALLS = 50;

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
        const reply = await session.request('tools/call', {
          name,
          arguments: args,
          _meta: { progressToken: `mcpgen-${name}` },
        });
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
          const reply = await session.request('tools/call', { name, arguments: value });
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
    id: 'reads',
    title: 'resources and prompts',
    skip: ({ calls, facts }) =>
      calls.readOnly ? (facts.resources.length + facts.prompts.length === 0 ? 'none' : undefined) : 'needs --call',
    run: async (context) => {
      const { session, facts } = context;
      for (const resource of facts.resources.slice(0, MAX_CALLS)) {
        const uri = ownMember(resource, 'uri');
        if (typeof uri !== 'string') continue;
        const reply = await session.request('resources/read', { uri });
        context.isUnanswered(session, reply, `reading ${JSON.stringify(uri)}`);
      }
      for (const prompt of facts.prompts.slice(0, MAX_CALLS)) {
        const name = ownMember(prompt, 'name');
        if (typeof name !== 'string') continue;
        const reply = await session.request('prompts/get', { name, arguments: promptArguments(prompt) });
        context.isUnanswered(session, reply, `the prompt ${JSON.stringify(name)}`);
      }
    },
  },
];

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

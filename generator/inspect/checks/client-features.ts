import { compileSchema } from '../../../generated/runtime/json-schema.js';
import { formatPointer, isObject, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { requestCapabilities } from '../extensions.js';
import { show, type Seen, type SessionCheck } from '../seen.js';
import { declares } from './lifecycle.js';
import { reportFailure } from './methods.js';

/** Roots, sampling and elicitation: as messages, or from 2026-07-28 on inside results. */
export class ClientFeatureCheck implements SessionCheck {
  see(seen: Seen): void {
    if (seen.kind === 'request' && seen.from === 'server')
      checkRequest(seen, seen.method, seen.params, '/params', seen.session.capabilities.client);
    if (seen.kind !== 'result' || seen.request === undefined || seen.result === undefined) return;
    const { request, result } = seen;
    if (seen.from === 'client') checkAnswer(seen, request.method, request.params, result, '/result', request.frame);
    const inputs = ownMember(result, 'inputRequests');
    if (seen.from !== 'server' || !isObject(inputs)) return;
    const capabilities = requestCapabilities(request.params);
    for (const [key, input] of Object.entries(inputs)) {
      const method = isObject(input) ? ownMember(input, 'method') : undefined;
      const params = isObject(input) ? ownMember(input, 'params') : undefined;
      if (typeof method !== 'string') continue;
      const pointer = `/result/inputRequests${formatPointer(key)}`;
      const needed = seen.revision?.embedded[method]?.capabilities.map((name) => name.split('.').slice(1)) ?? [];
      const missing = needed.find((path) => !declares(capabilities, path));
      if (missing !== undefined)
        seen.report('capability-not-declared', `${method} needs the capability client.${missing.join('.')}`, {
          pointer,
          related: request.frame,
        });
      checkRequest(seen, method, isObject(params) ? params : {}, `${pointer}/params`, capabilities);
    }
  }
}

function checkRequest(
  seen: Seen,
  method: string,
  params: JsonObject,
  pointer: string,
  capabilities: JsonObject | undefined,
): void {
  const { report, revision } = seen;
  const version = revision?.version ?? '';
  if (method === 'sampling/createMessage') {
    if (version >= '2025-11-25') {
      const usesTools = ownMember(params, 'tools') !== undefined || ownMember(params, 'toolChoice') !== undefined;
      if (usesTools && capabilities !== undefined && !declares(capabilities, ['sampling', 'tools']))
        report('capability-not-declared', 'tools need the capability client.sampling.tools', {
          pointer: `${pointer}/tools`,
        });
      checkToolResults(seen, ownMember(params, 'messages'), `${pointer}/messages`);
    }
  }
  if (method === 'elicitation/create') {
    const given = ownMember(params, 'mode');
    const mode = typeof given === 'string' ? given : 'form';
    if (version >= '2025-11-25' && capabilities !== undefined && declares(capabilities, ['elicitation'])) {
      const elicitation = ownMember(capabilities, 'elicitation');
      // An empty capability means forms.
      const isEmpty = isObject(elicitation) && Object.keys(elicitation).length === 0;
      const isDeclared = (mode === 'form' && isEmpty) || declares(elicitation, [mode]);
      if (!isDeclared)
        report('capability-not-declared', `mode ${show(mode)} needs the capability client.elicitation.${mode}`, {
          pointer: `${pointer}/mode`,
        });
    }
    const url = ownMember(params, 'url');
    if (mode === 'url' && typeof url === 'string' && !URL.canParse(url))
      report('elicitation-url', `${show(url)} is not a URL`, { pointer: `${pointer}/url` });
  }
}

/** MCP 2025-11-25, sampling: after tool uses come exactly their results. */
function checkToolResults({ report }: Seen, messages: JsonValue | undefined, pointer: string): void {
  if (!Array.isArray(messages)) return;
  let open: readonly unknown[] = [];
  for (const [index, message] of (messages as readonly JsonValue[]).entries()) {
    const content = isObject(message) ? ownMember(message, 'content') : undefined;
    const blocks = (Array.isArray(content) ? content : [content]) as readonly JsonValue[];
    const results = blocks.filter((block) => isObject(block) && ownMember(block, 'type') === 'tool_result');
    const answered = results.map((block) => ownMember(block as JsonObject, 'toolUseId'));
    const at = pointer + formatPointer(index);
    if (results.length > 0 && results.length < blocks.length)
      report('sampling-tool-results', 'results of tools with other content', { pointer: at });
    else if (open.some((id) => !answered.includes(id as JsonValue)) || answered.some((id) => !open.includes(id)))
      report('sampling-tool-results', 'results of tools do not match the tool uses before', { pointer: at });
    open = blocks
      .filter((block) => isObject(block) && ownMember(block, 'type') === 'tool_use')
      .map((block) => ownMember(block as JsonObject, 'id'));
  }
}

function checkAnswer(
  seen: Seen,
  method: string,
  params: JsonObject,
  result: JsonObject,
  pointer: string,
  related: number,
): void {
  if (method === 'roots/list') {
    const roots = ownMember(result, 'roots');
    for (const [index, root] of (Array.isArray(roots) ? (roots as readonly JsonValue[]) : []).entries()) {
      const uri = isObject(root) ? ownMember(root, 'uri') : undefined;
      if (typeof uri === 'string' && !/^file:\/\//i.test(uri))
        seen.report('root-uri', `${show(uri)} is not a file:// URI`, {
          pointer: `${pointer}/roots/${index}/uri`,
          related,
        });
    }
  }
  const schema = ownMember(params, 'requestedSchema');
  const content = ownMember(result, 'content');
  if (method !== 'elicitation/create' || ownMember(result, 'action') !== 'accept' || !isObject(schema)) return;
  if (content === undefined) return;
  reportFailure(seen, 'invalid-elicited-content', `${pointer}/content`, compileSchema(schema)(content), related);
}

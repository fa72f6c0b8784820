import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compileSchema } from '../../../generated/runtime/json-schema.js';
import type { Validator } from '../../../generated/runtime/validation.js';
import { formatPointer, isObject, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { createPatternCheck } from '../../read/patterns.js';
import { BoundedMap } from '../bounded.js';
import { show, type Seen, type SeenCall, type SeenResponse, type SessionCheck } from '../seen.js';
import { reportFailure } from './methods.js';

/** Most tools that are remembered. */
const MAX_TOOLS = 10_000;
/** Most findings about one schema. */
const MAX_SCHEMA_FINDINGS = 5;

/** Time limit for the patterns of all sessions, in milliseconds: who inspects while recording should not wait long. */
const PATTERNS_LIMIT_MS = 10_000;
const riskOf = createPatternCheck(PATTERNS_LIMIT_MS);

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** A header token (RFC 9110, 5.1). */
const HEADER_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The dialects that are known, with or without an empty fragment. */
const DIALECTS: Readonly<Record<string, 'draft-07' | '2020-12'>> = {
  'http://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
};

interface ListedTool {
  readonly tool: JsonObject;
  readonly frame: number;
  input?: Validator<unknown>;
  output?: Validator<unknown>;
}

/** Tools: their lists, arguments and structured content (MCP, tools). */
export class ToolCheck implements SessionCheck {
  #tools = new BoundedMap<string, ListedTool>(MAX_TOOLS);
  /** Names on the pages of the list that is being read. */
  #listed = new Map<string, number>();
  /** The cursor of the page that continues {@link #listed}. */
  #nextCursor: string | undefined;
  /** Whether all pages of the list were seen. */
  #isWhole = false;

  see(seen: Seen): void {
    if (seen.kind === 'request') {
      if (seen.method === 'tools/call' && seen.from === 'client') this.#seeCall(seen);
    } else if (seen.kind === 'notification') {
      if (seen.method !== 'notifications/tools/list_changed') return;
      this.#isWhole = false;
      this.#tools = new BoundedMap(MAX_TOOLS);
    } else if (seen.kind === 'result' && seen.from === 'server') {
      if (seen.request?.method === 'tools/list') this.#seeList(seen);
      if (seen.request?.method === 'tools/call') this.#seeResult(seen);
    }
  }

  #seeCall(seen: SeenCall): void {
    const name = ownMember(seen.params, 'name');
    if (typeof name !== 'string') return;
    const known = this.#tools.get(name);
    if (known === undefined) {
      if (this.#isWhole && !this.#tools.hasForgotten)
        seen.report('unlisted-tool', `${show(name)} is not in the list`, { pointer: '/params/name' });
      return;
    }
    known.input ??= compileSchema(ownMember(known.tool, 'inputSchema') ?? {});
    const validation = known.input(ownMember(seen.params, 'arguments') ?? {});
    reportFailure(seen, 'invalid-arguments', '/params/arguments', validation, known.frame);
  }

  #seeResult(seen: SeenResponse): void {
    const { request, result, report, revision } = seen;
    if (request === undefined || result === undefined || (revision?.version ?? '') < '2025-06-18') return;
    // A task, or a question: the result comes later.
    const type = ownMember(result, 'resultType');
    if (Object.hasOwn(result, 'task') || type === 'input_required') return;
    if (revision !== undefined && seen.session.extensions.ofResult(revision, request.method, type) !== undefined)
      return;
    const structured = ownMember(result, 'structuredContent');
    const isError = ownMember(result, 'isError') === true;
    const content = ownMember(result, 'content');
    if (structured !== undefined && !isError && Array.isArray(content) && !hasText(content as readonly JsonValue[]))
      report('structured-content-without-text', 'no text block has the structured content', {
        pointer: '/result/content',
        related: request.frame,
      });
    const name = ownMember(request.params, 'name');
    const known = typeof name === 'string' ? this.#tools.get(name) : undefined;
    const schema = known === undefined ? undefined : ownMember(known.tool, 'outputSchema');
    if (known === undefined || !isObject(schema)) return;
    if (structured === undefined) {
      if (!isError)
        report('missing-structured-content', `${show(name)} has an outputSchema`, {
          pointer: '/result',
          related: request.frame,
        });
      return;
    }
    if (isError) return;
    known.output ??= compileSchema(schema);
    reportFailure(
      seen,
      'invalid-structured-content',
      '/result/structuredContent',
      known.output(structured),
      known.frame,
    );
  }

  #seeList(seen: SeenResponse): void {
    const { request, result, report, frame } = seen;
    const tools = result === undefined ? undefined : ownMember(result, 'tools');
    if (request === undefined || result === undefined || !Array.isArray(tools)) return;
    const cursor = ownMember(request.params, 'cursor');
    const next = ownMember(result, 'nextCursor');
    // A page that is read again, or of another listing at the same time, may repeat names.
    if (cursor === undefined || cursor !== this.#nextCursor) this.#listed = new Map();
    if (cursor === undefined) this.#tools = new BoundedMap(MAX_TOOLS);
    this.#nextCursor = typeof next === 'string' ? next : undefined;
    this.#isWhole = this.#nextCursor === undefined;
    for (const [index, tool] of (tools as readonly JsonValue[]).entries()) {
      const name = isObject(tool) ? ownMember(tool, 'name') : undefined;
      if (!isObject(tool) || typeof name !== 'string') continue;
      const pointer = formatPointer('result', 'tools', index);
      const first = this.#listed.get(name);
      if (first !== undefined)
        report('duplicate-tool', `${show(name)} is in the list twice`, { pointer: `${pointer}/name`, related: first });
      else if (this.#listed.size < MAX_TOOLS) this.#listed.set(name, frame);
      // Names are recommended from 2025-11-25 on.
      if ((seen.revision?.version ?? '') >= '2025-11-25' && !TOOL_NAME.test(name))
        report('tool-name', `${show(name)} is not 1 to 128 of A-Z, a-z, 0-9, _, - and .`, {
          pointer: `${pointer}/name`,
        });
      this.#tools.set(name, { tool, frame });
      for (const side of ['inputSchema', 'outputSchema'] as const) {
        const schema = ownMember(tool, side);
        if (isObject(schema)) this.#seeSchema(seen, schema, `${pointer}/${side}`, name);
      }
      if (seen.revision?.isStateless === true) checkParamHeaders(seen, tool, `${pointer}/inputSchema`);
    }
  }

  #seeSchema({ report, revision }: SeenResponse, schema: JsonObject, pointer: string, name: string): void {
    const uri = ownMember(schema, '$schema');
    const dialect = typeof uri === 'string' ? DIALECTS[uri.replace(/#$/, '')] : '2020-12';
    if (dialect === undefined) {
      report('unusual-dialect', `${show(name)} uses ${show(uri)}`, { pointer: `${pointer}/$schema` });
      return;
    }
    // Before 2025-11-25, a schema without `$schema` has no certain dialect.
    const isCertain = uri !== undefined || (revision?.version ?? '') >= '2025-11-25';
    const faults = schemaFaults(schema, dialect);
    const isValid = !isCertain && faults.length > 0 && schemaFaults(schema, 'draft-07').length === 0;
    for (const { at, message } of isValid ? [] : faults)
      report('invalid-tool-schema', `${show(name)}: ${at === '' ? 'the schema' : at} ${message}`, {
        pointer: pointer + at,
      });
    let count = 0;
    const own = ownMember(schema, '$id');
    walk(schema, pointer, (keyword, value, at) => {
      if (typeof value !== 'string' || count >= MAX_SCHEMA_FINDINGS) return;
      if (
        keyword === '$ref' &&
        /^[a-z][a-z0-9+.-]*:/i.test(value) &&
        !(typeof own === 'string' && value.startsWith(own))
      ) {
        count += 1;
        report('external-reference', `${show(name)} refers to ${show(value)}`, { pointer: at });
      }
      if (keyword !== 'pattern') return;
      const risk = riskOf(value, 'u');
      if (risk === undefined || risk.kind === 'unknown') return;
      count += 1;
      report('slow-pattern', `${show(name)}: ${show(value)} is ${risk.kind}`, { pointer: at });
    });
  }
}

function hasText(content: readonly JsonValue[]): boolean {
  return content.some((block) => isObject(block) && ownMember(block, 'type') === 'text');
}

const metaSchemas = {
  'draft-07': new Ajv({ strict: false, logger: false, allErrors: true, validateFormats: false }),
  '2020-12': new Ajv2020({ strict: false, logger: false, allErrors: true, validateFormats: false }),
};

/** Where a schema does not match its meta-schema. */
function schemaFaults(
  schema: JsonObject,
  dialect: keyof typeof metaSchemas,
): readonly { readonly at: string; readonly message: string }[] {
  const ajv = metaSchemas[dialect];
  const { $schema: _, ...plain } = schema;
  if (ajv.validateSchema(plain) === true) return [];
  const seen = new Set<string>();
  const faults: { at: string; message: string }[] = [];
  for (const { instancePath, message = 'is wrong' } of ajv.errors ?? []) {
    // A keyword that is wrong fails each vocabulary that mentions it.
    if (seen.has(instancePath) || faults.length >= MAX_SCHEMA_FINDINGS) continue;
    seen.add(instancePath);
    faults.push({ at: instancePath, message });
  }
  return faults;
}

/** Keywords whose members are names, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords with values, not schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);
const MAX_DEPTH = 100;

/** Visits each keyword of a schema and its subschemas. */
function walk(
  schema: JsonValue,
  pointer: string,
  visit: (keyword: string, value: JsonValue, pointer: string) => void,
  depth = 0,
): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(schema)) {
    for (const [index, item] of (schema as readonly JsonValue[]).entries())
      walk(item, pointer + formatPointer(index), visit, depth + 1);
    return;
  }
  if (!isObject(schema)) return;
  for (const [keyword, value] of Object.entries(schema)) {
    const at = pointer + formatPointer(keyword);
    if (VALUES.has(keyword)) continue;
    visit(keyword, value, at);
    if (NAMED.has(keyword) && isObject(value)) {
      for (const [name, item] of Object.entries(value)) walk(item, at + formatPointer(name), visit, depth + 1);
    } else walk(value, at, visit, depth + 1);
  }
}

/** Annotations of parameters that are sent as headers (MCP 2026-07-28, tools, x-mcp-header). */
function checkParamHeaders({ report }: SeenResponse, tool: JsonObject, pointer: string): void {
  const used = new Set<string>();
  const schema = ownMember(tool, 'inputSchema');
  if (!isObject(schema)) return;
  walk(schema, pointer, (keyword, value, at) => {
    if (keyword !== 'x-mcp-header') return;
    const complain = (why: string): void => {
      report('param-header', `${show(value)} ${why}`, { pointer: at });
    };
    if (typeof value !== 'string' || !HEADER_TOKEN.test(value)) {
      complain('is not a header token');
      return;
    }
    if (used.has(value.toLowerCase())) complain('is used twice');
    used.add(value.toLowerCase());
    const path = at.slice(pointer.length).split('/').slice(1, -1);
    if (path.some((name, index) => index % 2 === 0 && name !== 'properties')) complain('is not on a plain parameter');
    else if (!['string', 'integer', 'boolean'].some((type) => type === typeAt(schema, path)))
      complain('is not on a string, an integer or a boolean');
  });
}

function typeAt(schema: JsonObject, path: readonly string[]): JsonValue | undefined {
  let at: JsonValue | undefined = schema;
  for (const name of path)
    at = isObject(at) ? ownMember(at, name.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined;
  return isObject(at) ? ownMember(at, 'type') : undefined;
}

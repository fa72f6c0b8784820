import type { Docs } from '../../read/builtin/docs.js';
import { compareText } from '../../read/json/json.js';
import type { ToolSource } from '../../read/tools.js';
import type { Definition, Protocol } from '../protocol.js';
import { parseTool } from '../tools.js';
import { changeLocation, type Change } from './change.js';
import { compareProtocols } from './compare.js';
import { RULES, type RuleId, type Verdict } from './rules.js';

/** A difference between two lists of tools. */
export interface ToolChange {
  readonly tool: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** What changed, in words. */
  readonly text: string;
  /** The place in the tool's types, such as `Input.city`; empty for the tool itself. */
  readonly location: string;
  /** Whether a program that calls the tool as before may now fail. */
  readonly callers: Verdict;
  /** Whether a program that reads the results as before may now fail. */
  readonly readers: Verdict;
}

/**
 * Compares two lists of tools by the rules of `mcpgen diff`: a caller sends arguments and is a sender, a reader
 * receives structured content and is a receiver.
 */
export function compareTools(
  before: readonly ToolSource[],
  after: readonly ToolSource[],
  docs: Docs,
): readonly ToolChange[] {
  const older = new Map(before.map((tool) => [tool.name, tool]));
  const newer = new Map(after.map((tool) => [tool.name, tool]));
  const names = [...new Set([...older.keys(), ...newer.keys()])].sort(compareText);
  return names.flatMap((tool): readonly ToolChange[] => {
    const [a, b] = [older.get(tool), newer.get(tool)];
    const whole = { tool, location: '', callers: 'safe', readers: 'safe' } as const;
    if (a === undefined) return [{ ...whole, kind: 'added', text: 'tool added' }];
    if (b === undefined) return [{ ...whole, kind: 'removed', text: 'tool removed', callers: 'breaking' }];
    const [typesBefore, typesAfter] = [a, b].map((source) => parseTool(source, docs).definitions);
    return (['Input', 'Output'] as const).flatMap((role) =>
      compareRole(tool, role, typesBefore ?? [], typesAfter ?? []),
    );
  });
}

function compareRole(
  tool: string,
  role: 'Input' | 'Output',
  before: readonly Definition[],
  after: readonly Definition[],
): readonly ToolChange[] {
  const { changes } = compareProtocols(protocolOf(role, before), protocolOf(role, after));
  return changes.map((change) => {
    const rule = ruleOf(change);
    return {
      tool,
      kind: 'changed',
      text: RULES[rule].title,
      location: changeLocation(change),
      callers: role === 'Input' ? RULES[rule].sender : 'safe',
      readers: role === 'Output' ? readersVerdict(rule, change.name) : 'safe',
    };
  });
}

/**
 * Schemas of tools rarely forbid unknown members, which does not make them maps: callers do not use names that are not
 * described.
 */
function ruleOf({ rule, before }: Change): RuleId {
  const isMap = typeof before === 'object' && before.kind !== 'unknown';
  return rule === 'member-added-reserved' && !isMap ? 'member-added-optional' : rule;
}

/** Structured content that is no longer described is no longer validated, and may be missing. */
function readersVerdict(rule: RuleId, name: string): Verdict {
  return rule === 'definition-removed' && name === 'Output' ? 'breaking' : RULES[rule].receiver;
}

/** The definitions of one schema as a protocol without methods. */
function protocolOf(role: string, definitions: readonly Definition[]): Protocol {
  return {
    name: role,
    revision: role,
    version: role,
    isDraft: false,
    source: { file: '', sha256: '', builtin: false, corrected: false },
    lifecycle: 'stateless',
    batches: false,
    traits: {},
    definitions: definitions.filter(({ name }) => name === role || name.startsWith(`${role} `)),
    methods: [],
    errors: [],
    extensions: [],
    formerNames: [],
    errata: [],
    warnings: [],
  };
}

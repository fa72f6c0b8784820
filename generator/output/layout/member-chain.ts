/** Formats calls of members of calls: on one line, or with a line for each call. */
import { concat, conditionalGroup, group, hardline, indent, join, willBreak, type Doc } from './doc.js';
import { isSimpleArgument } from './simple-expressions.js';
import type { Call, Expression } from './syntax.js';

/** A part of a chain: what it begins with, a member, or the arguments of a call. */
export interface Link {
  readonly node: Expression;
  readonly doc: Doc;
}

interface ChainSettings {
  /** Whether the chain is a statement. */
  readonly isStatement: boolean;
  /** Whether it is called with fewer arguments than it has. */
  readonly isCurried: boolean;
  readonly tabWidth: number;
}

/** Whether a document is a chain that may have a line for each call. */
export function isChain(doc: Doc): boolean {
  return typeof doc !== 'string' && doc.kind === 'concat' && doc.isMemberChain;
}

export function printMemberChain(links: readonly Link[], settings: ChainSettings): Doc {
  const groups = groupLinks(links);
  const [first = [], second] = groups;
  const mergesFirst = second !== undefined && staysWithFirst(first, second, settings);
  const docs = groups.map((own) => concat(own.map(({ doc }) => doc)));
  const oneLine = concat(docs);
  const cutoff = mergesFirst ? 3 : 2;
  if (groups.length <= cutoff) return settings.isCurried ? oneLine : group(oneLine);
  const rest = docs.slice(mergesFirst ? 2 : 1);
  const expanded = concat([
    ...docs.slice(0, mergesFirst ? 2 : 1),
    rest.length === 0 ? '' : indent(concat([hardline, join(hardline, rest)])),
  ]);
  const calls = links.map(({ node }) => node).filter((node): node is Call => node.type === 'Call');
  const isComplex =
    calls.length > 2 && calls.some((call) => call.arguments.some((argument) => !isSimpleArgument(argument)));
  const last = links.at(-1)?.node;
  const breaksInLast =
    last?.type === 'Call' &&
    willBreak(docs.at(-1) ?? '') &&
    calls.slice(0, -1).some((call) => call.arguments.some(({ type }) => type === 'Arrow'));
  if (isComplex || docs.slice(0, -1).some(willBreak) || breaksInLast) return concat([group(expanded)], true);
  return concat([willBreak(oneLine) ? group('', { isBroken: true }) : '', conditionalGroup([oneLine, expanded])], true);
}

/** Groups of links that stay together: what the chain begins with, then members up to and including their calls. */
function groupLinks(links: readonly Link[]): readonly (readonly Link[])[] {
  const [head, ...tail] = links;
  if (head === undefined) return [];
  const first = [head];
  let index = 0;
  const at = (place: number): Expression | undefined => tail[place]?.node;
  for (; index < tail.length; index += 1) {
    const link = tail[index];
    if (link === undefined || !(link.node.type === 'Call' || isIndex(link.node))) break;
    first.push(link);
  }
  if (head.node.type !== 'Call') {
    for (; index + 1 < tail.length; index += 1) {
      const link = tail[index];
      if (link?.node.type !== 'Member' || at(index + 1)?.type !== 'Member') break;
      first.push(link);
    }
  }
  const groups: Link[][] = [first];
  let current: Link[] = [];
  let hasCall = false;
  for (const link of tail.slice(index)) {
    if (hasCall && link.node.type === 'Member') {
      if (isIndex(link.node)) {
        current.push(link);
        continue;
      }
      groups.push(current);
      current = [];
      hasCall = false;
    }
    if (link.node.type === 'Call') hasCall = true;
    current.push(link);
  }
  if (current.length > 0) groups.push(current);
  return groups;
}

/** Whether a link is a member with a number. */
function isIndex(node: Expression): boolean {
  return node.type === 'Member' && typeof node.property !== 'string' && node.property.type === 'Number';
}

/** Whether the first call stays on the line of what it is called on, as for a factory or a short name. */
function staysWithFirst(first: readonly Link[], second: readonly Link[], settings: ChainSettings): boolean {
  const next = second[0]?.node;
  const isComputed = next?.type === 'Member' && typeof next.property !== 'string';
  if (first.length === 1) {
    const node = first[0]?.node;
    return (
      node?.type === 'This' ||
      (node?.type === 'Identifier' &&
        (isFactory(node.name) || (settings.isStatement && node.name.length <= settings.tabWidth) || isComputed))
    );
  }
  const last = first.at(-1)?.node;
  if (last?.type !== 'Member' || typeof last.property !== 'string') return false;
  return isFactory(last.property) || isComputed;
}

function isFactory(name: string): boolean {
  return /^[A-Z]|^[$_]+$/.test(name);
}

import type { Constraints, Definition, Member, ObjectNode, TypeNode } from '../model/protocol.js';
import { docComment, type DocComment } from './doc-comment.js';
import { memberName } from './names.js';

/** How types are printed: what to call a definition, and which names docs may link to. */
export interface TypePrinter {
  readonly name: (definition: string) => string;
  readonly linkable: ReadonlySet<string>;
}

/** Members that open an object, in this order; then required ones, optional ones, and `_meta` last. */
const LEADING: readonly string[] = ['jsonrpc', 'id', 'method', 'params', 'result', 'error', 'type', 'name', 'title', 'description'];

/** Prints a definition as an exported type alias with its docs. */
export function printDefinition(definition: Definition, printer: TypePrinter): string {
  const doc = docOf(definition, printer);
  return `${doc}export type ${printer.name(definition.name)} = ${printType(definition.type, printer)};\n`;
}

/** Prints a type as a TypeScript type expression. */
export function printType(type: TypeNode, printer: TypePrinter): string {
  switch (type.kind) {
    case 'unknown':
    case 'never':
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type.kind;
    case 'integer':
      return 'number';
    case 'literal':
      return JSON.stringify(type.value);
    case 'ref':
      return printer.name(type.name);
    case 'array':
      return `${parenthesised(type.items, printer, ['union', 'intersection'])}[]`;
    case 'union':
      return unique(type.variants.map((variant) => parenthesised(variant, printer, ['intersection']))).join(' | ');
    case 'intersection':
      return unique(type.parts.map((part) => parenthesised(part, printer, ['union']))).join(' & ');
    case 'object':
      return printObject(type, printer);
  }
}

function parenthesised(type: TypeNode, printer: TypePrinter, kinds: readonly TypeNode['kind'][]): string {
  const printed = printType(type, printer);
  const compound = kinds.includes(type.kind) || (kinds.includes('intersection') && isSplit(type));
  return compound ? `(${printed})` : printed;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function printObject(type: ObjectNode, printer: TypePrinter): string {
  if (type.members.length === 0) {
    if (type.shape === 'opaque' || type.shape === 'empty') return 'object';
    return `{ [key: string]: ${type.rest === undefined ? 'unknown' : printType(type.rest, printer)} }`;
  }
  const members = orderedMembers(type.members).map((member) => printMember(member, printer));
  if (type.rest === undefined || type.rest.kind === 'never') return block(members);
  const index = `[key: string]: ${printType(type.rest, printer)}`;
  if (type.rest.kind === 'unknown') return block([...members, `${index};\n`]);
  // An index signature has to hold for the named members too: where it would not, the two are joined instead.
  if (!isSplit(type)) return block([...members, `${index} | undefined;\n`]);
  return `${block(members)} & { ${index} }`;
}

/** Whether an object's index signature has a type that its named members do not share. */
function isSplit(type: TypeNode): boolean {
  if (type.kind !== 'object' || type.members.length === 0) return false;
  const { rest } = type;
  if (rest === undefined || rest.kind === 'unknown' || rest.kind === 'never') return false;
  const same = bare(rest);
  return type.members.some((member) => bare(member.type) !== same);
}

function bare(type: TypeNode): string {
  return JSON.stringify(type, (key, value: unknown) => (key === 'constraints' || key === 'doc' ? undefined : value));
}

function block(members: readonly string[]): string {
  return `{\n${members.join('')}}`;
}

function printMember(member: Member, printer: TypePrinter): string {
  const optional = member.required ? '' : '?';
  return `${docOf(member, printer)}${memberName(member.name)}${optional}: ${printType(member.type, printer)};\n`;
}

/** Members in the order in which a person would write them. */
export function orderedMembers(members: readonly Member[]): readonly Member[] {
  const rank = (member: Member): number => {
    const leading = LEADING.indexOf(member.name);
    if (leading !== -1) return leading;
    if (member.name === '_meta') return LEADING.length + 2;
    return LEADING.length + (member.required ? 0 : 1);
  };
  // Members come sorted by name, and the sort is stable.
  return [...members].sort((a, b) => rank(a) - rank(b));
}

function docOf(owner: Definition | Member, printer: TypePrinter): string {
  const limits = constraintsText(owner.type);
  const doc: DocComment = {
    text: owner.doc,
    more: limits === '' ? [] : [limits],
    deprecated: owner.deprecated,
    defaultValue: owner.defaultValue === undefined ? undefined : JSON.stringify(owner.defaultValue),
  };
  // A limit belongs behind the sentence that it limits, not into a paragraph of its own, as long as both are short.
  const short = owner.doc !== undefined && limits !== '' && !owner.doc.includes('\n');
  return docComment(short ? { ...doc, text: `${owner.doc} ${limits}`, more: [] } : doc, printer.linkable);
}

/** Constraints in words, since a TypeScript type cannot hold them. */
function constraintsText(type: TypeNode): string {
  if (type.kind === 'array') {
    return [sentence(type.constraints, 'items'), constraintsText(type.items) && `Items: ${constraintsText(type.items)}`]
      .filter((text) => text !== '')
      .join(' ');
  }
  if (type.kind === 'object') return sentence(type.constraints, 'members');
  if (type.kind === 'string') return sentence(type.constraints, 'characters');
  if (type.kind === 'number') return sentence(type.constraints, '');
  if (type.kind === 'integer') return ['An integer', sentence(type.constraints, '')].filter((text) => text !== '').join('. ').replace(/\.?$/, '.');
  return '';
}

function sentence(constraints: Constraints, unit: string): string {
  const of = (name: string): string | undefined => (name in constraints ? String(constraints[name]) : undefined);
  const parts: string[] = [];
  const format = of('format');
  if (format !== undefined) parts.push(`Format \`${format}\``);
  const low = of('minimum') ?? of(`min${unit === 'characters' ? 'Length' : unit === 'items' ? 'Items' : 'Properties'}`);
  const high = of('maximum') ?? of(`max${unit === 'characters' ? 'Length' : unit === 'items' ? 'Items' : 'Properties'}`);
  const suffix = unit === '' ? '' : ` ${unit}`;
  if (low !== undefined && high !== undefined) parts.push(`From ${low} to ${high}${suffix}`);
  else if (low !== undefined) parts.push(`At least ${low}${suffix}`);
  else if (high !== undefined) parts.push(`At most ${high}${suffix}`);
  const above = of('exclusiveMinimum');
  if (above !== undefined) parts.push(`Above ${above}`);
  const below = of('exclusiveMaximum');
  if (below !== undefined) parts.push(`Below ${below}`);
  const step = of('multipleOf');
  if (step !== undefined) parts.push(`A multiple of ${step}`);
  const pattern = of('pattern');
  if (pattern !== undefined) parts.push(`Matches \`${pattern}\``);
  if (constraints['uniqueItems'] === true) parts.push('No two items are equal');
  return parts.map((part) => `${part}.`).join(' ');
}

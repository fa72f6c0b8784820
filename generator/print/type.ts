import type {
  ArrayNode,
  Constraints,
  Definition,
  Member,
  ObjectNode,
  PatternMember,
  TypeNode,
} from '../model/protocol.js';
import { toRegularExpression } from '../model/schema/keywords.js';
import { expressibleType, refersOutsideObjects } from '../model/types/express-rules.js';
import type { JsonValue } from '../read/json/json.js';
import { docComment, type DocComment } from './doc-comment.js';
import { memberName } from './names.js';
import { exported, type Declaration } from './source-file.js';

/** How to print types: the names of definitions, and which of them docs may link to. */
export interface TypePrinter {
  readonly name: (definition: string) => string;
  readonly linkable: ReadonlySet<string>;
  /** Maximum columns of a line of docs, for narrow terminals. */
  readonly columns?: number;
}

/** Members that come first, in this order; then required ones, optional ones, and metadata, whose name begins with `_`. */
const LEADING_MEMBERS: readonly string[] = [
  'jsonrpc',
  'id',
  'method',
  'params',
  'result',
  'error',
  'type',
  'name',
  'title',
  'description',
];

/** A definition as an exported type alias with its docs. */
export function declareDefinition(definition: Definition, printer: TypePrinter): Declaration {
  return exported('type', printer.name(definition.name), {
    doc: printDoc(definition, printer),
    code: ` = ${printType(definition.type, printer)};`,
  });
}

/** Prints a definition as an exported type alias with its docs. */
export function printDefinition(definition: Definition, printer: TypePrinter): string {
  return `${declareDefinition(definition, printer).text}\n`;
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
      if (type.prefix !== undefined) return printTuple(type.prefix, type, printer);
      return `${parenthesize(type.items, printer, ['union', 'intersection'])}[]`;
    case 'union': {
      const texts = uniqueTexts(type.variants.map((variant) => parenthesize(variant, printer, ['intersection'])));
      return isAnyJson(texts) ? 'unknown' : texts.join(' | ');
    }
    case 'intersection': {
      const texts = uniqueTexts(type.parts.map((part) => parenthesize(part, printer, ['union'])));
      const known = texts.filter((text) => text !== 'unknown');
      return known.length === 0 ? 'unknown' : known.join(' & ');
    }
    case 'refined':
      return printType(expressibleType(type), printer);
    case 'object':
      return printObject(type, printer);
  }
}

/** Texts of the widest type of each kind of JSON value. */
const WIDEST_TEXTS: readonly string[] = [
  'string',
  'number',
  'boolean',
  'null',
  'unknown[]',
  '{ [key: string]: unknown }',
];

/** Whether a union has all JSON values. */
function isAnyJson(texts: readonly string[]): boolean {
  return texts.includes('unknown') || WIDEST_TEXTS.every((text) => texts.includes(text));
}

/** Maximum number of items that a tuple names one by one. */
const MAX_TUPLE = 20;

/** A tuple whose items are required as far as the schema requires them. */
function printTuple(prefix: readonly TypeNode[], { items, constraints }: ArrayNode, printer: TypePrinter): string {
  const least = Number(constraints['minItems'] ?? 0);
  const most = Number(constraints['maxItems'] ?? Infinity);
  const first = prefix.slice(0, most);
  const rest = parenthesize(items, printer, ['union', 'intersection']);
  const isClosed = items.kind === 'never' || most <= Math.max(least, first.length);
  const others = isClosed ? [] : [`...${rest}[]`];
  const named = first.map((item, index) => {
    if (index < least) return printType(item, printer);
    // TypeScript rejects an alias that refers to itself in an optional item, unless the item has a label.
    if (refersOutsideObjects(item)) return `item${index + 1}?: ${printType(item, printer)}`;
    return `${parenthesize(item, printer, ['union', 'intersection'])}?`;
  });
  const beyond = Math.min(least, most, MAX_TUPLE) - first.length;
  for (let count = 0; count < beyond; count += 1) named.push(rest);
  return `[${[...named, ...others].join(', ')}]`;
}

function parenthesize(type: TypeNode, printer: TypePrinter, kinds: readonly TypeNode['kind'][]): string {
  if (type.kind === 'refined') return parenthesize(expressibleType(type), printer, kinds);
  const printed = printType(type, printer);
  return kinds.includes(type.kind) && printed !== 'unknown' ? `(${printed})` : printed;
}

function uniqueTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function printObject(type: ObjectNode, printer: TypePrinter): string {
  const inside = printer.columns === undefined ? printer : { ...printer, columns: printer.columns - 2 };
  const templates = templateMembers(type);
  const index = indexType(type, templates, printer);
  if (type.members.length === 0 && templates.length === 0) {
    if (type.shape === 'opaque' || type.shape === 'empty') return 'object';
    return `{ [key: string]: ${index ?? (type.rest?.kind === 'never' ? 'never' : 'unknown')} }`;
  }
  return printBlock([
    ...orderedMembers(type.members).map((member) => printMember(member, inside)),
    ...templates.map(({ key, type: own }) => `[key: ${key}]: ${printType(own, printer)};\n`),
    ...(index === undefined ? [] : [`[key: string]: ${index};\n`]),
  ]);
}

/** Maximum length of the type of an index signature that repeats the types of members. */
const MAX_INDEX_TYPE = 200;

/** The type of members that are not named, which in TypeScript has to include the named ones. */
function indexType(
  type: ObjectNode,
  templates: readonly { readonly member: PatternMember }[],
  printer: TypePrinter,
): string | undefined {
  const patterns = (type.patterns ?? []).filter((own) => !templates.some(({ member }) => member === own));
  const rest = type.rest?.kind === 'never' ? undefined : type.rest;
  if (rest?.kind === 'unknown') return 'unknown';
  if (rest === undefined && (patterns.length === 0 || type.rest === undefined)) return undefined;
  const others = [...patterns, ...templates.map(({ member }) => member), ...type.members].map((member) => member.type);
  const texts = uniqueTexts(
    [...(rest === undefined ? [] : [rest]), ...others].map((own) => parenthesize(own, printer, ['intersection'])),
  );
  if (isAnyJson(texts)) return 'unknown';
  const known = texts.filter((text) => text !== 'never');
  const isOptional = type.members.some(({ required }) => !required);
  const union = [...known, ...(isOptional ? ['undefined'] : [])].join(' | ') || 'never';
  return type.members.length > 0 && (union.length > MAX_INDEX_TYPE || union.includes('\n')) ? 'unknown' : union;
}

/** Patterns of names that are a plain prefix or suffix, as the key of an index signature. */
function templateMembers(
  type: ObjectNode,
): readonly { readonly key: string; readonly member: PatternMember; readonly type: TypeNode }[] {
  const found = (type.patterns ?? []).flatMap((member) => {
    const match = /^(\^?)([\w :@/-]+)(\$?)$/.exec(member.pattern);
    const [, start = '', text = '', end = ''] = match ?? [];
    // TypeScript compares a named member with each index signature that includes its name.
    const regex = toRegularExpression(member.pattern);
    if ((start === '') === (end === '') || type.members.some(({ name }) => regex.test(name))) return [];
    const key = start === '' ? `\`\${string}${text}\`` : `\`${text}\${string}\``;
    return [{ key, text, isPrefix: start !== '', member, type: member.type }];
  });
  // One that includes another would have to have its type.
  const isIncluded = (a: (typeof found)[number], b: (typeof found)[number]): boolean =>
    a !== b &&
    a.isPrefix === b.isPrefix &&
    (a.isPrefix
      ? a.text.startsWith(b.text) || b.text.startsWith(a.text)
      : a.text.endsWith(b.text) || b.text.endsWith(a.text));
  return found.filter((one) => !found.some((other) => isIncluded(one, other)));
}

function printBlock(members: readonly string[]): string {
  return `{\n${members.join('')}}`;
}

function printMember(member: Member, printer: TypePrinter): string {
  const optional = member.required ? '' : '?';
  return `${printDoc(member, printer)}${memberName(member.name)}${optional}: ${printType(member.type, printer)};\n`;
}

/** Sorts members as a person would write them: those of protocols, with one underscore, come last. */
export function orderedMembers(members: readonly Member[]): readonly Member[] {
  const rank = (member: Member): number => {
    const leading = LEADING_MEMBERS.indexOf(member.name);
    if (leading !== -1) return leading;
    if (/^_[^_]/.test(member.name)) return LEADING_MEMBERS.length + 2;
    return LEADING_MEMBERS.length + (member.required ? 0 : 1);
  };
  // Members come sorted by name, and the sort is stable.
  return [...members].sort((a, b) => rank(a) - rank(b));
}

function printDoc(owner: Definition | Member, printer: TypePrinter): string {
  const limits = constraintsText(owner.type, owner.doc ?? '');
  const doc: DocComment = {
    text: owner.doc,
    more: limits === '' ? [] : [limits],
    deprecated: owner.deprecated,
    defaultValue: owner.defaultValue === undefined ? undefined : JSON.stringify(owner.defaultValue),
  };
  // If both are short, a limit follows the sentence that it limits instead of being a paragraph.
  const description = owner.doc?.trim() ?? '';
  const short = description !== '' && limits !== '' && !description.includes('\n');
  const text = short ? { ...doc, text: `${withFullStop(description)} ${limits}`, more: [] } : doc;
  return docComment(text, printer.linkable, printer.columns);
}

/** A sentence with a full stop, so that another one can follow. */
function withFullStop(sentence: string): string {
  return /[.!?…:;][)\]"'”’`*]*$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Describes constraints, which TypeScript cannot express, except those that the doc text mentions already. */
function constraintsText(type: TypeNode, doc: string): string {
  return limitTexts(type)
    .filter(({ values }) => !values.every((value) => docMentions(doc, value)))
    .map(({ text }) => `${text}.`)
    .join(' ');
}

/** A limit in words, and its values. */
interface Limit {
  readonly text: string;
  readonly values: readonly string[];
}

function limitTexts(type: TypeNode): readonly Limit[] {
  switch (type.kind) {
    case 'refined':
      return limitTexts(type.type);
    case 'array':
      // The lengths of a tuple are in its type.
      if (type.prefix !== undefined) return [];
      return [
        ...constraintLimits(type.constraints, 'items', 'Items'),
        ...limitTexts(type.items).map((limit) => ({
          ...limit,
          text: `Items: ${limit.text.charAt(0).toLowerCase()}${limit.text.slice(1)}`,
        })),
      ];
    case 'object':
      return constraintLimits(type.constraints, 'members', 'Properties');
    case 'string':
      return constraintLimits(type.constraints, 'characters', 'Length');
    case 'number':
      return constraintLimits(type.constraints, '', 'imum');
    case 'integer':
      return [{ text: 'An integer', values: ['integer'] }, ...constraintLimits(type.constraints, '', 'imum')];
    default:
      return [];
  }
}

function constraintLimits(constraints: Constraints, unit: string, suffix: string): readonly Limit[] {
  const found: Limit[] = [];
  const add = (text: string, ...values: readonly string[]): void => {
    // One is singular: at least 1 character.
    const noun = values.at(-1) === '1' ? unit.replace(/s$/, '') : unit;
    found.push({ text: unit === '' || !/\d$/.test(text) ? text : `${text} ${noun}`, values });
  };
  const of = (keyword: string): string | undefined =>
    Object.hasOwn(constraints, keyword) ? scalarText(constraints[keyword]) : undefined;
  const format = of('format');
  if (format !== undefined) add(`Format \`${format}\``, format);
  const [encoding, media] = [of('contentEncoding'), of('contentMediaType')];
  if (encoding !== undefined) add(`Encoded as \`${encoding}\``, encoding);
  if (media !== undefined) add(`Holds \`${media}\``, media);
  const [low, high] = [of(`min${suffix}`), of(`max${suffix}`)];
  // Generators of schemas write the limits of every integer of JavaScript.
  const isAnyInteger = low === String(Number.MIN_SAFE_INTEGER) && high === String(Number.MAX_SAFE_INTEGER);
  if (isAnyInteger) return found;
  if (low !== undefined && high !== undefined) add(`From ${low} to ${high}`, low, high);
  else if (low !== undefined) add(`At least ${low}`, low);
  else if (high !== undefined) add(`At most ${high}`, high);
  const [above, below, step, pattern] = [
    of('exclusiveMinimum'),
    of('exclusiveMaximum'),
    of('multipleOf'),
    of('pattern'),
  ];
  if (above !== undefined) found.push({ text: `Above ${above}`, values: [above] });
  if (below !== undefined) found.push({ text: `Below ${below}`, values: [below] });
  if (step !== undefined) found.push({ text: `A multiple of ${step}`, values: [step] });
  if (pattern !== undefined) found.push({ text: `Matches \`${pattern}\``, values: [pattern] });
  if (constraints['uniqueItems'] === true) found.push({ text: 'No two items are equal', values: ['unique'] });
  return found;
}

function scalarText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The name of a format in prose. */
const FORMAT_WORDS: Readonly<Record<string, string>> = {
  byte: 'base64',
  'uri-template': 'URI template',
  'date-time': 'ISO 8601',
};

function docMentions(doc: string, value: string): boolean {
  const word = Object.hasOwn(FORMAT_WORDS, value) ? String(FORMAT_WORDS[value]) : value;
  const literally = word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(`(?<![\\w.])${literally}(?!\\w)`, 'iu').test(doc);
}

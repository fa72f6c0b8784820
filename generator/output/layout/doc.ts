/**
 * Documents in the manner of Wadler and Prettier: text with places where a line may break. `print-doc.ts` chooses the
 * breaks. Two facts that Prettier finds by walking a document are known as soon as it is built here: whether it always
 * breaks, and how wide it is on one line.
 */

/** A document: a text without line breaks, or a node. */
export type Doc = string | DocNode;

/** What is known of a node as soon as it is built. */
interface Facts {
  /** Whether a line break, or a group that is broken, is anywhere in it. */
  readonly willBreak: boolean;
  /** Whether it breaks the groups around it. */
  readonly breaksParent: boolean;
  /**
   * The columns between its first and last character if all is on one line; NaN if that depends on anything else.
   */
  readonly width: number;
  /** Whether it has a character other than the spaces of lines. */
  readonly hasText: boolean;
  /** Whether a space is in front of its first character; without text, whether it is a space. */
  readonly startsWithSpace: boolean;
  readonly endsWithSpace: boolean;
}

export interface Concat extends Facts {
  readonly kind: 'concat';
  readonly parts: readonly Doc[];
  /** Whether the parts are what is printed of a chain of calls. */
  readonly isMemberChain: boolean;
}

export interface Line extends Facts {
  readonly kind: 'line';
  readonly isSoft: boolean;
  readonly isHard: boolean;
}

export interface Indent extends Facts {
  readonly kind: 'indent';
  readonly contents: Doc;
  /** Columns to indent by; undefined for one level. */
  readonly columns: number | undefined;
}

export interface Group extends Facts {
  readonly kind: 'group';
  readonly contents: Doc;
  readonly isBroken: boolean;
  readonly id: GroupId | undefined;
  /** The same contents, from the flattest to the most expanded. */
  readonly states: readonly Doc[] | undefined;
}

export interface IfBreak extends Facts {
  readonly kind: 'ifBreak';
  readonly broken: Doc;
  readonly flat: Doc;
  readonly group: GroupId | undefined;
}

export interface Fill extends Facts {
  readonly kind: 'fill';
  /** Contents and separators, alternately. */
  readonly parts: readonly Doc[];
}

/** A comment of several lines, each at the current indentation. */
export interface Lines extends Facts {
  readonly kind: 'lines';
  readonly texts: readonly string[];
}

export type DocNode = Lines | Concat | Line | Indent | Group | IfBreak | Fill;

/** Names a group for documents after it. The printer remembers in it whether the group was broken. */
export interface GroupId {
  isBroken: boolean | undefined;
}

export function groupId(): GroupId {
  return { isBroken: undefined };
}

const NO_TEXT = { hasText: false, startsWithSpace: false, endsWithSpace: false } as const;
const HARD = { willBreak: true, breaksParent: true, width: Number.NaN, ...NO_TEXT } as const;
const SOFT = { willBreak: false, breaksParent: false, width: 0 } as const;

/** A space, or a line break in a broken group. */
export const line: Line = {
  kind: 'line',
  isSoft: false,
  isHard: false,
  ...SOFT,
  ...NO_TEXT,
  startsWithSpace: true,
  endsWithSpace: true,
};
/** Nothing, or a line break in a broken group. */
export const softline: Line = { kind: 'line', isSoft: true, isHard: false, ...SOFT, ...NO_TEXT };
/** A line break, which breaks all groups around it. */
export const hardline: Line = { kind: 'line', isSoft: false, isHard: true, ...HARD };

export function lines(texts: readonly string[]): Lines {
  return { kind: 'lines', texts, ...HARD, hasText: true };
}

export function concat(parts: readonly Doc[], isMemberChain = false): Concat {
  let willBreak = false;
  let breaksParent = false;
  let width = 0;
  let hasText = false;
  let startsWithSpace = false;
  let isPending = false;
  for (const part of parts) {
    if (typeof part === 'string') {
      if (part === '') continue;
      if (isPending && hasText) width += 1;
      if (isPending && !hasText) startsWithSpace = true;
      width += textWidth(part);
      hasText = true;
      isPending = false;
      continue;
    }
    willBreak ||= part.willBreak;
    breaksParent ||= part.breaksParent;
    isPending ||= part.startsWithSpace;
    if (part.hasText) {
      if (isPending && hasText) width += 1;
      if (isPending && !hasText) startsWithSpace = true;
      hasText = true;
      isPending = part.endsWithSpace;
    }
    // NaN stays NaN.
    width += part.width;
  }
  if (!hasText) startsWithSpace = isPending;
  return {
    kind: 'concat',
    parts,
    isMemberChain,
    willBreak,
    breaksParent,
    width,
    hasText,
    startsWithSpace,
    endsWithSpace: isPending,
  };
}

/** Texts are as wide as they are long; the reader of tokens rejects all others. */
function textWidth(text: string): number {
  return text.length;
}

const EMPTY: Facts = { willBreak: false, breaksParent: false, width: 0, ...NO_TEXT };

function factsOf(doc: Doc): Facts {
  if (typeof doc !== 'string') return doc;
  return doc === '' ? EMPTY : { ...EMPTY, width: textWidth(doc), hasText: true };
}

export function indent(contents: Doc): Indent {
  return indentBy(contents, undefined);
}

/** Indents by a number of columns. */
export function align(columns: number, contents: Doc): Indent {
  return indentBy(contents, columns);
}

function indentBy(contents: Doc, columns: number | undefined): Indent {
  const { willBreak, breaksParent, width, hasText, startsWithSpace, endsWithSpace } = factsOf(contents);
  return {
    kind: 'indent',
    contents,
    columns,
    willBreak,
    breaksParent,
    width,
    hasText,
    startsWithSpace,
    endsWithSpace,
  };
}

/** Contents on one line if they fit; otherwise, all lines directly in it break. */
export function group(contents: Doc, options: { readonly isBroken?: boolean; readonly id?: GroupId } = {}): Group {
  const { willBreak, breaksParent, width, hasText, startsWithSpace, endsWithSpace } = factsOf(contents);
  const isBroken = options.isBroken === true || breaksParent;
  return {
    kind: 'group',
    contents,
    isBroken,
    id: options.id,
    states: undefined,
    willBreak: willBreak || isBroken,
    breaksParent: isBroken,
    // A broken group breaks wherever it is.
    width: isBroken ? Number.NaN : width,
    hasText,
    startsWithSpace,
    endsWithSpace,
  };
}

/** The first of several layouts that fits, or the last. Breaks in them do not break the groups around it. */
export function conditionalGroup(states: readonly [Doc, ...Doc[]]): Group {
  const [contents] = states;
  const { willBreak, width, hasText, startsWithSpace, endsWithSpace } = factsOf(contents);
  return {
    kind: 'group',
    contents,
    isBroken: false,
    id: undefined,
    states,
    willBreak,
    breaksParent: false,
    width,
    hasText,
    startsWithSpace,
    endsWithSpace,
  };
}

/** One of two documents, depending on the group around it, or on one before it. */
export function ifBreak(broken: Doc, flat: Doc = '', id?: GroupId): IfBreak {
  const facts = factsOf(flat);
  const willBreak = facts.willBreak || (typeof broken !== 'string' && broken.willBreak);
  const breaksParent = facts.breaksParent || (typeof broken !== 'string' && broken.breaksParent);
  const { hasText, startsWithSpace, endsWithSpace } = facts;
  const width = id === undefined ? facts.width : Number.NaN;
  return {
    kind: 'ifBreak',
    broken,
    flat,
    group: id,
    willBreak,
    breaksParent,
    width,
    hasText,
    startsWithSpace,
    endsWithSpace,
  };
}

/** Indents if a group before it was broken. */
export function indentIfBreak(contents: Doc, id: GroupId): IfBreak {
  // It is as wide either way.
  return { ...ifBreak(indent(contents), contents, id), width: factsOf(contents).width };
}

/** As many items on each line as fit. */
export function fill(parts: readonly Doc[]): Fill {
  const { willBreak, breaksParent, width, hasText, startsWithSpace, endsWithSpace } = concat(parts);
  return { kind: 'fill', parts, willBreak, breaksParent, width, hasText, startsWithSpace, endsWithSpace };
}

export function join(separator: Doc, docs: readonly Doc[]): Concat {
  return concat(docs.flatMap((doc, index) => (index === 0 ? [doc] : [separator, doc])));
}

/** Whether a document always has a line break. */
export function willBreak(doc: Doc): boolean {
  return typeof doc !== 'string' && doc.willBreak;
}

/** Whether a document has a place where a line can break. */
export function canBreak(doc: Doc): boolean {
  if (typeof doc === 'string') return false;
  switch (doc.kind) {
    case 'line':
    case 'lines':
      return true;
    case 'concat':
    case 'fill':
      return doc.parts.some(canBreak);
    case 'ifBreak':
      return canBreak(doc.broken) || canBreak(doc.flat);
    default:
      return canBreak(doc.contents);
  }
}

/** The same on one line: lines become spaces, and groups what they contain. */
export function removeLines(doc: Doc): Doc {
  if (typeof doc === 'string') return doc;
  switch (doc.kind) {
    case 'line':
      return doc.isSoft ? '' : ' ';
    case 'lines':
      return doc;
    case 'concat':
      return concat(doc.parts.map(removeLines), doc.isMemberChain);
    case 'fill':
      return fill(doc.parts.map(removeLines));
    case 'ifBreak':
      return removeLines(doc.flat);
    case 'indent':
      return indentBy(removeLines(doc.contents), doc.columns);
    case 'group':
      return group(removeLines(doc.contents));
  }
}

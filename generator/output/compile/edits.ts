import type { ts as TypeScript } from 'ts-morph';

/** Changes of a text, by positions in the text before them. */
export class Edits {
  readonly #edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  remove(start: number, end: number): void {
    this.replace(start, end, '');
  }

  insert(position: number, text: string): void {
    this.replace(position, position, text);
  }

  /** Whether a part of the text is removed, or replaced as a whole. */
  covers(start: number, end: number): boolean {
    return this.#edits.some((edit) => edit.start <= start && end <= edit.end && edit.start < edit.end);
  }

  /** Applies the changes to a text; one inside another is lost. */
  apply(text: string, start = 0, end = text.length): string {
    const ordered = [...this.#edits].sort((a, b) => a.start - b.start || rank(a) - rank(b) || b.end - a.end);
    let result = '';
    let position = start;
    for (const edit of ordered) {
      if (edit.start < position || edit.end > end) continue;
      result += text.slice(position, edit.start) + edit.text;
      position = edit.end;
    }
    return result + text.slice(position, end);
  }
}

/** Insertions come before other changes of the same place. */
function rank({ start, end }: { readonly start: number; readonly end: number }): number {
  return start === end ? 0 : 1;
}

/** What both kinds of output need to know of the compiler. */
export interface Compiler {
  readonly ts: typeof TypeScript;
  readonly source: TypeScript.SourceFile;
}

/** A construct that is left to the compiler. */
export class UnknownSyntax extends Error {}

/**
 * Where a statement begins together with its comments. Comments above the first one are about the file if a blank line
 * follows them.
 */
export function startWithComments({ source }: Compiler, node: TypeScript.Node): number {
  const start = node.getFullStart();
  if (start > 0) return start;
  const comments = source.text.slice(0, node.getStart(source));
  const blank = comments.lastIndexOf('\n\n');
  return blank === -1 ? 0 : blank + 1;
}

/** The end of a list that `<` and `>` enclose, after the `>`. A comment before that may have one too. */
export function endOfAngles({ ts, source }: Compiler, list: TypeScript.NodeArray<TypeScript.Node>): number {
  const { text } = source;
  const comments = [
    ...(ts.getTrailingCommentRanges(text, list.end) ?? []),
    ...(ts.getLeadingCommentRanges(text, list.end) ?? []),
  ];
  return text.indexOf('>', Math.max(list.end, ...comments.map(({ end }) => end))) + 1;
}

/** The position after the `)` of the parameters of a function. */
export function endOfParameters({ ts, source }: Compiler, node: TypeScript.SignatureDeclaration): number {
  const close = node.getChildren(source).find((child) => child.kind === ts.SyntaxKind.CloseParenToken);
  // `x => y` has no parentheses.
  return close?.end ?? node.parameters.end;
}

export function hasModifier(node: TypeScript.Node, kind: TypeScript.SyntaxKind): boolean {
  return modifiersOf(node).some((modifier) => modifier.kind === kind);
}

export function modifiersOf(node: TypeScript.Node): readonly TypeScript.ModifierLike[] {
  return (node as { readonly modifiers?: readonly TypeScript.ModifierLike[] }).modifiers ?? [];
}

/** Removes modifiers, each with the space after it. */
export function removeModifiers(
  { source }: Compiler,
  node: TypeScript.Node,
  edits: Edits,
  kinds: ReadonlySet<TypeScript.SyntaxKind>,
): void {
  for (const modifier of modifiersOf(node)) {
    if (!kinds.has(modifier.kind)) continue;
    const rest = /^\s*/.exec(source.text.slice(modifier.end))?.[0].length ?? 0;
    edits.remove(modifier.getStart(source), modifier.end + rest);
  }
}

/** Most characters of a line, as Prettier has it without a config. */
const MAX_LINE = 80;

/** Removes names of an import or export; a list that fits into a line gets one. */
export function keepItems(
  { source }: Compiler,
  list: TypeScript.NamedImportsOrExports,
  edits: Edits,
  isKept: (item: TypeScript.ImportSpecifier | TypeScript.ExportSpecifier) => boolean,
): void {
  const kept = [...list.elements].filter(isKept).map((item) => item.getText(source));
  if (kept.length === list.elements.length) return;
  const { parent } = list;
  // An import has its names in a clause.
  const statement = 'exportClause' in parent ? parent : parent.parent;
  const others = statement.getWidth(source) - list.getWidth(source);
  const line = `{ ${kept.join(', ')} }`;
  const text = others + line.length <= MAX_LINE ? line : `{\n${kept.map((item) => `  ${item},\n`).join('')}}`;
  edits.replace(list.getStart(source), list.end, text);
}

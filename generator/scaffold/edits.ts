import type { Expression, Node, SourceFile as Tree, SyntaxKind as SyntaxKinds } from 'ts-morph';

/** What a file is to name: an export, and the file that has it. */
export interface Entry {
  /** What the file that names it calls it. */
  readonly name: string;
  /** What it is exported as, if otherwise. */
  readonly exported?: string;
  /** Its path without extension, as the one that imports it names it: `./greet`. */
  readonly from: string;
}

/** A text to insert; nothing of an author's file is ever taken away. */
export interface Edit {
  readonly at: number;
  readonly insert: string;
}

/** An author's file as a syntax tree. */
export interface Parsed {
  readonly tree: Tree;
  /** The text without a byte order mark, which places in the tree are counted in. */
  readonly source: string;
  readonly SyntaxKind: typeof SyntaxKinds;
  /** The file's text with edits made. */
  readonly apply: (edits: readonly Edit[]) => string;
}

/** What is wrong with a file, and in which line. */
export interface Fault {
  readonly reason: string;
  readonly line: number;
}

/** Parses an author's file. */
export async function parse(text: string): Promise<Parsed | { readonly fault: Fault }> {
  // Loaded only here: it brings the compiler along.
  const { Project, SyntaxKind, ts } = await import('ts-morph');
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const source = text.slice(mark.length);
  const { diagnostics = [] } = ts.transpileModule(source, { reportDiagnostics: true });
  const [wrong] = diagnostics;
  if (wrong !== undefined) {
    const line = source.slice(0, wrong.start ?? 0).split('\n').length;
    return { fault: { reason: 'it does not parse', line } };
  }
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const tree = project.createSourceFile('author.ts', source);
  const apply = (edits: readonly Edit[]): string => {
    let result = source;
    for (const { at, insert } of [...edits].sort((a, b) => b.at - a.at)) {
      result = result.slice(0, at) + insert + result.slice(at);
    }
    return mark + result;
  };
  return { tree, source, SyntaxKind, apply };
}

/** Whether the module that an import names is a file: with or without an extension, or as the index of its folder. */
export function isModule(specifier: string, from: string): boolean {
  const plain = specifier.replace(/\.[cm]?[jt]s$/, '').replace(/\/$/, '');
  return plain === from || `${plain}/index` === from;
}

/** Under which name a file has imported something, as a value. */
export function importedFrom(tree: Tree, { name, exported = name, from }: Entry): string | undefined {
  const known = tree
    .getImportDeclarations()
    .filter((item) => !item.isTypeOnly() && isModule(item.getModuleSpecifierValue(), from))
    .flatMap((item) => item.getNamedImports())
    .find((item) => !item.isTypeOnly() && item.getName() === exported);
  return known === undefined ? undefined : (known.getAliasNode()?.getText() ?? exported);
}

/** Kinds of expressions whose value is that of the one inside. */
const TRANSPARENT: ReadonlySet<string> = new Set([
  'AsExpression',
  'SatisfiesExpression',
  'TypeAssertionExpression',
  'NonNullExpression',
  'ParenthesizedExpression',
]);

/** An expression without what only says of which type it is. */
export function unwrapped(expression: Expression | undefined): Expression | undefined {
  let inner = expression;
  for (;;) {
    if (inner === undefined || !TRANSPARENT.has(inner.getKindName())) return inner;
    inner = (inner as unknown as { getExpression: () => Expression }).getExpression();
  }
}

/** The members of a list, an object or a clause in braces. */
export interface Span {
  /** Where its first bracket is. */
  readonly start: number;
  /** Behind its last bracket. */
  readonly end: number;
  readonly members: readonly { readonly start: number; readonly end: number }[];
  /** Whether braces have a space inside. */
  readonly isBraced: boolean;
}

/** What a node holds, as {@link listEdit} takes it. */
export function spanOf(node: Node, members: readonly Node[]): Span {
  return {
    start: node.getStart(),
    end: node.getEnd(),
    members: members.map((one) => ({ start: one.getStart(), end: one.getEnd() })),
    isBraced: node.getText().startsWith('{'),
  };
}

/**
 * Adds a member in the style of the others: behind the last one, or behind another one.
 *
 * @param after - The index of the member that it comes after.
 */
export function listEdit(source: string, span: Span, name: string, after = span.members.length - 1): readonly Edit[] {
  const eol = eolOf(source);
  const last = span.members[after];
  const close = span.end - 1;
  if (last === undefined) {
    // A comment in an empty list stays before what is added.
    const inside = source.slice(span.start + 1, close);
    if (!inside.includes('\n')) {
      const pad = span.isBraced ? ' ' : '';
      if (inside.trim() !== '') return [{ at: close, insert: `${/\s$/.test(inside) ? '' : ' '}${name}${pad}` }];
      // Of the blank that is there one half is before what is added.
      return [{ at: span.start + 1, insert: inside === '' ? `${pad}${name}${pad}` : ` ${name}` }];
    }
    const at = close - (/\s*$/.exec(inside)?.[0].length ?? 0);
    return [{ at, insert: `${eol}${indentOf(source, span.start)}${unitOf(source)}${name},` }];
  }
  const behind = source.slice(last.end, span.members[after + 1]?.start ?? close);
  const comma = commaIn(behind);
  const isOnOwnLine = source.slice(span.start, last.start).includes('\n');
  if (!isOnOwnLine) {
    return comma === undefined
      ? [{ at: last.end, insert: `, ${name}` }]
      : [{ at: last.end + comma + 1, insert: ` ${name},` }];
  }
  const indent = indentOf(source, last.start);
  // Behind a comment that belongs to the last element.
  const at = endOfLine(source, last.end + (comma === undefined ? 0 : comma + 1), close);
  if (comma !== undefined) return [{ at, insert: `${eol}${indent}${name},` }];
  const line = { at, insert: `${eol}${indent}${name}` };
  return at === last.end ? [{ at, insert: `,${line.insert}` }] : [{ at: last.end, insert: ',' }, line];
}

/** Where a trailing comma is, outside comments. */
function commaIn(text: string): number | undefined {
  const found = /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*,/.exec(text);
  return found === null ? undefined : found[0].length - 1;
}

/** The end of the line at a place, if nothing but a comment follows on it; else the place itself. */
function endOfLine(source: string, at: number, limit: number): number {
  const rest = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)?[ \t]*(?=\r?\n)/.exec(source.slice(at, limit));
  return rest === null ? at : at + rest[0].trimEnd().length;
}

function indentOf(source: string, at: number): string {
  const start = source.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(source.slice(start, at))?.[0] ?? '';
}

/** One step of indentation, as the file has it. */
function unitOf(source: string): string {
  return /^(\t| {2,})\S/m.exec(source)?.[1] ?? '  ';
}

/** Adds an import behind the last one, in the style of those that are there. */
export function importEdit(
  source: string,
  tree: Tree,
  { name, exported = name, from }: Entry,
  otherwise = '.js',
): Edit {
  const eol = eolOf(source);
  const imports = tree.getImportDeclarations();
  const model = imports.filter((item) => item.getModuleSpecifierValue().startsWith('.')).at(-1) ?? imports.at(-1);
  const specifier = model?.getModuleSpecifier().getText() ?? '';
  const quote = /^["']/.exec(specifier)?.[0] ?? /["']/.exec(source)?.[0] ?? '"';
  const own = model?.getModuleSpecifierValue() ?? '';
  const extension = own.startsWith('.') ? (/\.[cm]?[jt]s$/.exec(own)?.[0] ?? '') : otherwise;
  const hasSemicolon =
    model === undefined ? source.includes(';') || source.trim() === '' : model.getText().endsWith(';');
  const what = exported === name ? name : `${exported} as ${name}`;
  const line = `import { ${what} } from ${quote}${from}${extension}${quote}${hasSemicolon ? ';' : ''}`;
  const last = imports.at(-1);
  if (last !== undefined)
    return { at: endOfLine(`${source}\n`, last.getEnd(), source.length + 1), insert: `${eol}${line}` };
  // Above everything but a line for the shell.
  const shell = /^#![^\n]*\n/.exec(source)?.[0].length ?? 0;
  return { at: shell, insert: `${line}${eol}${eol}` };
}

function eolOf(source: string): string {
  return source.includes('\r\n') ? '\r\n' : '\n';
}

import type { Expression, Node, SourceFile as Tree, VariableDeclaration } from 'ts-morph';

/** What is to stand in an index: a name, and the file that exports it. */
export interface Entry {
  /** What the file exports. */
  readonly name: string;
  /** Its path without extension, as the index names it: `./greet`. */
  readonly from: string;
  /** What the file calls it, if the index calls it otherwise. */
  readonly exported?: string;
}

/** How an index comes to name an entry. */
export type Registration =
  | { readonly status: 'added'; readonly text: string }
  | { readonly status: 'present' }
  /** The index is not of a form that is known; nothing was done. */
  | { readonly status: 'unknown'; readonly reason: string; readonly line: number };

/**
 * Adds an entry to the list that an index exports, through its syntax tree: an import after the last one, and an element
 * behind the last one, in the index's own style. All else stays as it is, to the byte.
 *
 * @param text - The author's file.
 * @param list - The name of the list: `tools`.
 */
export async function register(text: string, list: string, entry: Entry): Promise<Registration> {
  const { SyntaxKind } = await import('ts-morph');
  const parsed = await parse(text);
  if ('status' in parsed) return parsed;
  const { mark, source, tree, eol } = parsed;

  const isOwn = (specifier: string): boolean => specifier.replace(/\.[cm]?[jt]s$/, '') === entry.from;
  const imported = tree.getImportDeclarations().filter((item) => !item.isTypeOnly());
  const known = imported
    .filter((item) => isOwn(item.getModuleSpecifierValue()))
    .flatMap((item) => item.getNamedImports())
    .find((item) => item.getName() === (entry.exported ?? entry.name));
  const local = known?.getAliasNode()?.getText() ?? entry.name;

  const declaration = listIn(tree, list);
  if (declaration === undefined) return { status: 'unknown', reason: `it exports no list \`${list}\``, line: 1 };
  const initial = unwrapped(declaration.getInitializer());
  const array = initial?.asKind(SyntaxKind.ArrayLiteralExpression);
  if (array === undefined) {
    return {
      status: 'unknown',
      reason: `\`${list}\` is not written as a list`,
      line: declaration.getStartLineNumber(),
    };
  }
  const isListed = array.getElements().some((element) => element.getText() === local);
  if (isListed) return { status: 'present' };
  const isTaken = known === undefined && tree.getLocals().some((symbol) => symbol.getName() === entry.name);
  if (isTaken) {
    return {
      status: 'unknown',
      reason: `it has another \`${entry.name}\``,
      line: 1,
    };
  }

  const edits = [elementEdit(source, array, array.getElements(), local, eol)];
  if (known === undefined) edits.push(importEdit(source, tree, entry, eol));
  return { status: 'added', text: mark + edited(source, edits) };
}

/** A file of the author's as a tree. */
export interface Parsed {
  /** A byte order mark, or nothing. */
  readonly mark: string;
  /** What comes behind it. */
  readonly source: string;
  readonly tree: Tree;
  readonly eol: string;
}

/** Parses a file of the author's, if it is without fault. */
export async function parse(text: string): Promise<Parsed | (Registration & { readonly status: 'unknown' })> {
  // Loaded only here: it brings the compiler along.
  const { Project, ts } = await import('ts-morph');
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const source = text.slice(mark.length);
  const { diagnostics = [] } = ts.transpileModule(source, { reportDiagnostics: true });
  const [fault] = diagnostics;
  if (fault !== undefined) {
    const line = source.slice(0, fault.start ?? 0).split('\n').length;
    return { status: 'unknown', reason: 'it does not parse', line };
  }
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const eol = source.includes('\r\n') ? '\r\n' : '\n';
  return { mark, source, tree: project.createSourceFile('index.ts', source), eol };
}

/** Text to put in at a place. */
export interface Edit {
  readonly at: number;
  readonly insert: string;
}

/** A text with some edits, each at its place in the text as it was. */
export function edited(source: string, edits: readonly Edit[]): string {
  let result = source;
  for (const { at, insert } of [...edits].sort((a, b) => b.at - a.at)) {
    result = result.slice(0, at) + insert + result.slice(at);
  }
  return result;
}

/** The declaration of what an index exports under a name, also as `export { all as tools }`. */
function listIn(tree: Tree, name: string): VariableDeclaration | undefined {
  const specifiers = tree
    .getExportDeclarations()
    .filter((item) => item.getModuleSpecifier() === undefined && !item.isTypeOnly())
    .flatMap((item) => item.getNamedExports())
    .filter((item) => (item.getAliasNode()?.getText() ?? item.getName()) === name);
  const [specifier] = specifiers;
  if (specifier !== undefined) return tree.getVariableDeclaration(specifier.getName());
  const declaration = tree.getVariableDeclaration(name);
  return declaration?.getVariableStatement()?.isExported() === true ? declaration : undefined;
}

/** An expression without what only says of which type it is. */
export function unwrapped(expression: Expression | undefined): Expression | undefined {
  let inner = expression;
  for (;;) {
    const kind = inner?.getKindName();
    if (kind !== 'AsExpression' && kind !== 'SatisfiesExpression' && kind !== 'ParenthesizedExpression') return inner;
    inner = (inner as unknown as { getExpression: () => Expression }).getExpression();
  }
}

/**
 * Puts an element into a list or an object, in its own style.
 *
 * @param elements - Those before it; behind the last one of them it comes.
 */
export function elementEdit(source: string, array: Node, elements: readonly Node[], name: string, eol: string): Edit {
  const last = elements.at(-1);
  const close = array.getEnd() - 1;
  if (last === undefined) {
    // A comment in an empty list stays before what is added.
    const inside = source.slice(array.getStart() + 1, close);
    const padded = source.charAt(close) === '}' && inside.trim() === '' ? ` ${name} ` : name;
    if (!inside.includes('\n')) return { at: close, insert: inside.trim() === '' ? padded : ` ${name}` };
    const at = close - (/\s*$/.exec(inside)?.[0].length ?? 0);
    return { at, insert: `${eol}${indentOf(source, array.getStart())}${unitOf(source)}${name},` };
  }
  const behind = source.slice(last.getEnd(), close);
  const comma = commaIn(behind);
  const isOnOwnLine = source.slice(array.getStart(), last.getStart()).includes('\n');
  if (!isOnOwnLine) {
    return comma === undefined
      ? { at: last.getEnd(), insert: `, ${name}` }
      : { at: last.getEnd() + comma + 1, insert: ` ${name},` };
  }
  const indent = indentOf(source, last.getStart());
  if (comma !== undefined) {
    // Behind a comment that belongs to the last element.
    return { at: endOfLine(source, last.getEnd() + comma + 1, close), insert: `${eol}${indent}${name},` };
  }
  return { at: last.getEnd(), insert: `,${eol}${indent}${name}` };
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

/** Puts an import behind the last one, in the style of the others. */
export function importEdit(source: string, tree: Tree, { name, from, exported }: Entry, eol: string): Edit {
  const imports = tree.getImportDeclarations();
  const model = imports.filter((item) => item.getModuleSpecifierValue().startsWith('.')).at(-1) ?? imports.at(-1);
  const specifier = model?.getModuleSpecifier().getText() ?? '';
  const quote = /^["']/.exec(specifier)?.[0] ?? /["']/.exec(source)?.[0] ?? '"';
  const own = model?.getModuleSpecifierValue() ?? './x.js';
  const extension = own.startsWith('.') ? (/\.[cm]?[jt]s$/.exec(own)?.[0] ?? '') : '.js';
  const hasSemicolon =
    model === undefined ? source.includes(';') || source.trim() === '' : model.getText().endsWith(';');
  const local = exported === undefined || exported === name ? name : `${exported} as ${name}`;
  const line = `import { ${local} } from ${quote}${from}${extension}${quote}${hasSemicolon ? ';' : ''}`;
  const last = imports.at(-1);
  if (last !== undefined)
    return { at: endOfLine(`${source}\n`, last.getEnd(), source.length + 1), insert: `${eol}${line}` };
  // Above everything but a line for the shell.
  const shell = /^#![^\n]*\n/.exec(source)?.[0].length ?? 0;
  return { at: shell, insert: `${line}${eol}${eol}` };
}

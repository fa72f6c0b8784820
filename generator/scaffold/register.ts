import type { ArrayLiteralExpression, Expression, SourceFile as Tree, VariableDeclaration } from 'ts-morph';

/** What is to stand in an index: a name, and the file that exports it. */
export interface Entry {
  /** What the file exports. */
  readonly name: string;
  /** Its path without extension, as the index names it: `./greet`. */
  readonly from: string;
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
  // Loaded only here: it brings the compiler along.
  const { Project, SyntaxKind, ts } = await import('ts-morph');
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const source = text.slice(mark.length);
  const { diagnostics = [] } = ts.transpileModule(source, { reportDiagnostics: true });
  const [fault] = diagnostics;
  if (fault !== undefined) {
    const line = source.slice(0, fault.start ?? 0).split('\n').length;
    return { status: 'unknown', reason: 'it does not parse', line };
  }
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const tree = project.createSourceFile('index.ts', source);

  const isOwn = (specifier: string): boolean => specifier.replace(/\.[cm]?[jt]s$/, '') === entry.from;
  const imported = tree.getImportDeclarations().filter((item) => !item.isTypeOnly());
  const known = imported
    .filter((item) => isOwn(item.getModuleSpecifierValue()))
    .flatMap((item) => item.getNamedImports())
    .find((item) => item.getName() === entry.name);
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

  const eol = source.includes('\r\n') ? '\r\n' : '\n';
  const edits = [elementEdit(source, array, local, eol)];
  if (known === undefined) edits.push(importEdit(source, tree, entry, eol));
  edits.sort((a, b) => b.at - a.at);
  let result = source;
  for (const { at, insert } of edits) result = result.slice(0, at) + insert + result.slice(at);
  return { status: 'added', text: mark + result };
}

interface Edit {
  readonly at: number;
  readonly insert: string;
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
function unwrapped(expression: Expression | undefined): Expression | undefined {
  let inner = expression;
  for (;;) {
    const kind = inner?.getKindName();
    if (kind !== 'AsExpression' && kind !== 'SatisfiesExpression' && kind !== 'ParenthesizedExpression') return inner;
    inner = (inner as unknown as { getExpression: () => Expression }).getExpression();
  }
}

function elementEdit(source: string, array: ArrayLiteralExpression, name: string, eol: string): Edit {
  const elements = array.getElements();
  const last = elements.at(-1);
  const close = array.getEnd() - 1;
  if (last === undefined) {
    // A comment in an empty list stays before what is added.
    const inside = source.slice(array.getStart() + 1, close);
    if (!inside.includes('\n')) return { at: close, insert: inside.trim() === '' ? name : ` ${name}` };
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

function importEdit(source: string, tree: Tree, { name, from }: Entry, eol: string): Edit {
  const imports = tree.getImportDeclarations();
  const model = imports.filter((item) => item.getModuleSpecifierValue().startsWith('.')).at(-1) ?? imports.at(-1);
  const specifier = model?.getModuleSpecifier().getText() ?? '';
  const quote = /^["']/.exec(specifier)?.[0] ?? /["']/.exec(source)?.[0] ?? '"';
  const own = model?.getModuleSpecifierValue() ?? './x.js';
  const extension = own.startsWith('.') ? (/\.[cm]?[jt]s$/.exec(own)?.[0] ?? '') : '.js';
  const hasSemicolon =
    model === undefined ? source.includes(';') || source.trim() === '' : model.getText().endsWith(';');
  const line = `import { ${name} } from ${quote}${from}${extension}${quote}${hasSemicolon ? ';' : ''}`;
  const last = imports.at(-1);
  if (last !== undefined)
    return { at: endOfLine(`${source}\n`, last.getEnd(), source.length + 1), insert: `${eol}${line}` };
  // Above everything but a line for the shell.
  const shell = /^#![^\n]*\n/.exec(source)?.[0].length ?? 0;
  return { at: shell, insert: `${line}${eol}${eol}` };
}

import type { Expression, Node, SourceFile as Tree, SyntaxKind as SyntaxKinds } from 'ts-morph';

/** An import to add: an export and its file. */
export interface ImportedEntry {
  /** Its local name. */
  readonly name: string;
  /** Its exported name, if different. */
  readonly exported?: string;
  /** The module specifier without extension: `./greet`. */
  readonly from: string;
}

/** A text to insert, after the removal of some characters if `remove` says so. */
export interface Edit {
  readonly offset: number;
  readonly insert: string;
  /** How many characters are removed at the offset; none by default. */
  readonly remove?: number;
}

/** An author's file as a syntax tree. */
export interface ParsedSource {
  readonly tree: Tree;
  /** The text without a byte order mark; positions in the tree refer to it. */
  readonly source: string;
  readonly SyntaxKind: typeof SyntaxKinds;
  /** The file's text with edits applied. */
  readonly apply: (edits: readonly Edit[]) => string;
}

/** The reason why a file cannot be edited, with its line. */
export interface EditFault {
  readonly reason: string;
  readonly line: number;
}

/** Parses an author's file. */
export async function parseSource(text: string): Promise<ParsedSource | { readonly fault: EditFault }> {
  // Imported on demand: it includes the compiler.
  const { Project, SyntaxKind, ts } = await import('ts-morph');
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const source = text.slice(mark.length);
  const { diagnostics = [] } = ts.transpileModule(source, { reportDiagnostics: true });
  const [wrong] = diagnostics;
  if (wrong !== undefined) {
    const line = source.slice(0, wrong.start ?? 0).split('\n').length;
    return { fault: { reason: 'it has a syntax error', line } };
  }
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const tree = project.createSourceFile('author.ts', source);
  const apply = (edits: readonly Edit[]): string => {
    let result = source;
    for (const { offset, insert, remove = 0 } of [...edits].sort((a, b) => b.offset - a.offset)) {
      result = result.slice(0, offset) + insert + result.slice(offset + remove);
    }
    return mark + result;
  };
  return { tree, source, SyntaxKind, apply };
}

/** A TypeScript or JavaScript file, or a module specifier, without its extension. */
export function withoutExtension(file: string): string {
  return file.replace(/\.[cm]?[jt]s$/, '');
}

/** Whether a module specifier is a file: with or without extension, or as the index of its folder. */
export function isModuleSpecifier(specifier: string, from: string): boolean {
  const plain = withoutExtension(specifier).replace(/\/$/, '');
  return plain === from || `${plain}/index` === from;
}

/** The local name under which a file imports a value. */
export function importedFrom(tree: Tree, { name, exported = name, from }: ImportedEntry): string | undefined {
  const known = tree
    .getImportDeclarations()
    .filter((item) => !item.isTypeOnly() && isModuleSpecifier(item.getModuleSpecifierValue(), from))
    .flatMap((item) => item.getNamedImports())
    .find((item) => !item.isTypeOnly() && item.getName() === exported);
  return known === undefined ? undefined : (known.getAliasNode()?.getText() ?? exported);
}

/** Kinds of expressions that only wrap another one. */
const TRANSPARENT_NODES: ReadonlySet<string> = new Set([
  'AsExpression',
  'SatisfiesExpression',
  'TypeAssertionExpression',
  'NonNullExpression',
  'ParenthesizedExpression',
]);

/** An expression without type assertions and parentheses. */
export function unwrapExpression(expression: Expression | undefined): Expression | undefined {
  let inner = expression;
  for (;;) {
    if (inner === undefined || !TRANSPARENT_NODES.has(inner.getKindName())) return inner;
    inner = (inner as unknown as { getExpression: () => Expression }).getExpression();
  }
}

/** The members of a list, an object or a clause in braces. */
export interface ListSpan {
  /** The offset of its opening bracket. */
  readonly start: number;
  /** The offset after its closing bracket. */
  readonly end: number;
  readonly members: readonly { readonly start: number; readonly end: number }[];
  /** Whether braces have a space inside. */
  readonly isBraced: boolean;
}

/** The members of a node, for {@link listEdit}. */
export function listSpan(node: Node, members: readonly Node[]): ListSpan {
  return {
    start: node.getStart(),
    end: node.getEnd(),
    members: members.map((one) => ({ start: one.getStart(), end: one.getEnd() })),
    isBraced: node.getText().startsWith('{'),
  };
}

/**
 * Adds a member in the style of the others: after the last one, or after a given one.
 *
 * @param after - The index of the preceding member.
 */
export function listEdit(
  source: string,
  span: ListSpan,
  name: string,
  after = span.members.length - 1,
): readonly Edit[] {
  const eol = lineEnding(source);
  const last = span.members[after];
  const close = span.end - 1;
  if (last === undefined) {
    // A comment in an empty list stays before the new member.
    const inside = source.slice(span.start + 1, close);
    if (!inside.includes('\n')) {
      const pad = span.isBraced ? ' ' : '';
      if (inside.trim() !== '') return [{ offset: close, insert: `${/\s$/.test(inside) ? '' : ' '}${name}${pad}` }];
      // Half of the existing spaces go before the new member.
      return [{ offset: span.start + 1, insert: inside === '' ? `${pad}${name}${pad}` : ` ${name}` }];
    }
    const offset = close - (/\s*$/.exec(inside)?.[0].length ?? 0);
    return [{ offset, insert: `${eol}${indentOf(source, span.start)}${indentUnit(source)}${name},` }];
  }
  const behind = source.slice(last.end, span.members[after + 1]?.start ?? close);
  const comma = findComma(behind);
  const isOnOwnLine = source.slice(span.start, last.start).includes('\n');
  if (!isOnOwnLine) {
    return comma === undefined
      ? [{ offset: last.end, insert: `, ${name}` }]
      : [{ offset: last.end + comma + 1, insert: ` ${name},` }];
  }
  const indent = indentOf(source, last.start);
  // After a comment that belongs to the last element.
  const offset = endOfLine(source, last.end + (comma === undefined ? 0 : comma + 1), close);
  if (comma !== undefined) return [{ offset, insert: `${eol}${indent}${name},` }];
  const line = { offset, insert: `${eol}${indent}${name}` };
  return offset === last.end ? [{ offset, insert: `,${line.insert}` }] : [{ offset: last.end, insert: ',' }, line];
}

/**
 * Removes a member with its comma. If nothing else is on its line, the line is removed, with a comment at its end;
 * comments above it stay.
 */
export function removalEdits(source: string, span: ListSpan, index: number): readonly Edit[] {
  const member = span.members[index];
  if (member === undefined) return [];
  const close = span.end - 1;
  const before = span.members[index - 1];
  const after = span.members[index + 1];
  const comma = findComma(source.slice(member.end, after?.start ?? close));
  const end = member.end + (comma === undefined ? 0 : comma + 1);
  // The last member without a comma: the one before it has none either then.
  const extra: Edit[] = [];
  if (comma === undefined && before !== undefined) {
    const own = findComma(source.slice(before.end, member.start));
    if (own !== undefined) extra.push({ offset: before.end + own, insert: '', remove: 1 });
  }
  const lineStart = source.lastIndexOf('\n', member.start - 1) + 1;
  const lineEnd = endOfLine(source, end, close);
  const rest = /^[ \t]*\r?\n/.exec(source.slice(lineEnd, close + 1))?.[0];
  if (lineStart > span.start && source.slice(lineStart, member.start).trim() === '' && rest !== undefined) {
    return [...extra, { offset: lineStart, insert: '', remove: lineEnd + rest.length - lineStart }];
  }
  // In one line with others: with the space after it, or before it if it is the last.
  const spaceAfter = /^[ \t]*/.exec(source.slice(end, after?.start ?? end))?.[0].length ?? 0;
  if (after !== undefined) return [{ offset: member.start, insert: '', remove: end + spaceAfter - member.start }];
  const gap = before === undefined ? member.start : member.start - spacesBefore(source, member.start);
  return [...extra, { offset: gap, insert: '', remove: end - gap }];
}

function spacesBefore(source: string, offset: number): number {
  return /[ \t]*$/.exec(source.slice(0, offset))?.[0].length ?? 0;
}

/** The offset of a trailing comma, outside comments. */
function findComma(text: string): number | undefined {
  const found = /^(?:\s|\/\/[^\n]*\n|\/\*[^]*?\*\/)*,/.exec(text);
  return found === null ? undefined : found[0].length - 1;
}

/** The end of the line at an offset if only a comment follows, else the offset itself. */
function endOfLine(source: string, offset: number, limit: number): number {
  const rest = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/)?[ \t]*(?=\r?\n)/.exec(source.slice(offset, limit));
  return rest === null ? offset : offset + rest[0].trimEnd().length;
}

function indentOf(source: string, offset: number): string {
  const start = source.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(source.slice(start, offset))?.[0] ?? '';
}

/** The indentation unit of the file. */
function indentUnit(source: string): string {
  return /^(\t| {2,})\S/m.exec(source)?.[1] ?? '  ';
}

/** Adds an import after the last one, in the style of the existing ones. */
export function importEdit(
  source: string,
  tree: Tree,
  { name, exported = name, from }: ImportedEntry,
  otherwise = '.js',
): Edit {
  const eol = lineEnding(source);
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
    return { offset: endOfLine(`${source}\n`, last.getEnd(), source.length + 1), insert: `${eol}${line}` };
  // At the top, but after a shebang line.
  const shell = /^#![^\n]*\n/.exec(source)?.[0].length ?? 0;
  return { offset: shell, insert: `${line}${eol}${eol}` };
}

function lineEnding(source: string): string {
  return source.includes('\r\n') ? '\r\n' : '\n';
}

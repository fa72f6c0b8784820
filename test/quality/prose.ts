import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A piece of prose, with the line that it begins on. */
export interface Prose {
  readonly line: number;
  readonly text: string;
}

/** Functions of Vitest whose first argument is a title, or that return such a function. */
const TITLED = new Set(['describe', 'it', 'test', 'provesCase']);

/** The comments of a TypeScript file and, if `strings`, its strings without module names. */
function proseOfCode(source: ts.SourceFile, { strings }: { readonly strings: boolean }): readonly Prose[] {
  const prose: Prose[] = [];
  const add = (position: number, text: string): void => {
    prose.push({ line: source.getLineAndCharacterOfPosition(position).line + 1, text });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length > 0) {
      if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) children.forEach(visit);
      else addComments(node);
      return;
    }
    addComments(node);
    if (!strings) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      add(node.getStart(source), node.text);
  };
  const addComments = (node: ts.Node): void => {
    const comment = source.text.slice(node.pos, node.getStart(source));
    if (comment.includes('/')) add(node.pos + comment.search(/\S/), comment);
  };
  visit(source);
  return prose;
}

/** The titles and comments of a test file. */
function proseOfTest(source: ts.SourceFile): readonly Prose[] {
  const prose = [...proseOfCode(source, { strings: false })];
  const rootOf = (node: ts.Expression): string => {
    if (ts.isIdentifier(node)) return node.text;
    if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) return rootOf(node.expression);
    return '';
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && TITLED.has(rootOf(node.expression))) {
      for (const argument of node.arguments) {
        if (!ts.isStringLiteralLike(argument)) continue;
        prose.push({ line: source.getLineAndCharacterOfPosition(argument.pos).line + 1, text: argument.text });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return prose;
}

/** The prose of a Markdown file: no code, be it in a block or within a line. */
function proseOfMarkdown(text: string): readonly Prose[] {
  const withoutBlocks = text.replaceAll(/^( *)(`{3,})[^]*?^\1\2 *$/gm, (block) =>
    '\n'.repeat(block.split('\n').length - 1),
  );
  // A paragraph is one piece, since a phrase may run over the end of a line.
  return [...withoutBlocks.matchAll(/(?:.+\n?)+/g)].map((match) => ({
    line: withoutBlocks.slice(0, match.index).split('\n').length,
    text: match[0].replaceAll(/`[^`\n]*`/g, '`code`'),
  }));
}

export function proseOf(file: string): readonly Prose[] {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.md')) return proseOfMarkdown(text);
  if (!/\.(?:ts|mjs|js)$/.test(file))
    return text.split('\n').map((content, index) => ({ line: index + 1, text: content }));
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return file.startsWith('test/') ? proseOfTest(source) : proseOfCode(source, { strings: true });
}

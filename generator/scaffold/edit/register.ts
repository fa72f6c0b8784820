import type { SourceFile as Tree, VariableDeclaration } from 'ts-morph';
import {
  importedFrom,
  importEdit,
  listEdit,
  parseSource,
  listSpan,
  unwrapExpression,
  type ImportedEntry,
} from './edits.js';

/** The result of registering an entry. */
export type Registration =
  | { readonly status: 'added'; readonly text: string }
  | { readonly status: 'present' }
  /** The index has an unsupported form, and was not changed. */
  | { readonly status: 'unknown'; readonly reason: string; readonly line: number };

/**
 * Adds an entry to the list that an index exports through the syntax tree: an import and an element, each after the
 * last one, in the style of the index. Everything else is unchanged.
 *
 * @param text - The author's file.
 * @param list - The name of the list: `tools`.
 * @param extension - Extension of imported files if the index has no imports.
 */
export async function registerInList(
  text: string,
  list: string,
  entry: ImportedEntry,
  extension = '.js',
): Promise<Registration> {
  const parsed = await parseSource(text);
  if ('fault' in parsed) return { status: 'unknown', ...parsed.fault };
  const { tree, source } = parsed;

  const known = importedFrom(tree, entry);
  const local = known ?? entry.name;

  const declaration = findListDeclaration(tree, list);
  if (declaration === undefined) return { status: 'unknown', reason: `it does not export a list \`${list}\``, line: 1 };
  const initial = unwrapExpression(declaration.getInitializer());
  const array = initial?.asKind(parsed.SyntaxKind.ArrayLiteralExpression);
  if (array === undefined) {
    return {
      status: 'unknown',
      reason: `\`${list}\` is not an array literal`,
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

  const edits = [...listEdit(source, listSpan(array, array.getElements()), local)];
  if (known === undefined) edits.push(importEdit(source, tree, entry, extension));
  return { status: 'added', text: parsed.apply(edits) };
}

/** The declaration of an export of the index, including `export { all as tools }`. */
export function findListDeclaration(tree: Tree, name: string): VariableDeclaration | undefined {
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

/**
 * The tool, resource or prompt that an author's file exports: the one with the wanted identifier, or the only result of
 * a `define` function. Its name is undefined if it is not a string literal.
 */
export async function findDefineCall(
  text: string,
  wanted: string,
): Promise<{ readonly identifier: string; readonly name: string | undefined } | undefined> {
  const parsed = await parseSource(text);
  if ('fault' in parsed) return undefined;
  const { tree, SyntaxKind } = parsed;
  const found = [...tree.getExportedDeclarations()].map(([identifier, [declaration]]) => {
    const call = unwrapExpression(declaration?.asKind(SyntaxKind.VariableDeclaration)?.getInitializer())?.asKind(
      SyntaxKind.CallExpression,
    );
    const given = call?.getArguments()[0]?.asKind(SyntaxKind.ObjectLiteralExpression)?.getProperty('name');
    const name = given?.asKind(SyntaxKind.PropertyAssignment)?.getInitializer();
    return {
      identifier,
      isDefined: /^define\w+$/.test(call?.getExpression().getText() ?? ''),
      name: (
        name?.asKind(SyntaxKind.StringLiteral) ?? name?.asKind(SyntaxKind.NoSubstitutionTemplateLiteral)
      )?.getLiteralText(),
    };
  });
  const defined = found.filter(({ isDefined }) => isDefined);
  const one = found.find(({ identifier }) => identifier === wanted) ?? (defined.length === 1 ? defined[0] : undefined);
  return one === undefined ? undefined : { identifier: one.identifier, name: one.name };
}

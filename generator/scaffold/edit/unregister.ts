import type { ImportSpecifier } from 'ts-morph';
import { findListDeclaration, type Registration } from './register.js';
import { listSpan, parseSource, removalEdits, unwrapExpression, type Edit, type ParsedSource } from './edits.js';

/** The result of removing an entry from a list. */
export type Removal =
  | { readonly status: 'removed'; readonly text: string }
  /** The index has an unsupported form, and was not changed. */
  | (Registration & { readonly status: 'unknown' });

/** An element of a list, and where the index imports it from. */
export interface ListEntry {
  /** The local name in the index. */
  readonly local: string;
  /** The exported name in its file. */
  readonly exported: string;
  /** The module specifier: `./greet.js`. */
  readonly from: string;
}

/** The imported elements of the list that an index exports. Others, such as spread ones, are left out. */
export async function findListEntries(text: string, list: string): Promise<readonly ListEntry[]> {
  const parsed = await parseSource(text);
  if ('fault' in parsed) return [];
  const imports = importSpecifiers(parsed);
  return (listElements(parsed, list)?.elements ?? []).flatMap((element) => {
    const specifier = imports.get(element.getText());
    if (specifier === undefined) return [];
    return [
      {
        local: element.getText(),
        exported: specifier.getName(),
        from: specifier.getImportDeclaration().getModuleSpecifierValue(),
      },
    ];
  });
}

/**
 * Removes an entry from the list that an index exports through the syntax tree, with its import. Everything else is
 * unchanged.
 *
 * @param text - The author's file.
 * @param list - The name of the list: `tools`.
 */
export async function unregisterFromList(text: string, list: string, { local }: ListEntry): Promise<Removal> {
  const parsed = await parseSource(text);
  if ('fault' in parsed) return { status: 'unknown', ...parsed.fault };
  const { source, SyntaxKind, tree } = parsed;
  const found = listElements(parsed, list);
  const index = found?.elements.findIndex((element) => element.getText() === local) ?? -1;
  const specifier = importSpecifiers(parsed).get(local);
  if (found === undefined || index === -1 || specifier === undefined)
    return { status: 'unknown', reason: `it has no \`${local}\` in the list \`${list}\``, line: 1 };
  const element = found.elements[index];
  const other = tree
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .find((node) => node.getText() === local && node !== element && node.getParent() !== specifier);
  if (other !== undefined)
    return { status: 'unknown', reason: `it uses \`${local}\` here too`, line: other.getStartLineNumber() };
  const edits = [
    ...removalEdits(source, listSpan(found.array, found.elements), index),
    ...importRemoval(source, specifier),
  ];
  return { status: 'removed', text: parsed.apply(edits) };
}

/** The list and its elements; undefined if the index does not export it as an array literal. */
function listElements(parsed: ParsedSource, list: string) {
  const array = unwrapExpression(findListDeclaration(parsed.tree, list)?.getInitializer())?.asKind(
    parsed.SyntaxKind.ArrayLiteralExpression,
  );
  return array === undefined ? undefined : { array, elements: array.getElements() };
}

/** The named imports of values, by their local names. */
function importSpecifiers({ tree }: ParsedSource): ReadonlyMap<string, ImportSpecifier> {
  const specifiers = tree
    .getImportDeclarations()
    .filter((item) => !item.isTypeOnly())
    .flatMap((item) => item.getNamedImports());
  return new Map(specifiers.map((item) => [item.getAliasNode()?.getText() ?? item.getName(), item]));
}

/** Removes an import: its whole line, or one name of several. */
function importRemoval(source: string, specifier: ImportSpecifier): readonly Edit[] {
  const declaration = specifier.getImportDeclaration();
  const names = declaration.getNamedImports();
  const isAlone =
    names.length === 1 &&
    declaration.getDefaultImport() === undefined &&
    declaration.getNamespaceImport() === undefined;
  const clause = specifier.getParentOrThrow();
  if (!isAlone) return removalEdits(source, listSpan(clause, names), names.indexOf(specifier));
  const start = declaration.getStart();
  const rest = /^[ \t]*(?:\/\/[^\r\n]*)?(?:\r?\n|$)/.exec(source.slice(declaration.getEnd()))?.[0] ?? '';
  return [{ offset: start, insert: '', remove: declaration.getEnd() + rest.length - start }];
}

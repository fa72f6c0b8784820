import type { SourceFile as Tree } from 'ts-morph';
import { listEdit, parseSource, listSpan, unwrapExpression } from './edits.js';
import { revisionIdentifier } from '../../model/naming.js';
import { registerInList, type Registration } from './register.js';

/**
 * Adds a revision to `src/protocol.ts`, which lists the revisions of a project: its import, its entry in the list, and,
 * if it is the newest, its types instead of the previous ones.
 *
 * @param text - The author's file.
 * @param generated - Path of the generated code from the file.
 * @param keepsTypes - Whether the types stay those of the current revision.
 */
export async function addRevisionToProtocol(
  text: string,
  revision: string,
  generated: string,
  keepsTypes: boolean,
): Promise<Registration> {
  const [exported = 'revision'] = /\b(?:server|client)Revision\b/.exec(text) ?? [];
  const entry = { name: revisionIdentifier(revision), exported, from: `${generated}/${revision}/revision` };
  const result = await registerInList(text, 'revisions', entry);
  if (result.status !== 'added' || keepsTypes) return result;
  const parsed = await parseSource(result.text);
  if ('fault' in parsed) return { status: 'unknown', ...parsed.fault };
  const { source, tree } = parsed;
  const types = findTypeImports(tree, generated);
  if (types.some((item) => item.revision > revision)) return result;
  let moved = source;
  for (const { at: offset, length } of types.sort((a, b) => b.at - a.at)) {
    moved = moved.slice(0, offset) + revision + moved.slice(offset + length);
  }
  return { status: 'added', text: result.text.slice(0, result.text.length - source.length) + moved };
}

/** The places of revision names in imports and exports of the code generated for one side. */
function findTypeImports(tree: Tree, generated: string): { at: number; length: number; revision: string }[] {
  const declarations = [...tree.getImportDeclarations(), ...tree.getExportDeclarations()];
  return declarations.flatMap((declaration) => {
    const specifier = declaration.getModuleSpecifier();
    const value = declaration.getModuleSpecifierValue() ?? '';
    if (specifier === undefined || !value.startsWith(`${generated}/`)) return [];
    const [, revision = ''] =
      /^([^/]+)\/(?:server|client)(?:\.[cm]?[jt]s)?$/.exec(value.slice(generated.length + 1)) ?? [];
    if (revision === '') return [];
    return [{ at: specifier.getStart() + 1 + generated.length + 1, length: revision.length, revision }];
  });
}

/**
 * Adds a revision to the list `revisions` of a config in JSON.
 *
 * @param text - The config.
 */
export async function addRevisionToConfig(text: string, revision: string): Promise<Registration> {
  // A bare object literal would be parsed as a block.
  const start = 'export const config = ';
  const parsed = await parseSource(start + text);
  if ('fault' in parsed) return { status: 'unknown', ...parsed.fault };
  const { tree, SyntaxKind } = parsed;
  const object = unwrapExpression(tree.getVariableDeclaration('config')?.getInitializer())?.asKind(
    SyntaxKind.ObjectLiteralExpression,
  );
  const member = object
    ?.getProperties()
    .find((item) =>
      /^["']?revisions["']?$/.test(item.asKind(SyntaxKind.PropertyAssignment)?.getNameNode().getText() ?? ''),
    );
  const list = member
    ?.asKind(SyntaxKind.PropertyAssignment)
    ?.getInitializer()
    ?.asKind(SyntaxKind.ArrayLiteralExpression);
  if (list === undefined) return { status: 'unknown', reason: 'it has no list `revisions`', line: 1 };
  const elements = list.getElements();
  const own = elements.map((item) => item.asKind(SyntaxKind.StringLiteral)?.getLiteralText());
  if (own.includes(revision)) return { status: 'present' };
  const edits = listEdit(parsed.source, listSpan(list, elements), JSON.stringify(revision));
  return { status: 'added', text: parsed.apply(edits).slice(start.length) };
}

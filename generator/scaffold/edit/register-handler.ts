import type { CallExpression, Expression, Node, ObjectLiteralExpression, SourceFile as Tree } from 'ts-morph';
import {
  importedFrom,
  importEdit,
  listEdit,
  parseSource,
  listSpan,
  unwrapExpression,
  type ImportedEntry,
} from './edits.js';
import type { MessageKind, Side } from '../../model/protocol.js';
import type { Registration } from './register.js';

/** Where handlers are registered: in the call that creates a server or client, or in a separate object. */
export type HandlerTarget =
  | { readonly maker: 'createServer' | 'createClient'; readonly member: 'handlers' | 'notifications' }
  | { readonly object: string };

/** The result of registering a handler. */
export type HandlerRegistration =
  | Registration
  /** The handlers are in another file: its module specifier and exported name. */
  | { readonly status: 'elsewhere'; readonly from: string; readonly object: string };

/** A handler that a file exports: an object with the method as its key. */
export interface HandlerEntry extends ImportedEntry {
  readonly method: string;
}

/** Where the handlers of a side are, as `mcpgen init` writes it. */
export function handlerTarget(side: Side, kind: MessageKind): HandlerTarget {
  return {
    maker: side === 'server' ? 'createServer' : 'createClient',
    member: kind === 'request' ? 'handlers' : 'notifications',
  };
}

/**
 * Adds a handler to those of a server or client through the syntax tree: an import, and `...name` after the last of
 * them. Everything else is unchanged.
 *
 * @param text - The author's file.
 */
export async function registerHandler(
  text: string,
  place: HandlerTarget,
  entry: HandlerEntry,
): Promise<HandlerRegistration> {
  const parsed = await parseSource(text);
  if ('fault' in parsed) return { status: 'unknown', ...parsed.fault };
  const { source, tree, SyntaxKind } = parsed;
  const isTaken = tree.getLocals().some((symbol) => symbol.getName() === entry.name);
  const isImported = importedFrom(tree, entry) === entry.name;
  if (isTaken && !isImported) return { status: 'unknown', reason: `it has another \`${entry.name}\``, line: 1 };
  const withImport = (object: ObjectLiteralExpression, code: string, after?: number): Registration => {
    const edits = [...listEdit(source, listSpan(object, object.getProperties()), code, after)];
    if (!isImported) edits.push(importEdit(source, tree, entry));
    return { status: 'added', text: parsed.apply(edits) };
  };
  const into = (object: ObjectLiteralExpression): Registration =>
    hasHandler(object, entry) ? { status: 'present' } : withImport(object, `...${entry.name}`);

  if ('object' in place) {
    const declaration = tree.getVariableDeclaration(place.object);
    const object = unwrapExpression(declaration?.getInitializer())?.asKind(SyntaxKind.ObjectLiteralExpression);
    if (object !== undefined) return into(object);
    const line = declaration?.getStartLineNumber() ?? 1;
    return { status: 'unknown', reason: `it has no object \`${place.object}\``, line };
  }
  const options = findFactoryCall(tree, place.maker, SyntaxKind.CallExpression)
    ?.getArguments()[0]
    ?.asKind(SyntaxKind.ObjectLiteralExpression);
  if (options === undefined) {
    return { status: 'unknown', reason: `it does not call ${place.maker} with an object`, line: 1 };
  }
  const member = options.getProperty(place.member);
  if (member === undefined) {
    const properties = options.getProperties();
    const handlers = properties.findIndex((item) => memberKey(item) === 'handlers');
    return withImport(options, `${place.member}: { ...${entry.name} }`, handlers === -1 ? undefined : handlers);
  }
  const line = member.getStartLineNumber();
  const value: Expression | undefined = member.isKind(SyntaxKind.PropertyAssignment)
    ? unwrapExpression(member.getInitializer())
    : member.isKind(SyntaxKind.ShorthandPropertyAssignment)
      ? member.getNameNode()
      : undefined;
  const object = value?.asKind(SyntaxKind.ObjectLiteralExpression);
  if (object !== undefined) return into(object);
  const name = value?.asKind(SyntaxKind.Identifier)?.getText();
  if (name !== undefined) {
    const local = unwrapExpression(tree.getVariableDeclaration(name)?.getInitializer());
    const own = local?.asKind(SyntaxKind.ObjectLiteralExpression);
    if (own !== undefined) return into(own);
    for (const item of tree.getImportDeclarations()) {
      const specifier = item.getNamedImports().find((one) => (one.getAliasNode()?.getText() ?? one.getName()) === name);
      const from = item.getModuleSpecifierValue();
      if (specifier !== undefined && from.startsWith('.'))
        return { status: 'elsewhere', from, object: specifier.getName() };
    }
  }
  return { status: 'unknown', reason: `its \`${place.member}\` are not an object literal`, line };
}

/** Whether an object already has a handler, by its name or its method. */
function hasHandler(object: ObjectLiteralExpression, { name, method }: HandlerEntry): boolean {
  return object.getProperties().some((item) => item.getText() === `...${name}` || memberKey(item) === method);
}

/** The name of a member, without quotes. */
function memberKey(member: Node): string | undefined {
  const node = (member as { getNameNode?: () => Node }).getNameNode?.();
  return node?.getText().replaceAll(/^["']|["']$/g, '');
}

function findFactoryCall(
  tree: Tree,
  maker: string,
  kind: Parameters<Tree['getDescendantsOfKind']>[0],
): CallExpression | undefined {
  const calls = tree.getDescendantsOfKind(kind) as unknown as readonly CallExpression[];
  return calls.find((call) => call.getExpression().getText() === maker);
}

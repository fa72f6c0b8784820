import type { Expression, Node, ObjectLiteralExpression } from 'ts-morph';
import type { Addable } from './addition.js';
import {
  importedFrom,
  importEdit,
  isModuleSpecifier,
  listEdit,
  parseSource,
  listSpan,
  unwrapExpression,
  type Edit,
  type EditFault,
  type ParsedSource,
} from './edits.js';

/** The result of connecting a list to a server. */
export type Connection =
  | { readonly status: 'added'; readonly text: string }
  | { readonly status: 'present' }
  /** The file has an unsupported form, and was not changed. */
  | ({ readonly status: 'unknown'; readonly byHand: readonly string[] } & EditFault);

/** A list to connect to a server. */
export interface ListToServe {
  readonly kind: Addable;
  /** The module specifier of the registry without extension: `./generated/runtime/registry`. */
  readonly registry: string;
  /** Extension of imported files, including the dot. */
  readonly extension: string;
}

/** The methods that each list handles. */
const METHODS_BY_KIND: Readonly<Record<Addable, readonly string[]>> = {
  tool: ['tools/list', 'tools/call'],
  resource: ['resources/list', 'resources/templates/list', 'resources/read'],
  prompt: ['prompts/list', 'prompts/get'],
};

const HANDLERS_EXPORT = /\b(?:tool|resource|prompt)Handlers$/;

/** Modules of Node that export another `createServer`. */
const NODE_MODULE = /^(?:node:|(?:https?|http2|net|tls)$)/;

/**
 * Connects a list to a server through the syntax tree: spreads the handlers of the list into the handlers of
 * `createServer`, and adds the imports. Everything else is unchanged.
 *
 * @param text - The author's file, `src/server.ts`.
 */
export async function connectListToServer(text: string, served: ListToServe): Promise<Connection> {
  const list = `${served.kind}s`;
  const make = `${served.kind}Handlers`;
  const from = `./${list}/index`;
  const imports = [`import { ${list} } from "${from}${served.extension}";`];
  const byHand = [
    `import { ${make} } from "${served.registry}${served.extension}";`,
    ...imports,
    `...${make}(${list}),  // in the handlers`,
  ];
  const unknown = (fault: EditFault, lines: readonly string[] = byHand): Connection => ({
    status: 'unknown',
    byHand: lines,
    ...fault,
  });

  const parsed = await parseSource(text);
  if ('fault' in parsed) return unknown(parsed.fault);
  const { tree, source, SyntaxKind } = parsed;
  const known = importedFrom(tree, { name: list, from });
  const factory = findHandlerFactory(parsed, make, served.registry);

  const calls = tree
    .getDescendantsOfKind(SyntaxKind.CallExpression)
    .filter((call) => factory.known !== undefined && call.getExpression().getText() === factory.known);
  const [call] = calls;
  if (call !== undefined) {
    const isOurs = (node: Node): boolean => known !== undefined && node.getText() === known;
    const isServed = calls.some((one) =>
      one.getArguments().some((given) => isOurs(given) || given.getDescendants().some(isOurs)),
    );
    if (isServed) return { status: 'present' };
    const line = call.getStartLineNumber();
    return unknown({ reason: `it calls \`${make}\` with another list`, line }, [
      ...imports,
      `...${list},  // in the list passed to ${make}`,
    ]);
  }

  const handlers = findHandlersObject(parsed);
  if ('reason' in handlers) return unknown(handlers);
  const own = handlers
    .getProperties()
    .find((one) => METHODS_BY_KIND[served.kind].includes(exportedName(one).replace(/^["'`]|["'`]$/g, '')));
  if (own !== undefined) {
    return unknown({ reason: `it already has a handler for ${exportedName(own)}`, line: own.getStartLineNumber() });
  }
  const local = known ?? list;
  const taken = [
    ...(known === undefined ? [tree.getLocal(list)] : []),
    ...(factory.known === undefined ? [tree.getLocal(make)] : []),
    ...handlers
      .getAncestors()
      .filter((node) => node !== tree)
      .flatMap((node) => [local, factory.local].map((name) => node.getLocal(name))),
  ].find((symbol) => symbol !== undefined);
  if (taken !== undefined) {
    const line = taken.getDeclarations()[0]?.getStartLineNumber() ?? 1;
    return unknown({ reason: `it has another \`${taken.getName()}\``, line });
  }

  const properties = handlers.getProperties();
  const like = properties.map((one) => {
    const spread = one.asKind(SyntaxKind.SpreadAssignment)?.getExpression().asKind(SyntaxKind.CallExpression);
    return spread !== undefined && HANDLERS_EXPORT.test(spread.getExpression().getText());
  });
  // Handlers that the author has after them still take precedence.
  const after = like.includes(true) ? like.lastIndexOf(true) : properties.length - 1;
  const edits: Edit[] = [...listEdit(source, listSpan(handlers, properties), `...${factory.local}(${local})`, after)];
  if (known === undefined) edits.push(importEdit(source, tree, { name: list, from }, served.extension));
  edits.push(...factory.edits(served.extension));
  return { status: 'added', text: parsed.apply(edits) };
}

/** The function that creates the handlers, and how the file imports it. */
interface HandlerFactory {
  /** Its local name; undefined if it is not imported yet. */
  readonly known: string | undefined;
  readonly local: string;
  readonly edits: (extension: string) => readonly Edit[];
}

function findHandlerFactory(
  { tree, source, SyntaxKind }: ParsedSource,
  name: string,
  registry: string,
): HandlerFactory {
  const imports = tree.getImportDeclarations().filter((item) => !item.isTypeOnly());
  const isRegistry = (specifier: string): boolean => isModuleSpecifier(specifier, registry);
  for (const item of imports) {
    const found = item.getNamedImports().find((one) => !one.isTypeOnly() && one.getName() === name);
    const known = found === undefined ? undefined : (found.getAliasNode()?.getText() ?? name);
    if (known !== undefined) return { known, local: known, edits: () => [] };
  }
  const whole = imports.find((item) => isRegistry(item.getModuleSpecifierValue()) && item.getNamespaceImport());
  const namespace = whole?.getNamespaceImport()?.getText();
  if (namespace !== undefined) {
    const known = `${namespace}.${name}`;
    return { known, local: known, edits: () => [] };
  }
  // Imported with similar names, from the same module.
  const clauses = imports.flatMap((item) => {
    const clause = item.getImportClause()?.getNamedBindings()?.asKind(SyntaxKind.NamedImports);
    return clause === undefined ? [] : [{ item, clause }];
  });
  const beside =
    clauses.find(({ clause }) => clause.getElements().some((one) => HANDLERS_EXPORT.test(one.getName()))) ??
    clauses.find(({ item }) => isRegistry(item.getModuleSpecifierValue()));
  return {
    known: undefined,
    local: name,
    edits: (extension) =>
      beside === undefined
        ? [importEdit(source, tree, { name, from: registry }, extension)]
        : listEdit(source, listSpan(beside.clause, beside.clause.getElements()), name),
  };
}

/** The handlers in the argument of the only call of `createServer`. */
function findHandlersObject({ tree, SyntaxKind }: ParsedSource): ObjectLiteralExpression | EditFault {
  const imports = tree
    .getImportDeclarations()
    .filter((item) => !item.isTypeOnly() && !NODE_MODULE.test(item.getModuleSpecifierValue()));
  const names = imports.flatMap((item) => {
    const namespace = item.getNamespaceImport()?.getText();
    return [
      ...item
        .getNamedImports()
        .filter((one) => one.getName() === 'createServer')
        .map((one) => one.getAliasNode()?.getText() ?? 'createServer'),
      ...(namespace === undefined ? [] : [`${namespace}.createServer`]),
    ];
  });
  const [call, ...others] = tree
    .getDescendantsOfKind(SyntaxKind.CallExpression)
    .filter((one) => names.includes(one.getExpression().getText()));
  if (call === undefined) return { reason: 'it does not call `createServer`', line: 1 };
  const [other] = others;
  if (other !== undefined)
    return { reason: 'it calls `createServer` more than once', line: other.getStartLineNumber() };
  const [given] = call.getArguments();
  const options = findObjectLiteral(given as Expression | undefined, SyntaxKind);
  if (options === undefined) {
    return { reason: 'the argument of `createServer` is not an object literal', line: call.getStartLineNumber() };
  }
  const property = options.getProperties().find((one) => exportedName(one).replace(/^["']|["']$/g, '') === 'handlers');
  if (property === undefined) {
    return { reason: 'the argument of `createServer` has no `handlers`', line: options.getStartLineNumber() };
  }
  const value =
    property.asKind(SyntaxKind.PropertyAssignment)?.getInitializer() ??
    property.asKind(SyntaxKind.ShorthandPropertyAssignment)?.getNameNode();
  const handlers = findObjectLiteral(value, SyntaxKind);
  return handlers ?? { reason: 'the handlers are not an object literal', line: property.getStartLineNumber() };
}

function exportedName(node: Node): string {
  return (node as Node & { getName?: () => string }).getName?.() ?? '';
}

/**
 * The object literal that an expression evaluates to, following constants and functions of the same file, if any.
 */
function findObjectLiteral(
  expression: Expression | undefined,
  kinds: ParsedSource['SyntaxKind'],
  depth = 0,
): ObjectLiteralExpression | undefined {
  const inner = unwrapExpression(expression);
  if (inner === undefined || depth > 8) return undefined;
  const next = (found: Expression | undefined): ObjectLiteralExpression | undefined =>
    findObjectLiteral(found, kinds, depth + 1);
  const literal = inner.asKind(kinds.ObjectLiteralExpression);
  if (literal !== undefined) return literal;
  const call = inner.asKind(kinds.CallExpression);
  if (call === undefined) {
    const declaration = declarationOf(inner, kinds)?.asKind(kinds.VariableDeclaration);
    const isConstant = declaration?.getVariableStatement()?.getDeclarationKind().valueOf() === 'const';
    return isConstant ? next(declaration.getInitializer()) : undefined;
  }
  if (call.getExpression().getText() === 'Object.freeze') return next(call.getArguments()[0] as Expression | undefined);
  const declaration = declarationOf(call.getExpression(), kinds);
  const made =
    declaration?.asKind(kinds.FunctionDeclaration) ??
    unwrapExpression(declaration?.asKind(kinds.VariableDeclaration)?.getInitializer());
  const body =
    made?.asKind(kinds.FunctionDeclaration)?.getBody() ??
    made?.asKind(kinds.FunctionExpression)?.getBody() ??
    made?.asKind(kinds.ArrowFunction)?.getBody();
  if (body === undefined || made === undefined) return undefined;
  if (body.asKind(kinds.Block) === undefined) return next(body as Expression);
  const isOwn = (node: Node): boolean =>
    node.getFirstAncestor((one) => one === made || /Function|Method|Accessor|Constructor/.test(one.getKindName())) ===
    made;
  const [returned, ...more] = body.getDescendantsOfKind(kinds.ReturnStatement).filter(isOwn);
  return more.length > 0 ? undefined : next(returned?.getExpression());
}

function declarationOf(node: Node, kinds: ParsedSource['SyntaxKind']): Node | undefined {
  const identifier = node.asKind(kinds.Identifier);
  const shorthand = identifier?.getParent().asKind(kinds.ShorthandPropertyAssignment);
  const symbol = shorthand === undefined ? identifier?.getSymbol() : shorthand.getValueSymbol();
  const declarations = symbol?.getDeclarations() ?? [];
  return declarations.length === 1 ? declarations[0] : undefined;
}

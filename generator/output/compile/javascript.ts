/**
 * Turns TypeScript into JavaScript by removing what is only for types, so that comments, blank lines and line breaks stay
 * as they are. Only knows syntax that can be erased.
 */
import type { ts as TypeScript } from 'ts-morph';
import {
  Edits,
  endOfAngles,
  endOfParameters,
  hasModifier,
  keepItems,
  modifiersOf,
  removeModifiers,
  startWithComments,
  UnknownSyntax,
  type Compiler,
} from './edits.js';

/**
 * The JavaScript of a TypeScript file.
 *
 * @throws {@link UnknownSyntax} for a construct that cannot be erased.
 */
export function javascriptOf(compiler: Compiler): string {
  const eraser = new TypeEraser(compiler);
  const { source } = compiler;
  for (const statement of source.statements) eraser.visit(statement);
  const text = eraser.edits.apply(source.text).trim();
  const { hasModule } = eraser;
  return hasModule ? `${text}\n` : `${text}\n\nexport {};\n`;
}

class TypeEraser {
  readonly edits: Edits = new Edits();
  /** Whether an import or export is left, which makes the file a module. */
  hasModule = false;
  readonly #compiler: Compiler;
  readonly #typeModifiers: ReadonlySet<TypeScript.SyntaxKind>;

  constructor(compiler: Compiler) {
    this.#compiler = compiler;
    const { SyntaxKind: kinds } = compiler.ts;
    this.#typeModifiers = new Set([
      kinds.PublicKeyword,
      kinds.ProtectedKeyword,
      kinds.PrivateKeyword,
      kinds.ReadonlyKeyword,
      kinds.OverrideKeyword,
      kinds.AbstractKeyword,
      kinds.DeclareKeyword,
    ]);
  }

  visit(node: TypeScript.Node): void {
    const { ts } = this.#compiler;
    if (this.#isErased(node)) {
      this.edits.remove(startWithComments(this.#compiler, node), node.end);
      return;
    }
    if (ts.isEnumDeclaration(node) || ts.isModuleDeclaration(node) || ts.isImportEqualsDeclaration(node))
      throw new UnknownSyntax();
    if (ts.isDecorator(node) || ts.isTypeAssertionExpression(node) || ts.isExportAssignment(node))
      throw new UnknownSyntax();
    if (ts.isNamespaceExportDeclaration(node) || this.#needsCode(node)) throw new UnknownSyntax();
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) this.#visitNames(node);
    else if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isNonNullExpression(node)) {
      this.visit(node.expression);
      this.edits.remove(node.expression.end, node.end);
    } else {
      if (ts.isParenthesizedExpression(node)) this.#visitParentheses(node);
      this.#eraseTypesOf(node);
      if (hasModifier(node, ts.SyntaxKind.ExportKeyword)) this.hasModule = true;
      removeModifiers(this.#compiler, node, this.edits, this.#typeModifiers);
      ts.forEachChild(node, (child) => {
        if (!this.#isType(child)) this.visit(child);
      });
    }
  }

  /** Whether nothing of a statement or member is left at run time. */
  #isErased(node: TypeScript.Node): boolean {
    const { ts } = this.#compiler;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isIndexSignatureDeclaration(node))
      return true;
    if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    if (ts.isExportDeclaration(node)) return node.isTypeOnly;
    const isDeclaration = hasModifier(node, ts.SyntaxKind.DeclareKeyword);
    if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node))
      return node.body === undefined;
    if (ts.isPropertyDeclaration(node) || ts.isAccessor(node))
      return isDeclaration || hasModifier(node, ts.SyntaxKind.AbstractKeyword);
    return isDeclaration && ts.isStatement(node);
  }

  /** Whether modifiers or keywords of a node become code: of parameter properties, accessors and `using`. */
  #needsCode(node: TypeScript.Node): boolean {
    const { ts } = this.#compiler;
    if (ts.isParameter(node)) return modifiersOf(node).length > 0;
    if (ts.isVariableDeclarationList(node)) return (node.flags & ts.NodeFlags.Using) !== 0;
    return hasModifier(node, ts.SyntaxKind.AccessorKeyword);
  }

  /** Types that are in expressions: an expression may be in the same place. */
  #isType(node: TypeScript.Node): boolean {
    const { ts } = this.#compiler;
    return (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) || ts.isTypeParameterDeclaration(node);
  }

  #visitNames(node: TypeScript.ImportDeclaration | TypeScript.ExportDeclaration): void {
    const { ts } = this.#compiler;
    this.hasModule = true;
    const names = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
    if (names !== undefined && (ts.isNamedImports(names) || ts.isNamedExports(names)))
      keepItems(this.#compiler, names, this.edits, (item) => !item.isTypeOnly);
  }

  /** `(value as Type).member` needs no parentheses without the type. */
  #visitParentheses(node: TypeScript.ParenthesizedExpression): void {
    const { ts, source } = this.#compiler;
    if (!ts.isAsExpression(node.expression) && !ts.isSatisfiesExpression(node.expression)) return;
    let inner: TypeScript.Expression = node.expression;
    while (ts.isAsExpression(inner) || ts.isSatisfiesExpression(inner) || ts.isNonNullExpression(inner))
      inner = inner.expression;
    const isSimple =
      ts.isIdentifier(inner) ||
      inner.kind === ts.SyntaxKind.ThisKeyword ||
      ((ts.isPropertyAccessExpression(inner) || ts.isElementAccessExpression(inner)) && !ts.isOptionalChain(inner)) ||
      (ts.isCallExpression(inner) && !ts.isOptionalChain(inner));
    // A comment may end the line, and a line break before the value would end a `return`.
    const hasSpace = /^\(\s/.test(source.text.slice(node.getStart(source), node.getStart(source) + 2));
    // `new` would end at the arguments of a call.
    if (!isSimple || hasSpace || (this.#hasCall(inner) && this.#isConstructed(node))) return;
    this.edits.remove(node.getStart(source), node.getStart(source) + 1);
    this.edits.remove(node.end - 1, node.end);
  }

  /** Whether a value is the result of a call, or a member of it. */
  #hasCall(node: TypeScript.Expression): boolean {
    const { ts } = this.#compiler;
    let value = node;
    while (this.#isWithinMember(value)) value = value.expression;
    return ts.isCallExpression(value);
  }

  /** Whether `new` is called with a value or a member of it. */
  #isConstructed(node: TypeScript.Expression): boolean {
    let value: TypeScript.Node = node;
    while (this.#isWithinMember(value.parent) && value.parent.expression === value) value = value.parent;
    const { parent } = value;
    return this.#compiler.ts.isNewExpression(parent) && parent.expression === value;
  }

  /** Whether a node is a member of its `expression`, or the same value with another type. */
  #isWithinMember(
    node: TypeScript.Node,
  ): node is TypeScript.Expression & { readonly expression: TypeScript.Expression } {
    const { ts } = this.#compiler;
    return (
      ts.isPropertyAccessExpression(node) ||
      ts.isElementAccessExpression(node) ||
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node)
    );
  }

  /** Removes annotations, type parameters and arguments, and `implements`. */
  #eraseTypesOf(node: TypeScript.Node): void {
    const { ts, source } = this.#compiler;
    if (ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) {
      const { questionToken, exclamationToken } = node as TypeScript.PropertyDeclaration;
      const end = node.type?.end ?? questionToken?.end ?? exclamationToken?.end ?? node.name.end;
      if (end > node.name.end) this.edits.remove(node.name.end, end);
    }
    if (ts.isFunctionLike(node)) {
      const [first, second] = node.parameters;
      if (first !== undefined && ts.isIdentifier(first.name) && first.name.text === 'this')
        this.edits.remove(first.getStart(source), second?.getStart(source) ?? first.end);
      if (node.type !== undefined) this.edits.remove(endOfParameters(this.#compiler, node), node.type.end);
      if (ts.isMethodDeclaration(node) && node.questionToken !== undefined) throw new UnknownSyntax();
    }
    const { typeParameters, typeArguments } = node as {
      readonly typeParameters?: TypeScript.NodeArray<TypeScript.Node>;
      readonly typeArguments?: TypeScript.NodeArray<TypeScript.Node>;
    };
    for (const list of [typeParameters, typeArguments])
      if (list !== undefined) this.edits.remove(list.pos - 1, endOfAngles(this.#compiler, list));
    if (ts.isClassLike(node))
      for (const clause of node.heritageClauses ?? [])
        if (clause.token === ts.SyntaxKind.ImplementsKeyword) this.edits.remove(clause.getFullStart(), clause.end);
  }
}

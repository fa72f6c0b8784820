/**
 * Turns TypeScript into declarations by removing bodies and values, so that comments, blank lines and line breaks stay as
 * they are. Each file is enough by itself: its exports have types, as `isolatedDeclarations` requires.
 */
import type { ts as TypeScript } from 'ts-morph';
import {
  Edits,
  endOfParameters,
  hasModifier,
  keepItems,
  removeModifiers,
  startWithComments,
  UnknownSyntax,
  type Compiler,
} from './edits.js';
import { typeOfValue, widenedTypeOf } from './value-types.js';

/**
 * The declarations of a TypeScript file.
 *
 * @throws {@link UnknownSyntax} for a construct that is not known here, such as a value whose type is not written.
 */
export function declarationsOf(compiler: Compiler): string {
  const { ts, source } = compiler;
  // `export default value`, and additions to other modules.
  if (source.statements.some((item) => ts.isExportAssignment(item) || ts.isModuleDeclaration(item)))
    throw new UnknownSyntax();
  const kept = reachableStatements(compiler);
  const edits = new Edits();
  const overloaded = new Set(
    source.statements.flatMap((item) =>
      ts.isFunctionDeclaration(item) && item.body === undefined ? (item.name?.text ?? []) : [],
    ),
  );
  const used = new Set<string>();
  for (const statement of source.statements) {
    if (isModuleSyntax(compiler, statement)) continue;
    const isImplementation =
      ts.isFunctionDeclaration(statement) && statement.body !== undefined && overloaded.has(statement.name?.text ?? '');
    if (!kept.has(statement) || isImplementation) edits.remove(startWithComments(compiler, statement), statement.end);
    else {
      declare(compiler, statement, edits);
      for (const name of namesUsedIn(compiler, statement, edits)) used.add(name);
    }
  }
  for (const statement of source.statements)
    if (ts.isImportDeclaration(statement)) keepUsedImports(compiler, statement, edits, used);
  const text = edits.apply(source.text).trim();
  return needsScopeMarker(compiler, kept) ? `${text}\n\nexport {};\n` : `${text}\n`;
}

function isModuleSyntax({ ts }: Compiler, node: TypeScript.Node): boolean {
  return ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
}

/** Without an export statement, everything in a file of declarations would be exported. */
function needsScopeMarker({ ts, source }: Compiler, kept: ReadonlySet<TypeScript.Statement>): boolean {
  const { statements } = source;
  if (statements.some((item) => ts.isExportDeclaration(item))) return false;
  const isExported = (item: TypeScript.Node): boolean => hasModifier(item, ts.SyntaxKind.ExportKeyword);
  return [...kept].some((item) => !isExported(item)) || ![...kept].some(isExported);
}

/** Exported declarations, and what they use of the others. */
function reachableStatements(compiler: Compiler): ReadonlySet<TypeScript.Statement> {
  const { ts, source } = compiler;
  const byName = new Map<string, TypeScript.Statement[]>();
  const open: TypeScript.Statement[] = [];
  const names: string[] = [];
  for (const statement of source.statements) {
    // What these declare has no name here.
    if (
      ts.isExportAssignment(statement) ||
      ts.isModuleDeclaration(statement) ||
      ts.isNamespaceExportDeclaration(statement)
    )
      throw new UnknownSyntax();
    if (ts.isExportDeclaration(statement)) {
      const { exportClause: clause } = statement;
      if (statement.moduleSpecifier === undefined && clause !== undefined && ts.isNamedExports(clause))
        names.push(...clause.elements.map((item) => (item.propertyName ?? item.name).text));
    }
    for (const name of declaredNames(compiler, statement)) byName.set(name, [...(byName.get(name) ?? []), statement]);
    if (hasModifier(statement, ts.SyntaxKind.ExportKeyword)) open.push(statement);
  }
  open.push(...names.flatMap((name) => byName.get(name) ?? []));
  const kept = new Set<TypeScript.Statement>();
  for (let statement = open.pop(); statement !== undefined; statement = open.pop()) {
    if (kept.has(statement)) continue;
    kept.add(statement);
    const edits = new Edits();
    declare(compiler, statement, edits);
    for (const name of namesUsedIn(compiler, statement, edits)) open.push(...(byName.get(name) ?? []));
  }
  return kept;
}

function declaredNames({ ts }: Compiler, statement: TypeScript.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? name.text : []));
  }
  const { name } = statement as { readonly name?: TypeScript.Node };
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

/** Names that a statement refers to, as far as it is left. */
function namesUsedIn({ ts, source }: Compiler, statement: TypeScript.Node, edits: Edits): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (node: TypeScript.Node): void => {
    if (edits.covers(node.getStart(source), node.end)) return;
    if (ts.isIdentifier(node)) {
      const { parent } = node;
      const isName =
        (parent as { readonly name?: TypeScript.Node }).name === node ||
        (ts.isQualifiedName(parent) && parent.right === node);
      if (!isName) used.add(node.text);
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return used;
}

/** Removes the names of an import that nothing uses any more. */
function keepUsedImports(
  compiler: Compiler,
  statement: TypeScript.ImportDeclaration,
  edits: Edits,
  used: ReadonlySet<string>,
): void {
  const { ts } = compiler;
  const { importClause: clause } = statement;
  if (clause === undefined) return;
  const { name, namedBindings: names } = clause;
  // Both in one statement.
  if (name !== undefined && names !== undefined) throw new UnknownSyntax();
  const items = names !== undefined && ts.isNamedImports(names) ? [...names.elements] : [];
  const local = name ?? (names !== undefined && ts.isNamespaceImport(names) ? names.name : undefined);
  if (![...items.map((item) => item.name), ...(local === undefined ? [] : [local])].some(({ text }) => used.has(text)))
    edits.remove(startWithComments(compiler, statement), statement.end);
  else if (names !== undefined && ts.isNamedImports(names))
    keepItems(compiler, names, edits, (item) => used.has(item.name.text));
}

/** Turns a statement into its declaration. */
function declare(compiler: Compiler, statement: TypeScript.Statement, edits: Edits): void {
  const { ts, source } = compiler;
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) return;
  if (hasModifier(statement, ts.SyntaxKind.DeclareKeyword) || hasModifier(statement, ts.SyntaxKind.DefaultKeyword))
    throw new UnknownSyntax();
  const exported = (statement as { readonly modifiers?: readonly TypeScript.ModifierLike[] }).modifiers?.find(
    (modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword,
  );
  if (exported === undefined) edits.insert(statement.getStart(source), 'declare ');
  else edits.insert(exported.end, ' declare');
  if (ts.isFunctionDeclaration(statement)) declareFunction(compiler, statement, edits);
  else if (ts.isClassDeclaration(statement)) declareClass(compiler, statement, edits);
  else if (ts.isVariableStatement(statement)) declareVariables(compiler, statement, edits);
  else throw new UnknownSyntax();
}

function declareVariables(compiler: Compiler, { declarationList }: TypeScript.VariableStatement, edits: Edits): void {
  const { ts } = compiler;
  const isConst = (declarationList.flags & ts.NodeFlags.Const) !== 0;
  for (const declaration of declarationList.declarations) {
    const { name, type, initializer, exclamationToken, end } = declaration;
    if (!ts.isIdentifier(name) || exclamationToken !== undefined) throw new UnknownSyntax();
    if (type !== undefined) edits.remove(type.end, end);
    else if (initializer === undefined) throw new UnknownSyntax();
    // A literal is its type, as in `declare const x = 1;`.
    else if (!isConst || !isLiteral(compiler, initializer))
      edits.replace(
        name.end,
        end,
        `: ${isConst ? typeOfValue(compiler, initializer) : widenedTypeOf(compiler, initializer)}`,
      );
  }
}

/** Whether a value can stay in a declaration. */
function isLiteral({ ts }: Compiler, node: TypeScript.Expression): boolean {
  const value = ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken ? node.operand : node;
  return (
    ts.isNumericLiteral(value) ||
    (value === node &&
      (ts.isStringLiteral(node) || node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword))
  );
}

function declareFunction(
  compiler: Compiler,
  node:
    | TypeScript.FunctionDeclaration
    | TypeScript.MethodDeclaration
    | TypeScript.AccessorDeclaration
    | TypeScript.ConstructorDeclaration,
  edits: Edits,
): void {
  const { ts, source } = compiler;
  removeModifiers(compiler, node, edits, new Set([ts.SyntaxKind.AsyncKeyword, ts.SyntaxKind.OverrideKeyword]));
  const { asteriskToken: star } = node as { readonly asteriskToken?: TypeScript.Node };
  if (star !== undefined) edits.remove(star.getStart(source), star.end);
  if (node.type === undefined && !ts.isConstructorDeclaration(node) && !ts.isSetAccessor(node))
    throw new UnknownSyntax();
  declareParameters(compiler, node.parameters, edits);
  if (node.body === undefined) return;
  edits.replace(node.type?.end ?? endOfParameters(compiler, node), node.body.end, ';');
}

/** Removes default values: such a parameter is optional if those after it are. */
export function declareParameters(
  compiler: Compiler,
  parameters: readonly TypeScript.ParameterDeclaration[],
  edits: Edits,
): void {
  const { ts } = compiler;
  for (const [index, parameter] of parameters.entries()) {
    const { name, type, initializer, questionToken } = parameter;
    if (ts.isParameterPropertyDeclaration(parameter, parameter.parent)) throw new UnknownSyntax();
    if (!ts.isIdentifier(name)) removeDefaults(compiler, name, edits);
    if (initializer === undefined) {
      if (type === undefined) throw new UnknownSyntax();
      continue;
    }
    const isOptional = parameters
      .slice(index + 1)
      .every((other) => other.initializer !== undefined || other.questionToken !== undefined || other.dotDotDotToken);
    if (!isOptional || questionToken !== undefined) throw new UnknownSyntax();
    if (type === undefined) edits.replace(name.end, parameter.end, `?: ${widenedTypeOf(compiler, initializer)}`);
    else {
      edits.insert(name.end, '?');
      edits.remove(type.end, parameter.end);
    }
  }
}

function removeDefaults(compiler: Compiler, pattern: TypeScript.BindingPattern, edits: Edits): void {
  const { ts } = compiler;
  for (const element of pattern.elements) {
    if (ts.isOmittedExpression(element)) continue;
    if (element.initializer !== undefined) edits.remove(element.name.end, element.end);
    if (!ts.isIdentifier(element.name)) removeDefaults(compiler, element.name, edits);
  }
}

function declareClass(compiler: Compiler, node: TypeScript.ClassDeclaration, edits: Edits): void {
  const { ts } = compiler;
  const overloaded = new Set(
    node.members.flatMap((item) =>
      (ts.isMethodDeclaration(item) || ts.isConstructorDeclaration(item)) && item.body === undefined
        ? memberName(compiler, item)
        : [],
    ),
  );
  let hasPrivate = false;
  for (const member of node.members) {
    const isHidden = member.name !== undefined && ts.isPrivateIdentifier(member.name);
    const isImplementation =
      (ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member)) &&
      member.body !== undefined &&
      overloaded.has(memberName(compiler, member));
    if (
      isHidden ||
      isImplementation ||
      ts.isClassStaticBlockDeclaration(member) ||
      ts.isSemicolonClassElement(member)
    ) {
      edits.remove(member.getFullStart(), member.end);
      hasPrivate ||= isHidden;
    } else if (hasModifier(member, ts.SyntaxKind.PrivateKeyword)) declarePrivate(compiler, member, edits);
    else if (ts.isPropertyDeclaration(member)) declareProperty(compiler, member, edits);
    else if (ts.isMethodDeclaration(member) || ts.isAccessor(member) || ts.isConstructorDeclaration(member))
      declareFunction(compiler, member, edits);
    else if (!ts.isIndexSignatureDeclaration(member)) throw new UnknownSyntax();
  }
  // The brand of a class with private members is part of its type.
  if (hasPrivate) edits.insert(node.members.pos, '\n  #private;');
  for (const clause of node.heritageClauses ?? [])
    for (const { expression } of clause.types)
      if (!ts.isIdentifier(expression) && !ts.isPropertyAccessExpression(expression)) throw new UnknownSyntax();
}

/** The name of a member. A static one may have the same as another. */
function memberName({ ts, source }: Compiler, member: TypeScript.ClassElement): string {
  const name = member.name?.getText(source) ?? 'constructor';
  return hasModifier(member, ts.SyntaxKind.StaticKeyword) ? `static ${name}` : name;
}

/** Of a private member, only its name is declared. */
function declarePrivate(compiler: Compiler, member: TypeScript.ClassElement, edits: Edits): void {
  const { ts } = compiler;
  if (!ts.isConstructorDeclaration(member) || member.body === undefined) throw new UnknownSyntax();
  if (member.parameters.some((parameter) => ts.isParameterPropertyDeclaration(parameter, member)))
    throw new UnknownSyntax();
  edits.replace(member.parameters.pos, member.end, ');');
}

function declareProperty(compiler: Compiler, node: TypeScript.PropertyDeclaration, edits: Edits): void {
  const { ts, source } = compiler;
  const { name, type, initializer } = node;
  if (hasModifier(node, ts.SyntaxKind.DeclareKeyword) || hasModifier(node, ts.SyntaxKind.AccessorKeyword))
    throw new UnknownSyntax();
  removeModifiers(compiler, node, edits, new Set([ts.SyntaxKind.OverrideKeyword]));
  const { exclamationToken: mark } = node;
  if (mark !== undefined) edits.remove(mark.getStart(source), mark.end);
  const semicolon = source.text.slice(0, node.end).endsWith(';') ? node.end - 1 : node.end;
  if (type !== undefined) {
    edits.remove(type.end, semicolon);
    return;
  }
  if (initializer === undefined) throw new UnknownSyntax();
  const isReadonly = hasModifier(node, ts.SyntaxKind.ReadonlyKeyword);
  if (isReadonly && isLiteral(compiler, initializer)) return;
  const text = isReadonly ? typeOfValue(compiler, initializer) : widenedTypeOf(compiler, initializer);
  edits.replace(name.end, semicolon, `: ${text}`);
}

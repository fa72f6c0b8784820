import type { ts as TypeScript } from 'ts-morph';
import { constantCase } from '../../model/naming.js';

/** A file of the author. */
export interface AuthorFile {
  readonly path: string;
  readonly text: string;
}

/** A place where code names a method. */
export interface MethodLocation {
  readonly method: string;
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
}

/** The names of the tables of methods in generated code. */
const METHOD_TABLES: ReadonlySet<string> = new Set(['METHODS', 'EMBEDDED_METHODS']);

/**
 * Finds where code names methods, through its syntax tree: as a string literal, as a constant of `METHODS`, and as the
 * plain key of an object called `handlers`. Comments and the names of modules do not count.
 *
 * @param methods - The methods to look for, with the names of their constants.
 * @returns The places in the order of the files, each from top to bottom.
 */
export async function findMethodLocations(
  files: readonly AuthorFile[],
  methods: readonly { readonly name: string; readonly constant: string }[],
): Promise<readonly MethodLocation[]> {
  // The compiler is imported only for files that may name one.
  const words = methods.flatMap(({ name, constant }) => [name, constant]);
  const candidates = files.filter(({ text }) => words.some((word) => text.includes(word)));
  if (candidates.length === 0) return [];
  const { ts } = await import('ts-morph');
  const names = new Set(methods.map(({ name }) => name));
  const constants = new Map(methods.map(({ name, constant }) => [constant, name]));
  return candidates.flatMap((file) => locationsInFile(ts, file, names, constants));
}

function locationsInFile(
  ts: typeof TypeScript,
  { path, text }: AuthorFile,
  names: ReadonlySet<string>,
  constants: ReadonlyMap<string, string>,
): readonly MethodLocation[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const places: MethodLocation[] = [];
  const aliases = new Set<string>();
  const note = (method: string | undefined, node: TypeScript.Node): void => {
    if (method === undefined) return;
    const { line, character } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
    places.push({ method, path, line: line + 1, column: character + 1 });
  };
  const isTable = (node: TypeScript.Node | undefined): boolean => {
    if (node === undefined) return false;
    if (ts.isPropertyAccessExpression(node)) return METHOD_TABLES.has(node.name.text);
    return ts.isIdentifier(node) && (METHOD_TABLES.has(node.text) || aliases.has(node.text));
  };
  const visit = (node: TypeScript.Node): void => {
    if (ts.isImportSpecifier(node) && METHOD_TABLES.has((node.propertyName ?? node.name).text))
      aliases.add(node.name.text);
    if (ts.isStringLiteralLike(node)) {
      const { parent } = node;
      const isModule = ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
      if (ts.isElementAccessExpression(parent) && isTable(parent.expression)) note(constants.get(node.text), node);
      else if (names.has(node.text) && !isModule) note(node.text, node);
    } else if (ts.isPropertyAccessExpression(node) && isTable(node.expression)) {
      note(constants.get(node.name.text), node.name);
    } else if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && isTable(node.initializer)) {
      for (const { propertyName, name } of node.name.elements) {
        const key = propertyName ?? name;
        if (ts.isIdentifier(key)) note(constants.get(key.text), key);
      }
    } else if (ts.isObjectLiteralElementLike(node) && isHandlersMember(ts, node.parent)) {
      const { name } = node;
      if (name !== undefined && ts.isIdentifier(name) && names.has(name.text)) note(name.text, name);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return places;
}

/** Whether an object is the value of a variable or member `handlers`. */
function isHandlersMember(ts: typeof TypeScript, object: TypeScript.Node): boolean {
  let holder = object.parent;
  while (ts.isSatisfiesExpression(holder) || ts.isAsExpression(holder) || ts.isParenthesizedExpression(holder)) {
    holder = holder.parent;
  }
  return (
    (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder)) &&
    ts.isIdentifier(holder.name) &&
    holder.name.text === 'handlers'
  );
}

/** Functions of the generated registry that handle methods for a list. */
const METHODS_BY_REGISTRY: ReadonlyMap<string, readonly string[]> = new Map([
  ['toolHandlers', ['tools/list', 'tools/call']],
  ['resourceHandlers', ['resources/list', 'resources/read', 'resources/templates/list', 'completion/complete']],
  ['promptHandlers', ['prompts/list', 'prompts/get', 'completion/complete']],
]);

/**
 * Finds the methods that have a handler: keys of an object, as a string or by their constant, and methods of a list
 * that the registry serves.
 *
 * @param methods - The methods to look for.
 */
export async function findHandledMethods(
  files: readonly AuthorFile[],
  methods: readonly string[],
): Promise<ReadonlySet<string>> {
  const words = [...methods, ...methods.map(constantCase), ...METHODS_BY_REGISTRY.keys()];
  const byText = files.filter(({ text }) => words.some((word) => text.includes(word)));
  if (byText.length === 0) return new Set();
  const { ts } = await import('ts-morph');
  const names = new Set(methods);
  const constants = new Map(methods.map((name) => [constantCase(name), name]));
  const handled = new Set<string>();
  const visit = (node: TypeScript.Node): void => {
    if (ts.isObjectLiteralElementLike(node) && node.name !== undefined) {
      const { name } = node;
      const inner = ts.isComputedPropertyName(name) ? name.expression : name;
      const word =
        ts.isStringLiteralLike(inner) || (ts.isIdentifier(inner) && isHandlersMember(ts, node.parent))
          ? inner.text
          : ts.isPropertyAccessExpression(inner)
            ? constants.get(inner.name.text)
            : undefined;
      if (word !== undefined && names.has(word)) handled.add(word);
    }
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      for (const name of METHODS_BY_REGISTRY.get(node.expression.text) ?? []) if (names.has(name)) handled.add(name);
    }
    ts.forEachChild(node, visit);
  };
  for (const { path, text } of byText) visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return handled;
}

import ts from 'typescript';
import { compileTexts, type CompilerOptions } from './compiler.js';
import { createProgram } from './program.js';

/** How two types of one name relate, as the compiler judges it. */
export interface TypeRelation {
  readonly name: string;
  /** A value of ours is one of theirs. */
  readonly toTheirs: boolean;
  /** A value of theirs is one of ours. */
  readonly toOurs: boolean;
  /** The compiler takes the two for the same type. */
  readonly identical: boolean;
  /** The compiler's first reason why not. */
  readonly reason: string | undefined;
}

/** Two names for the same thing: ours and theirs. */
export interface TypePair {
  readonly ours: string;
  readonly theirs: string;
}

/**
 * Compares exported types of two modules by assigning each to the other in a separate program.
 *
 * @param ours - Absolute path of the module with our types.
 * @param theirs - Absolute path or package name of the module with the types to compare with.
 */
export async function compareTypes(
  ours: string,
  theirs: string,
  pairs: readonly TypePair[],
): Promise<readonly TypeRelation[]> {
  const lines = [
    `import type * as Ours from ${JSON.stringify(ours)};`,
    `import type * as Theirs from ${JSON.stringify(theirs)};`,
    'type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;',
  ];
  const questions = pairs.map((pair, index) => {
    const start = lines.length;
    lines.push(
      `declare const ours${index}: Ours.${pair.ours}; declare const theirs${index}: Theirs.${pair.theirs};`,
      `export const toTheirs${index}: Theirs.${pair.theirs} = ours${index};`,
      `export const toOurs${index}: Ours.${pair.ours} = theirs${index};`,
      `export const same${index}: Same<Ours.${pair.ours}, Theirs.${pair.theirs}> = true;`,
    );
    return { pair, start };
  });
  const errors = await errorsByLine(lines.join('\n'));
  return questions.map(({ pair, start }) => {
    const missing = errors.get(start);
    if (missing !== undefined) throw new Error(`${pair.ours} and ${pair.theirs}: ${missing}`);
    return {
      name: pair.ours,
      toTheirs: !errors.has(start + 1),
      toOurs: !errors.has(start + 2),
      identical: !errors.has(start + 3),
      reason: errors.get(start + 1) ?? errors.get(start + 2),
    };
  });
}

/** The first error in each line (from 0) of a source text. */
export async function errorsByLine(text: string, options: CompilerOptions = {}): Promise<ReadonlyMap<number, string>> {
  const errors = await compileTexts(new Map([['question.ts', text]]), {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: '',
    ...options,
  });
  const found = new Map<number, string>();
  for (const { file, line, message } of errors) {
    if (file === '') throw new Error(message);
    if (file === 'question.ts' && !found.has(line - 1)) found.set(line - 1, message);
  }
  return found;
}

/** Names of the types that a module exports. */
export function exportedTypes(file: string): readonly string[] {
  const program = createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (symbol === undefined) return [];
  return checker
    .getExportsOfModule(symbol)
    .filter((item) => (item.flags & (ts.SymbolFlags.Type | ts.SymbolFlags.Alias)) !== 0)
    .map((item) => item.name)
    .sort();
}

/** Places at which a source text says `any`. */
export function anyKeywords(text: string): readonly string[] {
  if (!/\bany\b/.test(text)) return [];
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.ES2022);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`line ${line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

import path from 'node:path';
import type { ts } from 'ts-morph';
import { McpgenError } from '../errors.js';
import { compilerOptions, type PackageEntry, type Resolution } from './package.js';
import type { Compiler } from './their-shape.js';

/** An exported name with its type. */
export interface ExportedType {
  /** Its name including namespaces: `Types.Tool`. */
  readonly name: string;
  /** Resolved on demand: a package may export hundreds of deep types. */
  readonly type: () => ts.Type;
  /** Whether it is a class, which may be unrelated to the definition of its name. */
  readonly isClass?: boolean;
}

/** The exports of a package, as resolved by the type checker. */
export interface Declarations {
  readonly checker: ts.TypeChecker;
  readonly resolution: Resolution;
  /** Exported types, by name. */
  readonly types: ReadonlyMap<string, ExportedType>;
  /** The output type of an exported schema (Zod or another Standard Schema), by the name of its constant. */
  readonly schema: (name: string) => ExportedType | undefined;
  /** The string value of an exported constant. */
  readonly constant: (name: string) => string | undefined;
  /** All exported names, of types and values. */
  readonly names: readonly string[];
  /** Imported modules that cannot be found. */
  readonly unresolvedModules: readonly string[];
}

/** Deepest nesting of namespaces that is read. */
const MAX_NAMESPACES = 3;

/**
 * Reads the declarations of a package with one program and one checker.
 *
 * @throws {@link McpgenError} if a file of the package has a syntax error, or it exports no types.
 */
export function readDeclarations(
  compiler: Compiler,
  program: (options: ts.CompilerOptions, file: string) => ts.Program,
  entry: PackageEntry,
  specifier: string,
): Declarations {
  const first = readProgram(compiler, program, entry, entry.resolution);
  // Some packages are written for bundlers, so Node's resolution does not find their own files.
  const read =
    entry.resolution === 'nodenext' && first.unresolved.some((name) => name.startsWith('.'))
      ? betterReading(first, readProgram(compiler, program, entry, 'bundler'))
      : first;
  refuseSyntaxErrors(compiler, read.program, entry);
  const checker = read.program.getTypeChecker();
  const module = moduleSymbol(read.program, entry, specifier);
  const types = new Map<string, ExportedType>();
  const values = new Map<string, ts.Symbol>();
  const visit = (symbol: ts.Symbol, prefix: string, seen: readonly ts.Symbol[]): void => {
    for (const exported of moduleExports(compiler, checker, symbol)) {
      const target = resolvedAlias(compiler, checker, exported);
      const name = prefix + exported.name;
      if ((target.flags & compiler.SymbolFlags.Type) !== 0 && !isErrorClass(compiler, checker, target)) {
        const isClass = (target.flags & compiler.SymbolFlags.Class) !== 0;
        types.set(name, { name, type: () => checker.getDeclaredTypeOfSymbol(target), isClass });
      }
      if ((target.flags & compiler.SymbolFlags.Variable) !== 0) values.set(name, target);
      const isNamespace = (target.flags & compiler.SymbolFlags.Module) !== 0;
      if (isNamespace && seen.length < MAX_NAMESPACES && !seen.includes(target)) {
        visit(target, `${name}.`, [...seen, target]);
      }
    }
  };
  visit(module, '', [module]);
  if (types.size + values.size === 0) {
    throw new McpgenError('exports no types', {
      place: path.normalize(entry.file),
      remedy: 'Pass the file or subpath that declares the types of the protocol.',
    });
  }
  const valueType = (name: string): ts.Type | undefined => {
    const symbol = values.get(name);
    return symbol === undefined ? undefined : checker.getTypeOfSymbol(symbol);
  };
  return {
    checker,
    resolution: read.resolution,
    types,
    schema: (name) => {
      const output = schemaOutputType(checker, valueType(name));
      return output === undefined ? undefined : { name, type: () => output };
    },
    constant: (name) => {
      const type = valueType(name);
      return type?.isStringLiteral() === true ? type.value : undefined;
    },
    names: [...new Set([...types.keys(), ...values.keys()])],
    unresolvedModules: read.unresolved,
  };
}

interface ProgramReading {
  readonly program: ts.Program;
  readonly resolution: Resolution;
  readonly unresolved: readonly string[];
}

function readProgram(
  compiler: Compiler,
  program: (options: ts.CompilerOptions, file: string) => ts.Program,
  entry: PackageEntry,
  resolution: Resolution,
): ProgramReading {
  const made = program(compilerOptions(compiler, resolution), entry.file);
  return { program: made, resolution, unresolved: unresolvedModules(compiler, made) };
}

function betterReading(first: ProgramReading, second: ProgramReading): ProgramReading {
  return second.unresolved.length < first.unresolved.length ? second : first;
}

/** Modules that files of a program import or re-export, and that the compiler does not find. */
function unresolvedModules(compiler: Compiler, program: ts.Program): readonly string[] {
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  for (const file of program.getSourceFiles()) {
    if (program.isSourceFileDefaultLibrary(file)) continue;
    for (const statement of file.statements) {
      if (!compiler.isImportDeclaration(statement) && !compiler.isExportDeclaration(statement)) continue;
      const { moduleSpecifier } = statement;
      if (moduleSpecifier === undefined || !compiler.isStringLiteral(moduleSpecifier)) continue;
      if (checker.getSymbolAtLocation(moduleSpecifier) === undefined) found.add(moduleSpecifier.text);
    }
  }
  return [...found];
}

/** Syntax errors in the package's own files: types after them may be missing. */
function refuseSyntaxErrors(compiler: Compiler, program: ts.Program, entry: PackageEntry): void {
  const own = packageRoot(entry.file);
  for (const file of program.getSourceFiles()) {
    if (program.isSourceFileDefaultLibrary(file) || packageRoot(file.fileName) !== own) continue;
    const [error, ...more] = program.getSyntacticDiagnostics(file);
    if (error === undefined) continue;
    const { line, character } = file.getLineAndCharacterOfPosition(error.start);
    const message = compiler.flattenDiagnosticMessageText(error.messageText, ' ');
    throw new McpgenError(
      `not valid TypeScript: ${message}${more.length === 0 ? '' : ` (and ${more.length} more errors)`}`,
      {
        place: `${file.fileName}:${line + 1}:${character + 1}`,
        remedy: 'Fix the file, or report it to its author.',
      },
    );
  }
}

/** The part of a path that names an installed package; empty for other files. */
function packageRoot(file: string): string {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? '';
}

function moduleSymbol(program: ts.Program, entry: PackageEntry, specifier: string): ts.Symbol {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry.file);
  const symbol = file === undefined ? undefined : checker.getSymbolAtLocation(file);
  if (symbol !== undefined) return symbol;
  const ambient = checker.getAmbientModules().find(({ name }) => [specifier, entry.name].includes(name.slice(1, -1)));
  if (ambient !== undefined) return ambient;
  throw new McpgenError('not a module: it exports nothing', {
    place: path.normalize(entry.file),
    remedy: 'Pass a file or subpath that exports the types of the protocol.',
  });
}

function moduleExports(compiler: Compiler, checker: ts.TypeChecker, symbol: ts.Symbol): readonly ts.Symbol[] {
  const found = checker.getExportsOfModule(symbol);
  const assigned = symbol.exports?.get(compiler.InternalSymbolName.ExportEquals);
  if (assigned === undefined) return found;
  const target = resolvedAlias(compiler, checker, assigned);
  return [...new Set([...found, ...checker.getExportsOfModule(target)])];
}

/** Whether a type is an error class, which is never on the wire, whatever definition has its name. */
function isErrorClass(compiler: Compiler, checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  if ((symbol.flags & compiler.SymbolFlags.Class) === 0) return false;
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return ['name', 'message', 'stack'].every((name) => checker.getPropertyOfType(type, name) !== undefined);
}

function resolvedAlias(compiler: Compiler, checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & compiler.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The output type of a schema of Zod, or of any library that implements Standard Schema. */
function schemaOutputType(checker: ts.TypeChecker, type: ts.Type | undefined): ts.Type | undefined {
  const member = (of: ts.Type | undefined, name: string): ts.Type | undefined => {
    const symbol = of === undefined ? undefined : checker.getPropertyOfType(checker.getNonNullableType(of), name);
    return symbol === undefined ? undefined : checker.getTypeOfSymbol(symbol);
  };
  return member(type, '_output') ?? member(member(member(type, '~standard'), 'types'), 'output');
}

/**
 * Writes generated files as JavaScript with declarations. What the emitters and the runtime use is known here, so that
 * comments and line breaks stay; anything else, such as code of plugins, is left to the compiler.
 */
import path from 'node:path';
import type { ts as TypeScript } from 'ts-morph';
import { McpgenError } from '../../errors.js';
import { SealedCache } from '../cache.js';
import { addHeader, removeHeader } from '../ownership.js';
import type { PlannedFile } from '../plan.js';
import { declarationsOf } from './declarations.js';
import { UnknownSyntax, type Compiler } from './edits.js';
import { javascriptOf } from './javascript.js';

/** What a TypeScript file becomes. */
interface Compiled {
  readonly javascript: string;
  readonly declarations: string;
}

/**
 * Replaces TypeScript files by JavaScript and declarations: `types.ts` by `types.js` and `types.d.ts`, and `.mts` files
 * likewise. Files of the user and other formats stay as they are.
 *
 * @param toolHash - What decides the result apart from the text, as the results are cached on disk.
 * @throws {@link McpgenError} if a plugin's file has an export without a type or is a `.cts` or `.tsx` file, or two files
 *   have one path.
 */
export async function compileFiles(files: readonly PlannedFile[], toolHash: string): Promise<readonly PlannedFile[]> {
  const cache = new SealedCache('compiled');
  const compiled: PlannedFile[] = [];
  for (const file of files) {
    if (file.belongsToUser === true || !isCompiled(file.path)) {
      compiled.push(file);
      continue;
    }
    const text = removeHeader(file.contents);
    const key = JSON.stringify([toolHash, file.path, text]);
    const { javascript, declarations } = readCompiled(cache, key) ?? (await compileFile(cache, key, file.path, text));
    const extension = path.extname(file.path);
    const stem = file.path.slice(0, -extension.length);
    for (const [name, contents] of [
      [stem + extension.replace('ts', 'js'), javascript],
      [`${stem}.d${extension}`, declarations],
    ] as const)
      compiled.push({ path: name, contents: addHeader(name, contents) });
  }
  refuseSamePath(compiled);
  return compiled;
}

/**
 * Whether a file is TypeScript with code.
 *
 * @throws {@link McpgenError} if it is of a kind that is not compiled.
 */
function isCompiled(file: string): boolean {
  const [, isDeclaration, kind] = /(\.d)?\.(ts|mts|cts|tsx)$/.exec(file) ?? [];
  if (kind === undefined || isDeclaration !== undefined) return false;
  if (kind === 'ts' || kind === 'mts') return true;
  throw new McpgenError(`--target js does not compile .${kind} files`, {
    place: file,
    remedy: 'Let the plugin write .ts or .mts files, or generate with --target ts.',
  });
}

function readCompiled(cache: SealedCache, key: string): Compiled | undefined {
  const text = cache.read(key);
  return text === undefined ? undefined : (JSON.parse(text) as Compiled);
}

async function compileFile(cache: SealedCache, key: string, file: string, text: string): Promise<Compiled> {
  const { ts } = await import('ts-morph');
  const endsLines = text.includes('\r\n') ? '\r\n' : '\n';
  const source = ts.createSourceFile(file, text.replaceAll('\r\n', '\n'), ts.ScriptTarget.ES2022, true);
  const compiler = { ts, source };
  const result = {
    javascript: orCompiler(compiler, javascriptOf, transpile).replaceAll('\n', endsLines),
    declarations: orCompiler(compiler, declarationsOf, transpileDeclaration).replaceAll('\n', endsLines),
  };
  cache.write(key, JSON.stringify(result));
  return result;
}

function orCompiler(
  compiler: Compiler,
  own: (compiler: Compiler) => string,
  otherwise: (compiler: Compiler) => string,
): string {
  try {
    return own(compiler);
  } catch (error) {
    if (error instanceof UnknownSyntax) return otherwise(compiler);
    throw error;
  }
}

function transpile({ ts, source }: Compiler): string {
  const { outputText } = ts.transpileModule(source.text, {
    fileName: source.fileName,
    compilerOptions: compilerOptions(ts),
  });
  return outputText;
}

function transpileDeclaration({ ts, source }: Compiler): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source.text, {
    fileName: source.fileName,
    reportDiagnostics: true,
    compilerOptions: { ...compilerOptions(ts), declaration: true, isolatedDeclarations: true },
  });
  const [problem] = diagnostics;
  // The compiler keeps comments at the start only if they are part of a declaration.
  if (problem === undefined) return withHeader(source.text, outputText);
  const { line } = source.getLineAndCharacterOfPosition(problem.start ?? 0);
  throw new McpgenError(`needs a type: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`, {
    place: `${source.fileName}:${line + 1}`,
    remedy: 'Write the type of each export, as isolatedDeclarations requires, or generate with --target ts.',
  });
}

/** The comments at the start of a generated file, with what was made of the rest of it. */
function withHeader(original: string, text: string): string {
  const [header = ''] = /^(?:\/\/.*\n)*\/\* eslint-disable \*\/\n/.exec(original) ?? [];
  return text.startsWith(header) ? text : `${header}\n${text}`;
}

function compilerOptions(ts: typeof TypeScript): TypeScript.CompilerOptions {
  return {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    strict: true,
    newLine: ts.NewLineKind.LineFeed,
  };
}

/** A plugin may write `x.d.ts` next to `x.ts`. */
function refuseSamePath(files: readonly PlannedFile[]): void {
  const known = new Set<string>();
  for (const { path: name } of files) {
    if (known.has(name)) {
      throw new McpgenError('two files have this path', {
        place: name,
        remedy: 'Let the plugin choose another name, or generate with --target ts.',
      });
    }
    known.add(name);
  }
}

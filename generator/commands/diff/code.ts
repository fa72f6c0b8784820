import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ts as TypeScript } from 'ts-morph';
import { compilerHosts } from '../../compiler-host.js';
import { McpgenError } from '../../errors.js';
import { EMITTABLE, render, type Emittable, type ImportExtension, type Protocol } from '../../index.js';
import { callMethodName } from '../../emit/client.js';
import { isSharedPart } from '../../emit/parts.js';
import { constantCase } from '../../model/naming.js';
import { readOrigin } from '../../output/ownership.js';
import { isBelow } from '../../paths.js';
import type { AffectedCode, AffectedLine, DiffReport, ReportChange } from '../../print/diff/report.js';
import { tryReadText } from '../../read/files.js';
import { filesIn } from '../shared/author-files.js';

/**
 * Finds the lines of a program that no longer compile with the types of a new revision: the generated files of the old
 * one are replaced in memory, and the type checker reports what is wrong now and was not before.
 *
 * @param given - A folder, or a file of it; the nearest tsconfig applies.
 * @throws {@link McpgenError} if it has no TypeScript, or imports no generated file of the old revision.
 */
export async function findAffectedCode(
  given: string,
  before: Protocol,
  after: Protocol,
  report: DiffReport,
): Promise<AffectedCode> {
  const { Project, ts } = await import('ts-morph');
  const target = path.resolve(given);
  if (!existsSync(target)) {
    throw new McpgenError('no such file or folder', { place: given, remedy: 'Pass the folder with your sources.' });
  }
  const { fileNames, options } = programSettings(ts, target);
  const host = compilerHosts(ts, Project)(options);
  const old = ts.createProgram(fileNames, options, host);
  const generated = generatedFolders(old, before.revision);
  if (generated.size === 0) {
    throw new McpgenError(`it imports no generated file of ${before.revision}`, {
      place: given,
      remedy: `Pass the sources that import the output of \`mcpgen generate --revision ${before.revision}\`, and their revision as the old one.`,
    });
  }
  const overlay = new Map<string, string>();
  for (const folder of generated) {
    for (const [file, text] of await filesOfRevision(folder, after)) overlay.set(file, text);
  }
  const withOverlay: TypeScript.CompilerHost = {
    ...host,
    fileExists: (name) => overlay.has(path.resolve(name)) || host.fileExists(name),
    readFile: (name) => overlay.get(path.resolve(name)) ?? host.readFile(name),
    getSourceFile: (name, version, onError) => {
      const text = overlay.get(path.resolve(name));
      // What did not change is parsed once.
      return text === undefined
        ? (old.getSourceFile(name) ?? host.getSourceFile(name, version, onError))
        : ts.createSourceFile(name, text, version, true);
    },
  };
  const renewed = ts.createProgram(fileNames, options, withOverlay);
  const own = old.getSourceFiles().filter(({ fileName, text }) => {
    return isBelow(target, path.resolve(fileName)) && readOrigin(fileName, text) === 'foreign';
  });
  const lines = own.flatMap(({ fileName }) => {
    const known = new Set(problems(ts, old, fileName).map(({ message, line }) => `${line}:${message}`));
    return problems(ts, renewed, fileName).filter(({ message, line }) => !known.has(`${line}:${message}`));
  });
  return { folder: given, files: own.length, groups: groupByChange(lines, report, [before, after]) };
}

/** The files of a program and its options: those of the nearest tsconfig. */
function programSettings(
  ts: typeof TypeScript,
  target: string,
): { readonly fileNames: readonly string[]; readonly options: TypeScript.CompilerOptions } {
  const folder = statSync(target).isDirectory() ? target : path.dirname(target);
  const files = folder === target ? typescriptFilesBelow(folder) : [target];
  if (files.length === 0) {
    throw new McpgenError('it has no TypeScript files', {
      place: target,
      remedy: 'Pass the folder with your sources.',
    });
  }
  const config = ts.findConfigFile(folder, (name) => ts.sys.fileExists(name));
  const content =
    config === undefined ? undefined : (ts.readConfigFile(config, (name) => ts.sys.readFile(name)).config as unknown);
  const parsed =
    config === undefined || content === undefined
      ? undefined
      : ts.parseJsonConfigFileContent(content, ts.sys, path.dirname(config));
  const fallback: TypeScript.CompilerOptions = {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  // Declarations of globals are part of the program wherever they are.
  const declarations = (parsed?.fileNames ?? []).filter((file) => /\.d\.[cm]?ts$/.test(file));
  return {
    fileNames: [...new Set([...files, ...declarations.map((file) => path.resolve(file))])],
    options: {
      // All installed @types, as in compilers before TypeScript 6: none of them hides an error of the new types.
      types: ['*'],
      ...(parsed?.options ?? fallback),
      noEmit: true,
      composite: false,
      incremental: false,
      skipLibCheck: true,
    },
  };
}

function typescriptFilesBelow(folder: string): readonly string[] {
  return filesIn(folder)
    .filter((file) => /\.(?:ts|tsx|mts|cts)$/.test(file))
    .filter((file) => !file.split(path.sep).includes('node_modules') && !isGenerated(file));
}

function isGenerated(file: string): boolean {
  const text = file.endsWith('.ts') ? tryReadText(file) : undefined;
  return text !== undefined && readOrigin(file, text) !== 'foreign';
}

/** The folders with generated files of a revision that a program uses. */
function generatedFolders(program: TypeScript.Program, revision: string): ReadonlySet<string> {
  const files = program.getSourceFiles().filter(({ fileName, text }) => {
    return path.basename(path.dirname(fileName)) === revision && readOrigin(fileName, text) !== 'foreign';
  });
  return new Set(files.map(({ fileName }) => path.dirname(path.resolve(fileName))));
}

/** The files of another revision, in the place of those in a folder. */
async function filesOfRevision(folder: string, protocol: Protocol): Promise<ReadonlyMap<string, string>> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const parts = EMITTABLE.filter((part): part is Emittable => {
    return (
      !isSharedPart(part) && part !== 'stubs' && names.some((name) => [`${part}.ts`, `${part}.d.ts`].includes(name))
    );
  });
  const importExtension = importExtensionOf(
    tryReadText(path.join(folder, 'index.ts')) ?? tryReadText(path.join(folder, 'index.d.ts')) ?? '',
  );
  const rendered = await render(protocol, path.dirname(folder), { emit: parts, importExtension });
  const files = new Map<string, string>();
  for (const { path: name, contents } of rendered) {
    const isOfRevision = name.startsWith(`${protocol.revision}/`);
    const file = isOfRevision
      ? path.join(folder, name.slice(protocol.revision.length + 1))
      : path.join(path.dirname(folder), name);
    if (isOfRevision || !existsSync(file)) files.set(file, contents);
  }
  return files;
}

function importExtensionOf(index: string): ImportExtension {
  const [, extension] = /from ["']\.\/[\w-]+(\.[jt]s)?["']/.exec(index) ?? [];
  return extension === '.ts' ? 'ts' : extension === '.js' ? 'js' : 'none';
}

function problems(ts: typeof TypeScript, program: TypeScript.Program, fileName: string): readonly AffectedLine[] {
  const source = program.getSourceFile(fileName);
  if (source === undefined) return [];
  return program.getSemanticDiagnostics(source).map(({ start = 0, messageText }) => {
    const { line, character } = source.getLineAndCharacterOfPosition(start);
    const [begin, end] = [source.getPositionOfLineAndCharacter(line, 0), source.text.indexOf('\n', start)];
    return {
      file: path.relative(process.cwd(), fileName),
      line: line + 1,
      column: character + 1,
      message: ts.flattenDiagnosticMessageText(messageText, '\n'),
      code: source.text.slice(begin, end === -1 ? undefined : end).trim(),
    };
  });
}

/** Assigns each line to the change whose names the compiler or the line names; the others come last, without one. */
function groupByChange(
  lines: readonly AffectedLine[],
  report: DiffReport,
  protocols: readonly Protocol[],
): AffectedCode['groups'] {
  // What is gone explains an error better than what was deprecated.
  const isBreaking = ({ sender, receiver }: ReportChange): boolean => sender === 'breaking' || receiver === 'breaking';
  const changes = [...report.changes.filter(isBreaking), ...report.changes.filter((change) => !isBreaking(change))];
  const candidates = changes.map((change) => ({ change, words: wordsOf(change, report, protocols) }));
  const groups = new Map<ReportChange | undefined, AffectedLine[]>();
  for (const line of lines) {
    let best: ReportChange | undefined;
    let highest = 0;
    for (const { change, words } of candidates) {
      const score = likeness(line, words);
      if (score > highest) [best, highest] = [change, score];
    }
    groups.set(best, [...(groups.get(best) ?? []), line]);
  }
  const entries = [...groups].map(([change, affected]) => ({ change: change ?? null, lines: affected }));
  return [...entries.filter(({ change }) => change !== null), ...entries.filter(({ change }) => change === null)];
}

/** What a line that a change affects may name. */
interface ChangeWords {
  /** The method or definition, under its names in code. */
  readonly subjects: readonly string[];
  /** The last member of the place; undefined if the change is not of a member. */
  readonly member: string | undefined;
  /** A result that the method did not have: what is missing in it is due to this change. */
  readonly newResult: string | undefined;
  /** The results that the method had. */
  readonly oldResults: readonly string[];
}

function wordsOf(
  { rule, name, place, subject, after }: ReportChange,
  { renames }: DiffReport,
  protocols: readonly Protocol[],
): ChangeWords {
  const old = renames.filter((rename) => rename.after === name).map(({ before }) => before);
  const isMember = subject !== 'method' && place !== name;
  return {
    subjects: subject === 'method' ? methodNamesInCode(name, protocols) : [name, ...old],
    member: isMember ? lastMember(place) : undefined,
    newResult: rule === 'result-added' ? (after ?? undefined) : undefined,
    oldResults: (protocols[0]?.methods ?? []).flatMap((method) => (method.name === name ? method.results : [])),
  };
}

/** The last member of a place such as `Tool.icons[]` or `Result._meta["a/b"]`. */
function lastMember(place: string): string {
  const [, name, quoted] = /(?:\.([\w$*]+)|\["([^"]*)"\])(?:\[\])*$/.exec(place) ?? [];
  return name ?? quoted ?? place;
}

/** A method as code names it: itself, its constant, its message and the client's method for it. */
function methodNamesInCode(name: string, protocols: readonly Protocol[]): readonly string[] {
  const messages = protocols.flatMap(({ methods }) => methods.filter((method) => method.name === name));
  return [name, constantCase(name), ...messages.flatMap((method) => [method.message, callMethodName(method)])];
}

/** How well a line fits a change: the names in the compiler's message count more than those in the line. */
function likeness({ message, code }: AffectedLine, { subjects, member, newResult, oldResults }: ChangeWords): number {
  const { members, types } = namesIn(message);
  const isNamed = subjects.some((word) => types.has(word));
  const isInLine = subjects.some((word) => code.includes(word));
  if (newResult !== undefined && types.has(newResult)) {
    return isNamed || isInLine || oldResults.some((result) => types.has(result)) ? 7 : 6;
  }
  if (member === undefined) return isNamed ? 3 : 0;
  if (!members.has(member)) return 0;
  return isNamed ? 5 : isInLine ? 4 : 1;
}

interface MessageNames {
  readonly members: ReadonlySet<string>;
  /** What is quoted, and each name in it: `Task` of `Promise<Task>`. */
  readonly types: ReadonlySet<string>;
}

/** The names in a message: those in quotes, and those after "is missing the following properties from type 'A':". */
function namesIn(message: string): MessageNames {
  const quoted = [...message.matchAll(/'([^'\n]+)'/g)].map(([, text = '']) => text);
  const listed = [...message.matchAll(/ properties from type '[^'\n]+': ([^\n]+)/g)].flatMap(([, list = '']) =>
    list.split(', '),
  );
  return {
    members: new Set([...quoted, ...listed].map((name) => name.replace(/^"(.*)"$/, '$1'))),
    types: new Set(quoted.flatMap((text) => [text, ...(text.match(/[\w$]+/g) ?? [])])),
  };
}

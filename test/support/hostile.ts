import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { compileTexts, type CompilerOptions } from './compiler.js';
import {
  loadProtocol,
  McpgenError,
  render,
  type PlannedFile,
  type Protocol,
  type RenderOptions,
} from '../../generator/index.js';

/** A JSON Schema in the making. */
export type Schema = Record<string, unknown>;

/** The definitions of the smallest protocol: one request, `ping`, from the client. */
export function pingDefinitions(): Schema {
  return {
    RequestId: { type: ['string', 'integer'] },
    PingRequest: {
      type: 'object',
      properties: {
        jsonrpc: { const: '2.0', type: 'string' },
        id: { $ref: '#/$defs/RequestId' },
        method: { const: 'ping', type: 'string' },
        params: { type: 'object', additionalProperties: {} },
      },
      required: ['jsonrpc', 'id', 'method'],
    },
    ClientRequest: { anyOf: [{ $ref: '#/$defs/PingRequest' }] },
    EmptyResult: { type: 'object', additionalProperties: {} },
  };
}

/** A schema of the smallest protocol with further definitions; `__proto__` may be one of them. */
export function schemaWith(definitions: Schema = {}, beside: Schema = {}): Schema {
  const all = pingDefinitions();
  for (const [name, value] of Object.entries(definitions)) withOwnProperty(all, name, value);
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: all, ...beside };
}

/** Sets an own member, whatever its name. */
export function withOwnProperty(object: Schema, name: string, value: unknown): Schema {
  return Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The catalog row of `ping`. */
export const PING_ROW = {
  method: 'ping',
  kind: 'request',
  direction: 'clientToServer',
  message: 'PingRequest',
  params: 'PingRequest.params',
  result: 'EmptyResult',
  capability: null,
  summary: 'Asks whether the other side is there.',
} as const;

/** The catalog of the smallest protocol, with some members replaced. */
export function catalogWith(other: Schema = {}): Schema {
  return {
    protocol: 'Test protocol',
    revision: 'draft',
    lifecycle: 'stateless',
    batches: false,
    methods: [PING_ROW],
    errors: [],
    ...other,
  };
}

/** What a file holds: a value to be written as JSON, a text, or bytes. */
export type Contents = Schema | string | Uint8Array;

/** The text or bytes of a file. */
export function toFileContents(contents: unknown): string | Uint8Array {
  return typeof contents === 'string' || contents instanceof Uint8Array ? contents : JSON.stringify(contents);
}

/** Loads a schema with a catalog, by default those of the smallest protocol. */
export async function load(
  schema: unknown = schemaWith(),
  catalog: unknown = catalogWith(),
  options: { name?: string; revision?: string; strict?: boolean } = {},
): Promise<Protocol> {
  const { name = 'schema.json', ...more } = options;
  return loadProtocol({
    schema: { name, contents: toFileContents(schema) },
    catalog: { name: 'catalog.json', contents: toFileContents(catalog) },
    ...more,
  });
}

/** All files of a schema, in memory. */
export async function generated(
  schema: unknown,
  catalog?: unknown,
  options: Parameters<typeof load>[2] & RenderOptions = {},
): Promise<readonly PlannedFile[]> {
  const { emit, ...more } = options;
  return render(await load(schema, catalog, more), '/nowhere', emit === undefined ? {} : { emit });
}

/** Text of `types.ts` of a schema, without the other files. */
export async function typesOf(schema: unknown, catalog?: unknown): Promise<string> {
  return findOutputFile(await generated(schema, catalog, { emit: ['types'] }), 'types');
}

/** Text of one of the files. */
export function findOutputFile(files: readonly PlannedFile[], name: string): string {
  const found = files.find((file) => file.path.endsWith(`/${name}.ts`));
  if (found === undefined) throw new Error(`there is no ${name}.ts among the files`);
  return found.contents;
}

/** Characters that no generated file and no message may hold, line breaks aside. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{Surrogate}/gu;

/** The hidden characters of a text, as numbers. */
export function findHiddenCharacters(text: string): readonly string[] {
  return [...new Set(text.match(HIDDEN))].map(
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

/** What the fault of an input says, once it has been seen to be one that the tool explains. */
export interface ErrorParts {
  readonly message: string;
  readonly place: string;
  readonly remedy: string;
}

/** Awaits a fault and checks its form: our own kind, with a place and a remedy, and nothing of the machinery in it. */
export async function errorOf(action: Promise<unknown>): Promise<ErrorParts> {
  const error = await action.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof McpgenError)) throw error;
  const { message, place = '', remedy = '' } = error;
  const wrong = [
    ...(place === '' && !message.includes('#/') ? ['no place'] : []),
    ...(remedy === '' ? ['no remedy'] : []),
    ...findInternals(error.format()),
  ];
  if (wrong.length > 0) throw new Error(`${wrong.join(', ')} in: ${JSON.stringify(error.format())}`);
  return { message, place, remedy };
}

/** What a text for the user has in it that is not for the user. */
export function findInternals(text: string): readonly string[] {
  return [
    ...(/\bundefined\b(?!")/.test(text) ? ['undefined'] : []),
    ...(text.includes('[object ') ? ['[object ...]'] : []),
    ...(/^\s+at .*[:(]/m.test(text) || text.includes('node:') ? ['a stack trace'] : []),
    ...(text.length > 4000 ? [`${text.length} characters`] : []),
    ...findHiddenCharacters(text).map((character) => `hidden ${character}`),
  ];
}

const COMPILER_OPTIONS: CompilerOptions = {
  strict: true,
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // The runtime of client and server needs what every platform has: timers, signals, text encoding.
  lib: 'es2022,dom',
  types: '',
  skipLibCheck: true,
};

/** The texts that have been compiled without an error. */
const compiled = new Set<string>();

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * The path and text of a file as it is compiled: where the runtime is the committed one, its declarations are enough,
 * once its code has been compiled. That takes a third of the time.
 */
function textToCompile({ path: name, contents }: PlannedFile): readonly [string, string] {
  const declarations = path.join(ROOT, 'dist/generated', name.replace(/\.ts$/, '.d.ts'));
  const isKnown =
    name.startsWith('runtime/') &&
    compiled.has(contents) &&
    existsSync(declarations) &&
    readFileSync(path.join(ROOT, 'generated', name), 'utf8') === contents;
  return isKnown ? [name.replace(/\.ts$/, '.d.ts'), readFileSync(declarations, 'utf8')] : [name, contents];
}

/** Generated files as a program. */
export class CompiledOutput {
  readonly #files: readonly PlannedFile[];
  /** Parsed when they are first visited. */
  readonly #sources = new Map<string, ts.SourceFile>();

  constructor(files: readonly PlannedFile[]) {
    this.#files = files;
  }

  /** What the compiler finds wrong: the path of the file and the message. */
  async errors(): Promise<readonly string[]> {
    const texts = new Map(this.#files.map((file) => textToCompile(file)));
    const errors = await compileTexts(texts, COMPILER_OPTIONS);
    if (errors.length === 0) for (const { contents } of this.#files) compiled.add(contents);
    return errors.map(({ file, message }) => `${file}: ${message}`);
  }

  /** Visits every node of the generated code, without comments. */
  visit(action: (node: ts.Node, file: string) => void): void {
    for (const { path: name, contents } of this.#files) {
      const source = this.#sources.get(name) ?? ts.createSourceFile(name, contents, ts.ScriptTarget.ES2022, true);
      this.#sources.set(name, source);
      const walk = (node: ts.Node): void => {
        action(node, name);
        ts.forEachChild(node, walk);
      };
      walk(source);
    }
  }

  /** Identifiers of the code. */
  identifiers(): ReadonlySet<string> {
    const found = new Set<string>();
    this.visit((node) => {
      if (ts.isIdentifier(node)) found.add(node.text);
    });
    return found;
  }

  /** Texts of string literals and quoted names, as they are at run time. */
  strings(): ReadonlySet<string> {
    const found = new Set<string>();
    this.visit((node) => {
      if (ts.isStringLiteralLike(node)) found.add(node.text);
    });
    return found;
  }

  /** Doc tags, as the compiler and every editor read them; the runtime is not made of the schema. */
  docTags(): ReadonlySet<string> {
    const found = new Set<string>();
    this.visit((node, file) => {
      if (file.startsWith('runtime/')) return;
      for (const tag of ts.getJSDocTags(node)) found.add(tag.tagName.text);
    });
    return found;
  }
}

/** Compiles files. */
export function compileOutput(files: readonly PlannedFile[]): CompiledOutput {
  return new CompiledOutput(files);
}

/** The relative imports of texts, which many sets have in common. */
const importsOf = new Map<string, readonly string[]>();

/** The imports of files that are not among them. */
function findMissingImports(files: readonly PlannedFile[]): readonly string[] {
  const paths = new Set(files.map((file) => file.path));
  return files.flatMap(({ path: name, contents }) => {
    const imports =
      importsOf.get(contents) ??
      ts
        .preProcessFile(contents, true)
        .importedFiles.map(({ fileName }) => fileName)
        .filter((target) => target.startsWith('.'));
    importsOf.set(contents, imports);
    return imports
      .filter((target) => !paths.has(path.posix.join(path.posix.dirname(name), target).replace(/\.js$/, '.ts')))
      .map((target) => `${name}: it imports ${target}, which is not there`);
  });
}

/**
 * What the compiler finds wrong in sets of files; an error begins with the name of its set. They are one program, in which
 * each set has separate folders and all share the runtime, whose files must be the same in all sets. Each set must have
 * all files that it imports.
 */
export async function compileErrorsOf(sets: ReadonlyMap<string, readonly PlannedFile[]>): Promise<readonly string[]> {
  const all = new Map<string, PlannedFile>();
  const names = new Map<string, string>();
  const missing: string[] = [];
  for (const [index, [set, files]] of [...sets].entries()) {
    missing.push(...findMissingImports(files).map((error) => `${set}: ${error}`));
    for (const file of files) {
      if (!file.path.includes('/')) throw new Error(`${set}: ${file.path} is in no folder`);
      const isShared = file.path.startsWith('runtime/');
      const place = isShared ? file.path : `set-${index}-${file.path}`;
      if ((all.get(place) ?? file).contents !== file.contents)
        throw new Error(`${set}: ${file.path} differs from that of another set`);
      all.set(place, { ...file, path: place });
      names.set(place, isShared ? file.path : `${set}: ${file.path}`);
    }
  }
  const errors = await compileOutput([...all.values()]).errors();
  return [
    ...missing,
    ...errors.map((error) => {
      const place = error.slice(0, error.indexOf(': '));
      return `${names.get(place) ?? place}${error.slice(place.length)}`;
    }),
  ];
}

import { repeated } from '../model/protocol.js';
import { escapeHiddenCharacters } from '../text.js';

/** The files of a revision that mcpgen itself writes, without extension. */
export const MODULE_NAMES = [
  'types',
  'methods',
  'messages',
  'guards',
  'errors',
  'validators',
  'zod',
  'revision',
  'client',
  'server',
  'handlers',
  'aliases',
  'index',
] as const;

/** A file of a revision, without extension. */
export type ModuleName = (typeof MODULE_NAMES)[number];

/** A file of a tool's types, without extension. */
export type ToolModule = `tools/${string}`;

/** The files that all revisions share, without extension. */
export type RuntimeModule = `runtime/${string}`;

type AnyModule = ModuleName | RuntimeModule | ToolModule;

/** Extension of imported files. */
export type ImportExtension = 'js' | 'ts' | 'none';

/** What generated files are written as: TypeScript, or JavaScript with declarations. */
export type Target = 'ts' | 'js';

/** How to print a generated file: its header, and the extension of its imports. */
export interface PrintOptions {
  readonly header: string;
  readonly importExtension: ImportExtension;
  /** The names of imported files on disk, if they differ. */
  readonly fileNames?: ReadonlyMap<string, string>;
}

/** The keyword of a declaration. */
type DeclarationKind = 'type' | 'interface' | 'class' | 'const' | 'function';

/** The text of a declaration, without its keyword and name. */
interface DeclarationText {
  /** Its doc comment. */
  readonly doc?: string;
  /** The code after the name: ` = string;`, `<T>(value: T): T {...}`. */
  readonly code: string;
}

/** A declaration of a generated file, with its name as data. */
export interface Declaration {
  readonly name: string;
  readonly isExported: boolean;
  readonly text: string;
}

/** An exported declaration. */
export function exported(kind: DeclarationKind, name: string, { doc = '', code }: DeclarationText): Declaration {
  return { name, isExported: true, text: joinLines([doc, `export ${kind} ${name}${code}`]) };
}

/** A declaration that is private to its file. */
export function local(kind: DeclarationKind, name: string, { doc = '', code }: DeclarationText): Declaration {
  return { name, isExported: false, text: joinLines([doc, `${kind} ${name}${code}`]) };
}

function joinLines(texts: readonly string[]): string {
  return texts
    .map((text) => text.trimEnd())
    .filter((text) => text !== '')
    .join('\n');
}

/**
 * A TypeScript file under construction. Imports are collected as names are used, and written at the end: sorted,
 * type-only if possible, and without unused ones.
 */
export class SourceFile<Name extends string = ModuleName> {
  readonly name: Name;
  /** Its name on disk without extension, if the protocol has another word for it. */
  readonly fileName: string;
  /** Whether it is written once and belongs to the user: it has no header, and no index exports it. */
  readonly belongsToUser: boolean;
  readonly #types = new Map<AnyModule, Set<string>>();
  readonly #values = new Map<AnyModule, Set<string>>();
  readonly #namespaces = new Map<string, RuntimeModule>();
  readonly #packages = new Map<string, string>();
  readonly #reexports: { from: RuntimeModule; values: readonly string[]; types: readonly string[] }[] = [];
  readonly #pieces: string[] = [];
  readonly #declarations: Declaration[] = [];

  constructor(
    name: Name,
    { belongsToUser = false, fileName = name }: { readonly belongsToUser?: boolean; readonly fileName?: string } = {},
  ) {
    this.name = name;
    this.fileName = fileName;
    this.belongsToUser = belongsToUser;
  }

  /** Imports a type of another file, and returns its name. */
  importType(from: AnyModule, name: string): string {
    return addImport(this.#types, from, name);
  }

  /** Imports a value of another file, and returns its name. */
  importValue(from: AnyModule, name: string): string {
    return addImport(this.#values, from, name);
  }

  /** Imports a shared file as a namespace. */
  importNamespace(from: RuntimeModule, name: string): void {
    this.#namespaces.set(name, from);
  }

  /** Imports a package as a namespace. */
  importPackage(from: string, name: string): void {
    this.#packages.set(name, from);
  }

  /** Re-exports names of a shared file. */
  reexport(
    from: RuntimeModule,
    names: { readonly values: readonly string[]; readonly types: readonly string[] },
  ): void {
    this.#reexports.push({ from, ...names });
  }

  /** Adds top-level code, separated by a blank line: declarations, or code without a name. */
  add(...parts: readonly (Declaration | string)[]): void {
    const declarations = parts.filter((part) => typeof part !== 'string');
    this.#declarations.push(...declarations);
    this.#pieces.push(joinLines(parts.map((part) => (typeof part === 'string' ? part : part.text))));
  }

  /** Adds an exported declaration. */
  declare(kind: DeclarationKind, name: string, text: DeclarationText): void {
    this.add(exported(kind, name, text));
  }

  /** Adds a declaration that is private to this file. */
  declareLocal(kind: DeclarationKind, name: string, text: DeclarationText): void {
    this.add(local(kind, name, text));
  }

  /** The other files that it imports, without extension. */
  importedModules(): readonly string[] {
    const reexported = this.#reexports.map(({ from }) => from);
    return [...new Set([...this.#types.keys(), ...this.#values.keys(), ...this.#namespaces.values(), ...reexported])];
  }

  /** Names that the file exports. */
  exports(): readonly string[] {
    return [
      ...this.#declarations.filter(({ isExported }) => isExported).map(({ name }) => name),
      ...this.#reexports.flatMap(({ values, types }) => [...values, ...types]),
    ];
  }

  /** All names that the file declares, exported or not. */
  declared(): readonly string[] {
    return [
      ...this.exports(),
      ...this.#namespaces.keys(),
      ...this.#packages.keys(),
      ...this.#declarations.filter(({ isExported }) => !isExported).map(({ name }) => name),
    ];
  }

  /** Names that the file declares or imports more than once, which does not compile. */
  ambiguousNames(): readonly string[] {
    const imported = new Map<string, Set<AnyModule>>();
    for (const uses of [this.#types, this.#values])
      for (const [from, names] of uses)
        for (const name of names) imported.set(name, (imported.get(name) ?? new Set()).add(from));
    const names = [
      ...this.#declarations.map(({ name }) => name),
      ...[...imported].flatMap(([name, from]) => [...from].map(() => name)),
    ];
    return [...repeated(names)];
  }

  /** The module specifier of another file; a file of a plugin may be in a folder below the revision's. */
  #specifier(from: AnyModule, { importExtension, fileNames }: PrintOptions): string {
    const depth = this.name.startsWith('tools/') ? 0 : this.name.split('/').length - 1;
    const specifier = importSpecifier(fileNames?.get(from) ?? from, importExtension);
    return depth === 0 ? specifier : '../'.repeat(depth) + specifier.replace(/^\.\//, '');
  }

  /** The file's top-level pieces of code, not yet formatted. */
  print(options: PrintOptions): readonly string[] {
    const packages = [...this.#packages].map(([name, from]) => `import * as ${name} from ${JSON.stringify(from)};`);
    const shared = [...this.#namespaces].map(
      ([name, from]) => `import * as ${name} from "${this.#specifier(from, options)}";`,
    );
    const imports = [
      ...packages,
      ...shared,
      ...printImports(this.#types, 'import type', (from) => this.#specifier(from, options)),
      ...printImports(this.#values, 'import', (from) => this.#specifier(from, options)),
    ];
    const passedOn = this.#reexports.flatMap(({ from, values, types }) => {
      const source = JSON.stringify(this.#specifier(from, options));
      return [`export { ${values.join(', ')} } from ${source};`, `export type { ${types.join(', ')} } from ${source};`];
    });
    return (
      [options.header, imports.join('\n'), passedOn.join('\n'), ...this.#pieces]
        .map((part) => part.trimEnd())
        .filter((part) => part !== '')
        // Only a string literal can still contain a hidden character, and there an escape means the same.
        .map((part) => part.split('\n').map(escapeHiddenCharacters).join('\n'))
    );
  }
}

/** The module specifier of another file of the same revision, of the tools, or of a shared file. */
export function importSpecifier(module: string, importExtension: ImportExtension): string {
  const file = module.startsWith('runtime/') ? `../${module}` : `./${module.replace(/^tools\//, '')}`;
  return file + fileExtension(importExtension);
}

/** What imports append to the path of a file. */
export function fileExtension(importExtension: ImportExtension): string {
  return importExtension === 'none' ? '' : `.${importExtension}`;
}

function addImport(uses: Map<AnyModule, Set<string>>, from: AnyModule, name: string): string {
  const names = uses.get(from) ?? new Set();
  uses.set(from, names.add(name));
  return name;
}

function printImports(
  uses: ReadonlyMap<AnyModule, ReadonlySet<string>>,
  keyword: string,
  specifierOf: (from: AnyModule) => string,
): string[] {
  return [...uses.keys()]
    .sort()
    .map((from) => `${keyword} { ${[...(uses.get(from) ?? [])].sort().join(', ')} } from "${specifierOf(from)}";`);
}

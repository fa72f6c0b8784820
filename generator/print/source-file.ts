/** The files that a revision is made of, without their extension. */
export type ModuleName = 'types' | 'methods' | 'messages' | 'guards' | 'errors' | 'index';

/** What stands behind the name of an imported file. */
export type ImportExtension = 'js' | 'ts' | 'none';

/** How one generated file is to be finished: what stands above it, and how it names its neighbours. */
export interface PrintOptions {
  readonly header: string;
  readonly importExtension: ImportExtension;
}

/**
 * A TypeScript file in the making. Imports are asked for where a name is used, and written once at the end: type-only
 * where they can be, sorted, and none that is not needed.
 */
export class SourceFile {
  readonly name: ModuleName;
  readonly #types = new Map<ModuleName, Set<string>>();
  readonly #values = new Map<ModuleName, Set<string>>();
  readonly #parts: string[] = [];

  constructor(name: ModuleName) {
    this.name = name;
  }

  /** Uses a type of another file of the revision, and gives its name back. */
  type(from: ModuleName, name: string): string {
    return use(this.#types, from, name);
  }

  /** Uses a value of another file of the revision, and gives its name back. */
  value(from: ModuleName, name: string): string {
    return use(this.#values, from, name);
  }

  /** Adds a top-level piece of code; pieces are set apart by a blank line. */
  add(...code: string[]): void {
    this.#parts.push(code.join(''));
  }

  /** Names that the file exports. */
  exports(): readonly string[] {
    const declared = /^export (?:type|const|function) ([\w$]+)/gm;
    return this.#parts.flatMap((part) => [...part.matchAll(declared)].map((match) => match[1] ?? ''));
  }

  /** The file's text, still to be laid out by Prettier. */
  print(options: PrintOptions): string {
    const imports = [...imported(this.#types, 'import type', options), ...imported(this.#values, 'import', options)];
    const parts = [options.header, imports.join('\n'), ...this.#parts].map((part) => part.trimEnd());
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  }
}

/** The module specifier of another file of the same revision. */
export function specifier(module: ModuleName, importExtension: ImportExtension): string {
  return importExtension === 'none' ? `./${module}` : `./${module}.${importExtension}`;
}

function use(uses: Map<ModuleName, Set<string>>, from: ModuleName, name: string): string {
  const names = uses.get(from) ?? new Set();
  uses.set(from, names.add(name));
  return name;
}

function imported(
  uses: ReadonlyMap<ModuleName, ReadonlySet<string>>,
  keyword: string,
  options: PrintOptions,
): string[] {
  return [...uses.keys()]
    .sort()
    .map(
      (from) =>
        `${keyword} { ${[...(uses.get(from) ?? [])].sort().join(', ')} } from "${specifier(from, options.importExtension)}";`,
    );
}

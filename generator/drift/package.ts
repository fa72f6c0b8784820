import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ts } from 'ts-morph';
import { McpgenError } from '../errors.js';
import { statIfExists } from '../read/files.js';
import type { JsonObject } from '../read/json/json.js';
import { readPackageJson } from '../read/package-json.js';
import { closestMatch } from '../text.js';
import type { Compiler } from './their-shape.js';

/** How to resolve imports: like Node, or if that finds nothing, like bundlers. */
export type Resolution = 'nodenext' | 'bundler';

/** The declaration file of a package, a subpath of one, a file or a folder. */
export interface PackageEntry {
  readonly file: string;
  readonly name?: string;
  readonly version?: string;
  readonly resolution: Resolution;
}

const RESOLUTIONS: readonly Resolution[] = ['nodenext', 'bundler'];

/** Compiler options for reading a package's types. */
export function compilerOptions(compiler: Compiler, resolution: Resolution): ts.CompilerOptions {
  const isNode = resolution === 'nodenext';
  return {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: compiler.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    module: isNode ? compiler.ModuleKind.NodeNext : compiler.ModuleKind.ESNext,
    moduleResolution: isNode ? compiler.ModuleResolutionKind.NodeNext : compiler.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
}

/**
 * Finds the declarations of what `--sdk` names.
 *
 * @param specifier - A package, a subpath of one, or a path to a file or folder.
 * @param folder - The folder to resolve packages and paths from.
 * @throws {@link McpgenError} if it does not exist, or has no types.
 */
export function findEntry(compiler: Compiler, specifier: string, folder: string): PackageEntry {
  if (isPathSpecifier(specifier)) return findPathEntry(compiler, specifier, folder);
  const found = resolveModule(compiler, specifier, path.join(folder, 'index.mts'));
  if (found?.isTyped === true) return found.entry;
  const asPath = path.resolve(folder, specifier);
  if (found === undefined && existsSync(asPath)) return findPathEntry(compiler, `./${specifier}`, folder);
  throw found === undefined ? notFoundError(specifier, folder) : untypedError(specifier, found.entry);
}

/** Whether TypeScript reads a specifier as a path too. */
function isPathSpecifier(specifier: string): boolean {
  return /^(?:\.{1,2}(?:[\\/]|$)|[\\/]|[A-Za-z]:[\\/])/.test(specifier);
}

interface ResolvedEntry {
  readonly entry: PackageEntry;
  readonly isTyped: boolean;
}

/** Resolves with the compiler: first like an ES module of Node, then like `require`, then like bundlers. */
function resolveModule(compiler: Compiler, specifier: string, from: string): ResolvedEntry | undefined {
  let untypedOne: ResolvedEntry | undefined;
  for (const resolution of RESOLUTIONS) {
    const options = compilerOptions(compiler, resolution);
    const modes: readonly ts.ResolutionMode[] =
      resolution === 'nodenext' ? [compiler.ModuleKind.ESNext, compiler.ModuleKind.CommonJS] : [undefined];
    for (const mode of modes) {
      const { resolvedModule } = compiler.resolveModuleName(
        specifier,
        from,
        options,
        compiler.sys,
        undefined,
        undefined,
        mode,
      );
      if (resolvedModule === undefined) continue;
      const { resolvedFileName: file, packageId, extension } = resolvedModule;
      const isTyped = /\.[cm]?tsx?$/.test(extension);
      const entry = {
        file,
        resolution,
        ...(packageId === undefined ? {} : { name: packageId.name, version: packageId.version }),
      };
      if (isTyped) return { entry: { ...readPackageInfo(file), ...entry }, isTyped };
      untypedOne ??= { entry, isTyped };
    }
  }
  return untypedOne;
}

function findPathEntry(compiler: Compiler, specifier: string, folder: string): PackageEntry {
  const absolute = path.resolve(folder, specifier);
  const stats = statIfExists(absolute);
  if (stats?.isDirectory() === true) return findFolderEntry(compiler, specifier, absolute);
  if (/\.[cm]?tsx?$/.test(absolute)) {
    if (stats === undefined) throw missingFileError(specifier);
    return { file: absolute, resolution: 'nodenext', ...readPackageInfo(absolute) };
  }
  const found = resolveModule(compiler, absolute, path.join(folder, 'index.mts'));
  if (found?.isTyped === true) return found.entry;
  if (stats === undefined && found === undefined) throw missingFileError(specifier);
  throw new McpgenError('has no types', {
    place: specifier,
    remedy: 'Pass a .ts or .d.ts file, or a folder that has one.',
  });
}

/** Reads a folder as a package, else as a folder with an index file. */
function findFolderEntry(compiler: Compiler, specifier: string, absolute: string): PackageEntry {
  const manifest = readPackageJson(absolute);
  const name = typeof manifest?.['name'] === 'string' ? manifest['name'] : undefined;
  // Resolves the package by its own name, so that its `exports` apply.
  const asPackage =
    name === undefined || manifest?.['exports'] === undefined
      ? undefined
      : resolveModule(compiler, name, path.join(absolute, 'index.mts'));
  if (asPackage?.isTyped === true) return asPackage.entry;
  for (const inside of ['', '/index', '/src/index', '/dist/index']) {
    const found = resolveModule(compiler, `${absolute}${inside}`, path.join(absolute, 'index.cts'));
    if (found?.isTyped === true) return found.entry;
  }
  throw new McpgenError('the folder has no types: its package.json names none, and it has no index file', {
    place: specifier,
    remedy: 'Pass a .ts or .d.ts file in it.',
  });
}

function missingFileError(specifier: string): McpgenError {
  return new McpgenError('no such file or folder', { place: specifier, remedy: 'Check the path.' });
}

/** The package that a file belongs to. */
function readPackageInfo(file: string): { readonly name?: string; readonly version?: string } {
  let folder = path.dirname(file);
  for (;;) {
    const { name, version } = readPackageJson(folder) ?? {};
    // A package.json without a name only sets the module type of a subfolder.
    if (typeof name === 'string') return { name, ...(typeof version === 'string' ? { version } : {}) };
    const parent = path.dirname(folder);
    if (parent === folder) return {};
    folder = parent;
  }
}

/** The name of the package in a module specifier: `@scope/name` of `@scope/name/sub.js`. */
function packageName(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function notFoundError(specifier: string, folder: string): McpgenError {
  const name = packageName(specifier);
  const installed = installedFolder(name, folder);
  if (installed === undefined) {
    return new McpgenError(`the package ${JSON.stringify(name)} is not installed here`, {
      place: '--sdk',
      remedy: `Install it (npm install --save-dev ${name}), or pass the path of a file or folder.`,
    });
  }
  const manifest = readPackageJson(installed);
  const subpaths = subpathsOf(manifest, name).filter((item) => item !== specifier);
  const near = specifier === name ? undefined : closestMatch(specifier, subpaths);
  const hint = near ?? subpaths.find((item) => item === `${specifier}.js` || item.endsWith('/types.js'));
  return new McpgenError(
    `the package ${JSON.stringify(name)} is installed, but ${specifier === name ? 'has no types at its root' : `has no ${specifier.slice(name.length + 1)} with types`}`,
    {
      place: `--sdk ${specifier}`,
      remedy:
        hint !== undefined
          ? `Did you mean ${hint}?`
          : subpaths.length === 0
            ? 'Pass the path of a declaration file in it.'
            : `It exports ${subpaths.slice(0, 12).join(', ')}.`,
    },
  );
}

/** The folder of an installed package, with or without types. */
function installedFolder(name: string, folder: string): string | undefined {
  for (let current = path.resolve(folder); ; current = path.dirname(current)) {
    const candidate = path.join(current, 'node_modules', name);
    if (existsSync(candidate)) return candidate;
    if (path.dirname(current) === current) return undefined;
  }
}

function subpathsOf(manifest: JsonObject | undefined, name: string): readonly string[] {
  const exports = manifest?.['exports'];
  if (typeof exports !== 'object' || exports === null) return [];
  return Object.keys(exports).flatMap((key) => {
    if (!key.startsWith('.') || key === './package.json') return [];
    if (key === './*') return [`${name}/types.js`, `${name}/spec.types.js`];
    return key.includes('*') ? [] : [name + key.slice(1)];
  });
}

function untypedError(specifier: string, { name = packageName(specifier), file }: PackageEntry): McpgenError {
  const types = name.startsWith('@') ? name.slice(1).replace('/', '__') : name;
  return new McpgenError(`the package ${JSON.stringify(name)} has no types (it resolves to ${path.basename(file)})`, {
    place: `--sdk ${specifier}`,
    remedy: `Install @types/${types} if it exists, or pass the path of a declaration file.`,
  });
}

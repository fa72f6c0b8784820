import type { Project as TsMorphProject, ts } from 'ts-morph';

/** Where ts-morph claims the declarations of the language to be; no such folder exists. */
const LIBRARY_FOLDER = '/node_modules/typescript/lib';

/**
 * Hosts of the compiler, which read files as it does. The declarations of the language (`lib.es2022.d.ts` and the like)
 * are those that ts-morph includes: the compiler expects them next to itself, where they are not, and without them
 * `Promise` and arrays have no type.
 *
 * @returns Creates a host for a program; declarations of the language are parsed once for all of them.
 */
export function compilerHosts(
  compiler: typeof ts,
  Project: typeof TsMorphProject,
): (options: ts.CompilerOptions) => ts.CompilerHost {
  const libraries = new Project({ useInMemoryFileSystem: true }).getModuleResolutionHost();
  const parsed = new Map<string, ts.SourceFile>();
  return (options) => {
    const host = compiler.createCompilerHost(options);
    const files = { ...host };
    host.getDefaultLibLocation = () => LIBRARY_FOLDER;
    host.getDefaultLibFileName = (settings) => `${LIBRARY_FOLDER}/${compiler.getDefaultLibFileName(settings)}`;
    host.fileExists = (name) => (isLibrary(name) ? libraries.fileExists(name) : files.fileExists(name));
    host.readFile = (name) => (isLibrary(name) ? libraries.readFile(name) : files.readFile(name));
    host.getSourceFile = (name, version, ...rest) => {
      if (!isLibrary(name)) return files.getSourceFile(name, version, ...rest);
      const text = libraries.readFile(name);
      const source = parsed.get(name) ?? (text && compiler.createSourceFile(name, text, version, true));
      if (!source) return undefined;
      parsed.set(name, source);
      return source;
    };
    return host;
  };
}

function isLibrary(name: string): boolean {
  return name.startsWith(`${LIBRARY_FOLDER}/`);
}

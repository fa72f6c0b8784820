import { packageManagerField, scriptCommand } from './package-manager.js';
import { unscopedName, type SchemaNotation, type Selection } from './selection.js';

/** The dependencies of a project. */
export interface AvailablePackages {
  /** Version ranges by name, from our own package.json. */
  readonly ranges: Readonly<Record<string, string>>;
  /** The version or path of mcpgen. */
  readonly own: string;
}

const DEV_TOOLS = ['@eslint/js', '@types/node', 'eslint', 'tsx', 'typescript', 'typescript-eslint', 'vitest'];

/** The entry file. */
export function entryFile({ transports, kind }: Selection): 'index' | 'http' {
  return kind === 'client' || transports.includes('stdio') ? 'index' : 'http';
}

/** The packages of each notation of schemas. */
const SCHEMA_PACKAGES: Readonly<Record<SchemaNotation, readonly string[]>> = {
  json: [],
  zod: ['zod'],
  valibot: ['valibot', '@valibot/to-json-schema'],
  arktype: ['arktype'],
};

/** Run-time dependencies of the program. */
export function runtimePackages(selection: Selection): readonly string[] {
  const storePackages = selection.store === 'redis' ? ['redis'] : [];
  return [...transportPackages(selection), ...storePackages, ...SCHEMA_PACKAGES[selection.schemas]];
}

function transportPackages({ kind, transports, runtime }: Selection): readonly string[] {
  if (runtime === 'none') return kind === 'client' && transports.includes('http') ? ['eventsource-parser'] : [];
  if (runtime === 'sdk-v1') return ['@modelcontextprotocol/sdk'];
  if (kind === 'client') return ['@modelcontextprotocol/client'];
  // The Node adapter has the server as a peer dependency.
  return [...(transports.includes('http') ? ['@modelcontextprotocol/node'] : []), '@modelcontextprotocol/server'];
}

/** The package.json of a project. */
export function projectManifest(selection: Selection, { ranges, own }: AvailablePackages): object {
  const entry = entryFile(selection);
  const hasBoth = selection.kind === 'server' && selection.transports.length > 1;
  const range = (name: string): [string, string] => {
    const found = ranges[name];
    if (found === undefined) throw new RangeError(`no version of ${name} is known`);
    return [name, found];
  };
  const dependencies = runtimePackages(selection).map(range);
  // Pages are files of the build, which the program reads.
  const hasPages = selection.features.includes('app');
  const withPages = (command: string): string => (hasPages ? `node build-pages.js && ${command}` : command);
  const devTools = hasPages ? [...DEV_TOOLS, 'esbuild'] : DEV_TOOLS;
  const devDependencies = [...devTools.map(range), ['mcpgen', own] as [string, string]];
  const sorted = (entries: [string, string][]): object =>
    Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    name: selection.packageName,
    version: '0.1.0',
    description: `A ${selection.kind} of the Model Context Protocol.`,
    type: 'module',
    bin: { [unscopedName(selection.packageName)]: `dist/${entry}.js` },
    files: ['dist'],
    engines: { node: '>=20' },
    ...packageManagerField(selection),
    scripts: {
      dev: withPages(`tsx src/${entry}.ts`),
      ...(hasBoth ? { 'dev:http': withPages('tsx watch src/http.ts') } : {}),
      build: withPages('tsc -p tsconfig.build.json'),
      start: `node dist/${entry}.js`,
      ...(hasBoth ? { 'start:http': 'node dist/http.js' } : {}),
      test: withPages('vitest run'),
      lint: 'eslint .',
      generate: 'mcpgen generate',
      check: `mcpgen generate --check && tsc -p .${hasPages ? ' && tsc -p pages' : ''}`,
      prepublishOnly: scriptCommand(selection.packageManager, 'build'),
    },
    ...(dependencies.length === 0 ? {} : { dependencies: sorted(dependencies) }),
    devDependencies: sorted(devDependencies),
  };
}

import { readFileSync } from 'node:fs';
import { FEATURES, type ProjectKind, type Selection } from '../../generator/scaffold/project/selection.js';

export const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
export const packages = { ranges: { ...devDependencies, ...dependencies }, own: '^1.0.0' };
export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'].map((revision) => ({
  revision,
  isStateless: revision === '2026-07-28',
  methods: [],
  extensions: [],
}));

/** A project with all features and transports. */
export function everythingOf(kind: ProjectKind): Selection {
  return {
    kind,
    packageName: '@acme/demo',
    revisions,
    features: FEATURES[kind].map(({ name }) => name),
    transports: ['stdio', 'http'],
    runtime: 'none',
    schemas: 'json',
    store: 'memory',
    packageManager: 'npm',
  };
}

/** The package that has the program which a script runs. */
export const PROGRAMS: Readonly<Record<string, string>> = { tsc: 'typescript' };
export const OURS = ['npm', 'node'];

/** What files import and scripts run, and package.json does not name where it is needed: for others, or for the author. */
export function missing(files: ReadonlyMap<string, string>): readonly string[] {
  const manifest = JSON.parse(files.get('package.json') ?? '') as Record<
    'dependencies' | 'devDependencies' | 'scripts',
    Record<string, string> | undefined
  >;
  const shipped = new Set(Object.keys(manifest.dependencies ?? {}));
  const all = new Set([...shipped, ...Object.keys(manifest.devDependencies ?? {})]);
  const imports = [...files].flatMap(([name, text]) =>
    [...text.matchAll(/ from ["']((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^"']*)?["']/g)]
      .map(([, imported = '']) => imported)
      .filter((imported) => !(name.startsWith('src/') ? shipped : all).has(imported))
      .map((imported) => `${name}: ${imported}`),
  );
  const programs = Object.values(manifest.scripts ?? {})
    .flatMap((script) => script.split(' && '))
    .map((command) => command.split(' ')[0] ?? '')
    .filter((program) => !OURS.includes(program) && !all.has(PROGRAMS[program] ?? program));
  return [...imports, ...programs];
}

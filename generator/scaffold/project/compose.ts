import { applyConditions, selectionConditions, conditionHolds } from './conditions.js';
import { projectManifest, type AvailablePackages } from './manifest.js';
import { translateNpmCommands, managerFiles } from './package-manager.js';
import { protocolFile } from './protocol-file.js';
import { toolFiles } from './tool-files.js';
import { transportFile } from './transport-file.js';
import {
  SCHEMA_NOTATIONS,
  serviceName,
  unscopedName,
  newestRevision,
  requiredExtensions,
  type SchemaNotation,
  type Selection,
} from './selection.js';

/** Text files by path, with forward slashes. */
export type ProjectFiles = ReadonlyMap<string, string>;

/** The name of the project in each template. */
const PLACEHOLDER_NAME = { server: 'example-server', client: 'example-client' } as const;
/** What images and Kubernetes call the project. */
const PLACEHOLDER_SERVICE = 'example-service';

/** Revisions that the templates are written for. */
const NEWEST_REVISION = '2026-07-28';
const NEWEST_STATEFUL_REVISION = '2025-11-25';

/** Conditions for writing a file: the first match of its path decides; files with `never` are created elsewhere. */
const FILE_CONDITIONS: readonly (readonly [path: RegExp, condition: string])[] = [
  [/^src\/index\.sdk\.ts$/, 'stdio&sdk-v2'],
  [/^src\/index\.sdk-v1\.ts$/, 'stdio&sdk-v1'],
  [/^src\/listen\.ts$/, 'http&own'],
  [/^src\/listen\.sdk\.ts$/, 'http&sdk-v2'],
  [/^src\/listen\.sdk-v1\.ts$/, 'http&sdk-v1'],
  [/^(?:src\/http|test\/http\.test)\.ts$/, 'http'],
  [/^(?:src\/(?:settings|store)|test\/store\.test)\.ts$/, 'redis'],
  [/^(?:\.dockerignore|Dockerfile|Caddyfile|compose\.yaml|kubernetes\/.+)$/, 'redis'],
  [/^(?:tools\.json|src\/(?:example|target)\.ts|test\/example\.test\.ts)$/, 'never'],
  [/\/tools\/book\b/, 'elicitation'],
  [/\/tools\/count\b/, 'progress'],
  [/\/tools\/folders\b/, 'roots'],
  [/^pages\/|^build-pages\.js$|\/tools\/roll\b|\/resources\/roll-page\b/, 'app'],
  [/\/tools\/shout\b/, 'logging'],
  [/\/tools\/summarize\b/, 'sampling'],
  [/\/tools\//, 'tools'],
  [/\/resources\//, 'resources'],
  [/\/prompts\//, 'prompts'],
  [/\/handlers\/index\./, 'handlers'],
  [/\/handlers\/elicitation\b/, 'elicitation'],
  [/\/handlers\/roots\b/, 'roots'],
  [/\/handlers\/sampling\b/, 'sampling'],
];

/** The notation of schemas that a file of a template is for; undefined if it is the same in all of them. */
function notationOf(path: string, template: ProjectFiles): SchemaNotation | undefined {
  const named = SCHEMA_NOTATIONS.find((notation) => path.endsWith(`.${notation}.ts`));
  const isForJson =
    /\.(?:in|out)put\.json$/.test(path) || (path.endsWith('.ts') && template.has(`${path.slice(0, -3)}.zod.ts`));
  return named ?? (isForJson ? 'json' : undefined);
}

/** The path of a template's file in the project. */
export function projectPath(path: string): string {
  return path.replace(/^_gitignore$/, '.gitignore').replace(/\.(?:sdk(?:-v1)?|zod|valibot|arktype)\.ts$/, '.ts');
}

/** The parts of the generated code that a project needs. */
export function generatedParts({ kind, transports, runtime, store }: Selection): readonly string[] {
  if (runtime !== 'none') return ['default', 'registry'];
  const http = kind === 'server' ? ['http-server', 'http-node'] : ['http-client'];
  return [
    'default',
    'registry',
    ...(transports.includes('stdio') ? ['stdio'] : []),
    ...(transports.includes('http') ? http : []),
    ...(store === 'redis' ? ['http-redis'] : []),
  ];
}

/**
 * The author's files of a project: the files and lines of the template that the selection includes.
 *
 * @param template - The files of the template of the selection's kind.
 */
export function composeProject(
  template: ProjectFiles,
  selection: Selection,
  packages: AvailablePackages,
): ProjectFiles {
  const conditions = selectionConditions(selection);
  const files = new Map<string, string>([
    ['package.json', formatJsonFile(projectManifest(selection, packages))],
    ['src/protocol.ts', protocolFile(selection.kind, selection.revisions)],
    ...(selection.kind === 'client' ? [['src/transport.ts', transportFile(selection)] as const] : []),
    ...toolFiles(selection),
    ...managerFiles(selection),
  ]);
  for (const [path, text] of template) {
    const condition =
      path === 'src/index.ts' && selection.kind === 'server'
        ? 'stdio&own'
        : FILE_CONDITIONS.find(([pattern]) => pattern.test(path))?.[1];
    if (condition !== undefined && !conditionHolds(condition, conditions)) continue;
    if ((notationOf(path, template) ?? selection.schemas) !== selection.schemas) continue;
    if (files.has(path)) continue;
    files.set(
      projectPath(path),
      path === 'mcpgen.config.json' ? projectConfig(text, selection) : fillPlaceholders(text, selection, conditions),
    );
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function fillPlaceholders(text: string, selection: Selection, conditions: ReadonlySet<string>): string {
  const stateful = selection.revisions.filter(({ isStateless }) => !isStateless).at(-1)?.revision;
  const stateless = selection.revisions.filter(({ isStateless }) => isStateless).at(-1)?.revision;
  return translateNpmCommands(selection, applyConditions(text, conditions))
    .replaceAll(`generated/${NEWEST_REVISION}/`, `generated/${newestRevision(selection).revision}/`)
    .replaceAll(`"${NEWEST_REVISION}"`, `"${stateless ?? NEWEST_REVISION}"`)
    .replaceAll(`"${NEWEST_STATEFUL_REVISION}"`, `"${stateful ?? NEWEST_STATEFUL_REVISION}"`)
    .replaceAll(PLACEHOLDER_SERVICE, serviceName(selection.packageName))
    .replaceAll(PLACEHOLDER_NAME[selection.kind], unscopedName(selection.packageName));
}

function projectConfig(text: string, selection: Selection): string {
  const config = JSON.parse(text) as Record<string, unknown>;
  config['revisions'] = selection.revisions.map(({ revision }) => revision);
  config['emit'] = generatedParts(selection);
  const extensions = requiredExtensions(selection);
  if (extensions.length > 0) config['extensions'] = extensions;
  else delete config['extensions'];
  if (selection.schemas !== 'json') config['schemas'] = selection.schemas;
  // A server without tools may get some later.
  if (selection.kind === 'client' && selection.listed === undefined) delete config['tools'];
  for (const key of ['trustPatterns', 'nullable'] as const) if (selection.listed?.[key] === true) config[key] = true;
  return formatJsonFile(config);
}

function formatJsonFile(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

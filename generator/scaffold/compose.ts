import { applyConditions, conditionsOf, holds } from './conditions.js';
import { manifestOf, type Packages } from './manifest.js';
import { inTermsOf, managerFiles } from './package-manager.js';
import { protocolFile } from './protocol-file.js';
import { toolFiles } from './tool-files.js';
import { transportFile } from './transport-file.js';
import { bareName, newestOf, type Selection } from './selection.js';

/** Text files by their path, with forward slashes. */
export type Files = ReadonlyMap<string, string>;

/** The name of the project in each template. */
const PLACEHOLDER = { server: 'example-server', client: 'example-client' } as const;

/** Revisions that the templates are written for. */
const NEWEST = '2026-07-28';
const NEWEST_STATEFUL = '2025-11-25';

/** On what it depends whether a file is written: the first that matches its path decides; `never` is made otherwise. */
const FILES: readonly (readonly [path: RegExp, condition: string])[] = [
  [/^src\/index\.sdk\.ts$/, 'stdio&sdk-v2'],
  [/^src\/index\.sdk-v1\.ts$/, 'stdio&sdk-v1'],
  [/^src\/listen\.ts$/, 'http&own'],
  [/^src\/listen\.sdk\.ts$/, 'http&sdk-v2'],
  [/^src\/listen\.sdk-v1\.ts$/, 'http&sdk-v1'],
  [/^(?:src\/http|test\/http\.test)\.ts$/, 'http'],
  [/^(?:tools\.json|src\/(?:example|target)\.ts|test\/example\.test\.ts)$/, 'never'],
  [/\/tools\/book\b/, 'elicitation'],
  [/\/tools\/count\b/, 'progress'],
  [/\/tools\/folders\b/, 'roots'],
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

/** The parts of the generated code that a project needs. */
export function partsOf({ kind, transports, runtime }: Selection): readonly string[] {
  if (runtime !== 'none') return ['default', 'registry'];
  const http = kind === 'server' ? ['http-server', 'http-node'] : ['http-client'];
  return [
    'default',
    'registry',
    ...(transports.includes('stdio') ? ['stdio'] : []),
    ...(transports.includes('http') ? http : []),
  ];
}

/**
 * The author's files of a project: those of the template that the selection wants, without what it does not.
 *
 * @param template - The files of the template of the selection's kind.
 */
export function compose(template: Files, selection: Selection, packages: Packages): Files {
  const facts = conditionsOf(selection);
  const files = new Map<string, string>([
    ['package.json', json(manifestOf(selection, packages))],
    ['src/protocol.ts', protocolFile(selection.kind, selection.revisions)],
    ...(selection.kind === 'client' ? [['src/transport.ts', transportFile(selection)] as const] : []),
    ...toolFiles(selection),
    ...managerFiles(selection),
  ]);
  for (const [path, text] of template) {
    const condition =
      path === 'src/index.ts' && selection.kind === 'server'
        ? 'stdio&own'
        : FILES.find(([pattern]) => pattern.test(path))?.[1];
    if (condition !== undefined && !holds(condition, facts)) continue;
    if (files.has(path)) continue;
    const target = path.replace(/^_gitignore$/, '.gitignore').replace(/\.sdk(?:-v1)?\.ts$/, '.ts');
    files.set(target, path === 'mcpgen.config.json' ? configOf(text, selection) : filled(text, selection, facts));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function filled(text: string, selection: Selection, facts: ReadonlySet<string>): string {
  const stateful = selection.revisions.filter(({ isStateless }) => !isStateless).at(-1)?.revision;
  const stateless = selection.revisions.filter(({ isStateless }) => isStateless).at(-1)?.revision;
  return inTermsOf(selection, applyConditions(text, facts))
    .replaceAll(`generated/${NEWEST}/`, `generated/${newestOf(selection).revision}/`)
    .replaceAll(`"${NEWEST}"`, `"${stateless ?? NEWEST}"`)
    .replaceAll(`"${NEWEST_STATEFUL}"`, `"${stateful ?? NEWEST_STATEFUL}"`)
    .replaceAll(PLACEHOLDER[selection.kind], bareName(selection.packageName));
}

function configOf(text: string, selection: Selection): string {
  const config = JSON.parse(text) as Record<string, unknown>;
  config['revisions'] = selection.revisions.map(({ revision }) => revision);
  config['emit'] = partsOf(selection);
  // A server without tools may be given some later.
  if (selection.kind === 'client' && selection.listed === undefined) delete config['tools'];
  return json(config);
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

import { DEFAULT_PARTS, EMITTABLE, type Emittable } from '../../emit/parts.js';
import { McpgenError } from '../../errors.js';
import type { GenerateOptions, NamedPlugin } from '../../index.js';
import { loadPlugin } from '../../plugin-host/load.js';
import { readExtension, type ExtensionFiles } from '../../read/extension.js';
import { readAdditionalSchemas } from '../../read/schema/additional.js';
import { showProgress } from '../../terminal.js';
import { closestMatch } from '../../text.js';
import { readInputFile } from '../shared/options.js';
import { DEFAULT_OUT, readConfiguredTools, type Settings } from '../shared/settings.js';

/** What a run generates, and where. */
export interface GeneratePlan {
  /** As given; `-` is standard output. */
  readonly out: string;
  readonly options: GenerateOptions;
}

/** Reads the input of a run. */
export async function planGenerate(
  { options: given, config, pluginFolder }: Settings,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<GeneratePlan> {
  if (given.schema === '-' && given.catalog === '-') {
    throw new McpgenError('schema and catalog cannot both come from standard input', {
      place: '--schema - --catalog -',
      remedy: 'Pass one of them as a file.',
    });
  }
  const out = given.out ?? (given.schema === '-' ? '-' : DEFAULT_OUT);
  const tools = await readConfiguredTools(config);
  const options: GenerateOptions = {
    out: out === '-' ? '.' : out,
    importExtension: given.importExtension ?? 'js',
    errata: given.errata,
    strict: given.strict,
    trustPatterns: given.trustPatterns,
    nullable: given.nullable,
    documents: readAdditionalSchemas(given.additionalSchemas ?? []),
    dryRun,
    onProgress: (revision) => {
      showProgress(`${revision} ...`);
    },
    ...(given.revisions === undefined ? {} : { revisions: given.revisions }),
    ...(given.schema === undefined ? {} : { schema: readInputFile(given.schema, '--schema') }),
    ...(given.catalog === undefined ? {} : { catalog: readInputFile(given.catalog, '--catalog') }),
    ...(given.extensions === undefined ? {} : { extensions: given.extensions }),
    ...(given.extend === undefined ? {} : { extend: await readExtensions(given.extend, config?.folder) }),
    ...(given.plugins === undefined ? {} : { plugins: await loadPlugins(given.plugins, pluginFolder) }),
    ...(given.emit === undefined ? {} : { emit: given.emit.flatMap(parsePart) }),
    ...(given.target === undefined ? {} : { target: given.target }),
    ...(given.tsNocheck ? { tsNocheck: true } : {}),
    ...(given.methods === undefined ? {} : { methods: given.methods }),
    ...(tools === undefined ? {} : { tools }),
  };
  return { out, options };
}

async function readExtensions(
  files: readonly string[],
  folder: string | undefined,
): Promise<readonly ExtensionFiles[]> {
  return Promise.all(files.map((file) => readExtension(file, folder)));
}

/** Loads plugins one after the other, since they may disturb the process. */
async function loadPlugins(specifiers: readonly string[], folder: string): Promise<readonly NamedPlugin[]> {
  const plugins: NamedPlugin[] = [];
  for (const specifier of specifiers) plugins.push(await loadPlugin(specifier, folder));
  return plugins;
}

/**
 * The parts that a word of `--emit` means; `default` means those that are written without it.
 *
 * @throws {@link McpgenError} if there is no such part.
 */
function parsePart(word: string): Emittable | readonly Emittable[] {
  if (word === 'default') return DEFAULT_PARTS;
  const known = EMITTABLE.find((item) => item === word);
  if (known !== undefined) return known;
  const near = closestMatch(word, [...EMITTABLE, 'default']);
  throw new McpgenError(`there is no part ${JSON.stringify(word)}`, {
    place: '--emit',
    remedy: near === undefined ? `There are ${EMITTABLE.join(', ')}.` : `Did you mean ${near}?`,
  });
}

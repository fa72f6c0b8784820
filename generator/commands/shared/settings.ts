import path from 'node:path';
import { optionFlag } from '../../command-line.js';
import { McpgenError } from '../../errors.js';
import { isWithin } from '../../output/plan.js';
import type { ImportExtension, Target } from '../../print/source-file.js';
import { readConfig, type ConfigFile } from '../../read/config/config.js';
import { readAdditionalSchemas } from '../../read/schema/additional.js';
import type { SchemaDocuments } from '../../read/schema/documents.js';
import { readToolFiles, type ToolSource } from '../../read/tools.js';
import { booleanOption, stringOption, type RawOptions } from './options.js';

/** The default output folder. */
export const DEFAULT_OUT = 'generated';

/** The values of `--import-extension`. */
export const IMPORT_EXTENSIONS: readonly ImportExtension[] = ['js', 'ts', 'none'];

/** The values of `--target`. */
export const TARGETS: readonly Target[] = ['ts', 'js'];

/** Options that a config can set as well; undefined if not given. */
export interface ConfigurableOptions {
  readonly out: string | undefined;
  readonly revisions: readonly string[] | undefined;
  readonly schema: string | undefined;
  readonly catalog: string | undefined;
  readonly emit: readonly string[] | undefined;
  readonly methods: readonly string[] | undefined;
  readonly importExtension: ImportExtension | undefined;
  readonly target: Target | undefined;
  readonly tsNocheck: boolean;
  readonly errata: boolean;
  readonly strict: boolean;
  readonly trustPatterns: boolean;
  readonly additionalSchemas: readonly string[] | undefined;
  readonly nullable: boolean;
  /** Identifiers of built-in extensions. */
  readonly extensions: readonly string[] | undefined;
  /** Catalogs of other extensions. */
  readonly extend: readonly string[] | undefined;
  /** Files and packages of plugins. */
  readonly plugins: readonly string[] | undefined;
}

/** Which config is used, and whether it may write outside its folder. */
export interface ConfigOptions {
  readonly config: string | undefined;
  readonly allowOutside: boolean;
}

/** The options without those of the config. */
export type CommandLine = ConfigurableOptions & ConfigOptions;

/** The options of the command line merged with those of the config. */
export interface Settings {
  /** The given options, else those of the config. */
  readonly options: ConfigurableOptions;
  readonly config: ConfigFile | undefined;
  /** The folder that the plugins are relative to. */
  readonly pluginFolder: string;
}

/** The keys of a config that an option overrides. */
const OVERRIDABLE_KEYS = [
  'out',
  'revisions',
  'schema',
  'catalog',
  'emit',
  'methods',
  'importExtension',
  'target',
  'extensions',
  'extend',
  'plugins',
] as const;

/** The option that overrides a key of a config. */
function overridingFlag(key: (typeof OVERRIDABLE_KEYS)[number]): string {
  return key === 'revisions' || key === 'extensions' || key === 'plugins'
    ? optionFlag(key.slice(0, -1))
    : optionFlag(key);
}

/** Which config is used, from the command line. */
export function parseConfigOptions(raw: RawOptions): ConfigOptions {
  return { config: stringOption(raw, 'config'), allowOutside: booleanOption(raw, 'allowOutside') };
}

/** Options that take everything from the config. */
export function configuredByFile({ config, allowOutside }: ConfigOptions): CommandLine {
  return {
    config,
    allowOutside,
    out: undefined,
    revisions: undefined,
    schema: undefined,
    catalog: undefined,
    emit: undefined,
    methods: undefined,
    importExtension: undefined,
    target: undefined,
    tsNocheck: false,
    errata: true,
    strict: false,
    trustPatterns: false,
    additionalSchemas: undefined,
    nullable: false,
    extensions: undefined,
    extend: undefined,
    plugins: undefined,
  };
}

/**
 * Merges the options of a command with the config of the project, which is searched for from the current folder
 * upwards, or named by `--config`. An option overrides the config; `--schema` overrides its `revisions` and `catalog`
 * as well.
 *
 * @throws {@link McpgenError} if the config is invalid.
 */
export async function resolveSettings(commandLine: CommandLine): Promise<Settings> {
  const config = await readConfig(process.cwd(), commandLine.config);
  if (config === undefined) return { options: commandLine, config, pluginFolder: process.cwd() };
  const { config: own, folder } = config;
  if (commandLine.out === undefined && own.out !== undefined) refuseOutsideFolder(config, commandLine);
  const relative = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : relativeToWorkingDirectory(folder, file);
  const relatives = (files: readonly string[] | undefined): readonly string[] | undefined =>
    files?.map((file) => relativeToWorkingDirectory(folder, file));
  const hasSchemaOption = commandLine.schema !== undefined;
  const options = {
    out: commandLine.out ?? relative(own.out),
    revisions: commandLine.revisions ?? (hasSchemaOption ? undefined : own.revisions),
    schema: commandLine.schema ?? relative(own.schema),
    catalog: commandLine.catalog ?? (hasSchemaOption ? undefined : relative(own.catalog)),
    emit: commandLine.emit ?? own.emit,
    methods: commandLine.methods ?? own.methods,
    importExtension: commandLine.importExtension ?? own.importExtension,
    target: commandLine.target ?? own.target,
    tsNocheck: commandLine.tsNocheck || own.tsNocheck === true,
    // On the command line these can only be switched in one direction.
    errata: commandLine.errata && own.errata !== false,
    strict: commandLine.strict || own.strict === true,
    trustPatterns: commandLine.trustPatterns || own.trustPatterns === true,
    nullable: commandLine.nullable || own.nullable === true,
    additionalSchemas: commandLine.additionalSchemas ?? relatives(own.additionalSchemas),
    extensions: commandLine.extensions ?? own.extensions,
    extend: commandLine.extend ?? relatives(own.extend),
    plugins: commandLine.plugins ?? own.plugins,
  };
  return { options, config, pluginFolder: commandLine.plugins === undefined ? folder : process.cwd() };
}

/**
 * The output folder of a config, absolute.
 *
 * @param commandLine - Only `--allow-outside` is used.
 * @throws {@link McpgenError} if it is outside the config's folder without confirmation.
 */
export function outputFolder(config: ConfigFile, commandLine: ConfigOptions): string {
  refuseOutsideFolder(config, commandLine);
  return path.resolve(config.folder, config.config.out ?? DEFAULT_OUT);
}

/** A config may come from someone else, so it must not choose an arbitrary folder to write to. */
function refuseOutsideFolder({ config, folder, placeOf }: ConfigFile, { allowOutside }: ConfigOptions): void {
  const { out = DEFAULT_OUT } = config;
  if (allowOutside || isWithin(folder, path.resolve(folder, out))) return;
  throw new McpgenError(`the output folder ${JSON.stringify(out)} is outside the folder of the config`, {
    place: placeOf('out'),
    remedy: 'Choose a folder below it, or confirm it with --allow-outside or --out DIR.',
  });
}

/**
 * The tools that a config lists.
 *
 * @throws {@link McpgenError} if one of their files is invalid.
 */
export async function readConfiguredTools(config: ConfigFile | undefined): Promise<readonly ToolSource[] | undefined> {
  const patterns = config?.config.tools;
  if (config === undefined || patterns === undefined) return undefined;
  return (await readToolFiles(patterns, config.folder, process.cwd())).tools;
}

/** How a config has the schemas of its tools read. */
export function configuredToolOptions({ config, folder }: ConfigFile): {
  readonly documents: SchemaDocuments;
  readonly trustPatterns: boolean;
  readonly nullable: boolean;
} {
  const { additionalSchemas = [], trustPatterns = false, nullable = false } = config;
  const files = additionalSchemas.map((file) => relativeToWorkingDirectory(folder, file));
  return { documents: readAdditionalSchemas(files), trustPatterns, nullable };
}

/** A path of a config, relative to the current folder; never one that looks like `-` or an option. */
export function relativeToWorkingDirectory(folder: string, file: string): string {
  const relative = path.relative(process.cwd(), path.resolve(folder, file)) || '.';
  return relative.startsWith('-') ? `.${path.sep}${relative}` : relative;
}

/**
 * Runs a function with settings. If an error names an option whose value came from the config, it names the key of the
 * config instead.
 */
export async function withConfigLocations<T>(
  { config }: Settings,
  commandLine: CommandLine,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof McpgenError) || config === undefined) throw error;
    for (const key of OVERRIDABLE_KEYS) {
      const isFromConfig = commandLine[key] === undefined && config.config[key] !== undefined;
      if (!isFromConfig || error.place !== overridingFlag(key)) continue;
      throw new McpgenError(error.message, {
        place: config.placeOf(key),
        ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
        cause: error.cause,
      });
    }
    throw error;
  }
}

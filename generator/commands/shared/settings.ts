import path from 'node:path';
import { optionFlag } from '../../command-line.js';
import { McpgenError } from '../../errors.js';
import { isWithin } from '../../output/plan.js';
import type { ImportExtension } from '../../print/source-file.js';
import { readConfig, type ConfigFile } from '../../read/config/config.js';
import { readToolFiles, type ToolSource } from '../../read/tools.js';
import { booleanOption, stringOption, type RawOptions } from './options.js';

/** The output folder where nothing names one. */
export const DEFAULT_OUT = 'generated';

/** The values of `--import-extension`. */
export const IMPORT_EXTENSIONS: readonly ImportExtension[] = ['js', 'ts', 'none'];

/** Options that the config of a project can set as well; undefined where they were not given. */
export interface ConfigurableOptions {
  readonly out: string | undefined;
  readonly revisions: readonly string[] | undefined;
  readonly schema: string | undefined;
  readonly catalog: string | undefined;
  readonly emit: readonly string[] | undefined;
  readonly methods: readonly string[] | undefined;
  readonly importExtension: ImportExtension | undefined;
  readonly errata: boolean;
  readonly strict: boolean;
}

/** Which config is used, and whether it may write outside its folder. */
export interface ConfigOptions {
  readonly config: string | undefined;
  readonly allowOutside: boolean;
}

/** What the command line alone says. */
export type CommandLine = ConfigurableOptions & ConfigOptions;

/** What the command line and the config of the project say together. */
export interface Settings {
  /** The options that were given, and for the others what the config says. */
  readonly options: ConfigurableOptions;
  readonly config: ConfigFile | undefined;
}

/** The keys of a config that an option overrides. */
const OVERRIDABLE_KEYS = ['out', 'revisions', 'schema', 'catalog', 'emit', 'methods', 'importExtension'] as const;

/** The option that overrides a key of a config. */
function overridingFlag(key: (typeof OVERRIDABLE_KEYS)[number]): string {
  return key === 'revisions' ? '--revision' : optionFlag(key);
}

/** Which config is used, from the command line. */
export function parseConfigOptions(raw: RawOptions): ConfigOptions {
  return { config: stringOption(raw, 'config'), allowOutside: booleanOption(raw, 'allowOutside') };
}

/** A command line that leaves all that is generated to the config. */
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
    errata: true,
    strict: false,
  };
}

/**
 * Joins the options of a command with the config of the project, which is found upwards from the current folder or named
 * by `--config`. An option overrides the config; `--schema` overrides its `revisions` and `catalog` as well.
 *
 * @throws {@link McpgenError} if the config is wrong.
 */
export async function resolveSettings(commandLine: CommandLine): Promise<Settings> {
  const config = await readConfig(process.cwd(), commandLine.config);
  if (config === undefined) return { options: commandLine, config };
  const { config: own, folder } = config;
  if (commandLine.out === undefined && own.out !== undefined) refuseOutsideFolder(config, commandLine);
  const relative = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : relativeToWorkingDirectory(folder, file);
  const hasSchemaOption = commandLine.schema !== undefined;
  const options = {
    out: commandLine.out ?? relative(own.out),
    revisions: commandLine.revisions ?? (hasSchemaOption ? undefined : own.revisions),
    schema: commandLine.schema ?? relative(own.schema),
    catalog: commandLine.catalog ?? (hasSchemaOption ? undefined : relative(own.catalog)),
    emit: commandLine.emit ?? own.emit,
    methods: commandLine.methods ?? own.methods,
    importExtension: commandLine.importExtension ?? own.importExtension,
    // These two can only be switched one way on the command line.
    errata: commandLine.errata && own.errata !== false,
    strict: commandLine.strict || own.strict === true,
  };
  return { options, config };
}

/**
 * The output folder of a config, absolute.
 *
 * @param commandLine - `--allow-outside` counts.
 * @throws {@link McpgenError} if it is outside the config's folder, and that is not confirmed.
 */
export function outputFolder(config: ConfigFile, commandLine: ConfigOptions): string {
  refuseOutsideFolder(config, commandLine);
  return path.resolve(config.folder, config.config.out ?? DEFAULT_OUT);
}

/** A config may come from somebody else: it must not choose any folder of the user's to write to. */
function refuseOutsideFolder({ config, folder, placeOf }: ConfigFile, { allowOutside }: ConfigOptions): void {
  const { out = DEFAULT_OUT } = config;
  if (allowOutside || isWithin(folder, path.resolve(folder, out))) return;
  throw new McpgenError(`the output folder ${JSON.stringify(out)} is outside the folder of the config`, {
    place: placeOf('out'),
    remedy: 'Choose a folder below it, or confirm it with --allow-outside or --out DIR.',
  });
}

/**
 * The tools that a config names.
 *
 * @throws {@link McpgenError} if a file of theirs is broken.
 */
export async function readConfiguredTools(config: ConfigFile | undefined): Promise<readonly ToolSource[] | undefined> {
  const patterns = config?.config.tools;
  if (config === undefined || patterns === undefined) return undefined;
  return (await readToolFiles(patterns, config.folder, process.cwd())).tools;
}

/** A path of a config as seen from the current folder; never one that reads as `-` or as a flag. */
export function relativeToWorkingDirectory(folder: string, file: string): string {
  const relative = path.relative(process.cwd(), path.resolve(folder, file)) || '.';
  return relative.startsWith('-') ? `.${path.sep}${relative}` : relative;
}

/**
 * Does something with settings; a fault that names a flag names the key of the config instead where the value is from
 * there.
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

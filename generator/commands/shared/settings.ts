import path from 'node:path';
import { optionFlag } from '../../command-line.js';
import { McpgenError } from '../../errors.js';
import { isWithin } from '../../output/plan.js';
import { readConfig, type Config, type ConfigFile } from '../../read/config/config.js';
import { readToolFiles, type ToolSource } from '../../read/tools.js';
import { booleanOption, stringOption } from './options.js';

/** The output folder where nothing names one. */
export const DEFAULT_OUT = 'generated';

/** What the command line and the config of the project say together. */
export interface Settings {
  /** As flags: those that were given, and for the others what the config says. */
  readonly flags: Record<string, unknown>;
  readonly config: ConfigFile | undefined;
}

/** The flag that each key of a config stands for. */
const OPTION_BY_CONFIG_KEY = {
  out: 'out',
  revisions: 'revision',
  schema: 'schema',
  catalog: 'catalog',
  emit: 'emit',
  methods: 'methods',
  importExtension: 'importExtension',
} as const satisfies Partial<Record<keyof Config, string>>;

/** Keys that together name one schema: a flag for one of them takes the place of all. */
const SCHEMA_INPUT_KEYS = ['revisions', 'schema', 'catalog'] as const;

/**
 * Joins the flags of a command with the config of the project, which is found upwards from the current folder or named
 * by `--config`. A flag comes first.
 *
 * @throws {@link McpgenError} if the config is wrong.
 */
export async function resolveSettings(commandLine: Record<string, unknown>): Promise<Settings> {
  const config = await readConfig(process.cwd(), stringOption(commandLine, 'config'));
  if (config === undefined) return { flags: commandLine, config };
  const flags = { ...commandLine };
  if (commandLine['out'] === undefined && config.config.out !== undefined) refuseOutsideFolder(config, commandLine);
  for (const [name, value] of Object.entries(configAsOptions(config, commandLine['schema'] !== undefined)))
    flags[name] ??= value;
  // These two can only be switched one way on the command line.
  if (config.config.errata === false) flags['errata'] = false;
  if (config.config.strict === true) flags['strict'] = true;
  return { flags, config };
}

/** The flags of `mcpgen add` that say which project it is; what is generated there is up to its config. */
export function projectOptions({ config, allowOutside }: Record<string, unknown>): Record<string, unknown> {
  return { ...(config === undefined ? {} : { config }), ...(allowOutside === undefined ? {} : { allowOutside }) };
}

/**
 * The output folder of a config, absolute.
 *
 * @param commandLine - The flags: `--allow-outside` counts.
 * @throws {@link McpgenError} if it is outside the config's folder, and that is not confirmed.
 */
export function outputFolder(config: ConfigFile, commandLine: Record<string, unknown>): string {
  refuseOutsideFolder(config, commandLine);
  return path.resolve(config.folder, config.config.out ?? DEFAULT_OUT);
}

/** A config may come from somebody else: it must not choose any folder of the user's to write to. */
function refuseOutsideFolder({ config, folder, placeOf }: ConfigFile, commandLine: Record<string, unknown>): void {
  const { out = DEFAULT_OUT } = config;
  if (booleanOption(commandLine, 'allowOutside') || isWithin(folder, path.resolve(folder, out))) return;
  throw new McpgenError(`the output folder ${JSON.stringify(out)} is outside the folder of the config`, {
    place: placeOf('out'),
    remedy: 'Choose a folder below it. If it is meant, confirm it by --allow-outside, or by --out DIR.',
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

function configAsOptions({ config, folder }: ConfigFile, hasSchemaOption: boolean): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [key, name] of Object.entries(OPTION_BY_CONFIG_KEY) as [keyof typeof OPTION_BY_CONFIG_KEY, string][]) {
    const value = config[key];
    if (value === undefined || (hasSchemaOption && SCHEMA_INPUT_KEYS.some((item) => item === key))) continue;
    if (key === 'out' || key === 'schema' || key === 'catalog')
      values[name] = relativeToWorkingDirectory(folder, value as string);
    else if (key === 'revisions') values[name] = value;
    else values[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return values;
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
  commandLine: Record<string, unknown>,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof McpgenError) || config === undefined) throw error;
    for (const [key, name] of Object.entries(OPTION_BY_CONFIG_KEY) as [keyof typeof OPTION_BY_CONFIG_KEY, string][]) {
      if (error.place !== optionFlag(name) || commandLine[name] !== undefined || config.config[key] === undefined)
        continue;
      throw new McpgenError(error.message, {
        place: config.placeOf(key),
        ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
        cause: error.cause,
      });
    }
    throw error;
  }
}

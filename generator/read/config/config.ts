import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { McpgenError } from '../../errors.js';
import { displayPath } from '../../paths.js';
import { closestMatch, withoutCredentials } from '../../text.js';
import { PROGRAM_EXTENSIONS } from '../program.js';
import { loadConfigProgram } from './program.js';
import { readBuiltinJson, readTextFile } from '../files.js';
import { isObject, ownMember, parseJson, parseUntrustedJson, type JsonObject } from '../json/json.js';

/** The config of a project. Each key means the same as the option of its name. */
export interface Config {
  readonly $schema?: string;
  /** The output folder. */
  readonly out?: string;
  readonly revisions?: readonly string[];
  /** A schema that is not built in. */
  readonly schema?: string;
  /** The method catalog of `schema`. */
  readonly catalog?: string;
  /** Identifiers of built-in extensions to add to the revisions that they extend. */
  readonly extensions?: readonly string[];
  /** Paths of the catalogs of other extensions. */
  readonly extend?: readonly string[];
  /** Plugins that write more files for each revision: paths of files, or names of packages. */
  readonly plugins?: readonly string[];
  /** The parts to write; `default` means those that are written without this key. */
  readonly emit?: readonly string[];
  /** With `stubs`: the methods to write handlers for. */
  readonly methods?: readonly string[];
  readonly importExtension?: 'js' | 'ts' | 'none';
  /** What is written: TypeScript by default, or JavaScript with declarations. */
  readonly target?: 'ts' | 'js';
  /** Whether compilers use the types of generated files without checking the files. */
  readonly tsNocheck?: boolean;
  /** Whether the official schemas are corrected; true by default. */
  readonly errata?: boolean;
  /** Whether warnings are treated as errors. */
  readonly strict?: boolean;
  /** Whether regular expressions of schemas are used without a check of their running time. */
  readonly trustPatterns?: boolean;
  /** Paths of schemas that those of tools may refer to by their `$id`. */
  readonly additionalSchemas?: readonly string[];
  /** Whether `nullable: true` of OpenAPI 3.0 allows null in the schemas of tools. */
  readonly nullable?: boolean;
  /** How `mcpgen add` writes schemas: as JSON files, or with a library next to each tool; `json` by default. */
  readonly schemas?: 'json' | 'zod' | 'valibot' | 'arktype';
  /** Paths of the JSON Schemas of tools' arguments; `*` matches any name. */
  readonly tools?: readonly string[];
  /** The source of each schema, by revision or identifier of an extension. */
  readonly sync?: Readonly<Record<string, { readonly source: string; readonly sha256?: string }>>;
  /** How `mcpgen drift` compares our types with another package's. */
  readonly drift?: {
    /** Their name of a type, by ours. */
    readonly names?: Readonly<Record<string, string>>;
    /** Types to ignore. */
    readonly ignore?: readonly string[];
  };
}

/** A config with its location. */
export interface ConfigFile {
  /** Absolute path of the file. */
  readonly file: string;
  /** Absolute path of its folder; its paths are relative to it. */
  readonly folder: string;
  /** The place of a key, for messages. */
  readonly placeOf: (...keys: readonly (string | number)[]) => string;
  readonly config: Config;
}

const CONFIG_NAMES = ['mcpgen.config.json', 'mcpgen.config.js', 'mcpgen.config.ts'] as const;
const PACKAGE_FILE = 'package.json';

/** Types a config in TypeScript or JavaScript: `export default defineConfig({ ... })`. */
export function defineConfig(config: Config): Config {
  return config;
}

/**
 * Reads the config of a project: the given file, or the nearest `mcpgen.config.json`, `.js`, `.ts` or `mcpgen` key of a
 * package.json, in a folder or above it, up to the root of the repository.
 *
 * @param from - The folder to begin at.
 * @param given - A file to use instead of the nearest one.
 * @returns Undefined if there is no config.
 * @throws {@link McpgenError} if it cannot be read, has an unknown key or an invalid value, or if one folder has two.
 */
export async function readConfig(from: string, given?: string): Promise<ConfigFile | undefined> {
  const file = given === undefined ? findConfig(from) : path.resolve(from, given);
  if (file === undefined) return undefined;
  const isPackage = path.basename(file) === PACKAGE_FILE;
  const root = isPackage ? ['mcpgen'] : [];
  const value = await readConfigValue(file, isPackage);
  const placeOf = (...keys: readonly (string | number)[]): string => configLocation(file, [...root, ...keys]);
  await checkConfig(value, placeOf);
  return { file, folder: path.dirname(file), placeOf, config: value as Config };
}

function findConfig(from: string): string | undefined {
  for (let folder = path.resolve(from); ; folder = path.dirname(folder)) {
    const at = folder;
    const found = CONFIG_NAMES.map((name) => path.join(at, name)).filter((file) => existsSync(file));
    const packageFile = path.join(at, PACKAGE_FILE);
    if (existsSync(packageFile) && packageHasConfig(packageFile)) found.push(packageFile);
    const [first, second] = found;
    if (second !== undefined) {
      const names = found.map(
        (file) => path.basename(file) + (path.basename(file) === PACKAGE_FILE ? ' (key mcpgen)' : ''),
      );
      throw new McpgenError(`there are ${found.length} configs in one folder: ${names.join(', ')}`, {
        place: at,
        remedy: 'Keep one of them, or choose one with --config FILE.',
      });
    }
    if (first !== undefined) return first;
    // Folders above a repository belong to other projects.
    if (existsSync(path.join(at, '.git')) || path.dirname(at) === at) return undefined;
  }
}

/** Ignores an invalid package.json, unless it contains our key. */
function packageHasConfig(file: string): boolean {
  const text = readTextFile(file);
  if (!text.includes('"mcpgen"')) return false;
  const value = parseJson(text, file);
  return isObject(value) && ownMember(value, 'mcpgen') !== undefined;
}

async function readConfigValue(file: string, isPackage: boolean): Promise<unknown> {
  if (isPackage) {
    const value = parseJson(readTextFile(file), file);
    const own = isObject(value) ? ownMember(value, 'mcpgen') : undefined;
    if (own !== undefined) return own;
    throw new McpgenError('the file has no key "mcpgen"', { place: file, remedy: 'Add it, or choose another file.' });
  }
  const extension = path.extname(file);
  if (extension === '.json') return parseUntrustedJson(readTextFile(file), file);
  if (!PROGRAM_EXTENSIONS.includes(extension)) {
    throw new McpgenError('not JSON, JavaScript or TypeScript', {
      place: file,
      remedy: 'Use a file that ends with .json, .js or .ts.',
    });
  }
  // Reports a missing file with our own message.
  readTextFile(file);
  return loadConfigProgram(file);
}

/** A place in a config: the file and the key, as in JavaScript. */
function configLocation(file: string, keys: readonly (string | number)[]): string {
  const shown = displayPath(file);
  const steps = keys.map((key, index) =>
    typeof key === 'number' || /^\d+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`,
  );
  return steps.length === 0 ? shown : `${shown}: ${steps.join('')}`;
}

let configValidator: ValidateFunction | undefined;

async function checkConfig(value: unknown, placeOf: ConfigFile['placeOf']): Promise<void> {
  // Stryker disable next-line ConditionalExpression: it would be compiled again, with the same result
  if (configValidator === undefined) {
    const { Ajv2020 } = await import('ajv/dist/2020.js');
    configValidator = new Ajv2020({ strict: true, verbose: true }).compile(
      readBuiltinJson('config.schema.json') as object,
    );
  }
  if (configValidator(value)) return;
  const [error] = configValidator.errors ?? [];
  if (error === undefined) return;
  const keys = error.instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  throw configError(error, keys, placeOf);
}

function configError(error: ErrorObject, keys: readonly string[], placeOf: ConfigFile['placeOf']): McpgenError {
  const { additionalProperty, allowedValues, missingProperty, propertyName } = error.params as {
    readonly additionalProperty?: string;
    readonly allowedValues?: readonly string[];
    readonly missingProperty?: string;
    readonly propertyName?: string;
  };
  const schema: JsonObject = error.parentSchema ?? {};
  const documented = ownMember(schema, 'description');
  const remedy = typeof documented === 'string' ? documented : 'schema/config.schema.json describes the format.';
  if (additionalProperty !== undefined) {
    const known = Object.keys((ownMember(schema, 'properties') ?? {}) as object).filter((key) => key !== '$schema');
    const near = closestMatch(additionalProperty, known);
    return new McpgenError(`the key ${JSON.stringify(additionalProperty)} is unknown`, {
      place: placeOf(...keys),
      remedy: near === undefined ? `There are ${known.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`,
    });
  }
  if (missingProperty !== undefined) {
    return new McpgenError(`the key ${JSON.stringify(missingProperty)} is missing`, {
      place: placeOf(...keys),
      remedy: 'Add it.',
    });
  }
  if (error.propertyName !== undefined || propertyName !== undefined) {
    return new McpgenError(`${JSON.stringify(error.propertyName ?? propertyName)} is not a valid name for a revision`, {
      place: placeOf(...keys),
      remedy: 'Use letters, digits, dots, hyphens and underscores, or the identifier of an extension.',
    });
  }
  if (allowedValues !== undefined) {
    const near = typeof error.data === 'string' ? closestMatch(error.data, allowedValues) : undefined;
    return new McpgenError(`${showConfigValue(error.data)} is not one of its values`, {
      place: placeOf(...keys),
      remedy: near === undefined ? `There are ${allowedValues.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`,
    });
  }
  const reasons: Readonly<Record<string, string>> = {
    type: `must be ${withArticle(error.schema as string)}, not ${showConfigValue(error.data)}`,
    minLength: 'the string is empty',
    minItems: 'the list is empty',
    pattern: `${showConfigValue(error.data)} has the wrong format`,
  };
  return new McpgenError(reasons[error.keyword] ?? error.message ?? 'invalid value', {
    place: placeOf(...keys),
    remedy: keys.length === 0 ? 'A config is one object.' : remedy,
  });
}

const JSON_TYPE_NOUNS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  string: 'a string',
  boolean: 'true or false',
};

function withArticle(type: string): string {
  return JSON_TYPE_NOUNS[type] ?? `a ${type}`;
}

/** A short form of a value; a program may return one that JSON cannot express. */
function showConfigValue(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  text = withoutCredentials(text ?? typeof value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

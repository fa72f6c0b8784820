import path from 'node:path';
import type * as Prettier from 'prettier';
import type { Options } from 'prettier';
import { McpgenError } from '../errors.js';
import { SealedCache } from './cache.js';
import { formatCode } from './layout/layout.js';
import { isDefaultLayout, layoutOf, mayHavePrettierConfig } from './prettier-config.js';

/** Separates two pieces while Prettier formats them; no piece has such a line, since docs are block comments. */
const PIECE_BORDER = '\n\n// mcpgen: border\n\n';

/** Prettier, which takes longer to load than a revision takes to generate. */
async function loadPrettier(): Promise<typeof Prettier> {
  return import('prettier');
}

/** Characters of formatted pieces to remember before starting over. */
const MAX_REMEMBERED = 50_000_000;

/**
 * Formatted pieces by config. A process that generates several times, such as `--watch`, formats only what is new; text
 * and config alone decide the result.
 */
const remembered = new Map<string, Map<string, string>>();
let rememberedCharacters = 0;

/** The pieces that were formatted with a config. */
function rememberedPieces(config: string): Map<string, string> {
  const known = remembered.get(config) ?? new Map<string, string>();
  remembered.set(config, known);
  return known;
}

/** Remembers a piece, and forgets all others if there are too many. */
function remember(known: Map<string, string>, piece: string, text: string): void {
  rememberedCharacters += piece.length + text.length;
  if (rememberedCharacters > MAX_REMEMBERED) {
    for (const pieces of remembered.values()) pieces.clear();
    rememberedCharacters = piece.length + text.length;
  }
  known.set(piece, text);
}

/**
 * Formats TypeScript with the nearest Prettier and EditorConfig files, or with Prettier's defaults. Generated code has
 * its layout from `layout/`; Prettier itself only formats what a config requires, and its results are cached on disk.
 */
export class Formatter {
  readonly #hasConfig = new Map<string, boolean>();
  readonly #cache = new SealedCache('prettier');

  /**
   * @param pieces - Top-level pieces of code, each valid by itself.
   * @param fileName - Where the file will be; it need not exist yet.
   * @param isFormatted - Whether they have Prettier's default format already, so that only a config changes them.
   * @returns The file's text, with a blank line between its pieces.
   * @throws {@link McpgenError} if the config or one of its plugins is invalid; any other error is a bug in mcpgen.
   */
  async format(pieces: readonly string[], fileName: string, isFormatted = false): Promise<string> {
    // A config may have overrides for some files; it is read only once.
    const config = mayHavePrettierConfig(path.dirname(fileName), this.#hasConfig)
      ? await readPrettierConfig(fileName)
      : null;
    if (isFormatted && isDefaultLayout(layoutOf(config)))
      return `${pieces.map((piece) => piece.trimEnd()).join('\n\n')}\n`;
    return formatWithConfig(config, fileName, (options) => this.#formatWhole(pieces, options, fileName, isFormatted));
  }

  async #formatWhole(
    pieces: readonly string[],
    config: Options | null,
    fileName: string,
    isFormatted: boolean,
  ): Promise<string> {
    if (!isFormatted && layoutOf(config) !== undefined) return this.#formatPieces(pieces, config, fileName);
    if (!canFormatPieces(config)) return formatText(pieces.join('\n\n'), config, fileName, 'typescript');
    const { version } = await loadPrettier();
    const key = JSON.stringify([version, path.extname(fileName), config, pieces]);
    const cached = this.#cache.read(key);
    if (cached !== undefined) return cached;
    const text = await this.#formatPieces(pieces, config, fileName);
    this.#cache.write(key, text);
    return text;
  }

  async #formatPieces(pieces: readonly string[], config: Options | null, fileName: string): Promise<string> {
    const known = rememberedPieces(JSON.stringify(config));
    const settings = layoutOf(config);
    const unformatted: string[] = [];
    const texts = new Map<string, string>();
    for (const piece of new Set(pieces)) {
      const text = known.get(piece) ?? (settings === undefined ? undefined : formatCode(piece, settings));
      if (text === undefined) unformatted.push(piece);
      else texts.set(piece, text);
    }
    if (unformatted.length > 0) {
      // Formats like the `typescript` parser, but faster; plugins often support only `typescript`.
      const text = await formatText(unformatted.join(PIECE_BORDER), config, fileName, 'babel-ts');
      const formatted = text.trimEnd().split(PIECE_BORDER);
      unformatted.forEach((piece, index) => texts.set(piece, formatted[index] ?? ''));
    }
    for (const [piece, text] of texts) if (!known.has(piece)) remember(known, piece, text);
    return `${pieces.map((piece) => texts.get(piece) ?? '').join('\n\n')}\n`;
  }
}

/**
 * Formats a text of any format with the nearest Prettier and EditorConfig files. A format that Prettier does not know
 * stays as it is, with one line break at the end.
 *
 * @param fileName - Where the file will be; it need not exist yet.
 * @throws {@link McpgenError} if the config is invalid; any other error is about the text.
 */
export async function formatAnyText(text: string, fileName: string): Promise<string> {
  const lines = text.replaceAll('\r\n', '\n');
  const { format, getFileInfo } = await loadPrettier();
  const { inferredParser } = await getFileInfo(fileName);
  if (inferredParser === null) return `${lines.trimEnd()}\n`;
  return formatWithConfig(await readPrettierConfig(fileName), fileName, (config) =>
    format(lines, { ...config, ...WHOLE_FILE_OPTIONS, filepath: fileName }),
  );
}

/**
 * What decides the format of a file, as text: empty without a config, and else the version of Prettier and the settings.
 *
 * @param hasConfig - What is known of folders, which is added to.
 * @returns Undefined if a plugin formats it, which may change.
 */
export async function prettierConfigText(
  fileName: string,
  hasConfig: Map<string, boolean>,
): Promise<string | undefined> {
  if (!mayHavePrettierConfig(path.dirname(fileName), hasConfig)) return '';
  const config = await readPrettierConfig(fileName);
  if ((config?.plugins ?? []).length > 0) return undefined;
  const { version } = await loadPrettier();
  return JSON.stringify([version, config]);
}

/** The Prettier and EditorConfig settings of a file, which need not exist. */
async function readPrettierConfig(fileName: string): Promise<Options | null> {
  const { resolveConfig } = await loadPrettier();
  return resolveConfig(fileName, { editorconfig: true }).catch(async (error: unknown) => {
    throw await prettierConfigError(error, fileName);
  });
}

/** Formats with a config, whose invalid values and missing plugins only fail now. */
async function formatWithConfig(
  config: Options | null,
  fileName: string,
  run: (config: Options | null) => Promise<string>,
): Promise<string> {
  try {
    return await run(config);
  } catch (error) {
    // If the text fails without the config too, it is a bug in mcpgen.
    await run(null);
    throw await prettierConfigError(error, fileName);
  }
}

/** The error of a Prettier config that cannot be read or used. */
async function prettierConfigError(error: unknown, fileName: string): Promise<McpgenError> {
  const { resolveConfigFile } = await loadPrettier();
  return new McpgenError(`the Prettier config cannot be used: ${prettierReason(error)}`, {
    place: (await resolveConfigFile(fileName).catch(() => undefined)) ?? path.dirname(fileName),
    remedy: 'Fix it; a .prettierrc in the folder of the file itself comes first.',
    cause: error,
  });
}

/** Whether pieces can be formatted one by one: a plugin may sort imports or use the file's name. */
function canFormatPieces(config: Options | null): boolean {
  return (config?.plugins ?? []).length === 0 && (config?.endOfLine ?? 'lf') === 'lf';
}

async function formatText(
  text: string,
  config: Options | null,
  filepath: string,
  parser: 'babel-ts' | 'typescript',
): Promise<string> {
  const { format } = await loadPrettier();
  return format(text, { ...config, ...WHOLE_FILE_OPTIONS, parser, filepath });
}

/** Formats a file of a new project with Prettier's defaults; unknown file types stay as they are. */
export async function formatProjectFile(text: string, name: string): Promise<string> {
  if (!/\.(?:ts|js|json)$/.test(name)) return text;
  const { format } = await loadPrettier();
  return format(text, { filepath: name });
}

/**
 * Formats a new file of an author with the Prettier config of the project.
 *
 * @param file - Absolute path of the file.
 * @throws {@link McpgenError} if the config is invalid.
 */
export async function formatAuthorFile(text: string, file: string): Promise<string> {
  const { format } = await loadPrettier();
  return formatWithConfig(await readPrettierConfig(file), file, (config) =>
    format(text, { ...config, filepath: file }),
  );
}

/**
 * Keeps an edited file of an author formatted. A file that was not formatted before is left as it is.
 *
 * @param before - The text before the edit.
 * @param after - The text after it.
 * @param file - Absolute path of the file.
 */
export async function formatEdited(before: string, after: string, file: string): Promise<string> {
  // A syntax error is reported by what reads the file.
  const formatted = await formatAuthorFile(before, file).catch(() => undefined);
  return formatted === before ? formatAuthorFile(after, file) : after;
}

/** Settings that would insert text above our header, or skip a file or part of it. */
const WHOLE_FILE_OPTIONS: Options = {
  insertPragma: false,
  requirePragma: false,
  rangeStart: 0,
  rangeEnd: Number.POSITIVE_INFINITY,
};

/** The message of an error, without its stack or code frame. */
function prettierReason(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n').map((line) => line.trim());
  const [first = '', second = ''] = lines.filter((line) => line !== '');
  return first.endsWith(':') ? `${first} ${second}` : first;
}

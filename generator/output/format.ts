import path from 'node:path';
import { format, resolveConfig, resolveConfigFile, type Options } from 'prettier';
import { McpgenError } from '../errors.js';
import { formatSimple } from './simple-format.js';

/** Stands between two pieces while Prettier lays them out; no piece holds such a line, since docs are block comments. */
const PIECE_BORDER = '\n\n// mcpgen: border\n\n';

/**
 * Lays out TypeScript as the Prettier and EditorConfig files nearest to it say, or as Prettier does by default where
 * there are none. Revisions share much of their code, so what was laid out once is remembered.
 */
export class Formatter {
  readonly #formattedByConfig = new Map<string, Map<string, string>>();

  /**
   * @param pieces - Top-level pieces of code, each of which can stand by itself.
   * @param fileName - Where the file will be; it need not exist yet.
   * @param isFormatted - Whether they are as Prettier lays them out by default, so that nothing is to be done without a
   *   config.
   * @returns The file's text, with a blank line between its pieces.
   * @throws {@link McpgenError} if the config, or a plugin that it names, is broken; any other error is a fault of ours.
   */
  async format(pieces: readonly string[], fileName: string, isFormatted = false): Promise<string> {
    // A config may have other rules for some of the files; it is read but once.
    const config = await resolveConfig(fileName, { editorconfig: true }).catch(async (error: unknown) => {
      throw await prettierConfigError(error, fileName);
    });
    if (isFormatted && Object.keys(config ?? {}).length === 0)
      return `${pieces.map((piece) => piece.trimEnd()).join('\n\n')}\n`;
    try {
      return await this.#formatWhole(pieces, config, fileName);
    } catch (error) {
      // A wrong value or a plugin that is not there shows only now. Whether it is that, or our text that cannot be formatted,
      // is told by trying the same text without the config: what fails in both ways is a fault of ours.
      await this.#formatWhole(pieces, null, fileName);
      throw await prettierConfigError(error, fileName);
    }
  }

  async #formatWhole(pieces: readonly string[], config: Options | null, fileName: string): Promise<string> {
    return canFormatPieces(config)
      ? this.#formatPieces(pieces, config, fileName)
      : formatText(pieces.join('\n\n'), config, fileName, 'typescript');
  }

  async #formatPieces(pieces: readonly string[], config: Options | null, fileName: string): Promise<string> {
    const key = JSON.stringify(config);
    const known = this.#formattedByConfig.get(key) ?? new Map<string, string>();
    this.#formattedByConfig.set(key, known);
    const isDefault = Object.keys(config ?? {}).length === 0;
    const texts = pieces.map((piece) => known.get(piece) ?? (isDefault ? formatSimple(piece) : undefined));
    const unformatted = [...new Set(pieces.filter((_, index) => texts[index] === undefined))];
    if (unformatted.length > 0) {
      // As `typescript` would lay it out, but sooner; plugins often know only that one.
      const text = await formatText(unformatted.join(PIECE_BORDER), config, fileName, 'babel-ts');
      const formatted = text.trimEnd().split(PIECE_BORDER);
      unformatted.forEach((piece, index) => known.set(piece, formatted[index] ?? ''));
    }
    return `${pieces.map((piece, index) => texts[index] ?? known.get(piece) ?? '').join('\n\n')}\n`;
  }
}

/** The error of a Prettier config that cannot be read or used. */
async function prettierConfigError(error: unknown, fileName: string): Promise<McpgenError> {
  return new McpgenError(`the Prettier config of the output folder cannot be used: ${prettierReason(error)}`, {
    place: (await resolveConfigFile(fileName).catch(() => undefined)) ?? path.dirname(fileName),
    remedy: 'Fix it; a .prettierrc in the output folder itself comes first.',
    cause: error,
  });
}

/** Whether pieces come out alike alone and together: a plugin may sort imports or look at the file's name. */
function canFormatPieces(config: Options | null): boolean {
  return (config?.plugins ?? []).length === 0 && (config?.endOfLine ?? 'lf') === 'lf';
}

async function formatText(
  text: string,
  config: Options | null,
  filepath: string,
  parser: 'babel-ts' | 'typescript',
): Promise<string> {
  return format(text, { ...config, ...WHOLE_FILE_OPTIONS, parser, filepath });
}

/** A file of a new project, as Prettier lays it out by default; what it does not know stays as it is. */
export async function formatProjectFile(text: string, name: string): Promise<string> {
  return /\.(?:ts|js|json)$/.test(name) ? format(text, { filepath: name }) : text;
}

/** Settings that would put something above our header, or leave a file or a part of it as it is. */
const WHOLE_FILE_OPTIONS: Options = {
  insertPragma: false,
  requirePragma: false,
  rangeStart: 0,
  rangeEnd: Number.POSITIVE_INFINITY,
};

/** What an error says, without its stack or a picture of the source. */
function prettierReason(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n').map((line) => line.trim());
  const [first = '', second = ''] = lines.filter((line) => line !== '');
  return first.endsWith(':') ? `${first} ${second}` : first;
}

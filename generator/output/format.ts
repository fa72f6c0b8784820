import path from 'node:path';
import { format, resolveConfig, resolveConfigFile, type Options } from 'prettier';
import { McpgenError } from '../errors.js';

/** Lays out TypeScript as the output folder's own Prettier config says. */
export type Formatter = (text: string, fileName: string) => Promise<string>;

/**
 * A formatter for files below a folder: it follows the nearest Prettier and EditorConfig files, or Prettier's defaults
 * where there are none.
 *
 * @param folder - Where the files will be; it need not exist yet.
 * @throws {@link McpgenError} if the config is broken.
 */
export async function formatterFor(folder: string): Promise<Formatter> {
  const inside = path.join(folder, 'index.ts');
  const unusable = async (error: unknown): Promise<McpgenError> =>
    new McpgenError(`the Prettier config of the output folder cannot be used: ${reasonOf(error)}`, {
      place: (await resolveConfigFile(inside).catch(() => undefined)) ?? folder,
      remedy: 'Mend it; a .prettierrc in the output folder itself comes first.',
      cause: error,
    });
  try {
    await resolveConfig(inside, { editorconfig: true });
  } catch (error) {
    throw await unusable(error);
  }
  return async (text, fileName) => {
    try {
      // A config may have other rules for some of the files; it is read but once.
      const options = await resolveConfig(fileName, { editorconfig: true });
      return await format(text, { ...options, ...WHOLE_FILES, parser: 'typescript', filepath: fileName });
    } catch (error) {
      // A wrong value or a plugin that is not there shows only now; code that does not parse is no fault of the config.
      throw error instanceof SyntaxError ? error : await unusable(error);
    }
  };
}

/** Settings that would put something above our header, or leave a file or a part of it as it is. */
const WHOLE_FILES: Options = {
  insertPragma: false,
  requirePragma: false,
  rangeStart: 0,
  rangeEnd: Number.POSITIVE_INFINITY,
};

/** What an error says, without its stack or a picture of the source. */
function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n').map((line) => line.trim());
  const [first = '', second = ''] = lines.filter((line) => line !== '');
  return first.endsWith(':') ? `${first} ${second}` : first;
}

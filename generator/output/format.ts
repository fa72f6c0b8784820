import path from 'node:path';
import { format, resolveConfig, type Options } from 'prettier';
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
  let options: Options;
  try {
    options = (await resolveConfig(path.join(folder, 'index.ts'), { editorconfig: true })) ?? {};
  } catch (error) {
    throw new McpgenError(`the Prettier config that holds for the output folder cannot be used: ${firstLine(error)}`, {
      place: folder,
      remedy: 'Mend the config; a .prettierrc in the output folder itself comes first.',
      cause: error,
    });
  }
  return async (text, fileName) => format(text, { ...options, parser: 'typescript', filepath: fileName });
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

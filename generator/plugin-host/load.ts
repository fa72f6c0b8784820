/**
 * Finds and loads plugins: files and packages of users, and those that are part of mcpgen.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { McpgenError } from '../errors.js';
import * as pluginModule from '../plugin.js';
import type { NamedPlugin } from '../plugin.js';
import { readTextFile } from '../read/files.js';
import { loadProgram, PROGRAM_EXTENSIONS } from '../read/program.js';
import { closestMatch } from '../text.js';
import { requirePlugin } from './run.js';

/** The plugins that are part of mcpgen. */
const BUILTIN_PLUGINS: Readonly<Record<string, () => Promise<{ readonly default: unknown }>>> = {
  'mcpgen/plugins/markdown': async () => import('../plugins/markdown.js'),
  'mcpgen/plugins/openrpc': async () => import('../plugins/openrpc.js'),
};

/**
 * The file of a plugin, for messages and to watch it.
 *
 * @param specifier - A path, or the name of a package.
 * @param folder - The folder that both are relative to.
 * @returns Undefined if it is not a file of the user.
 */
export function pluginFile(specifier: string, folder: string): string | undefined {
  const file = path.resolve(folder, specifier);
  const isPath = /^\.{1,2}(?:[\\/]|$)/.test(specifier) || path.isAbsolute(specifier);
  if (isPath) return file;
  return !Object.hasOwn(BUILTIN_PLUGINS, specifier) && existsSync(file) ? file : undefined;
}

/**
 * Loads a plugin.
 *
 * @param specifier - A path, or the name of a package.
 * @param folder - The folder that both are relative to.
 * @throws {@link McpgenError} if it does not exist, cannot be loaded, or is not a plugin.
 */
export async function loadPlugin(specifier: string, folder: string): Promise<NamedPlugin> {
  const builtin = Object.hasOwn(BUILTIN_PLUGINS, specifier) ? BUILTIN_PLUGINS[specifier] : undefined;
  if (builtin !== undefined) return requirePlugin({ name: specifier, plugin: (await builtin()).default }, specifier);
  const own = pluginFile(specifier, folder);
  const file = own ?? (await resolvePackage(specifier, folder));
  // Reports a missing file with our own message.
  readTextFile(file);
  if (!PROGRAM_EXTENSIONS.includes(path.extname(file))) {
    throw new McpgenError('a plugin is JavaScript or TypeScript', {
      place: file,
      remedy: `Use a file that ends with ${PROGRAM_EXTENSIONS.join(', ')}.`,
    });
  }
  const { exported: plugin } = await loadProgram(file, {
    failure: 'the plugin cannot be loaded',
    // For plugins of projects that have not installed mcpgen, too. It is loaded already: to transform its file and all
    // that this imports took most of the time of a plugin.
    modules: { 'mcpgen/plugin': pluginModule },
  });
  // A header must not name the folders of one machine.
  return requirePlugin({ name: own === undefined ? specifier : path.basename(own), file, plugin }, file);
}

async function resolvePackage(specifier: string, folder: string): Promise<string> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(import.meta.url, { fsCache: false });
  for (const parent of [path.join(folder, 'mcpgen.config.js'), fileURLToPath(import.meta.url)]) {
    try {
      const found = jiti.esmResolve(specifier, { parentURL: pathToFileURL(parent).href });
      if (found.startsWith('file:')) return fileURLToPath(found);
    } catch {
      // It is not there, or its package does not export it.
    }
  }
  const builtin = Object.keys(BUILTIN_PLUGINS);
  const near = closestMatch(specifier, builtin);
  throw new McpgenError(`the plugin ${JSON.stringify(specifier.slice(0, 100))} does not exist`, {
    place: '--plugin',
    remedy:
      near === undefined
        ? `Install its package, or write ./ in front of the path of a file. mcpgen has ${builtin.join(', ')}.`
        : `Did you mean ${near}?`,
  });
}

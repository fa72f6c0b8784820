import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { renderTools, type ImportExtension, type ToolSource } from '../../index.js';
import type { Warning } from '../../model/protocol.js';
import { planChanges, type FileChange } from '../../output/plan.js';
import { relativeImportPath } from '../../paths.js';
import { readConfig, type ConfigFile } from '../../read/config/config.js';
import { readTextIfExists } from '../../read/files.js';
import { configuredToolOptions, outputFolder, type ConfigOptions } from './settings.js';

/** A server project with lists of tools, resources and prompts, as `mcpgen init server` writes it. */
export interface RegistryProject {
  readonly folder: string;
  readonly config: ConfigFile;
  /** Absolute path of the generated code. */
  readonly out: string;
  /** Extension of imported files, including the dot. */
  readonly extension: string;
}

/** @throws {@link McpgenError} if there is no config, or its generated code has no registry. */
export async function loadRegistryProject(options: ConfigOptions): Promise<RegistryProject> {
  const config = await readConfig(process.cwd(), options.config);
  if (config === undefined) {
    throw new McpgenError('this is not a server project: no mcpgen config in this folder or above', {
      remedy: 'Create one with `mcpgen init server NAME`.',
    });
  }
  const { emit, importExtension = 'js' } = config.config;
  if (emit?.includes('registry') !== true) {
    throw new McpgenError('the generated code has no registry, which lists of tools, resources and prompts need', {
      place: config.placeOf('emit'),
      remedy: 'Add "registry" to it, as in "emit": ["default", "registry"], and run `mcpgen generate`.',
    });
  }
  const extensions: Readonly<Record<ImportExtension, string>> = { js: '.js', ts: '.ts', none: '' };
  return { folder: config.folder, config, out: outputFolder(config, options), extension: extensions[importExtension] };
}

/** The text of a file of the project; undefined if it does not exist. */
export function readProjectFile(project: RegistryProject, file: string): string | undefined {
  return readTextIfExists(path.join(project.folder, file));
}

/** The path of a project file, relative to the current folder. */
export function displayedPath(project: RegistryProject, file: string): string {
  return path.relative(process.cwd(), path.join(project.folder, file));
}

/** The path of the generated code from a folder of the project, as imports have it. */
export function generatedFrom(project: RegistryProject, folder: string): string {
  return relativeImportPath(path.join(project.folder, folder), project.out);
}

/** The generated types of all tools of the project, as changes below its folder. */
export async function planGeneratedTools(
  project: RegistryProject,
  tools: readonly ToolSource[],
): Promise<{ readonly changes: readonly FileChange[]; readonly warnings: readonly Warning[] }> {
  const { importExtension = 'js', target = 'ts', tsNocheck = false } = project.config.config;
  const reading = configuredToolOptions(project.config);
  const { files, warnings } = await renderTools(tools, project.out, { importExtension, target, tsNocheck, ...reading });
  const generatedFolder = path.relative(project.folder, project.out).replaceAll(path.sep, '/');
  const changes = planChanges(project.out, files);
  return {
    changes: changes.map((change) => ({ ...change, path: `${generatedFolder}/${change.path}` })),
    warnings,
  };
}

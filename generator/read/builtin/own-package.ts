import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { packageFile, readTextFile } from '../files.js';

/** The fields of mcpgen's package.json that the generator reads. */
export interface McpgenPackage {
  readonly version: string;
  /** Version ranges of our dependencies and development dependencies. */
  readonly ranges: Readonly<Record<string, string>>;
}

interface OwnManifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Our own package.json. */
export function readMcpgenPackage(): McpgenPackage {
  const { version = '', dependencies, devDependencies } = JSON.parse(readTextFile(packageFile())) as OwnManifest;
  return { version, ranges: { ...devDependencies, ...dependencies } };
}

/**
 * The specifier with which another project can depend on this installation, from the same source: a folder, a tarball,
 * a repository or the registry.
 *
 * @param target - The folder of that project; paths are relative to it.
 */
export function mcpgenSpec(target: string): string {
  return installationSpec(path.dirname(packageFile()), target);
}

/** {@link mcpgenSpec} of an installation in a given folder; for tests. */
export function installationSpec(installation: string, target: string): string {
  const { version = '' } = readOwnManifest(path.join(installation, 'package.json'));
  const published = `^${version}`;
  const steps = installation.split(path.sep);
  const at = steps.indexOf('node_modules');
  // Not installed by a package manager: it is a clone.
  if (at === -1) return fileSpec(installation, target);
  const owner = steps.slice(0, at).join(path.sep) || path.sep;
  const given = declaredRange(owner) ?? lockedSource(owner);
  if (given === undefined) return published;
  const file = /^(?:file|link):(.+)$/.exec(given)?.[1];
  if (file !== undefined) {
    const source = path.resolve(owner, file);
    return existsSync(source) ? fileSpec(source, target) : published;
  }
  return /^(?:https?|git|github|gitlab|bitbucket)\b.*[:/]/.test(given) ? given : published;
}

function readOwnManifest(file: string): OwnManifest {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OwnManifest;
  } catch {
    return {};
  }
}

/** The specifier in the package.json of the project in which we are installed; npx creates one too. */
function declaredRange(owner: string): string | undefined {
  const { dependencies, devDependencies } = readOwnManifest(path.join(owner, 'package.json'));
  return dependencies?.['mcpgen'] ?? devDependencies?.['mcpgen'];
}

/** The source from npm's own record next to installed packages; a global installation has no other. */
function lockedSource(owner: string): string | undefined {
  const lock = readOwnManifest(path.join(owner, 'node_modules', '.package-lock.json')) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  const resolved = lock.packages?.['node_modules/mcpgen']?.resolved;
  return resolved?.startsWith('file:') === true ? resolved : undefined;
}

/** A path as a dependency: relative, so that both folders can move together. */
function fileSpec(source: string, target: string): string {
  const relative = path.relative(realFolder(target), realFolder(source));
  return `file:${(relative || '.').split(path.sep).join('/')}`;
}

/** The real path of a file that may not exist yet. */
function realFolder(folder: string): string {
  const absolute = path.resolve(folder);
  if (existsSync(absolute)) return realpathSync(absolute);
  return path.join(realFolder(path.dirname(absolute)), path.basename(absolute));
}

import { existsSync } from 'node:fs';
import path from 'node:path';
import { formatCommand, type ShownArguments } from '../../command-line.js';
import type { Side } from '../../model/protocol.js';
import type { ConfigFile } from '../../read/config/config.js';
import { isObject, ownMember, type JsonObject } from '../../read/json/json.js';
import { readPackageJson } from '../../read/package-json.js';
import { scriptCommand } from '../../scaffold/project/package-manager.js';
import { PACKAGE_MANAGERS, RUNNERS, type PackageManager } from '../../scaffold/project/selection.js';

/** The function that each side of a project calls, as `mcpgen init` writes it. */
export const ENTRY_FILES: Readonly<Record<Side, string>> = { server: 'src/server.ts', client: 'src/client.ts' };

/** The sides of a project that follows the layout of `mcpgen init`. */
export function sidesOf(project: string): readonly Side[] {
  return (['server', 'client'] as const).filter((side) => existsSync(path.join(project, ENTRY_FILES[side])));
}

/** Lock files by the package manager that writes them. */
const LOCKFILES: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** The folder of a project: that of its config, else the current one. */
export function projectFolder(config: ConfigFile | undefined): string {
  return config?.folder ?? process.cwd();
}

/** A command line for a project: `npx mcpgen generate` if the project depends on mcpgen. */
export function projectCommand(project: string, verb: string, shown: Omit<ShownArguments, 'program'>): string {
  return formatCommand(verb, { ...shown, program: mcpgenProgram(project) });
}

/** Whether `npx` or `npm exec` started mcpgen: then it may not be in the PATH of the user's shell. */
function isStartedByNpx({ npm_lifecycle_event: event, npm_lifecycle_script: script }: NodeJS.ProcessEnv): boolean {
  // npm quotes the name of the program.
  return event === 'npx' && /^["']?mcpgen\b/.test(script ?? '');
}

/** How to run mcpgen in a project: through its package manager if the project depends on mcpgen. */
function mcpgenProgram(project: string): string {
  const own = readPackageJson(project);
  const depends = ['devDependencies', 'dependencies'].some((key) => {
    const list = own === undefined ? undefined : ownMember(own, key);
    return isObject(list) && ownMember(list, 'mcpgen') !== undefined;
  });
  if (own === undefined || !depends) return isStartedByNpx(process.env) ? 'npx mcpgen' : 'mcpgen';
  return `${RUNNERS[packageManagerOf(project, own)]} mcpgen`;
}

function packageManagerOf(project: string, own: JsonObject): PackageManager {
  const named = ownMember(own, 'packageManager');
  const word = typeof named === 'string' ? named.split('@')[0] : undefined;
  return (
    PACKAGE_MANAGERS.find((name) => name === word) ??
    LOCKFILES.find(([lock]) => existsSync(path.join(project, lock)))?.[1] ??
    'npm'
  );
}

/** The command that runs a script of the project's package.json; undefined if it has no such script. */
export function projectScript(project: string, script: string): string | undefined {
  const own = readPackageJson(project);
  const scripts = own === undefined ? undefined : ownMember(own, 'scripts');
  if (own === undefined || !isObject(scripts) || ownMember(scripts, script) === undefined) return undefined;
  return scriptCommand(packageManagerOf(project, own), script);
}

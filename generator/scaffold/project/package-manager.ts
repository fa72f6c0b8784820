import { RUNNERS, type PackageManager, type Selection } from './selection.js';

type ChosenManager = Pick<Selection, 'packageManager' | 'managerVersion'>;

/** Whether it is Yarn 2 or later, whose commands and files differ from Yarn 1. */
export function isModernYarn({ packageManager, managerVersion = '' }: ChosenManager): boolean {
  return packageManager === 'yarn' && Number.parseInt(managerVersion, 10) >= 2;
}

/** The conditions of a package manager, by the names of markers in templates. */
export function managerConditions(chosen: ChosenManager): readonly string[] {
  if (chosen.packageManager !== 'yarn') return [chosen.packageManager];
  return ['yarn', isModernYarn(chosen) ? 'yarn-modern' : 'yarn-classic'];
}

/**
 * The package manager's entry in package.json. Not for pnpm, which would then look up its own builds whenever it runs;
 * there the workflow sets the version.
 */
export function packageManagerField({ packageManager, managerVersion }: ChosenManager): {
  readonly packageManager?: string;
} {
  if (packageManager === 'pnpm' || managerVersion === undefined) return {};
  return { packageManager: `${packageManager}@${managerVersion}` };
}

/** The command that runs a script of package.json; `bun test` would be Bun's own test runner. */
export function scriptCommand(manager: PackageManager, script: string): string {
  return manager === 'npm' && script === 'test' ? 'npm test' : `${manager} run ${script}`;
}

/** The arguments to install a project without a lockfile, including in CI. */
export function installArguments(chosen: ChosenManager): readonly string[] {
  if (chosen.packageManager === 'npm') return ['install', '--no-audit', '--no-fund'];
  return isModernYarn(chosen) ? ['install', '--no-immutable'] : ['install'];
}

/** Replaces npm's commands in a text by those of another package manager. */
export function translateNpmCommands(chosen: ChosenManager, text: string): string {
  const manager = chosen.packageManager;
  if (manager === 'npm') return text;
  // Yarn 1 cannot run a package that is not installed; npx is part of Node.js.
  const fetches = { pnpm: 'pnpm dlx', yarn: isModernYarn(chosen) ? 'yarn dlx' : 'npx', bun: 'bunx' }[manager];
  const ours = text
    .replaceAll(/\bnpx mcpgen\b/g, `${RUNNERS[manager]} mcpgen`)
    .replaceAll(/\bnpx (?=@)/g, `${fetches} `)
    .replaceAll(/\bnpm (install|run)\b/g, `${manager} $1`)
    .replaceAll(/\bnpm (test|start)\b/g, `${manager} run $1`);
  if (manager === 'pnpm' && chosen.managerVersion !== undefined) {
    const major = String(Number.parseInt(chosen.managerVersion, 10));
    return withoutDoubleDashes(ours.replace(/^( +version: )\d+$/m, `$1${major}`));
  }
  return manager === 'pnpm' || isModernYarn(chosen) ? withoutDoubleDashes(ours) : ours;
}

/** Removes the `--` for package managers that pass it to the script. */
function withoutDoubleDashes(text: string): string {
  return text.replaceAll(/( run \S+ -- )-- (.*?)( *)$/gm, '$1$2$3');
}

/**
 * The settings files of a package manager. A file of the same name in a folder above takes precedence.
 *
 * pnpm 11 and later stop if a package has an install script that was neither allowed nor denied; esbuild does not need
 * its script, because its binaries are separate packages. Yarn's Plug'n'Play is not the default, since not every editor
 * and tool supports it.
 */
export function managerFiles(chosen: ChosenManager): ReadonlyMap<string, string> {
  if (chosen.packageManager === 'pnpm') return new Map([['pnpm-workspace.yaml', 'allowBuilds:\n  esbuild: false\n']]);
  return new Map(isModernYarn(chosen) ? [['.yarnrc.yml', 'nodeLinker: node-modules\n']] : []);
}

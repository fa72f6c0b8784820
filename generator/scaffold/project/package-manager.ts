import { RUNNERS, type PackageManager, type Selection } from './selection.js';

type ChosenManager = Pick<Selection, 'packageManager' | 'managerVersion'>;

/** Whether it is Yarn 2 or later, whose commands and files are others than those of Yarn 1. */
export function isModernYarn({ packageManager, managerVersion = '' }: ChosenManager): boolean {
  return packageManager === 'yarn' && Number.parseInt(managerVersion, 10) >= 2;
}

/** What holds of a package manager, as the markers in templates name it. */
export function managerConditions(chosen: ChosenManager): readonly string[] {
  if (chosen.packageManager !== 'yarn') return [chosen.packageManager];
  return ['yarn', isModernYarn(chosen) ? 'yarn-modern' : 'yarn-classic'];
}

/**
 * What package.json says of the package manager. pnpm would look up all its own builds whenever it runs, so there the
 * workflow names the version.
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

/** The arguments with which it installs a project that has no lockfile yet, in CI too. */
export function installArguments(chosen: ChosenManager): readonly string[] {
  if (chosen.packageManager === 'npm') return ['install', '--no-audit', '--no-fund'];
  return isModernYarn(chosen) ? ['install', '--no-immutable'] : ['install'];
}

/** Text with npm's commands, with those of another package manager. */
export function translateNpmCommands(chosen: ChosenManager, text: string): string {
  const manager = chosen.packageManager;
  if (manager === 'npm') return text;
  // Yarn 1 has nothing that runs a package which is not installed; npx is there wherever Node.js is.
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

/** For those that hand the first `--` on to the script too. */
function withoutDoubleDashes(text: string): string {
  return text.replaceAll(/( run \S+ -- )-- (.*?)( *)$/gm, '$1$2$3');
}

/**
 * The files in which a package manager's own settings are. One of the same name in a folder above has the say.
 *
 * pnpm 11 and later stop where a package wants to run a script at its installation and nobody has decided on it; esbuild
 * needs none, because its programs are packages of their own. Yarn's other linker, Plug'n'Play, is for the author to
 * choose: not every editor and tool knows it.
 */
export function managerFiles(chosen: ChosenManager): ReadonlyMap<string, string> {
  if (chosen.packageManager === 'pnpm') return new Map([['pnpm-workspace.yaml', 'allowBuilds:\n  esbuild: false\n']]);
  return new Map(isModernYarn(chosen) ? [['.yarnrc.yml', 'nodeLinker: node-modules\n']] : []);
}

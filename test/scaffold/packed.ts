/** This package as others get it: packed, and installed where nothing of this repository can be found. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runStep, type StepResult } from './support.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** What npm says where there is no registry. */
const OFFLINE = /\b(?:ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH)\b/;
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund'];

/** npm reaches no registry: nothing is wrong with the package, and nothing is proven. */
export class NoRegistryError extends Error {}

async function succeeded(running: Promise<StepResult>): Promise<StepResult> {
  const done = await running;
  if (done.code === 0) return done;
  const code = OFFLINE.exec(done.output)?.[0];
  if (code !== undefined) throw new NoRegistryError(`npm reaches no registry (${code})`);
  throw new Error(`${done.command} exited with ${done.code}:\n${done.output}`);
}

/** Rejects a folder from which Node.js would resolve packages that no project in it depends on. */
function refuseModulesAbove(folder: string): void {
  const found = path.join(folder, 'node_modules');
  if (existsSync(found)) throw new Error(`${found} is there: projects would find packages in it that they lack`);
  const above = path.dirname(folder);
  if (above !== folder) refuseModulesAbove(above);
}

/**
 * Packs this package, which is built, into a folder.
 *
 * @returns The tarball.
 */
export async function pack(folder: string): Promise<string> {
  refuseModulesAbove(folder);
  await succeeded(runStep('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], ROOT));
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return path.join(folder, `mcpgen-${version}.tgz`);
}

/**
 * Installs tarballs or packages of the registry into a separate folder.
 *
 * @returns The folder with their programs.
 * @throws {@link NoRegistryError}
 */
export async function installPrograms(folder: string, ...specs: readonly string[]): Promise<string> {
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  await succeeded(runStep('npm', [...INSTALL, ...specs], folder));
  return path.join(folder, 'node_modules/.bin');
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Installs the dependencies of sibling projects, once for all that have the same dependencies. */
export class SharedInstallations {
  readonly #made = new Map<string, Promise<string>>();
  readonly #folder: string;

  /** @param folder - Two levels above the projects, as the tarballs that they depend on are relative to them. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get count(): number {
    return this.#made.size;
  }

  /**
   * Links the packages that a project's package.json names, and no others.
   *
   * @param only - `dependencies` for what comes along where others install the project.
   * @throws {@link NoRegistryError}
   */
  async provide(project: string, only?: 'dependencies'): Promise<void> {
    const asked = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')) as Manifest;
    const { dependencies = {}, devDependencies = {} } = asked;
    const manifest = { private: true, dependencies, ...(only === undefined ? { devDependencies } : {}) };
    const key = JSON.stringify(manifest);
    let made = this.#made.get(key);
    if (made === undefined) {
      made = this.#install(key, path.join(this.#folder, 'installed', String(this.#made.size)));
      this.#made.set(key, made);
    }
    const place = path.join(project, 'node_modules');
    rmSync(place, { force: true });
    symlinkSync(await made, place);
  }

  async #install(manifest: string, folder: string): Promise<string> {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), manifest);
    await succeeded(runStep('npm', INSTALL, folder));
    const modules = path.join(folder, 'node_modules');
    mkdirSync(modules, { recursive: true });
    return modules;
  }
}

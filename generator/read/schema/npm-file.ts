/**
 * Files of packages on npm, read with npm itself: so its configuration decides which registry is asked, and with which
 * credentials.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { McpgenError } from '../../errors.js';
import { escapeHiddenCharacters } from '../../text.js';
import { MAX_RESPONSE_BYTES } from '../fetch.js';

/** A file of a package: `npm:<package>[@<version>]/<path>`. */
interface NpmSource {
  readonly name: string;
  /** A version or a tag; the newest release by default. */
  readonly version?: string;
  readonly path: string;
}

const PREFIX = 'npm:';
/** Strict, since on Windows npm needs a shell. */
const FORM = /^npm:((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)(?:@(\w[\w.+-]*))?\/((?:\w[\w.-]*\/)*\w[\w.-]*)$/i;

/** Whether a source is a file of a package on npm. */
export function isNpmSource(source: string): boolean {
  return source.startsWith(PREFIX);
}

/** The source of the same file in the newest release of its package. */
export function newestNpmSource(source: string): string {
  const { name, path: file } = parseNpmSource(source);
  return `${PREFIX}${name}/${file}`;
}

/**
 * Downloads a package with `npm pack`, which runs no script of it, and reads one of its files.
 *
 * @param seconds - Time limit for the download.
 * @returns The file, and its source with the version that was downloaded.
 * @throws {@link McpgenError} if the source has another form, the package or the file does not exist, or npm or tar
 *   cannot be run.
 */
export async function readNpmFile(
  source: string,
  seconds: number,
): Promise<{ readonly place: string; readonly bytes: Uint8Array }> {
  const { name, version = 'latest', path: file } = parseNpmSource(source);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-'));
  try {
    const args = ['pack', `${name}@${version}`, '--json', '--ignore-scripts', '--pack-destination', folder];
    const stdout = await run('npm', args, { seconds, place: source });
    const [archive] = readdirSync(folder);
    if (archive === undefined) throw fetchError(source, 'npm pack wrote no file');
    // Packages on npm have all of their files in the folder `package`.
    const bytes = await run('tar', ['-xzOf', archive, `package/${file}`], { seconds, place: source, cwd: folder });
    return { place: `${PREFIX}${name}@${packedVersion(stdout) ?? version}/${file}`, bytes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parseNpmSource(source: string): NpmSource {
  const [, name, version, file] = FORM.exec(source) ?? [];
  if (name !== undefined && file !== undefined)
    return { name, path: file, ...(version === undefined ? {} : { version }) };
  throw new McpgenError('not a file of a package on npm', {
    place: escapeHiddenCharacters(source).slice(0, 200),
    remedy: 'Write npm:<package>@<version>/<path>, as in npm:my-protocol@1.0.0/schema.json.',
  });
}

/** The version in the output of `npm pack --json`. */
function packedVersion(stdout: Buffer): string | undefined {
  try {
    const value = JSON.parse(stdout.toString('utf8')) as unknown;
    // One entry for each package: a list, or an object by name in newer releases of npm.
    const [entry] = Object.values(value as object) as readonly unknown[];
    const version = (entry as { readonly version?: unknown } | undefined)?.version;
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

interface RunOptions {
  readonly seconds: number;
  readonly place: string;
  readonly cwd?: string;
}

async function run(command: string, args: readonly string[], { seconds, place, cwd }: RunOptions): Promise<Buffer> {
  try {
    const { stdout } = await promisify(execFile)(command, [...args], {
      encoding: 'buffer',
      maxBuffer: MAX_RESPONSE_BYTES,
      timeout: seconds * 1000,
      // npm is a `.cmd` file on Windows. Every argument was checked or made here.
      shell: process.platform === 'win32' && command === 'npm',
      ...(cwd === undefined ? {} : { cwd }),
    });
    return stdout;
  } catch (error) {
    throw fetchError(place, failureReason(command, seconds, error), error);
  }
}

function failureReason(command: string, seconds: number, error: unknown): string {
  const { code, killed, stderr } = error as {
    readonly code?: unknown;
    readonly killed?: boolean;
    readonly stderr?: Buffer;
  };
  if (code === 'ENOENT') return `${command} is not installed`;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MB`;
  if (killed === true) return `timed out after ${seconds} seconds`;
  if (command === 'tar') return 'the package has no such file';
  // Only the code: messages of npm have the address of the registry, which may contain a password.
  const npmCode = /\bcode (E[A-Z0-9]+)/.exec(stderr?.toString('utf8') ?? '')?.[1];
  if (npmCode === 'E404') return 'there is no such package';
  if (npmCode === 'ETARGET') return 'the package has no such version';
  return `npm cannot download the package${npmCode === undefined ? '' : ` (${npmCode})`}`;
}

function fetchError(place: string, reason: string, cause?: unknown): McpgenError {
  return new McpgenError(reason, {
    place,
    remedy: 'Check its name, its version and the configuration of npm, or pass a file with --from.',
    cause,
  });
}

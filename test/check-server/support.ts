import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { build } from 'esbuild';
import { checkServer } from '../../generator/check-server/run.js';
import type { CheckReport } from '../../generator/check-server/report.js';
import type { CallSettings } from '../../generator/check-server/probe.js';
import { resolveTarget, type ConnectOptions, type ServerTarget } from '../../generator/connect/target.js';
import { shellQuote } from '../../generator/text.js';
import { temporaryFolder } from '../support/cli.js';

const OPTIONS: ConnectOptions = {
  headers: undefined,
  bearerEnv: undefined,
  env: undefined,
  envFile: undefined,
  ca: undefined,
  login: undefined,
  timeoutSeconds: 20,
  revisions: undefined,
};

/** A target for a command or a URL. */
export function targetOf(server: string, options: Partial<ConnectOptions> = {}): ServerTarget {
  return resolveTarget(server, { ...OPTIONS, ...options }, server);
}

/** Checks a server. */
export async function check(
  server: string,
  options: Partial<ConnectOptions> = {},
  calls: CallSettings = { readOnly: false, tools: [] },
): Promise<CheckReport> {
  return checkServer(targetOf(server, options), { calls });
}

/** The findings of a report as `rule: message`. */
export function shown({ findings }: CheckReport): readonly string[] {
  return findings.map(({ rule, message, revisions }) => `${rule}: ${message} (${revisions.join(', ')})`);
}

let garden: Promise<string> | undefined;

/** Our own server as one file. */
export async function gardenFile(): Promise<string> {
  // The test files of a worker share this module, and each one removes its temporary folders.
  if (garden !== undefined && !existsSync(await garden)) garden = undefined;
  garden ??= (async () => {
    const outfile = path.join(temporaryFolder(), 'garden.mjs');
    await build({
      entryPoints: [path.join(import.meta.dirname, 'garden.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
    return outfile;
  })();
  return garden;
}

/** The command of the garden server over stdio, with answers that are delayed by milliseconds. */
export async function gardenCommand(mutant = '', delays: Readonly<Record<string, number>> = {}): Promise<string> {
  return [process.execPath, await gardenFile(), 'stdio', mutant, JSON.stringify(delays)].map(shellQuote).join(' ');
}

/** Runs our own server over HTTP while something is done with its URL. */
export async function withGarden<T>(mutant: string, action: (url: string) => Promise<T>): Promise<T> {
  const args = [await gardenFile(), 'http', mutant].filter(Boolean);
  return withHttpServer(process.execPath, args, action);
}

/** Runs a server that writes its URL to standard error. */
export async function withHttpServer<T>(
  program: string,
  args: readonly string[],
  action: (url: string) => Promise<T>,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<T> {
  const child = spawn(program, args, {
    stdio: 'pipe',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      let text = '';
      const read = (chunk: Buffer): void => {
        text += chunk.toString('utf8');
        const [found] = /https?:\/\/[^\s"]+/.exec(text) ?? [];
        if (found !== undefined) resolve(found);
      };
      child.stderr.on('data', read);
      child.stdout.on('data', read);
      child.once('exit', () => {
        reject(new Error(`it ended: ${text}`));
      });
    });
    return await action(url);
  } finally {
    child.kill('SIGKILL');
  }
}

/** A server in one line of JavaScript: the body reads `line` and calls `write` with objects or texts. */
export function scriptCommand(body: string, start = ''): string {
  const script = `const write = (value) => process.stdout.write((typeof value === 'string' ? value : JSON.stringify(value)) + '\\n');
${start};
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) { let message; try { message = JSON.parse(line); } catch { message = {}; } ${body} }
});`;
  return `${shellQuote(process.execPath)} -e ${shellQuote(script)}`;
}

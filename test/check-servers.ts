/**
 * Runs `check-server` on published servers, for `npm run check:servers -- [--only NAME] [--out DIR] [--installed DIR]`.
 * It installs each into a temporary folder without running install scripts, starts it with dummy credentials, and calls no
 * tool.
 *
 * `--out DIR` keeps the reports as JSON, with which `npm run confirm:servers` compares its own exchanges. They contain other
 * people's text: do not commit them. `--installed DIR` keeps the servers for the next run.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { resolveTarget } from '../generator/connect/target.js';
import type { CheckReport } from '../generator/check-server/report.js';
import { checkServer } from '../generator/check-server/run.js';
import { shellQuote } from '../generator/text.js';
import { printTable } from './bench/support.js';
import { SERVERS, withInstalled, type Installed } from './published-servers.js';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Some servers need Node 22. */
const NODE = path.join(ROOT, 'node_modules/node-22/bin/node');
const START_TIMEOUT_SECONDS = 60;

/** Checks a server, with nothing of the user's environment. */
async function checkPublished({ folder, args, env }: Installed): Promise<CheckReport> {
  const before = { env: { ...process.env }, cwd: process.cwd() };
  try {
    for (const variable of Object.keys(process.env)) Reflect.deleteProperty(process.env, variable);
    Object.assign(process.env, env);
    process.chdir(folder);
    const target = resolveTarget([NODE, ...args].map(shellQuote).join(' '), {
      headers: undefined,
      bearerEnv: undefined,
      env: undefined,
      envFile: undefined,
      ca: undefined,
      login: undefined,
      timeoutSeconds: START_TIMEOUT_SECONDS,
      revisions: undefined,
    });
    return await checkServer(target, { calls: { readOnly: false, tools: [] } });
  } finally {
    process.chdir(before.cwd);
    for (const variable of Object.keys(process.env)) Reflect.deleteProperty(process.env, variable);
    Object.assign(process.env, before.env);
  }
}

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, out: { type: 'string' }, installed: { type: 'string' } },
});
const installed = options.installed === undefined ? undefined : path.resolve(options.installed);
const out = options.out === undefined ? undefined : path.resolve(options.out);
if (out !== undefined) mkdirSync(out, { recursive: true });
const rows: string[][] = [['server', 'version', 'revisions', 'tools', 'violations', 'deviations', 'advice', 's']];
for (const [name, server] of Object.entries(SERVERS)) {
  if (options.only !== undefined && !options.only.split(',').includes(name)) continue;
  const start = performance.now();
  try {
    const [version, report] = await withInstalled(
      name,
      server,
      installed,
      async (found) => [found.version, await checkPublished(found)] as const,
    );
    const own = (severity: string): string =>
      [...new Set(report.findings.filter((finding) => finding.severity === severity).map(({ rule }) => rule))].join(
        ', ',
      );
    const revisions =
      report.revisions.length === 0 ? '' : `${report.revisions[0] ?? ''} to ${report.revisions.at(-1) ?? ''}`;
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    rows.push([
      name,
      version,
      revisions,
      String(report.tools),
      own('violation'),
      own('deviation'),
      own('advice'),
      seconds,
    ]);
    if (out !== undefined) {
      writeFileSync(path.join(out, `${name}.json`), JSON.stringify({ version, ...report }, undefined, 2));
    }
  } catch (error) {
    rows.push([
      name,
      '',
      '',
      '',
      `failed: ${error instanceof Error ? error.message : String(error)}`.slice(0, 200),
      '',
      '',
      '',
    ]);
  }
  process.stderr.write(`${rows.at(-1)?.join(' | ') ?? ''}\n`);
}
printTable(`check-server on published servers, ${new Date().toISOString().slice(0, 10)}`, rows);

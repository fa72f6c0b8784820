/**
 * Generates code for the tools of published servers and compares its validators with Ajv, for
 * `npm run compare:servers -- [--lists DIR] [--only NAME]`. It installs each server into a temporary folder without
 * running install scripts, starts it with dummy credentials and sends nothing but `initialize` and `tools/list`.
 *
 * A difference is a value for which Ajv, the generated validator and `compileSchema` do not agree. "Unchecked" counts the
 * patterns that `compileSchema` does not test without `trustPatterns`.
 *
 * `--mcp-config` asks all of them with one `mcpgen types tools --mcp-config --clients` instead, compiles the output, has
 * `createClients` list all tools, and searches everything that was written for the dummy credentials.
 *
 * `--lists DIR` keeps the lists of tools, and reads those that are there instead of starting a server. They are other
 * people's text: do not commit them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { build } from 'esbuild';
import { listTools } from '../generator/connect/list-tools.js';
import { Secrets } from '../generator/connect/secrets.js';
import { renderTools } from '../generator/index.js';
import { isObject, type JsonObject, type JsonValue } from '../generator/read/json/json.js';
import { parseTools } from '../generator/read/tools.js';
import { compileSchema } from '../templates/runtime/json-schema.js';
import type { Validator } from '../templates/runtime/validation.js';
import { printTable } from './bench/support.js';
import { installServer, programOf, SERVERS, type Server } from './published-servers.js';
import { compileOutput } from './support/hostile.js';
import { SchemaSampler } from './support/schema-sampler.js';

const ROOT = path.resolve(import.meta.dirname, '..');
/** Some servers need Node 22. */
const NODE = path.join(ROOT, 'node_modules/node-22/bin/node');
const START_TIMEOUT_MS = 60_000;
const VALUES = 300;
/** Revisions in which `initialize` is the first message. */
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** Installs all servers, and asks them through one file of a host. Returns the exit code. */
function askTogether(only: string | undefined): number {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-servers-'));
  try {
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, DO_NOT_TRACK: '1', CI: '1', MCPGEN_KEY: SECRET };
    const mcpServers: Record<string, object> = {};
    for (const [name, server] of Object.entries(SERVERS)) {
      if (only !== undefined && only !== name) continue;
      // Each has its own folder, since their dependencies may exclude each other.
      const own = path.join(folder, 'installed', name);
      mkdirSync(own, { recursive: true });
      writeFileSync(path.join(own, 'package.json'), '{ "private": true }');
      try {
        installServer(own, server.package);
        const { file } = programOf(own, server.package);
        const variables = Object.entries(server.env ?? {}).map(([key, value]) => [
          key,
          value.includes('dummy') ? '${MCPGEN_KEY}' : value,
        ]);
        mcpServers[name] = {
          command: NODE,
          args: [file, ...(server.args ?? [])],
          env: Object.fromEntries(variables) as Record<string, string>,
        };
      } catch (error) {
        process.stderr.write(`${name} could not be installed: ${String(error).slice(0, 200)}\n`);
      }
    }
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers }, undefined, 2));
    const cli = path.join(ROOT, 'dist/generator/cli.js');
    const command = ['types', 'tools', '--mcp-config', '.mcp.json', '--out', 'src/mcp', '--save', 'lists', '--clients'];
    const run = (program: string, args: readonly string[], file?: string): number => {
      const start = performance.now();
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
      const log = `$ ${args.slice(1).join(' ')}\n${stdout}${stderr}`;
      if (file !== undefined) writeFileSync(path.join(folder, file), log);
      process.stdout.write(
        `${log.slice(0, 6000)}exit code ${status}, ${((performance.now() - start) / 1000).toFixed(1)} s\n\n`,
      );
      return status ?? 1;
    };
    const codes = [
      run(process.execPath, [cli, ...command], 'run.log'),
      run(process.execPath, [cli, ...command, '--check']),
    ];
    codes.push(run(process.execPath, [cli, ...command.slice(0, -1), '--live-check'], 'live.log'));
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
    const compile = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      'node',
      '--skipLibCheck',
    ];
    codes.push(
      run(process.execPath, [path.join(ROOT, 'node_modules/typescript-7/bin/tsc'), ...compile, 'src/mcp/index.ts']),
    );
    writeFileSync(
      path.join(folder, 'list.ts'),
      `import { readFileSync } from 'node:fs';
import { createClients } from './src/mcp/index.js';
const config = JSON.parse(readFileSync('.mcp.json', 'utf8')).mcpServers;
const clients = createClients({ config, variables: process.env, info: { name: 'test', version: '1.0.0' } });
const { tools, errors } = await clients.listTools();
console.log(tools.length, 'tools of', new Set(tools.map(({ server }) => server)).size, 'servers;', [...errors].map(String));
await clients.close();
`,
    );
    codes.push(
      run(process.execPath, ['--import', path.join(ROOT, 'node_modules/tsx/dist/loader.mjs'), 'list.ts'], 'list.log'),
    );
    const written = ['src', 'lists', 'run.log', 'live.log', 'list.log'].map((name) => path.join(folder, name));
    const { stdout: leaks } = spawnSync('grep', ['-rl', SECRET, ...written], { encoding: 'utf8' });
    process.stdout.write(`files with a credential: ${leaks === '' ? 'none' : leaks}\n`);
    return codes.some((code) => code !== 0) || leaks !== '' ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
}

/** The dummy credential of all servers. */
const SECRET = 'dummy-5f3a9c1e7b2d';

/** What a server listed. */
interface Listing {
  readonly version: string;
  readonly tools: readonly JsonValue[];
}

/** Installs a server, starts it and lists its tools. */
async function listingOf({ package: name, args = [], env = {} }: Server): Promise<Listing> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-server-'));
  const before = { env: { ...process.env }, cwd: process.cwd() };
  try {
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
    installServer(folder, name);
    const { version, file } = programOf(folder, name);
    // Nothing of the user's environment reaches the server.
    for (const variable of Object.keys(process.env))
      if (variable !== 'PATH') Reflect.deleteProperty(process.env, variable);
    Object.assign(process.env, { HOME: folder, DO_NOT_TRACK: '1', CI: '1', ...env });
    process.chdir(folder);
    const { tools } = await listTools({
      kind: 'stdio',
      command: NODE,
      args: [file, ...args],
      env: {},
      cwd: undefined,
      place: name,
      secrets: new Secrets(),
      timeoutMs: START_TIMEOUT_MS,
      revisions: REVISIONS,
    });
    return { version, tools };
  } finally {
    process.chdir(before.cwd);
    for (const variable of Object.keys(process.env)) Reflect.deleteProperty(process.env, variable);
    Object.assign(process.env, before.env);
    // A process that the server started may still be writing.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
}

/** What was found about the tools of a server. */
interface Findings {
  readonly schemas: number;
  readonly warnings: ReadonlyMap<string, number>;
  readonly compileErrors: readonly string[];
  readonly values: number;
  readonly accepted: number;
  /** Parts of schemas that `compileSchema` does not check by default. */
  readonly unchecked: number;
  readonly differences: readonly string[];
}

async function examine(tools: readonly JsonValue[]): Promise<Findings> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-tools-'));
  try {
    const sources = parseTools(tools, 'tools.json');
    const { files, warnings } = await renderTools(sources, folder);
    const module = await load(files, folder);
    const names = Object.keys(module);
    const differences: string[] = [];
    const counts = { schemas: 0, values: 0, accepted: 0, unchecked: 0 };
    for (const [index, tool] of tools.entries()) {
      if (!isObject(tool) || typeof tool['name'] !== 'string') continue;
      const toolName = tool['name'];
      for (const [kind, key] of [
        ['Input', 'inputSchema'],
        ['Output', 'outputSchema'],
      ] as const) {
        const schema = tool[key];
        if (!isObject(schema)) continue;
        counts.schemas += 1;
        const stem = toolName.replaceAll(/[^A-Za-z0-9]/g, '');
        const name = names.find((own) => own.toLowerCase() === `validate${stem}${kind}`.toLowerCase());
        const validate = module[name ?? ''] as Validator<unknown> | undefined;
        if (validate === undefined) {
          differences.push(`${toolName}: no validator of the ${kind.toLowerCase()}`);
          continue;
        }
        // By default patterns of strangers that may be slow are not tested at run time; they are counted instead.
        const atRunTime = compileSchema(schema, { trustPatterns: true });
        compileSchema(schema, { onUnchecked: () => (counts.unchecked += 1) });
        const oracle = oracleOf(schema);
        const sampler = new SchemaSampler(schema, index + 1);
        for (let count = 0; count < VALUES; count += 1) {
          const value = sampler.next();
          // Arguments and structured content are objects, whatever a schema says.
          const verdicts = [
            isObject(value) && oracle(value),
            validate(value).success,
            isObject(value) && atRunTime(value).success,
          ];
          counts.values += 1;
          if (verdicts[0] === true) counts.accepted += 1;
          if (new Set(verdicts).size > 1)
            differences.push(
              `${toolName} ${key}: Ajv, generated, run time: ${verdicts.join(', ')} for ${JSON.stringify(value)}`,
            );
        }
      }
    }
    return {
      ...counts,
      differences,
      warnings: countBy(warnings.map(({ message }) => message.replaceAll(/"[^"]*"|\d+/g, '…'))),
      compileErrors: await compileOutput(files).errors(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function oracleOf(schema: JsonObject): (value: unknown) => boolean {
  const options = {
    strict: false,
    validateFormats: false,
    ownProperties: true,
    validateSchema: false,
    logger: false,
  } as const;
  const dialect = schema['$schema'];
  const isDraft7 = typeof dialect === 'string' && dialect.includes('draft-07');
  return (isDraft7 ? new Ajv(options) : new Ajv2020(options)).compile(schema as object);
}

/** Loads the index of the tools. */
async function load(
  files: Awaited<ReturnType<typeof renderTools>>['files'],
  folder: string,
): Promise<Readonly<Record<string, unknown>>> {
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.contents);
  }
  const outfile = path.join(folder, 'tools.mjs');
  await build({
    entryPoints: [path.join(folder, 'tools/index.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    logLevel: 'error',
  });
  return (await import(pathToFileURL(outfile).href)) as Readonly<Record<string, unknown>>;
}

function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

const { values: options } = parseArgs({
  options: { lists: { type: 'string' }, only: { type: 'string' }, 'mcp-config': { type: 'boolean' } },
});
if (options['mcp-config'] === true) process.exit(askTogether(options.only));
const rows: string[][] = [
  [
    'server',
    'version',
    'tools',
    'schemas',
    'warnings',
    'compile errors',
    'values',
    'accepted',
    'differences',
    'unchecked',
  ],
];
const details: string[] = [];
const totals: number[] = [];
for (const [name, server] of Object.entries(SERVERS)) {
  if (options.only !== undefined && options.only !== name) continue;
  try {
    const saved = options.lists === undefined ? undefined : path.resolve(options.lists, `${name}.json`);
    let listing: Listing;
    if (saved !== undefined && existsSync(saved)) listing = JSON.parse(readFileSync(saved, 'utf8')) as Listing;
    else {
      listing = await listingOf(server);
      if (saved !== undefined) {
        mkdirSync(path.dirname(saved), { recursive: true });
        writeFileSync(saved, JSON.stringify(listing));
      }
    }
    const found = await examine(listing.tools);
    const figures = [
      listing.tools.length,
      found.schemas,
      [...found.warnings.values()].reduce((sum, count) => sum + count, 0),
      found.compileErrors.length,
      found.values,
      found.accepted,
      found.differences.length,
      found.unchecked,
    ];
    figures.forEach((figure, index) => (totals[index] = (totals[index] ?? 0) + figure));
    rows.push([name, listing.version, ...figures.map(String)]);
    for (const [message, count] of found.warnings) details.push(`${name}: ${count} x ${message}`);
    for (const text of [...found.compileErrors, ...found.differences].slice(0, 5)) details.push(`${name}: ${text}`);
  } catch (error) {
    rows.push([name, '', 'failed', '', '', '', '', '', '', '']);
    details.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  process.stderr.write(`${rows.at(-1)?.join(' ') ?? ''}\n`);
}
rows.push(['total', '', ...totals.map(String)]);
printTable(`Tools of published servers, ${new Date().toISOString().slice(0, 10)}`, rows);
process.stdout.write(`\n${details.map((detail) => `  ${detail}\n`).join('')}`);

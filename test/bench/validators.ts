/**
 * Speed and size of guards and validators, for `npm run bench:validators`: as ratios to `JSON.parse` of the same texts,
 * compared with hand-written functions, Ajv, the official SDKs and Zod. Contenders run in turns, each in separate
 * processes. `--runs 9` makes more runs than the minimum of 3.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { loadProtocol, render } from '../../generator/index.js';
import type { Validation, Validator } from '../../templates/runtime/validation.js';
import { classifyByHand, isPlainObject, median, MESSAGES, printTable, processorTime, TSX } from './support.js';
import { correctedDefinitions, oracleOf } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';

const root = path.resolve(import.meta.dirname, '../..');
const REVISION = '2025-11-25';
const runs = Math.max(3, Number(process.argv[process.argv.indexOf('--runs') + 1]) || 5);

/** A text, and the definition of the message in it, or of its result. */
interface Sample {
  readonly text: string;
  readonly definition: string;
  /** The method of the request that a response answers. */
  readonly method?: string;
}

const DEFINITIONS: readonly (readonly [definition: string, method?: string])[] = [
  ['InitializeRequest'],
  ['InitializeResult', 'initialize'],
  ['InitializedNotification'],
  ['ListToolsRequest'],
  ['ListToolsResult', 'tools/list'],
  ['CallToolRequest'],
  ['ProgressNotification'],
  ['CallToolResult', 'tools/call'],
  ['ReadResourceRequest'],
  ['ReadResourceResult', 'resources/read'],
  ['CreateMessageRequest'],
  ['JSONRPCErrorResponse', 'tools/call'],
  ['LoggingMessageNotification'],
  ['CancelledNotification'],
];

const SESSION: readonly Sample[] = MESSAGES.map((message, index) => {
  const [definition, method] = DEFINITIONS[index] ?? ['?'];
  return { text: JSON.stringify(message), definition, ...(method === undefined ? {} : { method }) };
});

function toolsOf(count: number): Sample {
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    title: `Tool ${index}`,
    description: 'Looks for files below a folder whose names match a pattern, and returns what it found in them.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where to look' },
        pattern: { type: 'string', minLength: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['path', 'pattern'],
    },
    annotations: { title: `Tool ${index}`, readOnlyHint: true, openWorldHint: false },
  }));
  const text = JSON.stringify({ jsonrpc: '2.0', id: count, result: { tools, nextCursor: 'page-2' } });
  return { text, definition: 'ListToolsResult', method: 'tools/list' };
}

const CORPORA: Readonly<Record<string, readonly Sample[]>> = {
  session: SESSION,
  'session and a list of 20 tools': [...SESSION, toolsOf(20)],
};

interface Item {
  readonly definition: string;
  readonly method: string | undefined;
  /** The whole message. */
  readonly message: unknown;
  /** What is of the definition: the message or its result. */
  readonly part: unknown;
}

function itemOf({ text, definition, method }: Sample): Item {
  const message = JSON.parse(text) as Record<string, unknown>;
  return { definition, method, message, part: 'result' in message ? message['result'] : message };
}

type Module = Readonly<Record<string, unknown>>;
interface ZodSchema {
  readonly safeParse: (value: unknown) => { readonly success: boolean };
}

/** Looks at nothing but which members are there. */
function classifyByPresence(value: unknown): { readonly kind: string; readonly message?: unknown } {
  if (!isPlainObject(value)) return { kind: 'invalid' };
  if ('method' in value) return { kind: 'id' in value ? 'request' : 'notification', message: value };
  if ('result' in value) return { kind: 'result', message: value };
  return { kind: 'error' in value ? 'error' : 'invalid', message: value };
}

/** Calls one function for each item; the items' own functions are looked up before. */
function sumOver<T>(items: readonly T[], measure: (item: T) => boolean): () => number {
  for (const item of items) {
    if (!measure(item)) throw new Error(`is not valid: ${JSON.stringify(item).slice(0, 300)}`);
  }
  return () => {
    let sum = 0;
    for (const item of items) if (measure(item)) sum += 1;
    return sum;
  };
}

const CONTENDERS: Readonly<
  Record<string, (samples: readonly Sample[], scratch: string) => Promise<() => number> | (() => number)>
> = {
  'JSON.parse': (samples) => sumOver(samples, ({ text }) => JSON.parse(text) !== null),
  classify: async (samples) => {
    const { classify } = (await generated()) as { classify: (value: unknown) => { kind: string } };
    return sumOver(samples.map(itemOf), ({ message }) => classify(message).kind !== 'invalid');
  },
  'by hand, the same checks': (samples) =>
    sumOver(samples.map(itemOf), ({ message }) => classifyByHand(message).kind !== 'invalid'),
  'by hand, presence only': (samples) =>
    sumOver(samples.map(itemOf), ({ message }) => classifyByPresence(message).kind !== 'invalid'),
  'isRequest, isNotification or isResponse': async (samples) => {
    const module = await generated();
    const guards = samples.map(itemOf).map(({ message }) => {
      const names = ['isRequest', 'isNotification', 'isResponse'];
      const guard = names.map((name) => module[name] as (value: unknown) => boolean).find((is) => is(message));
      return { message, guard: guard ?? (() => false) };
    });
    return sumOver(guards, ({ message, guard }) => guard(message));
  },
  'isJSONRPCRequest of SDK v1': async (samples) => {
    const { isJSONRPCRequest } = await import('@modelcontextprotocol/sdk/types.js');
    return sumOver(samples.map(itemOf), ({ message }) => typeof isJSONRPCRequest(message) === 'boolean');
  },
  'isJSONRPCRequest of SDK v2': async (samples) => {
    const { isJSONRPCRequest } = await import('@modelcontextprotocol/server');
    return sumOver(samples.map(itemOf), ({ message }) => typeof isJSONRPCRequest(message) === 'boolean');
  },
  'deep isX': async (samples) => {
    const module = await generated();
    return sumOverParts(samples, (name) => module[`is${name}`] as (value: unknown) => boolean);
  },
  'deep validateX': async (samples) => {
    const module = await generated();
    // Called on the spot, as a user does: one more function in between costs a fifth of what a small message does.
    const items = samples.map((sample) => {
      const item = itemOf(sample);
      return { part: item.part, validate: module[`validate${item.definition}`] as Validator<unknown> };
    });
    return sumOver(items, ({ part, validate }) => validate(part).success);
  },
  'whole messages by method': async (samples) => {
    const module = (await generated()) as {
      validateRequestMessage: Validator<unknown>;
      validateNotificationMessage: Validator<unknown>;
      validateResponse: (method: string, value: unknown) => Validation<unknown>;
    };
    return sumOver(samples.map(itemOf), ({ message, method }) => {
      if (method !== undefined) return module.validateResponse(method, message).success;
      return typeof message === 'object' && message !== null && 'id' in message
        ? module.validateRequestMessage(message).success
        : module.validateNotificationMessage(message).success;
    });
  },
  'Ajv, compiled': (samples) => {
    const oracle = oracleOf(correctedDefinitions(REVISION));
    return sumOverParts(samples, (name) => oracle(name));
  },
  'Ajv, standalone code': async (samples, scratch) => {
    const module = (await import(pathToFileURL(path.join(scratch, 'ajv.cjs')).href)) as { default: Module };
    return sumOverParts(samples, (name) => module.default[name] as (value: unknown) => boolean);
  },
  'Zod of SDK v1': async (samples) => sumOverZod(samples, await import('@modelcontextprotocol/sdk/types.js')),
  'Zod of SDK v2': async (samples) => sumOverZod(samples, await import('@modelcontextprotocol/core')),
  'Zod of --emit zod': async (samples, scratch) =>
    sumOverZod(samples, (await import(pathToFileURL(path.join(scratch, 'zod', REVISION, 'zod.ts')).href)) as Module),
};

async function generated(): Promise<Module> {
  const built = pathToFileURL(path.join(root, 'dist/generated', REVISION, 'index.js')).href;
  return (await import(built)) as Module;
}

function sumOverParts(
  samples: readonly Sample[],
  checkOf: (name: string) => (value: unknown) => boolean,
): () => number {
  const items = samples.map((sample) => ({ ...itemOf(sample), check: checkOf(sample.definition) }));
  return sumOver(items, ({ part, check }) => check(part));
}

function sumOverZod(samples: readonly Sample[], module: Module): () => number {
  return sumOverParts(samples, (name) => {
    const schema = module[`${name}Schema`] as ZodSchema;
    return (value) => schema.safeParse(value).success;
  });
}

/** Writes what has to be generated before it can be measured. */
async function prepare(scratch: string): Promise<void> {
  symlinkSync(path.join(root, 'node_modules'), path.join(scratch, 'node_modules'), 'dir');
  writeFileSync(path.join(scratch, 'package.json'), '{ "type": "module" }\n');
  const definitions = correctedDefinitions(REVISION);
  for (const [file, names] of [
    ['ajv.cjs', Object.keys(definitions)],
    ['ajv-tool.cjs', ['Tool']],
  ] as const) {
    const ajv = new Ajv2020({
      validateFormats: false,
      strict: false,
      ownProperties: true,
      code: { source: true },
      schemas: [{ $id: 'protocol', $defs: definitions }],
    });
    const references = Object.fromEntries(names.map((name) => [name, `protocol#/$defs/${name}`]));
    writeFileSync(path.join(scratch, file), standaloneCode.default(ajv, references));
  }
  const out = path.join(scratch, 'zod');
  for (const file of await render(await loadProtocol({ revision: REVISION }), out, { emit: ['zod'] })) {
    mkdirSync(path.dirname(path.join(out, file.path)), { recursive: true });
    writeFileSync(path.join(out, file.path), file.contents);
  }
}

function speed(scratch: string): void {
  const only = process.argv.indexOf('--only');
  const names = Object.keys(CONTENDERS).filter(
    (name) => only === -1 || name === 'JSON.parse' || new RegExp(process.argv[only + 1] ?? '').test(name),
  );
  for (const [corpus, samples] of Object.entries(CORPORA)) {
    const times = new Map<string, number[]>(names.map((name) => [name, []]));
    for (let round = 0; round < runs; round += 1) {
      for (const name of names) {
        const command = ['--import', TSX, import.meta.filename, '--measure', name, corpus, scratch];
        times.get(name)?.push(Number(execFileSync(process.execPath, command, { encoding: 'utf8', cwd: root })));
      }
    }
    const of = (name: string): number => median(times.get(name) ?? []);
    const bytes = samples.reduce((sum, { text }) => sum + text.length, 0);
    const title = `${corpus}: ${samples.length} messages, ${bytes} characters; medians of ${runs} processes each, in turns`;
    printTable(title, [
      ['', 'processor ns a message', 'as fast as JSON.parse, times'],
      ...names.map((name) => [
        name,
        (of(name) / samples.length).toFixed(1),
        (of('JSON.parse') / of(name)).toPrecision(3),
      ]),
    ]);
    if (only !== -1) continue;
    const ratio = (of('by hand, the same checks') / of('classify')).toFixed(2);
    process.stdout.write(`\n  classify is ${ratio} times as fast as the same checks by hand (aim: 0.9)\n`);
    process.stdout.write(`  deep validateX: ${(of('JSON.parse') / of('deep validateX')).toFixed(1)} (aim: 30)\n`);
  }
}

async function sizes(scratch: string): Promise<void> {
  const measure = async (contents: string): Promise<readonly [string, string]> => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: scratch, loader: 'ts' },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      platform: 'neutral',
      mainFields: ['module', 'main'],
    });
    const bytes = outputFiles[0]?.contents ?? new Uint8Array();
    return [String(bytes.length), String(gzipSync(bytes, { level: 9 }).length)];
  };
  const from = (names: readonly string[] | '*', file: string): string =>
    `export ${names === '*' ? '*' : `{ ${names.join(', ')} }`} from ${JSON.stringify(file)};\n`;
  const rows: [string, ...(readonly [string, string])][] = [];
  for (const { revision } of REVISIONS) {
    const folder = path.join(root, 'dist/generated', revision);
    const [guards, validators] = [path.join(folder, 'guards.js'), path.join(folder, 'validators.js')];
    const names = Object.keys((await import(pathToFileURL(validators).href)) as Module);
    const both = names.filter((name) => /^(?:is|validate)[A-Z]/.test(name));
    rows.push([
      `${revision}: all guards and validators`,
      ...(await measure(from('*', guards) + from(both, validators))),
    ]);
    rows.push([
      `${revision}: the same, assertions, formats and leniency`,
      ...(await measure(from('*', guards) + from('*', validators))),
    ]);
  }
  const validators = path.join(root, 'dist/generated', REVISION, 'validators.js');
  const singles: readonly (readonly [string, string, string])[] = [
    ['classify alone', 'classify', path.join(root, 'dist/generated', REVISION, 'guards.js')],
    ['isTool alone', 'isTool', validators],
    ['isCallToolRequest alone', 'isCallToolRequest', validators],
    ['isCallToolResult alone', 'isCallToolResult', validators],
    ['validateTool alone', 'validateTool', validators],
    ['Ajv standalone: Tool alone', 'Tool', path.join(scratch, 'ajv-tool.cjs')],
    ['Zod of SDK v1: ToolSchema alone', 'ToolSchema', '@modelcontextprotocol/sdk/types.js'],
    ['Zod of SDK v2: ToolSchema alone', 'ToolSchema', '@modelcontextprotocol/core'],
    ['Zod of --emit zod: ToolSchema alone', 'ToolSchema', path.join(scratch, 'zod', REVISION, 'zod.ts')],
  ];
  for (const [title, name, file] of singles) rows.push([title, ...(await measure(from([name], file)))]);
  const wholes = [
    ['Ajv standalone: all definitions', path.join(scratch, 'ajv.cjs')],
    ['Zod of SDK v1: all of types.js', '@modelcontextprotocol/sdk/types.js'],
    ['Zod of SDK v2: all of core', '@modelcontextprotocol/core'],
    ['Zod of --emit zod: all definitions', path.join(scratch, 'zod', REVISION, 'zod.ts')],
  ] as const;
  for (const [title, file] of wholes) {
    const contents = file.endsWith('.cjs')
      ? `import all from ${JSON.stringify(file)}; export default all;`
      : from('*', file);
    rows.push([title, ...(await measure(contents))]);
  }
  printTable('Sizes in bytes, by esbuild', [['', 'minified', 'gzipped'], ...rows]);
  process.stdout.write(
    '\n  (aims, gzipped: all guards and validators of a revision below 10240, one guard below 1024)\n',
  );
}

const single = process.argv.indexOf('--measure');
if (single !== -1) {
  const [name = '', corpus = '', scratch = ''] = process.argv.slice(single + 1);
  const loop = await CONTENDERS[name]?.(CORPORA[corpus] ?? [], scratch);
  if (loop === undefined) throw new Error(`nothing is called ${name}`);
  process.stdout.write(String(processorTime(loop)));
} else {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'mcpgen-bench-'));
  try {
    const version = (name: string): string =>
      (JSON.parse(readFileSync(path.join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
        .version;
    const packages = ['ajv', '@modelcontextprotocol/sdk', '@modelcontextprotocol/core', 'zod', 'esbuild'];
    const facts = [`Node ${process.version}`, `${os.cpus().length} processors`];
    process.stdout.write(`${[...facts, ...packages.map((name) => `${name} ${version(name)}`)].join(', ')}\n`);
    await prepare(scratch);
    if (!process.argv.includes('--sizes')) speed(scratch);
    if (!process.argv.includes('--speed')) await sizes(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../errors.js';
import { nameTools } from '../emit/tools.js';
import { renderTools, type ImportExtension, type ToolSource } from '../index.js';
import { exampleOf } from '../model/example.js';
import { readTool } from '../model/tools.js';
import { layOutFile } from '../output/format.js';
import { isSettled, planChanges, type FileChange } from '../output/plan.js';
import { writeChanges } from '../output/write.js';
import { isReserved } from '../print/names.js';
import { readConfig, type ConfigFile } from '../read/config.js';
import { NO_DOCS } from '../read/docs.js';
import { readBytes, readText } from '../read/files.js';
import { isObject, member, parseOutsideJson, type JsonValue } from '../read/json.js';
import { readToolFiles } from '../read/tools.js';
import { handlerFile, testFile, type Addable, type Addition } from '../scaffold/addition.js';
import { register } from '../scaffold/register.js';
import { colour, progress, say } from '../terminal.js';
import { asJson } from './changes.js';
import { flag, text } from './options.js';

/** `mcpgen add tool`, `add resource` and `add prompt`. Returns the exit code. */
export async function addCommand(kind: Addable, name: string, flags: Record<string, unknown>): Promise<number> {
  refuseName(kind, name);
  const project = await projectOf(text(flags, 'config'));
  const list = `${kind}s`;
  const index = `src/${list}/index.ts`;
  const indexText = readIndex(project, kind, index);
  const stem = stemOf(name);
  progress(`adding ${name} ...`);
  const given = text(flags, 'input');
  const input = given === undefined ? undefined : await readInput(given, stem, project);
  const file = `src/${list}/${stem}.ts`;
  refuseTaken(project, kind, name, file);
  const identifier = existingExport(project, file) ?? identifierOf(kind, name, stem);
  const generated = posix(path.relative(path.join(project.folder, 'src', list), project.out));
  const addition: Addition = {
    kind,
    name,
    identifier,
    uri: text(flags, 'uri') ?? `${uriScheme(stem)}://${stem}`,
    generated: generated.startsWith('.') ? generated : `./${generated}`,
    extension: project.extension,
    ...(input === undefined
      ? {}
      : {
          input: {
            identifier: `${input.camel}Input`,
            module: `${generated.startsWith('.') ? generated : `./${generated}`}/tools/${input.stem}`,
            example: input.example,
          },
          ...(input.description === undefined ? {} : { description: input.description }),
        }),
  };
  const registration = await register(indexText, list, { name: identifier, from: `./${stem}` });
  if (registration.status === 'unknown') {
    throw new McpgenError(`${registration.reason}, so ${identifier} cannot be added to it; nothing was written`, {
      place: `${index}:${registration.line}`,
      remedy: `By hand: import { ${identifier} } from "./${stem}${project.extension}"; and ${identifier} into the list \`${list}\`.`,
    });
  }
  const own = [
    { path: file, contents: await layOutFile(handlerFile(addition), file), belongsToUser: true },
    ...(existsSync(path.join(project.folder, 'test/support.ts'))
      ? [
          {
            path: `test/${list}/${stem}.test.ts`,
            contents: await layOutFile(testFile(addition), 'x.test.ts'),
            belongsToUser: true,
          },
        ]
      : []),
    ...(input === undefined
      ? []
      : [{ path: `src/tools/${stem}.input.json`, contents: input.text, belongsToUser: true }]),
  ];
  const changes: FileChange[] = [
    ...planChanges(project.folder, own),
    ...(registration.status === 'added'
      ? [{ path: index, status: 'stale' as const, expected: registration.text, actual: indexText, isEdit: true }]
      : [{ path: index, status: 'kept' as const, expected: indexText, actual: indexText }]),
    ...(input === undefined ? [] : await planGenerated(project, input.tools)),
  ];
  const isDry = flag(flags, 'dryRun');
  if (!isDry) writeChanges(project.folder, changes);
  progress('');
  report({
    addition,
    changes,
    isDry,
    isJson: flag(flags, 'json'),
    isRegistered: registration.status === 'added',
    index,
  });
  return 0;
}

/** A project that `mcpgen init` wrote. */
interface Project {
  readonly folder: string;
  readonly config: ConfigFile;
  /** Absolute path of the generated code. */
  readonly out: string;
  readonly extension: string;
}

async function projectOf(given: string | undefined): Promise<Project> {
  const config = await readConfig(process.cwd(), given);
  if (config === undefined) {
    throw new McpgenError('this is not the project of a server: there is no mcpgen.config.json here or above', {
      place: process.cwd(),
      remedy: '`mcpgen init server NAME` writes such a project.',
    });
  }
  const { emit, importExtension = 'js', out = 'generated' } = config.config;
  const folder = path.resolve(config.folder, out);
  if (emit?.includes('registry') !== true) {
    throw new McpgenError('the generated code has no registry, which lists of tools, resources and prompts stand on', {
      place: config.placeOf('emit'),
      remedy: 'Add "registry" to it, as in "emit": ["default", "registry"], and run `mcpgen generate`.',
    });
  }
  const extensions: Readonly<Record<ImportExtension, string>> = { js: '.js', ts: '.ts', none: '' };
  return { folder: config.folder, config, out: folder, extension: extensions[importExtension] };
}

/** Names are what the specification allows for tools (MCP 2025-11-25, server features, tools, tool names). */
function refuseName(kind: Addable, name: string): void {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name) && /[A-Za-z0-9]/.test(name)) return;
  throw new McpgenError(`${JSON.stringify(name).slice(0, 150)} is not a name for a ${kind}`, {
    place: 'NAME',
    remedy: 'Use letters, digits, hyphens, underscores and dots, at most 128.',
  });
}

function readIndex(project: Project, kind: Addable, index: string): string {
  const file = path.join(project.folder, index);
  if (existsSync(file)) return readText(file);
  throw new McpgenError(`the project has no list of ${kind}s yet`, {
    place: index,
    remedy: `Write \`export const ${kind}s = [];\` there, and add \`...${kind}Handlers(${kind}s)\` to the handlers in src/server.ts.`,
  });
}

function stemOf(name: string): string {
  const stem = name.replaceAll('.', '-').replace(/^[-_]+|[-_]+$/g, '') || name;
  // `index` is the list; the others are devices on Windows, whatever stands behind a dot.
  return /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}-one` : stem;
}

function uriScheme(stem: string): string {
  const scheme = stem.toLowerCase().replace(/[^a-z0-9-]/g, '-');
  return /^[a-z]/.test(scheme) ? scheme : `x-${scheme}`;
}

function identifierOf(kind: Addable, name: string, stem: string): string {
  const [tool] = nameTools([{ source: sourceOf(name, stem, undefined), definitions: [], warnings: [] }]);
  const camel = tool?.camel ?? name;
  const capital = kind.charAt(0).toUpperCase() + kind.slice(1);
  return isReserved(camel) || camel === `${kind}s` ? `${camel}${capital}` : camel;
}

/** Names that differ in capitals, or only in what a file name cannot say, come to one file. */
function refuseTaken(project: Project, kind: Addable, name: string, file: string): void {
  const base = path.basename(file);
  const folder = path.join(project.folder, path.dirname(file));
  const taken = readdirSync(folder).find((entry) => entry.toLowerCase() === base.toLowerCase());
  if (taken === undefined) return;
  const owner = taken === base ? /\bname:\s*(["'`])(.+?)\1/.exec(readText(path.join(folder, taken)))?.[2] : taken;
  if (owner === undefined || owner === name) return;
  throw new McpgenError(`there is another ${kind} in that file already`, {
    place: path.posix.join(path.posix.dirname(file), taken),
    remedy: `Choose a name other than ${name}, which would come to the same file.`,
  });
}

/** What a file that is there already exports, if that is a tool, resource or prompt. */
function existingExport(project: Project, file: string): string | undefined {
  const target = path.join(project.folder, file);
  if (!existsSync(target)) return undefined;
  return /^export const ([\w$]+)[^=]*=\s*define\w+\(/m.exec(readText(target))?.[1];
}

interface Input {
  /** The file, as it is copied. */
  readonly text: string;
  /** All tools of the project, with this one. */
  readonly tools: readonly ToolSource[];
  readonly stem: string;
  readonly camel: string;
  readonly description: string | undefined;
  /** Arguments that the schema allows; undefined if none were found. */
  readonly example: JsonValue | undefined;
}

async function readInput(file: string, stem: string, project: Project): Promise<Input> {
  const target = `src/tools/${stem}.input.json`;
  const patterns = project.config.config.tools;
  if (patterns === undefined) {
    throw new McpgenError('the config says of no schemas of tools', {
      place: project.config.placeOf(),
      remedy: 'Add "tools": ["src/tools/*.input.json"] to it.',
    });
  }
  // What is there already is the author's, whatever is given.
  const existing = path.join(project.folder, target);
  const bytes = readBytes(existsSync(existing) ? existing : file);
  const schema = parseOutsideJson(bytes, existsSync(existing) ? target : file);
  if (!isObject(schema) || member(schema, 'type') !== 'object') {
    throw new McpgenError('the schema of the arguments of a tool is that of an object', {
      place: file,
      remedy: 'Write { "type": "object", "properties": { ... } }.',
    });
  }
  const { tools: present } = await readToolFiles(patterns, project.folder);
  const tools = [...present.filter((tool) => tool.name !== stem), sourceOf(stem, stem, schema)].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const named = nameTools(tools.map((tool) => readTool(tool, NO_DOCS))).find(({ model }) => model.source.name === stem);
  if (named === undefined) throw new Error(`no names for ${stem}`);
  const root = named.model.definitions.find((definition) => definition.name === 'Input');
  const example = root === undefined ? undefined : exampleOf(named.model, root.type);
  const description = member(schema, 'description');
  return {
    text: bytes.toString('utf8'),
    tools,
    stem: named.stem,
    camel: named.camel,
    description: typeof description === 'string' ? description : undefined,
    example: example !== undefined && (await isValid(schema, example)) ? example : undefined,
  };
}

function sourceOf(name: string, stem: string, input: JsonValue | undefined): ToolSource {
  return {
    name,
    ...(input === undefined ? {} : { input }),
    places: { input: `src/tools/${stem}.input.json`, output: '' },
    isOwn: true,
  };
}

/** Whether a schema allows a value, by the word of a library that knows all keywords. */
async function isValid(schema: object, value: JsonValue): Promise<boolean> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>;
  try {
    return new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(rest)(value);
  } catch {
    return false;
  }
}

/** What the types of tools will be with the new one among them, as changes below the project's folder. */
async function planGenerated(project: Project, tools: readonly ToolSource[]): Promise<readonly FileChange[]> {
  const { importExtension = 'js' } = project.config.config;
  const { files } = await renderTools(tools, project.out, { importExtension });
  const below = posix(path.relative(project.folder, project.out));
  return planChanges(project.out, files).map((change) => ({ ...change, path: `${below}/${change.path}` }));
}

function posix(file: string): string {
  return file.replaceAll(path.sep, '/');
}

interface Report {
  readonly addition: Addition;
  readonly changes: readonly FileChange[];
  readonly isDry: boolean;
  readonly isJson: boolean;
  readonly isRegistered: boolean;
  readonly index: string;
}

function report({ addition, changes, isDry, isJson, isRegistered, index }: Report): void {
  const touched = changes.filter((change) => !isSettled(change));
  if (isJson) {
    const files = changes.filter((change) => change.status !== 'unchanged').map((change) => asJson(change, false));
    const { kind, name, identifier } = addition;
    say(JSON.stringify({ kind, name, identifier, registered: isRegistered, dryRun: isDry, files }, undefined, 2));
    return;
  }
  if (touched.length === 0) {
    say(`${addition.kind} ${addition.name} is there already; nothing was changed`);
    return;
  }
  const words = { missing: 'write', stale: 'change', orphaned: 'remove', unchanged: '', kept: '' };
  const done = { missing: 'wrote', stale: 'changed', orphaned: 'removed', unchanged: '', kept: '' };
  for (const change of touched) {
    const word = isDry ? `would ${words[change.status]}` : done[change.status];
    const what = change.path === index ? `: ${addition.identifier} is in the list` : '';
    say(`${colour.green(word)} ${change.path}${what}`);
  }
  for (const change of changes.filter(({ status, path: file }) => status === 'kept' && file !== index)) {
    say(`kept ${change.path}`);
  }
}

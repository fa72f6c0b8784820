import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { McpgenError } from '../errors.js';
import { nameTools } from '../emit/tools.js';
import { renderTools, type ImportExtension, type ToolSource } from '../index.js';
import { exampleOf } from '../model/example.js';
import { readTool } from '../model/tools.js';
import { layOutFile } from '../output/format.js';
import { editOf, planChanges, type FileChange } from '../output/plan.js';
import { writeChanges } from '../output/write.js';
import { importPath } from '../paths.js';
import { isReserved } from '../print/names.js';
import { readConfig, type ConfigFile } from '../read/config.js';
import { NO_DOCS } from '../read/docs.js';
import { readBytes, readTemplate, readText } from '../read/files.js';
import { isObject, member, parseOutsideJson, type JsonValue } from '../read/json.js';
import { readToolFiles } from '../read/tools.js';
import { handlerFile, testFile, type Addable, type Addition } from '../scaffold/addition.js';
import { connectList, expectCapability } from '../scaffold/connect.js';
import { addressesIn, refuseAddress, type TakenAddress } from '../scaffold/resource-address.js';
import { definitionIn, register } from '../scaffold/register.js';
import { progress, say, sayJson } from '../terminal.js';
import { asJson, sayTouched } from './changes.js';
import { flag, text } from './options.js';
import { outputFolder } from './settings.js';

/** `mcpgen add tool`, `add resource` and `add prompt`. Returns the exit code. */
export async function addCommand(kind: Addable, name: string, flags: Record<string, unknown>): Promise<number> {
  refuseName(kind, name);
  const project = await projectOf(flags);
  const list = `${kind}s`;
  const index = `src/${list}/index.ts`;
  const existing = textOf(project, index);
  const served = existing === undefined ? await serveList(project, kind, index) : [];
  const indexText = existing ?? emptyList(kind, index);
  const stem = stemOf(name);
  progress(`adding ${name} ...`);
  const given = text(flags, 'input');
  const input = given === undefined ? undefined : await readInput(given, stem, project);
  const file = `src/${list}/${stem}.ts`;
  refuseTwin(project, kind, name, file);
  const identifier = (await existingExport(project, kind, name, file, stem)) ?? identifierOf(kind, name, stem);
  const generated = importPath(path.join(project.folder, 'src', list), project.out);
  const uri = text(flags, 'uri') ?? `${uriScheme(stem)}://${stem}`;
  if (kind === 'resource') refuseAddress(uri, await takenAddresses(project, file));
  const addition: Addition = {
    kind,
    name,
    identifier,
    uri,
    generated,
    extension: project.extension,
    ...(input === undefined
      ? {}
      : {
          input: {
            identifier: `${input.camel}Input`,
            module: `${generated}/tools/${input.stem}`,
            example: input.example,
          },
          ...(input.description === undefined ? {} : { description: input.description }),
        }),
  };
  const registration = await register(indexText, list, { name: identifier, from: `./${stem}` }, project.extension);
  if (registration.status === 'unknown') {
    throw new McpgenError(`${registration.reason}, so ${identifier} cannot be added to it; nothing was written`, {
      place: `${shown(project, index)}:${registration.line}`,
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
      ? [await additionTo(index, existing, registration.text)]
      : [{ path: index, status: 'kept' as const, expected: indexText, actual: indexText }]),
    ...served,
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
    notes: new Map([
      [index, `${identifier} is in the list`],
      [SERVER, `the server has ${list}`],
      [CONVERSATION, `the server has ${list}`],
    ]),
    project,
  });
  return 0;
}

/** Where the author's server is made, and the test of its first messages. */
const SERVER = 'src/server.ts';
const CONVERSATION = 'test/conversation.test.ts';

/** A project that `mcpgen init` wrote. */
interface Project {
  readonly folder: string;
  readonly config: ConfigFile;
  /** Absolute path of the generated code. */
  readonly out: string;
  readonly extension: string;
}

async function projectOf(flags: Record<string, unknown>): Promise<Project> {
  const config = await readConfig(process.cwd(), text(flags, 'config'));
  if (config === undefined) {
    throw new McpgenError('this is not the project of a server: there is no config of mcpgen here or above', {
      place: process.cwd(),
      remedy: '`mcpgen init server NAME` writes such a project.',
    });
  }
  const { emit, importExtension = 'js' } = config.config;
  if (emit?.includes('registry') !== true) {
    throw new McpgenError('the generated code has no registry, which lists of tools, resources and prompts stand on', {
      place: config.placeOf('emit'),
      remedy: 'Add "registry" to it, as in "emit": ["default", "registry"], and run `mcpgen generate`.',
    });
  }
  const extensions: Readonly<Record<ImportExtension, string>> = { js: '.js', ts: '.ts', none: '' };
  return { folder: config.folder, config, out: outputFolder(config, flags), extension: extensions[importExtension] };
}

/** Names are what the specification allows for tools (MCP 2025-11-25, server features, tools, tool names). */
function refuseName(kind: Addable, name: string): void {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name) && /[A-Za-z0-9]/.test(name)) return;
  throw new McpgenError(`${JSON.stringify(name).slice(0, 150)} is not a name for a ${kind}`, {
    place: 'NAME',
    remedy: 'Use letters, digits, hyphens, underscores and dots, at most 128.',
  });
}

/** The text of a file of the project; undefined if there is none. */
function textOf(project: Project, file: string): string | undefined {
  const target = path.join(project.folder, file);
  return existsSync(target) ? readText(target) : undefined;
}

/** A file of the project as one names it who is where the command runs. */
function shown(project: Project, file: string): string {
  return path.relative(process.cwd(), path.join(project.folder, file));
}

async function additionTo(file: string, actual: string | undefined, expected: string): Promise<FileChange> {
  return editOf(file, actual === undefined ? await layOutFile(expected, file) : expected, actual);
}

/** A list that has nothing yet, in the words of the template. */
function emptyList(kind: Addable, index: string): string {
  const start = /^\/\*\*[^]*? = \[/m.exec(readTemplate('server', ...index.split('/')))?.[0];
  if (start === undefined) throw new Error(`the template has no list of ${kind}s`);
  return `${start}];\n`;
}

/**
 * What has to change for the server to serve a list that is not there yet.
 *
 * @throws {@link McpgenError} if the author's server is of a form that is not understood, with the lines to write by hand.
 */
async function serveList(project: Project, kind: Addable, index: string): Promise<readonly FileChange[]> {
  const list = `${kind}s`;
  const text = textOf(project, SERVER);
  if (text === undefined && /\bcreateClient\b/.test(textOf(project, 'src/protocol.ts') ?? '')) {
    throw new McpgenError(`this is the project of a client; ${list} are what a server has`, {
      place: project.folder,
      remedy: '`mcpgen init server NAME` writes the project of a server.',
    });
  }
  const below = importPath(path.join(project.folder, 'src'), project.out);
  const registry = `${below}/runtime/registry`;
  const connection = await connectList(text ?? '', { kind, registry, extension: project.extension });
  if (connection.status === 'unknown') {
    const reason = text === undefined ? 'there is no such file' : connection.reason;
    throw new McpgenError(`${reason}, so a list of ${list} cannot be connected to the server; nothing was written`, {
      place: text === undefined ? shown(project, SERVER) : `${shown(project, SERVER)}:${connection.line}`,
      remedy: [
        'By hand:',
        ...connection.byHand.map((line) => `  ${line}`),
        `and in ${shown(project, index)}:`,
        `  export const ${list} = [];`,
        'Then run this again.',
      ].join('\n'),
    });
  }
  const conversation = textOf(project, CONVERSATION);
  const expecting = conversation === undefined ? undefined : await expectCapability(conversation, list);
  return [
    ...(connection.status === 'added' ? [await additionTo(SERVER, text, connection.text)] : []),
    ...(expecting === undefined ? [] : [await additionTo(CONVERSATION, conversation, expecting)]),
  ];
}

function stemOf(name: string): string {
  const stem = name.replaceAll('.', '-').replace(/^[-_]+|[-_]+$/g, '') || name;
  // `index` is the list; the others are devices on Windows, whatever stands behind a dot.
  return /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}-one` : stem;
}

/** Addresses of the project's other resources. */
async function takenAddresses(project: Project, own: string): Promise<readonly TakenAddress[]> {
  const folder = path.join(project.folder, 'src/resources');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.[cm]?ts$/.test(name)) : [];
  const files = names.map((name) => `src/resources/${name}`).filter((name) => name !== own);
  const found = await Promise.all(
    files.map(async (name) => {
      const file = shown(project, name);
      return (await addressesIn(textOf(project, name) ?? '')).map((uri) => ({ uri, file }));
    }),
  );
  return found.flat();
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

/** Names that differ in capitals come to one file on many systems. */
function refuseTwin(project: Project, kind: Addable, name: string, file: string): void {
  const base = path.basename(file);
  const folder = path.join(project.folder, path.dirname(file));
  const entries = existsSync(folder) ? readdirSync(folder) : [];
  const twin = entries.find((entry) => entry !== base && entry.toLowerCase() === base.toLowerCase());
  if (twin === undefined) return;
  throw new McpgenError(`there is another ${kind} in that file already`, {
    place: shown(project, path.posix.join(path.posix.dirname(file), twin)),
    remedy: `Choose a name other than ${name}, which would come to the same file.`,
  });
}

/**
 * What a file that is there already exports as the tool, resource or prompt of a name.
 *
 * @throws {@link McpgenError} if it has none, or only one of another name.
 */
async function existingExport(
  project: Project,
  kind: Addable,
  name: string,
  file: string,
  stem: string,
): Promise<string | undefined> {
  const text = textOf(project, file);
  if (text === undefined) return undefined;
  const found = await definitionIn(text, identifierOf(kind, name, stem));
  const remedy = `It is kept. Have it export the ${kind}, as \`export const ${identifierOf(kind, name, stem)} = ...\`, or choose another name.`;
  if (found === undefined) {
    throw new McpgenError(`this file is there already, and no ${kind} that it exports was found`, {
      place: shown(project, file),
      remedy,
    });
  }
  if (found.name !== undefined && found.name !== name) {
    throw new McpgenError(`this file is there already, with the ${kind} ${JSON.stringify(found.name)} in it`, {
      place: shown(project, file),
      remedy: 'It is kept. Choose another name.',
    });
  }
  return found.identifier;
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

/** Milliseconds that it may take to find out whether an example is valid. */
const LONGEST_JUDGEMENT = 2000;

/** Whether a schema allows a value, by the word of a library that knows all keywords. */
async function isValid(schema: object, value: JsonValue): Promise<boolean> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>;
  const judge = (): boolean =>
    new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(rest)(value);
  try {
    // A pattern may take for ever; only there it can be interrupted.
    return runInNewContext('judge()', { judge }, { timeout: LONGEST_JUDGEMENT }) === true;
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
  /** What it means that a file is changed, by its path. */
  readonly notes: ReadonlyMap<string, string>;
  readonly project: Project;
}

function report({ addition, changes, isDry, isJson, isRegistered, notes, project }: Report): void {
  if (isJson) {
    const files = changes.filter((change) => change.status !== 'unchanged').map((change) => asJson(change, false));
    const { kind, name, identifier } = addition;
    sayJson({ kind, name, identifier, registered: isRegistered, dryRun: isDry, files });
    return;
  }
  if (!sayTouched(changes, isDry, notes, (file) => shown(project, file))) {
    say(`${addition.kind} ${addition.name} is there already; nothing was changed`);
  }
}

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { diagnosticJson, McpgenError, type Diagnostic } from '../../errors.js';
import { nameTools } from '../../emit/tools/tools.js';
import { renderTools, type ImportExtension, type ToolSource } from '../../index.js';
import { exampleOf } from '../../model/types/example.js';
import type { Warning } from '../../model/protocol.js';
import { parseTool } from '../../model/tools.js';
import { formatProjectFile } from '../../output/format.js';
import { fileEdit, planChanges, type FileChange } from '../../output/plan.js';
import { writeChanges } from '../../output/write.js';
import { relativeImportPath } from '../../paths.js';
import { isReserved } from '../../print/names.js';
import { readConfig, type ConfigFile } from '../../read/config/config.js';
import { NO_DOCS } from '../../read/builtin/docs.js';
import { readBytes, readTemplate, readTextIfExists } from '../../read/files.js';
import { isObject, ownMember, parseUntrustedJson, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { readToolFiles } from '../../read/tools.js';
import { additionHandlerFile, additionTestFile, type Addable, type Addition } from '../../scaffold/edit/addition.js';
import { connectListToServer, expectCapability } from '../../scaffold/edit/connect.js';
import { findResourceAddresses, refuseAddress, type UsedAddress } from '../../scaffold/edit/resource-address.js';
import { findDefineCall, registerInList } from '../../scaffold/edit/register.js';
import { showProgress, printLine, printJson, printWarning } from '../../terminal.js';
import { fileChangeJson, printAuthorFileChanges } from '../shared/file-changes.js';
import { outputFolder, type ConfigOptions } from '../shared/settings.js';
import type { AddItemOptions } from './options.js';

export { parseAddItemOptions } from './options.js';

/** `mcpgen add tool`, `add resource` and `add prompt`. Returns the exit code. */
export async function addCommand(kind: Addable, name: string, options: AddItemOptions): Promise<number> {
  refuseAdditionName(kind, name);
  const project = await loadAddProject(options);
  const list = `${kind}s`;
  const index = `src/${list}/index.ts`;
  const existing = readProjectFile(project, index);
  const connectionChanges = existing === undefined ? await planRegistryConnection(project, kind, index) : [];
  const indexText = existing ?? emptyList(kind, index);
  const stem = additionStem(name);
  showProgress(`adding ${name} ...`);
  const input = options.input === undefined ? undefined : await readToolInput(options.input, stem, project);
  const file = `src/${list}/${stem}.ts`;
  refuseCaseConflict(project, kind, name, file);
  const identifier =
    (await exportAlreadyInFile(project, kind, name, file, stem)) ?? additionIdentifier(kind, name, stem);
  const generated = relativeImportPath(path.join(project.folder, 'src', list), project.out);
  const uri = options.uri ?? `${uriScheme(stem)}://${stem}`;
  if (kind === 'resource') refuseAddress(uri, await addressesOfOtherResources(project, file));
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
  const registration = await registerInList(
    indexText,
    list,
    { name: identifier, from: `./${stem}` },
    project.extension,
  );
  if (registration.status === 'unknown') {
    throw new McpgenError(`${registration.reason}, so ${identifier} cannot be added to it; nothing was written`, {
      place: `${displayedPath(project, index)}:${registration.line}`,
      remedy: `Add it by hand: import { ${identifier} } from "./${stem}${project.extension}", and add ${identifier} to the list \`${list}\`.`,
    });
  }
  const newFiles = [
    { path: file, contents: await formatProjectFile(additionHandlerFile(addition), file), belongsToUser: true },
    ...(existsSync(path.join(project.folder, 'test/support.ts'))
      ? [
          {
            path: `test/${list}/${stem}.test.ts`,
            contents: await formatProjectFile(additionTestFile(addition), 'x.test.ts'),
            belongsToUser: true,
          },
        ]
      : []),
    ...(input === undefined
      ? []
      : [{ path: `src/tools/${stem}.input.json`, contents: input.text, belongsToUser: true }]),
  ];
  const generatedTools = input === undefined ? undefined : await planGeneratedTools(project, input.tools);
  const warnings: Diagnostic[] = [
    ...(input === undefined ? [] : keptFileWarnings(project, options.input ?? '', file, input)),
    ...(generatedTools?.warnings ?? []).filter(({ place }) => place.startsWith(`src/tools/${stem}.input.json#`)),
  ];
  const changes: FileChange[] = [
    ...planChanges(project.folder, newFiles),
    ...(registration.status === 'added'
      ? [await planAddition(index, existing, registration.text)]
      : [{ path: index, status: 'kept' as const, expected: indexText, actual: indexText }]),
    ...connectionChanges,
    ...(generatedTools?.changes ?? []),
  ];
  if (!options.dryRun) writeChanges(project.folder, changes);
  showProgress('');
  reportAddition({
    addition,
    changes,
    isDryRun: options.dryRun,
    isJson: options.json,
    isRegistered: registration.status === 'added',
    notes: new Map([
      [index, `${identifier} is in the list`],
      [SERVER_FILE, `the server has ${list}`],
      [CONVERSATION_TEST, `the server has ${list}`],
    ]),
    warnings,
    project,
  });
  return 0;
}

/** Where the project creates its server, and the test of its first messages. */
const SERVER_FILE = 'src/server.ts';
const CONVERSATION_TEST = 'test/conversation.test.ts';

/** A project that `mcpgen init` wrote. */
interface AddProject {
  readonly folder: string;
  readonly config: ConfigFile;
  /** Absolute path of the generated code. */
  readonly out: string;
  readonly extension: string;
}

async function loadAddProject(options: ConfigOptions): Promise<AddProject> {
  const config = await readConfig(process.cwd(), options.config);
  if (config === undefined) {
    throw new McpgenError('this is not a server project: no mcpgen config in this folder or above', {
      place: process.cwd(),
      remedy: 'Create one with `mcpgen init server NAME`.',
    });
  }
  const { emit, importExtension = 'js' } = config.config;
  if (emit?.includes('registry') !== true) {
    throw new McpgenError('the generated code has no registry, which lists of tools, resources and prompts need', {
      place: config.placeOf('emit'),
      remedy: 'Add "registry" to it, as in "emit": ["default", "registry"], and run `mcpgen generate`.',
    });
  }
  const extensions: Readonly<Record<ImportExtension, string>> = { js: '.js', ts: '.ts', none: '' };
  return { folder: config.folder, config, out: outputFolder(config, options), extension: extensions[importExtension] };
}

/** Names are what the specification allows for tools (MCP 2025-11-25, server features, tools, tool names). */
function refuseAdditionName(kind: Addable, name: string): void {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name) && /[A-Za-z0-9]/.test(name)) return;
  throw new McpgenError(`${JSON.stringify(name).slice(0, 150)} is not a valid name for a ${kind}`, {
    place: 'NAME',
    remedy: 'Use letters, digits, hyphens, underscores and dots, at most 128.',
  });
}

/** The text of a file of the project; undefined if it does not exist. */
function readProjectFile(project: AddProject, file: string): string | undefined {
  return readTextIfExists(path.join(project.folder, file));
}

/** The path of a project file, relative to the current folder. */
function displayedPath(project: AddProject, file: string): string {
  return path.relative(process.cwd(), path.join(project.folder, file));
}

async function planAddition(file: string, actual: string | undefined, expected: string): Promise<FileChange> {
  return fileEdit(file, actual === undefined ? await formatProjectFile(expected, file) : expected, actual);
}

/** An empty list, as the template has it. */
function emptyList(kind: Addable, index: string): string {
  const start = /^\/\*\*[^]*? = \[/m.exec(readTemplate('server', ...index.split('/')))?.[0];
  if (start === undefined) throw new Error(`the template has no list of ${kind}s`);
  return `${start}];\n`;
}

/**
 * The changes that connect a new list to the server.
 *
 * @throws {@link McpgenError} if the server's code has an unsupported form; the hint has the lines to add by hand.
 */
async function planRegistryConnection(
  project: AddProject,
  kind: Addable,
  index: string,
): Promise<readonly FileChange[]> {
  const list = `${kind}s`;
  const text = readProjectFile(project, SERVER_FILE);
  if (text === undefined && /\bcreateClient\b/.test(readProjectFile(project, 'src/protocol.ts') ?? '')) {
    throw new McpgenError(`this is a client project; only servers have ${list}`, {
      place: project.folder,
      remedy: '`mcpgen init server NAME` writes a server project.',
    });
  }
  const generatedFolder = relativeImportPath(path.join(project.folder, 'src'), project.out);
  const registry = `${generatedFolder}/runtime/registry`;
  const connection = await connectListToServer(text ?? '', { kind, registry, extension: project.extension });
  if (connection.status === 'unknown') {
    const reason = text === undefined ? 'there is no such file' : connection.reason;
    throw new McpgenError(`${reason}, so a list of ${list} cannot be connected to the server; nothing was written`, {
      place:
        text === undefined
          ? displayedPath(project, SERVER_FILE)
          : `${displayedPath(project, SERVER_FILE)}:${connection.line}`,
      remedy: [
        'Change it by hand:',
        ...connection.byHand.map((line) => `  ${line}`),
        `and in ${displayedPath(project, index)}:`,
        `  export const ${list} = [];`,
        'Then run this again.',
      ].join('\n'),
    });
  }
  const conversation = readProjectFile(project, CONVERSATION_TEST);
  const expecting = conversation === undefined ? undefined : await expectCapability(conversation, list);
  return [
    ...(connection.status === 'added' ? [await planAddition(SERVER_FILE, text, connection.text)] : []),
    ...(expecting === undefined ? [] : [await planAddition(CONVERSATION_TEST, conversation, expecting)]),
  ];
}

function additionStem(name: string): string {
  const stem = name.replaceAll('.', '-').replace(/^[-_]+|[-_]+$/g, '') || name;
  // `index` is the list; the others are devices on Windows, with any extension.
  return /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}-one` : stem;
}

/** URIs of the project's other resources. */
async function addressesOfOtherResources(project: AddProject, own: string): Promise<readonly UsedAddress[]> {
  const folder = path.join(project.folder, 'src/resources');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /\.[cm]?ts$/.test(name)) : [];
  const files = names.map((name) => `src/resources/${name}`).filter((name) => name !== own);
  const found = await Promise.all(
    files.map(async (name) => {
      const file = displayedPath(project, name);
      return (await findResourceAddresses(readProjectFile(project, name) ?? '')).map((uri) => ({ uri, file }));
    }),
  );
  return found.flat();
}

function uriScheme(stem: string): string {
  const scheme = stem.toLowerCase().replace(/[^a-z0-9-]/g, '-');
  return /^[a-z]/.test(scheme) ? scheme : `x-${scheme}`;
}

function additionIdentifier(kind: Addable, name: string, stem: string): string {
  const [tool] = nameTools([{ source: toolSourceFrom(name, stem, undefined), definitions: [], warnings: [] }]);
  const camel = tool?.camel ?? name;
  const capital = kind.charAt(0).toUpperCase() + kind.slice(1);
  return isReserved(camel) || camel === `${kind}s` ? `${camel}${capital}` : camel;
}

/** On case-insensitive file systems, names that differ only in case are one file. */
function refuseCaseConflict(project: AddProject, kind: Addable, name: string, file: string): void {
  const base = path.basename(file);
  const folder = path.join(project.folder, path.dirname(file));
  const entries = existsSync(folder) ? readdirSync(folder) : [];
  const conflict = entries.find((entry) => entry !== base && entry.toLowerCase() === base.toLowerCase());
  if (conflict === undefined) return;
  throw new McpgenError(`the file already has another ${kind}`, {
    place: displayedPath(project, path.posix.join(path.posix.dirname(file), conflict)),
    remedy: `Choose another name: ${name} would be written to the same file.`,
  });
}

/**
 * The identifier under which an existing file exports the tool, resource or prompt of a name.
 *
 * @throws {@link McpgenError} if it has none, or only one of another name.
 */
async function exportAlreadyInFile(
  project: AddProject,
  kind: Addable,
  name: string,
  file: string,
  stem: string,
): Promise<string | undefined> {
  const text = readProjectFile(project, file);
  if (text === undefined) return undefined;
  const found = await findDefineCall(text, additionIdentifier(kind, name, stem));
  const remedy = `It is kept. Have it export the ${kind}, as \`export const ${additionIdentifier(kind, name, stem)} = ...\`, or choose another name.`;
  if (found === undefined) {
    throw new McpgenError(`the file exists already, and exports no ${kind}`, {
      place: displayedPath(project, file),
      remedy,
    });
  }
  if (found.name !== undefined && found.name !== name) {
    throw new McpgenError(`the file exists already, with the ${kind} ${JSON.stringify(found.name)} in it`, {
      place: displayedPath(project, file),
      remedy: 'Choose another name.',
    });
  }
  return found.identifier;
}

/** Warns of existing files that are kept although `--input` names a schema for them. */
function keptFileWarnings(
  project: AddProject,
  given: string,
  toolFile: string,
  { camel, isKept }: ToolInput,
): readonly Diagnostic[] {
  const warnings: Diagnostic[] = [];
  if (isKept) {
    warnings.push({
      place: displayedPath(project, toolFile.replace(/\.ts$/, '.input.json')),
      message: `the file exists already and is kept; ${given} was not copied`,
      remedy: 'Edit the file, or delete it and run the command again.',
    });
  }
  const text = readProjectFile(project, toolFile);
  if (text !== undefined && !text.includes(`${camel}Input`)) {
    warnings.push({
      place: displayedPath(project, toolFile),
      message: `the file exists already and is kept; it does not use the schema of ${given}`,
      remedy: `Import \`${camel}Input\` there and add \`input: ${camel}Input\`, or delete the file and run the command again.`,
    });
  }
  return warnings;
}

interface ToolInput {
  /** The contents of the copied file. */
  readonly text: string;
  /** Whether the copy exists already with other contents, which are kept. */
  readonly isKept: boolean;
  /** All tools of the project, with this one. */
  readonly tools: readonly ToolSource[];
  readonly stem: string;
  readonly camel: string;
  readonly description: string | undefined;
  /** Arguments that the schema allows; undefined if none were found. */
  readonly example: JsonValue | undefined;
}

async function readToolInput(file: string, stem: string, project: AddProject): Promise<ToolInput> {
  const target = `src/tools/${stem}.input.json`;
  const patterns = project.config.config.tools;
  if (patterns === undefined) {
    throw new McpgenError('the config has no key "tools"', {
      place: project.config.placeOf(),
      remedy: 'Add "tools": ["src/tools/*.input.json"] to it.',
    });
  }
  // An existing file belongs to the author and is kept.
  const existing = path.join(project.folder, target);
  const given = readBytes(file);
  const bytes = existsSync(existing) ? readBytes(existing) : given;
  const schema = parseUntrustedJson(bytes, existsSync(existing) ? target : file);
  if (!isObject(schema) || ownMember(schema, 'type') !== 'object') {
    throw new McpgenError("the schema of a tool's arguments must have the type object", {
      place: file,
      remedy: 'Write { "type": "object", "properties": { ... } }.',
    });
  }
  const { tools: present } = await readToolFiles(patterns, project.folder);
  const tools = [...present.filter((tool) => tool.name !== stem), toolSourceFrom(stem, stem, schema)].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const named = nameTools(tools.map((tool) => parseTool(tool, NO_DOCS))).find(
    ({ model }) => model.source.name === stem,
  );
  if (named === undefined) throw new Error(`no names for ${stem}`);
  const root = named.model.definitions.find((definition) => definition.name === 'Input');
  const example = root === undefined ? undefined : exampleOf(named.model, root.type);
  const description = ownMember(schema, 'description');
  return {
    text: bytes.toString('utf8'),
    isKept: !bytes.equals(given),
    tools,
    stem: named.stem,
    camel: named.camel,
    description: typeof description === 'string' ? description : undefined,
    example: example !== undefined && (await validatesAgainst(schema, example)) ? example : undefined,
  };
}

function toolSourceFrom(name: string, stem: string, input: JsonValue | undefined): ToolSource {
  return {
    name,
    ...(input === undefined ? {} : { input }),
    places: { input: `src/tools/${stem}.input.json`, output: '' },
    isOwn: true,
  };
}

/** Time limit for validating an example, in milliseconds. */
const VALIDATION_TIMEOUT_MS = 2000;

/** Whether a schema allows a value, according to Ajv, which knows all keywords. */
async function validatesAgainst(schema: object, value: JsonValue): Promise<boolean> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { $schema: _dialect, ...rest } = schema as JsonObject;
  const validateScript = (): boolean =>
    new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(rest)(value);
  try {
    // A pattern may run forever; only here it can be interrupted.
    return runInNewContext('judge()', { judge: validateScript }, { timeout: VALIDATION_TIMEOUT_MS }) === true;
  } catch {
    return false;
  }
}

/** The generated types of all tools including the new one, as changes below the project's folder. */
async function planGeneratedTools(
  project: AddProject,
  tools: readonly ToolSource[],
): Promise<{ readonly changes: readonly FileChange[]; readonly warnings: readonly Warning[] }> {
  const { importExtension = 'js' } = project.config.config;
  const { files, warnings } = await renderTools(tools, project.out, { importExtension });
  const generatedFolder = toPosixPath(path.relative(project.folder, project.out));
  const changes = planChanges(project.out, files);
  return {
    changes: changes.map((change) => ({ ...change, path: `${generatedFolder}/${change.path}` })),
    warnings,
  };
}

function toPosixPath(file: string): string {
  return file.replaceAll(path.sep, '/');
}

interface AdditionReport {
  readonly addition: Addition;
  readonly changes: readonly FileChange[];
  readonly isDryRun: boolean;
  readonly isJson: boolean;
  readonly isRegistered: boolean;
  /** A note for each changed file, by path. */
  readonly notes: ReadonlyMap<string, string>;
  readonly warnings: readonly Diagnostic[];
  readonly project: AddProject;
}

function reportAddition(report: AdditionReport): void {
  const { addition, changes, isDryRun, isJson, isRegistered, notes, warnings, project } = report;
  if (isJson) {
    const files = changes
      .filter((change) => change.status !== 'unchanged')
      .map((change) => fileChangeJson(change, false));
    const { kind, name, identifier } = addition;
    printJson({
      kind,
      name,
      identifier,
      registered: isRegistered,
      dryRun: isDryRun,
      files,
      ...(warnings.length === 0 ? {} : { warnings: warnings.map(diagnosticJson) }),
    });
    return;
  }
  for (const warning of warnings) printWarning(warning);
  if (!printAuthorFileChanges(changes, isDryRun, notes, (file) => displayedPath(project, file))) {
    printLine(`${addition.kind} ${addition.name} exists already; nothing was changed`);
  }
}

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { diagnosticJson, McpgenError, type Diagnostic } from '../../errors.js';
import { nameTools } from '../../emit/tools/tools.js';
import { formatAuthorFile, formatEdited } from '../../output/format.js';
import { fileEdit, planChanges, type FileChange, type PlannedFile } from '../../output/plan.js';
import { writeChanges } from '../../output/write.js';
import { isReserved } from '../../print/names.js';
import { readTemplate } from '../../read/files.js';
import {
  IMPORTED_NAMES,
  additionHandlerFile,
  additionTestFile,
  type Addable,
  type Addition,
} from '../../scaffold/edit/addition.js';
import { connectListToServer } from '../../scaffold/edit/connect.js';
import { findResourceAddresses, refuseAddress, type UsedAddress } from '../../scaffold/edit/resource-address.js';
import { findDefineCall, registerInList } from '../../scaffold/edit/register.js';
import type { SchemaNotation } from '../../scaffold/project/selection.js';
import { showProgress, printLine, printJson, printWarning } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { fileChangeJson, printAuthorFileChanges } from '../shared/file-changes.js';
import { projectCommand, projectScript } from '../shared/project.js';
import {
  displayedPath,
  generatedFrom,
  loadRegistryProject,
  planGeneratedTools,
  readProjectFile,
  type RegistryProject,
} from '../shared/registry-project.js';
import type { AddItemOptions } from './options.js';
import {
  coversSchemas,
  readToolSchemas,
  schemaFile,
  SCHEMA_ROLES,
  toolSource,
  type ToolSchemas,
} from './tool-schemas.js';

export { parseAddItemOptions } from './options.js';

/** `mcpgen add tool`, `add resource` and `add prompt`. Returns the exit code. */
export async function addCommand(kind: Addable, name: string, options: AddItemOptions): Promise<number> {
  refuseAdditionName(kind, name);
  const project = await loadRegistryProject(options);
  const list = `${kind}s`;
  const index = `src/${list}/index.ts`;
  const existing = readProjectFile(project, index);
  const connectionChanges = existing === undefined ? await planRegistryConnection(project, kind, index) : [];
  const indexText = existing ?? emptyList(kind, index);
  const stem = additionStem(name);
  showProgress(`adding ${name} ...`);
  const file = `src/${list}/${stem}.ts`;
  refuseCaseConflict(project, kind, name, file);
  const generatedTool = kind === 'tool' ? await readSchemas(project, stem, file, options) : undefined;
  const identifier =
    (await exportAlreadyInFile(project, kind, name, file, stem)) ?? additionIdentifier(kind, name, stem);
  const generated = generatedFrom(project, `src/${list}`);
  const uri = options.uri ?? `${uriScheme(stem)}://${stem}`;
  if (kind === 'resource') refuseAddress(uri, await addressesOfOtherResources(project, file));
  const { input, output } = generatedTool?.schemas ?? {};
  const description = input?.description ?? output?.description;
  const addition: Addition = {
    kind,
    name,
    identifier,
    uri,
    generated,
    extension: project.extension,
    schemas: notationOf(project),
    ...(generatedTool === undefined ? {} : { module: `${generated}/tools/${generatedTool.stem}` }),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(description === undefined ? {} : { description }),
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
  const test = `test/${list}/${stem}.test.ts`;
  const newFiles = [
    await newFile(project, file, additionHandlerFile(addition)),
    ...(existsSync(path.join(project.folder, 'test/support.ts'))
      ? [await newFile(project, test, additionTestFile(addition))]
      : []),
    ...SCHEMA_ROLES.flatMap((role) => {
      const schema = generatedTool?.schemas[role];
      return schema === undefined
        ? []
        : [{ path: schemaFile(stem, role), contents: schema.text, belongsToUser: true as const }];
    }),
  ];
  const generatedTools =
    generatedTool === undefined ? undefined : await planGeneratedTools(project, generatedTool.tools);
  const warnings: Diagnostic[] = [
    ...(generatedTool === undefined ? [] : keptFileWarnings(project, options, stem, generatedTool)),
    ...(generatedTools?.warnings ?? []).filter(({ place }) =>
      SCHEMA_ROLES.some((role) => place.startsWith(`${schemaFile(stem, role)}#`)),
    ),
  ];
  const changes: FileChange[] = [
    ...planChanges(project.folder, newFiles),
    ...(registration.status === 'added'
      ? [await planEdit(project, index, existing, registration.text)]
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
    ]),
    warnings,
    project,
    next: nextSteps(project, newFiles, changes, options),
  });
  return 0;
}

/** What is left to do in the new files. */
function nextSteps(
  project: RegistryProject,
  newFiles: readonly PlannedFile[],
  changes: readonly FileChange[],
  options: AddItemOptions,
): readonly string[] {
  const written = newFiles
    .map((file) => file.path)
    .filter((file) => changes.some((change) => change.path === file && change.status === 'missing'));
  const shown = (suffix: string): string | undefined => {
    const file = written.find((name) => name.endsWith(suffix));
    return file === undefined ? undefined : escapeHiddenCharacters(displayedPath(project, file));
  };
  const test = shown('.test.ts');
  const schema = options.input === undefined ? shown('.input.json') : undefined;
  const handler = written.find((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const command = (script: string, otherwise: string): string => projectScript(project.folder, script) ?? otherwise;
  const generate = command('generate', projectCommand(project.folder, 'generate', {}));
  return [
    ...(schema === undefined ? [] : [`fill in the schema in ${schema}, and run ${generate}`]),
    ...(handler === undefined
      ? []
      : [`fill in the handler in ${escapeHiddenCharacters(displayedPath(project, handler))}`]),
    ...(test === undefined ? [] : [`extend the test in ${test}, and run ${command('test', 'it')}`]),
  ];
}

function notationOf({ config }: RegistryProject): SchemaNotation {
  return config.config.schemas ?? 'json';
}

/** The schemas of a tool: the given ones, and for a new tool of a project with JSON Schemas one to fill in. */
async function readSchemas(
  project: RegistryProject,
  stem: string,
  file: string,
  { input, output }: AddItemOptions,
): Promise<ToolSchemas | undefined> {
  const isNew = readProjectFile(project, file) === undefined;
  const getsEmptyInput =
    input === undefined && isNew && notationOf(project) === 'json' && (await coversSchemas(project, stem, 'input'));
  if (input === undefined && output === undefined && !getsEmptyInput) return undefined;
  return readToolSchemas(
    { ...(input !== undefined || getsEmptyInput ? { input } : {}), ...(output === undefined ? {} : { output }) },
    stem,
    project,
  );
}

/** Where the project creates its server. */
const SERVER_FILE = 'src/server.ts';

/** Names are what the specification allows for tools (MCP 2025-11-25, server features, tools, tool names). */
function refuseAdditionName(kind: Addable, name: string): void {
  if (/^[A-Za-z0-9_.-]{1,128}$/.test(name) && /[A-Za-z0-9]/.test(name)) return;
  throw new McpgenError(`${JSON.stringify(name).slice(0, 150)} is not a valid name for a ${kind}`, {
    place: 'NAME',
    remedy: 'Use letters, digits, hyphens, underscores and dots, at most 128.',
  });
}

/** A file for the author, in the format of the project. */
async function newFile(project: RegistryProject, file: string, text: string): Promise<PlannedFile> {
  const contents = await formatAuthorFile(text, path.join(project.folder, file));
  return { path: file, contents, belongsToUser: true };
}

async function planEdit(
  project: RegistryProject,
  file: string,
  actual: string | undefined,
  expected: string,
): Promise<FileChange> {
  const target = path.join(project.folder, file);
  return fileEdit(
    file,
    await (actual === undefined ? formatAuthorFile(expected, target) : formatEdited(actual, expected, target)),
    actual,
  );
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
  project: RegistryProject,
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
  const registry = `${generatedFrom(project, 'src')}/runtime/registry`;
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
  return connection.status === 'added' ? [await planEdit(project, SERVER_FILE, text, connection.text)] : [];
}

function additionStem(name: string): string {
  const stem = name.replaceAll('.', '-').replace(/^[-_]+|[-_]+$/g, '') || name;
  // `index` is the list; the others are devices on Windows, with any extension.
  return /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}-one` : stem;
}

/** URIs of the project's other resources. */
async function addressesOfOtherResources(project: RegistryProject, own: string): Promise<readonly UsedAddress[]> {
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
  const [tool] = nameTools([{ source: toolSource(name, stem, {}), definitions: [], warnings: [] }]);
  const camel = tool?.camel ?? name;
  const capital = kind.charAt(0).toUpperCase() + kind.slice(1);
  return isReserved(camel) || IMPORTED_NAMES.has(camel) || camel === `${kind}s` ? `${camel}${capital}` : camel;
}

/** On case-insensitive file systems, names that differ only in case are one file. */
function refuseCaseConflict(project: RegistryProject, kind: Addable, name: string, file: string): void {
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
  project: RegistryProject,
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

/** Warns of existing files that are kept although an option names a schema for them. */
function keptFileWarnings(
  project: RegistryProject,
  options: AddItemOptions,
  stem: string,
  { schemas }: ToolSchemas,
): readonly Diagnostic[] {
  const toolFile = `src/tools/${stem}.ts`;
  const text = readProjectFile(project, toolFile);
  return SCHEMA_ROLES.flatMap((role): Diagnostic[] => {
    const given = options[role];
    const schema = schemas[role];
    if (given === undefined || schema === undefined) return [];
    const warnings: Diagnostic[] = [];
    if (schema.isKept) {
      warnings.push({
        place: displayedPath(project, schemaFile(stem, role)),
        message: `the file exists already and is kept; ${given} was not copied`,
        remedy: 'Edit the file, or delete it and run the command again.',
      });
    }
    const { identifier } = schema;
    if (text !== undefined && !text.includes(identifier)) {
      warnings.push({
        place: displayedPath(project, toolFile),
        message: `the file exists already and is kept; it does not use the schema of ${given}`,
        remedy: `Import \`${identifier}\` there and add \`${role}: ${identifier}\`, or delete the file and run the command again.`,
      });
    }
    return warnings;
  });
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
  readonly project: RegistryProject;
  readonly next: readonly string[];
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
  if (isDryRun || report.next.length === 0) return;
  printLine('\nNext:');
  for (const step of report.next) printLine(`  ${step}`);
}

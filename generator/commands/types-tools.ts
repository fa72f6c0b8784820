import path from 'node:path';
import { readMcpConfig, requireServer, targetOf, type McpConfig } from '../connect/mcp-config.js';
import { refuseConnectOptions, resolveTarget, type ConnectOptions, type ServerTarget } from '../connect/target.js';
import { FOLDER_ABOVE, formatCommand } from '../command-line.js';
import { diagnosticJson, McpgenError } from '../errors.js';
import { renderTools } from '../index.js';
import { refuseWarnings } from '../model/load.js';
import { isUpToDate, planChanges } from '../output/plan.js';
import { writeChanges } from '../output/write.js';
import type { ImportExtension, Target } from '../print/source-file.js';
import type { ConfigFile } from '../read/config/config.js';
import { requireRevision } from '../read/builtin/revisions.js';
import { readAdditionalSchemas } from '../read/schema/additional.js';
import { readToolFiles, readToolList, parseTools, type ToolSource } from '../read/tools.js';
import { showProgress, printLine, printJson, printWarning } from '../terminal.js';
import { escapeHiddenCharacters, shellQuote } from '../text.js';
import {
  fileChangeJson,
  outdatedCount,
  pluralize,
  printFiles,
  printOutdatedFiles,
  displayedFolder,
  countByStatus,
} from './shared/file-changes.js';
import { typesServers } from './types-servers.js';
import {
  refuseMcpConfigOptions,
  listServerTools,
  parseConnectOptions,
  parseMcpConfigOptions,
} from './shared/server-tools.js';
import {
  booleanOption,
  choiceOption,
  pathsOption,
  readInputFile,
  stringOption,
  type RawOptions,
} from './shared/options.js';
import {
  configuredByFile,
  DEFAULT_OUT,
  IMPORT_EXTENSIONS,
  TARGETS,
  parseConfigOptions,
  resolveSettings,
  type CommandLine,
  type ConfigOptions,
} from './shared/settings.js';

/** The options of `mcpgen types tools`. */
interface TypesToolsOptions extends ConfigOptions, ConnectOptions {
  readonly fromServer: string | undefined;
  /** The file of a host that configures servers. */
  readonly mcpConfig: string | undefined;
  /** The server of that file; all of them by default. */
  readonly server: string | undefined;
  /** Values of its inputs, by id. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Compares what the servers list with the saved lists. */
  readonly liveCheck: boolean;
  /** Writes clients of the servers too. */
  readonly clients: boolean;
  /** The file to save the list to. */
  readonly save: string | undefined;
  readonly out: string | undefined;
  readonly importExtension: ImportExtension | undefined;
  readonly target: Target | undefined;
  readonly tsNocheck: boolean;
  readonly check: boolean;
  readonly strict: boolean;
  readonly trustPatterns: boolean;
  readonly additionalSchemas: readonly string[] | undefined;
  readonly nullable: boolean;
  readonly json: boolean;
}

export function parseTypesToolsOptions(raw: RawOptions): TypesToolsOptions {
  return {
    ...parseConfigOptions(raw),
    ...parseConnectOptions(raw),
    fromServer: stringOption(raw, 'fromServer'),
    ...parseMcpConfigOptions(raw),
    liveCheck: booleanOption(raw, 'liveCheck'),
    clients: booleanOption(raw, 'clients'),
    save: stringOption(raw, 'save'),
    out: stringOption(raw, 'out'),
    target: choiceOption(raw, 'target', TARGETS),
    tsNocheck: booleanOption(raw, 'tsNocheck'),
    importExtension: choiceOption(raw, 'importExtension', IMPORT_EXTENSIONS),
    check: booleanOption(raw, 'check'),
    strict: booleanOption(raw, 'strict'),
    trustPatterns: booleanOption(raw, 'trustPatterns'),
    additionalSchemas: pathsOption(raw, 'additionalSchema'),
    nullable: booleanOption(raw, 'nullable'),
    json: booleanOption(raw, 'json'),
  };
}

/** `mcpgen types tools`: writes or checks types of tools. Returns the exit code. */
export async function typesToolsCommand(file: string | undefined, options: TypesToolsOptions): Promise<number> {
  const { save: savedFile } = options;
  refuseToolOptions(file, options);
  const commandLine: CommandLine = {
    ...configuredByFile(options),
    out: options.out,
    importExtension: options.importExtension,
    target: options.target,
    tsNocheck: options.tsNocheck,
    strict: options.strict,
    trustPatterns: options.trustPatterns,
    additionalSchemas: options.additionalSchemas,
    nullable: options.nullable,
  };
  const { options: settings, config } = await resolveSettings(commandLine);
  const {
    out = DEFAULT_OUT,
    importExtension = 'js',
    target = 'ts',
    tsNocheck,
    trustPatterns,
    additionalSchemas = [],
    nullable,
  } = settings;
  const documents = readAdditionalSchemas(additionalSchemas);
  const given = await findServer(options);
  if (given?.config !== undefined) {
    return typesServers(given.config, {
      ...options,
      out,
      importExtension,
      target,
      tsNocheck,
      strict: settings.strict,
      trustPatterns,
      nullable,
      documents,
      shown: { additionalSchema: additionalSchemas.map((name) => path.basename(name)) },
    });
  }
  const server = given?.target;
  const toolList = server === undefined ? readToolListFile(file ?? '') : await fetchToolList(server);
  const folder = path.resolve(out === '-' ? '.' : out);
  const isConfigured = out !== '-' && config !== undefined && folder === configuredToolFolder(config);
  const configured = isConfigured
    ? await readConfiguredWith(config, toolList, savedFile ?? (server === undefined ? file : undefined), options.check)
    : undefined;
  const tools = configured?.tools ?? toolList.tools;
  // Without --check, a list of the config must be replaced by name.
  const mustSave = configured !== undefined && server !== undefined && savedFile === undefined;
  const fix = mustSave
    ? `with --save ${shellQuote(path.relative(process.cwd(), configured.replaced))} instead of --check`
    : 'without --check';
  const command = formatCommand('types tools', {
    words: server === undefined ? [path.basename(file ?? '')] : [],
    options: {
      fromServer: server === undefined ? undefined : { placeholder: 'its command' },
      importExtension: importExtension === 'js' ? undefined : importExtension,
      target: target === 'ts' ? undefined : target,
      tsNocheck: tsNocheck ? true : undefined,
      trustPatterns: trustPatterns ? true : undefined,
      additionalSchema: additionalSchemas.map((name) => path.basename(name)),
      nullable: nullable ? true : undefined,
      out: FOLDER_ABOVE,
    },
  });
  showProgress('tools ...');
  const rendered = await renderTools(tools, folder, {
    importExtension,
    target,
    tsNocheck,
    trustPatterns,
    documents,
    nullable,
    ...(isConfigured ? {} : { command }),
  });
  showProgress('');
  if (settings.strict) refuseWarnings(rendered.warnings);
  if (out === '-') {
    const files = rendered.files.filter(
      (item) => item.path.startsWith('tools/') && !item.path.startsWith('tools/index.'),
    );
    printFiles(files, rendered.warnings, { withPaths: true });
    return 0;
  }
  const changes = planChanges(folder, rendered.files);
  const isCheck = options.check;
  const outdated = changes.filter((change) => !isUpToDate(change));
  if (isCheck) process.exitCode = outdated.length === 0 ? 0 : 1;
  else {
    writeChanges(folder, changes);
    if (savedFile !== undefined && server !== undefined) saveToolList(savedFile, toolList.contents);
  }
  if (options.json) {
    const summary = {
      out: folder,
      ...(isCheck ? { upToDate: outdated.length === 0 } : {}),
      tools: tools.map(({ name }) => name),
      files: changes.map((change) => fileChangeJson(change, isCheck)),
      warnings: rendered.warnings.map(diagnosticJson),
    };
    printJson(summary);
  } else {
    for (const warning of rendered.warnings) printWarning(warning);
    if (isCheck && outdated.length > 0) {
      printOutdatedFiles(outdated, out);
      printLine(
        `\n${outdatedCount(outdated.length, changes.length)}. To fix it, run the same command ${escapeHiddenCharacters(fix)}.`,
      );
    } else if (isCheck) printLine(`${pluralize(tools.length, 'tool')} in ${displayedFolder(out)}: all up to date`);
    else printLine(`${pluralize(tools.length, 'tool')} in ${displayedFolder(out)}: ${countByStatus(changes, false)}`);
  }
  return isCheck && outdated.length > 0 ? 1 : 0;
}

/** The server that the options name, or the file with several. */
async function findServer(
  options: TypesToolsOptions,
): Promise<
  { readonly target: ServerTarget; readonly config?: undefined } | { readonly config: McpConfig } | undefined
> {
  const { fromServer, mcpConfig, server } = options;
  if (fromServer !== undefined) return { target: resolveTarget(fromServer, options) };
  if (mcpConfig === undefined) return undefined;
  const config = await readMcpConfig(mcpConfig);
  if (server === undefined) return { config };
  return { target: targetOf(config, requireServer(config, server), options) };
}

function refuseToolOptions(file: string | undefined, options: TypesToolsOptions): void {
  const { fromServer, mcpConfig, revisions } = options;
  const server = fromServer ?? mcpConfig;
  const place = fromServer === undefined ? `--mcp-config ${mcpConfig ?? ''}` : `--from-server ${fromServer}`;
  if (fromServer !== undefined && mcpConfig !== undefined) {
    throw new McpgenError('--from-server and --mcp-config cannot be combined', { place, remedy: 'Use one of them.' });
  }
  refuseMcpConfigOptions(options);
  const isForAll = mcpConfig !== undefined && options.server === undefined;
  if (options.liveCheck && (!isForAll || options.check)) {
    throw new McpgenError('only applies to all servers of --mcp-config, without --check', {
      place: '--live-check',
      remedy: 'Omit it.',
    });
  }
  if (isForAll && options.login?.clientId !== undefined) {
    throw new McpgenError('a client is registered at one authorization server, and its secret must not reach others', {
      place: '--client-id',
      remedy: 'Choose one server with --server NAME.',
    });
  }
  if (options.clients && !isForAll) {
    throw new McpgenError('only applies to all servers of --mcp-config', { place: '--clients', remedy: 'Omit it.' });
  }
  if (file === undefined && server === undefined) {
    throw new McpgenError('a file or a server is required', {
      remedy: 'Pass a file with a `tools/list` response, or --from-server COMMAND.',
    });
  }
  if (file !== undefined && server !== undefined) {
    throw new McpgenError('a file and a server cannot be combined', {
      place,
      remedy: 'Use one of them.',
    });
  }
  for (const name of revisions ?? []) requireRevision(name);
  if (revisions !== undefined && server === undefined) {
    throw new McpgenError('only applies to --from-server', {
      place: '--revision',
      remedy: 'Omit it.',
    });
  }
  if (server === undefined) refuseConnectOptions(options, '--from-server');
  if (options.save !== undefined && server === undefined) {
    throw new McpgenError('only applies to --from-server and --mcp-config', { place: '--save', remedy: 'Omit it.' });
  }
  if (options.out !== '-') return;
  if (mcpConfig !== undefined && options.server === undefined) {
    throw new McpgenError('several servers need an output folder', {
      place: '--out -',
      remedy: 'Pass --out DIR, or choose one server with --server NAME.',
    });
  }
  for (const name of ['check', 'json', 'save'] as const) {
    if (options[name] === false || options[name] === undefined) continue;
    throw new McpgenError(`--${name} needs an output folder`, { place: '--out -', remedy: 'Pass --out DIR.' });
  }
}

interface ToolList {
  readonly tools: readonly ToolSource[];
  /** The list as JSON text. */
  readonly contents: string | Uint8Array;
}

/** The output folder of a config with tools; undefined if it has no tools. */
function configuredToolFolder({ config, folder }: ConfigFile): string | undefined {
  return config.tools === undefined ? undefined : path.resolve(folder, config.out ?? DEFAULT_OUT);
}

/**
 * All tools of a config, with a new list in place of one of its files, and that file: a folder has the tools of one
 * source, and `mcpgen generate` must write the same.
 *
 * @param file - The file that the list replaces. To check, it may be omitted if the config has only one.
 * @throws {@link McpgenError} if the config does not list the file.
 */
async function readConfiguredWith(
  config: ConfigFile,
  { contents }: Pick<ToolList, 'contents'>,
  file: string | undefined,
  isCheck: boolean,
): Promise<{ readonly tools: readonly ToolSource[]; readonly replaced: string }> {
  if (file === undefined && isCheck) {
    const { files } = await readToolFiles(config.config.tools ?? [], config.folder, process.cwd());
    const [only, ...others] = files;
    if (only !== undefined && others.length === 0) return readConfiguredWith(config, { contents }, only, isCheck);
  }
  if (file !== undefined && file !== '-') {
    const replacement = { file: path.resolve(file), contents };
    const found = await readToolFiles(config.config.tools ?? [], config.folder, process.cwd(), replacement);
    if (found.files.includes(replacement.file)) return { tools: found.tools, replaced: replacement.file };
  }
  throw new McpgenError('the config lists other tools for this output folder', {
    place: config.placeOf('tools'),
    remedy:
      file === undefined
        ? 'Save the list to a file of the config with --save FILE, or choose another folder with --out DIR.'
        : 'Add the file there, or choose another folder with --out DIR.',
  });
}

function readToolListFile(file: string): ToolList {
  const { name, contents } = readInputFile(file, 'FILE');
  return { tools: readToolList(contents, name), contents };
}

async function fetchToolList(server: ServerTarget): Promise<ToolList> {
  const tools = await listServerTools(server);
  return {
    tools: parseTools(tools, 'list of the server'),
    contents: `${JSON.stringify({ tools }, undefined, 2)}\n`,
  };
}

function saveToolList(file: string, contents: string | Uint8Array): void {
  const target = path.resolve(file);
  writeChanges(path.dirname(target), [
    { path: path.basename(target), status: 'stale', expected: String(contents), actual: undefined },
  ]);
}

/** Reads the files in which hosts configure their servers. */
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { McpgenError } from '../errors.js';
import { readTextFile } from '../read/files.js';
import { isUrl } from '../read/fetch.js';
import { withoutComments } from '../read/json/comments.js';
import {
  formatPointer,
  isObject,
  ownMember,
  parseUntrustedJson,
  type JsonObject,
  type JsonValue,
} from '../read/json/json.js';
import { closestMatch } from '../text.js';
import { isSecretName, Secrets } from './secrets.js';
import {
  checkedHeader,
  httpTarget,
  isSecretVariable,
  readEnvFile,
  type Header,
  type LoginOptions,
  type ServerTarget,
} from './target.js';

/** The hosts whose files are read. */
export type HostName =
  'Claude Desktop' | 'Claude Code' | 'VS Code' | 'Cursor' | 'Windsurf' | 'Zed' | 'Codex' | 'another host';

/** How a host writes references to variables in values. */
interface HostForm {
  /** The member that contains the servers. */
  readonly member: 'mcpServers' | 'servers' | 'context_servers' | 'mcp_servers';
  /** `shell`: `${NAME}` and `${NAME:-default}`; `editor`: `${env:NAME}`, `${workspaceFolder}`, `${userHome}`. */
  readonly syntax: readonly ('shell' | 'editor' | 'inputs')[];
}

const HOSTS: Readonly<Record<HostName, HostForm>> = {
  'Claude Desktop': { member: 'mcpServers', syntax: [] },
  'Claude Code': { member: 'mcpServers', syntax: ['shell'] },
  'VS Code': { member: 'servers', syntax: ['editor', 'inputs'] },
  Cursor: { member: 'mcpServers', syntax: ['editor'] },
  Windsurf: { member: 'mcpServers', syntax: ['editor'] },
  Zed: { member: 'context_servers', syntax: [] },
  Codex: { member: 'mcp_servers', syntax: [] },
  'another host': { member: 'mcpServers', syntax: ['shell', 'editor'] },
};

/** A server of a file. */
export interface ConfiguredServer {
  readonly name: string;
  /** The file and a pointer. */
  readonly place: string;
  /** Whether the host would not start it. */
  readonly isDisabled: boolean;
  readonly settings: JsonObject;
}

/** The servers of a file. */
export interface McpConfig {
  readonly file: string;
  readonly host: HostName;
  readonly servers: readonly ConfiguredServer[];
  /** Folder of the project that the file belongs to. */
  readonly workspace: string;
  /** Values of `${input:id}` by id: undefined without a default. */
  readonly inputs: ReadonlyMap<string, string | undefined>;
}

/**
 * Reads a configuration file of Claude Desktop, Claude Code, VS Code, Cursor, Windsurf, Zed or Codex. Members that it
 * does not know are ignored.
 *
 * @throws {@link McpgenError} if it cannot be read, or has no servers.
 */
export async function readMcpConfig(file: string): Promise<McpConfig> {
  const text = readTextFile(file);
  const root =
    path.extname(file) === '.toml' ? await parseToml(text, file) : parseUntrustedJson(withoutComments(text), file);
  if (!isObject(root)) throw new McpgenError('must be an object', { place: file, remedy: FORMS });
  // VS Code's settings and older dev containers have the object one level deeper.
  const nested = ownMember(root, 'mcp');
  const isNested = isObject(nested) && isObject(ownMember(nested, 'servers'));
  const [holder, prefix] = isNested ? [nested, ['mcp']] : [root, []];
  const host = hostOf(file, holder);
  if (host === undefined) {
    throw new McpgenError('the file has no servers', { place: file, remedy: FORMS });
  }
  const { member } = HOSTS[host];
  const list = ownMember(holder, member);
  const place = (...keys: readonly (string | number)[]): string => `${file}#${formatPointer(...prefix, ...keys)}`;
  if (!isObject(list)) {
    throw new McpgenError('must be an object with the servers by name', { place: place(member), remedy: FORMS });
  }
  const servers = Object.entries(list).map(([name, settings]): ConfiguredServer => {
    const at = place(member, name);
    if (!isObject(settings)) throw new McpgenError('must be an object', { place: at, remedy: 'Fix it there.' });
    const isDisabled = ownMember(settings, 'disabled') === true || ownMember(settings, 'enabled') === false;
    return { name, place: at, isDisabled, settings };
  });
  return { file, host, servers, workspace: workspaceOf(file), inputs: inputsOf(holder, place) };
}

const FORMS =
  'Pass a file with the servers in "mcpServers" (Claude, Cursor, Windsurf), "servers" (VS Code), "context_servers" (Zed) or [mcp_servers] (Codex).';

function hostOf(file: string, root: JsonObject): HostName | undefined {
  if (Object.hasOwn(root, 'context_servers')) return 'Zed';
  if (Object.hasOwn(root, 'mcp_servers')) return 'Codex';
  const servers = ownMember(root, 'mcpServers');
  if (servers === undefined) return Object.hasOwn(root, 'servers') ? 'VS Code' : undefined;
  const base = path.basename(file);
  if (base === 'claude_desktop_config.json') return 'Claude Desktop';
  if (base === '.mcp.json' || base === '.claude.json') return 'Claude Code';
  if (path.basename(path.dirname(path.resolve(file))) === '.cursor') return 'Cursor';
  const hasServerUrl =
    isObject(servers) && Object.values(servers).some((item) => isObject(item) && Object.hasOwn(item, 'serverUrl'));
  if (base === 'mcp_config.json' || hasServerUrl) return 'Windsurf';
  return 'another host';
}

/** The folder of a file, or the folder above it if it is in one of the folders of a host. */
function workspaceOf(file: string): string {
  const folder = path.dirname(path.resolve(file));
  return /^\.(?:vscode|cursor|zed|codex|claude)$/.test(path.basename(folder)) ? path.dirname(folder) : folder;
}

async function parseToml(text: string, file: string): Promise<JsonValue> {
  // Imported on demand.
  const { parse, TomlError } = await import('smol-toml');
  try {
    // Dates become texts.
    return JSON.parse(JSON.stringify(parse(text))) as JsonValue;
  } catch (error) {
    const isFault = error instanceof TomlError;
    // The message goes on with the lines of the file, which may contain secrets.
    const reason = isFault ? (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '') : 'unknown';
    throw new McpgenError(`not valid TOML: ${reason}`, {
      place: isFault ? `${file}:${error.line}:${error.column}` : file,
      remedy: 'Fix the error there, or check that this is the right file.',
    });
  }
}

function inputsOf(
  root: JsonObject,
  place: (...keys: readonly (string | number)[]) => string,
): ReadonlyMap<string, string | undefined> {
  const list = ownMember(root, 'inputs') ?? [];
  if (!Array.isArray(list))
    throw new McpgenError('must be a list', { place: place('inputs'), remedy: 'Fix it there.' });
  const inputs = new Map<string, string | undefined>();
  for (const [index, item] of (list as readonly JsonValue[]).entries()) {
    const id = isObject(item) ? ownMember(item, 'id') : undefined;
    if (!isObject(item) || typeof id !== 'string') {
      throw new McpgenError('must be an object with an "id"', {
        place: place('inputs', index),
        remedy: 'Fix it there.',
      });
    }
    const fallback = ownMember(item, 'default');
    inputs.set(id, typeof fallback === 'string' ? fallback : undefined);
  }
  return inputs;
}

/** @throws {@link McpgenError} if the file has no such server. */
export function requireServer({ file, servers }: McpConfig, name: string): ConfiguredServer {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const names = servers.map((server) => server.name);
  const near = closestMatch(name, names);
  throw new McpgenError(`the file has no server ${JSON.stringify(name)}`, {
    place: file,
    remedy:
      names.length === 0
        ? 'It has no servers: add one there.'
        : near === undefined
          ? `There are ${names.join(', ')}.`
          : `Did you mean ${JSON.stringify(near)}?`,
  });
}

/** How to connect to the servers of a file. */
export interface ConfiguredOptions {
  readonly timeoutSeconds: number;
  readonly revisions: readonly string[] | undefined;
  /** A file with certificate authorities. */
  readonly ca: string | undefined;
  /** How to log in to servers over HTTP that configure no credentials. */
  readonly login: LoginOptions | undefined;
  /** Values for `${input:id}`, by id. */
  readonly inputs: ReadonlyMap<string, string>;
}

/**
 * The server that a file describes, with its variables expanded as the host does.
 *
 * @throws {@link McpgenError} if a member is wrong, or a variable is not set.
 */
export function targetOf(config: McpConfig, server: ConfiguredServer, options: ConfiguredOptions): ServerTarget {
  const secrets = new Secrets();
  const reader = new SettingsReader(config, server, options.inputs, secrets);
  const { timeoutSeconds, revisions } = options;
  const general = { place: server.place, secrets, timeoutMs: timeoutSeconds * 1000, revisions };
  const url = URL_MEMBERS.map((name) => reader.text(name)).find((text) => text !== undefined);
  if (url !== undefined) {
    if (!isUrl(url) || !URL.canParse(url)) {
      throw new McpgenError('not a valid URL', { place: server.place, remedy: 'It begins with http:// or https://.' });
    }
    const headers = reader.headers();
    const { username, password } = new URL(url);
    const hasCredentials = username + password !== '' || headers.some(({ name }) => name === 'authorization');
    const { ca, login } = options;
    const how = { ca, login: hasCredentials ? undefined : login };
    return { kind: 'http', ...httpTarget(url, headers, how, server.place, secrets), ...general };
  }
  const program = reader.program();
  const workspace = ['Claude Desktop', 'Windsurf'].includes(config.host) ? undefined : config.workspace;
  const cwd = reader.text('cwd');
  return {
    kind: 'stdio',
    ...program,
    cwd: cwd === undefined ? workspace : path.resolve(config.workspace, cwd.replace(/^~(?=[\\/]|$)/, homedir())),
    ...general,
  };
}

/** The members with the address of a server, in the order of precedence. */
const URL_MEMBERS = ['url', 'serverUrl', 'httpUrl'];

/** Whether a server is reached at a URL; otherwise it is a program. Expands no variables. */
export function isHttpServer({ settings }: ConfiguredServer): boolean {
  return URL_MEMBERS.some((name) => typeof ownMember(settings, name) === 'string');
}

/** Reads the members of a server. */
class SettingsReader {
  readonly #config: McpConfig;
  readonly #server: ConfiguredServer;
  readonly #inputs: ReadonlyMap<string, string>;
  readonly #secrets: Secrets;

  constructor(config: McpConfig, server: ConfiguredServer, inputs: ReadonlyMap<string, string>, secrets: Secrets) {
    this.#config = config;
    this.#server = server;
    this.#inputs = inputs;
    this.#secrets = secrets;
  }

  text(name: string): string | undefined {
    const value = ownMember(this.#server.settings, name);
    return value === undefined || value === null ? undefined : this.#expand(value, [name]).text;
  }

  /** The program with its arguments and its variables. */
  program(): { readonly command: string; readonly args: readonly string[]; readonly env: Record<string, string> } {
    let { settings } = this.#server;
    let keys: readonly string[] = [];
    const nested = ownMember(settings, 'command');
    // The form of Zed before 2025: the program, its arguments and its variables are in one object.
    if (isObject(nested)) {
      settings = { ...nested, command: ownMember(nested, 'path') ?? null };
      keys = ['command'];
    }
    const command = ownMember(settings, 'command');
    if (command === undefined || command === null) {
      throw new McpgenError('has no program and no URL', {
        place: this.#server.place,
        remedy: 'Add "command" or "url". A server that an extension of the host provides cannot be started without it.',
      });
    }
    const args = ownMember(settings, 'args') ?? [];
    if (!Array.isArray(args)) throw this.#error([...keys, 'args'], 'must be a list of strings');
    const env: Record<string, string> = {};
    const envFile = this.text('envFile');
    if (envFile !== undefined) {
      const file = path.resolve(this.#config.workspace, envFile);
      Object.assign(env, readEnvFile(file, `${this.#server.place}/envFile`, this.#secrets));
    }
    for (const [name, value, isExpanded] of this.#strings(settings, 'env', keys)) {
      this.#secrets.add(value, isExpanded || isSecretVariable(name, value));
      env[name] = value;
    }
    return {
      command: this.#expand(command, [...keys, 'command']).text,
      args: (args as readonly JsonValue[]).map((item, index) => this.#expand(item, [...keys, 'args', index]).text),
      env,
    };
  }

  headers(): readonly Header[] {
    const { settings, place } = this.#server;
    const headers: Header[] = [];
    for (const member of ['headers', 'http_headers']) {
      for (const [name, value, isExpanded] of this.#strings(settings, member)) {
        headers.push(this.#header(name, value, `${place}/${member}`, isExpanded || isSecretName(name)));
      }
    }
    for (const [name, variable] of this.#strings(settings, 'env_http_headers')) {
      const at = `${place}/env_http_headers`;
      headers.push(this.#header(name, this.#variable(variable, at), at, true));
    }
    const bearer = this.text('bearer_token_env_var');
    if (bearer !== undefined) {
      const at = `${place}/bearer_token_env_var`;
      headers.push(this.#header('authorization', `Bearer ${this.#variable(bearer, at)}`, at, true));
    }
    return headers;
  }

  #header(name: string, value: string, member: string, isSecret: boolean): Header {
    this.#secrets.add(value, isSecret);
    return checkedHeader(name, value, `${member} ${name}`, isSecret);
  }

  /** The members of an object of strings; numbers and booleans are accepted as their text. */
  *#strings(
    settings: JsonObject,
    member: string,
    keys: readonly string[] = [],
  ): Generator<readonly [name: string, value: string, isExpanded: boolean]> {
    const value = ownMember(settings, member) ?? {};
    if (!isObject(value)) throw this.#error([...keys, member], 'must be an object of strings');
    for (const [name, item] of Object.entries(value)) {
      // VS Code leaves out a variable that is null.
      if (item === null) continue;
      const plain = typeof item === 'number' || typeof item === 'boolean' ? String(item) : item;
      const { text, isExpanded } = this.#expand(plain, [...keys, member, name]);
      yield [name, text, isExpanded];
    }
  }

  #expand(
    value: JsonValue,
    keys: readonly (string | number)[],
  ): { readonly text: string; readonly isExpanded: boolean } {
    if (typeof value !== 'string') throw this.#error(keys, 'must be a string');
    const { syntax } = HOSTS[this.#config.host];
    const place = this.#server.place + formatPointer(...keys);
    let isExpanded = false;
    const secret = (text: string): string => {
      this.#secrets.add(text, true);
      isExpanded = true;
      return text;
    };
    const text = value.replace(/\$\{([^{}]*)\}/g, (reference, inside: string) => {
      const [, kind = '', name = ''] = /^(env|input):(.*)$/.exec(inside) ?? [];
      if (kind === 'env' && syntax.includes('editor')) return secret(this.#variable(name, place, syntax));
      if (kind === 'input' && syntax.includes('inputs')) return secret(this.#input(name, place));
      if (syntax.includes('editor')) {
        const known = this.#predefined(inside);
        if (known !== undefined) return known;
      }
      const [, variable, fallback] = /^([A-Za-z_]\w*)(?::-([^]*))?$/.exec(inside) ?? [];
      if (variable === undefined || !syntax.includes('shell')) return reference;
      const found = process.env[variable] ?? '';
      if (fallback !== undefined && found === '') return fallback;
      return secret(this.#variable(variable, place, syntax));
    });
    return { text, isExpanded };
  }

  #predefined(name: string): string | undefined {
    const { workspace } = this.#config;
    const values: Readonly<Record<string, string>> = {
      workspaceFolder: workspace,
      workspaceFolderBasename: path.basename(workspace),
      userHome: homedir(),
      pathSeparator: path.sep,
      '/': path.sep,
      cwd: process.cwd(),
    };
    return Object.hasOwn(values, name) ? values[name] : undefined;
  }

  #variable(name: string, place: string, syntax: HostForm['syntax'] = []): string {
    const value = process.env[name];
    if (value !== undefined) return value;
    const shown = /^\w{1,100}$/.test(name) ? name : JSON.stringify(name.slice(0, 100));
    throw new McpgenError(`the environment variable ${shown} is not set`, {
      place,
      remedy: `Set it${syntax.includes('shell') ? `, or write \${${shown}:-DEFAULT}` : ''}.`,
    });
  }

  #input(id: string, place: string): string {
    const variable = `INPUT_${id.toUpperCase().replace(/\W/g, '_')}`;
    const value = this.#inputs.get(id) ?? process.env[variable] ?? this.#config.inputs.get(id);
    if (value !== undefined) return value;
    throw new McpgenError(`the input ${JSON.stringify(id)} has no value`, {
      place,
      remedy: `Set the environment variable ${variable}, or pass --input ${id}=VALUE.`,
    });
  }

  #error(keys: readonly (string | number)[], message: string): McpgenError {
    return new McpgenError(message, { place: this.#server.place + formatPointer(...keys), remedy: 'Fix it there.' });
  }
}

/** Names that Windows or mcpgen reserve. */
const RESERVED_FOLDERS = /^(?:con|prn|aux|nul|com\d|lpt\d|runtime|tools|index|clients|node-modules|\d{4}-\d{2}-\d{2})$/;

/** Most characters of a folder. */
const MAX_FOLDER_LENGTH = 60;

/** A folder for each name: lower-case letters, digits and hyphens, all different. */
export function folderNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const words = name
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? ['server'];
    const joined = words.join('-').slice(0, MAX_FOLDER_LENGTH);
    const base = RESERVED_FOLDERS.test(joined) ? `${joined}-server` : joined;
    let folder = base;
    for (let count = 2; taken.has(folder); count += 1) folder = `${base}-${count}`;
    taken.add(folder);
    return folder;
  });
}

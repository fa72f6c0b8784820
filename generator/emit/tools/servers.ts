/** The files over the tools of several servers: an index, and clients that connect to them. */
import { revisionIdentifier } from '../../model/naming.js';
import { isReserved } from '../../print/names.js';
import { fileExtension, type ImportExtension } from '../../print/source-file.js';

/** A server whose tools are generated. */
export interface GeneratedServer {
  /** Its name in the config. */
  readonly name: string;
  /** The folder of its tools. */
  readonly folder: string;
  /** Whether it is reached at a URL; otherwise it is a program. */
  readonly isHttp: boolean;
  /** Whether it has tools, and so methods for them. */
  readonly hasTools: boolean;
}

/** `index.ts`: an export for each server, and the clients if there are any. */
export function printServerIndex(
  servers: readonly GeneratedServer[],
  importExtension: ImportExtension,
  hasClients: boolean,
): readonly string[] {
  const names = exportNames(servers);
  const extension = fileExtension(importExtension);
  return [
    [
      ...servers.map(({ folder }, index) => `export * as ${names[index] ?? ''} from "./${folder}/index${extension}";`),
      ...(hasClients ? [`export * from "./clients${extension}";`] : []),
    ].join('\n'),
  ];
}

/**
 * `clients.ts`: `createClients`, typed by the names of the servers.
 *
 * @param servers - At least one.
 * @param revisions - Supported revisions; the newest is the last.
 */
export function printServerClients(
  servers: readonly GeneratedServer[],
  revisions: readonly string[],
  importExtension: ImportExtension,
): readonly string[] {
  const names = exportNames(servers);
  const newest = revisions.at(-1) ?? '';
  const from = (file: string): string => `from "${file}${fileExtension(importExtension)}"`;
  const hasHttp = servers.some(({ isHttp }) => isHttp);
  const hasStdio = servers.some(({ isHttp }) => !isHttp);
  const withTools = servers.map((server, index) => ({ ...server, identifier: names[index] ?? '' }));
  const imports = [
    `import { createClient } ${from(`./${newest}/client`)};`,
    `import type { Client, ClientOptions } ${from(`./${newest}/client`)};`,
    ...revisions.map((name) => `import { revision as ${revisionIdentifier(name)} } ${from(`./${name}/revision`)};`),
    `import type { CallToolResult } ${from(`./${newest}/types`)};`,
    ...withTools
      .filter(({ hasTools }) => hasTools)
      .map(({ identifier, folder }) => `import * as ${identifier} ${from(`./${folder}/index`)};`),
    `import { ServerClients } ${from('./runtime/clients')};`,
    `import type { ${['ClientsOptions', 'CustomServerConfig', ...(hasHttp ? ['HttpServerConfig'] : []), 'ServerConfig', ...(hasStdio ? ['StdioServerConfig'] : [])].join(', ')} } ${from('./runtime/clients')};`,
    ...(hasHttp ? [`import { httpClientTransport } ${from('./runtime/http-client')};`] : []),
    `import type { CallOptions } ${from('./runtime/jsonrpc/endpoint')};`,
    `import type { Transport } ${from('./runtime/jsonrpc/transport')};`,
    ...(hasStdio ? [`import { stdioClientTransport } ${from('./runtime/stdio-client')};`] : []),
  ];
  const config = withTools.map(
    ({ name, isHttp }) =>
      `readonly ${JSON.stringify(name)}?: ${isHttp ? 'Http' : 'Stdio'}ServerConfig | CustomServerConfig;`,
  );
  const tools = withTools.map(
    ({ name, identifier, hasTools }) =>
      `readonly ${JSON.stringify(name)}: ${hasTools ? `${identifier}.Tools<CallOptions, CallToolResult>` : 'object'};`,
  );
  const definitions = withTools.map(
    ({ name, identifier, isHttp, hasTools }) =>
      `${memberKey(name)}: { tools: ${hasTools ? `${identifier}.tools` : '() => ({})'}, connect: ${isHttp ? 'connectHttp' : 'connectStdio'} },`,
  );
  return [
    imports.join('\n'),
    `/** How to reach each server, by its name: as in the config that they were generated from, or by a transport. */
export type ServersConfig = {
${config.join('\n')}
};`,
    `/** The tools of each server as methods. */
export type ServersTools = {
${tools.join('\n')}
};`,
    `/** How to reach the servers, and the options of the client of each. */
export type ServersOptions = ClientsOptions<ServersConfig> & Omit<ClientOptions, "revisions">;`,
    `/**
 * Creates clients of all servers. Each connects when it is first used:
 *
 *     const clients = createClients({ config, info: { name: "my-agent", version: "1.0.0" } });
 *     const { tools } = await clients.listTools(); // of all servers, in the form that models need
 *     await clients.close();
 */
export function createClients({ config, variables, ...options }: ServersOptions): ServerClients<ServersTools, Client> {
  return new ServerClients<ServersTools, Client>({ config, variables }, servers, () => createClient({ ...options, revisions }));
}`,
    `const revisions = [${revisions.map(revisionIdentifier).join(', ')}];`,
    ...(hasHttp
      ? [
          `function connectHttp(config: ServerConfig): Transport | undefined {
  if (!("url" in config)) return undefined;
  const { url, headers, authProvider } = config;
  return httpClientTransport({ url, headers, authProvider });
}`,
        ]
      : []),
    ...(hasStdio
      ? [
          `function connectStdio(config: ServerConfig): Transport | undefined {
  if (!("command" in config)) return undefined;
  const { command, args = [], env = {}, cwd } = config;
  return stdioClientTransport({ command, args, env, ...(cwd === undefined ? {} : { cwd }) });
}`,
        ]
      : []),
    `const servers = {
${definitions.join('\n')}
};`,
  ];
}

/** A member's name in an object, where `"__proto__": value` would set the prototype. */
function memberKey(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}

/** An identifier for each server from its folder, in camel case. */
function exportNames(servers: readonly GeneratedServer[]): readonly string[] {
  const taken = new Set<string>(DECLARED);
  return servers.map(({ folder }) => {
    const camel = folder.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    const base = /^\d/.test(camel)
      ? `server${camel}`
      : isReserved(camel) || /^revision\d/.test(camel)
        ? `${camel}Server`
        : camel;
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
    taken.add(name);
    return name;
  });
}

/** Names that `clients.ts` declares or imports, and that a folder in camel case can have. */
const DECLARED = [
  'client',
  'config',
  'connectHttp',
  'connectStdio',
  'createClient',
  'createClients',
  'httpClientTransport',
  'options',
  'revisions',
  'servers',
  'stdioClientTransport',
];

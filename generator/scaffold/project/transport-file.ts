import type { RuntimeName, Selection, TransportName } from './selection.js';

/** How a client connects to a server: the import of its transport, and the code that creates one. */
interface TransportFactory {
  readonly from: string;
  readonly name: string;
  /** @param target - The command or the URL, as code. */
  readonly make: (target: string) => string;
  /** Over HTTP: the options of the transport that send `token`, as code. */
  readonly credentials?: string;
}

const TRANSPORT_FACTORIES: Readonly<Record<RuntimeName, Readonly<Record<TransportName, TransportFactory>>>> = {
  none: {
    stdio: {
      from: './generated/runtime/stdio-client.js',
      name: 'stdioClientTransport',
      make: (command) => `stdioClientTransport({ command: ${command}, args })`,
    },
    http: {
      from: './generated/runtime/http-client.js',
      name: 'httpClientTransport',
      make: (url) => `httpClientTransport({ url: ${url}, ...credentialsFor(${url}) })`,
      credentials: '{ authProvider: { token: () => token } }',
    },
  },
  sdk: sdkTransportFactories('@modelcontextprotocol/client/stdio', '@modelcontextprotocol/client'),
  'sdk-v1': sdkTransportFactories(
    '@modelcontextprotocol/sdk/client/stdio.js',
    '@modelcontextprotocol/sdk/client/streamableHttp.js',
  ),
};

/** The transports of both versions of the official SDK have the same names. */
function sdkTransportFactories(stdio: string, http: string): Readonly<Record<TransportName, TransportFactory>> {
  return {
    stdio: {
      from: stdio,
      name: 'StdioClientTransport',
      make: (command) => `new StdioClientTransport({ command: ${command}, args })`,
    },
    http: {
      from: http,
      name: 'StreamableHTTPClientTransport',
      make: (url) => `new StreamableHTTPClientTransport(new URL(${url}), credentialsFor(${url}))`,
      credentials: '{ requestInit: { headers: { Authorization: `Bearer ${token}` } } }',
    },
  };
}

/** A client's `src/transport.ts`: creates the transport for a URL or a program. */
export function transportFile({ runtime, transports }: Selection): string {
  const ways = TRANSPORT_FACTORIES[runtime];
  const imports = transports
    .map((name) => ways[name])
    .sort((a, b) => (a.from < b.from ? -1 : 1))
    .map(({ name, from }) => `import { ${name} } from "${from}";`);
  const type = 'import type { Transport } from "./generated/runtime/index.js";';
  const [text, body] =
    transports.length > 1
      ? [
          'a URL, or a program to run',
          `if (/^https?:/.test(first)) return ${ways.http.make('first')};\n  return ${ways.stdio.make('first')};`,
        ]
      : transports.includes('http')
        ? ['a URL', `return ${ways.http.make('url')};`]
        : ['a program to run', `return ${ways.stdio.make('command')};`];
  const word = transports.length > 1 ? 'first' : transports.includes('http') ? 'url' : 'command';
  const rest = transports.includes('stdio') ? ', ...args' : '';
  const doc = transports.includes('http')
    ? `/**
 * The transport to a server: ${text}.
 *
 * \`MCP_TOKEN\` is the bearer token of a server over HTTP that requires one.
 */`
    : `/** The transport to a server: ${text}. */`;
  return `${[...imports, type].join('\n')}

${doc}
export function transportTo([${word}${rest}]: readonly [string, ...string[]]): Transport {
  ${body}
}
${transports.includes('http') ? credentialsFunction(ways.http.credentials ?? '{}') : ''}`;
}

function credentialsFunction(options: string): string {
  return `
/** A URL with a user takes precedence, and nothing is sent unencrypted to another machine. */
function credentialsFor(url: string) {
  const token = process.env["MCP_TOKEN"];
  const { protocol, hostname, username } = new URL(url);
  const isSafe = protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (token === undefined || token === "" || username !== "" || !isSafe) return {};
  return ${options};
}
`;
}

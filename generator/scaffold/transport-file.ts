import type { Selection } from './selection.js';

/** How a client gets to a server: each way with its imports, and what makes a transport. */
const WAYS = {
  none: {
    stdio: {
      from: './generated/runtime/stdio-client.js',
      name: 'stdioClientTransport',
      make: (command: string) => `stdioClientTransport({ command: ${command}, args })`,
    },
    http: {
      from: './generated/runtime/http-client.js',
      name: 'httpClientTransport',
      make: (url: string) => `httpClientTransport({ url: ${url} })`,
    },
  },
  sdk: {
    stdio: {
      from: '@modelcontextprotocol/client/stdio',
      name: 'StdioClientTransport',
      make: (command: string) => `new StdioClientTransport({ command: ${command}, args })`,
    },
    http: {
      from: '@modelcontextprotocol/client',
      name: 'StreamableHTTPClientTransport',
      make: (url: string) => `new StreamableHTTPClientTransport(new URL(${url}))`,
    },
  },
} as const;

/** A client's `src/transport.ts`: the way to a server, be it a URL or a program. */
export function transportFile({ runtime, transports }: Selection): string {
  const ways = WAYS[runtime];
  const imports = (['http', 'stdio'] as const)
    .filter((name) => transports.includes(name))
    .map((name) => `import { ${ways[name].name} } from "${ways[name].from}";`);
  const type = 'import type { Transport } from "./generated/runtime/transport.js";';
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
  return `${[...imports, type].join('\n')}

/** The way to a server: ${text}. */
export function transportTo([${word}${rest}]: readonly [string, ...string[]]): Transport {
  ${body}
}
`;
}

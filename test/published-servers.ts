/** Servers from npm, with which comparisons are run by hand. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';

const INSTALL_TIMEOUT_MS = 240_000;

/** A server: its package, and what it needs to start without an account. */
export interface Server {
  readonly package: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The servers by name. Credentials are dummies. */
export const SERVERS: Readonly<Record<string, Server>> = {
  filesystem: { package: '@modelcontextprotocol/server-filesystem', args: ['.'] },
  memory: { package: '@modelcontextprotocol/server-memory' },
  everything: { package: '@modelcontextprotocol/server-everything' },
  'sequential-thinking': { package: '@modelcontextprotocol/server-sequential-thinking' },
  playwright: { package: '@playwright/mcp' },
  notion: { package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: 'ntn_dummy' } },
  'chrome-devtools': { package: 'chrome-devtools-mcp', args: ['--no-usage-statistics'] },
  firecrawl: { package: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: 'fc-dummy' } },
  tavily: { package: 'tavily-mcp', env: { TAVILY_API_KEY: 'tvly-dummy' } },
  kubernetes: { package: 'mcp-server-kubernetes' },
  sentry: { package: '@sentry/mcp-server', args: ['--access-token=dummy', '--host=sentry.invalid', '--sentry-dsn='] },
  shopify: { package: '@shopify/dev-mcp', env: { OPT_OUT_INSTRUMENTATION: 'true' } },
  stripe: { package: '@stripe/mcp', args: ['--tools=all', '--api-key=rk_test_dummy'] },
  figma: { package: 'figma-developer-mcp', args: ['--stdio', '--figma-api-key=dummy'] },
  github: { package: '@modelcontextprotocol/server-github', env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'dummy' } },
  gitlab: { package: '@modelcontextprotocol/server-gitlab', env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'dummy' } },
  slack: {
    package: '@modelcontextprotocol/server-slack',
    env: { SLACK_BOT_TOKEN: 'xoxb-dummy', SLACK_TEAM_ID: 'T00000000' },
  },
  exa: { package: 'exa-mcp-server', env: { EXA_API_KEY: 'dummy' } },
  hubspot: { package: '@hubspot/mcp-server', env: { PRIVATE_APP_ACCESS_TOKEN: 'pat-dummy' } },
  circleci: { package: '@circleci/mcp-server-circleci', env: { CIRCLECI_TOKEN: 'dummy' } },
  eslint: { package: '@eslint/mcp' },
  'next-devtools': { package: 'next-devtools-mcp', env: { NEXT_TELEMETRY_DISABLED: '1' } },
  mongodb: {
    package: 'mongodb-mcp-server',
    env: { MDB_MCP_CONNECTION_STRING: 'mongodb://127.0.0.1:1', MDB_MCP_TELEMETRY: 'disabled' },
  },
  elasticsearch: {
    package: '@elastic/mcp-server-elasticsearch',
    env: { ES_URL: 'http://127.0.0.1:1', ES_API_KEY: 'dummy', OTEL_SDK_DISABLED: 'true' },
  },
  context7: { package: '@upstash/context7-mcp' },
};

const INSTALL_FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--legacy-peer-deps'];

/** The program of a package that is installed in a folder, and its version. */
export function programOf(folder: string, name: string): { readonly version: string; readonly file: string } {
  const home = path.join(folder, 'node_modules', name);
  const manifest = JSON.parse(readFileSync(path.join(home, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly bin: string | Readonly<Record<string, string>>;
  };
  const bin = typeof manifest.bin === 'string' ? manifest.bin : Object.values(manifest.bin)[0];
  return { version: manifest.version, file: path.join(home, bin ?? '') };
}

/** Installs a package into a folder without running install scripts. */
export function installServer(folder: string, name: string): void {
  const quiet = { cwd: folder, timeout: INSTALL_TIMEOUT_MS, stdio: 'ignore' } as const;
  // By its tag, since npm otherwise chooses a version for the Node that runs npm.
  execFileSync('npm', ['install', ...INSTALL_FLAGS, `${name}@latest`], quiet);
}

/** A server that is installed, and how it starts, with nothing of the user's environment but the path. */
export interface Installed {
  readonly folder: string;
  readonly version: string;
  /** The program and its arguments; the program is for Node 22. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Installs a server while something is done with it.
 *
 * @param keep - A folder in which servers stay installed, and are found the next time; by default nothing stays.
 */
export async function withInstalled<T>(
  name: string,
  { package: packageName, args = [], env = {} }: Server,
  keep: string | undefined,
  action: (installed: Installed) => Promise<T>,
): Promise<T> {
  const folder = keep === undefined ? mkdtempSync(path.join(os.tmpdir(), 'mcpgen-server-')) : path.join(keep, name);
  try {
    if (!existsSync(path.join(folder, 'node_modules', packageName))) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
      installServer(folder, packageName);
    }
    const { version, file } = programOf(folder, packageName);
    const own = { PATH: process.env['PATH'] ?? '', HOME: folder, DO_NOT_TRACK: '1', CI: '1', ...env };
    return await action({ folder, version, args: [file, ...args], env: own });
  } finally {
    // A process that the server started may still be writing.
    if (keep === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
}

import { checkbox, input, select } from '@inquirer/prompts';
import {
  FEATURES,
  PACKAGE_MANAGERS,
  RUNTIME_NAMES,
  STORE_NAMES,
  TRANSPORT_NAMES,
  type PackageManager,
  type ProjectKind,
  type RuntimeName,
  type StoreName,
  type TransportName,
} from '../../scaffold/project/selection.js';

/** Prompts go to standard error: standard output has only the result. */
const promptContext = { output: process.stderr };

/** @param validate - Returns what is wrong with a name; undefined if it is valid. */
export async function askName(kind: ProjectKind, validate: (name: string) => string | undefined): Promise<string> {
  return input(
    { message: 'Name of the package', default: `my-mcp-${kind}`, validate: (name) => validate(name) ?? true },
    promptContext,
  );
}

export async function askRevisions(released: readonly string[]): Promise<readonly string[]> {
  return checkbox(
    {
      message: 'Revisions of the protocol',
      choices: [...released].reverse().map((value) => ({ value, checked: true })),
      required: true,
    },
    promptContext,
  );
}

export async function askFeatures(kind: ProjectKind, defaults: readonly string[]): Promise<readonly string[]> {
  const chosen = await checkbox(
    {
      message: 'Examples to include',
      choices: FEATURES[kind].map(({ name, text }) => ({
        value: name,
        name: `${name}: ${text}`,
        short: name,
        checked: defaults.includes(name),
      })),
      pageSize: 12,
    },
    promptContext,
  );
  return chosen.length === 0 ? ['none'] : chosen;
}

export async function askTransports(kind: ProjectKind): Promise<readonly TransportName[]> {
  const texts = {
    stdio: kind === 'server' ? 'clients run the server as a program' : 'runs the server as a program',
    http: kind === 'server' ? 'clients connect to a URL' : 'connects to a URL',
  };
  return checkbox(
    {
      message: 'Transports',
      choices: TRANSPORT_NAMES.map((name) => ({
        value: name,
        name: `${name}: ${texts[name]}`,
        short: name,
        checked: name === 'stdio',
      })),
      required: true,
    },
    promptContext,
  );
}

const RUNTIME_LABELS: Readonly<Record<RuntimeName, readonly [name: string, short: string]>> = {
  none: ['generated code, without dependencies', 'generated code'],
  sdk: ['the transports of the official SDK 2.x', 'official SDK 2.x'],
  'sdk-v1': ['the transports of the official SDK 1.x', 'official SDK 1.x'],
};

/** @param isAllowed - Whether a transport is compatible with the earlier answers. */
export async function askRuntime(isAllowed: (runtime: RuntimeName) => boolean): Promise<RuntimeName> {
  return select(
    {
      message: 'Transports',
      choices: RUNTIME_NAMES.map((value) => {
        const [name, short] = RUNTIME_LABELS[value];
        return {
          value,
          name,
          short,
          disabled: isAllowed(value) ? false : '(over HTTP only with a revision that begins with `initialize`)',
        };
      }),
    },
    promptContext,
  );
}

const STORE_LABELS: Readonly<Record<StoreName, readonly [name: string, short: string]>> = {
  memory: ['in memory, for one instance', 'in memory'],
  redis: ['in Redis, for several instances behind a load balancer', 'in Redis'],
};

export async function askStore(): Promise<StoreName> {
  return select(
    {
      message: 'Sessions over HTTP',
      choices: STORE_NAMES.map((value) => ({ value, name: STORE_LABELS[value][0], short: STORE_LABELS[value][1] })),
    },
    promptContext,
  );
}

export async function askPackageManager(defaultManager: PackageManager): Promise<PackageManager> {
  return select(
    {
      message: 'Package manager',
      choices: PACKAGE_MANAGERS.map((value) => ({ value })),
      default: defaultManager,
    },
    promptContext,
  );
}

import type { ConnectOptions } from '../../connect/target.js';
import { requireRevision } from '../../read/builtin/revisions.js';
import {
  PACKAGE_MANAGERS,
  parseChoice,
  parseRuntime,
  SCHEMA_NOTATIONS,
  STORE_NAMES,
  TRANSPORT_NAMES,
  type PackageManager,
  type RuntimeName,
  type SchemaNotation,
  type StoreName,
  type TransportName,
} from '../../scaffold/project/selection.js';
import {
  booleanOption,
  choiceOption,
  listOption,
  negatableOption,
  stringOption,
  stringsOption,
  type RawOptions,
} from '../shared/options.js';
import { parseConnectOptions } from '../shared/server-tools.js';

/** The options that select the project; undefined if not given. */
export interface GivenAnswers {
  readonly revisions: readonly string[] | undefined;
  readonly features: readonly string[] | undefined;
  readonly transports: readonly TransportName[] | undefined;
  readonly runtime: RuntimeName | undefined;
  /** `memory` by default. */
  readonly store: StoreName | undefined;
  readonly packageManager: PackageManager | undefined;
}

/** The options of `mcpgen init server` and `mcpgen init client`. */
export interface InitOptions {
  readonly answers: GivenAnswers;
  /** How a server writes its schemas. */
  readonly schemas: SchemaNotation;
  readonly dir: string | undefined;
  /** The version or path of mcpgen in the project's package.json. */
  readonly mcpgen: string | undefined;
  /** Uses defaults without prompting. */
  readonly yes: boolean;
  readonly install: boolean;
  readonly git: boolean;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  /** The server that the client calls: its command or URL. */
  readonly fromServer: string | undefined;
  /** A file with the tools of that server. */
  readonly tools: string | undefined;
  /** How to connect to it. */
  readonly connect: ConnectOptions;
  /** Whether regular expressions of the server's tools are used unchecked. */
  readonly trustPatterns: boolean;
  /** Whether `nullable` of OpenAPI 3.0 allows null in their schemas. */
  readonly nullable: boolean;
}

/** @throws {@link McpgenError} if a value is invalid, before any prompt. */
export function parseInitOptions(raw: RawOptions): InitOptions {
  const revisions = stringsOption(raw, 'revision');
  for (const name of revisions ?? []) requireRevision(name);
  const runtime = stringOption(raw, 'runtime');
  return {
    answers: {
      revisions,
      features: listOption(raw, 'features'),
      transports: listOption(raw, 'transport')?.map((name) =>
        parseChoice(name, TRANSPORT_NAMES, '--transport', 'transport'),
      ),
      runtime: runtime === undefined ? undefined : parseRuntime(runtime),
      store: choiceOption(raw, 'store', STORE_NAMES),
      packageManager: choiceOption(raw, 'packageManager', PACKAGE_MANAGERS),
    },
    schemas: choiceOption(raw, 'schemas', SCHEMA_NOTATIONS) ?? 'json',
    dir: stringOption(raw, 'dir'),
    mcpgen: stringOption(raw, 'mcpgen'),
    yes: booleanOption(raw, 'yes'),
    install: negatableOption(raw, 'install'),
    git: negatableOption(raw, 'git'),
    force: booleanOption(raw, 'force'),
    dryRun: booleanOption(raw, 'dryRun'),
    json: booleanOption(raw, 'json'),
    fromServer: stringOption(raw, 'fromServer'),
    tools: stringOption(raw, 'tools'),
    connect: parseConnectOptions(raw),
    trustPatterns: booleanOption(raw, 'trustPatterns'),
    nullable: booleanOption(raw, 'nullable'),
  };
}

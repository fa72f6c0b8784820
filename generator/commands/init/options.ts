import { requireRevision } from '../../read/builtin/revisions.js';
import {
  PACKAGE_MANAGERS,
  parseChoice,
  parseRuntime,
  TRANSPORT_NAMES,
  type PackageManager,
  type RuntimeName,
  type TransportName,
} from '../../scaffold/project/selection.js';
import {
  booleanOption,
  choiceOption,
  listOption,
  negatableOption,
  secondsOption,
  stringOption,
  stringsOption,
  type RawOptions,
} from '../shared/options.js';

/** What decides which project is written; undefined where it was not given. */
export interface GivenAnswers {
  readonly revisions: readonly string[] | undefined;
  readonly features: readonly string[] | undefined;
  readonly transports: readonly TransportName[] | undefined;
  readonly runtime: RuntimeName | undefined;
  readonly packageManager: PackageManager | undefined;
}

/** The options of `mcpgen init server` and `mcpgen init client`. */
export interface InitOptions {
  readonly answers: GivenAnswers;
  readonly dir: string | undefined;
  /** What the project depends on as mcpgen. */
  readonly mcpgen: string | undefined;
  /** Asks nothing. */
  readonly yes: boolean;
  readonly install: boolean;
  readonly git: boolean;
  readonly force: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  /** The server that a client is for: its command or URL. */
  readonly fromServer: string | undefined;
  /** A file with the tools of that server. */
  readonly tools: string | undefined;
  readonly timeoutSeconds: number;
}

/** @throws {@link McpgenError} if an answer does not exist, before anything is asked. */
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
      packageManager: choiceOption(raw, 'packageManager', PACKAGE_MANAGERS),
    },
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
    timeoutSeconds: secondsOption(raw, 'timeout'),
  };
}

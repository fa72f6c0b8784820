import { McpgenError } from '../../errors.js';
import type { VectorFile, VectorSender } from '../../vectors/form.js';
import { FAIL_ON, type FailOn } from '../shared/fail-on.js';
import {
  booleanOption,
  choiceOption,
  refuseBothOptions,
  secondsOption,
  stringOption,
  stringsOption,
  type RawOptions,
} from '../shared/options.js';

/** The kinds of vectors that an adapter answers. */
export const ADAPTER_KINDS = ['definition', 'message', 'framing'] as const satisfies readonly VectorFile['kind'][];

/** The options of `mcpgen vectors run`. */
export interface VectorsRunOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** A folder that `mcpgen vectors` has written; undefined for built-in vectors. */
  readonly vectors: string | undefined;
  /** Built-in revisions, or those of the folder; all by default. */
  readonly revisions: readonly string[] | undefined;
  /** What the program is. */
  readonly role: VectorSender | 'adapter';
  readonly kinds: readonly VectorFile['kind'][];
  /** Patterns of names; all by default. */
  readonly only: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly exact: boolean;
  readonly timeoutMs: number;
  readonly baseline: string | undefined;
  readonly updateBaseline: boolean;
  readonly failOn: FailOn;
  readonly json: boolean;
  /** Files; `-` is standard output. */
  readonly junit: string | undefined;
  readonly markdown: string | undefined;
}

/** @throws {@link McpgenError} if there is no command or it is empty, or two reports would go to standard output. */
export function parseVectorsRunOptions(command: readonly string[], raw: RawOptions): VectorsRunOptions {
  const roles = { server: booleanOption(raw, 'server'), client: booleanOption(raw, 'client') };
  refuseBothOptions(roles, 'server', 'client');
  // An empty word is a variable of a shell that is not set.
  if ((command[0] ?? '').trim() === '') {
    throw new McpgenError('no command to run', {
      place: 'mcpgen vectors run',
      remedy: 'Write it after --, as in mcpgen vectors run -- python3 adapter.py.',
    });
  }
  const role = roles.server ? 'server' : roles.client ? 'client' : 'adapter';
  const kind = choiceOption(raw, 'kind', ADAPTER_KINDS);
  if (kind !== undefined && role !== 'adapter') {
    throw new McpgenError(`--kind and --${role} cannot be combined`, {
      place: '--kind',
      remedy: 'A server or a client is tested with the vectors of sessions only.',
    });
  }
  const options: VectorsRunOptions = {
    command,
    vectors: stringOption(raw, 'vectors'),
    revisions: stringsOption(raw, 'revision'),
    role,
    kinds: role === 'adapter' ? (kind === undefined ? ADAPTER_KINDS : [kind]) : ['session'],
    only: stringsOption(raw, 'only'),
    ignore: stringsOption(raw, 'ignore') ?? [],
    exact: booleanOption(raw, 'exact'),
    timeoutMs: secondsOption({ timeout: '10', ...raw }, 'timeout') * 1000,
    baseline: stringOption(raw, 'baseline'),
    updateBaseline: booleanOption(raw, 'updateBaseline'),
    failOn: choiceOption(raw, 'failOn', FAIL_ON) ?? 'violation',
    json: booleanOption(raw, 'json'),
    junit: stringOption(raw, 'junit'),
    markdown: stringOption(raw, 'markdown'),
  };
  if (options.updateBaseline && options.baseline === undefined) {
    throw new McpgenError('there is no file to write', {
      place: '--update-baseline',
      remedy: 'Name it with --baseline FILE.',
    });
  }
  const outputs = [
    ...(options.json ? ['--json'] : []),
    ...(['junit', 'markdown'] as const).flatMap((name) => (options[name] === '-' ? [`--${name} -`] : [])),
  ];
  if (outputs.length > 1) {
    throw new McpgenError(`${outputs.join(' and ')} cannot be combined`, {
      place: outputs[1] ?? '',
      remedy: 'Write one of them to a file.',
    });
  }
  return options;
}

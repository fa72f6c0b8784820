import { McpgenError } from '../../errors.js';
import { parseExtensionOptions, type ExtensionOptions } from '../shared/extensions.js';
import { FAIL_ON, type FailOn } from '../shared/fail-on.js';
import { booleanOption, choiceOption, pathsOption, stringOption, type RawOptions } from '../shared/options.js';
import { rulesOption } from '../shared/rules-option.js';
import { parseConnectOptions, parseMcpConfigOptions, type McpConfigOptions } from '../shared/server-tools.js';

/** The options of `mcpgen check-server`. */
export interface CheckServerOptions extends McpConfigOptions, ExtensionOptions {
  /** Whether tools with `readOnlyHint` are called. */
  readonly call: boolean;
  /** Other tools that are called. */
  readonly callTools: readonly string[];
  /** Rules that count; all by default. */
  readonly only: readonly string[] | undefined;
  readonly ignore: readonly string[];
  readonly baseline: string | undefined;
  readonly updateBaseline: boolean;
  readonly failOn: FailOn;
  readonly json: boolean;
  readonly markdown: boolean;
  /** Files; `-` is standard output. */
  readonly sarif: string | undefined;
  readonly junit: string | undefined;
  readonly html: string | undefined;
}

/** @throws {@link McpgenError} if two reports would go to standard output, or a rule does not exist. */
export function parseCheckServerOptions(raw: RawOptions): CheckServerOptions {
  const options: CheckServerOptions = {
    ...parseConnectOptions(raw),
    ...parseMcpConfigOptions(raw),
    ...parseExtensionOptions(raw),
    call: booleanOption(raw, 'call'),
    callTools: pathsOption(raw, 'callTool') ?? [],
    only: rulesOption(raw, 'only'),
    ignore: rulesOption(raw, 'ignore') ?? [],
    baseline: stringOption(raw, 'baseline'),
    updateBaseline: booleanOption(raw, 'updateBaseline'),
    failOn: choiceOption(raw, 'failOn', FAIL_ON) ?? 'violation',
    json: booleanOption(raw, 'json'),
    markdown: booleanOption(raw, 'markdown'),
    sarif: stringOption(raw, 'sarif'),
    junit: stringOption(raw, 'junit'),
    html: stringOption(raw, 'html'),
  };
  const outputs = [
    ...(options.json ? ['--json'] : []),
    ...(options.markdown ? ['--markdown'] : []),
    ...(['sarif', 'junit', 'html'] as const).flatMap((name) => (options[name] === '-' ? [`--${name} -`] : [])),
  ];
  if (outputs.length > 1) {
    throw new McpgenError(`${outputs.join(' and ')} cannot be combined`, {
      remedy: 'Write all but one of them to files.',
    });
  }
  if (options.updateBaseline && options.baseline === undefined) {
    throw new McpgenError('needs the file of the baseline', {
      place: '--update-baseline',
      remedy: 'Add --baseline FILE.',
    });
  }
  return options;
}

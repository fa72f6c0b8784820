import { McpgenError } from '../../errors.js';
import { RULES, type Severity } from '../../inspect/rules.js';
import { findRevision, REVISIONS } from '../../recording/revisions.js';
import { closestMatch } from '../../text.js';
import { booleanOption, choiceOption, stringOption, stringsOption, type RawOptions } from '../shared/options.js';

/** From which severity on a finding fails the command. */
export type FailOn = Severity | 'never';

/** The choices of `--fail-on`. */
export const FAIL_ON: readonly FailOn[] = ['violation', 'deviation', 'advice', 'never'];

/** The options of `mcpgen inspect`. */
export interface InspectCommandOptions {
  readonly json: boolean;
  readonly markdown: boolean;
  /** The file of the SARIF report; `-` is standard output. */
  readonly sarif: string | undefined;
  /** The file of the page; `-` is standard output. */
  readonly html: string | undefined;
  readonly follow: boolean;
  /** All findings instead of the first of each rule. */
  readonly all: boolean;
  /** The number of an entry to print instead of the report. */
  readonly frame: number | undefined;
  readonly ignore: ReadonlySet<string>;
  readonly revision: string | undefined;
  readonly failOn: FailOn;
  readonly rules: boolean;
}

/** @throws {@link McpgenError} if an option is wrong, or two results would go to standard output. */
export function parseInspectOptions(raw: RawOptions): InspectCommandOptions {
  const options: InspectCommandOptions = {
    json: booleanOption(raw, 'json'),
    markdown: booleanOption(raw, 'markdown'),
    sarif: stringOption(raw, 'sarif'),
    html: stringOption(raw, 'html'),
    follow: booleanOption(raw, 'follow'),
    all: booleanOption(raw, 'all'),
    frame: frameOption(raw),
    ignore: rulesOption(raw, 'ignore'),
    revision: revisionOption(raw),
    failOn: choiceOption(raw, 'failOn', FAIL_ON) ?? 'violation',
    rules: booleanOption(raw, 'rules'),
  };
  const outputs = [
    ...(options.json ? ['--json'] : []),
    ...(options.markdown ? ['--markdown'] : []),
    ...(options.sarif === '-' ? ['--sarif -'] : []),
    ...(options.html === '-' ? ['--html -'] : []),
    ...(options.frame === undefined ? [] : ['--frame']),
  ];
  if (outputs.length > 1)
    throw new McpgenError(`${outputs.join(' and ')} cannot be combined`, {
      remedy: 'Use one of them; --html FILE and --sarif FILE can be added, since they write to a file.',
    });
  return options;
}

/**
 * The rules that an option names.
 *
 * @throws {@link McpgenError} if one does not exist.
 */
export function rulesOption(raw: RawOptions, name: string): ReadonlySet<string> {
  const rules = stringsOption(raw, name) ?? [];
  for (const rule of rules) {
    if (Object.hasOwn(RULES, rule)) continue;
    const match = closestMatch(rule, Object.keys(RULES));
    throw new McpgenError(`there is no rule ${JSON.stringify(rule)}`, {
      place: `--${name}`,
      remedy: match === undefined ? 'mcpgen inspect --rules lists them.' : `Did you mean ${match}?`,
    });
  }
  return new Set(rules);
}

function revisionOption(raw: RawOptions): string | undefined {
  const revision = stringOption(raw, 'revision');
  if (revision === undefined || findRevision(revision) !== undefined) return revision;
  throw new McpgenError(`there is no revision ${JSON.stringify(revision)}`, {
    place: '--revision',
    remedy: `The revisions are ${REVISIONS.map(({ version }) => version).join(', ')}.`,
  });
}

function frameOption(raw: RawOptions): number | undefined {
  const text = stringOption(raw, 'frame');
  if (text === undefined) return undefined;
  const frame = Number(text);
  if (Number.isSafeInteger(frame) && frame > 0) return frame;
  throw new McpgenError('must be the number of an entry, from 1', {
    place: '--frame',
    remedy: 'For example: --frame 12.',
  });
}

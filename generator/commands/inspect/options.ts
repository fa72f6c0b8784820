import { McpgenError } from '../../errors.js';
import { findRevision, REVISIONS } from '../../revisions.js';
import { parseExtensionOptions, type ExtensionOptions } from '../shared/extensions.js';
import { FAIL_ON, type FailOn } from '../shared/fail-on.js';
import { booleanOption, choiceOption, stringOption, type RawOptions } from '../shared/options.js';
import { rulesOption } from '../shared/rules-option.js';

/** The options of `mcpgen inspect`. */
export interface InspectCommandOptions extends ExtensionOptions {
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
    ...parseExtensionOptions(raw),
    json: booleanOption(raw, 'json'),
    markdown: booleanOption(raw, 'markdown'),
    sarif: stringOption(raw, 'sarif'),
    html: stringOption(raw, 'html'),
    follow: booleanOption(raw, 'follow'),
    all: booleanOption(raw, 'all'),
    frame: frameOption(raw),
    ignore: new Set(rulesOption(raw, 'ignore')),
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

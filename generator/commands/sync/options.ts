import { McpgenError } from '../../errors.js';
import {
  booleanOption,
  refuseBothOptions,
  secondsOption,
  stringOption,
  stringsOption,
  type RawOptions,
} from '../shared/options.js';

/** The options of `mcpgen sync`. */
export interface SyncOptions {
  readonly revisions: readonly string[] | undefined;
  /** Identifiers of extensions. */
  readonly extensions: readonly string[] | undefined;
  /** URL, file, folder, or file of a package on npm. */
  readonly from: string | undefined;
  readonly out: string;
  readonly prose: 'keep' | 'strip';
  readonly timeoutSeconds: number;
  readonly check: boolean;
  readonly updatePin: boolean;
  readonly config: string | undefined;
  readonly json: boolean;
  readonly markdown: boolean;
}

export function parseSyncOptions(raw: RawOptions): SyncOptions {
  const options: SyncOptions = {
    revisions: stringsOption(raw, 'revision'),
    extensions: stringsOption(raw, 'extension'),
    from: stringOption(raw, 'from'),
    out: stringOption(raw, 'out') ?? 'schema',
    prose: parseProse(stringOption(raw, 'prose') ?? 'keep'),
    timeoutSeconds: secondsOption(raw, 'timeout'),
    check: booleanOption(raw, 'check'),
    updatePin: booleanOption(raw, 'updatePin'),
    config: stringOption(raw, 'config'),
    json: booleanOption(raw, 'json'),
    markdown: booleanOption(raw, 'markdown'),
  };
  refuseBothOptions(options, 'json', 'markdown');
  refuseBothOptions(options, 'check', 'updatePin', 'Omit --update-pin: --check writes nothing.');
  return options;
}

function parseProse(prose: string): 'keep' | 'strip' {
  if (prose === 'keep' || prose === 'strip') return prose;
  throw new McpgenError(`${JSON.stringify(prose)} is not supported`, {
    place: '--prose',
    remedy: 'Use keep or strip.',
  });
}

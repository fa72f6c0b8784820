import { McpgenError } from '../../errors.js';
import type { GenerateOptions } from '../../index.js';
import type { ImportExtension } from '../../print/source-file.js';
import { showProgress } from '../../terminal.js';
import {
  emitOption,
  booleanOption,
  inputFileOption,
  listOption,
  stringOption,
  stringsOption,
} from '../shared/options.js';
import { DEFAULT_OUT, readConfiguredTools, type Settings } from '../shared/settings.js';

/** What one run is to do. */
export interface GeneratePlan {
  /** As it was asked for; `-` is standard output. */
  readonly out: string;
  readonly options: GenerateOptions;
}

/** Reads the input of a run. */
export async function planGenerate({ flags, config }: Settings): Promise<GeneratePlan> {
  if (stringOption(flags, 'schema') === '-' && stringOption(flags, 'catalog') === '-') {
    throw new McpgenError('schema and catalog cannot both come from standard input', {
      place: '--schema - --catalog -',
      remedy: 'Give one of them as a file.',
    });
  }
  const schema = inputFileOption(flags, 'schema');
  const out = stringOption(flags, 'out') ?? (stringOption(flags, 'schema') === '-' ? '-' : DEFAULT_OUT);
  const catalog = inputFileOption(flags, 'catalog');
  const emit = emitOption(flags);
  const methods = listOption(flags, 'methods');
  const revisions = stringsOption(flags, 'revision');
  const tools = await readConfiguredTools(config);
  const options: GenerateOptions = {
    out: out === '-' ? '.' : out,
    importExtension: (stringOption(flags, 'importExtension') ?? 'js') as ImportExtension,
    errata: flags['errata'] !== false,
    strict: booleanOption(flags, 'strict'),
    dryRun: booleanOption(flags, 'dryRun'),
    onProgress: (revision) => {
      showProgress(`${revision} ...`);
    },
    ...(revisions.length === 0 ? {} : { revisions }),
    ...(schema === undefined ? {} : { schema }),
    ...(catalog === undefined ? {} : { catalog }),
    ...(emit === undefined ? {} : { emit }),
    ...(methods === undefined ? {} : { methods }),
    ...(tools === undefined ? {} : { tools }),
  };
  return { out, options };
}

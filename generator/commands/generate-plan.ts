import { McpgenError } from '../errors.js';
import type { GenerateOptions } from '../index.js';
import type { ImportExtension } from '../print/source-file.js';
import { progress } from '../terminal.js';
import { emitParts, flag, inputFile, list, text, texts } from './options.js';
import { DEFAULT_OUT, toolsOf, type Settings } from './settings.js';

/** What one run is to do. */
export interface Plan {
  /** As it was asked for; `-` is standard output. */
  readonly out: string;
  readonly options: GenerateOptions;
}

/** Reads the input of a run. */
export async function planOf({ flags, config }: Settings): Promise<Plan> {
  if (text(flags, 'schema') === '-' && text(flags, 'catalog') === '-') {
    throw new McpgenError('schema and catalog cannot both come from standard input', {
      place: '--schema - --catalog -',
      remedy: 'Give one of them as a file.',
    });
  }
  const schema = inputFile(flags, 'schema');
  const out = text(flags, 'out') ?? (text(flags, 'schema') === '-' ? '-' : DEFAULT_OUT);
  const catalog = inputFile(flags, 'catalog');
  const emit = emitParts(flags);
  const methods = list(flags, 'methods');
  const revisions = texts(flags, 'revision');
  const tools = await toolsOf(config);
  const options: GenerateOptions = {
    out: out === '-' ? '.' : out,
    importExtension: (text(flags, 'importExtension') ?? 'js') as ImportExtension,
    errata: flags['errata'] !== false,
    strict: flag(flags, 'strict'),
    dryRun: flag(flags, 'dryRun'),
    onProgress: (revision) => {
      progress(`${revision} ...`);
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

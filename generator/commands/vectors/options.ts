import { parseExtensionOptions, type ExtensionOptions } from '../shared/extensions.js';
import { booleanOption, stringOption, stringsOption, type RawOptions } from '../shared/options.js';

/** The options of `mcpgen vectors`. */
export interface VectorsCommandLine extends ExtensionOptions {
  readonly revisions: readonly string[] | undefined;
  readonly schema: string | undefined;
  readonly catalog: string | undefined;
  readonly out: string;
  readonly check: boolean;
  readonly json: boolean;
}

export function parseVectorsOptions(raw: RawOptions): VectorsCommandLine {
  return {
    ...parseExtensionOptions(raw),
    revisions: stringsOption(raw, 'revision'),
    schema: stringOption(raw, 'schema'),
    catalog: stringOption(raw, 'catalog'),
    out: stringOption(raw, 'out') ?? 'vectors',
    check: booleanOption(raw, 'check'),
    json: booleanOption(raw, 'json'),
  };
}

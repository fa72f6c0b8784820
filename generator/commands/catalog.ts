import { McpgenError } from '../errors.js';
import { catalogFile, draftCatalog } from '../model/catalog/draft.js';
import { readSchemaWithoutCatalog } from '../model/load.js';
import { builtinCatalogs } from '../read/builtin/revisions.js';
import { printJson, printWarning } from '../terminal.js';
import { readInputFile, requiredOption, stringOption, type RawOptions } from './shared/options.js';

/** The options of `mcpgen catalog derive`. */
interface CatalogDeriveOptions {
  /** The file of the schema. */
  readonly schema: string;
  readonly revision: string | undefined;
  readonly protocol: string | undefined;
}

export function parseCatalogDeriveOptions(raw: RawOptions): CatalogDeriveOptions {
  return {
    schema: requiredOption(raw, 'schema'),
    revision: stringOption(raw, 'revision'),
    protocol: stringOption(raw, 'protocol')?.trim(),
  };
}

/**
 * `mcpgen catalog derive`: prints a first catalog to standard output, and what is undecided to standard error. Returns
 * the exit code.
 */
export function catalogDeriveCommand({ schema, revision, protocol }: CatalogDeriveOptions): number {
  if (protocol !== undefined && /[\r\n]/.test(protocol)) {
    throw new McpgenError('the name of a protocol must be one line', {
      place: '--protocol',
      remedy: 'Remove the line break.',
    });
  }
  const reading = readSchemaWithoutCatalog(readInputFile(schema, '--schema'), revision);
  const { catalog, notices } = draftCatalog(reading, builtinCatalogs(), {
    ...(revision === undefined ? {} : { revision }),
    ...(protocol === undefined ? {} : { protocol }),
  });
  printJson(catalogFile(catalog));
  for (const warning of reading.warnings) printWarning(warning);
  for (const notice of notices) printWarning({ message: notice });
  return 0;
}

import { McpgenError } from '../errors.js';
import { draftCatalog } from '../model/catalog/draft.js';
import { readSchemaWithoutCatalog } from '../model/load.js';
import { builtinCatalogs } from '../read/builtin/revisions.js';
import { printToStderr, stderrColors, printJson } from '../terminal.js';
import { escapeHiddenCharacters } from '../text.js';
import { printWarning } from './shared/file-changes.js';
import { inputFileOption, stringOption } from './shared/options.js';

/** `mcpgen catalog derive`: a first catalog on standard output, what is undecided on standard error. Returns the exit code. */
export function catalogDeriveCommand(flags: Record<string, unknown>): number {
  const schema = inputFileOption(flags, 'schema');
  if (schema === undefined) return 2;
  const revision = stringOption(flags, 'revision');
  const protocol = stringOption(flags, 'protocol')?.trim();
  if (protocol !== undefined && /[\r\n]/.test(protocol)) {
    throw new McpgenError('the name of a protocol is one line', {
      place: '--protocol',
      remedy: 'Leave the line break out.',
    });
  }
  const reading = readSchemaWithoutCatalog(schema, revision);
  const { catalog, notices } = draftCatalog(reading, builtinCatalogs(), {
    ...(revision === undefined ? {} : { revision }),
    ...(protocol === undefined ? {} : { protocol }),
  });
  printJson(catalog);
  for (const warning of reading.warnings) printWarning(warning);
  for (const notice of notices) printToStderr(`${stderrColors.yellow('check')}: ${escapeHiddenCharacters(notice)}`);
  return 0;
}

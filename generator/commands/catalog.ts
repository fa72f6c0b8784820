import { McpgenError } from '../errors.js';
import { draftCatalog } from '../model/draft-catalog.js';
import { readSchemaAlone } from '../model/load.js';
import { builtinCatalogs } from '../read/builtin.js';
import { note, noteColour, sayJson } from '../terminal.js';
import { escapeHidden } from '../text.js';
import { noteWarning } from './changes.js';
import { inputFile, text } from './options.js';

/** `mcpgen catalog derive`: a first catalog on standard output, what is undecided on standard error. Returns the exit code. */
export function deriveCommand(flags: Record<string, unknown>): number {
  const schema = inputFile(flags, 'schema');
  if (schema === undefined) return 2;
  const revision = text(flags, 'revision');
  const protocol = text(flags, 'protocol')?.trim();
  if (protocol !== undefined && /[\r\n]/.test(protocol)) {
    throw new McpgenError('the name of a protocol is one line', {
      place: '--protocol',
      remedy: 'Leave the line break out.',
    });
  }
  const reading = readSchemaAlone(schema, revision);
  const { catalog, notices } = draftCatalog(reading, builtinCatalogs(), {
    ...(revision === undefined ? {} : { revision }),
    ...(protocol === undefined ? {} : { protocol }),
  });
  sayJson(catalog);
  for (const warning of reading.warnings) noteWarning(warning);
  for (const notice of notices) note(`${noteColour.yellow('check')}: ${escapeHidden(notice)}`);
  return 0;
}

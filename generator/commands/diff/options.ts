import { McpgenError } from '../../errors.js';
import type { Side } from '../../model/protocol.js';
import { parseExtensionOptions, type ExtensionOptions } from '../shared/extensions.js';
import { booleanOption, negatableOption, stringOption, type RawOptions } from '../shared/options.js';

/** The options of `mcpgen diff`. */
export interface DiffOptions extends ExtensionOptions {
  readonly oldCatalog: string | undefined;
  readonly newCatalog: string | undefined;
  readonly breaking: boolean;
  readonly json: boolean;
  readonly markdown: boolean;
  /** The file of the page; `-` is standard output. */
  readonly html: string | undefined;
  /** The folder or file of a program whose affected lines are printed. */
  readonly code: string | undefined;
  /** The side whose breaking changes are printed; both by default. */
  readonly side: Side | undefined;
  readonly exitCode: boolean;
  readonly errata: boolean;
  readonly rules: boolean;
}

function sideOption(raw: RawOptions): Side | undefined {
  const side = stringOption(raw, 'side');
  if (side === undefined || side === 'client' || side === 'server') return side;
  throw new McpgenError(`must be client or server, not ${JSON.stringify(side)}`, {
    place: '--side',
    remedy: 'Pass --side client or --side server.',
  });
}

/** @throws {@link McpgenError} if two results would go to standard output. */
export function parseDiffOptions(raw: RawOptions): DiffOptions {
  const options: DiffOptions = {
    ...parseExtensionOptions(raw),
    oldCatalog: stringOption(raw, 'oldCatalog'),
    newCatalog: stringOption(raw, 'newCatalog'),
    breaking: booleanOption(raw, 'breaking'),
    json: booleanOption(raw, 'json'),
    markdown: booleanOption(raw, 'markdown'),
    html: stringOption(raw, 'html'),
    code: stringOption(raw, 'code'),
    side: sideOption(raw),
    exitCode: booleanOption(raw, 'exitCode'),
    errata: negatableOption(raw, 'errata'),
    rules: booleanOption(raw, 'rules'),
  };
  const outputs = [
    ...(options.json ? ['--json'] : []),
    ...(options.markdown ? ['--markdown'] : []),
    ...(options.html === '-' ? ['--html'] : []),
  ];
  if (outputs.length > 1) {
    throw new McpgenError(`${outputs.join(' and ')} cannot be combined`, {
      remedy: 'Use one of them; --html FILE can be added, since it writes to a file.',
    });
  }
  return options;
}

import type { Side } from '../../model/protocol.js';
import { McpgenError } from '../../errors.js';
import { booleanOption, stringOption, type RawOptions } from '../shared/options.js';
import { parseConfigOptions, type ConfigOptions } from '../shared/settings.js';

/** The options of every `mcpgen add` command. */
export interface AddOptions extends ConfigOptions {
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** The options of `mcpgen add tool`, `add resource` and `add prompt`. */
export interface AddItemOptions extends AddOptions {
  /** The file with the JSON Schema of a tool's arguments. */
  readonly input: string | undefined;
  /** The file with the JSON Schema of a tool's structured content. */
  readonly output: string | undefined;
  /** The URI of a resource. */
  readonly uri: string | undefined;
}

/** The options of `mcpgen add handler`. */
export interface AddHandlerOptions extends AddOptions {
  readonly to: Side | undefined;
}

export function parseAddOptions(raw: RawOptions): AddOptions {
  return { ...parseConfigOptions(raw), dryRun: booleanOption(raw, 'dryRun'), json: booleanOption(raw, 'json') };
}

export function parseAddItemOptions(raw: RawOptions): AddItemOptions {
  return {
    ...parseAddOptions(raw),
    input: stringOption(raw, 'input'),
    output: stringOption(raw, 'output'),
    uri: stringOption(raw, 'uri'),
  };
}

/** @throws {@link McpgenError} if `--to` is neither server nor client. */
export function parseAddHandlerOptions(raw: RawOptions): AddHandlerOptions {
  const to = stringOption(raw, 'to');
  if (to !== undefined && to !== 'server' && to !== 'client') {
    throw new McpgenError(`must be server or client, not ${JSON.stringify(to)}`, {
      place: '--to',
      remedy: 'Pass --to server or --to client.',
    });
  }
  return { ...parseAddOptions(raw), to };
}

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { McpgenError } from '../../errors.js';
import type { RequestedExtensions } from '../../model/extensions/load.js';
import { loadProtocol, loadWithoutCatalog, type InputFile } from '../../model/load.js';
import type { Protocol } from '../../model/protocol.js';
import type { SideInput } from '../../print/diff/report.js';
import { builtinRevisions, findRevision } from '../../read/builtin/revisions.js';
import { MAX_FILE_BYTES, readBytes } from '../../read/files.js';
import { escapeHiddenCharacters, closestMatch } from '../../text.js';

/** A revision that an argument names, and where it was read from. */
export interface LoadedProtocol extends SideInput {
  readonly protocol: Protocol;
}

const NO_EXTENSIONS = { extensions: [], extend: [] };

/**
 * Loads what an argument names: a built-in revision, a schema file, or a file of a git revision such as
 * `HEAD~1:schema/x.json`. Without a catalog, methods are derived from the schema.
 *
 * @param options - `catalog`: path of the schema's catalog, or its place in git; `extensions`: those to add.
 * @throws {@link McpgenError} if it does not exist or is invalid.
 */
export async function loadProtocolArgument(
  word: string,
  options: { catalog?: string; errata: boolean; extensions?: Required<RequestedExtensions> },
): Promise<LoadedProtocol> {
  const { extensions = NO_EXTENSIONS, errata } = options;
  const ids = [...extensions.extensions, ...extensions.extend.map(({ catalog }) => catalog.name)];
  const given = ids.length === 0 ? word : `${word} with ${ids.join(', ')}`;
  const builtin = findRevision(word);
  if (builtin !== undefined && options.catalog === undefined) {
    const protocol = await loadProtocol({ revision: word, errata, ...extensions });
    return { protocol, given, catalog: 'built in', status: builtin.status };
  }
  const schema = schemaArgumentFile(word);
  if (options.catalog !== undefined) {
    const catalog = schemaArgumentFile(options.catalog);
    const protocol = await loadProtocol({ schema, catalog, errata, ...extensions });
    return { protocol, given, catalog: 'file' };
  }
  if (ids.length > 0) {
    throw new McpgenError('an extension can only be added to a schema with a catalog', {
      place: word,
      remedy: 'Pass its catalog too, or omit the extension.',
    });
  }
  const protocol = await loadWithoutCatalog(schema, { errata });
  const official = builtinRevisions().find(({ sha256 }) => sha256 === protocol.source.sha256);
  return {
    protocol,
    given: word,
    catalog: official === undefined ? 'derived' : 'built in',
    ...(official === undefined ? {} : { status: official.status }),
  };
}

/** A file by its path, or `<git revision>:<path>`. */
function schemaArgumentFile(word: string): InputFile {
  if (existsSync(word)) return { name: word, contents: readBytes(word) };
  const colon = word.indexOf(':');
  if (colon > 0) return { name: word, contents: readFromGit(word) };
  const known = builtinRevisions().map(({ revision }) => revision);
  const near = closestMatch(word, known);
  throw new McpgenError('neither a built-in revision nor a file', {
    place: escapeHiddenCharacters(word),
    remedy:
      near === undefined
        ? `Built in are ${known.join(', ')}; a file of a git revision is named as in HEAD~1:schema/x.json.`
        : `Did you mean ${near}?`,
  });
}

function readFromGit(word: string): Buffer {
  try {
    return execFileSync('git', ['cat-file', 'blob', '--end-of-options', word], {
      maxBuffer: MAX_FILE_BYTES,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: Buffer };
    if (code === 'ENOENT') {
      throw new McpgenError('git is not installed', {
        place: word,
        remedy: 'Install it, or pass a file.',
        cause: error,
      });
    }
    if (code === 'ENOBUFS') {
      throw new McpgenError(`larger than ${MAX_FILE_BYTES / 1024 / 1024} MB`, {
        place: word,
        remedy: 'Check that this is the right file.',
        cause: error,
      });
    }
    const [said = ''] = (stderr?.toString('utf8') ?? '').trim().split('\n');
    throw new McpgenError(`git cannot read it: ${said.replace(/^fatal: /, '')}`, {
      place: word,
      remedy: 'Write <revision>:<path from the root of the repository>, or <revision>:./<path from here>.',
      cause: error,
    });
  }
}

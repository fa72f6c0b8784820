import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { displayUrl } from '../../text.js';
import { fetchBytes, isUrl } from '../fetch.js';
import { readBytes, statIfExists } from '../files.js';

const OFFICIAL_SCHEMA_URL = 'https://raw.githubusercontent.com/modelcontextprotocol/modelcontextprotocol/main/schema';

/** A schema file as received from its source. */
export interface FetchedSchema {
  /** The URL without credentials, or the path, that it was read from. */
  readonly place: string;
  readonly bytes: Uint8Array;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

/** The URL of the official schema of a revision. */
export function officialUrl(revision: string): string {
  return `${OFFICIAL_SCHEMA_URL}/${revision}/schema.json`;
}

/**
 * Reads a revision's schema from its source.
 *
 * @param source - A URL, a file, or a folder: a checkout of the specification, its folder `schema`, or a revision's
 *   own.
 * @param seconds - Time limit for fetching.
 * @throws {@link McpgenError} if it does not exist or cannot be read completely.
 */
export async function readSchemaSource(source: string, revision: string, seconds: number): Promise<FetchedSchema> {
  const place = isUrl(source) ? displayUrl(source) : schemaFileIn(source, revision);
  const bytes = isUrl(source) ? await fetchBytes(source, seconds) : readBytes(place);
  return { place, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function schemaFileIn(source: string, revision: string): string {
  if (statIfExists(source)?.isDirectory() !== true) return source;
  const candidates = [
    path.join(source, 'schema', revision, 'schema.json'),
    path.join(source, revision, 'schema.json'),
    path.join(source, 'schema.json'),
  ];
  const found = candidates.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new McpgenError(`the folder has no schema of revision ${revision}`, {
    place: source,
    remedy: `Looked for ${candidates.map((file) => path.relative(source, file)).join(', ')}.`,
  });
}

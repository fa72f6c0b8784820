import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { displayUrl } from '../../text.js';
import { fetchBytes, isUrl } from '../fetch.js';
import { readBytes, statIfExists } from '../files.js';
import { isNpmSource, readNpmFile } from './npm-file.js';

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

/** Whether a source is not on this machine: a URL, or a file of a package on npm. */
export function isRemoteSource(source: string): boolean {
  return isUrl(source) || isNpmSource(source);
}

/** What a schema is of. */
export interface SchemaSubject {
  readonly kind: 'revision' | 'extension';
  readonly name: string;
}

/** The folder of the newest schema in the repository of an official extension. */
const NEWEST_FOLDER = 'draft';

/**
 * Reads the schema of a revision or an extension from its source.
 *
 * @param source - A URL, a file of a package on npm, a file, or a folder: a checkout of the specification or the
 *   extension, its folder `schema`, or a revision's own.
 * @param seconds - Time limit for fetching.
 * @throws {@link McpgenError} if it does not exist or cannot be read completely.
 */
export async function readSchemaSource(
  source: string,
  subject: SchemaSubject,
  seconds: number,
): Promise<FetchedSchema> {
  const { place, bytes } = await readSource(source, subject, seconds);
  return { place, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function readSource(
  source: string,
  subject: SchemaSubject,
  seconds: number,
): Promise<Omit<FetchedSchema, 'sha256'>> {
  if (isNpmSource(source)) return readNpmFile(source, seconds);
  if (isUrl(source)) return { place: displayUrl(source), bytes: await fetchBytes(source, seconds) };
  const place = schemaFileIn(source, subject);
  return { place, bytes: readBytes(place) };
}

function schemaFileIn(source: string, { kind, name }: SchemaSubject): string {
  if (statIfExists(source)?.isDirectory() !== true) return source;
  const folder = kind === 'revision' ? name : NEWEST_FOLDER;
  const candidates = [
    path.join(source, 'schema', folder, 'schema.json'),
    path.join(source, folder, 'schema.json'),
    path.join(source, 'schema.json'),
  ];
  const found = candidates.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new McpgenError(`the folder has no schema of ${kind} ${name}`, {
    place: source,
    remedy: `Looked for ${candidates.map((file) => path.relative(source, file)).join(', ')}.`,
  });
}

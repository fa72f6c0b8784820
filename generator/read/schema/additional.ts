import { McpgenError } from '../../errors.js';
import { readBytes } from '../files.js';
import { isObject, ownMember, parseUntrustedJson, type JsonValue } from '../json/json.js';
import type { SchemaDocuments } from './documents.js';

/**
 * Reads schemas that others may refer to by their `$id`.
 *
 * @param files - Paths, relative to the current folder.
 * @throws {@link McpgenError} if one cannot be read, is not JSON or has no `$id`, or if two have the same.
 */
export function readAdditionalSchemas(files: readonly string[]): SchemaDocuments {
  const documents = new Map<string, JsonValue>();
  const filesById = new Map<string, string>();
  for (const file of files) {
    const schema = parseUntrustedJson(readBytes(file), file);
    const id = idOf(schema, file);
    const other = filesById.get(id);
    if (other !== undefined)
      throw new McpgenError(`two schemas have the "$id" ${JSON.stringify(id)}`, {
        place: `${other} and ${file}`,
        remedy: 'Omit one of them, or correct its "$id".',
      });
    filesById.set(id, file);
    documents.set(id, schema);
  }
  return documents;
}

/** Resolves URIs that are relative. */
const BASE = 'schema:///';

function idOf(schema: JsonValue, file: string): string {
  const remedy = 'Write "$id" as references do, for example "https://example.com/address.json".';
  const id = isObject(schema) ? ownMember(schema, '$id') : undefined;
  if (id === undefined)
    throw new McpgenError('the schema has no "$id", so nothing can refer to it', { place: file, remedy });
  const place = `${file}#/$id`;
  if (typeof id !== 'string' || !URL.canParse(id, BASE) || /#./s.test(id))
    throw new McpgenError(`${JSON.stringify(id).slice(0, 100)} is not a URI without a fragment`, { place, remedy });
  return id.replace(/#$/, '');
}

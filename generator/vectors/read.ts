/** Reads a folder of vectors, one file at a time. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { compileSchema } from '../../generated/runtime/json-schema.js';
import { describeFailure } from '../../generated/runtime/validation.js';
import { McpgenError } from '../errors.js';
import { readBytes, readTextIfExists } from '../read/files.js';
import { isObject, ownMember, parseUntrustedJson, type JsonObject, type JsonValue } from '../read/json/json.js';
import { openDefinitions } from '../read/schema/extension.js';
import { readFormSchema } from './form-schema.js';
import { VECTORS_FORM, type VectorFile } from './form.js';

/** A file of vectors, with its revision. */
export interface RevisionFile {
  readonly revision: string;
  readonly file: VectorFile;
}

const KINDS = ['definition', 'message', 'framing', 'session'] as const;

/**
 * Reads the files that the `index.json` of a folder names. A folder with folders of revisions is read as all of them.
 *
 * @throws {@link McpgenError} if a file is missing or has another form.
 */
export function* readVectorFolder(
  folder: string,
  isWanted: (kind: VectorFile['kind']) => boolean = () => true,
): Iterable<RevisionFile> {
  const place = path.join(folder, 'index.json');
  const text = readTextIfExists(place);
  const remedy = 'Write the folder with mcpgen vectors.';
  if (text === undefined) {
    const revisions = foldersWithIndex(folder);
    if (revisions.length === 0)
      throw new McpgenError('no vectors here: there is no index.json', { place: folder, remedy });
    for (const name of revisions) yield* readVectorFolder(path.join(folder, name), isWanted);
    return;
  }
  const index = parseUntrustedJson(text, place);
  const [form, revision, files] = ['form', 'revision', 'files'].map((key) =>
    isObject(index) ? ownMember(index, key) : undefined,
  );
  if (typeof revision !== 'string' || !Array.isArray(files))
    throw new McpgenError('not an index of vectors', { place, remedy });
  if (form !== VECTORS_FORM) {
    throw new McpgenError(`the vectors have the form ${JSON.stringify(form)}, and only ${VECTORS_FORM} is known`, {
      place,
      remedy: 'Use the version of mcpgen that wrote them, or write them again.',
    });
  }
  for (const item of files as readonly JsonValue[]) {
    const kind = KINDS.find((known) => isObject(item) && ownMember(item, 'kind') === known);
    // A newer version may have more kinds.
    if (kind === undefined || !isWanted(kind)) continue;
    const file = childPath(folder, isObject(item) ? ownMember(item, 'path') : undefined, place);
    yield { revision, file: checkFile(parseUntrustedJson(readBytes(file), file), kind, file) };
  }
}

function foldersWithIndex(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => existsSync(path.join(folder, name, 'index.json')))
      .sort();
  } catch {
    return [];
  }
}

/** A path inside the folder. */
function childPath(folder: string, name: JsonValue | undefined, place: string): string {
  if (typeof name === 'string' && path.resolve(folder, name).startsWith(path.resolve(folder) + path.sep))
    return path.join(folder, name);
  throw new McpgenError(`${JSON.stringify(name ?? null)} is not a path inside the folder`, {
    place,
    remedy: 'Write the folder with mcpgen vectors.',
  });
}

/** @throws {@link McpgenError} that says what does not match the JSON Schema of the form. */
function checkFile(value: JsonValue, kind: VectorFile['kind'], place: string): VectorFile {
  const outcome = validatorOf(kind)(value);
  if (outcome.success) return value as unknown as VectorFile;
  throw new McpgenError(`not a file of vectors with the kind ${kind}: ${describeFailure(outcome.failure)}`, {
    place,
    remedy: 'Write the folder with mcpgen vectors, or follow vectors.schema.json.',
  });
}

const validators = new Map<VectorFile['kind'], ReturnType<typeof compileSchema>>();

function validatorOf(kind: VectorFile['kind']): ReturnType<typeof compileSchema> {
  const known = validators.get(kind);
  if (known !== undefined) return known;
  const { $defs: definitions } = JSON.parse(readFormSchema()) as { readonly $defs: JsonObject };
  // A newer version may add members.
  const validate = compileSchema({ $defs: openDefinitions(definitions), $ref: `#/$defs/${kind}File` });
  validators.set(kind, validate);
  return validate;
}

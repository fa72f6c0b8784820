/** Reads a folder of vectors, one file at a time. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { McpgenError } from '../errors.js';
import { SEVERITIES } from '../inspect/rule.js';
import { readBytes, readTextIfExists } from '../read/files.js';
import { isObject, ownMember, parseUntrustedJson, type JsonObject, type JsonValue } from '../read/json/json.js';
import { VECTORS_FORM, type VectorFile } from './form.js';

/** A file of vectors, with its revision. */
export interface RevisionFile {
  readonly revision: string;
  readonly file: VectorFile;
}

const KINDS = ['definition', 'message', 'framing', 'session'] as const;

/** Members that a vector needs, with their types, by kind. */
const NEEDED: Readonly<Record<VectorFile['kind'], readonly (readonly [string, string])[]>> = {
  definition: [['valid', 'boolean']],
  message: [
    ['valid', 'boolean'],
    ['sender', 'string'],
  ],
  framing: [
    ['chunks', 'array'],
    ['frames', 'array'],
    ['rule', 'string'],
    ['severity', 'string'],
    ['section', 'string'],
  ],
  session: [
    ['role', 'string'],
    ['steps', 'array'],
    ['ignore', 'array'],
    ['rule', 'string'],
    ['severity', 'string'],
    ['section', 'string'],
  ],
};

/** Members that a vector may have, with their types. */
const OPTIONAL = [
  ['text', 'string'],
  ['pointer', 'string'],
  ['rule', 'string'],
  ['erratum', 'string'],
  ['answers', 'string'],
  ['officialValid', 'boolean'],
  ['alternatives', 'array'],
] as const;

/** Steps of a conversation, with the types of their members. */
const STEPS: readonly (readonly (readonly [string, string])[])[] = [
  [['send', 'any']],
  [['sendText', 'string']],
  [['sendChunks', 'array']],
  [['expect', 'any']],
  [['expectAll', 'array']],
  [
    ['require', 'any'],
    ['otherwise', 'string'],
  ],
  [['silenceMs', 'number']],
  [['end', 'boolean']],
];

/** The member that says what a file is about. */
const SUBJECT: Readonly<Partial<Record<VectorFile['kind'], string>>> = { definition: 'definition', message: 'method' };

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

function checkFile(value: JsonValue, kind: VectorFile['kind'], place: string): VectorFile {
  const vectors = isObject(value) && ownMember(value, 'kind') === kind ? ownMember(value, 'vectors') : undefined;
  const subject = SUBJECT[kind];
  const hasSubject = subject === undefined || (isObject(value) && typeof ownMember(value, subject) === 'string');
  if (!Array.isArray(vectors) || !hasSubject) {
    throw new McpgenError(`not a file of ${kind} vectors`, {
      place,
      remedy: 'Write the folder with mcpgen vectors.',
    });
  }
  for (const [index, vector] of (vectors as readonly JsonValue[]).entries()) {
    const fault = faultOf(vector, kind);
    if (fault === undefined) continue;
    throw new McpgenError(fault, {
      place: `${place}#/vectors/${index}`,
      remedy: 'Write the folder with mcpgen vectors.',
    });
  }
  return value as unknown as VectorFile;
}

/** What is wrong with the form of a vector. Members that are not known are ignored. */
function faultOf(vector: JsonValue, kind: VectorFile['kind']): string | undefined {
  const needed = [['name', 'string'], ['reason', 'string'], ...NEEDED[kind]] as const;
  if (!isObject(vector)) return 'a vector is an object';
  const wrong =
    needed.find((member) => !hasMember(vector, member)) ??
    OPTIONAL.find(([key, type]) => Object.hasOwn(vector, key) && !hasMember(vector, [key, type]));
  if (wrong !== undefined) return `a vector needs the member ${JSON.stringify(wrong[0])}: ${wrong[1]}`;
  const items = (key: string): readonly JsonValue[] => (ownMember(vector, key) ?? []) as readonly JsonValue[];
  const severity = ownMember(vector, 'severity');
  if (severity !== undefined && !SEVERITIES.some((known) => known === severity))
    return `the severity is one of ${SEVERITIES.join(', ')}`;
  if (kind === 'framing') {
    if (!isStrings(items('chunks'))) return 'chunks are strings in base64';
    const all = [items('frames'), ...items('alternatives')];
    if (!all.every((frames) => Array.isArray(frames) && (frames as readonly JsonValue[]).every(isFrame)))
      return 'a frame has a message, an error, or unspecified';
  }
  const step = kind === 'session' ? items('steps').findIndex((item) => !isStep(item)) : -1;
  return step === -1 ? undefined : `step ${step} is none that is known`;
}

function isFrame(item: JsonValue): boolean {
  return isObject(item) && ['message', 'error', 'unspecified'].some((key) => Object.hasOwn(item, key));
}

function isStep(item: JsonValue): boolean {
  if (!isObject(item) || !STEPS.some((members) => members.every((member) => hasMember(item, member)))) return false;
  const chunks = ownMember(item, 'sendChunks');
  return chunks === undefined || (Array.isArray(chunks) && isStrings(chunks as readonly JsonValue[]));
}

function isStrings(items: readonly JsonValue[]): boolean {
  return items.every((item) => typeof item === 'string');
}

function hasMember(object: JsonObject, [key, type]: readonly [string, string]): boolean {
  return Object.hasOwn(object, key) && (type === 'any' || typeOf(object, key) === type);
}

function typeOf(object: JsonObject, key: string): string {
  const value = ownMember(object, key);
  return Array.isArray(value) ? 'array' : typeof value;
}

/** All vectors of a revision, as files. */
import { wireMethods, type Protocol } from '../model/protocol.js';
import { DefinitionVectors } from './definition.js';
import { envelopeMethod, envelopeVectors } from './envelope.js';
import { VECTORS_FORM, type VectorFile, type VectorFlag, type VectorIndex } from './form.js';
import { framingVectors } from './framing.js';
import { MessageVectors } from './messages.js';
import { OfficialVerdicts } from './official.js';
import { sessionVectors } from './sessions.js';

/** The vectors of a revision. */
export interface VectorSet {
  readonly index: VectorIndex;
  /** By their paths below the folder of the revision. */
  readonly files: ReadonlyMap<string, VectorFile>;
}

const FLAG_NOTES: Readonly<Record<VectorFlag, string>> = {
  notation: 'How a number is written matters: a parser may lose it, so `text` has the exact JSON.',
  'large-integer': 'A number above 2^53 - 1, which cannot be kept exactly as a double.',
  'unusual-name': 'A name that objects of JavaScript inherit, such as `__proto__`.',
  'lone-surrogate': 'An escape sequence that is not a Unicode character; a parser may replace or reject it.',
};

/**
 * Makes the vectors of a protocol.
 *
 * @param official - The same protocol read without errata, for the verdicts of the official schema.
 */
export function vectorsOf(protocol: Protocol, official: Protocol = protocol): VectorSet {
  const verdicts = new OfficialVerdicts(protocol, official);
  const files = new Map<string, VectorFile>();
  const definitions = new DefinitionVectors(protocol);
  const definitionPath = uniquePaths('definitions');
  for (const definition of protocol.definitions) {
    const { name } = definition;
    const vectors = definitions.of(definition).map(({ value, text, ...vector }) => ({
      ...vector,
      ...verdicts.of(name, value, vector.valid),
      value,
      ...(text === undefined ? {} : { text }),
    }));
    if (vectors.length > 0) files.set(definitionPath(name), { kind: 'definition', definition: name, vectors });
  }
  const messages = new MessageVectors(protocol, definitions.values, verdicts);
  const messagePath = uniquePaths('messages');
  const shown = envelopeMethod(protocol, messages);
  if (shown !== undefined) {
    const vectors = envelopeVectors(protocol, messages, shown, verdicts);
    files.set(messagePath('envelope'), { kind: 'message', method: shown.name, vectors });
  }
  for (const method of wireMethods(protocol)) {
    const vectors = messages.of(method);
    if (vectors.length > 0) files.set(messagePath(method.name), { kind: 'message', method: method.name, vectors });
  }
  if (protocol.source.builtin && protocol.partOf === undefined) {
    const { version } = protocol;
    files.set('framing.json', { kind: 'framing', vectors: framingVectors(version) });
    files.set('sessions.json', { kind: 'session', vectors: sessionVectors(version) });
  }
  return { index: indexOf(protocol, files), files };
}

function indexOf(protocol: Protocol, files: ReadonlyMap<string, VectorFile>): VectorIndex {
  const flags = new Set([...files.values()].flatMap(({ vectors }) => vectors.flatMap((vector) => vector.flags ?? [])));
  return {
    form: VECTORS_FORM,
    revision: protocol.revision,
    extensions: protocol.extensions.map(({ id }) => id),
    schema: protocol.source.sha256,
    flags: Object.fromEntries(Object.entries(FLAG_NOTES).filter(([flag]) => flags.has(flag as VectorFlag))),
    files: [...files].map(([path, file]) => ({
      path,
      kind: file.kind,
      ...(file.kind === 'definition' ? { subject: file.definition } : {}),
      ...(file.kind === 'message' ? { subject: file.method } : {}),
      count: file.vectors.length,
    })),
  };
}

/** Paths of files in a folder by what they are about; unique also where case does not matter. */
function uniquePaths(folder: string): (subject: string) => string {
  const taken = new Set<string>();
  return (subject) => {
    const base = subject.replace(/[^\w.-]+/g, '.').replace(/^\.+/, '') || 'other';
    let name = base;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${base}-${number}`;
    taken.add(name.toLowerCase());
    return `${folder}/${name}.json`;
  };
}

/** The vectors of built-in revisions, made when they are needed. */
import { loadProtocol } from '../model/load.js';
import { framingVectors } from './framing.js';
import type { VectorFile } from './form.js';
import type { RevisionFile } from './read.js';
import { sessionVectors } from './sessions.js';
import { vectorsOf } from './set.js';

/** The vectors of built-in revisions, one revision after the other. */
export async function* builtinVectors(
  revisions: readonly string[],
  isWanted: (kind: VectorFile['kind']) => boolean = () => true,
): AsyncIterable<RevisionFile> {
  for (const revision of revisions) {
    for (const file of await filesOf(revision, isWanted)) {
      if (isWanted(file.kind)) yield { revision, file };
    }
  }
}

async function filesOf(
  revision: string,
  isWanted: (kind: VectorFile['kind']) => boolean,
): Promise<Iterable<VectorFile>> {
  if (isWanted('definition') || isWanted('message')) {
    const [protocol, official] = await Promise.all([
      loadProtocol({ revision }),
      loadProtocol({ revision, errata: false }),
    ]);
    return vectorsOf(protocol, official).files.values();
  }
  // These need no schema.
  return [
    { kind: 'framing', vectors: framingVectors(revision) },
    { kind: 'session', vectors: sessionVectors(revision) },
  ];
}

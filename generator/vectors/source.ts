/** The vectors of built-in revisions, made when they are needed. */
import { loadProtocol } from '../model/load.js';
import { framingVectors } from './framing.js';
import type { VectorFile } from './form.js';
import type { RevisionFile } from './read.js';
import { sessionVectors } from './sessions.js';
import { vectorsOf } from './set.js';

/** The files of a revision that do not depend on its schema: framing and sessions. */
function conversationFiles(revision: string): readonly VectorFile[] {
  return [
    { kind: 'framing', vectors: framingVectors(revision) },
    { kind: 'session', vectors: sessionVectors(revision) },
  ];
}

/** All files of a revision. */
async function allFiles(revision: string): Promise<readonly VectorFile[]> {
  const protocol = await loadProtocol({ revision });
  return [...vectorsOf(protocol, await loadProtocol({ revision, errata: false })).files.values()];
}

/** The vectors of built-in revisions. */
export async function* builtinVectors(
  revisions: readonly string[],
  isWanted: (kind: VectorFile['kind']) => boolean = () => true,
): AsyncIterable<RevisionFile> {
  const needsSchema = isWanted('definition') || isWanted('message');
  for (const revision of revisions) {
    for (const file of needsSchema ? await allFiles(revision) : conversationFiles(revision)) {
      if (isWanted(file.kind)) yield { revision, file };
    }
  }
}

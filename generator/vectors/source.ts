/** The vectors of built-in revisions, made when they are needed. */
import { framingVectors } from './framing.js';
import type { VectorFile } from './form.js';
import type { RevisionFile } from './read.js';
import { sessionVectors } from './sessions.js';

/** The files of a revision that do not depend on its schema: framing and sessions. */
export function conversationFiles(revision: string): readonly VectorFile[] {
  return [
    { kind: 'framing', vectors: framingVectors(revision) },
    { kind: 'session', vectors: sessionVectors(revision) },
  ];
}

/** The vectors of built-in revisions. */
export async function* builtinVectors(
  revisions: readonly string[],
  isWanted: (kind: VectorFile['kind']) => boolean = () => true,
): AsyncIterable<RevisionFile> {
  for (const revision of revisions) {
    for (const file of conversationFiles(revision)) {
      if (isWanted(file.kind)) yield await Promise.resolve({ revision, file });
    }
  }
}

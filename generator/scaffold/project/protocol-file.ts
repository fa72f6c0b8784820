import { revisionIdentifier } from '../../model/naming.js';
import type { ProjectKind, KnownRevision } from './selection.js';

/** The revision whose types a project uses, from that file. */
export function typedRevision(text: string, kind: ProjectKind): string | undefined {
  return new RegExp(`\\bfrom\\s*["'][^"'\\n]*/([^/"'\\n]+)/${kind}(?:\\.[jt]s)?["']`).exec(text)?.[1];
}

/** The only file that names revisions: those that the project speaks, and the one whose types the code uses. */
export function protocolFile(kind: ProjectKind, revisions: readonly KnownRevision[]): string {
  const names = revisions.map(({ revision }) => revision);
  const newest = names.at(-1) ?? '';
  const folder = `./generated/${newest}`;
  const exported =
    kind === 'server'
      ? [
          `export { createServer } from "${folder}/server.js";`,
          `export type { ServerContext } from "${folder}/server.js";`,
        ]
      : [
          `export { createClient } from "${folder}/client.js";`,
          `export type { Client, ClientHandlers } from "${folder}/client.js";`,
        ];
  return [
    names.length > 1
      ? `// The supported revisions of the protocol. The ${kind} is written with the types of the newest.`
      : '// The supported revision of the protocol.',
    ...names.map(
      (name) => `import { ${kind}Revision as ${revisionIdentifier(name)} } from "./generated/${name}/revision.js";`,
    ),
    '',
    ...exported,
    '',
    `export const revisions = [${names.map(revisionIdentifier).join(', ')}];`,
    '',
  ].join('\n');
}

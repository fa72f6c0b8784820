import type { Kind, KnownRevision } from './selection.js';

/** The one file that names revisions: what is spoken, and in whose types the code is written. */
export function protocolFile(kind: Kind, revisions: readonly KnownRevision[]): string {
  const names = revisions.map(({ revision }) => revision);
  const newest = names.at(-1) ?? '';
  const local = (name: string): string => `revision${name.replace(/\W/g, '')}`;
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
  const types = names.length > 1 ? ' It is written in the types of the newest.' : '';
  return [
    `// The ${names.length > 1 ? 'revisions' : 'revision'} of the protocol that this ${kind} speaks.${types}`,
    ...names.map((name) => `import { revision as ${local(name)} } from "./generated/${name}/revision.js";`),
    '',
    ...exported,
    '',
    `export const revisions = [${names.map(local).join(', ')}];`,
    '',
  ].join('\n');
}

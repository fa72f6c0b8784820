import { McpgenError } from '../errors.js';
import { formatPointer } from '../read/json/json.js';
import { SIDES, sideWords, type Protocol } from '../model/protocol.js';
import { capitalize } from '../model/naming.js';
import { isReserved } from '../print/names.js';
import { SourceFile, fileExtension, type ImportExtension, type ModuleName } from '../print/source-file.js';
import { emitAliases } from './aliases.js';
import { emitClient } from './client.js';
import { createEmitContext, type EmitContext } from './context.js';
import { emitErrors } from './errors.js';
import { emitGuards } from './guards.js';
import { hasRoles } from './handled.js';
import { emitMessages } from './messages.js';
import { emitMethods } from './methods.js';
import { isSharedPart, PARTS_OF_ROLES, withDependencies, type Emittable, type SharedPart } from './parts.js';
import { emitRevision } from './revision.js';
import { emitServer } from './server.js';
import { emitPeerProtocol, emitSide } from './sides.js';
import { emitStubs } from './stubs.js';
import { emitTypes } from './types.js';
import { emitValidators } from './validators.js';
import { emitZod } from './zod.js';

/** What an emitter may use in addition to the protocol. */
interface EmitRequest {
  /** All emitted parts. */
  readonly parts: readonly Emittable[];
  /** The methods to emit stubs for; undefined for all that need one. */
  readonly stubbed: readonly string[] | undefined;
}

type Emitter = (context: EmitContext, asked: EmitRequest) => SourceFile | undefined;

/** The emitter of each part with a file for each revision. */
const EMITTERS: Readonly<Record<Exclude<Emittable, SharedPart>, Emitter>> = {
  types: emitTypes,
  methods: emitMethods,
  messages: emitMessages,
  guards: emitGuards,
  validators: emitValidators,
  errors: emitErrors,
  revision: (context) => (hasRoles(context.protocol) ? emitRevision(context) : emitPeerProtocol(context)),
  client: (context) => (hasRoles(context.protocol) ? emitClient(context) : emitSide(context, 'client')),
  server: (context) => (hasRoles(context.protocol) ? emitServer(context) : emitSide(context, 'server')),
  stubs: (context, { stubbed }) => emitStubs(context, stubbed),
  zod: emitZod,
  aliases: (context, { parts }) => emitAliases(context, parts),
};

/**
 * Emits the files of a revision.
 *
 * @param protocol - The protocol.
 * @param parts - The requested parts; their dependencies are added.
 * @param stubbed - The methods that `stubs` creates handlers for; by default all that need one.
 * @throws {@link McpgenError} if names collide.
 */
export function emit(
  protocol: Protocol,
  parts: readonly Emittable[],
  importExtension: ImportExtension,
  stubbed?: readonly string[],
): readonly SourceFile[] {
  const context = createEmitContext(protocol);
  refuseSideWords(context);
  const all = withDependencies(parts);
  const files = all.flatMap((part) =>
    isSharedPart(part) ? [] : (EMITTERS[part](context, { parts: all, stubbed }) ?? []),
  );
  const exported = files.filter(({ belongsToUser }) => !belongsToUser);
  refuseFileCollisions(files, context);
  refuseNameCollisions(exported, context);
  refuseAmbiguousNames(files, context);
  return [...files, emitIndex(exported, importExtension)];
}

/**
 * Rejects parts that a protocol of plain JSON-RPC does not have.
 *
 * @throws {@link McpgenError} with the first one.
 */
export function refusePartsOfRoles(protocol: Protocol, parts: readonly Emittable[]): void {
  const part = hasRoles(protocol) ? undefined : parts.find((item) => PARTS_OF_ROLES.includes(item));
  if (part === undefined) return;
  throw new McpgenError(`${protocol.name} has no part ${part}: the catalog does not have the trait "roles"`, {
    place: '--emit',
    remedy: 'Omit the part; client and server, over stdio or any other transport, do not need it.',
  });
}

/** Members of the context of handlers, which has the other side as another one. */
const CONTEXT_MEMBERS: ReadonlySet<string> = new Set(['requestId', 'signal']);

/** A side's word names types, a variable in examples, and a member of the context of handlers. */
function refuseSideWords({ protocol }: EmitContext): void {
  const words = sideWords(protocol);
  for (const word of SIDES.map((side) => words[side])) {
    const name = capitalize(word);
    const fault = isReserved(word)
      ? 'is reserved in TypeScript'
      : isReserved(name)
        ? `would declare ${name}, which is reserved`
        : CONTEXT_MEMBERS.has(word)
          ? "is the name of a member of the handlers' context"
          : undefined;
    if (fault !== undefined)
      throw new McpgenError(`the word ${JSON.stringify(word)} for a side ${fault}`, sidesPlace(protocol));
  }
}

/** A side's word must not make a file declare what it declares or imports already. */
function refuseAmbiguousNames(files: readonly SourceFile[], { protocol }: EmitContext): void {
  if (hasRoles(protocol)) return;
  for (const file of files) {
    const [name] = file.ambiguousNames();
    if (name !== undefined)
      throw new McpgenError(`${file.fileName}.ts would declare ${name} more than once`, sidesPlace(protocol));
  }
}

function sidesPlace({ source }: Protocol): { readonly place: string; readonly remedy: string } {
  return {
    place: `${source.catalogFile ?? source.file}#/traits/sides`,
    remedy: 'Choose another word for the side.',
  };
}

/** A side's word names a file. On some disks, names that differ in case only are one. */
function refuseFileCollisions(files: readonly SourceFile[], { protocol }: EmitContext): void {
  const seen = new Set<string>(['index']);
  for (const { fileName } of files) {
    const folded = fileName.toLowerCase();
    if (seen.has(folded)) throw new McpgenError(`two files would be named ${fileName}.ts`, sidesPlace(protocol));
    seen.add(folded);
  }
}

function emitIndex(files: readonly SourceFile[], importExtension: ImportExtension): SourceFile {
  const index = new SourceFile('index');
  index.add(
    ...files.map((file) => {
      const keyword = TYPE_ONLY_MODULES.has(file.name) ? 'export type *' : 'export *';
      return `${keyword} from "./${file.fileName}${fileExtension(importExtension)}";\n`;
    }),
  );
  return index;
}

/** Files without run-time code. */
const TYPE_ONLY_MODULES: ReadonlySet<ModuleName> = new Set<ModuleName>(['types', 'messages']);

/** One index exports all files, so a definition must not have a name that another file exports. */
function refuseNameCollisions(files: readonly SourceFile[], { names, protocol }: EmitContext): void {
  const owners = new Map([...names].map(([definition, name]) => [name, definition]));
  const exported = new Map<string, ModuleName>();
  for (const file of files) {
    if (file.name === 'types') continue;
    for (const name of file.exports()) {
      const other = exported.get(name);
      if (other !== undefined) {
        throw new McpgenError(
          `two definitions or methods would both be named ${name} (${other}.ts and ${file.name}.ts)`,
          {
            place: protocol.source.file,
            remedy: 'Rename the definition that the name is derived from.',
          },
        );
      }
      exported.set(name, file.name);
    }
    for (const name of file.declared()) {
      const definition = owners.get(name);
      if (definition === undefined) continue;
      throw new McpgenError(
        `the definition ${JSON.stringify(definition)} has a name that ${file.name}.ts ${file.exports().includes(name) ? 'exports' : 'uses'} itself`,
        {
          place: `${protocol.source.file}#${formatPointer('$defs', definition)}`,
          remedy: 'Rename it in the schema.',
        },
      );
    }
  }
}

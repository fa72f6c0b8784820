import type { CatalogError, CatalogMethod, Direction, MessageKind } from '../read/catalog.js';
import type { Erratum } from '../read/errata.js';
import type { JsonValue } from '../read/json/json.js';

export type { CatalogError, Direction, MessageKind };

/** Keywords that narrow a type beyond what TypeScript can say; kept for docs and validators. */
export type Constraints = Readonly<Record<string, JsonValue>>;

/** What a definition or member is, with JSON Schema's spelling taken off. */
export type TypeNode =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'never' }
  | {
      readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'null';
      readonly constraints: Constraints;
    }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'array'; readonly items: TypeNode; readonly constraints: Constraints }
  | ObjectNode
  | { readonly kind: 'union'; readonly exclusive: boolean; readonly variants: readonly TypeNode[] }
  | { readonly kind: 'intersection'; readonly parts: readonly TypeNode[] }
  | { readonly kind: 'ref'; readonly name: string };

/** An object type. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly members: readonly Member[];
  /** What members beyond the named ones hold; absent where the schema says nothing of them. */
  readonly rest?: TypeNode;
  /**
   * How an object without named members was meant: `map` has keys of its own (`Record<string, unknown>`), `opaque` is
   * any object at all (TypeScript's `object`), `empty` has no members that the protocol knows of yet.
   */
  readonly shape: 'members' | 'map' | 'opaque' | 'empty';
  readonly constraints: Constraints;
}

/** A named member of an object type. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly type: TypeNode;
  readonly doc?: string;
  readonly deprecated?: string | true;
  readonly defaultValue?: JsonValue;
}

/** A definition of the schema. */
export interface Definition {
  /** Its name in the schema. */
  readonly name: string;
  readonly type: TypeNode;
  readonly doc?: string;
  readonly deprecated?: string | true;
  readonly defaultValue?: JsonValue;
}

/** A method of the protocol. */
export interface Method {
  readonly name: string;
  readonly kind: MessageKind;
  readonly direction: Direction;
  /** The definition that carries the method's literal. */
  readonly message: string;
  /** Name of the params' definition, `<Message>.params` where they have none of their own, or null without params. */
  readonly params: string | null;
  /** Definitions of its possible results, the complete one first; empty for a notification. */
  readonly results: readonly string[];
  /** The definition of the answer when the request asked for a task. */
  readonly taskResult?: string;
  /**
   * Capability paths that must have been declared; empty where none is needed. One of each side where the method goes
   * both ways: a request needs the receiver's, a notification the sender's.
   */
  readonly capabilities: readonly string[];
  readonly summary: string;
  readonly deprecated?: string;
}

/** Where a protocol was read from; named in every generated file. */
export interface Source {
  /** `schema/<revision>/schema.json` or the name of the file that was given. */
  readonly file: string;
  /** SHA-256 of the official file, or of the file that was given, in hexadecimal. */
  readonly sha256: string;
  /** Whether it is one of the revisions that ship with the generator. */
  readonly builtin: boolean;
  /** Name of the catalog file that was given; absent where the built-in one was used. */
  readonly catalogFile?: string;
  /** Whether errata were to be applied, be there any or not. */
  readonly corrected: boolean;
}

/** Something that a reader of the schema should know but that does not stop generation. */
export interface Warning {
  readonly place: string;
  readonly message: string;
}

/** A name that a definition had in earlier revisions. */
export interface FormerName {
  /** The name that it had. */
  readonly before: string;
  /** The definition, by its name now. */
  readonly after: string;
  /** The first revision that no longer has the old name. */
  readonly revision: string;
}

/** A protocol revision: all that emitters need to know. */
export interface Protocol {
  readonly name: string;
  /** Its name here, and that of its folder. */
  readonly revision: string;
  /** What the two sides call it: another name than `revision` only for a known official file that was given one. */
  readonly version: string;
  /** Whether it may still change. */
  readonly isDraft: boolean;
  readonly source: Source;
  readonly lifecycle: 'stateful' | 'stateless';
  readonly batches: boolean;
  /** All definitions, by name. */
  readonly definitions: readonly Definition[];
  /** All methods, by name. */
  readonly methods: readonly Method[];
  readonly errors: readonly CatalogError[];
  /** Names that definitions had in earlier revisions. */
  readonly formerNames: readonly FormerName[];
  /** Errata that were applied to the schema. */
  readonly errata: readonly Erratum[];
  readonly warnings: readonly Warning[];
}

/** Definitions that refer to each other. */
export type Definitions = Pick<Protocol, 'definitions'>;

/** A side of the conversation. */
export type Side = 'client' | 'server';

/** The unions of the schema that list what travels in a direction. */
export const DIRECTION_UNIONS = {
  clientToServer: { request: 'ClientRequest', notification: 'ClientNotification', result: 'ClientResult' },
  serverToClient: { request: 'ServerRequest', notification: 'ServerNotification', result: 'ServerResult' },
} as const;

/** The methods of one kind that one side sends on the wire; never an embedded one. */
export function methodsFrom(protocol: Protocol, sender: Side, kind: MessageKind): readonly Method[] {
  const direction: Direction = sender === 'client' ? 'clientToServer' : 'serverToClient';
  return protocol.methods.filter(
    (method) => method.kind === kind && (method.direction === direction || method.direction === 'both'),
  );
}

/** The methods that travel on the wire. */
export function wireMethods(protocol: Protocol): readonly Method[] {
  return protocol.methods.filter((method) => method.direction !== 'embedded');
}

/** The methods that travel only inside results. */
export function embeddedMethods(protocol: Protocol): readonly Method[] {
  return protocol.methods.filter((method) => method.direction === 'embedded');
}

/** The definition of a name, if the schema has it. */
export function findDefinition(protocol: Definitions, name: string): Definition | undefined {
  return protocol.definitions.find((definition) => definition.name === name);
}

/** A method as its row in a catalog has it. */
export function methodFromRow(row: CatalogMethod): Method {
  return {
    name: row.method,
    kind: row.kind,
    direction: row.direction,
    message: row.message,
    params: row.params,
    results: [row.result ?? []].flat(),
    capabilities: [row.capability ?? []].flat(),
    summary: row.summary,
    ...(row.taskResult === undefined ? {} : { taskResult: row.taskResult }),
    ...(row.deprecated === undefined ? {} : { deprecated: row.deprecated }),
  };
}

/** Whether a name is that of a member that every object inherits: reading it plainly finds what nobody gave. */
export function isObjectPrototypeMember(name: string): boolean {
  return name in Object.prototype;
}

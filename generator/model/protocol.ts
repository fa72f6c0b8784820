import {
  DEFAULT_SIDES,
  directionsOf,
  type BySide,
  type CatalogError,
  type CatalogMethod,
  type Direction,
  type MessageKind,
  type Traits,
} from '../read/catalog.js';
import type { Erratum } from '../read/errata.js';
import type { JsonValue } from '../read/json/json.js';
import { pascalCase } from './naming.js';

export type { CatalogError, Direction, MessageKind, Traits };

/** Keywords that narrow a type beyond what TypeScript can express; kept for docs and validators. */
export type Constraints = Readonly<Record<string, JsonValue>>;

/** The type of a definition or member, independent of JSON Schema syntax. */
export type TypeNode =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'never' }
  | {
      readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'null';
      readonly constraints: Constraints;
    }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | ArrayNode
  | ObjectNode
  | { readonly kind: 'union'; readonly exclusive: boolean; readonly variants: readonly TypeNode[] }
  | { readonly kind: 'intersection'; readonly parts: readonly TypeNode[] }
  | { readonly kind: 'ref'; readonly name: string }
  | RefinedNode;

/** The type of an array. */
export interface ArrayNode {
  readonly kind: 'array';
  /** The types of the first items, if the schema has one for each position; a shorter array is valid too. */
  readonly prefix?: readonly TypeNode[];
  /** The type of all other items. */
  readonly items: TypeNode;
  readonly constraints: Constraints;
}

/** A type whose values also follow rules that TypeScript cannot express; {@link RefinedNode.type} is wider. */
export interface RefinedNode {
  readonly kind: 'refined';
  readonly type: TypeNode;
  readonly rules: readonly Rule[];
}

/** A rule for values; one that is about members or items says nothing about other values. */
export type Rule =
  /** Values are also of a type that only limits them. */
  | { readonly rule: 'also' | 'not'; readonly type: TypeNode }
  /** Values of the type `if` are of `then`, others of `else`. */
  | { readonly rule: 'if'; readonly if: TypeNode; readonly then: TypeNode; readonly else: TypeNode }
  /** At least `min` items of an array, and at most `max`, are of the type. */
  | { readonly rule: 'contains'; readonly type: TypeNode; readonly min: number; readonly max?: number }
  /** The names of members are of the type. */
  | { readonly rule: 'names'; readonly type: TypeNode }
  /** An object with the member is of the type. */
  | { readonly rule: 'dependent'; readonly member: string; readonly type: TypeNode }
  /** Members or items that no other part of the schema evaluates are of the type (JSON Schema 2020-12, 11). */
  | {
      readonly rule: 'unevaluatedMembers' | 'unevaluatedItems';
      readonly type: TypeNode;
      readonly evaluated: Evaluation;
    };

/** The members or items that a schema evaluates. */
export interface Evaluation {
  readonly all: boolean;
  /** Names of members. */
  readonly members: readonly string[];
  /** Regular expressions of the names of members. */
  readonly patterns: readonly string[];
  /** Number of items at the beginning. */
  readonly items: number;
  /** Types of items that count as evaluated wherever they are. */
  readonly contained: readonly TypeNode[];
  /** What is evaluated as well if the value is of a type, or if it is not. */
  readonly branches: readonly { readonly type: TypeNode; readonly then: Evaluation; readonly else?: Evaluation }[];
}

/** An object type. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly members: readonly Member[];
  /** The types of members whose names match a regular expression, also of named ones. */
  readonly patterns?: readonly PatternMember[];
  /** The type of members beyond the named ones; absent if the schema does not define it. */
  readonly rest?: TypeNode;
  /**
   * The meaning of an object without named members: `map` has arbitrary keys (`Record<string, unknown>`), `opaque` is
   * any object (TypeScript's `object`), `empty` has no members that the protocol defines yet.
   */
  readonly shape: 'members' | 'map' | 'opaque' | 'empty';
  readonly constraints: Constraints;
}

/** Members by the regular expression that their names match. */
export interface PatternMember {
  readonly pattern: string;
  readonly type: TypeNode;
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
  /** The extension that it is from, if it is from one. */
  readonly extension?: string;
  readonly type: TypeNode;
  readonly doc?: string;
  readonly deprecated?: string | true;
  readonly defaultValue?: JsonValue;
  /** Whether it is a message that was built from params, since the schema has none. */
  readonly isBuilt?: true;
}

/** A method of the protocol. */
export interface Method {
  readonly name: string;
  readonly kind: MessageKind;
  readonly direction: Direction;
  /** The definition that has the method's literal: of the schema, or built. */
  readonly message: string;
  /** Name of the params' definition, `<Message>.params` if they are inline, or null without params. */
  readonly params: string | null;
  /** Definitions of its possible results, the complete one first; empty for a notification. */
  readonly results: readonly string[];
  /** Those of the results that the client follows to the final one, so that its methods never return them. */
  readonly followedResults?: readonly string[];
  /** The definition of the result of a task-augmented request. */
  readonly taskResult?: string;
  /**
   * Capability paths that must have been declared; empty if none is needed. If both sides send the method, one of each
   * side: a request needs the receiver's, a notification the sender's.
   */
  readonly capabilities: readonly string[];
  readonly summary: string;
  readonly deprecated?: string;
  /** The extension that it is from, if it is from one. */
  readonly extension?: string;
  /** Whether a notification of an extension is only sent on a subscription, not for the request that is handled. */
  readonly subscription?: true;
}

/** The files that a protocol was read from; named in every generated file. */
export interface Source {
  /** `schema/<revision>/schema.json`, or the name of the given file. */
  readonly file: string;
  /** SHA-256 of the official file, or of the given file, in hexadecimal. */
  readonly sha256: string;
  /** Whether it is one of the revisions that ship with the generator. */
  readonly builtin: boolean;
  /** Name of the given catalog file; absent for the built-in one. */
  readonly catalogFile?: string;
  /** Whether errata were enabled, even if none apply. */
  readonly corrected: boolean;
}

/** An extension that was added to a revision. */
export interface ProtocolExtension {
  /** Its identifier, such as `io.modelcontextprotocol/tasks`. */
  readonly id: string;
  readonly summary: string;
  /** Whether it may still change. */
  readonly isDraft: boolean;
  readonly source: Source;
}

/** A problem of a schema that does not stop generation. */
export interface Warning {
  readonly place: string;
  readonly message: string;
  /** How to fix it. */
  readonly remedy?: string;
}

/** A name that a definition had in earlier revisions. */
export interface FormerName {
  /** The old name. */
  readonly before: string;
  /** The current name. */
  readonly after: string;
  /** The first revision that no longer has the old name. */
  readonly revision: string;
}

/** A protocol revision, with everything that emitters need. */
export interface Protocol {
  readonly name: string;
  /** Its name, and that of its folder. */
  readonly revision: string;
  /** Its version on the wire; differs from `revision` only for an official file that was given a custom name. */
  readonly version: string;
  /** Whether it may still change. */
  readonly isDraft: boolean;
  readonly source: Source;
  readonly lifecycle: 'stateful' | 'stateless' | undefined;
  readonly batches: boolean;
  /** Facts of the protocol that the generator knows by name. */
  readonly traits: Traits;
  /** All definitions, by name. */
  readonly definitions: readonly Definition[];
  /** All methods, by name. */
  readonly methods: readonly Method[];
  readonly errors: readonly CatalogError[];
  /** The extension whose sides speak it with each other, if it is the protocol of one. */
  readonly partOf?: string;
  /** Files of the runtime that its programs need in addition to those of every protocol, without extension. */
  readonly runtime?: readonly `runtime/${string}`[];
  /** The extensions that were added, in the order in which they were requested. */
  readonly extensions: readonly ProtocolExtension[];
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

/** Both sides, the one that opens the connection first. */
export const SIDES: readonly Side[] = ['client', 'server'];

/** The other side. */
export function peerOf(side: Side): Side {
  return side === 'client' ? 'server' : 'client';
}

/** The protocol's words for its sides. */
export function sideWords({ traits }: Pick<Protocol, 'traits'>): BySide<string> {
  return traits.sides ?? DEFAULT_SIDES;
}

/** A direction in the protocol's words, such as `clientToServer`. */
export function directionWord(protocol: Pick<Protocol, 'traits'>, direction: Direction): string {
  const words = directionsOf(sideWords(protocol));
  return [...words].find(([, meant]) => meant === direction)?.[0] ?? direction;
}

/** The definitions that list what the sides send; their changes are those of methods and results. */
export function unionNames({ unions }: Traits): readonly string[] {
  return unions === undefined ? [] : SIDES.flatMap((side) => Object.values<string>(unions[side]));
}

/** The methods of one kind that one side sends on the wire; never an embedded one. */
export function methodsFrom(protocol: Protocol, sender: Side, kind: MessageKind): readonly Method[] {
  const direction: Direction = sender === 'client' ? 'clientToServer' : 'serverToClient';
  return protocol.methods.filter(
    (method) => method.kind === kind && (method.direction === direction || method.direction === 'both'),
  );
}

/** The methods that are messages. */
export function wireMethods(protocol: Protocol): readonly Method[] {
  return protocol.methods.filter((method) => method.direction !== 'embedded');
}

/** The embedded methods, which are only sent inside results. */
export function embeddedMethods(protocol: Protocol): readonly Method[] {
  return protocol.methods.filter((method) => method.direction === 'embedded');
}

/** Definitions by name, for each list that was searched: emitters search one for every method and reference. */
const definitionsByName = new WeakMap<readonly Definition[], ReadonlyMap<string, Definition>>();

/** The definition with a name, if the schema has it. */
export function findDefinition({ definitions }: Definitions, name: string): Definition | undefined {
  let byName = definitionsByName.get(definitions);
  if (byName === undefined) {
    // The first of a name counts, as in a search from the start.
    byName = new Map(definitions.map((definition) => [definition.name, definition] as const).reverse());
    definitionsByName.set(definitions, byName);
  }
  return byName.get(name);
}

/**
 * Converts a row of a catalog to a method.
 *
 * @param shared - The params of several methods, as {@link sharedParams} finds them.
 */
export function methodFromRow(row: CatalogMethod, shared: ReadonlySet<string> = new Set()): Method {
  return {
    name: row.method,
    kind: row.kind,
    direction: row.direction,
    message: row.message ?? builtMessageName(row, shared),
    params: row.params,
    results: [row.result ?? []].flat(),
    capabilities: [row.capability ?? []].flat(),
    summary: row.summary,
    ...(row.followedResults === undefined ? {} : { followedResults: row.followedResults }),
    ...(row.taskResult === undefined ? {} : { taskResult: row.taskResult }),
    ...(row.deprecated === undefined ? {} : { deprecated: row.deprecated }),
    ...(row.subscription === undefined ? {} : { subscription: row.subscription }),
  };
}

/**
 * The names on a capability path such as `server.tools`, side first. What follows `extensions` is the identifier of an
 * extension, which has dots.
 */
export function capabilitySteps(path: string): readonly string[] {
  const [side = '', name = '', ...rest] = path.split('.');
  return name === 'extensions' && rest.length > 0 ? [side, name, rest.join('.')] : [side, name, ...rest];
}

/** The capability path of an extension that a side declares, which is named by its word. */
export function extensionCapability(side: string, id: string): string {
  return `${side}.extensions.${id}`;
}

/** The definitions that are the params of several messages that are built. */
export function sharedParams(rows: readonly Pick<Partial<CatalogMethod>, 'message' | 'params'>[]): ReadonlySet<string> {
  const all = rows.flatMap(({ message, params }) => (message === undefined ? (params ?? []) : []));
  return repeated(all);
}

/** What is in a list more than once. */
export function repeated<T>(list: readonly T[]): ReadonlySet<T> {
  const seen = new Set<T>();
  return new Set(list.filter((item) => seen.size === seen.add(item).size));
}

/** The name of a message that is built: after its params, or after its method if it shares them or has none. */
export function builtMessageName(
  { params, method }: Pick<CatalogMethod, 'params' | 'method'>,
  shared: ReadonlySet<string>,
): string {
  return `${params === null || shared.has(params) ? pascalCase(method) : params}Message`;
}

/** Whether every object inherits a member of this name, which a plain read would find. */
export function isObjectPrototypeMember(name: string): boolean {
  return name in Object.prototype;
}

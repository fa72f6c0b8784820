import { compareText } from '../../read/json/json.js';
import type { Direction, MessageKind, Traits } from '../../read/catalog.js';
import { SIDES } from '../protocol.js';
import type { Definition, ObjectNode, TypeNode } from '../protocol.js';
import { hasAnnotations, NO_ANNOTATIONS, type SchemaAnnotations } from './annotations.js';
import { deriveAnnotatedMethods } from './derive-annotated.js';
import type { Derived, DerivedError, DerivedMethod } from './derived.js';
export { memberOf } from '../types/members.js';
export type { Derived, DerivedError, DerivedMethod } from './derived.js';
import { memberOf } from '../types/members.js';
import { followReferences, refsIn } from '../types/references.js';
import { shapeKey } from '../types/shape-key.js';

/** What is known about a schema in addition to its definitions. */
export interface DerivationSource {
  /** Names by which the protocol's facts are recognized. */
  readonly traits: Traits;
  readonly annotations?: SchemaAnnotations;
}

/** Derives methods, directions, results and error codes from a schema. */
export function deriveMethods(
  definitions: readonly Definition[],
  { traits, annotations = NO_ANNOTATIONS }: DerivationSource,
): Derived {
  const errors = definitions.flatMap(pinnedErrorCode);
  if (hasAnnotations(annotations))
    return { methods: deriveAnnotatedMethods(annotations, traits), errors, aliases: new Map(), unplaced: [] };
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const aliases = findAliases(definitions, traits);
  const placed = deriveDirections(byName, aliases, traits);
  const embedded = findEmbeddedMessages(definitions);
  const methods = definitions
    .flatMap((definition): (DerivedMethod & { readonly message: string })[] => {
      const method = methodLiteralOf(definition.type);
      if (method === undefined || aliases.has(definition.name)) return [];
      const direction = placed.get(definition.name) ?? (embedded.has(definition.name) ? 'embedded' : undefined);
      const kind = deriveKind(definition, byName, traits);
      const params = deriveParams(definition, byName, traits);
      return [
        {
          method,
          message: definition.name,
          params,
          ...(kind === undefined ? {} : { kind }),
          ...(direction === undefined ? {} : { direction }),
          ...(kind === 'request' ? deriveResults(definition, byName, traits) : {}),
        },
      ];
    })
    .sort((a, b) => compareText(a.method, b.method) || compareText(a.message, b.message));
  return {
    methods,
    errors,
    aliases,
    unplaced: methods.filter((method) => method.direction === undefined).map((method) => method.message),
  };
}

/** The literal of a message definition's `method` member. */
export function methodLiteralOf(type: TypeNode): string | undefined {
  const method = memberOf(type, 'method')?.type;
  return method?.kind === 'literal' && typeof method.value === 'string' ? method.value : undefined;
}

/** A union of one message is in the schema as a copy of that message, and is treated as an alias of it. */
function findAliases(definitions: readonly Definition[], traits: Traits): ReadonlyMap<string, string> {
  const unions = messageUnions(traits).flatMap(([, names]) => names);
  const aliases = new Map<string, string>();
  for (const copy of definitions.filter((definition) => unions.includes(definition.name))) {
    if (methodLiteralOf(copy.type) === undefined) continue;
    const shape = shapeKey(copy.type);
    const original = definitions.find(
      (definition) => !unions.includes(definition.name) && shapeKey(definition.type) === shape,
    );
    if (original !== undefined) aliases.set(copy.name, original.name);
  }
  return aliases;
}

/** The unions of the messages of each side, by direction. */
function messageUnions({ unions }: Traits): readonly [Direction, readonly string[]][] {
  if (unions === undefined) return [];
  return SIDES.map((side): [Direction, readonly string[]] => {
    const { request, notification } = unions[side];
    return [side === 'client' ? 'clientToServer' : 'serverToClient', [request, notification]];
  });
}

function deriveDirections(
  byName: ReadonlyMap<string, Definition>,
  aliases: ReadonlyMap<string, string>,
  traits: Traits,
): ReadonlyMap<string, Direction> {
  const found = new Map<string, Direction>();
  for (const [direction, unions] of messageUnions(traits)) {
    for (const union of unions) {
      const alias = aliases.get(union);
      const members = alias === undefined ? variantNames(byName.get(union)?.type) : [alias];
      for (const name of members) {
        const earlier = found.get(name);
        found.set(name, earlier === undefined || earlier === direction ? direction : 'both');
      }
    }
  }
  return found;
}

/** Messages that are only values inside other definitions: members, items or map values. */
function findEmbeddedMessages(definitions: readonly Definition[]): ReadonlySet<string> {
  const used = new Set<string>();
  const collect = (type: TypeNode): void => {
    for (const name of refsIn(type)) used.add(name);
  };
  for (const definition of definitions) {
    if (definition.type.kind === 'object') {
      for (const member of definition.type.members) collect(member.type);
      if (definition.type.rest !== undefined) collect(definition.type.rest);
    } else if (definition.type.kind === 'array') {
      collect(definition.type.items);
    }
  }
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  for (const name of [...used]) for (const variant of variantNames(byName.get(name)?.type)) used.add(variant);
  return used;
}

function variantNames(type: TypeNode | undefined): readonly string[] {
  if (type?.kind === 'ref') return [type.name];
  if (type?.kind !== 'union') return [];
  return type.variants.flatMap((variant) => (variant.kind === 'ref' ? [variant.name] : []));
}

function deriveKind(
  definition: Definition,
  byName: ReadonlyMap<string, Definition>,
  { unions }: Traits,
): MessageKind | undefined {
  if (memberOf(definition.type, 'id') !== undefined) return 'request';
  const inUnion = (kind: MessageKind): boolean =>
    SIDES.some((side) => variantNames(byName.get(unions?.[side][kind] ?? '')?.type).includes(definition.name));
  if (inUnion('request')) return 'request';
  if (inUnion('notification')) return 'notification';
  if (definition.name.endsWith('Notification')) return 'notification';
  return definition.name.endsWith('Request') ? 'request' : undefined;
}

function deriveParams(
  definition: Definition,
  byName: ReadonlyMap<string, Definition>,
  { envelope = {} }: Traits,
): string | null {
  const params = memberOf(definition.type, 'params');
  if (params === undefined) return null;
  // An envelope may limit the params of every method, in addition to those of this one.
  const limits = new Set(
    [envelope.request, envelope.notification]
      .flatMap((name) => partsOf(memberOf(byName.get(name ?? '')?.type, 'params')?.type))
      .map((type) => shapeKey(type)),
  );
  const [own, ...others] = partsOf(params.type).filter((part) => !limits.has(shapeKey(part)));
  return own?.kind === 'ref' && others.length === 0 ? own.name : `${definition.name}.params`;
}

function partsOf(type: TypeNode | undefined): readonly TypeNode[] {
  if (type === undefined) return [];
  return type.kind === 'intersection' ? type.parts : [type];
}

function deriveResults(
  definition: Definition,
  byName: ReadonlyMap<string, Definition>,
  { tasks, emptyResult = '' }: Traits,
): Pick<DerivedMethod, 'results' | 'taskResult' | 'assumedResult'> {
  const stem = definition.name.replace(/Request$/, '');
  const params = memberOf(definition.type, 'params')?.type;
  const task =
    tasks !== undefined &&
    byName.has(tasks.result) &&
    paramVariants(params, byName).some((node) => memberOf(node, tasks.member) !== undefined)
      ? { taskResult: tasks.result }
      : {};
  const response = memberOf(byName.get(`${stem}ResultResponse`)?.type, 'result');
  if (response !== undefined) {
    const own = `${stem}Result`;
    const names = response.type.kind === 'ref' ? [response.type.name] : variantNames(response.type);
    return { results: [...names].sort((a, b) => Number(b === own) - Number(a === own)), ...task };
  }
  if (byName.has(`${stem}Result`)) return { results: [`${stem}Result`], ...task };
  return byName.has(emptyResult) ? { results: [emptyResult], assumedResult: true, ...task } : task;
}

/** The object types that a method's params may be, through references and unions. */
function paramVariants(type: TypeNode | undefined, byName: ReadonlyMap<string, Definition>): readonly ObjectNode[] {
  const node = followReferences(type, (name) => byName.get(name)?.type);
  if (node?.kind === 'object') return [node];
  return node?.kind === 'union' ? node.variants.flatMap((variant) => paramVariants(variant, byName)) : [];
}

/** The code that a definition of an error, or of an error response, pins by a constant. */
function pinnedErrorCode(definition: Definition): DerivedError[] {
  const holders = [...partsOf(definition.type), ...partsOf(memberOf(definition.type, 'error')?.type)];
  for (const holder of holders) {
    const code = memberOf(holder, 'code')?.type;
    if (code?.kind === 'literal' && typeof code.value === 'number')
      return [{ code: code.value, definition: definition.name }];
  }
  return [];
}

/**
 * Derives methods from annotations, for schemas that define params and results, but no messages.
 */
import type { BySide, Cancellation, Direction, Traits } from '../../read/catalog.js';
import { compareText } from '../../read/json/json.js';
import { capitalize } from '../naming.js';
import { SIDES, type Definition } from '../protocol.js';
import { partOf, type AnnotatedDefinition, type SchemaAnnotations } from './annotations.js';
import type { DerivedMethod } from './derived.js';
import { memberOf } from '../types/members.js';

/** Words of annotations for a method that both sides handle. */
const BOTH_SIDES: ReadonlySet<string> = new Set(['both', 'protocol']);

/** Derives the methods that annotations name, sorted. */
export function deriveAnnotatedMethods({ definitions }: SchemaAnnotations, traits: Traits): readonly DerivedMethod[] {
  const sides = traits.sides ?? sidesOf(definitions);
  return [...groupByMethod(definitions)]
    .map(([method, parts]) => deriveMethod(method, parts, sides))
    .sort((a, b) => compareText(a.method, b.method));
}

function groupByMethod(
  definitions: readonly AnnotatedDefinition[],
): ReadonlyMap<string, readonly AnnotatedDefinition[]> {
  const groups = new Map<string, AnnotatedDefinition[]>();
  for (const definition of definitions) {
    const group = groups.get(definition.method) ?? [];
    group.push(definition);
    groups.set(definition.method, group);
  }
  return groups;
}

function deriveMethod(
  method: string,
  parts: readonly AnnotatedDefinition[],
  sides: BySide<string> | undefined,
): DerivedMethod {
  const result = parts.find(({ name }) => partOf(name) === 'result');
  const params = parts.find((part) => part !== result);
  const kind = result === undefined && partOf(params?.name ?? '') !== 'request' ? 'notification' : 'request';
  const direction = directionOf(parts.find(({ side }) => side !== undefined)?.side, sides);
  const summary = params?.summary;
  return {
    method,
    message: undefined,
    kind,
    params: params?.name ?? null,
    ...(direction === undefined ? {} : { direction }),
    ...(result === undefined ? {} : { results: [result.name] }),
    ...(summary === undefined ? {} : { summary }),
  };
}

/** A method goes to the side that handles it. */
function directionOf(handler: string | undefined, sides: BySide<string> | undefined): Direction | undefined {
  if (handler === undefined) return undefined;
  if (BOTH_SIDES.has(handler)) return 'both';
  if (handler === sides?.server) return 'clientToServer';
  return handler === sides?.client ? 'serverToClient' : undefined;
}

/**
 * The words for the sides: those that handle most methods. `client`, or the one that handles fewer, is the client. The
 * directions of methods that another side handles, such as a proxy, stay open.
 */
function sidesOf(definitions: readonly AnnotatedDefinition[]): BySide<string> | undefined {
  const counts = new Map<string, number>();
  for (const { side } of definitions)
    if (side !== undefined && !BOTH_SIDES.has(side)) counts.set(side, (counts.get(side) ?? 0) + 1);
  const [most, second] = [...counts].sort(([a, m], [b, n]) => n - m || compareText(a, b)).map(([side]) => side);
  if (most === undefined) return undefined;
  if (second === undefined) return most === 'client' ? undefined : { client: 'client', server: most };
  return most === 'client' ? { client: most, server: second } : { client: second, server: most };
}

/** The traits of a protocol whose schema has annotations. */
export function deriveAnnotatedTraits(annotations: SchemaAnnotations, definitions: readonly Definition[]): Traits {
  const sides = sidesOf(annotations.definitions);
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const cancellation = findCancellation(annotations, byName);
  const capabilities = SIDES.map((side) => `${capitalize(sides?.[side] ?? '')}Capabilities`);
  const [client = '', server = ''] = capabilities;
  const { extensionMethods } = annotations;
  return {
    ...(sides === undefined ? {} : { sides }),
    ...(capabilities.every((name) => byName.has(name)) ? { capabilities: { client, server } } : {}),
    ...(cancellation === undefined ? {} : { cancellation }),
    ...(extensionMethods === undefined ? {} : { extensionMethods }),
  };
}

/** A notification of either side with the id of a request cancels that request. */
function findCancellation(
  { definitions, errors }: SchemaAnnotations,
  byName: ReadonlyMap<string, Definition>,
): Cancellation | undefined {
  const found = definitions.find(
    ({ name, method, side }) =>
      BOTH_SIDES.has(side ?? '') &&
      /cancel/i.test(method) &&
      memberOf(byName.get(name)?.type, REQUEST_ID_MEMBER)?.required === true,
  );
  if (found === undefined) return undefined;
  const error = errors.find(({ name }) => /CANCELL?ED/.test(name));
  return { method: found.method, id: REQUEST_ID_MEMBER, ...(error === undefined ? {} : { errorCode: error.code }) };
}

const REQUEST_ID_MEMBER = 'requestId';

import { isObject, objectFromEntries, formatPointer, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { asObjectType, findRejection, resolveType, typesByName, type TypesByName } from '../types/accepts.js';
import { exampleMessage } from '../types/example.js';
import type { Method, ObjectNode, Protocol, TypeNode } from '../protocol.js';
import type { Change, Evidence, Step } from './change.js';
import { flatVariants, type ProtocolDifference } from './compare.js';
import { sendersOfMethod } from './reach.js';
import { RULES } from './rules.js';
import { samplesBeyondLimits, samplesOf, withMember, withoutMember } from './samples.js';

/** Most values that are tried for one change. */
const MAX_CANDIDATES = 400;

/** A revision whose types accept or reject values. */
interface RevisionTypes {
  readonly protocol: Protocol;
  readonly types: TypesByName;
}

/**
 * Adds to each breaking change a value as evidence: one revision accepts it, and the other rejects it because of the
 * changed place. A change of meaning only, such as of a default, has none.
 */
export function withEvidence(difference: ProtocolDifference): ProtocolDifference {
  const old: RevisionTypes = { protocol: difference.before, types: typesByName(difference.before) };
  const now: RevisionTypes = { protocol: difference.after, types: typesByName(difference.after) };
  const before = new Map(difference.renames.map((rename) => [rename.after, rename.before]));
  const changes = difference.changes.map((change): Change => {
    const evidence = (['sender', 'receiver'] as const).flatMap((breaks) => {
      if (RULES[change.rule][breaks] !== 'breaking') return [];
      const [takes, refuses] = breaks === 'sender' ? [old, now] : [now, old];
      const found =
        change.subject === 'method'
          ? methodEvidence(change, takes, refuses, breaks)
          : change.subject === 'definition'
            ? definitionEvidence(change, before.get(change.name) ?? change.name, takes, refuses, breaks)
            : undefined;
      return found ?? [];
    });
    return evidence.length === 0 ? change : { ...change, evidence };
  });
  return { ...difference, changes };
}

type Breaks = Evidence['breaks'];

function definitionEvidence(
  change: Change,
  oldName: string,
  takes: RevisionTypes,
  refuses: RevisionTypes,
  breaks: Breaks,
): Evidence | undefined {
  const [acceptedBy, rejectedBy] = breaks === 'sender' ? [oldName, change.name] : [change.name, oldName];
  const [accepting, refusing] = [takes.types.get(acceptedBy), refuses.types.get(rejectedBy)];
  if (accepting === undefined || refusing === undefined) return undefined;
  const search = new EvidenceSearch(takes.types, refuses.types, breaks === 'sender' ? 'before' : 'after');
  let fallback: Evidence | undefined;
  let tried = 0;
  for (const { value, at: expected } of search.values(accepting, refusing, change.path)) {
    if ((tried += 1) > MAX_CANDIDATES) break;
    if (findRejection(takes.types, accepting, value) !== undefined) continue;
    const at = findRejection(refuses.types, refusing, value);
    if (at === undefined) continue;
    const found: Evidence = { breaks, acceptedBy, rejectedBy, value, at };
    if (at.startsWith(expected)) return found;
    // Without the changed place the value must be valid, or it shows another change.
    fallback ??= search.isUnrelated(refusing, value, change.path) ? found : undefined;
  }
  return fallback;
}

interface Candidate {
  readonly value: JsonValue;
  /** JSON pointer to the changed place. */
  readonly at: string;
}

/** Searches values of a type of one revision that the other revision rejects at a place. */
class EvidenceSearch {
  readonly #acceptingTypes: TypesByName;
  readonly #rejectingTypes: TypesByName;
  readonly #acceptingSide: 'before' | 'after';

  constructor(takes: TypesByName, refuses: TypesByName, taking: 'before' | 'after') {
    this.#acceptingTypes = takes;
    this.#rejectingTypes = refuses;
    this.#acceptingSide = taking;
  }

  *values(accepting: TypeNode, refusing: TypeNode, path: readonly Step[]): Iterable<Candidate> {
    const [step, ...rest] = path;
    if (step === undefined) {
      for (const variant of flatVariants(this.#acceptingTypes, accepting, this.#rejectingTypes)) {
        for (const value of samplesOf(this.#acceptingTypes, variant)) yield { value, at: '' };
      }
      for (const value of samplesOf(this.#acceptingTypes, accepting)) yield { value, at: '' };
      for (const value of samplesBeyondLimits(this.#rejectingTypes, refusing)) yield { value, at: '' };
      return;
    }
    if (step.kind === 'variant') {
      const [own, other] = this.#acceptingSide === 'before' ? [step.before, step.after] : [step.after, step.before];
      const from = flatVariants(this.#acceptingTypes, accepting, this.#rejectingTypes)[own];
      const to = flatVariants(this.#rejectingTypes, refusing, this.#acceptingTypes)[other];
      if (from !== undefined && to !== undefined) yield* this.values(from, to, rest);
      return;
    }
    if (step.kind === 'items') {
      const [from, to] = [resolveType(this.#acceptingTypes, accepting), resolveType(this.#rejectingTypes, refusing)];
      if (from.kind !== 'array' || to.kind !== 'array') return;
      for (const { value, at } of this.values(from.items, to.items, rest)) {
        yield { value: [value], at: formatPointer(0) + at };
      }
      return;
    }
    const [from, to] = [asObjectType(this.#acceptingTypes, accepting), asObjectType(this.#rejectingTypes, refusing)];
    if (from === undefined || to === undefined) return;
    const base = this.#base(from, to);
    const name = step.kind === 'member' ? step.name : 'other';
    const inside = this.#inside(from, to, step);
    if (rest.length === 0 && step.kind === 'member')
      yield { value: withoutMember(base, name), at: formatPointer(name) };
    if (inside === undefined) return;
    for (const { value, at } of this.values(inside[0], inside[1], rest)) {
      yield { value: withMember(base, name, value), at: formatPointer(name) + at };
    }
  }

  /** The types of a member, or of members of other names, in the two objects. */
  #inside(from: ObjectNode, to: ObjectNode, step: Step): readonly [TypeNode, TypeNode] | undefined {
    const find = (type: ObjectNode): TypeNode =>
      (step.kind === 'member' ? type.members.find((member) => member.name === step.name)?.type : undefined) ??
      type.rest ?? { kind: 'unknown' };
    return [find(from), find(to)];
  }

  /** An object with the required members of both types, with values that both accept if possible. */
  #base(from: ObjectNode, to: ObjectNode): JsonObject {
    const names = new Set([...from.members, ...to.members].filter((member) => member.required).map(({ name }) => name));
    return objectFromEntries(
      [...names].flatMap((name): [string, JsonValue][] => {
        const [own, other] = [from, to].map(
          (type) => type.members.find((member) => member.name === name)?.type ?? type.rest,
        );
        const takes = (value: JsonValue): boolean =>
          own === undefined || findRejection(this.#acceptingTypes, own, value) === undefined;
        const values = [
          ...(own === undefined ? [] : samplesOf(this.#acceptingTypes, own, 2)),
          ...(other === undefined ? [] : samplesOf(this.#rejectingTypes, other, 2)),
        ].filter(takes);
        const shared = values.find(
          (value) => other === undefined || findRejection(this.#rejectingTypes, other, value) === undefined,
        );
        const value = shared ?? values[0];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  /** Whether a value would be accepted without the changed place. */
  isUnrelated(refusing: TypeNode, value: JsonValue, path: readonly Step[]): boolean {
    const [step, ...rest] = path;
    // The change is the whole value.
    if (step?.kind !== 'member' || rest.length > 0 || !isObject(value)) return true;
    return findRejection(this.#rejectingTypes, refusing, withoutMember(value, step.name)) === undefined;
  }
}

/**
 * The message of a method that the other revision does not have in that direction, or a result that it does not have.
 */
function methodEvidence(
  change: Change,
  takes: RevisionTypes,
  refuses: RevisionTypes,
  breaks: Breaks,
): Evidence | undefined {
  const result = typeof change.after === 'object' ? change.after : change.before;
  if (typeof result === 'object') return resultEvidence(change, result, takes, refuses, breaks);
  const method = takes.protocol.methods.find((item) => item.name === change.name);
  if (method === undefined || method.direction === 'embedded') return undefined;
  const value = exampleMessage(takes.protocol, method);
  for (const side of sendersOfMethod(method)) {
    const rejectedBy = `${side === 'client' ? 'Client' : 'Server'}${method.kind === 'request' ? 'Request' : 'Notification'}`;
    const union = refuses.types.get(rejectedBy);
    const at = union === undefined ? '' : findRejection(refuses.types, union, withEnvelope(value, method));
    if (at !== undefined) return { breaks, acceptedBy: method.message, rejectedBy, value, at };
  }
  return undefined;
}

function withEnvelope(value: JsonObject, { kind }: Method): JsonObject {
  return { jsonrpc: '2.0', ...(kind === 'request' ? { id: 1 } : {}), ...value };
}

function resultEvidence(
  change: Change,
  type: TypeNode,
  takes: RevisionTypes,
  refuses: RevisionTypes,
  breaks: Breaks,
): Evidence | undefined {
  const other = refuses.protocol.methods.find((item) => item.name === change.name);
  if (type.kind !== 'ref' || other === undefined) return undefined;
  const names = [...other.results, ...(other.taskResult === undefined ? [] : [other.taskResult])];
  const union: TypeNode = { kind: 'union', exclusive: false, variants: names.map((name) => ({ kind: 'ref', name })) };
  for (const value of samplesOf(takes.types, type)) {
    const at = findRejection(refuses.types, union, value);
    if (at !== undefined) return { breaks, acceptedBy: type.name, rejectedBy: names.join(' | '), value, at };
  }
  return undefined;
}

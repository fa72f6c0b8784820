/** Changes of types that remove, weaken or tighten one check. */
import type { Constraints, ObjectNode, TypeNode } from '../../generator/model/protocol.js';
import { discriminate, resolveReferences } from '../../generator/model/types/discriminate.js';
import type { TypeLookup } from '../../generator/model/types/references.js';

/** A type with one check changed. */
export interface Mutant {
  /** Where, and which check: `/params/name: required`. */
  readonly name: string;
  /** The kind of change: `required`. */
  readonly check: string;
  /** Whether it accepts too much, or too little. */
  readonly is: 'lenient' | 'strict';
  readonly type: TypeNode;
}

const UNKNOWN: TypeNode = { kind: 'unknown' };
const NULL: TypeNode = { kind: 'null', constraints: {} };
const ANY_OBJECT: TypeNode = { kind: 'object', members: [], shape: 'opaque', constraints: {} };
const ANY_ARRAY: TypeNode = { kind: 'array', items: UNKNOWN, constraints: {} };
const plain = (kind: 'string' | 'number' | 'integer' | 'boolean', constraints: Constraints = {}): TypeNode => ({
  kind,
  constraints,
});
const either = (...variants: readonly TypeNode[]): TypeNode => ({ kind: 'union', exclusive: false, variants });

const NOT_NULL = either(plain('string'), plain('number'), plain('boolean'), ANY_OBJECT, ANY_ARRAY);

/** Whether an object type demands more than that a value is an object. */
function hasChecks(type: TypeNode): boolean {
  if (type.kind !== 'object') return type.kind === 'intersection';
  return type.members.length > 0 || (type.rest !== undefined && type.rest.kind !== 'unknown');
}

type Change = Omit<Mutant, 'name'>;
const lenient = (check: string, type: TypeNode): Change => ({ check, is: 'lenient', type });
const strict = (check: string, type: TypeNode): Change => ({ check, is: 'strict', type });

/**
 * All mutants of a type, with those of its inline types.
 *
 * @param lookup - The definitions that it refers to.
 */
export function* mutantsOf(type: TypeNode, lookup: TypeLookup, place = ''): Iterable<Mutant> {
  for (const change of ownChanges(type, lookup)) yield { ...change, name: `${place}: ${change.check}` };
  const inside = function* (inner: TypeNode, token: string, wrap: (changed: TypeNode) => TypeNode): Iterable<Mutant> {
    for (const mutant of mutantsOf(inner, lookup, `${place}/${token}`)) yield { ...mutant, type: wrap(mutant.type) };
  };
  const replaced = (list: readonly TypeNode[], at: number, changed: TypeNode): readonly TypeNode[] =>
    list.map((item, index) => (index === at ? changed : item));
  switch (type.kind) {
    case 'object':
      for (const { name, type: own } of type.members)
        yield* inside(own, name, (changed) => withMemberType(type, name, changed));
      if (type.rest !== undefined) yield* inside(type.rest, '*', (rest) => ({ ...type, rest }));
      return;
    case 'array':
      yield* inside(type.items, 'item', (items) => ({ ...type, items }));
      return;
    case 'union':
      for (const [index, variant] of type.variants.entries())
        yield* inside(variant, `|${index}`, (changed) => ({
          ...type,
          variants: replaced(type.variants, index, changed),
        }));
      return;
    case 'intersection':
      for (const [index, part] of type.parts.entries())
        yield* inside(part, `&${index}`, (changed) => ({ ...type, parts: replaced(type.parts, index, changed) }));
  }
}

function withMemberType(type: ObjectNode, name: string, changed: TypeNode): ObjectNode {
  return {
    ...type,
    members: type.members.map((member) => (member.name === name ? { ...member, type: changed } : member)),
  };
}

function* ownChanges(type: TypeNode, lookup: TypeLookup): Iterable<Change> {
  if (type.kind !== 'unknown') yield lenient('any value', UNKNOWN);
  switch (type.kind) {
    case 'unknown':
      yield strict('not null', NOT_NULL);
      return;
    case 'string':
      yield lenient('or a number', either(type, plain('number')));
      if (!('minLength' in type.constraints))
        yield strict('not empty', plain('string', { ...type.constraints, minLength: 1 }));
      break;
    case 'number':
    case 'integer':
      yield lenient('or a string', either(type, plain('string')));
      if (type.kind === 'integer') {
        yield lenient('or a fraction', { ...type, kind: 'number' });
        if (!('maximum' in type.constraints))
          yield strict('safe integers', {
            ...type,
            constraints: { ...type.constraints, maximum: Number.MAX_SAFE_INTEGER },
          });
      } else yield strict('integers', { ...type, kind: 'integer' });
      if (!('exclusiveMinimum' in type.constraints))
        yield strict(
          'not zero',
          either(
            { ...type, constraints: { ...type.constraints, exclusiveMinimum: 0 } },
            {
              ...type,
              constraints: { ...type.constraints, exclusiveMaximum: 0 },
            },
          ),
        );
      break;
    case 'boolean':
      yield lenient('or a string', either(type, plain('string')));
      yield strict('only true', { kind: 'literal', value: true });
      break;
    case 'literal':
      if (typeof type.value === 'string') yield lenient('any constant', plain('string'));
      break;
    case 'array':
      yield lenient('or an object', either(type, ANY_OBJECT));
      yield lenient('only the first item', { ...type, prefix: [type.items], items: UNKNOWN });
      if (!('minItems' in type.constraints))
        yield strict('not empty', { ...type, constraints: { ...type.constraints, minItems: 1 } });
      break;
    case 'object':
      yield lenient('or an array', either(type, ANY_ARRAY));
      if (type.members.length === 0)
        yield strict('not empty', { ...type, constraints: { ...type.constraints, minProperties: 1 } });
      yield* memberChanges(type);
      break;
    case 'union':
      yield lenient('or a boolean', either(type, plain('boolean')));
      if (type.variants.some(({ kind }) => kind === 'boolean')) yield lenient('or null', either(type, NULL));
      yield* tagChanges(type, lookup);
      for (const index of type.variants.keys())
        yield strict('one variant less', { ...type, variants: type.variants.filter((_, at) => at !== index) });
      if (type.variants.every(({ kind }) => kind === 'literal')) yield lenient('any constant', plain('string'));
      break;
    case 'intersection':
      yield lenient('or an array', either(type, ANY_ARRAY));
      for (const index of type.parts.keys())
        yield lenient('one part less', { ...type, parts: type.parts.filter((_, at) => at !== index) });
      break;
    case 'ref':
      if (hasChecks(resolveReferences(type, lookup))) yield lenient('any object', ANY_OBJECT);
  }
  if ('constraints' in type) yield* limitChanges(type);
}

/** A tag is read, but what it names is not validated; a tag that is not known is accepted. */
function* tagChanges(type: TypeNode & { readonly kind: 'union' }, lookup: TypeLookup): Iterable<Change> {
  const found = discriminate(type.variants, lookup);
  if (found === undefined) return;
  const tagged = (tag: TypeNode): TypeNode => ({
    kind: 'object',
    members: [{ name: found.member, required: true, type: tag }],
    shape: 'members',
    constraints: {},
  });
  const known: TypeNode[] = [];
  for (const [value, indices] of found.cases) {
    known.push({ kind: 'literal', value });
    const [index = 0, second] = indices;
    if (second !== undefined) continue;
    const variants = type.variants.map((own, at) => (at === index ? tagged({ kind: 'literal', value }) : own));
    yield lenient(`${String(value)} is not validated`, { ...type, variants });
  }
  const unknown: TypeNode = {
    kind: 'refined',
    type: tagged(plain('string')),
    rules: [{ rule: 'not', type: tagged(either(...known)) }],
  };
  yield lenient(`or another ${found.member}`, either(type, unknown));
}

function* memberChanges(type: ObjectNode): Iterable<Change> {
  for (const [index, member] of type.members.entries()) {
    const change = (changed: Partial<typeof member>): TypeNode => ({
      ...type,
      members: type.members.map((own, at) => (at === index ? { ...own, ...changed } : own)),
    });
    if (member.required) yield lenient(`${member.name} is optional`, change({ required: false }));
    else {
      yield strict(`${member.name} is required`, change({ required: true }));
      yield lenient(`${member.name} or null`, change({ type: either(member.type, NULL) }));
      if (member.type.kind !== 'unknown')
        yield lenient(`${member.name} is anything but null`, change({ type: NOT_NULL }));
    }
  }
  const isOpen = type.rest === undefined || type.rest.kind === 'unknown';
  if (type.members.length > 0 && isOpen) yield strict('no other members', { ...type, rest: { kind: 'never' } });
  if (type.members.length === 0 && isOpen) {
    yield strict('no members', { ...type, rest: { kind: 'never' } });
    yield strict('only strings', { ...type, rest: plain('string') });
  }
}

function* limitChanges(type: TypeNode & { readonly constraints: Constraints }): Iterable<Change> {
  for (const [keyword, limit] of Object.entries(type.constraints)) {
    if (keyword === 'format') continue;
    const { [keyword]: _removed, ...others } = type.constraints;
    yield lenient(`no ${keyword}`, withConstraints(type, others));
    if (typeof limit !== 'number') continue;
    const step = type.kind === 'number' ? 0.01 : 1;
    const outwards = keyword.startsWith('max') || keyword === 'exclusiveMaximum' ? step : -step;
    if (Math.abs(limit) < Number.MAX_SAFE_INTEGER)
      yield lenient(`${keyword} one off`, withConstraints(type, { ...others, [keyword]: limit + outwards }));
    yield strict(`${keyword} one off`, withConstraints(type, { ...others, [keyword]: limit - outwards }));
  }
}

function withConstraints(type: TypeNode, constraints: Constraints): TypeNode {
  return { ...type, constraints } as TypeNode;
}

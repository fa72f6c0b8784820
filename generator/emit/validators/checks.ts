/**
 * Expressions that check one value.
 */
import { isObjectPrototypeMember } from '../../model/protocol.js';
import type { Constraints, ObjectNode, TypeNode } from '../../model/protocol.js';
import { allOf, check, printCheck } from './expressions.js';
import type { Expression } from './expressions.js';
import type { JsonKind } from '../../model/types/discriminate.js';

/**
 * Maximum of operands of one `&&` or `||`. Compilers recurse into them, and TypeScript fails on a function with about
 * 2000 (TS2563); beyond it constants go into a set, and checks into functions.
 */
export const MAX_OPERANDS = 64;

/** Reads a member of `value`. */
export function memberAccess(name: string): string {
  return isObjectPrototypeMember(name)
    ? printCheck('ownMember', 'value', JSON.stringify(name))
    : `value[${JSON.stringify(name)}]`;
}

export function hasMembers(type: ObjectNode): boolean {
  return type.members.length > 0 || type.patterns !== undefined || type.rest?.kind === 'never';
}

export function isUnconstrained(constraints: Constraints): boolean {
  return Object.keys(constraints).length === 0;
}

/** How a failure describes too many constants to name. */
export function describeManyValues(count: number): string {
  return `one of ${count} known values`;
}

export const NUMBER_LIMITS = {
  minimum: 'min',
  maximum: 'max',
  exclusiveMinimum: 'above',
  exclusiveMaximum: 'below',
} as const;

/**
 * Compared inline, which saves a call for values that occur often; methods and codes, which occur once in a message, are
 * compared by a function, which is shorter.
 */
export function literalCheck(constant: string | number | boolean | null, value: string): Expression {
  const text = JSON.stringify(constant);
  if (typeof constant === 'number' || text.includes('/')) return check('literal', value, text);
  return { unless: `${value} === ${text}`, then: check('noneOf', value, text) };
}

/** @param hoist - Returns the name of a constant with a regular expression. */
export function stringCheck(constraints: Constraints, value: string, hoist: (pattern: string) => string): Expression {
  const format = constraints['format'];
  const limits = limitsOf(constraints, { minLength: 'min', maxLength: 'max', pattern: 'pattern' }, hoist);
  const withFormat = typeof format === 'string' ? check('stringWithFormat', value, JSON.stringify(format)) : undefined;
  const within = limits === undefined ? undefined : check('stringWithin', value, limits);
  return withFormat === undefined && within === undefined ? check('string', value) : allOf([withFormat, within]);
}

/** Constraints as an object literal, under the runtime's names. */
export function limitsOf(
  constraints: Constraints,
  names: Readonly<Record<string, string>>,
  hoist: (pattern: string) => string = JSON.stringify,
): string | undefined {
  const entries = Object.entries(names)
    .filter(([keyword]) => Object.hasOwn(constraints, keyword))
    .map(([keyword, name]) => {
      const value = constraints[keyword];
      return `${name}: ${typeof value === 'string' ? hoist(value) : JSON.stringify(value)}`;
    });
  return entries.length === 0 ? undefined : `{ ${entries.join(', ')} }`;
}

/** Splits a list into pieces of {@link MAX_OPERANDS}. */
export function chunksOfOperands<T>(list: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / MAX_OPERANDS) }, (_, index) =>
    list.slice(index * MAX_OPERANDS, (index + 1) * MAX_OPERANDS),
  );
}

/** The test of a type without constraints, and its description; undefined for other types. */
export function inlineTest(type: TypeNode): [condition: string, expected: string] | undefined {
  const { kind } = type;
  if (kind !== 'string' && kind !== 'number' && kind !== 'integer' && kind !== 'boolean' && kind !== 'null')
    return undefined;
  return isUnconstrained(type.constraints) ? [KIND_TESTS[kind], kindsText([kind])] : undefined;
}

const KIND_TESTS = {
  string: 'typeof value === "string"',
  number: 'Number.isFinite(value)',
  integer: 'Number.isInteger(value)',
  boolean: 'typeof value === "boolean"',
  null: 'value === null',
} as const;

export function kindTest(kind: JsonKind): string {
  if (kind === 'array') return 'Array.isArray(value)';
  return kind === 'null' ? 'value === null' : `typeof value === ${JSON.stringify(kind)}`;
}

export function kindsText(kinds: readonly string[]): string {
  return joinAlternatives(
    kinds.map((kind) => (kind === 'null' ? 'null' : `${/^[aio]/.test(kind) ? 'an' : 'a'} ${kind}`)),
  );
}

export function joinAlternatives(texts: readonly string[]): string {
  return texts.length < 2 ? (texts[0] ?? 'nothing') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1) ?? ''}`;
}

/**
 * The expressions of guards, as values; printed in one place.
 */

/** The functions of `runtime/validation` that guards call. */
export const CHECK_NAMES = [
  'absent',
  'anyOf',
  'array',
  'arrayOf',
  'boolean',
  'contains',
  'has',
  'inDefinition',
  'integer',
  'itemsWithin',
  'literal',
  'maybeArray',
  'maybeArrayOf',
  'maybeBoolean',
  'maybeInteger',
  'maybeNumber',
  'maybeObject',
  'maybeRecordOf',
  'maybeString',
  'memberNames',
  'membersWithin',
  'mismatch',
  'multipleOf',
  'nested',
  'noneOf',
  'not',
  'number',
  'numberWithin',
  'object',
  'oneOf',
  'otherMembers',
  'ownMember',
  'patternMembers',
  'present',
  'recordOf',
  'string',
  'stringWithFormat',
  'stringWithin',
  'tuple',
  'unevaluatedItems',
  'unevaluatedMembers',
  'uniqueItems',
] as const;

/** A function of `runtime/validation` that guards call. */
export type CheckName = (typeof CHECK_NAMES)[number];

/** A function that checks one value: from the runtime, or a generated guard. */
export type CheckFunction = { readonly fn: CheckName } | { readonly guard: string };

/** A call of a function that checks a value. */
export type CheckCall = CheckFunction & { readonly args: readonly string[] };

/** An expression that is true if a value is valid, and otherwise reports the failure. */
export type Expression =
  | CheckCall
  /** True if all operands are. */
  | { readonly all: readonly Expression[] }
  /** True if a condition in TypeScript is true, otherwise the value of the expression. */
  | { readonly unless: string; readonly then: Expression }
  /** The value of one of two expressions; without `else`, true. */
  | { readonly if: Expression; readonly then: Expression | undefined; readonly else: Expression | undefined };

/** A call of a function of the runtime. */
export function check(fn: CheckName, ...args: readonly string[]): CheckCall {
  return { fn, args };
}

/** Combines several expressions; those that do not apply are `undefined`. */
export function allOf(parts: readonly (Expression | undefined)[]): Expression {
  const all = parts.filter((part) => part !== undefined);
  const [only, second] = all;
  return only !== undefined && second === undefined ? only : { all };
}

/** The variant of a check that also accepts an absent member. */
const OPTIONAL_VARIANTS: Readonly<Partial<Record<CheckName, CheckName>>> = {
  array: 'maybeArray',
  arrayOf: 'maybeArrayOf',
  boolean: 'maybeBoolean',
  integer: 'maybeInteger',
  number: 'maybeNumber',
  object: 'maybeObject',
  recordOf: 'maybeRecordOf',
  string: 'maybeString',
};

/** The same expression, for a value that may be absent. */
export function orAbsent(expression: Expression, value: string): Expression {
  const variant = 'fn' in expression ? OPTIONAL_VARIANTS[expression.fn] : undefined;
  if (variant !== undefined && 'fn' in expression) return check(variant, ...expression.args);
  return { unless: `${value} === undefined`, then: expression };
}

/** The name of a function in generated code. */
export function printFunction(called: CheckFunction): string {
  return 'fn' in called ? `check.${called.fn}` : called.guard;
}

/** Prints an expression as TypeScript. */
export function printExpression(expression: Expression): string {
  if ('all' in expression) return expression.all.map(printExpression).join(' && ');
  if ('if' in expression) {
    const [onTrue, onFalse] = [expression.then, expression.else].map((branch) =>
      branch === undefined ? 'true' : printExpression(branch),
    );
    return `(${printOperand(expression.if)} ? ${onTrue} : ${onFalse})`;
  }
  if ('unless' in expression) return `(${expression.unless} || ${printOperand(expression.then)})`;
  return `${printFunction(expression)}(${expression.args.join(', ')})`;
}

/** Prints an expression as an operand of `||`. */
function printOperand(expression: Expression): string {
  const text = printExpression(expression);
  return 'all' in expression && expression.all.length > 1 ? `(${text})` : text;
}

/** A call of a function of the runtime in TypeScript. */
export function printCheck(fn: CheckName, ...args: readonly string[]): string {
  return printExpression(check(fn, ...args));
}

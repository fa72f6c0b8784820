import { exported, local } from '../../print/source-file.js';
import type { Declaration } from '../../print/source-file.js';
import { orderedMembers } from '../../print/type.js';
import type { TypePrinter } from '../../print/type.js';
import { discriminate, jsonKinds, resolveReferences } from '../../model/types/discriminate.js';
import type { JsonKind } from '../../model/types/discriminate.js';
import { typeLookup } from '../../model/types/references.js';
import type { TypeLookup } from '../../model/types/references.js';
import { shapeKey } from '../../model/types/shape-key.js';
import { regularExpressionFlags } from '../../model/schema/keywords.js';
import { isOpenType } from '../../model/schema/open-types.js';
import type { Definitions, Evaluation, ObjectNode, Rule, TypeNode } from '../../model/protocol.js';
import { branchingDefinitions, recursiveDefinitions } from './recursion.js';
import { checkName } from './names.js';
import {
  MAX_OPERANDS,
  NUMBER_LIMITS,
  chunksOfOperands,
  describeManyValues,
  hasMembers,
  inlineTest,
  isUnconstrained,
  joinAlternatives,
  kindTest,
  kindsText,
  limitsOf,
  literalCheck,
  memberAccess,
  stringCheck,
} from './checks.js';
import { allOf, check, orAbsent, printCheck, printExpression, printFunction } from './expressions.js';
import type { CheckFunction, Expression } from './expressions.js';
import { capitalize } from '../../model/naming.js';

/** Maximum length of a function's name, which grows with the depth of the checked value. */
const MAX_LISTED_NAME_LENGTH = 80;

/** Maximum of constants that a failure lists. */
const MAX_LISTED_NAMES = 8;

/** Conditions under which a value is of another kind. */
const OTHER_KIND_TESTS: Readonly<Partial<Record<TypeNode['kind'], string>>> = {
  string: 'typeof value !== "string"',
  number: 'typeof value !== "number"',
  array: '!Array.isArray(value)',
  object: 'typeof value !== "object" || value === null || Array.isArray(value)',
};

/** Whether a type allows all values of its kind. */
function isAnyOfKind(type: TypeNode): boolean {
  switch (type.kind) {
    case 'object':
      return (
        !hasMembers(type) &&
        isUnconstrained(type.constraints) &&
        (type.rest === undefined || type.rest.kind === 'unknown')
      );
    case 'array':
      return type.prefix === undefined && type.items.kind === 'unknown' && isUnconstrained(type.constraints);
    case 'string':
    case 'number':
    case 'integer':
      return isUnconstrained(type.constraints);
    default:
      return false;
  }
}

/** Writes guards: one for each definition, and one for each inline type that is too large for an expression. */
export class GuardWriter {
  /** Guards of inline types, in the order in which they were requested. */
  readonly inline: Declaration[] = [];
  readonly #names = new Set<string>();
  /** The next number to add to a name that several functions share. */
  readonly #numbers = new Map<string, number>();
  /** Functions of inline types by their type, so that each type has one function. */
  readonly #hoisted = new Map<string, string>();
  /** Constants by the regular expression that they hold. */
  readonly #patterns = new Map<string, string>();
  readonly #printer: TypePrinter;
  readonly #lookup: TypeLookup;
  /** Definitions that may check the same value many times, so that the runtime keeps their verdicts. */
  readonly #nested: ReadonlySet<string>;

  readonly #messageGuards: ReadonlySet<string> | undefined;

  /**
   * @param taken - Names that the file uses otherwise.
   * @param messageGuards - Names of guards on messages; see {@link checkName}.
   */
  constructor(
    { protocol, printer }: { readonly protocol: Definitions; readonly printer: TypePrinter },
    taken: readonly string[],
    messageGuards?: ReadonlySet<string>,
  ) {
    this.#printer = printer;
    this.#messageGuards = messageGuards;
    this.#lookup = typeLookup(protocol);
    this.#nested = new Set([...recursiveDefinitions(protocol), ...branchingDefinitions(protocol, this.#lookup)]);
    for (const name of taken) this.#names.add(name);
    for (const { name } of protocol.definitions) this.#names.add(this.guardOf(name));
  }

  /** Name of the guard of a definition. */
  guardOf(definition: string): string {
    return checkName('is', this.#printer.name(definition), this.#messageGuards);
  }

  /** Prints the guard of a definition. */
  declareGuard(definition: string, type: TypeNode): Declaration {
    const name = this.#printer.name(definition);
    const guard = this.guardOf(definition);
    const body = this.#nested.has(definition)
      ? `return ${printCheck('nested', 'value', this.#hoist(type, `${guard}Inner`))};\n`
      : this.#body(guard, type, name);
    return exported('function', guard, {
      doc: `/** Whether a value is of the type {@link ${name}}, at any depth. */`,
      code: `(value: unknown): value is ${name} {\n${body}}`,
    });
  }

  /** An expression that checks whether `value` is of a type. */
  #expression(type: TypeNode, value: string, hint: string): Expression {
    switch (type.kind) {
      case 'unknown':
        return check('present', value);
      case 'never':
        return check('absent', value);
      case 'boolean':
        return check('boolean', value);
      case 'null':
        return literalCheck(null, value);
      case 'literal':
        return literalCheck(type.value, value);
      case 'string':
        return stringCheck(type.constraints, value, (pattern) => this.#pattern(pattern));
      case 'number':
      case 'integer': {
        const limits = limitsOf(type.constraints, NUMBER_LIMITS);
        const step = type.constraints['multipleOf'];
        return allOf([
          type.kind === 'number' ? check('number', value) : check('integer', value),
          limits === undefined ? undefined : check('numberWithin', value, limits),
          step === undefined ? undefined : check('multipleOf', value, JSON.stringify(step)),
        ]);
      }
      case 'ref':
        return { guard: this.guardOf(type.name), args: [value] };
      case 'array': {
        const limits = limitsOf(type.constraints, { minItems: 'min', maxItems: 'max' });
        return allOf([
          type.prefix !== undefined
            ? this.#tuple(type.prefix, type.items, value, hint)
            : type.items.kind === 'unknown'
              ? check('array', value)
              : check('arrayOf', value, this.#reference(type.items, `${hint}Item`)),
          limits === undefined ? undefined : check('itemsWithin', value, limits),
          type.constraints['uniqueItems'] === true ? check('uniqueItems', value) : undefined,
        ]);
      }
      case 'object': {
        if (hasMembers(type)) return this.#guardCall(type, value, hint);
        const limits = limitsOf(type.constraints, { minProperties: 'min', maxProperties: 'max' });
        return allOf([
          type.rest === undefined || type.rest.kind === 'unknown'
            ? check('object', value)
            : check('recordOf', value, this.#reference(type.rest, `${hint}Value`)),
          limits === undefined ? undefined : check('membersWithin', value, limits),
        ]);
      }
      case 'union':
      case 'intersection':
      case 'refined':
        return this.#guardCall(type, value, hint);
    }
  }

  #tuple(prefix: readonly TypeNode[], items: TypeNode, value: string, hint: string): Expression {
    const first = prefix.map((item, index) =>
      item.kind === 'unknown' ? printFunction({ fn: 'present' }) : this.#reference(item, `${hint}Item${index + 1}`),
    );
    const others = items.kind === 'unknown' ? [] : [this.#reference(items, `${hint}Item`)];
    return check('tuple', value, `[${first.join(', ')}]`, ...others);
  }

  /** The name of a constant with a regular expression. */
  #pattern(pattern: string): string {
    const known = this.#patterns.get(pattern);
    if (known !== undefined) return known;
    const name = this.#freeName('pattern');
    this.#patterns.set(pattern, name);
    const flags = regularExpressionFlags(pattern) ?? '';
    const args = [pattern, ...(flags === '' ? [] : [flags])].map((text) => JSON.stringify(text));
    this.inline.push(local('const', name, { code: ` = /* @__PURE__ */ new RegExp(${args.join(', ')});` }));
    return name;
  }

  #rule(rule: Rule, hint: string): Expression | undefined {
    const guard = (type: TypeNode, suffix: string): string => this.#reference(type, hint + suffix);
    // After a guard, the compiler rejects a comparison with a constant of another type.
    const expression = (type: TypeNode, suffix: string): Expression =>
      type.kind === 'literal' || type.kind === 'null'
        ? this.#guardCall(type, 'value', hint + suffix)
        : this.#expression(type, 'value', hint + suffix);
    switch (rule.rule) {
      case 'also': {
        const limits = this.#limitsByKind(rule.type.kind === 'union' ? rule.type.variants : [rule.type], hint);
        return limits.length === 0 ? undefined : allOf(limits);
      }
      case 'not':
        return check('not', 'value', guard(rule.type, 'Not'));
      case 'if': {
        const branch = (type: TypeNode, suffix: string): Expression | undefined =>
          type.kind === 'unknown' ? undefined : expression(type, suffix);
        return {
          if: expression(rule.if, 'If'),
          then: branch(rule.then, 'Then'),
          else: branch(rule.else, 'Else'),
        };
      }
      case 'contains': {
        const limits = [rule.min, ...(rule.max === undefined ? [] : [rule.max])].map(String);
        return check('contains', 'value', guard(rule.type, 'Contained'), ...limits);
      }
      case 'names':
        return rule.type.kind === 'unknown' ? undefined : check('memberNames', 'value', guard(rule.type, 'Name'));
      case 'dependent': {
        if (rule.type.kind === 'unknown') return undefined;
        const then = expression(rule.type, `With${capitalize(rule.member)}`);
        return { unless: `!${printCheck('has', 'value', JSON.stringify(rule.member))}`, then };
      }
      case 'unevaluatedMembers':
      case 'unevaluatedItems': {
        const isOfMembers = rule.rule === 'unevaluatedMembers';
        const name = this.#freeName(`${hint}Evaluates`);
        const index = this.inline.length;
        const body = this.#evaluation(rule.evaluated, isOfMembers ? 'name' : 'index', name);
        const parameters = isOfMembers
          ? 'value: check.UnknownObject, name: string'
          : 'value: readonly unknown[], index: number';
        const unused = body === 'false' ? '_' : '';
        const code = `(${unused === '' ? parameters : parameters.replace(/(\w+):/g, '_$1:')}): boolean {\nreturn ${body};\n}`;
        this.inline.splice(index, 0, local('function', name, { code }));
        const others = rule.type.kind === 'never' ? printFunction({ fn: 'absent' }) : guard(rule.type, 'Unevaluated');
        return check(rule.rule, 'value', name, others);
      }
    }
  }

  /** An expression for whether a member or an item is evaluated. */
  #evaluation(evaluation: Evaluation, key: 'name' | 'index', hint: string): string {
    if (evaluation.all) return 'true';
    const names = evaluation.members.map((name) => JSON.stringify(name));
    const conditions = [
      ...(names.length > 0 ? [`[${names.join(', ')}].includes(${key})`] : []),
      ...evaluation.patterns.map((pattern) => `${this.#pattern(pattern)}.test(${key})`),
      ...(evaluation.items > 0 ? [`${key} < ${evaluation.items}`] : []),
      ...evaluation.contained.map((type) => `${this.#reference(type, `${hint}Contained`)}(value[${key}])`),
      ...evaluation.branches.map((branch) => {
        const passes = `${this.#reference(branch.type, `${hint}Branch`)}(value)`;
        const then = this.#evaluation(branch.then, key, hint);
        const otherwise = branch.else === undefined ? 'false' : this.#evaluation(branch.else, key, hint);
        return otherwise === 'false' ? `(${passes} && (${then}))` : `(${passes} ? ${then} : ${otherwise})`;
      }),
    ];
    return conditions.length === 0 ? 'false' : conditions.join(' || ');
  }

  #guardCall(type: TypeNode, value: string, hint: string): Expression {
    return { guard: this.#hoist(type, hint), args: [value] };
  }

  /** A function that checks a type: one that exists, or a new one. */
  #reference(type: TypeNode, hint: string): string {
    return printFunction(this.#existingFunction(type) ?? { guard: this.#hoist(type, hint) });
  }

  /** A function that checks a type, if it exists already. */
  #existingFunction(type: TypeNode): CheckFunction | undefined {
    if (type.kind === 'ref') return { guard: this.guardOf(type.name) };
    if (type.kind === 'boolean') return { fn: 'boolean' };
    if (type.kind === 'never') return { fn: 'absent' };
    if (type.kind === 'unknown') return { fn: 'present' };
    const isPlain =
      type.kind === 'object' ||
      type.kind === 'array' ||
      type.kind === 'string' ||
      type.kind === 'number' ||
      type.kind === 'integer';
    return isPlain && isAnyOfKind(type) ? { fn: type.kind } : undefined;
  }

  /** Declares a function that checks a value, before the functions that its body needs. */
  #declareCheck(name: string, body: () => string): void {
    const index = this.inline.length;
    const code = `(value: unknown): boolean {\n${body()}}`;
    this.inline.splice(index, 0, local('function', name, { code }));
  }

  #hoist(type: TypeNode, hint: string): string {
    const shape = shapeKey(type, { ignoreDefaults: true });
    const same = this.#hoisted.get(shape);
    if (same !== undefined) return same;
    const name = this.#freeName(hint);
    this.#hoisted.set(shape, name);
    this.#declareCheck(name, () => {
      // What is evaluated depends on verdicts about the same value, which have to be kept.
      const isCostly = type.kind === 'refined' && type.rules.some((rule) => 'evaluated' in rule);
      if (!isCostly) return this.#body(name, type);
      const inner = this.#freeName(`${name}Inner`);
      this.#declareCheck(inner, () => this.#body(inner, type));
      return `return ${printCheck('nested', 'value', inner)};\n`;
    });
    return name;
  }

  #freeName(hint: string): string {
    const start =
      hint.length > MAX_LISTED_NAME_LENGTH ? Array.from(hint).slice(0, MAX_LISTED_NAME_LENGTH).join('') : hint;
    let number = this.#numbers.get(start) ?? 2;
    let name = start;
    for (; this.#names.has(name); number += 1) name = `${start}${number}`;
    this.#numbers.set(start, number);
    this.#names.add(name);
    return name;
  }

  /** Checks that all must pass, as one expression; a long list is split into functions. */
  #every(
    checks: readonly Expression[],
    name: string,
    parameter: 'unknown' | 'check.UnknownObject',
  ): readonly Expression[] {
    if (checks.length <= MAX_OPERANDS) return checks;
    const parts = chunksOfOperands(checks).map((part) => {
      const own = this.#freeName(`${name}Part`);
      const code = `(value: ${parameter}): boolean {\nreturn ${printExpression(allOf(part))};\n}`;
      this.inline.push(local('function', own, { code }));
      return { guard: own, args: ['value'] };
    });
    return this.#every(parts, name, parameter);
  }

  #body(name: string, type: TypeNode, definition?: string): string {
    if (type.kind === 'object' && hasMembers(type)) return this.#objectBody(name, type, definition);
    if (type.kind === 'union')
      return isOpenType(type)
        ? this.#openBody(name, type.variants)
        : this.#unionBody(name, type.variants, type.exclusive);
    if (type.kind === 'refined') {
      const rules = type.rules.flatMap((rule) => this.#rule(rule, name) ?? []);
      const checks = this.#every([this.#expression(type.type, 'value', `${name}Type`), ...rules], name, 'unknown');
      return returnInDefinition(allOf(checks), definition);
    }
    if (type.kind === 'intersection') {
      const checks = type.parts.map((part, index) => this.#expression(part, 'value', `${name}Part${index + 1}`));
      // After a guard, the compiler rejects a comparison with a constant of another type.
      const isComparison = (expression: Expression): boolean => 'unless' in expression;
      const sorted = [...checks.filter(isComparison), ...checks.filter((one) => !isComparison(one))];
      const parts = this.#every(sorted, name, 'unknown');
      return returnInDefinition(allOf(parts), definition);
    }
    return `return ${printExpression(this.#expression(type, 'value', name))};\n`;
  }

  #objectBody(name: string, type: ObjectNode, definition: string | undefined): string {
    const checks: Expression[] = [];
    for (const member of orderedMembers(type.members)) {
      const hint = name + capitalize(member.name);
      const access = memberAccess(member.name);
      // A value that may not be there, and has to be.
      if (member.required && resolveReferences(member.type, this.#lookup).kind === 'never')
        checks.push(check('present', access));
      if (member.required) checks.push(this.#expression(member.type, access, hint));
      else if (member.type.kind !== 'unknown')
        checks.push(
          orAbsent(this.#expression(member.type, memberAccess(member.name), hint), memberAccess(member.name)),
        );
    }
    const limits = limitsOf(type.constraints, { minProperties: 'min', maxProperties: 'max' });
    if (limits !== undefined) checks.push(check('membersWithin', 'value', limits));
    const patterns = type.patterns ?? [];
    if (patterns.length > 0) {
      const pairs = patterns.map(
        (own, index) => `[${this.#pattern(own.pattern)}, ${this.#reference(own.type, `${name}Pattern${index + 1}`)}]`,
      );
      checks.push(check('patternMembers', 'value', `[${pairs.join(', ')}]`));
    }
    if (type.rest !== undefined && type.rest.kind !== 'unknown') {
      const known = `[${type.members.map((member) => JSON.stringify(member.name)).join(', ')}]`;
      const item =
        type.rest.kind === 'never' ? printFunction({ fn: 'absent' }) : this.#reference(type.rest, `${name}Value`);
      const matched = patterns.map((own) => this.#pattern(own.pattern));
      checks.push(
        check('otherMembers', 'value', known, item, ...(matched.length === 0 ? [] : [`[${matched.join(', ')}]`])),
      );
    }
    const whole = allOf([check('object', 'value'), ...this.#every(checks, name, 'check.UnknownObject')]);
    return returnInDefinition(whole, definition);
  }

  /** A union of plain kinds and constants, as one expression; many constants are looked up in a set. */
  #simpleUnion(name: string, variants: readonly TypeNode[]): string | undefined {
    let tests = new Map<string, string>();
    const constants = new Set<string>();
    for (const variant of variants) {
      if (variant.kind === 'literal') {
        const text = JSON.stringify(variant.value);
        constants.add(text);
        tests.set(`value === ${text}`, text);
      } else {
        const plain = inlineTest(variant);
        if (plain === undefined) return undefined;
        tests.set(...plain);
      }
    }
    if (constants.size === tests.size && constants.size <= MAX_OPERANDS)
      return `${[...tests.keys()].join(' || ')} || ${printCheck('noneOf', 'value', ...constants)}`;
    if (constants.size > MAX_OPERANDS) {
      const set = this.#freeName(`${name}Values`);
      const list = [...constants].join(', ');
      const code = `: ReadonlySet<unknown> = /* @__PURE__ */ new Set<unknown>([${list}]);`;
      this.inline.push(local('const', set, { code }));
      const others = [...tests].filter(([, text]) => !constants.has(text));
      tests = new Map([...others, [`${set}.has(value)`, describeManyValues(constants.size)]]);
    }
    return `${[...tests.keys()].join(' || ')} || ${printCheck('mismatch', JSON.stringify(joinAlternatives([...tests.values()])), 'value')}`;
  }

  /** A type that says something about values of some kinds, and allows all others. */
  #openBody(name: string, variants: readonly TypeNode[]): string {
    return `return ${printExpression(allOf([check('present', 'value'), ...this.#limitsByKind(variants, name)]))};\n`;
  }

  /** Checks of values by their kind; values of other kinds pass. */
  #limitsByKind(variants: readonly TypeNode[], name: string): readonly Expression[] {
    return variants.flatMap((variant): Expression[] => {
      const test = OTHER_KIND_TESTS[variant.kind];
      if (test === undefined || isAnyOfKind(variant)) return [];
      return [{ unless: test, then: this.#expression(variant, 'value', name + capitalize(variant.kind)) }];
    });
  }

  #unionBody(name: string, variants: readonly TypeNode[], exclusive: boolean): string {
    const variantHint = (index: number): string => `${name}Variant${index + 1}`;
    if (exclusive) {
      const outcomes = variants.map((variant, index) =>
        printExpression(this.#expression(variant, 'value', variantHint(index))),
      );
      return `return ${printCheck('oneOf', 'value', ...outcomes)};\n`;
    }
    const simple = this.#simpleUnion(name, variants);
    if (simple !== undefined) return `return ${simple};\n`;
    const pick = (indices: readonly number[]): string => {
      const types = indices.map((index) => variants[index] ?? { kind: 'never' as const });
      const [only, second] = types;
      if (only !== undefined && second === undefined)
        return `return ${printExpression(this.#expression(only, 'value', variantHint(indices[0] ?? 0)))};\n`;
      const functions = types.map((type, position) => this.#reference(type, variantHint(indices[position] ?? 0)));
      return `return ${printCheck('anyOf', 'value', ...functions)};\n`;
    };
    const kinds = variants.map((variant) => jsonKinds(variant, this.#lookup));
    if (kinds.some((own) => own === undefined)) return pick(variants.map((_, index) => index));

    const byKind = new Map<JsonKind, number[]>();
    kinds.forEach((own, index) => {
      for (const kind of own ?? []) byKind.set(kind, [...(byKind.get(kind) ?? []), index]);
    });
    const objects = byKind.get('object') ?? [];
    const tests = new Map<string, { conditions: string[]; indices: readonly number[] }>();
    for (const [kind, indices] of byKind) {
      if (kind === 'object') continue;
      const entry = tests.get(indices.join()) ?? { conditions: [], indices };
      entry.conditions.push(kindTest(kind));
      tests.set(indices.join(), entry);
    }
    const lines = [...tests.values()].map(
      ({ conditions, indices }) => `if (${conditions.join(' || ')}) ${pick(indices)}`,
    );
    const mismatch = printCheck('mismatch', JSON.stringify(kindsText([...byKind.keys()])), 'value');
    if (objects.length === 0) return `${lines.join('')}return ${mismatch};\n`;
    if (tests.size > 0) lines.push(`if (typeof value !== "object" || value === null) return ${mismatch};\n`);
    const chosen = objects.map((index) => variants[index] ?? { kind: 'never' as const });
    const discriminator = chosen.length > 1 ? discriminate(chosen, this.#lookup) : undefined;
    if (discriminator === undefined) return `${lines.join('')}${pick(objects)}`;

    const { member, cases } = discriminator;
    const byTarget = new Map<string, { tags: string[]; indices: readonly number[] }>();
    for (const [tag, positions] of cases) {
      const indices = positions.map((position) => objects[position] ?? 0);
      const entry = byTarget.get(indices.join()) ?? { tags: [], indices };
      entry.tags.push(JSON.stringify(tag));
      byTarget.set(indices.join(), entry);
    }
    const branches = [...byTarget.values()].map(
      ({ tags, indices }) => `${tags.map((tag) => `case ${tag}:\n`).join('')}${pick(indices)}`,
    );
    const otherwise =
      cases.size > MAX_LISTED_NAMES
        ? printCheck('mismatch', JSON.stringify(describeManyValues(cases.size)), memberAccess(member))
        : printCheck('noneOf', memberAccess(member), ...[...cases.keys()].map((tag) => JSON.stringify(tag)));
    return `${lines.join('')}if (!${printCheck('object', 'value')}) return false;
switch (${memberAccess(member)}) {\n${branches.join('')}default:\nreturn ${otherwise};\n}\n`;
  }
}

/** Returns an expression; a failure names the definition. */
function returnInDefinition(expression: Expression, definition: string | undefined): string {
  const text = printExpression(expression);
  if (definition === undefined) return `return ${text};\n`;
  return `return (${text}) || ${printCheck('inDefinition', JSON.stringify(definition))};\n`;
}

import { memberOf, refsIn } from '../model/catalog/derive.js';
import { discriminate, jsonKinds, typeLookup, type JsonKind, type TypeLookup } from '../model/types/discriminate.js';
import { capitalize } from '../model/naming.js';
import {
  findDefinition,
  isObjectPrototypeMember,
  type Constraints,
  type Definitions,
  type Method,
  type ObjectNode,
  type TypeNode,
} from '../model/protocol.js';
import { SourceFile } from '../print/source-file.js';
import { orderedMembers, type TypePrinter } from '../print/type.js';
import { importDefinition, type EmitContext } from './context.js';
import { MESSAGE_GUARDS } from './guards.js';

/** `validators.ts`: for each definition a deep guard, a validator and an assertion, in plain code. */
export function emitValidators(context: EmitContext): SourceFile {
  const file = new SourceFile('validators');
  file.importNamespace('runtime/validation', 'check');
  const writer = new GuardWriter(context, [...METHOD_VALIDATORS, ...MESSAGE_GUARDS, 'classify', 'check']);
  const { definitions } = context.protocol;
  const names = definitions.map((definition) => importDefinition(file, context, definition.name));
  const guards = definitions.map((definition) => writer.printGuard(definition.name, definition.type));
  file.reexport('runtime/validation', { values: REEXPORTED_VALUES, types: REEXPORTED_TYPES });
  emitDispatchers(file, context, writer);
  // Alike stands beside alike, since that is what compresses best.
  for (const code of [...writer.inline, ...guards, ...names.map(validatorName), ...names.map(assertionName)])
    file.add(code);
  return file;
}

/** What a user of the validators needs of the runtime. */
const REEXPORTED_VALUES: readonly string[] = [
  'describeFailure',
  'FORMATS',
  'lenientList',
  'missingContent',
  'missingResultType',
  'nullCursor',
  'nullMembers',
  'tolerating',
  'unknownContent',
  'ValidationError',
];
const REEXPORTED_TYPES: readonly string[] = [
  'Deviation',
  'Failure',
  'Leniency',
  'LenientList',
  'Repair',
  'ValidateOptions',
  'Validation',
  'Validator',
];

/** Names of the validators and guards that choose by method; those of a definition of such a name give way. */
const METHOD_VALIDATORS: ReadonlySet<string> = new Set([
  'validateParams',
  'validateResult',
  'validateTaskResult',
  'validateResponse',
  'validateTaskResponse',
  'validateRequestMessage',
  'validateNotificationMessage',
  'isRequestMessage',
  'isNotificationMessage',
  'isMessageOf',
  'isResultOf',
  'isTaskResultOf',
  'isResponseWith',
]);

/**
 * A name made of a verb and a definition, marked as the definition's where a function on messages has one of the three
 * names already: the three always go together.
 */
export function checkName(verb: 'is' | 'validate' | 'assert', definition: string): string {
  const taken = ['is', 'validate', 'assert'].some(
    (item) => METHOD_VALIDATORS.has(item + definition) || MESSAGE_GUARDS.has(item + definition),
  );
  return taken ? `${verb}${definition}Definition` : verb + definition;
}

/** The validator of a definition. */
export function validatorName(name: string): string {
  return `/** Validates {@link ${name}}. */
export const ${checkName('validate', name)}: check.Validator<${name}> = /* @__PURE__ */ check.validator(${checkName('is', name)});
`;
}

/** The assertion of a definition. */
export function assertionName(name: string): string {
  return `/**
 * Does nothing if a value is of the type {@link ${name}}.
 *
 * @throws ValidationError if it is not.
 */
export const ${checkName('assert', name)}: check.Assertion<${name}> = /* @__PURE__ */ check.assertion(${checkName('is', name)});
`;
}

/** Characters of a function's name, which grows with the depth of what it checks. */
const MAX_LISTED_NAME_LENGTH = 80;

/** Most constants that a failure names one by one. */
const MAX_LISTED_NAMES = 8;

/**
 * Most operands of one `&&` or `||`. Compilers recurse into them, and TypeScript gives up on a function with some 2000
 * (TS2563); beyond it constants go into a set, and checks into functions.
 */
const MAX_OPERANDS = 64;

/** Reads a member of `value`. */
function memberAccess(name: string): string {
  return isObjectPrototypeMember(name)
    ? `check.ownMember(value, ${JSON.stringify(name)})`
    : `value[${JSON.stringify(name)}]`;
}

/** Writes guards: one for each definition, and one for each inline type that is too large to stand in an expression. */
export class GuardWriter {
  /** Guards of inline types, in the order in which they were asked for. */
  readonly inline: string[] = [];
  readonly #names = new Set<string>();
  /** The number that the next function of a name gets, where several want one name. */
  readonly #numbers = new Map<string, number>();
  /** Functions of inline types by their type, so that one serves wherever it recurs. */
  readonly #hoisted = new Map<string, string>();
  readonly #printer: TypePrinter;
  readonly #lookup: TypeLookup;
  /** Definitions that one value may meet many times, so that the runtime counts and keeps their verdicts. */
  readonly #nested: ReadonlySet<string>;

  /** @param taken - Names that the file has for something else. */
  constructor(
    { protocol, printer }: { readonly protocol: Definitions; readonly printer: TypePrinter },
    taken: readonly string[],
  ) {
    this.#printer = printer;
    this.#lookup = typeLookup(protocol);
    this.#nested = new Set([...recursiveDefinitions(protocol), ...branchingDefinitions(protocol, this.#lookup)]);
    for (const name of taken) this.#names.add(name);
    for (const { name } of protocol.definitions) this.#names.add(this.guardOf(name));
  }

  /** Name of the guard of a definition. */
  guardOf(definition: string): string {
    return checkName('is', this.#printer.name(definition));
  }

  /** The guard of a definition. */
  printGuard(definition: string, type: TypeNode): string {
    const name = this.#printer.name(definition);
    const guard = this.guardOf(definition);
    const doc = `/** Whether a value is of the type {@link ${name}}, however deep one looks. */\n`;
    const signature = `export function ${guard}(value: unknown): value is ${name} {\n`;
    if (!this.#nested.has(definition)) return `${doc}${signature}${this.#body(guard, type, name)}}\n`;
    return `${doc}${signature}return check.nested(value, ${this.#hoist(type, `${guard}Inner`)});\n}\n`;
  }

  /** An expression that says whether `value` is of a type. */
  #expression(type: TypeNode, value: string, hint: string): string {
    switch (type.kind) {
      case 'unknown':
        return `check.present(${value})`;
      case 'never':
        return `check.absent(${value})`;
      case 'boolean':
        return `check.boolean(${value})`;
      case 'null':
        return literalCheck(null, value);
      case 'literal':
        return literalCheck(type.value, value);
      case 'string':
        return stringCheck(type.constraints, value);
      case 'number':
      case 'integer': {
        const limits = limitsOf(type.constraints, NUMBER_LIMITS);
        return conjunction([`check.${type.kind}(${value})`, limits && `check.numberWithin(${value}, ${limits})`]);
      }
      case 'ref':
        return `${this.guardOf(type.name)}(${value})`;
      case 'array': {
        const limits = limitsOf(type.constraints, { minItems: 'min', maxItems: 'max' });
        return conjunction([
          type.items.kind === 'unknown'
            ? `check.array(${value})`
            : `check.arrayOf(${value}, ${this.#reference(type.items, `${hint}Item`)})`,
          limits && `check.itemsWithin(${value}, ${limits})`,
          type.constraints['uniqueItems'] === true && `check.uniqueItems(${value})`,
        ]);
      }
      case 'object': {
        if (hasMembers(type)) return this.#guardCall(type, value, hint);
        const limits = limitsOf(type.constraints, { minProperties: 'min', maxProperties: 'max' });
        return conjunction([
          type.rest === undefined || type.rest.kind === 'unknown'
            ? `check.object(${value})`
            : `check.recordOf(${value}, ${this.#reference(type.rest, `${hint}Value`)})`,
          limits && `check.membersWithin(${value}, ${limits})`,
        ]);
      }
      case 'union':
      case 'intersection':
        return this.#guardCall(type, value, hint);
    }
  }

  #guardCall(type: TypeNode, value: string, hint: string): string {
    return `${this.#hoist(type, hint)}(${value})`;
  }

  /** A function that checks a type: one that exists, or a new one. */
  #reference(type: TypeNode, hint: string): string {
    return this.#builtinGuard(type) ?? this.#hoist(type, hint);
  }

  /** A function that checks a type, if there is one without writing it. */
  #builtinGuard(type: TypeNode): string | undefined {
    if (type.kind === 'ref') return this.guardOf(type.name);
    if (type.kind === 'boolean') return 'check.boolean';
    if (
      type.kind === 'object' &&
      !hasMembers(type) &&
      isUnconstrained(type.constraints) &&
      (type.rest === undefined || type.rest.kind === 'unknown')
    )
      return 'check.object';
    if (type.kind === 'array' && type.items.kind === 'unknown' && isUnconstrained(type.constraints))
      return 'check.array';
    const primitive = type.kind === 'string' || type.kind === 'number' || type.kind === 'integer';
    return primitive && isUnconstrained(type.constraints) ? `check.${type.kind}` : undefined;
  }

  #hoist(type: TypeNode, hint: string): string {
    const shape = JSON.stringify(type, omitDocs);
    const same = this.#hoisted.get(shape);
    if (same !== undefined) return same;
    const name = this.#freeName(hint);
    this.#hoisted.set(shape, name);
    const index = this.inline.length;
    // Kept in front of the inline types that it needs itself.
    this.inline.push('');
    this.inline[index] = `function ${name}(value: unknown): boolean {\n${this.#body(name, type)}}\n`;
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

  /** Checks that all have to pass, as one expression: those of a long list in functions. */
  #every(checks: readonly string[], name: string, parameter: 'unknown' | 'check.UnknownObject'): string {
    if (checks.length <= MAX_OPERANDS) return conjunction(checks);
    const parts = chunksOfOperands(checks).map((part) => {
      const own = this.#freeName(`${name}Part`);
      this.inline.push(`function ${own}(value: ${parameter}): boolean {\nreturn ${conjunction(part)};\n}\n`);
      return `${own}(value)`;
    });
    return this.#every(parts, name, parameter);
  }

  #body(name: string, type: TypeNode, definition?: string): string {
    if (type.kind === 'object' && hasMembers(type)) return this.#objectBody(name, type, definition);
    if (type.kind === 'union') return this.#unionBody(name, type.variants, type.exclusive);
    if (type.kind === 'intersection') {
      const parts = this.#every(
        type.parts.map((part, index) => this.#expression(part, 'value', `${name}Part${index + 1}`)),
        name,
        'unknown',
      );
      return `return ${definition === undefined ? parts : `(${parts}) || check.inDefinition(${JSON.stringify(definition)})`};\n`;
    }
    return `return ${this.#expression(type, 'value', name)};\n`;
  }

  #objectBody(name: string, type: ObjectNode, definition: string | undefined): string {
    const checks: string[] = [];
    for (const member of orderedMembers(type.members)) {
      const hint = name + capitalize(member.name);
      if (member.required) checks.push(this.#expression(member.type, memberAccess(member.name), hint));
      else if (member.type.kind !== 'unknown')
        checks.push(this.#optionalExpression(member.type, memberAccess(member.name), hint));
    }
    const limits = limitsOf(type.constraints, { minProperties: 'min', maxProperties: 'max' });
    if (limits !== undefined) checks.push(`check.membersWithin(value, ${limits})`);
    if (type.rest !== undefined && type.rest.kind !== 'unknown') {
      const known = `[${type.members.map((member) => JSON.stringify(member.name)).join(', ')}]`;
      const item = type.rest.kind === 'never' ? 'check.absent' : this.#reference(type.rest, `${name}Value`);
      checks.push(`check.otherMembers(value, ${known}, ${item})`);
    }
    const whole = conjunction(['check.object(value)', this.#every(checks, name, 'check.UnknownObject')]);
    return definition === undefined
      ? `return ${whole};\n`
      : `return (${whole}) || check.inDefinition(${JSON.stringify(definition)});\n`;
  }

  #optionalExpression(type: TypeNode, value: string, hint: string): string {
    const existing = this.#builtinGuard(type);
    if (existing?.startsWith('check.')) return `check.maybe${capitalize(existing.slice('check.'.length))}(${value})`;
    const expression = this.#expression(type, value, hint);
    if ((type.kind === 'array' || type.kind === 'object') && isUnconstrained(type.constraints)) {
      const bare = /^check\.(arrayOf|recordOf)\(/.exec(expression);
      if (bare?.[1] !== undefined) return `check.maybe${capitalize(bare[1])}(${expression.slice(bare[0].length)}`;
    }
    return `(${value} === undefined || ${parenthesizeOr(expression)})`;
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
      return `${[...tests.keys()].join(' || ')} || check.noneOf(value, ${[...constants].join(', ')})`;
    if (constants.size > MAX_OPERANDS) {
      const set = this.#freeName(`${name}Values`);
      const list = [...constants].join(', ');
      this.inline.push(`const ${set}: ReadonlySet<unknown> = /* @__PURE__ */ new Set<unknown>([${list}]);\n`);
      const others = [...tests].filter(([, text]) => !constants.has(text));
      tests = new Map([...others, [`${set}.has(value)`, describeManyValues(constants.size)]]);
    }
    return `${[...tests.keys()].join(' || ')} || check.mismatch(${JSON.stringify(joinAlternatives([...tests.values()]))}, value)`;
  }

  #unionBody(name: string, variants: readonly TypeNode[], exclusive: boolean): string {
    const variantHint = (index: number): string => `${name}Variant${index + 1}`;
    if (exclusive) {
      const outcomes = variants.map((variant, index) => this.#expression(variant, 'value', variantHint(index)));
      return `return check.oneOf(value, ${outcomes.join(', ')});\n`;
    }
    const simple = this.#simpleUnion(name, variants);
    if (simple !== undefined) return `return ${simple};\n`;
    const pick = (indices: readonly number[]): string => {
      const types = indices.map((index) => variants[index] ?? { kind: 'never' as const });
      const [only, second] = types;
      if (only !== undefined && second === undefined)
        return `return ${this.#expression(only, 'value', variantHint(indices[0] ?? 0))};\n`;
      return `return check.anyOf(value, ${types.map((type, position) => this.#reference(type, variantHint(indices[position] ?? 0))).join(', ')});\n`;
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
    const expected = JSON.stringify(kindsText([...byKind.keys()]));
    if (objects.length === 0) return `${lines.join('')}return check.mismatch(${expected}, value);\n`;
    if (tests.size > 0)
      lines.push(`if (typeof value !== "object" || value === null) return check.mismatch(${expected}, value);\n`);
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
        ? `check.mismatch(${JSON.stringify(describeManyValues(cases.size))}, ${memberAccess(member)})`
        : `check.noneOf(${memberAccess(member)}, ${[...cases.keys()].map((tag) => JSON.stringify(tag)).join(', ')})`;
    return `${lines.join('')}if (!check.object(value)) return false;
switch (${memberAccess(member)}) {\n${branches.join('')}default:\nreturn ${otherwise};\n}\n`;
  }
}

/** Definitions that can contain themselves. */
function recursiveDefinitions(protocol: Definitions): ReadonlySet<string> {
  const targets = new Map(
    protocol.definitions.map((definition) => [definition.name, new Set(refsIn(definition.type))]),
  );
  const reaches = (from: string, wanted: string): boolean => {
    const seen = new Set<string>();
    const open = [...(targets.get(from) ?? [])];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (name === wanted) return true;
      if (seen.has(name)) continue;
      seen.add(name);
      open.push(...(targets.get(name) ?? []));
    }
    return false;
  };
  return new Set(protocol.definitions.map((definition) => definition.name).filter((name) => reaches(name, name)));
}

/** Longest chain of definitions with branches that nothing tells apart of which each checks all that follow anew. */
const MAX_CALL_CHAIN = 4;

/**
 * Definitions that begin a long chain in which each has several branches with the next one in them: without verdicts that
 * are kept, the time doubles with each, though none of them contains itself.
 */
function branchingDefinitions(protocol: Definitions, lookup: TypeLookup): ReadonlySet<string> {
  const types = new Map(protocol.definitions.map(({ name, type }) => [name, type]));
  const lengths = new Map<string, number>();
  // By hand, since a long chain would be too deep for recursion.
  for (const start of types.keys()) {
    const open = [start];
    for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
      const type = types.get(name);
      const targets = type === undefined ? [] : refsIn(type);
      const missing = lengths.has(name) ? [] : targets.filter((target) => !lengths.has(target));
      // What is looked at already counts as nothing, which ends a circle.
      if (!lengths.has(name)) lengths.set(name, 0);
      if (missing.length > 0) {
        open.push(...missing);
        continue;
      }
      open.pop();
      const longest = targets.reduce((most, target) => Math.max(most, lengths.get(target) ?? 0), 0);
      lengths.set(name, longest + (type !== undefined && isBranching(type, lookup) ? 1 : 0));
    }
  }
  return new Set([...lengths].filter(([, length]) => length > MAX_CALL_CHAIN).map(([name]) => name));
}

/** Whether a type holds a union of which several branches may have to be tried, each to its end. */
function isBranching(type: TypeNode, lookup: TypeLookup): boolean {
  switch (type.kind) {
    case 'union': {
      if (type.variants.some((variant) => variant.kind !== 'ref' && isBranching(variant, lookup))) return true;
      const compound = type.variants.filter((variant) => refsIn(variant).length > 0);
      return compound.length > 1 && (type.exclusive || discriminate(compound, lookup) === undefined);
    }
    case 'intersection':
      return (
        type.parts.filter((part) => refsIn(part).length > 0).length > 1 ||
        type.parts.some((part) => isBranching(part, lookup))
      );
    case 'array':
      return isBranching(type.items, lookup);
    case 'object':
      return (
        type.members.some((member) => isBranching(member.type, lookup)) ||
        (type.rest !== undefined && isBranching(type.rest, lookup))
      );
    default:
      return false;
  }
}

function omitDocs(key: string, value: unknown): unknown {
  return key === 'doc' || key === 'deprecated' || key === 'defaultValue' ? undefined : value;
}

function hasMembers(type: ObjectNode): boolean {
  return type.members.length > 0 || type.rest?.kind === 'never';
}

function isUnconstrained(constraints: Constraints): boolean {
  return Object.keys(constraints).length === 0;
}

/** Validators by method: of params, results and whole messages. */
function emitDispatchers(file: SourceFile, context: EmitContext, writer: GuardWriter): void {
  const method = file.importType('methods', 'Method');
  const requestMethod = file.importType('methods', 'RequestMethod');
  const classify = file.importValue('guards', 'classify');
  const wire = context.methods.map((named) => named.method);
  const requests = wire.filter((item) => item.kind === 'request');
  const switchOn = (rows: readonly (readonly [Method, string])[], otherwise: string): string => {
    const cases = new Map<string, string[]>();
    for (const [row, expression] of rows) {
      cases.set(expression, [...(cases.get(expression) ?? []), `case ${JSON.stringify(row.name)}:\n`]);
    }
    const branches = [...cases].map(([expression, labels]) => `${labels.join('')}return ${expression};\n`);
    return `switch (method) {\n${branches.join('')}default:\nreturn ${otherwise};\n}\n`;
  };
  const unknown = 'check.mismatch("a method of this revision", method)';

  file.add(`/** Validates the params of a method; \`undefined\` stands for a message without params. */
export function validateParams<M extends ${method}>(
  method: M,
  params: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('methods', 'ParamsOf')}<M>> {
  // The params are checked where they belong, in a message; pointers are their own all the same.
  return check.validateWith((value) => isMessageOf(method, { jsonrpc: "2.0", id: 0, method, params: value }), params, options);
}
`);
  file.add(
    `function isMessageOf(method: string, value: unknown): boolean {\n${switchOn(
      wire.map((row) => [row, `${writer.guardOf(row.message)}(value)`] as const),
      'check.mismatch("a method of this revision", method)',
    )}}\n`,
  );

  const kinds = findDefinition(context.protocol, 'Result');
  const hasResultType = memberOf(kinds?.type, 'resultType') !== undefined;
  const note = hasResultType
    ? '\n * The kind of result decides by what it is measured: one that asks for input is never taken for a complete one, and one\n * without `resultType`, as older servers send it, is complete.'
    : '';
  file.add(`/**
 * Validates the result of a request by the request's method.${note}
 */
export function validateResult<M extends ${requestMethod}>(
  method: M,
  result: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('methods', 'ResultOf')}<M>> {
  return check.validateWith((value) => isResultOf(method, value), result, options);
}
`);
  const resultCheck = (row: Method): string => {
    const [complete = 'Result', ...others] = row.results;
    if (!hasResultType) return `${writer.guardOf(complete)}(value)`;
    const asking = others.includes('InputRequiredResult') ? `, ${writer.guardOf('InputRequiredResult')}` : '';
    return `check.resultOf(value, ${writer.guardOf(complete)}${asking})`;
  };
  file.add(
    `function isResultOf(method: string, value: unknown): boolean {\n${switchOn(
      requests.map((row) => [row, resultCheck(row)] as const),
      unknown,
    )}}\n`,
  );

  const tasks = requests.filter((row) => row.taskResult !== undefined);
  if (tasks.length > 0) {
    file.add(`/** Validates a whole response to a request whose params asked for a task. */
export function validateTaskResponse<M extends keyof ${file.importType('methods', 'TaskResultMap')}>(
  method: M,
  response: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('messages', 'ResultResponse')}<TaskResultMap[M]> | ${file.importType('messages', 'ErrorResponse')}> {
  return check.validateWith((value) => isResponseWith((result) => isTaskResultOf(method, result), value), response, options);
}
`);
    file.add(`/** Validates what a request is answered with at once if its params ask for a task. */
export function validateTaskResult<M extends keyof ${file.importType('methods', 'TaskResultMap')}>(
  method: M,
  result: unknown,
  options?: check.ValidateOptions,
): check.Validation<TaskResultMap[M]> {
  return check.validateWith((value) => isTaskResultOf(method, value), result, options);
}
`);
    file.add(
      `function isTaskResultOf(method: string, value: unknown): boolean {\n${switchOn(
        tasks.map((row) => [row, `${writer.guardOf(row.taskResult ?? '')}(value)`] as const),
        unknown,
      )}}\n`,
    );
  }

  file.add(`/** Validates a whole response to a request, envelope and all, by the request's method. */
export function validateResponse<M extends ${requestMethod}>(
  method: M,
  response: unknown,
  options?: check.ValidateOptions,
): check.Validation<${file.importType('messages', 'ResultResponse')}<ResultOf<M>> | ${file.importType('messages', 'ErrorResponse')}> {
  return check.validateWith((value) => isResponseWith((result) => isResultOf(method, result), value), response, options);
}
`);
  file.add(`function isResponseWith(isResult: check.Check, value: unknown): boolean {
  const classified = ${classify}(value);
  if (classified.kind === "result") return isResult(classified.message.result);
  return classified.kind === "error" || check.mismatch(\`a response (\${classified.kind === "invalid" ? classified.reason : classified.kind})\`, value);
}
`);
  for (const kind of ['request', 'notification'] as const) {
    const Kind = kind === 'request' ? 'Request' : 'Notification';
    const client = file.importType('messages', `Client${Kind}Message`);
    const server = file.importType('messages', `Server${Kind}Message`);
    const guard = `is${Kind}Message`;
    file.add(`/** Validates a whole ${kind} of either side, envelope and all, by its method. */
export const validate${Kind}Message: check.Validator<${client} | ${server}> = /* @__PURE__ */ check.validator(${guard});
`);
    file.add(`/** Whether a value is a whole ${kind} of either side, envelope and all. */
export function ${guard}(value: unknown): value is ${client} | ${server} {
  const classified = ${classify}(value);
  if (classified.kind !== "${kind}") {
    return check.mismatch(\`a ${kind} (\${classified.kind === "invalid" ? classified.reason : classified.kind})\`, value);
  }
  const { message } = classified;
  const { method } = message;
  return ${file.importValue('guards', `isClient${Kind}`)}(message) || ${file.importValue('guards', `isServer${Kind}`)}(message)
    ? isMessageOf(method, value)
    : check.mismatch("the method of a ${kind}", method);
}
`);
  }
}

function conjunction(parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== false && part !== '').join(' && ');
}

function parenthesizeOr(expression: string): string {
  return expression.includes(' && ') ? `(${expression})` : expression;
}

/** What a failure says of constants that are too many to be named. */
function describeManyValues(count: number): string {
  return `one of ${count} known values`;
}

const NUMBER_LIMITS = {
  minimum: 'min',
  maximum: 'max',
  exclusiveMinimum: 'above',
  exclusiveMaximum: 'below',
  multipleOf: 'step',
} as const;

/**
 * Compared on the spot, which spares a call where values are many; methods and codes, of which a message has one, are
 * compared by a function, which is shorter.
 */
function literalCheck(constant: string | number | boolean | null, value: string): string {
  const text = JSON.stringify(constant);
  return typeof constant === 'number' || text.includes('/')
    ? `check.literal(${value}, ${text})`
    : `(${value} === ${text} || check.noneOf(${value}, ${text}))`;
}

function stringCheck(constraints: Constraints, value: string): string {
  const format = constraints['format'];
  const limits = limitsOf(constraints, { minLength: 'min', maxLength: 'max', pattern: 'pattern' });
  const parts = [
    typeof format === 'string' && `check.stringWithFormat(${value}, ${JSON.stringify(format)})`,
    limits && `check.stringWithin(${value}, ${limits})`,
  ];
  return conjunction(parts) || `check.string(${value})`;
}

/** Constraints as an object literal, under the names that the runtime gives them. */
function limitsOf(constraints: Constraints, names: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(names)
    .filter(([keyword]) => Object.hasOwn(constraints, keyword))
    .map(([keyword, name]) => {
      const value = constraints[keyword];
      return `${name}: ${keyword === 'pattern' ? `new RegExp(${JSON.stringify(value)}, "u")` : JSON.stringify(value)}`;
    });
  return entries.length === 0 ? undefined : `{ ${entries.join(', ')} }`;
}

/** A list in pieces of {@link MAX_OPERANDS}. */
function chunksOfOperands<T>(list: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / MAX_OPERANDS) }, (_, index) =>
    list.slice(index * MAX_OPERANDS, (index + 1) * MAX_OPERANDS),
  );
}

/** The test of a kind without constraints, and what it expects in words; undefined for any other type. */
function inlineTest(type: TypeNode): [condition: string, expected: string] | undefined {
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

function kindTest(kind: JsonKind): string {
  if (kind === 'array') return 'Array.isArray(value)';
  return kind === 'null' ? 'value === null' : `typeof value === ${JSON.stringify(kind)}`;
}

function kindsText(kinds: readonly string[]): string {
  return joinAlternatives(
    kinds.map((kind) => (kind === 'null' ? 'null' : `${/^[aio]/.test(kind) ? 'an' : 'a'} ${kind}`)),
  );
}

function joinAlternatives(texts: readonly string[]): string {
  return texts.length < 2 ? (texts[0] ?? 'nothing') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1) ?? ''}`;
}

import { McpgenError } from '../errors.js';
import { discriminate, resolveReferences } from '../model/types/discriminate.js';
import { toRegularExpression } from '../model/schema/keywords.js';
import { typeLookup, type TypeLookup } from '../model/types/references.js';
import { keywordOf } from '../model/types/rule-keyword.js';
import {
  isObjectPrototypeMember,
  type ArrayNode,
  type Constraints,
  type Definition,
  type Member,
  type ObjectNode,
  type Rule,
  type TypeNode,
} from '../model/protocol.js';
import { docComment } from '../print/doc-comment.js';
import { literalKey } from '../print/names.js';
import { exported, local, SourceFile, type Declaration } from '../print/source-file.js';
import { orderedMembers, printType } from '../print/type.js';
import type { EmitContext } from './context.js';

/** `zod.ts`: a Zod 4 schema for every definition, that accepts the same values as its JSON Schema. */
export function emitZod(context: EmitContext): SourceFile {
  const file = new SourceFile('zod');
  file.importPackage('zod', 'z');
  const writer = new ZodWriter(file, context);
  const schemas = dependencyOrder(context.protocol.definitions).map((definition) => writer.declareSchema(definition));
  file.add(PREFACE);
  for (const helper of writer.helpers()) file.add(helper);
  for (const schema of schemas) file.add(schema);
  return file;
}

const PREFACE = `// Needs Zod 4.4 or later. Zod returns a copy that is equal to the input: unknown members stay, and nothing is
// added. Formats are not checked. The value of a member named __proto__ is not checked, and never copied, as
// everywhere in Zod.
`;

/** Helpers of schemas. Each is emitted only into files that use it. */
const HELPERS = {
  schema: [
    local('function', 'schema', {
      doc: '/** Creates a schema. Calls are marked as pure, so that a bundler drops unused schemas. */',
      code: `<T>(make: () => T): T {
  return make();
}`,
    }),
  ],
  optional: [
    local('const', 'optional', {
      doc: '/** An optional member; its type does not allow undefined, but undefined passes for an absent member. */',
      code: ` = z.optional as <T extends z.core.SomeType>(inner: T) => z.ZodExactOptional<T>;`,
    }),
  ],
  present: [
    local('function', 'present', {
      doc: '/** A required member of any type. */',
      code: `<T extends z.ZodType>(inner: T): T {
  return inner.refine((value) => value !== undefined, "Invalid input: expected a value, received undefined") as T;
}`,
    }),
  ],
  integer: [
    local('const', 'integer', {
      doc: '/** A number without a fraction, however large: z.int() would reject unsafe integers. */',
      code: ` = /* @__PURE__ */ schema(() => z.number().refine(Number.isInteger, "Invalid input: expected integer"));`,
    }),
  ],
  anyObject: [
    local('const', 'anyObject', {
      doc: '/** Any object, whatever its members. */',
      code: `: z.ZodType<object> = /* @__PURE__ */ schema(() => z.looseObject({}));`,
    }),
  ],
  characters: [
    local('function', 'characters', {
      doc: '/** The length of a text in code points, some of which are two code units. */',
      code: `(text: string): number {
  return [...text].length;
}`,
    }),
  ],
  members: [
    local('function', 'members', {
      doc: '/** The number of members of an object. */',
      code: `(value: object): number {
  return Object.keys(value).length;
}`,
    }),
  ],
  unique: [
    local('function', 'unique', {
      doc: '/** Whether no two items are equal. */',
      code: `(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => JSON.stringify(item, sorted))).size === items.length;
}`,
    }),
    local('function', 'sorted', {
      doc: '/** Sorts the members of objects, so that equal values have the same text. */',
      code: `(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}`,
    }),
  ],
  byName: [
    local('function', 'byName', {
      doc: '/** An object whose members are checked by patterns of their names; `rest` checks those that have neither a known name nor a pattern. */',
      code: `<T extends object>(
  schema: z.ZodType,
  patterns: readonly (readonly [RegExp, z.ZodType])[],
  known: readonly string[],
  rest: z.ZodType,
): z.ZodType<T> {
  return schema.superRefine((value, context) => {
    for (const [name, member] of Object.entries(value as object)) {
      if (member === undefined) continue;
      const matching = patterns.filter(([pattern]) => pattern.test(name)).map(([, type]) => type);
      const types = matching.length > 0 || known.includes(name) ? matching : [rest];
      for (const issue of types.flatMap((type) => type.safeParse(member).error?.issues ?? []))
        context.addIssue({ ...issue, path: [name, ...issue.path] });
    }
  }) as z.ZodType<T>;
}`,
    }),
  ],
  both: [
    local('function', 'both', {
      doc: '/** A value that both schemas accept. An intersection would accept an unknown member that only one of them rejects. */',
      code: `<A extends z.ZodType, B extends z.ZodType>(left: A, right: B): z.ZodType<z.infer<A> & z.infer<B>> {
  return z.pipe(left, right as z.ZodType<z.infer<B>, z.infer<A>>) as z.ZodType<z.infer<A> & z.infer<B>>;
}`,
    }),
  ],
} as const satisfies Readonly<Record<string, readonly Declaration[]>>;

type Helper = keyof typeof HELPERS;

/** Names in a file other than its schemas, which end in \`Schema\`. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'z',
  ...Object.values(HELPERS).flatMap((helper) => helper.map(({ name }) => name)),
]);

/** Definitions after those that they refer to, as far as such an order exists; otherwise by name. */
function dependencyOrder(definitions: readonly Definition[]): readonly Definition[] {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const ordered: Definition[] = [];
  const visit = (name: string): void => {
    const definition = byName.get(name);
    if (definition === undefined) return;
    byName.delete(name);
    for (const reference of referencedNames(definition.type)) visit(reference);
    ordered.push(definition);
  };
  for (const { name } of definitions) visit(name);
  return ordered;
}

function referencedNames(type: TypeNode): readonly string[] {
  switch (type.kind) {
    case 'ref':
      return [type.name];
    case 'array':
      return [...(type.prefix ?? []), type.items].flatMap(referencedNames);
    case 'refined':
      return [type.type, ...type.rules.flatMap((rule) => ('type' in rule ? [rule.type] : []))].flatMap(referencedNames);
    case 'union':
      return type.variants.flatMap(referencedNames);
    case 'intersection':
      return type.parts.flatMap(referencedNames);
    case 'object':
      return [
        ...[...orderedMembers(type.members), ...(type.patterns ?? [])].flatMap((member) =>
          referencedNames(member.type),
        ),
        ...(type.rest === undefined ? [] : referencedNames(type.rest)),
      ];
    default:
      return [];
  }
}

/** Whether Zod's types know the members of an object. */
function isPlainObject(type: TypeNode): boolean {
  return type.kind === 'object' && type.patterns === undefined;
}

/** The variants of a union, including those of a nested inline union; any other type is one variant. */
function inlineParts(type: TypeNode): readonly TypeNode[] {
  return type.kind === 'union' && !type.exclusive ? type.variants.flatMap(inlineParts) : [type];
}

/** Writes schemas in an order in which each comes after those that it needs. */
class ZodWriter {
  readonly #file: SourceFile;
  readonly #context: EmitContext;
  readonly #lookup: TypeLookup;
  readonly #used = new Set<Helper>();
  /** Definitions whose schemas have been written. */
  readonly #written = new Set<string>();
  /** Definitions that were referred to before they were written. Their type must be explicit. */
  readonly #forwardReferences = new Set<string>();
  /** The definition being written. */
  #current = '';

  constructor(file: SourceFile, context: EmitContext) {
    this.#file = file;
    this.#context = context;
    this.#lookup = typeLookup(context.protocol);
  }

  /** The helpers that the schemas written so far use. */
  helpers(): readonly Declaration[] {
    return (Object.keys(HELPERS) as Helper[]).filter((name) => this.#used.has(name)).flatMap((name) => HELPERS[name]);
  }

  declareSchema({ name, type, doc, deprecated }: Definition): Declaration {
    this.#current = name;
    const comment = docComment({ text: doc, deprecated }, new Set());
    const schema = this.#schema(type);
    this.#written.add(name);
    const annotation = this.#forwardReferences.has(name) ? `: z.ZodType<${this.#typeName(name)}>` : '';
    // An alias has no side effects, so a bundler needs no annotation.
    const value = type.kind === 'ref' && annotation === '' ? schema : this.#markPure(schema);
    return exported('const', this.#schemaName(name), { doc: comment, code: `${annotation} = ${value};` });
  }

  #markPure(schema: string): string {
    return `/* @__PURE__ */ ${this.#use('schema')}(() => ${schema})`;
  }

  #use(helper: Helper): Helper {
    this.#used.add(helper);
    return helper;
  }

  #schemaName(definition: string): string {
    return `${this.#context.printer.name(definition)}Schema`;
  }

  /** A type in TypeScript, with the names that it refers to imported. */
  #printType(type: TypeNode): string {
    return printType(type, { ...this.#context.printer, name: (definition) => this.#typeName(definition) });
  }

  /** The name of a definition's type, imported. */
  #typeName(definition: string): string {
    const name = this.#context.printer.name(definition);
    if (RESERVED_NAMES.has(name)) throw this.#error(`the name ${JSON.stringify(name)} is taken in zod.ts`);
    return this.#file.importType('types', name);
  }

  #schema(type: TypeNode): string {
    switch (type.kind) {
      case 'unknown':
      case 'never':
      case 'boolean':
      case 'null':
        return `z.${type.kind}()`;
      case 'string':
        return this.#string(type.constraints);
      case 'number':
        return this.#number('z.number()', type.constraints);
      case 'integer':
        return this.#number(this.#use('integer'), type.constraints);
      case 'literal':
        return type.value === null ? 'z.null()' : `z.literal(${JSON.stringify(type.value)})`;
      case 'array':
        return this.#array(type);
      case 'refined':
        return [this.#schema(type.type), ...type.rules.map((rule) => this.#rule(rule))].join('');
      case 'object':
        return this.#object(type);
      case 'union':
        return type.exclusive ? `z.xor([${this.#list(type.variants)}])` : this.#union(type.variants);
      case 'intersection':
        return this.#intersection(type.parts);
      case 'ref':
        return this.#reference(type.name);
    }
  }

  #list(types: readonly TypeNode[]): string {
    return types.map((type) => this.#schema(type)).join(', ');
  }

  #reference(name: string): string {
    if (this.#written.has(name)) return this.#schemaName(name);
    this.#forwardReferences.add(name);
    return `z.lazy(() => ${this.#schemaName(name)})`;
  }

  #string(constraints: Constraints): string {
    const { minLength, maxLength, pattern } = constraints;
    return [
      'z.string()',
      ...(typeof pattern === 'string' ? [`.regex(${this.#regularExpression(pattern)})`] : []),
      ...this.#sizes('characters', 'string', 'characters', minLength, maxLength),
    ].join('');
  }

  #regularExpression(pattern: string): string {
    try {
      return String(toRegularExpression(pattern));
    } catch (error) {
      throw this.#error(`${JSON.stringify(pattern)} is not a regular expression`, { cause: error });
    }
  }

  #number(base: string, constraints: Constraints): string {
    const limits = [
      ['minimum', 'min'],
      ['maximum', 'max'],
      ['exclusiveMinimum', 'gt'],
      ['exclusiveMaximum', 'lt'],
    ] as const;
    const checks = limits.flatMap(([keyword, method]) => {
      const limit = constraints[keyword];
      return limit === undefined ? [] : [`.${method}(${JSON.stringify(limit)})`];
    });
    const step = JSON.stringify(constraints['multipleOf']);
    // Zod's own check rounds; JSON Schema requires an integer quotient.
    const multiple = `.refine((value) => Number.isInteger(value / ${step}), "Invalid number: must be a multiple of ${step}")`;
    return [base, ...checks, ...(constraints['multipleOf'] === undefined ? [] : [multiple])].join('');
  }

  /** A rule as a check that keeps the type. */
  #rule(rule: Rule): string {
    if (rule.rule !== 'also' && rule.rule !== 'not')
      throw this.#error(`zod.ts does not support "${keywordOf(rule)}"`, {
        remedy: 'Omit zod, or express the rule otherwise.',
      });
    const [sign, text] = rule.rule === 'not' ? ['!', 'excluded by \\"not\\"'] : ['', 'not allowed by \\"allOf\\"'];
    return `.refine((value) => ${sign}${this.#schema(rule.type)}.safeParse(value).success, "Invalid input: ${text}")`;
  }

  #array(type: ArrayNode): string {
    const { minItems, maxItems, uniqueItems } = type.constraints;
    if (type.prefix !== undefined) return this.#tuple(type.prefix, type);
    return [
      `z.array(${this.#schema(type.items)})`,
      ...(minItems === undefined ? [] : [`.min(${JSON.stringify(minItems)})`]),
      ...(maxItems === undefined ? [] : [`.max(${JSON.stringify(maxItems)})`]),
      ...this.#uniqueness(uniqueItems),
    ].join('');
  }

  #uniqueness(uniqueItems: unknown): readonly string[] {
    return uniqueItems === true ? [`.refine(${this.#use('unique')}, "Invalid input: two items are equal")`] : [];
  }

  /** Items of a tuple are required as far as `minItems` says so. */
  #tuple(prefix: readonly TypeNode[], { items, constraints }: ArrayNode): string {
    const { minItems, maxItems, uniqueItems } = constraints;
    const [least, most] = [Number(minItems ?? 0), Number(maxItems ?? Infinity)];
    const first = prefix.slice(0, most);
    const named = first.map((item, index) =>
      index < least ? this.#schema(item) : `${this.#use('optional')}(${this.#schema(item)})`,
    );
    const isClosed = items.kind === 'never' || most <= first.length;
    const length = (isWrong: boolean, bound: string, size: string): readonly string[] =>
      isWrong
        ? [`.refine((value) => value.length ${bound}, "Too ${size}: expected array to have ${bound} items")`]
        : [];
    return [
      `z.tuple([${named.join(', ')}]${isClosed ? '' : `, ${this.#schema(items)}`})`,
      ...length(least > first.length, `>=${least}`, 'small'),
      ...length(!isClosed && most !== Infinity, `<=${most}`, 'big'),
      ...this.#uniqueness(uniqueItems),
    ].join('');
  }

  #object(type: ObjectNode): string {
    const { minProperties, maxProperties } = type.constraints;
    return [
      this.#unlimitedObject(type),
      ...this.#sizes('members', 'object', 'properties', minProperties, maxProperties),
    ].join('');
  }

  /** Checks of sizes that Zod and JSON Schema measure differently. */
  #sizes(measure: Helper, what: string, unit: string, low: unknown, high: unknown): readonly string[] {
    const check = (limit: unknown, operator: string, size: string): readonly string[] => {
      if (limit === undefined) return [];
      const bound = `${operator}${JSON.stringify(limit)}`;
      return [
        `.refine((value) => ${this.#use(measure)}(value) ${bound}, "Too ${size}: expected ${what} to have ${bound} ${unit}")`,
      ];
    };
    return [...check(low, '>=', 'small'), ...check(high, '<=', 'big')];
  }

  #unlimitedObject(type: ObjectNode): string {
    const { members, rest, shape, patterns } = type;
    if (patterns !== undefined) {
      const { patterns: _, rest: __, ...named } = type;
      const base = members.length === 0 ? this.#use('anyObject') : this.#unlimitedObject(named);
      const pairs = patterns.map((own) => `[${this.#regularExpression(own.pattern)}, ${this.#schema(own.type)}]`);
      const known = members.map(({ name }) => JSON.stringify(name));
      const others = rest === undefined ? 'z.unknown()' : this.#schema(rest);
      // Zod cannot infer a type of names with a pattern.
      return `${this.#use('byName')}<${this.#printType(type)}>(${base}, [${pairs.join(', ')}], [${known.join(', ')}], ${others})`;
    }
    if (members.length === 0) {
      if (shape === 'opaque' || shape === 'empty') return this.#use('anyObject');
      if (rest?.kind !== 'never')
        return `z.record(z.string(), ${rest === undefined ? 'z.unknown()' : this.#schema(rest)})`;
    }
    const block = `{${orderedMembers(members)
      .map((member) => `\n${literalKey(member.name)}: ${this.#member(member)},`)
      .join('')}\n}`;
    if (rest === undefined || rest.kind === 'unknown') return `z.looseObject(${block})`;
    if (rest.kind === 'never') return `z.strictObject(${block})`;
    return `z.object(${block}).catchall(${this.#schema(rest)})`;
  }

  #member({ name, required, type }: Member): string {
    if (isObjectPrototypeMember(name)) {
      throw this.#error(`Zod cannot check a member named ${JSON.stringify(name)}, since every object inherits one`, {
        member: name,
        remedy: 'Omit zod, or rename the member in the schema.',
      });
    }
    const schema = this.#schema(type);
    if (!required) return `${this.#use('optional')}(${schema})`;
    return this.#allowsUndefined(type) ? `${this.#use('present')}(${schema})` : schema;
  }

  /** Whether a type's schema accepts undefined, so that Zod would not report a missing required member. */
  #allowsUndefined(type: TypeNode): boolean {
    const resolved = resolveReferences(type, this.#lookup);
    switch (resolved.kind) {
      case 'unknown':
        return true;
      case 'union':
        return resolved.variants.some((variant) => this.#allowsUndefined(variant));
      case 'intersection':
        return resolved.parts.every((part) => this.#allowsUndefined(part));
      default:
        return false;
    }
  }

  #union(given: readonly TypeNode[]): string {
    const variants = given.flatMap(inlineParts);
    const literals = variants.flatMap((variant) => (variant.kind === 'literal' ? [variant.value] : []));
    if (literals.length === variants.length) {
      const list = [...new Set(literals)].map((value) => JSON.stringify(value)).join(', ');
      return literals.every((value) => typeof value === 'string') ? `z.enum([${list}])` : `z.literal([${list}])`;
    }
    const schemas = [...new Set(variants.map((variant) => this.#schema(variant)))];
    const [first, second] = schemas.filter((schema) => schema !== 'z.null()');
    if (first !== undefined && second === undefined) return schemas.length === 1 ? first : `${first}.nullable()`;
    const member = this.#discriminator(variants);
    if (member === undefined) return `z.union([${schemas.join(', ')}])`;
    return `z.discriminatedUnion(${JSON.stringify(member)}, [${schemas.join(', ')}])`;
  }

  /** The member that discriminates the variants of a union for Zod, if one exists. */
  #discriminator(variants: readonly TypeNode[]): string | undefined {
    const readable = variants.every(
      (variant) =>
        isPlainObject(resolveReferences(variant, this.#lookup)) &&
        // Zod's types do not know the members of a schema with an explicit type.
        !(variant.kind === 'ref' && (this.#forwardReferences.has(variant.name) || !this.#written.has(variant.name))),
    );
    const found = readable ? discriminate(variants, this.#lookup) : undefined;
    const distinct = found !== undefined && [...found.cases.values()].every((indices) => indices.length === 1);
    return distinct ? found.member : undefined;
  }

  #intersection(parts: readonly TypeNode[]): string {
    const exact = parts.some((part) => this.#mayBeStrict(part));
    const join = exact ? this.#use('both') : 'z.intersection';
    return parts.map((part) => this.#schema(part)).reduce((left, right) => `${join}(${left}, ${right})`);
  }

  #mayBeStrict(type: TypeNode): boolean {
    const resolved = resolveReferences(type, this.#lookup);
    switch (resolved.kind) {
      case 'object':
        return resolved.rest?.kind === 'never';
      case 'union':
        return resolved.variants.some((variant) => this.#mayBeStrict(variant));
      case 'intersection':
        return resolved.parts.some((part) => this.#mayBeStrict(part));
      default:
        return false;
    }
  }

  #error(message: string, more: { member?: string; remedy?: string; cause?: unknown } = {}): McpgenError {
    return new McpgenError(`${this.#current}${more.member === undefined ? '' : `.${more.member}`}: ${message}`, {
      place: `${this.#context.protocol.source.file}#/$defs/${this.#current}`,
      remedy: more.remedy ?? 'Rename or correct it in the schema.',
      ...(more.cause === undefined ? {} : { cause: more.cause }),
    });
  }
}

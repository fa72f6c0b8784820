/**
 * Reads JSON Schema of 2020-12 and draft-07 into types. One reader for protocols and tools; a policy decides what happens
 * to what cannot be read.
 */
import {
  compareText,
  isObject,
  ownMember,
  stableStringify,
  objectFromEntries,
  type JsonObject,
  type JsonValue,
} from '../../read/json/json.js';
import { dialectOf, type DynamicScope, type SchemaIndex, type SchemaPlace } from '../../read/schema/documents.js';
import { closestMatch } from '../../text.js';
import type { Constraints, Evaluation, Member, ObjectNode, PatternMember, Rule, TypeNode } from '../protocol.js';
import { findRejection } from '../types/accepts.js';
import { mapTypes } from '../types/map-types.js';
import { branchTypes, refsIn } from '../types/references.js';
import {
  ANNOTATION_KEYWORDS,
  CONSTRAINT_KEYWORDS,
  JSON_SCHEMA_TYPES,
  KEYWORDS_BY_TYPE,
  KNOWN_FORMATS,
  STRUCTURE_KEYWORDS,
  isLimit,
  isOfType,
  isRegularExpression,
  toRegularExpression,
  valueOfLimit,
  type JsonSchemaType,
  type KeywordType,
} from './keywords.js';

/** A part of a schema that is wrong or cannot be read. */
export interface SchemaFault {
  readonly message: string;
  readonly remedy: string;
  /** What becomes of the part if that is no error. */
  readonly effect: string;
}

/** What a reader does about the parts of a schema that depend on whose schema it is. */
export interface ReadingPolicy {
  /** Whether an object without `additionalProperties` has members of any name in its type. */
  readonly areObjectsOpen: boolean;
  /** Maximum of subschemas; the types of others are unknown. */
  readonly maxSubschemas: number;
  /**
   * The name of the definition that a reference leads to.
   *
   * @param at - The place of the reference.
   */
  nameOf(target: SchemaPlace, scope: DynamicScope, at: SchemaPlace): string;
  /**
   * Called for a reference that leads nowhere. It throws, or the type is unknown.
   *
   * @param at - The place of the reference.
   */
  unresolved(at: SchemaPlace, reference: JsonValue): void;
  /** Called for a part that is not valid JSON Schema. It throws, or the part has no effect. */
  fault(at: SchemaPlace, fault: SchemaFault): void;
  /** Called for an annotation that is not valid. It throws, or the annotation is ignored. */
  misplaced(at: SchemaPlace, message: string): void;
  /** Called for a keyword that neither JSON Schema nor a known vendor has. It throws, or the keyword has no effect. */
  unknownKeyword(at: SchemaPlace, keyword: string): void;
  /** Called for a valid keyword that has no effect. */
  unused(at: SchemaPlace, message: string): void;
  /** Called for a format that JSON Schema does not name. */
  unknownFormat(at: SchemaPlace, format: string): void;
  /**
   * Called for each regular expression, possibly more than once. If it returns false, the expression has no effect.
   *
   * @param maxLength - The maximum length of the strings that it is applied to, if the schema has one.
   */
  usesPattern(at: SchemaPlace, pattern: string, maxLength?: number): boolean;
  /** Called for `nullable: true` of OpenAPI 3.0 next to a type without null. If it returns true, null is allowed too. */
  addsNull(at: SchemaPlace): boolean;
  annotations(schema: JsonValue, owner: Owner): Pick<Member, 'doc' | 'deprecated' | 'defaultValue'>;
}

/** Where a type belongs, for its docs. */
export interface Owner {
  readonly definition: string;
  readonly path: readonly string[];
}

const NO_EFFECT = ', so it has no effect';

const UNCONSTRAINED: Constraints = {};

/** Values of each kind, for a schema whose keywords apply to some kinds only. */
const ANY_OF_KIND: Readonly<Record<KeywordType | 'boolean' | 'null', TypeNode>> = {
  object: { kind: 'object', members: [], rest: { kind: 'unknown' }, shape: 'map', constraints: UNCONSTRAINED },
  array: { kind: 'array', items: { kind: 'unknown' }, constraints: UNCONSTRAINED },
  string: { kind: 'string', constraints: UNCONSTRAINED },
  number: { kind: 'number', constraints: UNCONSTRAINED },
  boolean: { kind: 'boolean', constraints: UNCONSTRAINED },
  null: { kind: 'null', constraints: UNCONSTRAINED },
};

/** Maximum of subschemas that are visited to find out what schemas evaluate: references may repeat them. */
const MAX_EVALUATIONS = 20_000;

/** Maximum nesting of rules about what is not evaluated: each one contains the types of its branches again. */
const MAX_EVALUATION_DEPTH = 4;

/** Reads schemas; what it could not read exactly is remembered in {@link widened}. */
export class SchemaReader {
  /** Types that allow more than their schemas. */
  readonly widened = new WeakSet<TypeNode>();
  /** Number of subschemas read. */
  count = 0;
  readonly #index: SchemaIndex;
  readonly #policy: ReadingPolicy;
  /** Types by schema, since a schema is read again to find out what it evaluates. */
  readonly #known = new WeakMap<JsonObject, { readonly scope: DynamicScope; readonly type: TypeNode }>();
  /** Schemas that are being read. */
  readonly #open = new Set<JsonObject>();
  readonly #evaluationDepths = new WeakMap<TypeNode, number>();
  #faults = 0;
  #evaluations = 0;

  constructor(index: SchemaIndex, policy: ReadingPolicy) {
    this.#index = index;
    this.#policy = policy;
  }

  /** The type of a schema. */
  read(place: SchemaPlace, scope: DynamicScope, owner: Owner): TypeNode {
    const { schema } = place;
    if (!isObject(schema)) return this.#readBoolean(place);
    const known = this.#known.get(schema);
    if (known?.scope === scope) return known.type;
    this.count += 1;
    if (this.count > this.#policy.maxSubschemas) return { kind: 'unknown' };
    // What a schema evaluates may depend on a schema that contains it.
    if (this.#open.has(schema)) return { kind: 'ref', name: this.#policy.nameOf(place, scope, place) };
    this.#open.add(schema);
    const before = this.#faults;
    let type = this.#readSchema(schema, place, scope, owner);
    this.#open.delete(schema);
    if (this.#faults > before) {
      // A copy, since the type may be used elsewhere.
      type = { ...type };
      this.widened.add(type);
    }
    this.#known.set(schema, { scope, type });
    return type;
  }

  #readBoolean(place: SchemaPlace): TypeNode {
    this.count += 1;
    if (place.schema === true) return { kind: 'unknown' };
    if (place.schema === false) return { kind: 'never' };
    this.#fault(place, 'not a schema', 'Write an object or a boolean.', ', so its type is unknown');
    return { kind: 'unknown' };
  }

  #readSchema(schema: JsonObject, place: SchemaPlace, scope: DynamicScope, owner: Owner): TypeNode {
    const inside = this.#index.enter(scope, place.resource);
    const parts: TypeNode[] = [];
    const { resource } = place;
    const reference = ownMember(schema, '$ref');
    if (reference !== undefined) {
      parts.push(this.#readReference(place, '$ref', reference, inside));
      // Up to draft-07, keywords next to a reference are ignored.
      if (resource.dialect === 'draft-07') return makeIntersection(parts);
    }
    const dynamic = ownMember(schema, '$dynamicRef');
    if (dynamic !== undefined) parts.push(this.#readReference(place, '$dynamicRef', dynamic, inside));
    this.#checkKeywords(schema, place);
    const own = this.#readOwnType(schema, place, inside, owner);
    if (own !== undefined) parts.push(own);
    for (const keyword of ['anyOf', 'oneOf', 'allOf'] as const) {
      const types = this.#readList(schema, keyword, place, inside, owner);
      if (types === undefined) continue;
      parts.push(keyword === 'allOf' ? makeIntersection(types) : makeUnion(types, keyword === 'oneOf'));
    }
    const rules = this.#readRules(schema, place, inside, owner);
    // No value is valid, as generators of schemas write the type `never`.
    if (rules.some((rule) => rule.rule === 'not' && rule.type.kind === 'unknown')) return { kind: 'never' };
    const type = makeIntersection(parts);
    return rules.length === 0 ? type : { kind: 'refined', type, rules };
  }

  #fault(at: SchemaPlace, message: string, remedy: string, effect: string = NO_EFFECT): void {
    this.#faults += 1;
    this.#policy.fault(at, { message, remedy, effect });
  }

  #usesPattern(at: SchemaPlace, pattern: string, maxLength?: JsonValue): boolean {
    const isUsed = this.#policy.usesPattern(at, pattern, isCount(maxLength) ? maxLength : undefined);
    if (!isUsed) this.#faults += 1;
    return isUsed;
  }

  #readReference(place: SchemaPlace, keyword: string, reference: JsonValue, scope: DynamicScope): TypeNode {
    const at = this.#index.child(place, reference, keyword);
    const target =
      typeof reference !== 'string'
        ? undefined
        : keyword === '$ref'
          ? this.#index.resolve(reference, place.resource)
          : this.#index.resolveDynamic(reference, place.resource, scope);
    if (target === undefined) {
      this.#faults += 1;
      this.#policy.unresolved(at, reference);
      return { kind: 'unknown' };
    }
    return { kind: 'ref', name: this.#policy.nameOf(target, this.#index.enter(scope, target.resource), at) };
  }

  #checkKeywords(schema: JsonObject, place: SchemaPlace): void {
    for (const [keyword, wanted] of [
      ['description', 'string'],
      ['deprecated', 'boolean'],
    ] as const) {
      const value = ownMember(schema, keyword);
      if (value === undefined || typeof value === wanted) continue;
      const at = this.#index.child(place, value, keyword);
      this.#policy.misplaced(at, `must be a ${wanted}, not ${showValue(value)}`);
    }
    const dialect = ownMember(schema, '$schema');
    if (typeof dialect === 'string' && dialectOf(dialect) === undefined)
      this.#policy.misplaced(
        this.#index.child(place, dialect, '$schema'),
        `the dialect ${showValue(dialect)} is not supported`,
      );
    if (Object.hasOwn(schema, 'contentSchema'))
      this.#policy.unused(
        this.#index.child(place, schema, 'contentSchema'),
        '"contentSchema" is not supported and has no effect',
      );
    for (const keyword of Object.keys(schema)) {
      if (STRUCTURE_KEYWORDS.includes(keyword) || CONSTRAINT_KEYWORDS.has(keyword)) continue;
      if (ANNOTATION_KEYWORDS.has(keyword) || keyword.startsWith('x-')) continue;
      this.#policy.unknownKeyword(this.#index.child(place, schema, keyword), keyword);
    }
  }

  /** A list of schemas as types; undefined if the keyword is absent or wrong. */
  #readList(
    schema: JsonObject,
    keyword: string,
    place: SchemaPlace,
    scope: DynamicScope,
    owner: Owner,
  ): readonly TypeNode[] | undefined {
    const list = ownMember(schema, keyword);
    if (list === undefined) return undefined;
    if (!Array.isArray(list) || list.length === 0) {
      this.#fault(
        this.#index.child(place, list, keyword),
        'not a list of schemas',
        'Write a list of at least one schema.',
      );
      return [{ kind: 'unknown' }];
    }
    return (list as readonly JsonValue[]).map((item, index) =>
      this.read(this.#index.child(place, item, keyword, index), scope, owner),
    );
  }

  /** The type of a schema's own keywords, without references and combinations. */
  #readOwnType(schema: JsonObject, place: SchemaPlace, scope: DynamicScope, owner: Owner): TypeNode | undefined {
    const names = this.#readTypeNames(schema, place);
    const used = (Object.keys(KEYWORDS_BY_TYPE) as KeywordType[]).filter((kind) =>
      KEYWORDS_BY_TYPE[kind].some((keyword) => Object.hasOwn(schema, keyword)),
    );
    const constants = this.#readConstants(schema, place);
    const allowed =
      names ?? (constants === undefined ? undefined : [...new Set(constants.flatMap(({ value }) => typesOf(value)))]);
    if (allowed !== undefined) this.#warnOfUnused(schema, place, allowed);
    const ofKind = (kind: KeywordType): TypeNode => {
      switch (kind) {
        case 'object':
          return this.#readObject(schema, place, scope, owner);
        case 'array':
          return this.#readArray(schema, place, scope, owner);
        default:
          return { kind, constraints: this.#readConstraints(schema, kind, place) };
      }
    };
    let type: TypeNode | undefined;
    if (names !== undefined)
      type = makeUnion(
        names.map((name): TypeNode => {
          if (name === 'integer') return { kind: name, constraints: this.#readConstraints(schema, 'number', place) };
          return name === 'boolean' || name === 'null' ? ANY_OF_KIND[name] : ofKind(name);
        }),
        false,
      );
    else if (used.some((kind) => isEffective(schema, kind))) {
      const kinds = Object.keys(ANY_OF_KIND) as (keyof typeof ANY_OF_KIND)[];
      type = {
        kind: 'union',
        exclusive: false,
        variants: kinds.map((kind) =>
          kind !== 'boolean' && kind !== 'null' && used.includes(kind) ? ofKind(kind) : ANY_OF_KIND[kind],
        ),
      };
    } else if (used.length > 0) for (const kind of used) ofKind(kind);
    return constants === undefined ? type : this.#constantsWithin(constants, type);
  }

  /** The constants that a type allows. */
  #constantsWithin(
    constants: readonly { readonly value: JsonValue; readonly type: TypeNode }[],
    type: TypeNode | undefined,
  ): TypeNode {
    const isKnown = type === undefined || refsIn(type).length === 0;
    const fitting = constants.filter(
      ({ value }) => type === undefined || !isKnown || findRejection(new Map(), type, value) === undefined,
    );
    const literals = makeUnion(
      fitting.map((constant) => constant.type),
      false,
    );
    return isKnown ? literals : makeIntersection([literals, type]);
  }

  #readTypeNames(schema: JsonObject, place: SchemaPlace): readonly JsonSchemaType[] | undefined {
    const type = ownMember(schema, 'type');
    if (type === undefined) return undefined;
    const list: readonly JsonValue[] = Array.isArray(type) ? type : [type];
    const names = list.flatMap((item) => JSON_SCHEMA_TYPES.find((name) => name === item) ?? []);
    if (names.length === list.length && names.length > 0) {
      // It adds to the type of the same schema only, and "enum" restricts it as any value (OpenAPI 3.0.3, Schema Object).
      const isNullable = ownMember(schema, 'nullable') === true && !names.includes('null');
      if (isNullable && this.#policy.addsNull(this.#index.child(place, schema, 'nullable'))) names.push('null');
      return [...new Set(names)];
    }
    const wrong = list.find((item) => !JSON_SCHEMA_TYPES.some((name) => name === item));
    const near = typeof wrong === 'string' ? closestMatch(wrong, JSON_SCHEMA_TYPES) : undefined;
    this.#fault(
      this.#index.child(place, type, 'type'),
      `${showValue(type, 60)} is not a type`,
      near === undefined ? `The types are ${JSON_SCHEMA_TYPES.join(', ')}.` : `Did you mean ${JSON.stringify(near)}?`,
    );
    return undefined;
  }

  #warnOfUnused(schema: JsonObject, place: SchemaPlace, types: readonly string[]): void {
    for (const kind of ['object', 'array'] as const) {
      if (types.includes(kind)) continue;
      for (const keyword of KEYWORDS_BY_TYPE[kind].filter((name) => Object.hasOwn(schema, name))) {
        this.#policy.unused(
          this.#index.child(place, schema, keyword),
          `"${keyword}" only applies to the type ${kind}, so it has no effect here`,
        );
      }
    }
  }

  /** The values of `const` or `enum`; undefined without either. */
  #readConstants(
    schema: JsonObject,
    place: SchemaPlace,
  ): readonly { readonly value: JsonValue; readonly type: TypeNode }[] | undefined {
    const constant = ownMember(schema, 'const');
    const list = ownMember(schema, 'enum');
    if (list !== undefined && !Array.isArray(list)) {
      const at = this.#index.child(place, list, 'enum');
      this.#fault(at, 'not a list of values', 'Write a list, or one value as "const".');
      if (constant === undefined) return undefined;
    }
    if (Array.isArray(list) && list.length === 0)
      this.#policy.misplaced(this.#index.child(place, list, 'enum'), 'must have at least one value');
    if (constant !== undefined) {
      const isContradiction =
        Array.isArray(list) &&
        !(list as readonly JsonValue[]).some((item) => stableStringify(item) === stableStringify(constant));
      const at = this.#index.child(place, constant, 'const');
      return isContradiction ? [] : [{ value: constant, type: this.#constantType(constant, at) }];
    }
    if (list === undefined) return undefined;
    return (list as readonly JsonValue[]).map((value, index) => ({
      value,
      type: this.#constantType(value, this.#index.child(place, value, 'enum', index)),
    }));
  }

  /** A type that only one value has. */
  #constantType(value: JsonValue, at: SchemaPlace): TypeNode {
    if (Array.isArray(value)) {
      const prefix = (value as readonly JsonValue[]).map((item, index) =>
        this.#constantType(item, this.#index.child(at, item, index)),
      );
      return { kind: 'array', prefix, items: { kind: 'never' }, constraints: { minItems: prefix.length } };
    }
    if (isObject(value)) {
      const members = Object.keys(value)
        .sort(compareText)
        .map((name): Member => {
          const member = value[name] as JsonValue;
          return { name, required: true, type: this.#constantType(member, this.#index.child(at, member, name)) };
        });
      return {
        kind: 'object',
        members,
        rest: { kind: 'never' },
        shape: members.length > 0 ? 'members' : 'map',
        constraints: UNCONSTRAINED,
      };
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#fault(
        at,
        'the number is too large to be represented exactly',
        'Use a smaller one, or a string.',
        ', so any number is valid',
      );
      return ANY_OF_KIND.number;
    }
    return { kind: 'literal', value: value as string | number | boolean | null };
  }

  /** The limits of values of a kind. */
  #readConstraints(schema: JsonObject, kind: KeywordType, place: SchemaPlace): Constraints {
    const made: [string, JsonValue][] = [];
    for (const keyword of Object.keys(schema)) {
      if (!CONSTRAINT_KEYWORDS.has(keyword) || !KEYWORDS_BY_TYPE[kind].includes(keyword)) continue;
      const value = schema[keyword] as JsonValue;
      const at = this.#index.child(place, value, keyword);
      if (isLimit(keyword, value)) {
        if (keyword === 'pattern' && !this.#usesPattern(at, value as string, ownMember(schema, 'maxLength'))) continue;
        made.push([keyword, value]);
        if (keyword === 'format' && !KNOWN_FORMATS.has(value as string))
          this.#policy.unknownFormat(at, value as string);
      } else
        this.#fault(
          at,
          `${showValue(value, 60)} is not a value of "${keyword}"`,
          `Write ${valueOfLimit(keyword)}.`,
          ', which has no effect',
        );
    }
    return objectFromEntries(made);
  }

  #readArray(schema: JsonObject, place: SchemaPlace, scope: DynamicScope, owner: Owner): TypeNode {
    const constraints = this.#readConstraints(schema, 'array', place);
    const items = ownMember(schema, 'items');
    // A list of items is that of draft-07, but many tools send it in any dialect.
    const keyword = Array.isArray(items) ? 'items' : 'prefixItems';
    if (keyword === 'items' && place.resource.dialect !== 'draft-07')
      this.#policy.misplaced(
        this.#index.child(place, schema, 'items'),
        'a list of item schemas (a tuple) is "prefixItems" in 2020-12',
      );
    const beyond = keyword === 'items' ? 'additionalItems' : 'items';
    const tuple = place.resource.dialect === 'draft-07' && keyword === 'prefixItems' ? undefined : schema[keyword];
    const prefix = tuple === undefined ? undefined : this.#readTuple(tuple, keyword, place, scope, owner);
    const rest = ownMember(schema, beyond);
    return {
      kind: 'array',
      ...(prefix === undefined ? {} : { prefix }),
      items: rest === undefined ? { kind: 'unknown' } : this.read(this.#index.child(place, rest, beyond), scope, owner),
      constraints,
    };
  }

  #readTuple(
    list: JsonValue,
    keyword: string,
    place: SchemaPlace,
    scope: DynamicScope,
    owner: Owner,
  ): readonly TypeNode[] | undefined {
    if (!Array.isArray(list)) {
      const at = this.#index.child(place, list, keyword);
      this.#fault(at, 'not a list of schemas', 'Write a list of at least one schema.');
      return undefined;
    }
    if (list.length === 0) return undefined;
    return (list as readonly JsonValue[]).map((item, index) =>
      this.read(this.#index.child(place, item, keyword, index), scope, owner),
    );
  }

  #readObject(schema: JsonObject, place: SchemaPlace, scope: DynamicScope, owner: Owner): ObjectNode {
    const properties = this.#readSchemaMap(schema, 'properties', place);
    const given = Object.entries(this.#readSchemaMap(schema, 'patternProperties', place) ?? {});
    const patterns = given.flatMap(([pattern, own]): PatternMember[] => {
      const at = this.#index.child(place, own, 'patternProperties', pattern);
      if (isRegularExpression(pattern))
        return this.#usesPattern(at, pattern) ? [{ pattern, type: this.read(at, scope, owner) }] : [];
      this.#fault(at, `${showValue(pattern, 60)} is not a regular expression`, 'Write a regular expression.');
      return [];
    });
    const additional = ownMember(schema, 'additionalProperties');
    const rest: TypeNode | undefined =
      additional !== undefined && patterns.length < given.length
        ? // Any name may match what has no effect.
          { kind: 'unknown' }
        : additional !== undefined
          ? this.read(this.#index.child(place, additional, 'additionalProperties'), scope, owner)
          : this.#policy.areObjectsOpen
            ? { kind: 'unknown' }
            : undefined;
    const required = this.#readNames(ownMember(schema, 'required'), place, 'required');
    const names = new Set([...Object.keys(properties ?? {}), ...required]);
    const members = [...names].sort(compareText).map((name): Member => {
      const own = properties === undefined ? undefined : ownMember(properties, name);
      const path = [...owner.path, name];
      return {
        name,
        required: required.has(name),
        type:
          own === undefined
            ? undeclaredType(name, patterns, rest)
            : this.read(this.#index.child(place, own, 'properties', name), scope, { ...owner, path }),
        ...this.#policy.annotations(own ?? {}, { ...owner, path }),
      };
    });
    const shape =
      members.length > 0
        ? 'members'
        : properties === undefined || this.#policy.areObjectsOpen
          ? 'map'
          : additional === true
            ? 'opaque'
            : additional === undefined
              ? 'empty'
              : 'map';
    return {
      kind: 'object',
      members,
      ...(patterns.length === 0 ? {} : { patterns }),
      shape,
      constraints: this.#readConstraints(schema, 'object', place),
      ...(rest === undefined ? {} : { rest }),
    };
  }

  #readSchemaMap(schema: JsonObject, keyword: string, place: SchemaPlace): JsonObject | undefined {
    const map = ownMember(schema, keyword);
    if (map === undefined || isObject(map)) return map;
    this.#fault(
      this.#index.child(place, map, keyword),
      'not an object of schemas',
      'Write an object with a schema for each name.',
    );
    return undefined;
  }

  #readNames(list: JsonValue | undefined, place: SchemaPlace, ...tokens: readonly string[]): ReadonlySet<string> {
    if (list === undefined) return new Set();
    const names = Array.isArray(list) ? (list as readonly JsonValue[]).filter((name) => typeof name === 'string') : [];
    if (!Array.isArray(list) || names.length < list.length)
      this.#fault(
        this.#index.child(place, list, ...tokens),
        'not a list of names',
        'Write a list of the names of members.',
        ', so some of it has no effect',
      );
    return new Set(names);
  }

  /** The rules that TypeScript cannot express. */
  #readRules(schema: JsonObject, place: SchemaPlace, scope: DynamicScope, owner: Owner): readonly Rule[] {
    const rules: Rule[] = [];
    const typeAt = (keyword: string): TypeNode | undefined => {
      const inner = ownMember(schema, keyword);
      return inner === undefined ? undefined : this.read(this.#index.child(place, inner, keyword), scope, owner);
    };
    const not = typeAt('not');
    if (not !== undefined) rules.push({ rule: 'not', type: not });
    const condition = typeAt('if');
    if (condition !== undefined) {
      const [onTrue, onFalse] = [typeAt('then'), typeAt('else')];
      if (onTrue !== undefined || onFalse !== undefined)
        rules.push({
          rule: 'if',
          if: condition,
          then: onTrue ?? { kind: 'unknown' },
          else: onFalse ?? { kind: 'unknown' },
        });
    }
    const contained = typeAt('contains');
    if (contained !== undefined) {
      const isOld = place.resource.dialect === 'draft-07';
      const [min, max] = ['minContains', 'maxContains'].map((keyword) =>
        isOld ? undefined : this.#readCount(schema, keyword, place),
      );
      rules.push({ rule: 'contains', type: contained, min: min ?? 1, ...(max === undefined ? {} : { max }) });
    }
    const names = typeAt('propertyNames');
    // Names are strings.
    const areAnyNames = names?.kind === 'string' && Object.keys(names.constraints).length === 0;
    if (names !== undefined && !areAnyNames) rules.push({ rule: 'names', type: names });
    rules.push(...this.#readDependencies(schema, place, scope, owner));
    for (const [keyword, rule] of [
      ['unevaluatedProperties', 'unevaluatedMembers'],
      ['unevaluatedItems', 'unevaluatedItems'],
    ] as const) {
      const type = place.resource.dialect === 'draft-07' ? undefined : typeAt(keyword);
      if (type === undefined || type.kind === 'unknown') continue;
      const evaluated = this.#evaluationOf(place, scope, owner, rule, new Set());
      if (evaluated.all) continue;
      if (branchTypes(evaluated).some((branch) => this.#evaluationDepth(branch) >= MAX_EVALUATION_DEPTH))
        this.#fault(
          this.#index.child(place, schema, keyword),
          `"${keyword}" is nested more than ${MAX_EVALUATION_DEPTH} times`,
          'Use "additionalProperties" or "items" in inner schemas.',
        );
      else rules.push({ rule, type, evaluated });
    }
    return rules;
  }

  /** How deeply rules about what is not evaluated are nested in a type, without its references. */
  #evaluationDepth(type: TypeNode): number {
    const known = this.#evaluationDepths.get(type);
    if (known !== undefined) return known;
    let depth = 0;
    mapTypes(type, (inner) => {
      depth = Math.max(depth, this.#evaluationDepth(inner));
      return inner;
    });
    if (type.kind === 'refined' && type.rules.some((rule) => 'evaluated' in rule)) depth += 1;
    this.#evaluationDepths.set(type, depth);
    return depth;
  }

  #readCount(schema: JsonObject, keyword: string, place: SchemaPlace): number | undefined {
    const value = ownMember(schema, keyword);
    if (value === undefined) return undefined;
    if (isCount(value)) return value;
    this.#fault(
      this.#index.child(place, value, keyword),
      `${showValue(value, 60)} is not a value of "${keyword}"`,
      'Write an integer that is not negative.',
      ', which has no effect',
    );
    return undefined;
  }

  #readDependencies(schema: JsonObject, place: SchemaPlace, scope: DynamicScope, owner: Owner): readonly Rule[] {
    return (['dependentRequired', 'dependentSchemas', 'dependencies'] as const).flatMap((keyword) =>
      Object.entries(this.#readSchemaMap(schema, keyword, place) ?? {}).flatMap(([member, value]): Rule[] => {
        const at = this.#index.child(place, value, keyword, member);
        if (keyword === 'dependentSchemas' || (keyword === 'dependencies' && !Array.isArray(value)))
          return [{ rule: 'dependent', member, type: this.read(at, scope, owner) }];
        const required = [...this.#readNames(value, place, keyword, member)].sort(compareText);
        return required.length === 0 ? [] : [{ rule: 'dependent', member, type: objectWith(required) }];
      }),
    );
  }

  /** What a schema evaluates, with everything that it refers to (JSON Schema 2020-12, 11). */
  #evaluationOf(
    place: SchemaPlace,
    outer: DynamicScope,
    owner: Owner,
    rule: 'unevaluatedMembers' | 'unevaluatedItems',
    entered: ReadonlySet<JsonValue>,
    isNested = false,
  ): Evaluation {
    const { schema, resource } = place;
    if (!isObject(schema) || entered.has(schema)) return NOTHING;
    this.#evaluations += 1;
    if (this.#evaluations > MAX_EVALUATIONS) return EVERYTHING;
    const scope = this.#index.enter(outer, resource);
    const inside = new Set([...entered, schema]);
    const evaluations: Evaluation[] = [];
    const evaluate = (at: SchemaPlace, into: DynamicScope = scope): Evaluation =>
      this.#evaluationOf(at, into, owner, rule, inside, true);
    const childAt = (value: JsonValue, ...tokens: readonly (string | number)[]): SchemaPlace =>
      this.#index.child(place, value, ...tokens);
    for (const keyword of ['$ref', '$dynamicRef'] as const) {
      const reference = ownMember(schema, keyword);
      if (typeof reference !== 'string') continue;
      const target =
        keyword === '$ref'
          ? this.#index.resolve(reference, resource)
          : this.#index.resolveDynamic(reference, resource, scope);
      // What is unknown may evaluate everything.
      evaluations.push(target === undefined ? EVERYTHING : evaluate(target));
      if (keyword === '$ref' && resource.dialect === 'draft-07') return joinEvaluations(evaluations);
    }
    evaluations.push(rule === 'unevaluatedMembers' ? ownMembers(schema, isNested) : ownItems(schema, isNested));
    // Any name may match what has no effect.
    const hasUnused = evaluations
      .flatMap(({ patterns }) => patterns)
      .some((pattern) => !this.#policy.usesPattern(childAt(schema, 'patternProperties', pattern), pattern));
    if (hasUnused) return EVERYTHING;
    const contained = rule === 'unevaluatedItems' ? ownMember(schema, 'contains') : undefined;
    if (contained !== undefined && resource.dialect === '2020-12')
      evaluations.push({ ...NOTHING, contained: [this.read(childAt(contained, 'contains'), scope, owner)] });
    const listed = (keyword: string): readonly JsonValue[] => {
      const list = ownMember(schema, keyword);
      return Array.isArray(list) ? (list as readonly JsonValue[]) : [];
    };
    listed('allOf').forEach((item, index) => evaluations.push(evaluate(childAt(item, 'allOf', index))));
    for (const keyword of ['anyOf', 'oneOf'])
      listed(keyword).forEach((item, index) => {
        const at = childAt(item, keyword, index);
        const then = evaluate(at);
        if (!isNothing(then)) evaluations.push({ ...NOTHING, branches: [{ type: this.read(at, scope, owner), then }] });
      });
    const condition = ownMember(schema, 'if');
    if (condition !== undefined) {
      const at = childAt(condition, 'if');
      const [onTrue, onFalse] = (['then', 'else'] as const).map((keyword) => {
        const branch = ownMember(schema, keyword);
        return branch === undefined ? NOTHING : evaluate(childAt(branch, keyword));
      });
      const then = joinEvaluations([evaluate(at), onTrue ?? NOTHING]);
      const branch = { type: this.read(at, scope, owner), then, else: onFalse ?? NOTHING };
      if (!isNothing(then) || !isNothing(branch.else)) evaluations.push({ ...NOTHING, branches: [branch] });
    }
    const dependent = ownMember(schema, 'dependentSchemas');
    for (const [member, value] of Object.entries(isObject(dependent) ? dependent : {})) {
      const then = evaluate(childAt(value, 'dependentSchemas', member));
      if (!isNothing(then)) evaluations.push({ ...NOTHING, branches: [{ type: objectWith([member]), then }] });
    }
    return joinEvaluations(evaluations);
  }
}

const NOTHING: Evaluation = { all: false, members: [], patterns: [], items: 0, contained: [], branches: [] };

const EVERYTHING: Evaluation = { ...NOTHING, all: true };

function isNothing(evaluation: Evaluation): boolean {
  const { all, members, patterns, items, contained, branches } = evaluation;
  return !all && items === 0 && [members, patterns, contained, branches].every((list) => list.length === 0);
}

function joinEvaluations(evaluations: readonly Evaluation[]): Evaluation {
  return {
    all: evaluations.some(({ all }) => all),
    members: [...new Set(evaluations.flatMap(({ members }) => members))],
    patterns: [...new Set(evaluations.flatMap(({ patterns }) => patterns))],
    items: Math.max(0, ...evaluations.map(({ items }) => items)),
    contained: evaluations.flatMap(({ contained }) => contained),
    branches: evaluations.flatMap(({ branches }) => branches),
  };
}

/** The members that a schema's own keywords evaluate; the rule itself only if another schema contains it. */
function ownMembers(schema: JsonObject, isNested: boolean): Evaluation {
  const names = (keyword: string): readonly string[] => {
    const map = ownMember(schema, keyword);
    return isObject(map) ? Object.keys(map) : [];
  };
  return {
    ...NOTHING,
    all: Object.hasOwn(schema, 'additionalProperties') || (isNested && Object.hasOwn(schema, 'unevaluatedProperties')),
    members: names('properties'),
    patterns: names('patternProperties').filter(isRegularExpression),
  };
}

/** The items that a schema's own keywords evaluate; the rule itself only if another schema contains it. */
function ownItems(schema: JsonObject, isNested: boolean): Evaluation {
  const [items, prefix] = [ownMember(schema, 'items'), ownMember(schema, 'prefixItems')];
  const isTuple = Array.isArray(items);
  return {
    ...NOTHING,
    all:
      (items !== undefined && !isTuple) ||
      (isTuple && Object.hasOwn(schema, 'additionalItems')) ||
      (isNested && Object.hasOwn(schema, 'unevaluatedItems')),
    items: isTuple ? items.length : Array.isArray(prefix) ? prefix.length : 0,
  };
}

/** The type of objects with some members. */
function objectWith(names: readonly string[]): TypeNode {
  return {
    kind: 'object',
    members: names.map((name): Member => ({ name, required: true, type: { kind: 'unknown' } })),
    rest: { kind: 'unknown' },
    shape: 'members',
    constraints: UNCONSTRAINED,
  };
}

/** The type of a member that is required, but not declared. */
function undeclaredType(name: string, patterns: readonly PatternMember[], rest: TypeNode | undefined): TypeNode {
  const matching = patterns.filter(({ pattern }) => toRegularExpression(pattern).test(name));
  return matching.length === 0 ? (rest ?? { kind: 'unknown' }) : makeIntersection(matching.map(({ type }) => type));
}

/** Whether a schema has a keyword for a kind of value that can reject some. */
function isEffective(schema: JsonObject, kind: KeywordType): boolean {
  return KEYWORDS_BY_TYPE[kind].some((keyword) => {
    const value = ownMember(schema, keyword);
    if (value === undefined || keyword.startsWith('content')) return false;
    return CONSTRAINT_KEYWORDS.has(keyword) ? isLimit(keyword, value) && value !== false : value !== true;
  });
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The types that a value is of. */
function typesOf(value: JsonValue): readonly string[] {
  return JSON_SCHEMA_TYPES.filter((type) => isOfType(value, type));
}

export function makeUnion(all: readonly TypeNode[], exclusive: boolean): TypeNode {
  const variants = all.filter(({ kind }) => kind !== 'never');
  const [only, second] = variants;
  if (only === undefined) return { kind: 'never' };
  return second === undefined ? only : { kind: 'union', exclusive, variants };
}

export function makeIntersection(parts: readonly TypeNode[]): TypeNode {
  const known = parts.filter((part) => part.kind !== 'unknown');
  const [only, second] = known;
  if (only === undefined) return parts[0] ?? { kind: 'unknown' };
  return second === undefined ? only : { kind: 'intersection', parts: known };
}

/** A value in a message. */
export function showValue(value: JsonValue, most = 100): string {
  const text = JSON.stringify(value);
  return text.length > most ? `${text.slice(0, most)}...` : text;
}

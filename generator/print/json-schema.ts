/**
 * Prints types as JSON Schema: the reverse of `model/schema/reader.ts`. A schema accepts exactly the values of its type,
 * except where the dialect has no keyword for a rule.
 */
import type { Constraints, Definition, Evaluation, Member, ObjectNode, Rule, TypeNode } from '../model/protocol.js';
import { objectFromEntries, type JsonObject, type JsonValue } from '../read/json/json.js';

/** How to print a type as JSON Schema. */
export interface JsonSchemaOptions {
  /** The dialect; `2020-12` by default. In `draft-07` the limits of `contains` have no effect. */
  readonly dialect?: '2020-12' | 'draft-07';
  /** What precedes the name of a definition in a reference; `#/$defs/` by default. */
  readonly refPrefix?: string;
  /** Whether docs become `description`, `default` and `deprecated`; true by default. */
  readonly docs?: boolean;
}

/** A definition as JSON Schema, with its docs. */
export function definitionSchema(definition: Definition, options: JsonSchemaOptions = {}): JsonObject {
  return withDocs(typeSchema(definition.type, options), definition, options);
}

/**
 * A type as JSON Schema.
 *
 * @returns `{}` for a type that allows any value.
 */
export function typeSchema(type: TypeNode, options: JsonSchemaOptions = {}): JsonObject {
  switch (type.kind) {
    case 'unknown':
      return {};
    case 'never':
      return { not: {} };
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return { type: type.kind, ...type.constraints };
    case 'literal':
      return { const: type.value };
    case 'ref':
      return { $ref: `${options.refPrefix ?? '#/$defs/'}${referenceToken(type.name)}` };
    case 'array':
      return arraySchema(type.prefix ?? [], type.items, type.constraints, options);
    case 'object':
      return objectSchema(type, options);
    case 'union':
      return unionSchema(type.variants, type.exclusive, options);
    case 'intersection':
      return { allOf: type.parts.map((part) => typeSchema(part, options)) };
    case 'refined':
      return allOf([typeSchema(type.type, options), ...type.rules.map((rule) => ruleSchema(rule, options))]);
  }
}

/** A name in a JSON pointer, within a URI. */
function referenceToken(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** A subschema; `false` where no value is allowed. */
function subschema(type: TypeNode, options: JsonSchemaOptions): JsonValue {
  return type.kind === 'never' ? false : typeSchema(type, options);
}

function unionSchema(variants: readonly TypeNode[], isExclusive: boolean, options: JsonSchemaOptions): JsonObject {
  const literals = variants.flatMap((variant) => (variant.kind === 'literal' ? [variant.value] : []));
  const areDistinct = new Set(literals).size === variants.length;
  if (areDistinct && variants.length > 0) return { enum: literals };
  const schemas = variants.map((variant) => typeSchema(variant, options));
  const kinds = schemas.map((schema) => (Object.keys(schema).join() === 'type' ? schema['type'] : undefined));
  // Types overlap if one is `number` and the other `integer`.
  const areSimple = kinds.every((kind) => kind !== undefined) && new Set(kinds).size === kinds.length;
  const overlap = kinds.includes('number') && kinds.includes('integer');
  if (areSimple && !(isExclusive && overlap) && kinds.length > 0) return { type: kinds };
  if (schemas.length === 0) return { not: {} };
  return isExclusive ? { oneOf: schemas } : { anyOf: schemas };
}

function arraySchema(
  prefix: readonly TypeNode[],
  items: TypeNode,
  constraints: Constraints,
  options: JsonSchemaOptions,
): JsonObject {
  return {
    type: 'array',
    ...itemKeywords(
      prefix.map((item) => subschema(item, options)),
      subschema(items, options),
      options,
    ),
    ...constraints,
  };
}

/** The keywords for the first items and all others; the dialects have different ones. */
function itemKeywords(prefix: readonly JsonValue[], items: JsonValue, { dialect }: JsonSchemaOptions): JsonObject {
  if (prefix.length === 0) return { items };
  return dialect === 'draft-07' ? { items: prefix, additionalItems: items } : { prefixItems: prefix, items };
}

function objectSchema(type: ObjectNode, options: JsonSchemaOptions): JsonObject {
  const required = type.members.filter((member) => member.required).map(({ name }) => name);
  return {
    type: 'object',
    ...(type.members.length === 0
      ? {}
      : { properties: objectFromEntries(type.members.map((member) => [member.name, memberSchema(member, options)])) }),
    ...(required.length === 0 ? {} : { required }),
    ...(type.patterns === undefined || type.patterns.length === 0
      ? {}
      : {
          patternProperties: objectFromEntries(
            type.patterns.map(({ pattern, type: own }) => [pattern, subschema(own, options)]),
          ),
        }),
    ...(type.rest === undefined ? {} : { additionalProperties: subschema(type.rest, options) }),
    ...type.constraints,
  };
}

/** A member's type as JSON Schema, with its docs. */
export function memberSchema(member: Member, options: JsonSchemaOptions = {}): JsonObject {
  return withDocs(typeSchema(member.type, options), member, options);
}

function withDocs(schema: JsonObject, owner: Definition | Member, options: JsonSchemaOptions): JsonObject {
  if (options.docs === false) return schema;
  const { doc, deprecated, defaultValue } = owner;
  const reason = typeof deprecated === 'string' ? [`Deprecated: ${deprecated}`] : [];
  const text = [...(doc === undefined ? [] : [doc]), ...reason].join('\n\n');
  const annotations: JsonObject = {
    ...(text === '' ? {} : { description: text }),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
  };
  if (Object.keys(annotations).length === 0) return schema;
  // Draft-07 ignores what is next to a reference.
  const isReference = Object.hasOwn(schema, '$ref') && options.dialect === 'draft-07';
  return isReference ? { ...annotations, allOf: [schema] } : { ...annotations, ...schema };
}

function ruleSchema(rule: Rule, options: JsonSchemaOptions): JsonObject {
  switch (rule.rule) {
    case 'also':
      return typeSchema(rule.type, options);
    case 'not':
      return { not: typeSchema(rule.type, options) };
    case 'if':
      return {
        if: typeSchema(rule.if, options),
        then: typeSchema(rule.then, options),
        else: typeSchema(rule.else, options),
      };
    case 'contains':
      return {
        contains: typeSchema(rule.type, options),
        ...(rule.min === 1 ? {} : { minContains: rule.min }),
        ...(rule.max === undefined ? {} : { maxContains: rule.max }),
      };
    case 'names':
      return { propertyNames: typeSchema(rule.type, options) };
    case 'dependent':
      return { if: { type: 'object', required: [rule.member] }, then: typeSchema(rule.type, options) };
    case 'unevaluatedMembers':
      return evaluationSchema(rule.evaluated, options, (known) => ({
        properties: objectFromEntries(known.members.map((name) => [name, {}])),
        patternProperties: objectFromEntries(known.patterns.map((pattern) => [pattern, {}])),
        additionalProperties: subschema(rule.type, options),
      }));
    case 'unevaluatedItems':
      return evaluationSchema(rule.evaluated, options, (known) => {
        const types = [...known.contained, rule.type].filter(({ kind }) => kind !== 'never');
        const others = types.length === 0 ? false : unionSchema(types, false, options);
        return itemKeywords(
          Array.from({ length: known.items }, () => ({})),
          others,
          options,
        );
      });
  }
}

/** What is not evaluated, in keywords that both dialects have: a condition for each branch that evaluates more. */
function evaluationSchema(
  evaluation: Evaluation,
  options: JsonSchemaOptions,
  limit: (known: Evaluation) => JsonObject,
): JsonObject {
  if (evaluation.all) return {};
  const [branch, ...branches] = evaluation.branches;
  if (branch === undefined) return limit(evaluation);
  const rest = { ...evaluation, branches };
  return {
    if: typeSchema(branch.type, options),
    then: evaluationSchema(mergeEvaluations(rest, branch.then), options, limit),
    else: evaluationSchema(branch.else === undefined ? rest : mergeEvaluations(rest, branch.else), options, limit),
  };
}

function mergeEvaluations(one: Evaluation, other: Evaluation): Evaluation {
  return {
    all: one.all || other.all,
    members: [...new Set([...one.members, ...other.members])],
    patterns: [...new Set([...one.patterns, ...other.patterns])],
    items: Math.max(one.items, other.items),
    contained: [...one.contained, ...other.contained],
    branches: [...one.branches, ...other.branches],
  };
}

/** All of several schemas, without those that allow everything. */
function allOf(schemas: readonly JsonObject[]): JsonObject {
  const narrow = schemas.filter((schema) => Object.keys(schema).length > 0);
  const [only] = narrow;
  return narrow.length > 1 ? { allOf: narrow } : (only ?? {});
}

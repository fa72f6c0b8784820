/** Varies the value at each place of a definition. */
import { isObjectPrototypeMember, type ObjectNode, type TypeNode } from '../model/protocol.js';
import type { TypeLookup } from '../model/types/references.js';
import { samplesOf, withoutMember } from '../model/diff/samples.js';
import { isObject, type JsonObject, type JsonValue } from '../read/json/json.js';
import { Branches, labelOf, variantLabel } from './branches.js';
import type { Collector, Place } from './collector.js';
import { ENTRY_NAME, UNKNOWN_MEMBER, withMember, type ValueBuilder } from './values.js';
import { describeValue, limitValues, ofOtherKind, otherConstant, ruleOf, wrongValues } from './wrong-values.js';
import { placeWords, typeWords } from './words.js';

/** Visits the inline types of a definition. */
export class Walk {
  readonly #values: ValueBuilder;
  readonly #collector: Collector;
  readonly #lookup: TypeLookup;

  constructor(values: ValueBuilder, collector: Collector) {
    this.#values = values;
    this.#collector = collector;
    this.#lookup = values.lookup;
  }

  /** @param base - A valid value of the type. */
  type(type: TypeNode, place: Place, base: JsonValue | undefined, owner: string): void {
    switch (type.kind) {
      case 'unknown':
        return;
      case 'never':
        return;
      case 'ref':
        this.#reference(type, place, base);
        return;
      case 'union':
        this.#union(type.variants, type, place, owner);
        return;
      case 'intersection':
        this.#intersection(type.parts, type, place, base, owner);
        return;
      case 'refined':
        this.type(type.type, place, base, owner);
        this.#rules(type, place);
        return;
      case 'literal':
        this.#wrong(place, 'other-constant', otherConstant(type.value), type, 'const');
        return;
      case 'object':
        this.#otherKind(type, place);
        if (isObject(base)) this.#members(type, place, base);
        this.#limits(type, place, base);
        return;
      case 'array':
        this.#otherKind(type, place);
        this.#items(type, place, owner);
        this.#limits(type, place, base);
        return;
      case 'integer':
        this.#wrong(place, 'fraction', 1.5, type, 'type');
        this.#otherKind(type, place);
        this.#limits(type, place, base);
        return;
      default:
        this.#otherKind(type, place);
        this.#limits(type, place, base);
    }
  }

  #wrong(place: Place, label: string, value: JsonValue, type: TypeNode, rule: string): void {
    const reason = `${placeWords(place.tokens)} is ${describeValue(value)}, but must be ${typeWords(type)}.`;
    this.#collector.invalid(place, label, value, reason, { rule });
  }

  #otherKind(type: TypeNode, place: Place): void {
    if (place.isVariant === true) return;
    const value = ofOtherKind(this.#values, type);
    if (value !== undefined) this.#wrong(place, 'other-type', value, type, ruleOf(this.#values, type));
  }

  #limits(type: TypeNode, place: Place, base: JsonValue | undefined): void {
    if (base === undefined) return;
    for (const { keyword, value, isValid, demand } of limitValues(this.#values, type, base)) {
      const where = placeWords(place.tokens);
      // Zero is in the value whose members are empty.
      if (isValid && value === 0) continue;
      if (isValid)
        this.#collector.valid([...place.labels, keyword], place.put(value), `${where} is at its limit: ${demand}.`);
      else {
        const isLarge = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
        const flags = isLarge ? { flags: ['large-integer'] as const } : {};
        const reason = `${where} must be ${demand}.`;
        this.#collector.invalid(place, `beyond-${keyword}`, value, reason, { rule: keyword, ...flags });
      }
    }
  }

  /** One wrong value: that the reference is followed. */
  #reference(
    type: TypeNode & { readonly kind: 'ref' },
    place: Place,
    base: JsonValue | undefined,
    others: readonly TypeNode[] = [],
  ): void {
    for (const wrong of wrongValues(this.#values, type, base)) {
      const whole = place.put(wrong.value);
      if (this.#values.accepts(this.#collector.type, whole)) continue;
      // What other parts of an intersection reject would not show that this one is followed.
      if (others.some((other) => !this.#values.accepts(other, wrong.value))) continue;
      const inside = wrong.pointer === '' ? '' : ': ';
      const text =
        wrong.pointer === ''
          ? `${placeWords(place.tokens)} must be ${typeWords(type)}, but ${wrong.fault}.`
          : `${placeWords(place.tokens)} must be ${typeWords(type)}${inside}${wrong.fault}.`;
      this.#collector.invalid(place, 'reference', wrong.value, text, { rule: wrong.rule, pointerIn: wrong.pointer });
      return;
    }
  }

  #items(type: TypeNode & { readonly kind: 'array' }, place: Place, owner: string): void {
    const { prefix = [], items } = type;
    const first = prefix.map((item) => this.#values.build(item, owner, 'smallest'));
    prefix.forEach((item, index) => {
      const put = (value: JsonValue): JsonValue =>
        place.put(first.slice(0, index + 1).map((own, at) => (at === index ? value : (own ?? null))));
      this.type(item, this.#inside(place, index, `item${index + 1}`, put), first[index], owner);
    });
    // The second one, so that checking the first is not enough.
    const least = Math.max(1, prefix.length, Number(type.constraints['minItems'] ?? 0) - 1);
    const item = this.#values.build(items, owner, 'smallest');
    const index = item === undefined || Number(type.constraints['maxItems'] ?? Infinity) < 2 ? prefix.length : least;
    const before = Array.from({ length: index }, (_, at) => first[at] ?? item ?? null);
    const isUnique = type.constraints['uniqueItems'] === true;
    const distinct = before.map((own, at) => (isUnique && typeof own === 'string' && at > 0 ? `${own}${at}` : own));
    this.type(
      items,
      this.#inside(place, index, 'item', (value) => place.put([...distinct, value])),
      item,
      owner,
    );
  }

  #inside(place: Place, token: string | number, label: string, put: (value: JsonValue) => JsonValue): Place {
    return { ...place, isVariant: false, tokens: [...place.tokens, token], labels: [...place.labels, label], put };
  }

  #members(type: ObjectNode, place: Place, base: JsonObject): void {
    for (const { name, required, type: own } of type.members) {
      const inside = this.#inside(place, name, labelOf(name), (value) => place.put(withMember(base, name, value)));
      const where = placeWords(place.tokens);
      if (required) {
        const missing: Place = { ...inside, put: () => place.put(withoutMember(base, name)) };
        const reason = `The required member \`${name}\`${place.tokens.length === 0 ? '' : ` of ${where}`} is missing.`;
        this.#collector.invalid(missing, 'missing', null, reason, { rule: 'required' });
      } else {
        const reason = `${placeWords(inside.tokens)} is null: an optional member may be absent, but not null.`;
        this.#collector.invalid(inside, 'null', null, reason, { rule: ruleOf(this.#values, own) });
        if (isObjectPrototypeMember(name)) {
          const value = this.#values.build(own, name, 'smallest');
          if (value !== undefined)
            this.#collector.valid(inside.labels, inside.put(value), `${placeWords(inside.tokens)} is present.`);
        }
      }
      this.type(own, inside, this.#values.build(own, name, 'smallest'), name);
    }
    this.#otherMembers(type, place, base);
  }

  #otherMembers(type: ObjectNode, place: Place, base: JsonObject): void {
    const at = (name: string, label: string): Place =>
      this.#inside(place, name, label, (value) => place.put(withMember(base, name, value)));
    for (const [index, { pattern, type: own }] of (type.patterns ?? []).entries()) {
      const name = matchingName(this.#values, pattern);
      if (name !== undefined)
        this.type(own, at(name, `pattern${index + 1}`), this.#values.build(own, name, 'smallest'), name);
    }
    if (type.rest === undefined) return;
    if (type.rest.kind === 'never') {
      const inside = at(UNKNOWN_MEMBER, 'unknown-member');
      const reason = `${placeWords(inside.tokens)} is not allowed: the object may only have the members that the definition names.`;
      this.#collector.invalid(inside, 'not-allowed', true, reason, { rule: 'additionalProperties' });
      return;
    }
    const owner = place.tokens.filter((token) => typeof token === 'string').at(-1) ?? this.#collector.definition;
    const name = type.members.length === 0 ? ENTRY_NAME : UNKNOWN_MEMBER;
    this.type(type.rest, at(name, 'entry'), this.#values.build(type.rest, owner, 'smallest'), owner);
  }

  #intersection(
    parts: readonly TypeNode[],
    whole: TypeNode,
    place: Place,
    base: JsonValue | undefined,
    owner: string,
  ): void {
    this.#otherKind(whole, place);
    parts.forEach((part, index) => {
      const own: Place = part.kind === 'ref' ? { ...place, labels: [...place.labels, part.name] } : place;
      if (part.kind === 'object' && isObject(base)) this.#members(part, own, base);
      else if (part.kind === 'ref')
        this.#reference(
          part,
          own,
          base,
          parts.filter((other) => other !== part),
        );
      else this.type(part, { ...own, labels: [...own.labels, `part${index + 1}`] }, base, owner);
    });
  }

  #union(
    variants: readonly TypeNode[],
    whole: TypeNode & { readonly kind: 'union' },
    place: Place,
    owner: string,
  ): void {
    const where = placeWords(place.tokens);
    if (variants.every((variant) => variant.kind === 'literal')) {
      const usual = this.#values.build(whole, owner, 'fullest');
      for (const { value } of variants) {
        // The fullest value of the definition has it.
        if (value === usual && place.tokens.length > 0) continue;
        const label = `is-${labelOf(String(value))}`;
        this.#collector.valid([...place.labels, label], place.put(value), `${where} may be ${JSON.stringify(value)}.`);
      }
      this.#wrong(place, 'unknown-value', 'unknown', whole, 'enum');
      this.#otherKind(whole, place);
      return;
    }
    const branches = new Branches(variants, this.#lookup);
    const usual = this.#values.build(whole, owner, 'fullest');
    let hasReference = false;
    variants.forEach((variant, index) => {
      const label = variantLabel(variant, index, branches, variants);
      const others: TypeNode = { kind: 'union', exclusive: false, variants: variants.filter((_, at) => at !== index) };
      const value = (isPlain(variant) && variant.kind !== 'number' ? EMPTY_FIRST : SMALLEST_FIRST)
        .map((extent) => this.#values.build(variant, owner, extent))
        .find((item) => item !== undefined && !this.#values.accepts(others, item));
      const own: Place = { ...place, labels: [...place.labels, label] };
      // The fullest value of the definition has one of the variants.
      const isUsual = place.tokens.length > 0 && usual !== undefined && !this.#values.accepts(others, usual);
      if (value !== undefined && !isUsual)
        this.#collector.valid(own.labels, place.put(value), `${where} may be ${typeWords(variant)}.`);
      const base = value ?? this.#values.build(variant, owner, 'smallest');
      const isCertain = place.isCertain && base !== undefined && branches.areToldApart(base);
      // A value of another kind is meant for another variant, and wrong for all of them below.
      // Where nothing tells variants apart, one value that all of them reject is enough.
      if (variant.kind === 'ref' && !isCertain && hasReference) return;
      const count = this.#collector.vectors.length;
      if (isPlain(variant)) this.#limits(variant, own, base);
      else this.type(variant, { ...own, isCertain, isVariant: true }, base, owner);
      hasReference ||= variant.kind === 'ref' && !isCertain && this.#collector.vectors.length > count;
    });
    const tag = branches.tag;
    if (tag !== undefined) {
      const base = this.#values.build(whole, owner, 'fullest') ?? this.#values.build(whole, owner, 'smallest');
      if (isObject(base)) {
        const inside = this.#inside(place, tag, labelOf(tag), (value) => place.put(withMember(base, tag, value)));
        const reason = `${placeWords(inside.tokens)} names none of the variants.`;
        this.#collector.invalid(inside, 'unknown-value', 'unknown', reason, { rule: ruleOf(this.#values, whole) });
      }
    }
    if (
      variants.some((variant) => variant.kind === 'integer') &&
      !variants.some((variant) => variant.kind === 'number')
    )
      this.#wrong(place, 'fraction', 1.5, whole, ruleOf(this.#values, whole));
    this.#otherKind(whole, place);
  }

  /** A value for each rule that only the rule rejects. */
  #rules(type: TypeNode & { readonly kind: 'refined' }, place: Place): void {
    type.rules.forEach((rule, index) => {
      const alone: TypeNode = { ...type, rules: [rule] };
      const types = 'type' in rule ? [rule.type, type.type] : [type.type];
      const candidates = types.flatMap((own) => samplesOf(this.#values.types, own));
      const value = candidates.find(
        (candidate) => this.#values.accepts(type.type, candidate) && !this.#values.accepts(alone, candidate),
      );
      if (value === undefined) return;
      const keyword = RULE_KEYWORDS[rule.rule];
      const reason = `${placeWords(place.tokens)} is rejected by \`${keyword}\`.`;
      this.#collector.invalid(place, `rule${index + 1}-${keyword}`, value, reason, { rule: keyword, isCertain: false });
    });
  }
}

const SMALLEST_FIRST = ['smallest', 'fullest', 'empty'] as const;
const EMPTY_FIRST = ['empty', 'smallest'] as const;

const RULE_KEYWORDS = {
  also: 'allOf',
  not: 'not',
  if: 'if',
  contains: 'contains',
  names: 'propertyNames',
  dependent: 'dependentSchemas',
  unevaluatedMembers: 'unevaluatedProperties',
  unevaluatedItems: 'unevaluatedItems',
} as const;

function isPlain({ kind }: TypeNode): boolean {
  return (
    kind === 'string' ||
    kind === 'number' ||
    kind === 'integer' ||
    kind === 'boolean' ||
    kind === 'null' ||
    kind === 'literal'
  );
}

/** A member's name that matches a pattern. */
function matchingName(values: ValueBuilder, pattern: string): string | undefined {
  const name = values.build({ kind: 'string', constraints: { pattern } }, ENTRY_NAME, 'smallest');
  return typeof name === 'string' ? name : undefined;
}

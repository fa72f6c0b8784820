/**
 * Compares two protocols. The class is long: its methods call each other along the tree of types, and record changes in
 * one list.
 */
import type {
  ArrayNode,
  CatalogError,
  Constraints,
  Definition,
  Member,
  Method,
  ObjectNode,
  Protocol,
  Rule,
  TypeNode,
} from '../protocol.js';
import { unionNames } from '../protocol.js';
import { findRenames } from './pairing.js';
import type { Rename } from './pairing.js';
import { changeLocation } from './change.js';
import type { Change, Step, Subject } from './change.js';
import { asObjectType, resolveType, typesByName } from '../types/accepts.js';
import { pinnedResultType } from '../types/result-type.js';
import type { TypesByName } from '../types/accepts.js';
import { Assignability, isAsStrict, relationOf } from '../types/assignable.js';
import type { Relation } from '../types/assignable.js';
import { DIRECTIONS, allResults, describe, directionRule, methodWithLostDirection } from './methods.js';
import { keywordOf } from '../types/rule-keyword.js';
import type { RuleId } from './rules.js';
import { ANNOTATION_KEYWORDS, MIN_LIKENESS, listLocations, showValue } from './change-details.js';
import type { ChangeDetails } from './change-details.js';
import { compareText, stableStringify } from '../../read/json/json.js';
import { sendersOf, sendersOfMethod } from './reach.js';
import { flatVariants, labelOf, literalsDiffer, refName, sharesLiteral, typeKind } from './variants.js';
export { flatVariants } from './variants.js';

/** All differences between two revisions. */
export interface ProtocolDifference {
  readonly before: Protocol;
  readonly after: Protocol;
  readonly renames: readonly Rename[];
  /** Sorted by protocol, methods, errors, definitions; within each by name. */
  readonly changes: readonly Change[];
}

/**
 * Compares two revisions by structure: their methods, error codes, and definitions member by member. A definition that
 * others refer to is compared once, where it is defined.
 */
export function compareProtocols(before: Protocol, after: Protocol): ProtocolDifference {
  const comparison = new ProtocolComparison(before, after);
  return { before, after, renames: comparison.renames, changes: comparison.run() };
}

class ProtocolComparison {
  readonly renames: readonly Rename[];
  readonly #before: Protocol;
  readonly #after: Protocol;
  readonly #typesBefore: TypesByName;
  readonly #typesAfter: TypesByName;
  readonly #forward: Assignability;
  readonly #backward: Assignability;
  readonly #renamed: ReadonlyMap<string, string>;
  /** Definitions of messages and results, whose changes are reported for their methods. */
  readonly #coveredByMethods: ReadonlySet<string>;
  readonly #unions: ReadonlySet<string>;
  readonly #reservedNames: RegExp | undefined;
  readonly #extracted = new Map<string, string[]>();
  readonly #inlined = new Map<string, string[]>();
  readonly #changes: Change[] = [];
  /** Pairs of definitions in progress, which ends recursion. */
  readonly #openPairs = new Set<string>();
  /** The definition in progress. */
  #definitionName = '';

  constructor(before: Protocol, after: Protocol) {
    this.#before = before;
    this.#after = after;
    this.#typesBefore = typesByName(before);
    this.#typesAfter = typesByName(after);
    this.#forward = new Assignability(this.#typesBefore, this.#typesAfter);
    this.#backward = new Assignability(this.#typesAfter, this.#typesBefore);
    this.renames = findRenames(before, after);
    this.#renamed = new Map(this.renames.map((rename) => [rename.before, rename.after]));
    this.#coveredByMethods = new Set(
      [...before.methods, ...after.methods].flatMap((method) => [
        method.message,
        ...allResults(method),
        ...[before, after].flatMap(({ traits }) => [traits.envelope?.result ?? '', traits.emptyResult ?? '']),
      ]),
    );
    // Changes of unions that list messages are reported as changes of methods and results.
    this.#unions = new Set([before, after].flatMap(({ traits }) => unionNames(traits)));
    const { reservedNames } = after.traits;
    this.#reservedNames = reservedNames === undefined ? undefined : new RegExp(reservedNames);
  }

  run(): readonly Change[] {
    this.#compareLifecycle();
    this.#compareMethods();
    this.#compareErrors();
    this.#compareDefinitions();
    return this.#changes;
  }

  #addChange(
    rule: RuleId,
    subject: Subject,
    name: string,
    found: ChangeDetails = {},
    path: readonly Step[] = [],
  ): void {
    this.#changes.push({ rule, subject, name, path, ...found, sentBy: [] });
  }

  #compareLifecycle(): void {
    const [a, b] = [this.#before, this.#after];
    if (a.lifecycle !== b.lifecycle) {
      const [had, has] = [a, b].map(({ lifecycle = 'none' }) => lifecycle);
      this.#addChange('lifecycle-changed', 'protocol', b.name, { before: had ?? '', after: has ?? '' });
    }
    if (a.batches !== b.batches) this.#addChange(b.batches ? 'batches-added' : 'batches-removed', 'protocol', b.name);
  }

  #compareMethods(): void {
    const rows = new Map(this.#before.methods.map((method) => [method.name, method]));
    const names = new Set([...rows.keys(), ...this.#after.methods.map((method) => method.name)]);
    for (const name of [...names].sort(compareText)) {
      const [a, b] = [rows.get(name), this.#after.methods.find((method) => method.name === name)];
      if (a === undefined && b !== undefined) this.#addMethodAdded(b);
      if (a !== undefined && b === undefined) {
        this.#addMethodChange(a, 'method-removed', { before: describe(a) });
      }
      if (a !== undefined && b !== undefined) this.#compareMethod(a, b);
    }
  }

  #addMethodChange(method: Method, rule: RuleId, found: ChangeDetails = {}): void {
    this.#changes.push({
      rule,
      subject: 'method',
      name: method.name,
      path: [],
      ...found,
      sentBy: sendersOfMethod(method),
    });
  }

  #addMethodAdded(method: Method): void {
    const found = { after: describe(method) };
    if (method.kind === 'notification') this.#addMethodChange(method, 'notification-added', found);
    // An embedded request needs a declared capability, like any other.
    else
      this.#addMethodChange(method, method.capabilities.length > 0 ? 'request-added-guarded' : 'request-added', found);
  }

  #compareMethod(a: Method, b: Method): void {
    if (a.kind !== b.kind) this.#addMethodChange(b, 'method-kind-changed', { before: a.kind, after: b.kind });
    const moved = directionRule(a, b);
    // A removed method is reported for the side that sent it.
    if (moved !== undefined)
      this.#addMethodChange(moved === 'direction-narrowed' ? methodWithLostDirection(a, b) : b, moved, {
        before: DIRECTIONS[a.direction],
        after: DIRECTIONS[b.direction],
      });
    this.#compareCapabilities(a, b);
    this.#compareResults(a, b);
    if (a.deprecated === undefined && b.deprecated !== undefined) {
      this.#addMethodChange(b, 'method-deprecated', { detail: b.deprecated });
    }
    if (a.deprecated !== undefined && b.deprecated === undefined) this.#addMethodChange(b, 'method-undeprecated');
  }

  #compareCapabilities(a: Method, b: Method): void {
    // A method that moved to the other side is reported as moved.
    if (a.direction !== b.direction) return;
    const [had, has] = [a.capabilities, b.capabilities].map((list) => [...list].sort().join(', '));
    if (had === undefined || has === undefined || had === has) return;
    const rule = had === '' ? 'capability-required' : has === '' ? 'capability-dropped' : 'capability-changed';
    this.#addMethodChange(b, rule, { before: had || 'none', after: has || 'none' });
  }

  #compareResults(a: Method, b: Method): void {
    const had = allResults(a).map((name) => this.#renamed.get(name) ?? name);
    const has = allResults(b);
    const answeredBy = sendersOfMethod(b).map((side) => (side === 'client' ? 'server' : 'client'));
    const change = (rule: RuleId, found: ChangeDetails): void => {
      this.#changes.push({ rule, subject: 'method', name: b.name, path: [], ...found, sentBy: answeredBy });
    };
    // Another name for an existing result is not another result.
    const union = (names: readonly string[]): TypeNode => ({
      kind: 'union',
      exclusive: false,
      variants: names.map((name) => ({ kind: 'ref', name })),
    });
    for (const name of has) {
      if (had.includes(name)) continue;
      // A value of `resultType` distinguishes it, whatever else it has in common with another result.
      const isDistinct = pinnedResultType(this.#after, name) !== undefined;
      if (!isDistinct && this.#backward.holds({ kind: 'ref', name }, union(allResults(a)))) continue;
      change(this.#isGuarded(name) ? 'result-added-guarded' : 'result-added', { after: { kind: 'ref', name } });
    }
    for (const name of allResults(a)) {
      if (has.includes(this.#renamed.get(name) ?? name)) continue;
      if (this.#forward.holds({ kind: 'ref', name }, union(has))) continue;
      change('result-removed', { before: { kind: 'ref', name } });
    }
  }

  /** Whether a definition is from an extension, which sides declare before they use it. */
  #isGuarded(name: string): boolean {
    const { definitions, traits } = this.#after;
    return (
      traits.capabilities !== undefined &&
      definitions.some((definition) => definition.name === name && definition.extension !== undefined)
    );
  }

  #compareErrors(): void {
    const [errorsBefore, errorsAfter] = [this.#before.errors, this.#after.errors];
    const text = ({ code, name }: CatalogError): string => `${code} ${name}`;
    const said = (rule: RuleId, name: string, found: ChangeDetails): void => {
      this.#changes.push({ rule, subject: 'error', name, path: [], ...found, sentBy: ['client', 'server'] });
    };
    for (const error of errorsAfter) {
      const named = errorsBefore.find((item) => item.name === error.name);
      const coded = errorsBefore.find((item) => item.code === error.code);
      if (named !== undefined && named.code !== error.code) {
        said('error-code-changed', error.name, { before: text(named), after: text(error) });
      } else if (named === undefined && coded === undefined) {
        said('error-added', error.name, { after: text(error), detail: error.summary });
      } else if (named === undefined && coded !== undefined) {
        said('error-renamed', error.name, { before: text(coded), after: text(error) });
      }
    }
    for (const error of errorsBefore) {
      if (errorsAfter.some((item) => item.name === error.name || item.code === error.code)) continue;
      said('error-removed', error.name, { before: text(error), detail: error.summary });
    }
  }

  #compareDefinitions(): void {
    const known = this.#changes.length;
    const definitionsBefore = new Map(this.#before.definitions.map((definition) => [definition.name, definition]));
    const definitionsAfter = new Map(this.#after.definitions.map((definition) => [definition.name, definition]));
    for (const [name, definition] of definitionsBefore) {
      const other = definitionsAfter.get(this.#renamed.get(name) ?? name);
      if (other !== undefined) this.#compareDefinition(definition, other);
    }
    const keepable = new Set(this.#after.formerNames.map(({ before }) => before));
    for (const { before, after, isKnown, evidence } of this.renames) {
      const detail = isKnown
        ? `${evidence.join('; ')}${keepable.has(before) ? '; `generate --emit default,aliases` keeps the old name, deprecated' : ''}`
        : `a guess: ${evidence.join('; ')}`;
      this.#addChange('definition-renamed', 'definition', after, { before, after, detail });
    }
    const renamed = new Set(this.#renamed.values());
    for (const name of definitionsAfter.keys()) {
      if (definitionsBefore.has(name) || renamed.has(name)) continue;
      const places = this.#extracted.get(name);
      const [first, ...more] = places ?? [];
      if (first === undefined) this.#addChange('definition-added', 'definition', name);
      else
        this.#addChange('definition-extracted', 'definition', name, {
          detail: `was at ${first}${listLocations(more)}`,
        });
    }
    for (const name of definitionsBefore.keys()) {
      if (definitionsAfter.has(name) || this.#renamed.has(name)) continue;
      const [first, ...more] = this.#inlined.get(name) ?? [];
      if (first === undefined) this.#addChange('definition-removed', 'definition', name);
      else
        this.#addChange('definition-inlined', 'definition', name, {
          detail: `is at ${first}${listLocations(more)}`,
        });
    }
    const [oldSenders, newSenders] = [sendersOf(this.#before), sendersOf(this.#after)];
    const before = new Map(this.renames.map((rename) => [rename.after, rename.before]));
    const ofDefinitions = this.#changes.splice(known).map((change): Change => {
      const senders = [
        ...(oldSenders.get(before.get(change.name) ?? change.name) ?? []),
        ...(newSenders.get(change.name) ?? []),
      ];
      return { ...change, sentBy: (['client', 'server'] as const).filter((side) => senders.includes(side)) };
    });
    // The sort is stable: changes of one definition stay in the order in which they were found.
    this.#changes.push(...ofDefinitions.sort((a, b) => compareText(a.name, b.name)));
  }

  #compareDefinition(a: Definition, b: Definition): void {
    this.#definitionName = b.name;
    if (a.deprecated === undefined && b.deprecated !== undefined) {
      this.#report('definition-deprecated', [], typeof b.deprecated === 'string' ? { detail: b.deprecated } : {});
    }
    this.#compareTypes(a.type, b.type, []);
  }

  #report(rule: RuleId, path: readonly Step[], found: ChangeDetails = {}): void {
    this.#addChange(rule, 'definition', this.#definitionName, found, path);
  }

  #isPair(a: TypeNode, b: TypeNode): boolean {
    return a.kind === 'ref' && b.kind === 'ref' && (this.#renamed.get(a.name) ?? a.name) === b.name;
  }

  #relation(a: TypeNode, b: TypeNode): Relation {
    return relationOf(this.#forward.holds(a, b), this.#backward.holds(b, a));
  }

  #compareTypes(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    if (this.#isPair(a, b)) return;
    this.#noteMoved(a, b, path);
    const pair = a.kind === 'ref' || b.kind === 'ref' ? stableStringify([refName(a), refName(b)]) : undefined;
    if (pair !== undefined) {
      if (this.#openPairs.has(pair)) return;
      this.#openPairs.add(pair);
    }
    this.#compareStructures(a, b, path);
    this.#compareRules(a, b, path);
    if (pair !== undefined) this.#openPairs.delete(pair);
  }

  /** Rules such as `not` and `if`: one more narrows a type, and one less widens it. */
  #compareRules(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const [had, has] = [rulesOf(this.#typesBefore, a), rulesOf(this.#typesAfter, b)];
    const only = (own: Rules, other: Rules): readonly string[] =>
      [...own].flatMap(([key, rule]) => (other.has(key) ? [] : [JSON.stringify(keywordOf(rule))]));
    const [lost, added] = [only(had, has), only(has, had)];
    if (lost.length + added.length === 0) return;
    const rule = lost.length === 0 ? 'type-narrowed' : added.length === 0 ? 'type-widened' : 'type-changed';
    const detail = [
      ...(added.length === 0 ? [] : [`now has ${added.join(' and ')}`]),
      ...(lost.length === 0 ? [] : [`no longer has ${lost.join(' and ')}`]),
    ].join(', ');
    this.#report(rule, path, { before: a, after: b, detail });
  }

  #compareStructures(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const [from, to] = [resolveType(this.#typesBefore, a), resolveType(this.#typesAfter, b)];
    const [fromObject, toObject] = [asObjectType(this.#typesBefore, from), asObjectType(this.#typesAfter, to)];
    if (fromObject !== undefined && toObject !== undefined) {
      this.#compareObjects(fromObject, toObject, path);
    } else if (from.kind === 'array' && to.kind === 'array') {
      this.#compareConstraints(from, to, path);
      const at = ({ prefix, items }: ArrayNode, index: number): TypeNode => prefix?.[index] ?? items;
      const positions = Math.max(from.prefix?.length ?? 0, to.prefix?.length ?? 0);
      for (let index = 0; index <= positions; index += 1)
        this.#compareTypes(at(from, index), at(to, index), [...path, { kind: 'items' }]);
    } else if (from.kind === 'union' || to.kind === 'union') {
      this.#compareUnions(a, b, path);
    } else if (from.kind === to.kind && 'constraints' in from && 'constraints' in to) {
      this.#compareConstraints(from, to, path);
    } else {
      this.#compareWhole(a, b, path);
    }
  }

  /** Reports a type as a whole, if its parts cannot be paired. */
  #compareWhole(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const relation = this.#relation(a, b);
    if (relation !== 'same') this.#report(`type-${relation}`, path, { before: a, after: b });
  }

  /** Reports an inline type that became a definition, or vice versa. */
  #noteMoved(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const place = (): string =>
      changeLocation({ name: this.#definitionName, path: path.filter((step) => step.kind !== 'variant') });
    const note = (map: Map<string, string[]>, name: string): void => {
      map.set(name, [...(map.get(name) ?? []), place()]);
    };
    if (path.length === 0) return;
    if (b.kind === 'ref' && a.kind !== 'ref' && !this.#typesBefore.has(b.name) && a.kind !== 'unknown')
      note(this.#extracted, b.name);
    if (a.kind === 'ref' && b.kind !== 'ref' && !this.#typesAfter.has(a.name) && b.kind !== 'unknown')
      note(this.#inlined, a.name);
  }

  #compareObjects(a: ObjectNode, b: ObjectNode, path: readonly Step[]): void {
    const membersBefore = new Map(a.members.map((member) => [member.name, member]));
    const membersAfter = new Map(b.members.map((member) => [member.name, member]));
    const isMessage =
      path.length === 0 &&
      membersBefore.has('method') &&
      membersAfter.has('method') &&
      membersBefore.has('jsonrpc') !== membersAfter.has('jsonrpc');
    const envelope = !isMessage
      ? []
      : ['jsonrpc', 'id'].filter((name) => membersBefore.has(name) !== membersAfter.has(name));
    if (envelope.length > 0) {
      const list = envelope.join(' and ');
      this.#report('envelope-declared', path, {
        detail: membersAfter.has('jsonrpc') ? `now has ${list}` : `no longer has ${list}`,
      });
    }
    for (const name of [...new Set([...membersBefore.keys(), ...membersAfter.keys()])].sort(compareText)) {
      if (envelope.includes(name)) continue;
      const at: readonly Step[] = [...path, { kind: 'member', name }];
      const [from, to] = [membersBefore.get(name), membersAfter.get(name)];
      if (from === undefined && to !== undefined) this.#memberAdded(a, to, at);
      if (from !== undefined && to === undefined) this.#memberRemoved(from, b, at);
      if (from !== undefined && to !== undefined) this.#compareMember(from, to, at);
    }
    this.#comparePatterns(a, b, path);
    this.#compareRest(a.rest, b.rest, path);
    this.#compareConstraints(a, b, path);
  }

  /** Members whose names match a pattern. Names that matched no pattern before were other members. */
  #comparePatterns(a: ObjectNode, b: ObjectNode, path: readonly Step[]): void {
    const typeIn = ({ patterns = [], rest }: ObjectNode, pattern: string): TypeNode =>
      patterns.find((member) => member.pattern === pattern)?.type ?? rest ?? { kind: 'unknown' };
    const patterns = [...(a.patterns ?? []), ...(b.patterns ?? [])].map(({ pattern }) => pattern);
    for (const pattern of [...new Set(patterns)].sort(compareText))
      this.#compareTypes(typeIn(a, pattern), typeIn(b, pattern), [...path, { kind: 'rest' }]);
  }

  #memberAdded({ rest }: ObjectNode, member: Member, path: readonly Step[]): void {
    const found = { after: member.type };
    if (member.required) this.#report('member-added-required', path, found);
    else if (rest !== undefined && !this.#forward.holds(rest, member.type)) {
      const isOwn = this.#reservedNames?.test(member.name) === true;
      this.#report(isOwn ? 'member-added-own' : 'member-added-reserved', path, { before: rest, after: member.type });
    } else this.#report('member-added-optional', path, found);
  }

  #memberRemoved(member: Member, { rest }: ObjectNode, path: readonly Step[]): void {
    const found = { before: member.type };
    const isAllowed = rest === undefined || this.#forward.holds(member.type, rest);
    if (member.required) this.#report('member-removed-required', path, found);
    else if (isAllowed) this.#report('member-removed-optional', path, found);
    if (!isAllowed) this.#report('member-forbidden', path, found);
  }

  #compareMember(a: Member, b: Member, path: readonly Step[]): void {
    if (a.required !== b.required) {
      this.#report(b.required ? 'member-required' : 'member-optional', path, { after: b.type });
    }
    if (a.deprecated === undefined && b.deprecated !== undefined) {
      this.#report('member-deprecated', path, typeof b.deprecated === 'string' ? { detail: b.deprecated } : {});
    }
    const [had, has] = [a.defaultValue, b.defaultValue].map((value) =>
      value === undefined ? undefined : stableStringify(value),
    );
    if (had !== has) {
      const rule = had === undefined ? 'default-added' : has === undefined ? 'default-removed' : 'default-changed';
      this.#report(rule, path, {
        ...(had === undefined ? {} : { before: had }),
        ...(has === undefined ? {} : { after: has }),
      });
    }
    this.#compareTypes(a.type, b.type, path);
  }

  /** Members of other names. Not mentioning them and allowing any value is the same. */
  #compareRest(a: TypeNode | undefined, b: TypeNode | undefined, path: readonly Step[]): void {
    const [open, openNow] = [a, b].map((type) => type === undefined || type.kind === 'unknown');
    if (open === true && openNow === true) return;
    const at: readonly Step[] = [...path, { kind: 'rest' }];
    if (open !== true && openNow !== true && a !== undefined && b !== undefined) {
      this.#compareTypes(a, b, at);
      return;
    }
    const relation = this.#relation(a ?? { kind: 'unknown' }, b ?? { kind: 'unknown' });
    if (relation === 'same') return;
    this.#report(relation === 'narrowed' ? 'rest-narrowed' : 'rest-widened', at, {
      before: a ?? { kind: 'unknown' },
      after: b ?? { kind: 'unknown' },
    });
  }

  #compareConstraints(a: { constraints: Constraints }, b: { constraints: Constraints }, path: readonly Step[]): void {
    for (const key of [...new Set([...Object.keys(a.constraints), ...Object.keys(b.constraints)])].sort(compareText)) {
      const [had, has] = [a.constraints[key], b.constraints[key]];
      if (stableStringify(had ?? null) === stableStringify(has ?? null)) continue;
      const found = {
        ...(had === undefined ? {} : { before: `${key} ${showValue(had)}` }),
        ...(has === undefined ? {} : { after: `${key} ${showValue(has)}` }),
      };
      if (ANNOTATION_KEYWORDS.has(key)) {
        this.#report('format-changed', path, found);
        continue;
      }
      const one = (value: Constraints[string] | undefined): Constraints =>
        value === undefined ? {} : { [key]: value };
      const relation = relationOf(isAsStrict(one(had), one(has)), isAsStrict(one(has), one(had)));
      if (relation === 'same') continue;
      const verdict = { widened: 'loosened', narrowed: 'tightened', changed: 'changed' } as const;
      this.#report(`constraint-${verdict[relation]}`, path, found);
    }
  }

  #compareUnions(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const [variantsBefore, variantsAfter] = [
      flatVariants(this.#typesBefore, a, this.#typesAfter),
      flatVariants(this.#typesAfter, b, this.#typesBefore),
    ];
    const isDirection = path.length === 0 && this.#unions.has(this.#definitionName);
    const isTold = (type: TypeNode): boolean =>
      isDirection && type.kind === 'ref' && this.#coveredByMethods.has(type.name);
    if (variantsBefore.every(isTold) && variantsAfter.every(isTold)) return;
    const pairs = this.#pairVariants(variantsBefore, variantsAfter);
    if (pairs.length === 0) {
      this.#compareWhole(a, b, path);
      return;
    }
    const paired = { old: new Set(pairs.map(([index]) => index)), now: new Set(pairs.map(([, index]) => index)) };
    for (const [before, after] of pairs) {
      const [from, to] = [variantsBefore[before], variantsAfter[after]];
      if (from === undefined || to === undefined) continue;
      this.#compareTypes(from, to, [...path, { kind: 'variant', before, after, label: labelOf(this.#typesAfter, to) }]);
    }
    variantsAfter.forEach((type, index) => {
      if (paired.now.has(index) || isTold(type) || this.#backward.holds(type, a)) return;
      this.#report(type.kind === 'literal' ? 'value-added' : 'variant-added', path, { after: type });
    });
    variantsBefore.forEach((type, index) => {
      if (paired.old.has(index) || isTold(type) || this.#forward.holds(type, b)) return;
      this.#report(type.kind === 'literal' ? 'value-removed' : 'variant-removed', path, { before: type });
    });
  }

  /** Pairs the variants of two unions, by index: the most reliable criteria first. */
  #pairVariants(before: readonly TypeNode[], after: readonly TypeNode[]): readonly (readonly [number, number])[] {
    const pairs: [number, number][] = [];
    const taken = { old: new Set<number>(), now: new Set<number>() };
    const pairUp = (belong: (a: TypeNode, b: TypeNode) => boolean): void => {
      const candidates = [...before.entries()].flatMap(([i, a]) =>
        [...after.entries()].flatMap(([j, b]) =>
          taken.old.has(i) || taken.now.has(j) || !belong(a, b) ? [] : [{ i, j, score: this.#likeness(a, b) }],
        ),
      );
      // The sort is stable: on a tie the order of the schema decides.
      for (const { i, j } of candidates.sort((a, b) => b.score - a.score)) {
        if (taken.old.has(i) || taken.now.has(j)) continue;
        taken.old.add(i);
        taken.now.add(j);
        pairs.push([i, j]);
      }
    };
    const [from, to] = [
      (type: TypeNode) => asObjectType(this.#typesBefore, type),
      (type: TypeNode) => asObjectType(this.#typesAfter, type),
    ];
    pairUp((a, b) => this.#isPair(a, b));
    pairUp((a, b) => a.kind === 'literal' && b.kind === 'literal' && a.value === b.value);
    pairUp((a, b) => a.kind !== 'literal' && b.kind !== 'literal' && this.#relation(a, b) === 'same');
    pairUp((a, b) => sharesLiteral(from(a), to(b)));
    pairUp((a, b) => {
      const kind = typeKind(this.#typesBefore, a);
      if (kind === 'literal' || kind !== typeKind(this.#typesAfter, b) || literalsDiffer(from(a), to(b))) return false;
      return kind !== 'object' || this.#likeness(a, b) >= MIN_LIKENESS;
    });
    return pairs.sort(([a], [b]) => a - b);
  }

  /** The share of members with the same name in two objects; 1 for other types. */
  #likeness(a: TypeNode, b: TypeNode): number {
    const [from, to] = [asObjectType(this.#typesBefore, a), asObjectType(this.#typesAfter, b)];
    if (from === undefined || to === undefined) return 1;
    const names = new Set(from.members.map(({ name }) => name));
    const shared = to.members.filter(({ name }) => names.has(name)).length;
    const all = names.size + to.members.length - shared;
    return all === 0 ? 1 : shared / all;
  }
}

/** Rules by their text. */
type Rules = ReadonlyMap<string, Rule>;

/** The rules of a type, through references. */
function rulesOf(types: TypesByName, type: TypeNode): Rules {
  const rules = new Map<string, Rule>();
  const seen = new Set<TypeNode>();
  for (let inner: TypeNode | undefined = type; inner !== undefined && !seen.has(inner);) {
    seen.add(inner);
    if (inner.kind === 'refined') for (const rule of inner.rules) rules.set(JSON.stringify(rule), rule);
    inner = inner.kind === 'ref' ? types.get(inner.name) : inner.kind === 'refined' ? inner.type : undefined;
  }
  return rules;
}

import { compareText, stableStringify } from '../../read/json.js';
import { asObject, resolved, typesOf, type Types } from '../accepts.js';
import { Assignability, isAsStrict, relationOf, type Relation } from '../assignable.js';
import type {
  CatalogError,
  Constraints,
  Definition,
  Member,
  Method,
  ObjectNode,
  Protocol,
  TypeNode,
} from '../protocol.js';
import { placeOf, type Change, type Step, type Subject } from './change.js';
import { findRenames, type Rename } from './pairing.js';
import { sendersOf, sendersOfMethod } from './reach.js';
import type { RuleId } from './rules.js';

/** All differences between two revisions. */
export interface Difference {
  readonly before: Protocol;
  readonly after: Protocol;
  readonly renames: readonly Rename[];
  /** In the order of protocol, methods, errors, definitions; within each by name. */
  readonly changes: readonly Change[];
}

/** Unions that say who sends what: what stands in them is told as methods and their results. */
const DIRECTION_UNIONS: ReadonlySet<string> = new Set(
  ['Client', 'Server'].flatMap((side) => [`${side}Request`, `${side}Notification`, `${side}Result`]),
);

/** Names that the protocol keeps for itself (specification, basic, `_meta`). */
const OWN_PREFIX = /^(?:[\w-]+\.)*(?:modelcontextprotocol|mcp)(?:\.[\w-]+)*\//;

/** Least share of members that two variants have in common to be taken for one. */
const LEAST_LIKE = 0.5;

/** Annotations, which no value is held against. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['format', 'contentEncoding', 'contentMediaType']);

/**
 * Compares two revisions by structure: their methods, error codes, and definitions member by member. A definition that
 * others refer to is compared once, where it is defined.
 */
export function compareProtocols(before: Protocol, after: Protocol): Difference {
  const comparison = new Comparison(before, after);
  return { before, after, renames: comparison.renames, changes: comparison.run() };
}

type Found = Omit<Change, 'sentBy' | 'rule' | 'subject' | 'name' | 'path'>;

class Comparison {
  readonly renames: readonly Rename[];
  readonly #before: Protocol;
  readonly #after: Protocol;
  readonly #old: Types;
  readonly #new: Types;
  readonly #forward: Assignability;
  readonly #backward: Assignability;
  readonly #renamed: ReadonlyMap<string, string>;
  /** Definitions of messages and results, which methods tell of. */
  readonly #told: ReadonlySet<string>;
  readonly #extracted = new Map<string, string[]>();
  readonly #inlined = new Map<string, string[]>();
  readonly #changes: Change[] = [];
  /** Pairs of definitions that are being looked into below a place, so that recursive ones end. */
  readonly #open = new Set<string>();
  /** The definition that is being compared. */
  #name = '';

  constructor(before: Protocol, after: Protocol) {
    this.#before = before;
    this.#after = after;
    this.#old = typesOf(before);
    this.#new = typesOf(after);
    this.#forward = new Assignability(this.#old, this.#new);
    this.#backward = new Assignability(this.#new, this.#old);
    this.renames = findRenames(before, after);
    this.#renamed = new Map(this.renames.map((rename) => [rename.before, rename.after]));
    this.#told = new Set(
      [...before.methods, ...after.methods].flatMap((method) => [
        method.message,
        ...all(method),
        'Result',
        'EmptyResult',
      ]),
    );
  }

  run(): readonly Change[] {
    this.#protocol();
    this.#methods();
    this.#errors();
    this.#definitions();
    return this.#changes;
  }

  #add(rule: RuleId, subject: Subject, name: string, found: Found = {}, path: readonly Step[] = []): void {
    this.#changes.push({ rule, subject, name, path, ...found, sentBy: [] });
  }

  #protocol(): void {
    const [a, b] = [this.#before, this.#after];
    if (a.lifecycle !== b.lifecycle) {
      this.#add('lifecycle-changed', 'protocol', b.name, { before: a.lifecycle, after: b.lifecycle });
    }
    if (a.batches !== b.batches) this.#add(b.batches ? 'batches-added' : 'batches-removed', 'protocol', b.name);
  }

  #methods(): void {
    const rows = new Map(this.#before.methods.map((method) => [method.name, method]));
    const names = new Set([...rows.keys(), ...this.#after.methods.map((method) => method.name)]);
    for (const name of [...names].sort(compareText)) {
      const [a, b] = [rows.get(name), this.#after.methods.find((method) => method.name === name)];
      if (a === undefined && b !== undefined) this.#methodAdded(b);
      if (a !== undefined && b === undefined) {
        this.#change(a, 'method-removed', { before: describe(a) });
      }
      if (a !== undefined && b !== undefined) this.#method(a, b);
    }
  }

  #change(method: Method, rule: RuleId, found: Found = {}): void {
    this.#changes.push({
      rule,
      subject: 'method',
      name: method.name,
      path: [],
      ...found,
      sentBy: sendersOfMethod(method),
    });
  }

  #methodAdded(method: Method): void {
    const found = { after: describe(method) };
    if (method.kind === 'notification') this.#change(method, 'notification-added', found);
    // An embedded one is asked for where a capability was declared, as any other.
    else this.#change(method, method.capabilities.length > 0 ? 'request-added-guarded' : 'request-added', found);
  }

  #method(a: Method, b: Method): void {
    if (a.kind !== b.kind) this.#change(b, 'method-kind-changed', { before: a.kind, after: b.kind });
    const moved = directionRule(a, b);
    // Who is told of a method that is lost is the side that sent it.
    if (moved !== undefined)
      this.#change(moved === 'direction-narrowed' ? lost(a, b) : b, moved, {
        before: DIRECTIONS[a.direction],
        after: DIRECTIONS[b.direction],
      });
    this.#capabilities(a, b);
    this.#results(a, b);
    if (a.deprecated === undefined && b.deprecated !== undefined) {
      this.#change(b, 'method-deprecated', { detail: b.deprecated });
    }
    if (a.deprecated !== undefined && b.deprecated === undefined) this.#change(b, 'method-undeprecated');
  }

  #capabilities(a: Method, b: Method): void {
    // One that moved is asked of another side: the move says so.
    if (a.direction !== b.direction) return;
    const [had, has] = [a.capabilities, b.capabilities].map((list) => [...list].sort().join(', '));
    if (had === undefined || has === undefined || had === has) return;
    const rule = had === '' ? 'capability-required' : has === '' ? 'capability-dropped' : 'capability-changed';
    this.#change(b, rule, { before: had || 'none', after: has || 'none' });
  }

  #results(a: Method, b: Method): void {
    const had = all(a).map((name) => this.#renamed.get(name) ?? name);
    const has = all(b);
    const answeredBy = sendersOfMethod(b).map((side) => (side === 'client' ? 'server' : 'client'));
    const change = (rule: RuleId, found: Found): void => {
      this.#changes.push({ rule, subject: 'method', name: b.name, path: [], ...found, sentBy: answeredBy });
    };
    // Another name for what the old results hold already is no other result.
    const union = (names: readonly string[]): TypeNode => ({
      kind: 'union',
      exclusive: false,
      variants: names.map((name) => ({ kind: 'ref', name })),
    });
    for (const name of has) {
      if (had.includes(name)) continue;
      if (this.#backward.holds({ kind: 'ref', name }, union(all(a)))) continue;
      change('result-added', { after: { kind: 'ref', name } });
    }
    for (const name of all(a)) {
      if (has.includes(this.#renamed.get(name) ?? name)) continue;
      if (this.#forward.holds({ kind: 'ref', name }, union(has))) continue;
      change('result-removed', { before: { kind: 'ref', name } });
    }
  }

  #errors(): void {
    const [old, now] = [this.#before.errors, this.#after.errors];
    const text = ({ code, name }: CatalogError): string => `${code} ${name}`;
    const said = (rule: RuleId, name: string, found: Found): void => {
      this.#changes.push({ rule, subject: 'error', name, path: [], ...found, sentBy: ['client', 'server'] });
    };
    for (const error of now) {
      const named = old.find((item) => item.name === error.name);
      const coded = old.find((item) => item.code === error.code);
      if (named !== undefined && named.code !== error.code) {
        said('error-code-changed', error.name, { before: text(named), after: text(error) });
      } else if (named === undefined && coded === undefined) {
        said('error-added', error.name, { after: text(error), detail: error.summary });
      } else if (named === undefined && coded !== undefined) {
        said('error-renamed', error.name, { before: text(coded), after: text(error) });
      }
    }
    for (const error of old) {
      if (now.some((item) => item.name === error.name || item.code === error.code)) continue;
      said('error-removed', error.name, { before: text(error), detail: error.summary });
    }
  }

  #definitions(): void {
    const known = this.#changes.length;
    const old = new Map(this.#before.definitions.map((definition) => [definition.name, definition]));
    const now = new Map(this.#after.definitions.map((definition) => [definition.name, definition]));
    for (const [name, definition] of old) {
      const other = now.get(this.#renamed.get(name) ?? name);
      if (other !== undefined) this.#definition(definition, other);
    }
    const keepable = new Set(this.#after.formerNames.map(({ before }) => before));
    for (const { before, after, isKnown, evidence } of this.renames) {
      const detail = isKnown
        ? `${evidence.join('; ')}${keepable.has(before) ? '; `generate --emit default,aliases` keeps the old name, deprecated' : ''}`
        : `a guess: ${evidence.join('; ')}`;
      this.#add('definition-renamed', 'definition', after, { before, after, detail });
    }
    const renamed = new Set(this.#renamed.values());
    for (const name of now.keys()) {
      if (old.has(name) || renamed.has(name)) continue;
      const places = this.#extracted.get(name);
      const [first, ...more] = places ?? [];
      if (first === undefined) this.#add('definition-added', 'definition', name);
      else this.#add('definition-extracted', 'definition', name, { detail: `stood at ${first}${andMore(more)}` });
    }
    for (const name of old.keys()) {
      if (now.has(name) || this.#renamed.has(name)) continue;
      const [first, ...more] = this.#inlined.get(name) ?? [];
      if (first === undefined) this.#add('definition-removed', 'definition', name);
      else this.#add('definition-inlined', 'definition', name, { detail: `stands at ${first}${andMore(more)}` });
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
    // Stable: changes of one definition stay in the order in which they were found.
    this.#changes.push(...ofDefinitions.sort((a, b) => compareText(a.name, b.name)));
  }

  #definition(a: Definition, b: Definition): void {
    this.#name = b.name;
    if (a.deprecated === undefined && b.deprecated !== undefined) {
      this.#say('definition-deprecated', [], typeof b.deprecated === 'string' ? { detail: b.deprecated } : {});
    }
    this.#types(a.type, b.type, []);
  }

  #say(rule: RuleId, path: readonly Step[], found: Found = {}): void {
    this.#add(rule, 'definition', this.#name, found, path);
  }

  #isPair(a: TypeNode, b: TypeNode): boolean {
    return a.kind === 'ref' && b.kind === 'ref' && (this.#renamed.get(a.name) ?? a.name) === b.name;
  }

  #relation(a: TypeNode, b: TypeNode): Relation {
    return relationOf(this.#forward.holds(a, b), this.#backward.holds(b, a));
  }

  #types(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    if (this.#isPair(a, b)) return;
    this.#noteMoved(a, b, path);
    const pair = a.kind === 'ref' || b.kind === 'ref' ? stableStringify([refName(a), refName(b)]) : undefined;
    if (pair !== undefined) {
      if (this.#open.has(pair)) return;
      this.#open.add(pair);
    }
    this.#structures(a, b, path);
    if (pair !== undefined) this.#open.delete(pair);
  }

  #structures(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const [from, to] = [resolved(this.#old, a), resolved(this.#new, b)];
    const [fromObject, toObject] = [asObject(this.#old, from), asObject(this.#new, to)];
    if (fromObject !== undefined && toObject !== undefined) {
      this.#objects(fromObject, toObject, path);
    } else if (from.kind === 'array' && to.kind === 'array') {
      this.#constraints(from, to, path);
      this.#types(from.items, to.items, [...path, { kind: 'items' }]);
    } else if (from.kind === 'union' || to.kind === 'union') {
      this.#unions(a, b, path);
    } else if (from.kind === to.kind && 'constraints' in from && 'constraints' in to) {
      this.#constraints(from, to, path);
    } else {
      this.#wholly(a, b, path);
    }
  }

  /** Tells of a type as a whole, where its parts have nothing to be paired by. */
  #wholly(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const relation = this.#relation(a, b);
    if (relation !== 'same') this.#say(`type-${relation}`, path, { before: a, after: b });
  }

  /** Notes that an inline type got a definition of its own, or the other way round. */
  #noteMoved(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const place = (): string => placeOf({ name: this.#name, path: path.filter((step) => step.kind !== 'variant') });
    const note = (map: Map<string, string[]>, name: string): void => {
      map.set(name, [...(map.get(name) ?? []), place()]);
    };
    if (path.length === 0) return;
    if (b.kind === 'ref' && a.kind !== 'ref' && !this.#old.has(b.name) && a.kind !== 'unknown')
      note(this.#extracted, b.name);
    if (a.kind === 'ref' && b.kind !== 'ref' && !this.#new.has(a.name) && b.kind !== 'unknown')
      note(this.#inlined, a.name);
  }

  #objects(a: ObjectNode, b: ObjectNode, path: readonly Step[]): void {
    const old = new Map(a.members.map((member) => [member.name, member]));
    const now = new Map(b.members.map((member) => [member.name, member]));
    const isMessage =
      path.length === 0 && old.has('method') && now.has('method') && old.has('jsonrpc') !== now.has('jsonrpc');
    const envelope = !isMessage ? [] : ['jsonrpc', 'id'].filter((name) => old.has(name) !== now.has(name));
    if (envelope.length > 0) {
      const list = envelope.join(' and ');
      this.#say('envelope-declared', path, {
        detail: now.has('jsonrpc') ? `now has ${list}` : `no longer has ${list}`,
      });
    }
    for (const name of [...new Set([...old.keys(), ...now.keys()])].sort(compareText)) {
      if (envelope.includes(name)) continue;
      const at: readonly Step[] = [...path, { kind: 'member', name }];
      const [from, to] = [old.get(name), now.get(name)];
      if (from === undefined && to !== undefined) this.#memberAdded(a, to, at);
      if (from !== undefined && to === undefined) this.#memberRemoved(from, b, at);
      if (from !== undefined && to !== undefined) this.#member(from, to, at);
    }
    this.#rest(a.rest, b.rest, path);
    this.#constraints(a, b, path);
  }

  #memberAdded({ rest }: ObjectNode, member: Member, path: readonly Step[]): void {
    const found = { after: member.type };
    if (member.required) this.#say('member-added-required', path, found);
    else if (rest !== undefined && !this.#forward.holds(rest, member.type)) {
      const isOwn = OWN_PREFIX.test(member.name);
      this.#say(isOwn ? 'member-added-own' : 'member-added-reserved', path, { before: rest, after: member.type });
    } else this.#say('member-added-optional', path, found);
  }

  #memberRemoved(member: Member, { rest }: ObjectNode, path: readonly Step[]): void {
    const found = { before: member.type };
    const isAllowed = rest === undefined || this.#forward.holds(member.type, rest);
    if (member.required) this.#say('member-removed-required', path, found);
    else if (isAllowed) this.#say('member-removed-optional', path, found);
    if (!isAllowed) this.#say('member-forbidden', path, found);
  }

  #member(a: Member, b: Member, path: readonly Step[]): void {
    if (a.required !== b.required) {
      this.#say(b.required ? 'member-required' : 'member-optional', path, { after: b.type });
    }
    if (a.deprecated === undefined && b.deprecated !== undefined) {
      this.#say('member-deprecated', path, typeof b.deprecated === 'string' ? { detail: b.deprecated } : {});
    }
    const [had, has] = [a.defaultValue, b.defaultValue].map((value) =>
      value === undefined ? undefined : stableStringify(value),
    );
    if (had !== has) {
      const rule = had === undefined ? 'default-added' : has === undefined ? 'default-removed' : 'default-changed';
      this.#say(rule, path, {
        ...(had === undefined ? {} : { before: had }),
        ...(has === undefined ? {} : { after: has }),
      });
    }
    this.#types(a.type, b.type, path);
  }

  /** Members of other names. To say nothing of them and to allow any value for them is the same. */
  #rest(a: TypeNode | undefined, b: TypeNode | undefined, path: readonly Step[]): void {
    const [open, openNow] = [a, b].map((type) => type === undefined || type.kind === 'unknown');
    if (open === true && openNow === true) return;
    const at: readonly Step[] = [...path, { kind: 'rest' }];
    if (open !== true && openNow !== true && a !== undefined && b !== undefined) {
      this.#types(a, b, at);
      return;
    }
    const relation = this.#relation(a ?? { kind: 'unknown' }, b ?? { kind: 'unknown' });
    if (relation === 'same') return;
    this.#say(relation === 'narrowed' ? 'rest-narrowed' : 'rest-widened', at, {
      before: a ?? { kind: 'unknown' },
      after: b ?? { kind: 'unknown' },
    });
  }

  #constraints(a: { constraints: Constraints }, b: { constraints: Constraints }, path: readonly Step[]): void {
    for (const key of [...new Set([...Object.keys(a.constraints), ...Object.keys(b.constraints)])].sort(compareText)) {
      const [had, has] = [a.constraints[key], b.constraints[key]];
      if (stableStringify(had ?? null) === stableStringify(has ?? null)) continue;
      const found = {
        ...(had === undefined ? {} : { before: `${key} ${show(had)}` }),
        ...(has === undefined ? {} : { after: `${key} ${show(has)}` }),
      };
      if (ANNOTATIONS.has(key)) {
        this.#say('format-changed', path, found);
        continue;
      }
      const one = (value: Constraints[string] | undefined): Constraints =>
        value === undefined ? {} : { [key]: value };
      const relation = relationOf(isAsStrict(one(had), one(has)), isAsStrict(one(has), one(had)));
      if (relation === 'same') continue;
      const verdict = { widened: 'loosened', narrowed: 'tightened', changed: 'changed' } as const;
      this.#say(`constraint-${verdict[relation]}`, path, found);
    }
  }

  #unions(a: TypeNode, b: TypeNode, path: readonly Step[]): void {
    const [old, now] = [flatVariants(this.#old, a, this.#new), flatVariants(this.#new, b, this.#old)];
    const isDirection = path.length === 0 && DIRECTION_UNIONS.has(this.#name);
    const isTold = (type: TypeNode): boolean => isDirection && type.kind === 'ref' && this.#told.has(type.name);
    if (old.every(isTold) && now.every(isTold)) return;
    const pairs = this.#pairs(old, now);
    if (pairs.length === 0) {
      this.#wholly(a, b, path);
      return;
    }
    const paired = { old: new Set(pairs.map(([index]) => index)), now: new Set(pairs.map(([, index]) => index)) };
    for (const [before, after] of pairs) {
      const [from, to] = [old[before], now[after]];
      if (from === undefined || to === undefined) continue;
      this.#types(from, to, [...path, { kind: 'variant', before, after, label: labelOf(this.#new, to) }]);
    }
    now.forEach((type, index) => {
      if (paired.now.has(index) || isTold(type) || this.#backward.holds(type, a)) return;
      this.#say(type.kind === 'literal' ? 'value-added' : 'variant-added', path, { after: type });
    });
    old.forEach((type, index) => {
      if (paired.old.has(index) || isTold(type) || this.#forward.holds(type, b)) return;
      this.#say(type.kind === 'literal' ? 'value-removed' : 'variant-removed', path, { before: type });
    });
  }

  /** The variants of two unions that belong together, by index: the surest ways to tell first. */
  #pairs(old: readonly TypeNode[], now: readonly TypeNode[]): readonly (readonly [number, number])[] {
    const pairs: [number, number][] = [];
    const taken = { old: new Set<number>(), now: new Set<number>() };
    const pairUp = (belong: (a: TypeNode, b: TypeNode) => boolean): void => {
      const candidates = [...old.entries()].flatMap(([i, a]) =>
        [...now.entries()].flatMap(([j, b]) =>
          taken.old.has(i) || taken.now.has(j) || !belong(a, b) ? [] : [{ i, j, score: this.#likeness(a, b) }],
        ),
      );
      // Stable: where two are as like, the order of the schema decides.
      for (const { i, j } of candidates.sort((a, b) => b.score - a.score)) {
        if (taken.old.has(i) || taken.now.has(j)) continue;
        taken.old.add(i);
        taken.now.add(j);
        pairs.push([i, j]);
      }
    };
    const [from, to] = [(type: TypeNode) => asObject(this.#old, type), (type: TypeNode) => asObject(this.#new, type)];
    pairUp((a, b) => this.#isPair(a, b));
    pairUp((a, b) => a.kind === 'literal' && b.kind === 'literal' && a.value === b.value);
    pairUp((a, b) => a.kind !== 'literal' && b.kind !== 'literal' && this.#relation(a, b) === 'same');
    pairUp((a, b) => sharesLiteral(from(a), to(b)));
    pairUp((a, b) => {
      const kind = kindOf(this.#old, a);
      if (kind === 'literal' || kind !== kindOf(this.#new, b) || literalsDiffer(from(a), to(b))) return false;
      return kind !== 'object' || this.#likeness(a, b) >= LEAST_LIKE;
    });
    return pairs.sort(([a], [b]) => a - b);
  }

  /** The share of members that two objects have by the same name; 1 for what is no object. */
  #likeness(a: TypeNode, b: TypeNode): number {
    const [from, to] = [asObject(this.#old, a), asObject(this.#new, b)];
    if (from === undefined || to === undefined) return 1;
    const names = new Set(from.members.map(({ name }) => name));
    const shared = to.members.filter(({ name }) => names.has(name)).length;
    const all = names.size + to.members.length - shared;
    return all === 0 ? 1 : shared / all;
  }
}

/** The variants of a union, inline unions in it taken apart, and so are those that only one revision gave a name. */
export function flatVariants(types: Types, type: TypeNode, others: Types): readonly TypeNode[] {
  if (type.kind === 'ref') {
    const target = resolved(types, type);
    return target.kind === 'union' ? flatVariants(types, target, others) : [type];
  }
  if (type.kind !== 'union') return [type];
  return type.variants.flatMap((variant) => {
    const isNamedHereOnly = variant.kind === 'ref' && !others.has(variant.name);
    if (variant.kind === 'union' || (isNamedHereOnly && resolved(types, variant).kind === 'union')) {
      return flatVariants(types, variant, others);
    }
    return [variant];
  });
}

function refName(type: TypeNode): string {
  return type.kind === 'ref' ? type.name : stableStringify(type as never);
}

/** Integers are numbers when variants are paired. */
function kindOf(types: Types, type: TypeNode): string {
  const { kind } = resolved(types, type);
  if (asObject(types, type) !== undefined) return 'object';
  return kind === 'integer' ? 'number' : kind;
}

function literals(type: ObjectNode | undefined): ReadonlyMap<string, unknown> {
  return new Map(
    (type?.members ?? []).flatMap(({ name, required, type: own }) =>
      required && own.kind === 'literal' && name !== 'jsonrpc' ? [[name, own.value] as const] : [],
    ),
  );
}

function sharesLiteral(a: ObjectNode | undefined, b: ObjectNode | undefined): boolean {
  const [old, now] = [literals(a), literals(b)];
  return !literalsDiffer(a, b) && [...old].some(([name, value]) => now.has(name) && now.get(name) === value);
}

function literalsDiffer(a: ObjectNode | undefined, b: ObjectNode | undefined): boolean {
  const [old, now] = [literals(a), literals(b)];
  return [...old].some(([name, value]) => now.has(name) && now.get(name) !== value);
}

/** What tells a variant apart, for a reader. */
function labelOf(types: Types, type: TypeNode): string {
  if (type.kind === 'ref') return type.name;
  const [literal] = literals(asObject(types, type));
  if (literal !== undefined) return `${literal[0]} ${JSON.stringify(literal[1])}`;
  return type.kind;
}

/** A method as the side sends it that may send it no longer. */
function lost(a: Method, b: Method): Method {
  return { ...a, direction: b.direction === 'clientToServer' ? 'serverToClient' : 'clientToServer' };
}

const DIRECTIONS = {
  clientToServer: 'sent by the client',
  serverToClient: 'sent by the server',
  both: 'sent by either side',
  embedded: 'inside results',
} as const;

function directionRule(a: Method, b: Method): RuleId | undefined {
  if (a.direction === b.direction) return undefined;
  if (b.direction === 'embedded') return 'method-embedded';
  if (a.direction === 'embedded') return 'method-unembedded';
  if (b.direction === 'both') return 'direction-widened';
  return a.direction === 'both' ? 'direction-narrowed' : 'direction-turned';
}

function describe(method: Method): string {
  return `${method.kind}, ${DIRECTIONS[method.direction]}`;
}

function all({ results, taskResult }: Method): readonly string[] {
  return taskResult === undefined ? results : [...results, taskResult];
}

function andMore(places: readonly string[]): string {
  return places.length === 0 ? '' : ` and ${places.length} more`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

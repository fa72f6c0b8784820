import type { ts } from 'ts-morph';
import type { Member, ObjectNode, TypeNode } from '../model/protocol.js';
import { memberName } from '../print/names.js';
import { printType, type TypePrinter } from '../print/type.js';
import { isAnyJson, ourShape, ourTags, type Definitions, type OurShape, type OurVariant } from './our-shape.js';
import type { DriftKind, EquivalenceId } from './report.js';
import { compareTags, compareScalars, acceptsAllScalars, SCALAR_KINDS } from './shape.js';
import {
  isErrorType,
  isFunction,
  theirShape,
  theirTags,
  type Compiler,
  type TheirShape,
  type TheirTypes,
} from './their-shape.js';

/** A text that is built on demand: most differences are discarded while variants are matched. */
type LazyText = () => string;

/** A difference, with its path from the compared type. */
export interface TypeDifference {
  readonly kind: DriftKind;
  readonly path: string;
  readonly theirs: LazyText;
  readonly ours: LazyText;
  readonly detail?: LazyText;
  /** Whether a member of only one side is required there. */
  readonly isRequired?: boolean;
  /** The innermost definition that contains it, and the path from there; absent in the compared definition itself. */
  readonly origin?: { readonly definition: string; readonly path: string };
}

/** Options of {@link TypeComparison}. */
export interface ComparisonInput {
  readonly compiler: Compiler;
  readonly checker: ts.TypeChecker;
  readonly definitions: Definitions;
  /** Definitions that have a method: packages define their `jsonrpc` and `id` separately. */
  readonly messages: ReadonlySet<string>;
  /** The exported type of a definition, which identifies a variant of a union of theirs. */
  readonly exported: (definition: string) => ts.Type | undefined;
  readonly printer: TypePrinter;
  readonly exact: boolean;
}

/** The maximum length of a type in a report: the path already shows where the two differ. */
const MAX_TYPE_TEXT_LENGTH = 100;
/** Nesting of one definition at which a type that expands without end is given up. */
const MAX_NESTING = 12;
/** Above this many pairs of variants, only those with the same discriminating member are compared. */
const MAX_PAIRS = 20_000;
/** Most variants that a report lists by name. */
const MAX_LISTED_TYPES = 8;

const MISSING: LazyText = () => 'missing';
const OPTIONAL: LazyText = () => 'optional';
const REQUIRED: LazyText = () => 'required';

const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id']);

/** Two variants that may correspond, by their indexes. */
interface Pair {
  readonly ours: number;
  readonly theirs: number;
  readonly found: readonly TypeDifference[];
  readonly cost: number;
}

/** Compares types of a program with types of the protocol, and counts what it treats as equal. */
export class TypeComparison {
  readonly #input: ComparisonInput;
  readonly #types: TheirTypes;
  readonly #results = new Map<string, Map<ts.Type, readonly TypeDifference[]>>();
  readonly #nesting = new Map<string, number>();
  readonly #equivalences = new Map<EquivalenceId, number>();

  constructor(input: ComparisonInput) {
    this.#input = input;
    this.#types = {
      compiler: input.compiler,
      checker: input.checker,
      recordEquivalence: (id) => this.#recordEquivalence(id),
    };
  }

  /** What was treated as equal, and how often. */
  get equivalences(): ReadonlyMap<EquivalenceId, number> {
    return this.#equivalences;
  }

  /** Compares one of their types with a definition; paths start at the definition. */
  compare(theirs: ts.Type, definition: string): readonly TypeDifference[] {
    let known = this.#results.get(definition);
    if (known === undefined) this.#results.set(definition, (known = new Map<ts.Type, readonly TypeDifference[]>()));
    const earlier = known.get(theirs);
    if (earlier !== undefined) return earlier;
    const nesting = this.#nesting.get(definition) ?? 0;
    if (nesting > MAX_NESTING) return [];
    // A recursive type is the same unless something else in it differs.
    known.set(theirs, []);
    this.#nesting.set(definition, nesting + 1);
    const found = this.#compareNode(theirs, this.#input.definitions.get(definition) ?? { kind: 'unknown' }, definition);
    this.#nesting.set(definition, nesting);
    known.set(theirs, found);
    return found;
  }

  #compareReference(theirs: ts.Type, definition: string): readonly TypeDifference[] {
    return this.compare(theirs, definition).map((difference) => ({
      ...difference,
      origin: difference.origin ?? { definition, path: difference.path },
    }));
  }

  /** Compares with a type of the protocol; `owner` is the definition whose own type it is. */
  #compareNode(theirs: ts.Type, node: TypeNode, owner?: string): readonly TypeDifference[] {
    if (node.kind === 'ref') return this.#compareReference(theirs, node.name);
    const ours = ourShape(node, this.#input.definitions);
    const them = theirShape(theirs, this.#types);
    const texts = { path: '', theirs: () => this.#theirText(theirs), ours: () => this.#ourText(node) };
    if (them.top === 'any' || them.top === 'unresolved') return [{ kind: them.top, ...texts }];
    if (ours.isUnknown) {
      const isSame = them.top === 'unknown' || (this.#isTheirAnyJson(them) && this.#recordEquivalence('json-values'));
      return isSame ? [] : [{ kind: 'narrower', ...texts }];
    }
    if (them.top === 'unknown') {
      return isAnyJson(ours) && this.#recordEquivalence('json-values') ? [] : [{ kind: 'wider', ...texts }];
    }
    const lacks: LazyText[] = [];
    const adds: LazyText[] = [];
    for (const kind of SCALAR_KINDS) {
      const scalars = compareScalars(kind, ours.scalars.get(kind), them.scalars.get(kind));
      lacks.push(...scalars.lacks.map((text) => () => text));
      adds.push(...scalars.adds.map((text) => () => text));
    }
    adds.push(...them.others.map((type) => () => this.#theirText(type)));
    const arrays = matchVariants(ours.arrays, them.arrays, (type, { node: array }) =>
      this.#compareArray(type, array.items),
    );
    const objects = this.#compareObjects(ours, them, owner);
    lacks.push(...arrays.lacks.map(() => () => 'an array'));
    lacks.push(...objects.lacks.map((variant) => () => this.#variantName(variant)));
    adds.push(...arrays.adds.map((type) => () => (ours.arrays.length === 0 ? 'an array' : this.#theirText(type))));
    adds.push(...objects.adds.map((type) => () => this.#variantText(type, ours)));
    const inside = [
      ...arrays.pairs.flatMap(({ found }) => found),
      ...objects.pairs.flatMap(({ ours: index, found }) => {
        const variant = ours.objects.length > 1 ? ours.objects[index] : undefined;
        return withPrefix(variant === undefined ? '' : `<${this.#variantName(variant)}>`, found);
      }),
    ];
    if (lacks.length + adds.length === 0) return inside;
    const detail = (): string =>
      [
        ...(lacks.length === 0 ? [] : [`theirs lacks ${joinLazy(lacks)}`]),
        ...(adds.length === 0 ? [] : [`theirs also allows ${joinLazy(adds)}`]),
      ].join(', ');
    return [
      {
        kind: adds.length === 0 ? 'narrower' : lacks.length === 0 ? 'wider' : 'different',
        ...texts,
        // Two simple types need no description of how they differ.
        ...(isScalarOnly(ours) && isScalarOnly(them) ? {} : { detail }),
      },
      ...inside,
    ];
  }

  #compareObjects(ours: OurShape, theirs: TheirShape, owner: string | undefined): Matching<OurVariant<ObjectNode>> {
    const { definitions } = this.#input;
    const compare = (type: ts.Type, { node, name }: OurVariant<ObjectNode>): readonly TypeDifference[] =>
      name === undefined ? this.#compareObject(type, node, owner) : this.#compareReference(type, name);
    const ourSide = ours.objects.map(({ node }) => ourTags(node, definitions));
    const members = new Set(ourSide.flatMap((tags) => [...tags.keys()]));
    const theirSide = theirs.objects.map((type) => theirTags(type, members, this.#types));
    return matchVariants(ours.objects, theirs.objects, compare, (ourIndex, theirIndex) => {
      const byTags = compareTags(ourSide[ourIndex] ?? new Map(), theirSide[theirIndex] ?? new Map());
      const [variant, type] = [ours.objects[ourIndex], theirs.objects[theirIndex]];
      if (byTags !== 'silent' || variant?.name === undefined || type === undefined) return byTags;
      return this.#isExported(variant.name, type) ? 'agree' : byTags;
    });
  }

  /** Whether a type is the exported type of a definition, or an inline copy. */
  #isExported(definition: string, type: ts.Type): boolean {
    const exported = this.#input.exported(definition);
    if (exported === undefined || exported === type) return exported === type;
    const { checker } = this.#input;
    return checker.isTypeAssignableTo(type, exported) && checker.isTypeAssignableTo(exported, type);
  }

  #compareArray(theirs: ts.Type, items: TypeNode): readonly TypeDifference[] {
    const { checker, compiler } = this.#input;
    const texts = { path: '', theirs: () => this.#theirText(theirs), ours: () => `${this.#ourText(items)}[]` };
    const isTuple = checker.isTupleType(theirs);
    const isReadonly = isTuple
      ? ((theirs as ts.TypeReference).target as ts.TupleType).readonly
      : theirs.getSymbol()?.name === 'ReadonlyArray';
    const item = checker.getIndexTypeOfType(theirs, compiler.IndexKind.Number);
    const theirItems = isTuple
      ? checker.getTypeArguments(theirs as ts.TypeReference)
      : item === undefined
        ? []
        : [item];
    return [
      ...(isReadonly && !this.#recordEquivalence('readonly') ? [{ kind: 'wider', ...texts } as const] : []),
      ...(isTuple ? [{ kind: 'narrower', ...texts, detail: () => 'theirs has a fixed number of items' } as const] : []),
      ...[...new Set(theirItems)].flatMap((type) => withPrefix('[]', this.#compareNode(type, items))),
    ];
  }

  /** Compares two object types member by member. */
  #compareObject(theirs: ts.Type, ours: ObjectNode, owner: string | undefined): readonly TypeDifference[] {
    const symbols = new Map(
      this.#input.checker
        .getPropertiesOfType(theirs)
        .filter((symbol) => this.#isSerialized(symbol))
        .map((symbol) => [symbol.name, symbol]),
    );
    const isMessage = owner !== undefined && this.#input.messages.has(owner);
    const isEnvelope = (name: string): boolean =>
      isMessage && ENVELOPE_MEMBERS.has(name) && this.#recordEquivalence('envelope');
    const names = new Set(ours.members.map(({ name }) => name));
    return [
      ...ours.members.flatMap((member) => {
        const symbol = symbols.get(member.name);
        if (symbol !== undefined) return this.#compareMember(symbol, member);
        return isEnvelope(member.name) ? [] : [this.#missingMember(member)];
      }),
      ...[...symbols].flatMap(([name, symbol]) =>
        names.has(name) || isEnvelope(name) ? [] : this.#extraMember(symbol, ours),
      ),
      ...this.#compareRest(theirs, ours, symbols.size),
    ];
  }

  #missingMember({ name, required, type }: Member): TypeDifference {
    const ours = (): string => optionality(this.#ourText(type), !required);
    return { kind: 'missing', path: formatStep(name), theirs: MISSING, ours, isRequired: required };
  }

  #extraMember(symbol: ts.Symbol, ours: ObjectNode): readonly TypeDifference[] {
    const type = this.#input.checker.getTypeOfSymbol(symbol);
    const shape = theirShape(type, this.#types);
    const isNever =
      shape.top === undefined &&
      shape.scalars.size + shape.arrays.length + shape.objects.length + shape.others.length === 0;
    // `x?: never` means that there is no such member.
    if (isNever) return [];
    const isOptional = this.#isOptional(symbol, type);
    if (isOptional && indexTypeOf(ours)?.kind === 'unknown' && this.#recordEquivalence('open-members')) return [];
    const theirs = (): string => optionality(this.#theirText(type), isOptional);
    return [{ kind: 'extra', path: formatStep(symbol.name), theirs, ours: MISSING, isRequired: !isOptional }];
  }

  #compareMember(symbol: ts.Symbol, { name, required, type }: Member): readonly TypeDifference[] {
    const theirs = this.#input.checker.getTypeOfSymbol(symbol);
    const isOptional = this.#isOptional(symbol, theirs);
    const found: TypeDifference[] = [];
    if (isOptional === required) {
      const [theirWord, ourWord] = isOptional ? [OPTIONAL, REQUIRED] : [REQUIRED, OPTIONAL];
      found.push({ kind: isOptional ? 'wider' : 'narrower', path: formatStep(name), theirs: theirWord, ours: ourWord });
    }
    if (this.#isReadonly(symbol) && !this.#recordEquivalence('readonly')) {
      const text = (): string => this.#ourText(type);
      found.push({ kind: 'wider', path: formatStep(name), theirs: () => `readonly ${text()}`, ours: text });
    }
    return [...found, ...withPrefix(formatStep(name), this.#compareNode(theirs, type))];
  }

  /** Compares the types of members beyond the named ones. */
  #compareRest(theirs: ts.Type, ours: ObjectNode, members: number): readonly TypeDifference[] {
    const rest = indexTypeOf(ours);
    const index = this.#indexType(theirs);
    if (ours.members.length === 0 && members === 0 && (rest === undefined || rest.kind === 'unknown')) {
      return this.#compareAnyObject(theirs, ours, index);
    }
    if (rest === undefined) {
      if (index === undefined || this.#recordEquivalence('open-objects')) return [];
      return [{ kind: 'wider', path: '[key]', theirs: () => this.#theirText(index), ours: MISSING }];
    }
    if (index !== undefined) return withPrefix('[key]', this.#compareNode(index, rest));
    // `object` and `{}` accept any member.
    const takesAll = members === 0;
    const texts = { path: '[key]', theirs: takesAll ? () => 'unknown' : MISSING, ours: () => this.#ourText(rest) };
    return [{ kind: takesAll ? 'wider' : 'narrower', ...texts }];
  }

  /** Compares two objects without named members, of which ours allows any value. */
  #compareAnyObject(theirs: ts.Type, ours: ObjectNode, index: ts.Type | undefined): readonly TypeDifference[] {
    const found = index === undefined ? [] : withPrefix('[key]', this.#compareNode(index, { kind: 'unknown' }));
    const isSame = (index === undefined) === (indexTypeOf(ours) === undefined);
    if (found.length > 0 || isSame || this.#recordEquivalence('any-object')) return found;
    return [{ kind: 'different', path: '', theirs: () => this.#theirText(theirs), ours: () => this.#ourText(ours) }];
  }

  #indexType(type: ts.Type): ts.Type | undefined {
    const infos = this.#input.checker.getIndexInfosOfType(type);
    const isString = ({ keyType }: ts.IndexInfo): boolean =>
      (keyType.flags & this.#input.compiler.TypeFlags.String) !== 0;
    return (infos.find(isString) ?? infos[0])?.type;
  }

  /** Whether a member can be part of a JSON object. */
  #isSerialized(symbol: ts.Symbol): boolean {
    const { compiler, checker } = this.#input;
    // Members with symbols as names.
    if (symbol.escapedName.toString().startsWith('__@')) return !this.#recordEquivalence('functions');
    const hidden = compiler.ModifierFlags.Private | compiler.ModifierFlags.Protected;
    const isHidden = (item: ts.Declaration): boolean => (compiler.getCombinedModifierFlags(item) & hidden) !== 0;
    if (symbol.escapedName.toString().startsWith('__#') || symbol.declarations?.some(isHidden) === true) return false;
    return !(isFunction(checker.getTypeOfSymbol(symbol), compiler) && this.#recordEquivalence('functions'));
  }

  #isReadonly(symbol: ts.Symbol): boolean {
    const { compiler } = this.#input;
    return (
      symbol.declarations?.some(
        (item) => (compiler.getCombinedModifierFlags(item) & compiler.ModifierFlags.Readonly) !== 0,
      ) === true
    );
  }

  #isOptional(symbol: ts.Symbol, type: ts.Type): boolean {
    const { compiler } = this.#input;
    if ((symbol.flags & compiler.SymbolFlags.Optional) !== 0) return true;
    const parts = type.isUnion() ? type.types : [type];
    const hasUndefined = parts.some(({ flags }) => (flags & compiler.TypeFlags.Undefined) !== 0);
    return hasUndefined && this.#recordEquivalence('undefined');
  }

  /** Records a use of an equivalence; false if the comparison is exact. */
  #recordEquivalence(id: EquivalenceId): boolean {
    if (this.#input.exact) return false;
    this.#equivalences.set(id, (this.#equivalences.get(id) ?? 0) + 1);
    return true;
  }

  /** What a variant is called in a path: its definition, else the value that identifies it. */
  #variantName({ node, name }: OurVariant<ObjectNode>): string {
    if (name !== undefined) return name;
    const [tag] = ourTags(node, this.#input.definitions);
    return tag === undefined
      ? `{ ${node.members.map((member) => member.name).join(', ')} }`
      : `${tag[0]}: ${[...tag[1]].map((value) => JSON.stringify(value)).join(' | ')}`;
  }

  /** Whether their type allows any JSON value. */
  #isTheirAnyJson({ scalars, arrays, objects }: TheirShape): boolean {
    return (
      SCALAR_KINDS.every((kind) => acceptsAllScalars(kind, scalars.get(kind))) &&
      arrays.length > 0 &&
      objects.some((type) => this.#indexType(type) !== undefined)
    );
  }

  /** A short form of a variant of theirs: the member that identifies it, else its required members. */
  #variantText(type: ts.Type, ours: OurShape): string {
    const { checker, compiler, definitions } = this.#input;
    const alias = type.aliasSymbol?.name;
    if (alias !== undefined) return alias;
    const members = new Set(ours.objects.flatMap(({ node }) => [...ourTags(node, definitions).keys()]));
    const [tag] = theirTags(type, members, this.#types);
    if (tag?.[1].size === 1) return `${tag[0]}: ${JSON.stringify([...tag[1]][0])}`;
    const required = checker
      .getPropertiesOfType(type)
      .filter((symbol) => (symbol.flags & compiler.SymbolFlags.Optional) === 0);
    return required.length === 0
      ? this.#theirText(type)
      : truncateType(`{ ${required.map(({ name }) => name).join(', ')} }`);
  }

  #theirText(type: ts.Type): string {
    const text = isErrorType(type) ? 'an unresolved type' : this.#input.checker.typeToString(type);
    // Whether a member is optional is reported separately from its type.
    return truncateType(this.#input.exact ? text : text.replace(/ \| undefined$/, ''));
  }

  #ourText(node: TypeNode): string {
    return truncateType(printType(node, this.#input.printer).replace(/\/\*\*.*?\*\//gs, ''));
  }
}

/** How the variants of two unions correspond. */
interface Matching<Ours> {
  readonly pairs: readonly Pair[];
  readonly lacks: readonly Ours[];
  readonly adds: readonly ts.Type[];
}

/**
 * Finds for each variant of ours the corresponding one of theirs: by a discriminating member, else by the fewest
 * differences.
 */
function matchVariants<Ours>(
  ours: readonly Ours[],
  theirs: readonly ts.Type[],
  compare: (theirs: ts.Type, ours: Ours) => readonly TypeDifference[],
  tagged: (ours: number, theirs: number) => 'agree' | 'conflict' | 'silent' = () => 'silent',
): Matching<Ours> {
  const isSingle = ours.length === 1 && theirs.length === 1;
  const candidates: Pair[] = [];
  theirs.forEach((type, theirIndex) => {
    ours.forEach((variant, ourIndex) => {
      const tag = tagged(ourIndex, theirIndex);
      if (!isSingle && (tag === 'conflict' || (tag === 'silent' && ours.length * theirs.length > MAX_PAIRS))) return;
      const found = compare(type, variant);
      // Without a discriminating member, a required member of only one variant means that they do not correspond.
      const isTorn = found.some(({ path, isRequired }) => isRequired === true && isSingleStep(path));
      if (!isSingle && isTorn && tag !== 'agree' && ours.length > 1) return;
      candidates.push({
        ours: ourIndex,
        theirs: theirIndex,
        found,
        cost: found.length + (isTorn && tag !== 'agree' ? 100 : 0),
      });
    });
  });
  candidates.sort((a, b) => a.cost - b.cost || a.ours - b.ours || a.theirs - b.theirs);
  const byOurs = new Map<number, Pair>();
  const byTheirs = new Map<number, Pair>();
  for (const pair of candidates) {
    if (byOurs.has(pair.ours) || byTheirs.has(pair.theirs)) continue;
    byOurs.set(pair.ours, pair);
    byTheirs.set(pair.theirs, pair);
  }
  // One of theirs may correspond to several of ours, and vice versa.
  const isWithin = (kind: DriftKind, matches: (pair: Pair) => boolean): boolean =>
    candidates.some((pair) => matches(pair) && pair.found.every((difference) => difference.kind === kind));
  return {
    pairs: [...byOurs.values()].sort((a, b) => a.ours - b.ours),
    lacks: ours.filter((_, index) => !byOurs.has(index) && !isWithin('wider', (pair) => pair.ours === index)),
    adds: theirs.filter((_, index) => !byTheirs.has(index) && !isWithin('narrower', (pair) => pair.theirs === index)),
  };
}

function withPrefix(prefix: string, differences: readonly TypeDifference[]): readonly TypeDifference[] {
  return prefix === '' ? differences : differences.map((item) => ({ ...item, path: prefix + item.path }));
}

/** The type of members beyond the named ones; undefined if none are allowed. */
function indexTypeOf({ members, rest, shape }: ObjectNode): TypeNode | undefined {
  if (rest === undefined) return members.length === 0 && shape === 'map' ? { kind: 'unknown' } : undefined;
  return rest.kind === 'never' ? undefined : rest;
}

/** A member name as a step of a path. */
function formatStep(name: string): string {
  const printed = memberName(name);
  return printed === name ? `.${name}` : `[${printed}]`;
}

function isSingleStep(path: string): boolean {
  return /^(?:\.[^.[<]+|\["(?:[^"\\]|\\.)*"\])$/.test(path);
}

function isScalarOnly(shape: OurShape | TheirShape): boolean {
  const scalars = [...shape.scalars.values()].reduce((sum, { values }) => sum + Math.max(values.size, 1), 0);
  const others = 'others' in shape ? shape.others.length : 0;
  return scalars + shape.arrays.length + shape.objects.length + others <= 1;
}

function optionality(text: string, isOptional: boolean): string {
  return isOptional ? `${text} (optional)` : text;
}

function joinLazy(items: readonly LazyText[]): string {
  const shown = [...new Set(items.map((item) => item()))];
  const more = shown.length - MAX_LISTED_TYPES;
  return more > 0 ? `${shown.slice(0, MAX_LISTED_TYPES).join(', ')} and ${more} more` : shown.join(', ');
}

function truncateType(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_TYPE_TEXT_LENGTH ? `${line.slice(0, MAX_TYPE_TEXT_LENGTH - 3)}...` : line;
}

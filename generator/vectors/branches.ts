/** The branches of unions: which of them a value is meant for, and how vectors name them. */
import type { TypeNode } from '../model/protocol.js';
import { discriminate, jsonKinds, type JsonKind } from '../model/types/discriminate.js';
import type { TypeLookup } from '../model/types/references.js';
import { isObject, ownMember, type JsonValue } from '../read/json/json.js';

/** Which variants of a union a value can be meant for. */
export class Branches {
  /** The member that tells the variants that are objects apart. */
  readonly tag: string | undefined;
  readonly #cases: ReadonlyMap<unknown, readonly number[]>;
  readonly #kinds: readonly (ReadonlySet<JsonKind> | undefined)[];

  constructor(variants: readonly TypeNode[], lookup: TypeLookup) {
    this.#kinds = variants.map((variant) => jsonKinds(variant, lookup));
    const objects = variants.filter((_, index) => this.#kinds[index]?.has('object') ?? true);
    const found = objects.length > 1 ? discriminate(objects, lookup) : undefined;
    this.tag = found?.member;
    this.#cases = found?.cases ?? new Map<unknown, readonly number[]>();
  }

  /** Whether one variant only can be meant. */
  areToldApart(value: JsonValue): boolean {
    const kind: JsonKind = value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as JsonKind);
    const matching = this.#kinds.filter((kinds) => kinds?.has(kind) ?? true);
    if (matching.length < 2) return true;
    const tag = isObject(value) && this.tag !== undefined ? ownMember(value, this.tag) : undefined;
    return tag !== undefined && this.#cases.get(tag)?.length === 1;
  }

  /** The values of the tag of a variant among those that are objects. */
  tagsOf(index: number): readonly unknown[] {
    const position = this.#kinds.slice(0, index).filter((kinds) => kinds?.has('object') ?? true).length;
    return [...this.#cases].filter(([, own]) => own.includes(position)).map(([tag]) => tag);
  }
}

/** What vectors of a variant are named by. */
export function variantLabel(variant: TypeNode, index: number, branches: Branches, all: readonly TypeNode[]): string {
  if (variant.kind === 'ref') return `is-${variant.name}`;
  const [tag, second] = branches.tagsOf(index);
  if (variant.kind === 'object' && typeof tag === 'string' && second === undefined) return `is-${labelOf(tag)}`;
  if (variant.kind === 'literal') return `is-${labelOf(String(variant.value))}`;
  const isOnly = all.filter((other) => other.kind === variant.kind).length === 1;
  return isOnly ? `is-${variant.kind}` : `is-${variant.kind}${index + 1}`;
}

/** A token as a part of a name: without slashes, which separate parts. */
export function labelOf(token: string): string {
  return token === '' ? 'empty' : token.replaceAll('/', '.');
}

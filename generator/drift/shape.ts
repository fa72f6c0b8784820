import type { JsonValue } from '../read/json/json.js';

/** A JSON value that is neither object nor array. */
export type Scalar = string | number | boolean | null;

export const SCALAR_KINDS = ['string', 'number', 'boolean', 'null'] as const;

/** A kind of {@link Scalar}. */
export type ScalarKind = (typeof SCALAR_KINDS)[number];

/** The scalars of one kind that a type allows. */
export interface Scalars {
  all: boolean;
  /** Types of strings that cannot be enumerated: template literals. */
  readonly patterns: ((value: string) => boolean)[];
  readonly values: Set<Scalar>;
}

/** The scalars that a type allows, by kind. */
export type ScalarSets = Map<ScalarKind, Scalars>;

/** The value of a member that identifies one variant of a union. */
export type Tags = ReadonlyMap<string, ReadonlySet<Scalar>>;

/** The entry of a kind, created if missing. */
export function scalarEntry(sets: ScalarSets, kind: ScalarKind): Scalars {
  let entry = sets.get(kind);
  if (entry === undefined) sets.set(kind, (entry = { all: kind === 'null', patterns: [], values: new Set() }));
  return entry;
}

/** The kind of a scalar. */
export function scalarKind(value: Scalar): ScalarKind {
  return value === null ? 'null' : (typeof value as ScalarKind);
}

/** Whether all scalars of a kind are allowed, including both boolean values listed individually. */
export function acceptsAllScalars(kind: ScalarKind, scalars: Scalars | undefined): boolean {
  return scalars !== undefined && (scalars.all || (kind === 'boolean' && scalars.values.size === 2));
}

/** The scalars of a kind that only one of two types allows. */
export function compareScalars(
  kind: ScalarKind,
  ours: Scalars | undefined,
  theirs: Scalars | undefined,
): { lacks: readonly string[]; adds: readonly string[] } {
  return { lacks: scalarsNotIn(kind, ours, theirs), adds: scalarsNotIn(kind, theirs, ours) };
}

/** What the first allows and the second does not. */
function scalarsNotIn(kind: ScalarKind, one: Scalars | undefined, other: Scalars | undefined): readonly string[] {
  if (one === undefined || acceptsAllScalars(kind, other)) return [];
  if (acceptsAllScalars(kind, one)) return [other === undefined ? kind : `any other ${kind}`];
  const patterns = other?.patterns ?? [];
  const admits = (value: Scalar): boolean =>
    other?.values.has(value) === true || (typeof value === 'string' && patterns.some((pattern) => pattern(value)));
  const values = [...one.values].filter((value) => !admits(value));
  return [...(one.patterns.length > patterns.length ? [`some other ${kind}s`] : []), ...values.map(quoteScalar)];
}

function quoteScalar(value: Scalar): string {
  return JSON.stringify(value satisfies JsonValue);
}

/** The values that a type allows; undefined if they cannot be listed. */
export function literalValues(sets: ScalarSets): ReadonlySet<Scalar> | undefined {
  const values = [...sets.values()].flatMap((scalars) =>
    scalars.all || scalars.patterns.length > 0 ? [undefined] : [...scalars.values],
  );
  return values.length === 0 || values.includes(undefined) ? undefined : new Set(values as Scalar[]);
}

/** Whether the discriminating members of two variants allow them to correspond. */
export function compareTags(ours: Tags, theirs: Tags): 'agree' | 'conflict' | 'silent' {
  let result: 'agree' | 'silent' = 'silent';
  for (const [name, values] of ours) {
    const others = theirs.get(name);
    if (others === undefined) continue;
    if (![...values].some((value) => others.has(value))) return 'conflict';
    result = 'agree';
  }
  return result;
}

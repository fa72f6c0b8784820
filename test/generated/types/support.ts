/** Whether the compiler takes two types for the same one; with `any` in exactly one of them it does not. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it is what makes the comparison exact
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only if the two types are the same and the verdict says so, or neither. It is never run. */
export declare function same<A, B>(verdict: Same<A, B>): void;

/** Accepts everything: for an expression that must compile, or must not. It is never run. */
export declare function use(...values: readonly unknown[]): void;

/** A handler whose params and result are no matter. It is never run. */
export declare const handler: () => never;

/** Whether a member is declared by name, be it optional: one that an index signature merely allows is `unknown`. */
export type Declares<T, Name extends string> =
  T extends Partial<Record<Name, infer Value>> ? (unknown extends Value ? false : true) : false;

/** Whether a member has to be there, and is of a type. */
export type Requires<T, Name extends string, Value> = T extends Record<Name, Value> ? true : false;

/** Names of the members of one of several types, those that not all of them have included. */
export type KeysOf<T> = T extends unknown ? keyof T : never;

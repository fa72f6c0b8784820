/** What a schema says about methods and error codes. */
import type { Direction, MessageKind } from '../../read/catalog.js';

/** What the schema defines about a method; a member is absent if the schema leaves it open. */
export interface DerivedMethod {
  readonly method: string;
  /** The definition that has the method's literal; undefined if the schema has only the params. */
  readonly message: string | undefined;
  readonly kind?: MessageKind;
  readonly direction?: Direction;
  readonly params: string | null;
  readonly results?: readonly string[];
  readonly taskResult?: string;
  /** Whether the result is assumed to be the empty one, because the schema has none with the request's name. */
  readonly assumedResult?: true;
  /** What the schema says about the method. */
  readonly summary?: string;
}

/** An error code that a definition pins. */
export interface DerivedError {
  readonly code: number;
  readonly definition: string;
}

/** Everything that can be derived from a schema without a catalog. */
export interface Derived {
  readonly methods: readonly DerivedMethod[];
  readonly errors: readonly DerivedError[];
  /** Definitions that are copies of another one, by the name of the original. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Messages whose method is in no union of client or server messages. */
  readonly unplaced: readonly string[];
}

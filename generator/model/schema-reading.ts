import type { SchemaAnnotations } from './catalog/annotations.js';
import type { Derived } from './catalog/derive.js';
import type { Definition, Warning } from './protocol.js';

/** A schema that was read, but not yet combined with a catalog. */
export interface SchemaReading {
  readonly revision: string | undefined;
  /** The name of the protocol, if the schema has one. */
  readonly title?: string | undefined;
  readonly definitions: readonly Definition[];
  readonly derived: Derived;
  readonly annotations: SchemaAnnotations;
  readonly warnings: readonly Warning[];
}

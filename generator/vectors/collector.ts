/** Collects the vectors of a definition. */
import type { TypeNode } from '../model/protocol.js';
import { formatPointer, stableStringify, type JsonValue } from '../read/json/json.js';
import type { DefinitionVector, VectorFlag } from './form.js';
import type { ValueBuilder } from './values.js';

/** A place in a definition whose value is varied. */
export interface Place {
  /** Members and items that lead to it, in a value. */
  readonly tokens: readonly (string | number)[];
  /** What its vectors are named by: tokens, and branches of unions. */
  readonly labels: readonly string[];
  /** Whether a wrong value is surely reported here: not in one of several branches that nothing tells apart. */
  readonly isCertain: boolean;
  /** Whether its type is a variant of a union. */
  readonly isVariant?: boolean;
  /** The definition's value with a value at this place. */
  readonly put: (value: JsonValue) => JsonValue;
}

/** Details of a vector. */
export interface Details {
  readonly rule?: string;
  /** The pointer, if it is not that of the place. */
  readonly tokens?: readonly (string | number)[];
  readonly pointerIn?: string;
  readonly isCertain?: boolean;
  readonly flags?: readonly VectorFlag[];
  readonly text?: string;
}

/** Collects vectors, and leaves out those that are not as intended, or there already. */
export class Collector {
  readonly vectors: DefinitionVector[] = [];
  readonly #seen = new Set<string>();
  readonly #names = new Set<string>();

  readonly values: ValueBuilder;
  readonly definition: string;
  readonly type: TypeNode;

  constructor(values: ValueBuilder, definition: string, type: TypeNode) {
    this.values = values;
    this.definition = definition;
    this.type = type;
  }

  valid(labels: readonly string[], value: JsonValue | undefined, reason: string, details: Details = {}): void {
    if (value === undefined || !this.values.accepts(this.type, value)) return;
    this.#add(labels, value, { valid: true }, reason, details);
  }

  invalid(place: Place, label: string, value: JsonValue, reason: string, details: Details & { rule: string }): void {
    const whole = place.put(value);
    if (this.values.accepts(this.type, whole)) return;
    const { rule, tokens = place.tokens, pointerIn = '', isCertain = true } = details;
    const pointer = isCertain && place.isCertain ? { pointer: formatPointer(...tokens) + pointerIn } : {};
    this.#add([...place.labels, label], whole, { valid: false, ...pointer, rule }, reason, details);
  }

  #add(
    labels: readonly string[],
    value: JsonValue,
    verdict: Pick<DefinitionVector, 'valid' | 'pointer' | 'rule'>,
    reason: string,
    { flags, text }: Details,
  ): void {
    const key = text ?? stableStringify(value);
    const name = [this.definition, ...labels].join('/');
    if (this.#seen.has(key) || this.#names.has(name)) return;
    this.#seen.add(key);
    this.#names.add(name);
    this.vectors.push({
      name,
      ...verdict,
      reason,
      ...(flags === undefined ? {} : { flags }),
      value,
      ...(text === undefined ? {} : { text }),
    });
  }
}

/** Where the official schema, without errata, says otherwise. */
import type { Protocol } from '../model/protocol.js';
import { findRejection, typesByName, type TypesByName } from '../model/types/accepts.js';
import { parsePointer, type JsonValue } from '../read/json/json.js';

/** The verdict of the official schema, where it differs. */
export interface OfficialVerdict {
  readonly officialValid?: boolean;
  readonly erratum?: string;
}

/** Compares the verdicts of a protocol with those of its official schema. */
export class OfficialVerdicts {
  readonly #corrected: TypesByName;
  readonly #official: TypesByName;
  /** The types with all errata but one, by the id of that one. */
  readonly #without: readonly (readonly [string, TypesByName])[];

  /** @param official - The same protocol, read without errata. */
  constructor(protocol: Protocol, official: Protocol) {
    this.#corrected = typesByName(protocol);
    this.#official = typesByName(official);
    this.#without = protocol.errata.map(({ id, changes }) => {
      const names = changes
        .filter(({ revision }) => revision === protocol.revision)
        .flatMap(({ at }) => at.map((pointer) => parsePointer(pointer)[1] ?? ''));
      const types = new Map(this.#corrected);
      for (const name of names) {
        const type = this.#official.get(name);
        if (type !== undefined) types.set(name, type);
      }
      return [id, types] as const;
    });
  }

  /**
   * What the official schema says of a value, if it differs.
   *
   * @param valid - The verdict with errata.
   */
  of(definition: string, value: JsonValue, valid: boolean): OfficialVerdict {
    if (!this.#official.has(definition)) return {};
    const differs = (types: TypesByName): boolean =>
      (findRejection(types, { kind: 'ref', name: definition }, value) === undefined) !== valid;
    if (!differs(this.#official)) return {};
    // A verdict that both schemas contradict is a rule that no schema has.
    const erratum = differs(this.#corrected) ? undefined : this.#without.find(([, types]) => differs(types))?.[0];
    return { ...(erratum === undefined ? {} : { erratum }), officialValid: !valid };
  }
}

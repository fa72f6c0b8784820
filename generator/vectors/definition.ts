/** The vectors of one definition. */
import type { Definition, Protocol } from '../model/protocol.js';
import { Collector, type Place } from './collector.js';
import type { DefinitionVector } from './form.js';
import { addValid } from './valid-values.js';
import { ValueBuilder } from './values.js';
import { Walk } from './walk.js';

/** Writes the vectors of definitions of a protocol. */
export class DefinitionVectors {
  readonly values: ValueBuilder;

  constructor(protocol: Protocol) {
    this.values = new ValueBuilder(protocol);
  }

  /** All vectors of a definition; what a reference points to is only tested with one wrong value each. */
  of(definition: Definition): readonly DefinitionVector[] {
    const { name, type } = definition;
    const collector = new Collector(this.values, name, type);
    addValid(collector, name, type);
    const root: Place = { tokens: [], labels: [], isCertain: true, put: (value) => value };
    new Walk(this.values, collector).type(type, root, this.values.build(type, name, 'smallest'), name);
    return collector.vectors;
  }
}

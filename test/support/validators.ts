import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Validator } from '../../templates/runtime/validation.js';

/** The guard, validator and assertion of a definition. */
export interface Checks {
  readonly is: (value: unknown) => boolean;
  readonly validate: Validator<unknown>;
  readonly assert: (value: unknown) => void;
}

type Module = Readonly<Record<string, unknown>>;

/** All that the validators of a revision export. */
export async function validatorsOf(revision: string): Promise<Module> {
  const file = path.resolve(import.meta.dirname, '../../generated', revision, 'validators.ts');
  return (await import(pathToFileURL(file).href)) as Module;
}

/** The guard, validator and assertion of a definition; those that share a name with a function on messages are marked. */
export async function checksOf(revision: string, definition: string): Promise<Checks> {
  const module = await validatorsOf(revision);
  const find = (verb: string): unknown => module[`${verb}${definition}Definition`] ?? module[`${verb}${definition}`];
  const [is, validate, assert] = [find('is'), find('validate'), find('assert')];
  if (typeof is !== 'function' || typeof validate !== 'function' || typeof assert !== 'function') {
    throw new Error(`${revision} has no validator of ${definition}`);
  }
  return { is, validate, assert } as unknown as Checks;
}

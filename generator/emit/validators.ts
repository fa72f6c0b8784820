import { importDefinition } from './context.js';
import type { EmitContext } from './context.js';
import { SourceFile } from '../print/source-file.js';
import { GuardWriter } from './validators/guard-writer.js';
import { emitDispatchers } from './validators/dispatchers.js';
import { declareAssertion, declareValidator, METHOD_VALIDATORS } from './validators/names.js';
export { checkName, declareValidator, declareAssertion } from './validators/names.js';
export { GuardWriter } from './validators/guard-writer.js';

/** `validators.ts`: for each definition a deep guard, a validator and an assertion, as plain code. */
export function emitValidators(context: EmitContext): SourceFile {
  const file = new SourceFile('validators');
  file.importNamespace('runtime/validation', 'check');
  const taken = [...METHOD_VALIDATORS, ...context.messageGuards, 'classify', 'check'];
  const writer = new GuardWriter(context, taken, context.messageGuards);
  const { definitions } = context.protocol;
  const names = definitions.map((definition) => importDefinition(file, context, definition.name));
  const guards = definitions.map((definition) => writer.declareGuard(definition.name, definition.type));
  file.reexport('runtime/validation', { values: REEXPORTED_VALUES, types: REEXPORTED_TYPES });
  emitDispatchers(file, context, writer);
  // Similar functions are next to each other, since that compresses best.
  for (const declaration of [
    ...writer.inline,
    ...guards,
    ...names.map((name) => declareValidator(name, context.messageGuards)),
    ...names.map((name) => declareAssertion(name, context.messageGuards)),
  ])
    file.add(declaration);
  return file;
}

/** The parts of the runtime that users of the validators need. */
const REEXPORTED_VALUES: readonly string[] = [
  'describeFailure',
  'FORMATS',
  'lenientList',
  'missingContent',
  'missingResultType',
  'nullCursor',
  'nullMembers',
  'tolerating',
  'unknownContent',
  'ValidationError',
];

const REEXPORTED_TYPES: readonly string[] = [
  'Deviation',
  'Failure',
  'Leniency',
  'LenientList',
  'Repair',
  'ValidateOptions',
  'Validation',
  'Validator',
];

import { exported, type Declaration } from '../../print/source-file.js';
import { MESSAGE_GUARDS } from '../guards.js';

/** Names of the validators and guards that choose by method; those of a definition with such a name are renamed. */
export const METHOD_VALIDATORS: ReadonlySet<string> = new Set([
  'validateParams',
  'validateResult',
  'validateTaskResult',
  'validateResponse',
  'validateTaskResponse',
  'validateRequestMessage',
  'validateNotificationMessage',
  'isRequestMessage',
  'isNotificationMessage',
  'isMessageOf',
  'isResultOf',
  'isTaskResultOf',
  'isResponseWith',
]);

/**
 * A name of a verb and a definition. If a function on messages has one of the three names, all three are marked as the
 * definition's.
 */
export function checkName(verb: 'is' | 'validate' | 'assert', definition: string): string {
  const taken = ['is', 'validate', 'assert'].some(
    (item) => METHOD_VALIDATORS.has(item + definition) || MESSAGE_GUARDS.has(item + definition),
  );
  return taken ? `${verb}${definition}Definition` : verb + definition;
}

/** The validator of a definition. */
export function declareValidator(name: string): Declaration {
  return exported('const', checkName('validate', name), {
    doc: `/** Validates {@link ${name}}. */`,
    code: `: check.Validator<${name}> = /* @__PURE__ */ check.validator(${checkName('is', name)});`,
  });
}

/** The assertion of a definition. */
export function declareAssertion(name: string): Declaration {
  return exported('const', checkName('assert', name), {
    doc: `/**
 * Asserts that a value is of the type {@link ${name}}.
 *
 * @throws ValidationError if it is not.
 */`,
    code: `: check.Assertion<${name}> = /* @__PURE__ */ check.assertion(${checkName('is', name)});`,
  });
}

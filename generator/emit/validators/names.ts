import { exported, type Declaration } from '../../print/source-file.js';

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
  ...['Client', 'Server'].flatMap((side) => [
    ...['Params', 'Result', 'TaskResult'].map((of) => `validate${side}${of}`),
    ...['Message', 'Result', 'TaskResult'].map((of) => `is${side}${of}Of`),
  ]),
]);

/** Names of the guards on messages; the deep guard of a definition with such a name is renamed. */
export function messageGuards(sides: readonly string[]): ReadonlySet<string> {
  return new Set([
    'isRequest',
    'isNotification',
    'isResultResponse',
    'isErrorResponse',
    'isResponse',
    ...sides.flatMap((side) => [`is${side}Request`, `is${side}Notification`]),
  ]);
}

const DEFAULT_MESSAGE_GUARDS = messageGuards(['Client', 'Server']);

/**
 * A name of a verb and a definition. If a function on messages has one of the three names, all three are marked as the
 * definition's.
 *
 * @param guards - The names of guards on messages; by default those of a protocol whose sides have no other names.
 */
export function checkName(
  verb: 'is' | 'validate' | 'assert',
  definition: string,
  guards: ReadonlySet<string> = DEFAULT_MESSAGE_GUARDS,
): string {
  const taken = ['is', 'validate', 'assert'].some(
    (item) => METHOD_VALIDATORS.has(item + definition) || guards.has(item + definition),
  );
  return taken ? `${verb}${definition}Definition` : verb + definition;
}

/** The validator of a definition. */
export function declareValidator(name: string, guards?: ReadonlySet<string>): Declaration {
  return exported('const', checkName('validate', name, guards), {
    doc: `/** Validates {@link ${name}}. */`,
    code: `: check.Validator<${name}> = /* @__PURE__ */ check.validator(${checkName('is', name, guards)});`,
  });
}

/** The assertion of a definition. */
export function declareAssertion(name: string, guards?: ReadonlySet<string>): Declaration {
  return exported('const', checkName('assert', name, guards), {
    doc: `/**
 * Asserts that a value is of the type {@link ${name}}.
 *
 * @throws ValidationError if it is not.
 */`,
    code: `: check.Assertion<${name}> = /* @__PURE__ */ check.assertion(${checkName('is', name, guards)});`,
  });
}

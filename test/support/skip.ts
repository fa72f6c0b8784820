/** Tests that do not run, with the reason that the summary prints. */
import { describe, test, type TestFunction, type TestOptions } from 'vitest';

/** What follows the title of a test. */
type Definition = [body: TestFunction, timeout?: number] | [options: TestOptions, body: TestFunction];

/** `test`, or a test that is skipped for a reason. */
export function testUnless(reason: string | undefined): (title: string, ...definition: Definition) => void {
  return (title, ...definition) => {
    if (reason !== undefined)
      test(title, (context) => {
        context.skip(reason);
      });
    else if (typeof definition[0] === 'function') test(title, definition[0], definition[1] as number | undefined);
    else test(title, definition[0], definition[1] as TestFunction);
  };
}

/** `describe`, or one skipped test in place of its tests. */
export function describeUnless(reason: string | undefined): (title: string, body: () => void) => void {
  return (title, body) => {
    if (reason === undefined) describe(title, body);
    else
      describe(title, () => {
        testUnless(reason)('all tests', () => undefined);
      });
  };
}

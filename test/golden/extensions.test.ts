/** What extensions add to protocols, and the messages about wrong ones. */
import { describe, expect, test } from 'vitest';
import type { Protocol } from '../../generator/index.js';
import { compactTypeText } from '../../generator/print/diff/type-text.js';
import { errorText, expectedFile, section } from './support.js';
import {
  extensionOf,
  STATEFUL_FAULTS,
  STATELESS_FAULTS,
  statelessExtension,
  type ExtensionInput,
} from './extensions.js';
import { fileOf, load, PROTOCOLS, schemaFile } from './protocols.js';

const REVISIONS = { stateful: '2026-01-01', stateless: '2026-02-02' } as const;

function loadWith(name: keyof typeof PROTOCOLS, { catalog, definitions }: ExtensionInput): Promise<Protocol> {
  const files = { catalog: fileOf('extension.json', catalog), schema: schemaFile('notes.json', definitions) };
  return load(PROTOCOLS[name], [files]);
}

/** What differs from the protocol without the extension, one line each. */
function added(before: Protocol, after: Protocol): string {
  const linesOf = ({ definitions, methods, errors, extensions }: Protocol): readonly string[] => [
    ...extensions.map((extension) => `extension ${JSON.stringify({ ...extension, source: undefined })}`),
    ...methods.map((method) => `method ${JSON.stringify(method)}`),
    ...errors.map((error) => `error ${JSON.stringify(error)}`),
    ...definitions.map(({ name, type, extension = '' }) => `${name} (${extension}): ${compactTypeText(type)}`),
  ];
  const known = new Set(linesOf(before));
  return linesOf(after)
    .filter((line) => !known.has(line))
    .join('\n');
}

describe.each([
  ['stateful', () => extensionOf(REVISIONS.stateful), STATEFUL_FAULTS],
  ['stateless', statelessExtension, STATELESS_FAULTS],
] as const)('an extension of the %s protocol', (name, create, faults) => {
  test('adds', async () => {
    const text = added(await load(PROTOCOLS[name]), await loadWith(name, create()));
    await expect(text).toMatchFileSnapshot(expectedFile(`extension-${name}`));
  });

  test('is refused', async () => {
    const texts: string[] = [];
    for (const [title, change] of Object.entries(faults)) {
      const extension = create();
      change(extension);
      const text = await loadWith(name, extension).then(() => '(no error)', errorText);
      texts.push(section(title, text));
    }
    await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile(`extension-${name}-messages`));
  });
});

/** What extensions add to protocols, and the messages about wrong ones. */
import { describe, expect, test } from 'vitest';
import { loadProtocol, type Protocol } from '../../generator/index.js';
import { compactTypeText } from '../../generator/print/diff/type-text.js';
import { errorText, expectedFile, section } from './support.js';
import {
  extensionOf,
  STATEFUL_FAULTS,
  STATELESS_FAULTS,
  statelessExtension,
  type ExtensionInput,
} from './extensions.js';
import { PROTOCOLS, type ProtocolFiles } from './protocols.js';

const REVISIONS = { stateful: '2026-01-01', stateless: '2026-02-02' } as const;

const fileOf = (name: string, contents: object): { name: string; contents: string } => ({
  name,
  contents: JSON.stringify(contents),
});

function load({ definitions, catalog }: ProtocolFiles, extension?: ExtensionInput): Promise<Protocol> {
  return loadProtocol({
    schema: fileOf('schema.json', { $schema: 'https://json-schema.org/draft/2020-12/schema', $defs: definitions }),
    catalog: fileOf('catalog.json', catalog),
    revision: String(catalog['revision']),
    extend:
      extension === undefined
        ? []
        : [
            {
              catalog: fileOf('extension.json', extension.catalog),
              schema: fileOf('notes.json', {
                $schema: 'https://json-schema.org/draft/2020-12/schema',
                $defs: extension.definitions,
              }),
            },
          ],
  });
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
    const text = added(await load(PROTOCOLS[name]), await load(PROTOCOLS[name], create()));
    await expect(text).toMatchFileSnapshot(expectedFile(`extension-${name}`));
  });

  test('is refused', async () => {
    const texts: string[] = [];
    for (const [title, change] of Object.entries(faults)) {
      const extension = create();
      change(extension);
      const text = await load(PROTOCOLS[name], extension).then(() => '(no error)', errorText);
      texts.push(section(title, text));
    }
    await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile(`extension-${name}-messages`));
  });
});

/** What becomes of whole protocols: of one with a handshake, of one without, and of plain JSON-RPC. */
import { describe, expect, test } from 'vitest';
import { emit } from '../../generator/emit/index.js';
import { DEFAULT_PARTS, type Protocol } from '../../generator/index.js';
import { catalogFile, draftCatalog } from '../../generator/model/catalog/draft.js';
import { readSchemaWithoutCatalog } from '../../generator/model/load.js';
import { builtinCatalogs } from '../../generator/read/builtin/revisions.js';
import { expectedFile, formatPieces, messageText, section } from './support.js';
import { fileOf, load, PROTOCOLS } from './protocols.js';

/** The pieces of each file, without the assertions, which differ in a name only. */
function filesOf(protocol: Protocol): readonly (readonly [name: string, pieces: readonly string[]])[] {
  const parts = protocol.traits.roles === undefined ? DEFAULT_PARTS : [...DEFAULT_PARTS, 'stubs' as const];
  return emit(protocol, parts, 'js').map((file) => {
    const pieces = file.print({ header: '', importExtension: 'js' });
    return [
      file.fileName,
      pieces.filter((piece) => !piece.startsWith('/**\n * Asserts') || piece.includes('RequestId')),
    ];
  });
}

describe('the files of a protocol', () => {
  test.each(Object.entries(PROTOCOLS))('%s', async (name, files) => {
    const protocol = await load(files);
    // What is the same as in the first one is shown there only.
    const others = name === 'stateful' ? [] : filesOf(await load(PROTOCOLS.stateful));
    const shown = new Set(others.flatMap(([, pieces]) => pieces));
    const code = filesOf(protocol).map(([file, pieces]) =>
      section(`${file}.ts`, formatPieces(pieces.map((piece) => (shown.has(piece) ? '// (the same)' : piece)))),
    );
    const warnings = protocol.warnings.map(messageText).join('\n');
    const text = [section('warnings', warnings), ...code].join('\n');
    await expect(text.replace(/(?:\/\/ \(the same\)\n*)+/g, '// (the same)\n\n')).toMatchFileSnapshot(
      expectedFile(`protocol-${name}`),
    );
  });
});

describe('the first catalog of a schema', () => {
  test.each(Object.entries(PROTOCOLS))('%s', async (name, { definitions }) => {
    const reading = readSchemaWithoutCatalog(fileOf('schema.json', { title: 'Golden', $defs: definitions }), 'v9');
    const { catalog, notices } = draftCatalog(reading, builtinCatalogs(), {});
    const texts = [
      section('notices', notices.join('\n')),
      section('catalog', JSON.stringify(catalogFile(catalog), null, 2)),
    ];
    await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile(`catalog-${name}`));
  });
});

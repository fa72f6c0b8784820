/** What becomes of whole protocols: of one with a handshake, of one without, and of plain JSON-RPC. */
import { describe, expect, test } from 'vitest';
import { emit } from '../../generator/emit/index.js';
import type { Emittable } from '../../generator/index.js';
import { catalogFile, draftCatalog } from '../../generator/model/catalog/draft.js';
import { readSchemaWithoutCatalog } from '../../generator/model/load.js';
import type { SourceFile } from '../../generator/print/source-file.js';
import { builtinCatalogs } from '../../generator/read/builtin/revisions.js';
import { expectedFile, formatPieces, messageText, section } from './support.js';
import { fileOf, load, PROTOCOLS } from './protocols.js';

const PARTS: readonly Emittable[] = [
  'types',
  'methods',
  'messages',
  'guards',
  'validators',
  'errors',
  'revision',
  'client',
  'server',
];

/** Without the assertions, which differ in a name only. */
function piecesOf(file: SourceFile<string>): readonly string[] {
  const pieces = file.print({ header: '', importExtension: 'js' });
  return pieces.filter((piece) => !piece.startsWith('/**\n * Asserts') || piece.includes('RequestId'));
}

describe('the files of a protocol', () => {
  test.each(Object.entries(PROTOCOLS))('%s', async (name, files) => {
    const protocol = await load(files);
    const parts = protocol.traits.roles === undefined ? PARTS : [...PARTS, 'stubs' as const];
    const code = emit(protocol, parts, 'js').map((file) =>
      section(`${file.fileName}.ts`, formatPieces(piecesOf(file))),
    );
    const warnings = protocol.warnings.map(messageText).join('\n');
    await expect([section('warnings', warnings), ...code].join('\n')).toMatchFileSnapshot(
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

/** What becomes of the definitions of a protocol's schema. */
import { describe, expect, test } from 'vitest';
import { emit } from '../../generator/emit/index.js';
import type { Emittable, Protocol } from '../../generator/index.js';
import { parsePointer } from '../../generator/read/json/json.js';
import { refsIn } from '../../generator/model/types/references.js';
import { protocolOf, SCHEMAS } from './schemas.js';
import { errorText, expectedFile, formatPieces, messageText, section } from './support.js';

/** What every protocol has is in the golden files of protocols. */
function isOfDefinitions(piece: string): boolean {
  return !COMMON.has(piece) && !piece.startsWith('import ') && !/^\/\*\*\s+(?:\* )?(?:Validates|Asserts)/.test(piece);
}

function piecesOf(protocol: Protocol, part: Emittable): readonly string[] {
  const files = emit(protocol, [part], 'js').filter(({ name }) => name === part);
  return files.flatMap((file) => file.print({ header: '', importExtension: 'js' }));
}

const COMMON = new Set((['validators', 'zod'] as const).flatMap((part) => piecesOf(protocolOf({}, '$defs'), part)));

function codeOf(protocol: Protocol, part: Emittable): string {
  return section(`${part}.ts`, formatPieces(piecesOf(protocol, part).filter(isOfDefinitions)));
}

/** The schemas of the definitions that Zod can express, and why it cannot express the others. */
function zodOf(protocol: Protocol): string {
  try {
    return codeOf(protocol, 'zod');
  } catch (error) {
    const message = errorText(error);
    const name = parsePointer(/#(\S*):/.exec(message)?.[1] ?? '')[1] ?? '';
    const lost = new Set([name]);
    for (const size of protocol.definitions.keys())
      for (const { name: other, type } of protocol.definitions)
        if (lost.size > size && refsIn(type).some((to) => lost.has(to))) lost.add(other);
    if (!protocol.definitions.some((definition) => definition.name === name)) throw error;
    const definitions = protocol.definitions.filter((definition) => !lost.has(definition.name));
    return `${section('zod.ts', message)}\n${zodOf({ ...protocol, definitions })}`;
  }
}

function rendered(protocol: Protocol): string {
  return [
    ...(protocol.warnings.length === 0 ? [] : [section('warnings', protocol.warnings.map(messageText).join('\n'))]),
    codeOf(protocol, 'types'),
    codeOf(protocol, 'validators'),
    zodOf(protocol),
  ].join('\n');
}

describe('the files of a schema', () => {
  test.each(Object.entries(SCHEMAS))('%s', async (name, { definitions, root = '$defs' }) => {
    await expect(rendered(protocolOf(definitions, root))).toMatchFileSnapshot(expectedFile(`schema-${name}`));
  });
});

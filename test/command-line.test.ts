import { describe, expect, test } from 'vitest';
import { formatCommand, type ShownArguments } from '../generator/command-line.js';
import { splitCommand } from '../generator/text.js';

describe('formatCommand', () => {
  test.each<[string, ShownArguments, string]>([
    ['prints the verb alone', {}, 'mcpgen generate'],
    ['prints the program', { program: 'npx mcpgen' }, 'npx mcpgen generate'],
    [
      'has one order of options',
      { options: { out: 'b', errata: false, config: 'a' } },
      'mcpgen generate --config a --no-errata --out b',
    ],
    [
      'repeats an option for each item',
      { options: { revision: ['draft', 'next'] } },
      'mcpgen generate --revision draft --revision next',
    ],
    [
      'leaves out options without a value',
      { options: { out: undefined, allowOutside: true } },
      'mcpgen generate --allow-outside',
    ],
    ['prints options in kebab case', { options: { importExtension: 'ts' } }, 'mcpgen generate --import-extension ts'],
    ['keeps - for standard input', { options: { schema: '-' } }, 'mcpgen generate --schema -'],
    ['does not quote placeholders', { options: { out: { placeholder: 'a b' } } }, 'mcpgen generate --out <a b>'],
    [
      'puts words with a dash after --',
      { words: ['-x', 'y'], options: { config: 'a' } },
      "mcpgen generate y --config a -- '-x'",
    ],
  ])('%s', (_, shown, want) => {
    expect(formatCommand('generate', shown)).toBe(want);
  });

  test.each(['a b', "it's", '$(x)', '*', '', 'a\\b'])('a shell reads the word %j back', (word) => {
    expect(splitCommand(formatCommand('add tool', { words: [word] }))).toEqual(['mcpgen', 'add', 'tool', word]);
  });
});

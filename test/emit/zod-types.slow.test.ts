import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadProtocol, type Protocol } from '../../generator/index.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { REVISIONS } from '../support/revisions.js';
import { errorsByLine } from '../support/type-equality.js';
import { BEYOND, MORE_KEYWORDS, protocolOf, written, zodFile, zodFolder } from './zod-support.js';

const scratch = zodFolder();
afterAll(removeTemporaryFolders);

const protocols = new Map<string, Protocol>();
beforeAll(async () => {
  for (const { revision } of REVISIONS) {
    const protocol = await loadProtocol({ revision });
    protocols.set(revision, protocol);
    await written(protocol, scratch);
  }
});

/**
 * Types that are not the ones of types.ts, with the reason.
 *
 * None so far: what Zod cannot infer is spelled out in the generated file.
 */
const OTHER_TYPES: readonly string[] = [];

describe('types', () => {
  test.each([true, false])('equal those of types.ts with exactOptionalPropertyTypes %s', async (exact) => {
    const lines = ["import type * as z from 'zod';"];
    const questions: { question: string; line: number }[] = [];
    REVISIONS.forEach(({ revision }, index) => {
      const folder = path.join(scratch, revision);
      lines.push(
        `import type * as T${index} from ${JSON.stringify(path.join(folder, 'types.ts'))};`,
        `import type * as S${index} from ${JSON.stringify(path.join(folder, 'zod.ts'))};`,
      );
      for (const { name } of protocols.get(revision)?.definitions ?? []) {
        const [type, inferred] = [`T${index}.${name}`, `z.infer<typeof S${index}.${name}Schema>`];
        const variable = `${name}${index}`;
        questions.push({ question: `${revision} ${name} is not any`, line: lines.length });
        lines.push(`export const any_${variable}: 0 extends 1 & ${inferred} ? true : false = false;`);
        questions.push({ question: `${revision} ${name} from Zod`, line: lines.length });
        lines.push(
          `declare const out_${variable}: ${inferred}; export const from_${variable}: ${type} = out_${variable};`,
        );
        questions.push({ question: `${revision} ${name} to Zod`, line: lines.length });
        lines.push(`declare const in_${variable}: ${type}; export const to_${variable}: ${inferred} = in_${variable};`);
      }
    });
    // A line that must not compile, so that a program that finds no errors at all is noticed.
    const planted = lines.length;
    lines.push('export const planted: z.infer<typeof S0.ToolSchema> = { name: 1 };');
    const errors = await errorsByLine(lines.join('\n'), { exactOptionalPropertyTypes: exact });
    const wrong = questions.flatMap(({ question, line }) => {
      const error = errors.get(line);
      return error === undefined ? [] : [`${question}: ${error}`];
    });
    expect(wrong).toEqual(OTHER_TYPES);
    expect(errors.has(planted)).toBe(true);
    expect(errors.size).toBe(wrong.length + 1);
  });
});

test('keywords beyond those of MCP compile', async () => {
  const folder = path.join(scratch, 'beyond');
  const definitions = { ...BEYOND, ...MORE_KEYWORDS };
  await written(await protocolOf(definitions), folder);
  const uses = Object.keys(definitions).map((name) => `S.${name}Schema`);
  const text = `import * as S from ${JSON.stringify(zodFile('own', folder))};\nexport const all = [${uses.join(', ')}];\n`;
  expect([...(await errorsByLine(text, { exactOptionalPropertyTypes: true }))]).toEqual([]);
  const file = readFileSync(zodFile('own', folder), 'utf8');
  expect([...(await errorsByLine(file.replace('./types.js', path.join(folder, 'own/types.ts'))))]).toEqual([]);
});

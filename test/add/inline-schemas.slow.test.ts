import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFiles, removeTemporaryFolders } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { createDemoServer } from './support.js';

afterAll(removeTemporaryFolders);

const EMPTY = { zod: 'z.object({})', valibot: 'toStandardJsonSchema(v.object({}))', arktype: 'type({})' };

describe.each(['zod', 'valibot', 'arktype'] as const)('in a project with schemas in %s', (library) => {
  let project = '';
  beforeAll(async () => {
    project = await createDemoServer('--schemas', library);
  });

  const read = (file: string): string => readFileSync(path.join(project, file), 'utf8');
  const files = (): ReadonlyMap<string, string> =>
    new Map([...readFiles(project)].filter(([name]) => /^(?:src|test)\//.test(name)));
  const good = async (...args: readonly string[]): Promise<void> => {
    expect(await mcpgen(args, { cwd: project })).toMatchObject({ code: 0, stderr: '' });
  };

  test('add tool writes a schema to fill in, and remove tool undoes it', async () => {
    const before = files();
    await good('add', 'tool', 'forecast');
    expect(read('src/tools/forecast.ts')).toContain(`input: inputSchema(${EMPTY[library]}),`);
    expect([...files().keys()].filter((name) => name.endsWith('.json'))).toEqual([]);
    await good('generate', '--check');
    await good('remove', 'tool', 'forecast');
    expect(files()).toEqual(before);
  });

  test('add prompt writes a schema to fill in, and remove prompt undoes it', async () => {
    const before = files();
    await good('add', 'prompt', 'review');
    expect(read('src/prompts/review.ts')).toContain(`arguments: argumentsSchema(${EMPTY[library]}),`);
    await good('remove', 'prompt', 'review');
    expect(files()).toEqual(before);
  });

  test('add tool --input keeps the file and its generated types, and remove tool undoes it', async () => {
    const before = files();
    await good('add', 'tool', 'get-weather', '--input', '../weather.json');
    expect(read('src/tools/get-weather.ts')).toContain('input: getWeatherInput,');
    expect(read('src/tools/get-weather.ts')).not.toContain('standard-schema');
    expect(read('src/generated/tools/get-weather.ts')).toContain('getWeatherInput');
    await good('generate', '--check');
    await good('remove', 'tool', 'get-weather');
    expect(files()).toEqual(before);
  });

  test('add tool --output has both: a schema to fill in, and generated types of the output', async () => {
    await good('add', 'tool', 'measure', '--output', '../weather.json', '--dry-run');
    await good('add', 'tool', 'measure', '--output', '../weather.json');
    expect(read('src/tools/measure.ts')).toContain(`input: inputSchema(${EMPTY[library]}),`);
    expect(read('src/tools/measure.ts')).toContain('output: measureOutput,');
    await good('remove', 'tool', 'measure');
  });

  test('the examples are removed', async () => {
    await good('remove', 'tool', 'greet');
    await good('remove', 'prompt', 'introduce');
    await good('generate', '--check');
    expect([...files().values()].filter((text) => text.includes('introduce'))).toEqual([]);
  });
});

test('init rejects a library that it does not know', async () => {
  const { code, stderr } = await mcpgen(['init', 'server', 'demo', '--yes', '--schemas', 'yup', '--dry-run']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are json, zod, valibot, arktype')]);
});

test('init client has no schemas to write', async () => {
  const { stderr } = await mcpgen(['init', 'client', 'demo', '--yes', '--schemas', 'zod', '--dry-run']);
  expect(stderr).toContain('--schemas');
});

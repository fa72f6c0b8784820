import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compareWithPackage, type DriftOptions } from '../../generator/drift/drift.js';
import type { DriftReport } from '../../generator/drift/report.js';
import { removeTemporaryFolders } from '../support/cli.js';
import { FIXTURES, folderWith, findingLines, definitionsWithStatus } from './support.js';

afterAll(removeTemporaryFolders);

const folder = path.join(FIXTURES, 'planted');
const compare = (sdk: string, options: Partial<DriftOptions> = {}): Promise<DriftReport> =>
  compareWithPackage({ sdk, revision: '2025-11-25', folder, ...options });

describe('planted mismatches', () => {
  test('each is found exactly once', async () => {
    const report = await compareWithPackage({ sdk: 'planted-sdk', folder });
    expect(findingLines(report).map((line) => line.replace(/ theirs .*| ours .*/, ''))).toEqual([
      'different CallToolResult.content[]:',
      'different CallToolResult.isError:',
      'different Cursor:',
      'different Role:',
      'different TaskStatus:',
      'any CallToolResult.structuredContent[key]:',
      'any Request.params:',
      'unresolved ModelHint.name:',
      'unresolved Root.uri:',
      'narrower CompleteResult.completion.values:',
      'narrower ElicitResult.content[key]:',
      'narrower GetPromptRequestParams._meta[key]:',
      'narrower Icon.sizes:',
      'narrower ProgressToken:',
      'narrower ToolAnnotations.readOnlyHint:',
      'narrower ToolChoice.mode:',
      'wider GetPromptRequestParams.arguments[key]:',
      'wider Implementation.version:',
      'wider Implementation.version:',
      'wider LoggingLevel:',
      'wider RequestId:',
      'missing CallToolResult._meta:',
      'missing CallToolResult.content[]<TextContent>.annotations.priority:',
      'missing CompleteResult.completion.hasMore:',
      'missing Icon.theme:',
      'missing PromptReference.title:',
      'extra CallToolResult.content[]<ImageContent>.annotations.price:',
      'extra Implementation.vendor:',
    ]);
    expect(findingLines(report)).toEqual(
      expect.arrayContaining([
        'any Request.params: theirs any, ours { [key: string]: unknown }',
        'unresolved ModelHint.name: theirs an unresolved type, ours string',
        'narrower Icon.sizes: theirs required, ours optional',
        'narrower ToolAnnotations.readOnlyHint: theirs true, ours boolean',
        'wider Implementation.version: theirs optional, ours required',
        'wider Implementation.version: theirs string | number, ours string',
        'missing CallToolResult.content[]<TextContent>.annotations.priority: theirs missing, ours number (optional)',
        'extra CallToolResult.content[]<ImageContent>.annotations.price: theirs bigint, ours missing',
        'extra Implementation.vendor: theirs string, ours missing',
      ]),
    );
    // Annotations, which are the same by themselves, and what nothing was planted in.
    expect(definitionsWithStatus(report, 'same')).toEqual(['Annotations', 'TextContent']);
    expect(report).toMatchObject({
      revision: '2025-11-25',
      drift: true,
      package: { name: 'planted-sdk', version: '3.2.1', entry: 'types/index.d.ts', moduleResolution: 'nodenext' },
      notes: ['some types are missing, because these imports cannot be resolved: a-package-that-nobody-installed'],
    });
  });

  test('what exactly differs in a union is said in words', async () => {
    const { findings } = await compare('planted-sdk');
    const detail = (at: string): string | undefined => findings.find((finding) => finding.path === at)?.detail;
    expect(detail('CallToolResult.content[]')).toBe(
      'theirs lacks AudioContent, ResourceLink, EmbeddedResource, theirs also allows type: "video"',
    );
    expect(detail('Role')).toBe('theirs lacks "assistant", theirs also allows "system"');
    expect(detail('TaskStatus')).toBe(
      'theirs lacks "completed", "input_required", theirs also allows some other strings',
    );
    expect(detail('RequestId')).toBe('theirs also allows null');
    expect(detail('ElicitResult.content[key]')).toBe('theirs lacks an array');
    expect(detail('CompleteResult.completion.values')).toBe('theirs has a fixed number of items');
  });

  test('exports are resolved through re-exports', async () => {
    const { definitions, otherExports } = await compare('planted-sdk');
    const theirs = new Map(definitions.map((item) => [item.name, item.theirs]));
    expect(theirs.get('Annotations')).toBe('Annotations');
    expect(theirs.get('ToolChoice')).toBe('ToolChoice');
    expect(theirs.get('Root')).toBe('capabilities.Root');
    expect(theirs.get('PromptReference')).toBe('capabilities.deeper.PromptReference');
    expect(otherExports.map(({ name }) => name)).toEqual(['Circular', 'Priced', 'RenamedHere']);
  });

  test('the same difference in several places is one finding', async () => {
    const { findings } = await compare('planted-sdk');
    expect(findings.find((finding) => finding.path === 'Icon.sizes')?.also).toEqual(['Implementation.icons[].sizes']);
  });
});

describe('the same in other words', () => {
  test('equivalent types have no findings', async () => {
    const report = await compare('planted-sdk/same');
    expect(findingLines(report)).toEqual([]);
    expect(definitionsWithStatus(report, 'same')).toHaveLength(19);
    expect(report.equivalences.map(({ id }) => id)).toEqual([
      'brands',
      'enums',
      'envelope',
      'functions',
      'open-objects',
      'readonly',
      'undefined',
    ]);
  });

  test('--exact finds each of them', async () => {
    const report = await compare('planted-sdk/same', { exact: true });
    expect(report.equivalences).toEqual([]);
    expect(findingLines(report)).toEqual(
      expect.arrayContaining([
        'different Role: theirs Role, ours "assistant" | "user"',
        'wider Icon.sizes: theirs readonly string[], ours string[]',
        'wider Icon.theme: theirs "light" | "dark" | undefined, ours "dark" | "light"',
        'wider Icon.src: theirs readonly string, ours string',
        'different Cursor: theirs Cursor, ours string',
        'wider TextContent[key]: theirs unknown, ours missing',
        'extra Annotations.matches: theirs (role: Role) => boolean, ours missing',
        'missing PingRequest.jsonrpc: theirs missing, ours "2.0"',
      ]),
    );
  });

  test('recursive JSON types of 2026-07-28', async () => {
    const report = await compare('planted-sdk/json', { revision: '2026-07-28' });
    expect(findingLines(report)).toEqual([]);
    expect(definitionsWithStatus(report, 'same')).toEqual(['JSONArray', 'JSONObject', 'JSONValue']);
  });
});

test('a class does not represent a definition of its name unless mapped', async () => {
  const own = folderWith({
    'a.ts': `export class ResourceTemplate { get uriTemplate() { return new URL('x:'); } }
export class Prompt { name = ''; title?: string }
export class Error extends globalThis.Error { code = 1; data?: unknown }`,
  });
  const pick = async (names: Readonly<Record<string, string>>): Promise<readonly string[]> =>
    definitionsWithStatus(await compare('./a.ts', { folder: own, names }), 'drift');
  expect(await pick({})).toEqual(['Prompt']);
  expect(await pick({ ResourceTemplate: 'ResourceTemplate' })).toEqual(['Prompt', 'ResourceTemplate']);
});

describe('schemas', () => {
  test('a definition without a type is compared with the output of the schema that is named after it', async () => {
    const report = await compare('planted-sdk/zod');
    const theirs = new Map(report.definitions.map((item) => [item.name, item.theirs]));
    expect(['Root', 'PromptArgument', 'ProgressToken', 'Annotations'].map((name) => theirs.get(name))).toEqual([
      'RootSchema',
      'promptArgumentSchema',
      'ProgressTokenSchema',
      'Annotations',
    ]);
    expect(findingLines(report)).toEqual([
      'different PromptArgument.description: theirs number, ours string',
      'narrower PromptArgument.required: theirs required, ours optional',
    ]);
  });
});

describe('names and what to leave out', () => {
  test('a mapped name takes precedence over a pattern', async () => {
    const names = { Role: 'LoggingLevel', '*': 'Priced*', Annotations: 'Priced' };
    const report = await compare('planted-sdk', { names });
    const theirs = new Map(report.definitions.map((item) => [item.name, item.theirs]));
    expect(['Role', 'Annotations', 'Icon'].map((name) => theirs.get(name))).toEqual(['LoggingLevel', 'Priced', 'Icon']);
    expect(findingLines(report)).toContain('extra Annotations.price: theirs bigint, ours missing');
    const renamed = await compare('planted-sdk', { names: { 'Tool*ice': 'Renamed*ere' } });
    // `Cho` is put in the place of the asterisk, and nothing has that name.
    expect(renamed.definitions.find(({ name }) => name === 'ToolChoice')?.theirs).toBe('ToolChoice');
  });

  test('ignores the given definitions and paths', async () => {
    const ignore = ['Icon', 'CallToolResult.content', '*.version', 'T*', 'Nothing.*'];
    const report = await compare('planted-sdk', { ignore });
    const found = findingLines(report).join('\n');
    expect(found).not.toMatch(/ Icon|CallToolResult\.content|\.version|TaskStatus|ToolChoice/);
    expect(found).toContain('CallToolResult.isError');
    expect(definitionsWithStatus(report, 'ignored')).toEqual(
      expect.arrayContaining(['Icon', 'TaskStatus', 'Tool', 'TextContent']),
    );
    expect(report.notes).toContain('the pattern "Nothing.*" matches nothing');
    expect(report.notes).not.toContain('the pattern "T*" matches nothing');
  });

  test.each([
    [{ Role: 'Roll' }, /exports no type "Roll"/],
    [{ Rolle: 'Role' }, /"Rolle" is not a definition of revision 2025-11-25/],
    [{ __proto__x: 'Role' }, /is not a definition/],
  ])('a wrong name %o', async (names, message) => {
    await expect(compare('planted-sdk', { names })).rejects.toThrow(message);
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generate, type PlannedFile } from '../generator/index.js';
import { isRegularExpression } from '../generator/model/schema/keywords.js';
import { readFiles, listFiles, removeTemporaryFolders, temporaryFolder } from './support/cli.js';
import { importOutput } from './support/import-output.js';
import { mcpgen } from './support/in-process.js';
import {
  catalogWith,
  type CompiledOutput,
  compileOutput,
  errorOf,
  compileErrorsOf,
  findOutputFile,
  generated,
  findHiddenCharacters,
  load,
  findInternals,
  withOwnProperty,
  PING_ROW,
  pingDefinitions,
  schemaWith,
  type Schema,
} from './support/hostile.js';
import { NAMES, pointerOf, refused, REF } from './hostile-schema-support.js';

afterAll(removeTemporaryFolders);

/** Texts that try to escape their comment or string, to execute, to hide, or to add tags that editors interpret. */
const TEXTS: readonly string[] = [
  '*/ globalThis.pwned = 1; /*',
  '*/globalThis.pwned = 1//',
  '**/ *//*/ */',
  '`${globalThis.pwned = 1}`',
  "'; globalThis.pwned = 1; '",
  '"; globalThis.pwned = 1; "',
  '\\"; globalThis.pwned = 1; //',
  "\\'); globalThis.pwned = 1; //",
  'a line\u2028globalThis.pwned = 1\u2029globalThis.pwned = 1',
  'a line\nglobalThis.pwned = 1\r\nglobalThis.pwned = 1\rglobalThis.pwned = 1',
  '\u202eright to left\u202c \u2066isolated\u2069 \u061c\u200e\u200f',
  '*\u202e/ *\u200b/ *\u0000/ *\u2028/ *\ufeff/ globalThis.pwned = 1',
  'zero\u200bwidth \u2060joiner \u00adhyphen \ufeffmark \u180e \u3164 \u{e0041}\u{e007f}tags',
  'control \u0000\u0007\u0008\u001b[31m\u007f\u0085\u009b characters',
  '@deprecated by the schema\n@type {any}\n  @ts-ignore\n\t@internal',
  'in the middle of a line @deprecated and @alpha too',
  '- @deprecated\n* @deprecated\n1. @deprecated\n> @deprecated',
  `${'long '.repeat(30)}@deprecated at the start of a wrapped line`,
  '```\n@deprecated\n*/\n```\n@deprecated after code',
  'an open `code span @deprecated\n@deprecated',
  '\u202e@deprecated \u200b@deprecated \u0000@deprecated \u00a0@deprecated \u2003@deprecated',
  '{@link Text1} {@link nowhere} {@link */} {@link constructor|*/} {@inheritDoc Text1} {@link',
  '// @ts-nocheck\n/// <reference path="/etc/passwd" />\n/* eslint-enable */ /* @ts-ignore */',
  '<script>globalThis.pwned = 1</script> <!-- --> --> ]]>',
  'lone \ud800 surrogates \udfff',
  '\\u002a\\u002f globalThis.pwned = 1 \\x2a\\x2f \\',
  '$& $1 $$ $` %s %d {0}',
  ' ',
  '__proto__',
  'constructor',
];

/** The text itself where it is a regular expression, otherwise one that matches it. */
function asPattern(text: string): string {
  return isRegularExpression(text) ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

describe('texts of a schema', () => {
  const definitions: Schema = {};
  TEXTS.forEach((text, index) => {
    const properties: Schema = {
      plain: { type: 'string', description: text, default: text, pattern: asPattern(text) },
      choice: { enum: [text, `${text} `], description: text },
      list: { type: 'array', items: { type: 'string', pattern: asPattern(text) }, minItems: 1, description: text },
      inner: {
        type: 'object',
        properties: withOwnProperty({}, text, { type: 'string', description: text }),
        description: text,
      },
    };
    withOwnProperty(properties, text, { const: text, description: text });
    definitions[`Text${index}`] = {
      type: 'object',
      title: text,
      description: text,
      default: text,
      $comment: text,
      examples: [text],
      properties,
      required: [text],
      additionalProperties: { type: 'string', description: text },
    };
  });
  const catalog = catalogWith({
    protocol: 'Evil */ globalThis.pwned = 1 /* \u202e`${globalThis.pwned = 1}`\u2028globalThis.pwned = 1',
    methods: [
      {
        ...PING_ROW,
        summary: 'Evil */ globalThis.pwned = 1 /*\u2028@deprecated \u202e`${globalThis.pwned = 1}`.',
        deprecated: 'Evil */ @alpha globalThis.pwned = 1 /*\u2028.',
      },
    ],
    errors: [{ name: 'EVIL', code: -32000, summary: 'Evil */ globalThis.pwned = 1 /*\u2028@deprecated \u202e.' }],
  });
  const name = 'evil */ \n globalThis.pwned = 1 \u2028globalThis.pwned = 1 \u202e.json';
  let files: Awaited<ReturnType<typeof generated>>;
  let code: CompiledOutput;
  beforeAll(async () => {
    files = await generated(schemaWith(definitions), catalog, { name });
    code = compileOutput(files);
  });

  test('the output compiles', async () => {
    expect(await code.errors()).toEqual([]);
  });

  test('nothing of a text becomes code', () => {
    const identifiers = code.identifiers();
    expect(identifiers).not.toContain('pwned');
    expect(identifiers).not.toContain('globalThis');
  });

  test('nothing runs when the output is imported', async () => {
    const folder = temporaryFolder();
    for (const file of files) {
      const target = path.join(folder, file.path);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, file.contents);
    }
    const module = await importOutput(path.join(folder, 'draft/index.ts'));
    expect(module['METHODS']).toEqual({ PING: 'ping' });
    expect(globalThis).not.toHaveProperty('pwned');
  });

  test('no file has a hidden character', () => {
    for (const file of files) expect(findHiddenCharacters(file.contents), file.path).toEqual([]);
  });

  test('literals have their exact values', () => {
    const strings = code.strings();
    const identifiers = code.identifiers();
    for (const text of TEXTS) {
      expect(strings.has(text) || identifiers.has(text), JSON.stringify(text)).toBe(true);
      expect(strings, JSON.stringify(text)).toContain(`${text} `);
    }
  });

  test('no text adds a doc tag', () => {
    const allowed = [
      'defaultValue',
      'deprecated',
      'param',
      'returns',
      'throws',
      'example',
      'internal',
      'packageDocumentation',
    ];
    expect([...code.docTags()].filter((tag) => !allowed.includes(tag))).toEqual([]);
    // The only deprecation is the catalog's own.
    const deprecated: string[] = [];
    code.visit((node, file) => {
      if (ts.getJSDocDeprecatedTag(node) !== undefined) deprecated.push(`${path.basename(file)} ${node.getText()}`);
    });
    expect(deprecated.filter((place) => !/^(?:methods|client|server)\.ts/.test(place))).toEqual([]);
  });

  test('cannot leave the header', () => {
    for (const file of files) {
      const lines = file.contents.split('\n');
      const end = lines.indexOf('/* eslint-disable */');
      expect(end, file.path).toBeGreaterThan(1);
      for (const line of lines.slice(0, end)) expect(line).toMatch(/^\/\/ /);
      expect(lines[0]).toMatch(/^\/\/ @generated by mcpgen/);
    }
  });

  test('deprecation and default are printed as tags', async () => {
    const types = await generated(
      schemaWith({ Old: { type: 'object', properties: { a: { type: 'integer', default: 5, deprecated: true } } } }),
    );
    expect(findOutputFile(types, 'types')).toMatch(/@deprecated\n\s+\* @defaultValue `5`\n\s+\*\/\n\s+a\?: number;/);
  });
});

describe('names of definitions', () => {
  test('with all these names the output compiles', async () => {
    const schema = schemaWith();
    const members: Schema = {};
    for (const [name] of NAMES) {
      withOwnProperty(schema['$defs'] as Schema, name, {
        type: 'object',
        properties: { a: { const: name } },
        required: ['a'],
      });
      withOwnProperty(members, name, REF(pointerOf(name)));
    }
    withOwnProperty(schema['$defs'] as Schema, 'User', { type: 'object', properties: members });
    const files = await generated(schema);
    expect(await compileOutput(files).errors()).toEqual([]);
    for (const file of files) expect(findHiddenCharacters(file.contents), file.path).toEqual([]);
  });

  test('compiles despite conflicts with names in the output', async () => {
    const names = 'Kind M R Message Exclude ReadonlySet RequestMethodsBySender isObject check value'.split(' ');
    const { PingRequest, EmptyResult, ...rest } = pingDefinitions();
    const sets = new Map<string, readonly PlannedFile[]>();
    for (const name of names) {
      const response = { PingResultResponse: { type: 'object', properties: { result: REF(name) } } };
      const asResult = { ...rest, ...response, PingRequest, [name]: EmptyResult };
      const asMessage = { ...rest, EmptyResult, [name]: PingRequest, ClientRequest: REF(name) };
      const attempts = [
        ['result', asResult, catalogWith({ methods: [{ ...PING_ROW, result: name }] })],
        ['message', asMessage, catalogWith({ methods: [{ ...PING_ROW, message: name, params: `${name}.params` }] })],
      ] as const;
      for (const [what, definitions, catalog] of attempts) {
        const made = generated({ $defs: definitions }, catalog);
        const files = await made.catch(() => undefined);
        if (files === undefined) expect((await errorOf(made)).place).toBe(`schema.json#/$defs/${name}`);
        else sets.set(`${what}-${name}`, files);
      }
    }
    expect(sets.size).toBeGreaterThan(names.length);
    expect(await compileErrorsOf(sets)).toEqual([]);
  });
});

describe('references', () => {
  test('resolves chains of 20,000 references in linear time', async () => {
    const chain = (end: unknown): Schema => {
      const definitions: Schema = {};
      for (let index = 0; index < 20_000; index += 1) definitions[`A${index}`] = REF(`A${index + 1}`);
      return { ...definitions, A20000: end };
    };
    const circle = await refused(schemaWith(chain(REF('A0'))));
    expect(circle.message).toMatch(/circular definitions: A0 -> A1 -> .* -> A0$/);
    const started = Date.now();
    const protocol = await load(schemaWith(chain({ type: 'string' })));
    expect(protocol.definitions).toHaveLength(20_005);
    expect(Date.now() - started).toBeLessThan(20_000);
  });
});

describe('files that are no schema', () => {
  test('a schema of 250 levels is generated', async () => {
    let deep: Schema = { type: 'string' };
    for (let level = 0; level < 120; level += 1) {
      deep = level % 2 === 0 ? { type: 'array', items: deep } : { type: 'object', properties: { a: deep } };
    }
    const files = await generated(schemaWith({ Deep: deep }));
    expect(await compileOutput(files).errors()).toEqual([]);
  });

  test('a schema of 5 MB is generated in bounded time', async () => {
    const definitions: Schema = {};
    const description = 'A sentence that says a little about what this is. '.repeat(24).trim();
    let size = 0;
    for (let index = 0; size < 5_000_000; index += 1) {
      const one = {
        type: 'object',
        description,
        properties: {
          name: { type: 'string', description: 'The name.' },
          kind: { const: `kind-${index}` },
          next: REF(`Big${Math.max(0, index - 1)}`),
          list: { type: 'array', items: REF('RequestId') },
        },
        required: ['name'],
      };
      size += JSON.stringify(one).length;
      definitions[`Big${index}`] = one;
    }
    const contentsOfSchema = JSON.stringify(schemaWith(definitions));
    expect(contentsOfSchema.length).toBeGreaterThan(5_000_000);
    const out = temporaryFolder();
    const started = Date.now();
    const { protocols } = await generate({
      out,
      schema: { name: 'big.json', contents: contentsOfSchema },
      catalog: { name: 'catalog.json', contents: JSON.stringify(catalogWith()) },
      emit: ['types', 'methods', 'messages', 'guards', 'errors'],
    });
    const seconds = (Date.now() - started) / 1000;
    const types = readFiles(out).get('draft/types.ts') ?? '';
    const expected = [...Object.keys(definitions), ...Object.keys(pingDefinitions())].sort();
    expect([...types.matchAll(/^export type (\w+)/gm)].map((match) => match[1]).sort()).toEqual(expected);
    expect(protocols[0]?.definitions).toHaveLength(expected.length);
    expect(types).toContain(`kind?: "kind-${expected.length - 5}";`);
    expect(seconds).toBeLessThan(60);
  });
});

describe('the command line', () => {
  const attempt = async (
    schema: string | Uint8Array,
    more: { catalog?: string | Uint8Array; args?: readonly string[] } = {},
  ): Promise<readonly string[]> => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'schema.json'), schema);
    writeFileSync(path.join(cwd, 'catalog.json'), more.catalog ?? JSON.stringify(catalogWith()));
    const run = await mcpgen(
      ['generate', '--schema', 'schema.json', '--catalog', 'catalog.json', '--out', 'out', ...(more.args ?? [])],
      { cwd },
    );
    expect(run.stdout).toBe('');
    expect(run.code, run.stderr).toBe(2);
    expect(findInternals(run.stderr)).toEqual([]);
    expect(listFiles(cwd)).toEqual(['catalog.json', 'schema.json']);
    const lines = run.stderr.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^error: /);
    expect(lines.length).toBeGreaterThanOrEqual(2);
    return lines;
  };

  test.each<[string, string | Uint8Array, string]>([
    ['a truncated file', '{"$defs": {"A": {"type": "stri', 'error: schema.json:1:31: unexpected end of JSON'],
    ['an empty file', '', 'error: schema.json: the file is empty'],
    [
      'a program',
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 27, 91, 50, 74]),
      'error: schema.json: the file is not text',
    ],
    ['a UTF-16 file', Buffer.from(JSON.stringify(schemaWith()), 'utf16le'), 'error: schema.json: the file is UTF-16'],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 'error: schema.json: nested deeper than 256 levels'],
    [
      'a keyword',
      JSON.stringify(schemaWith({ Foo: { propertys: {} } })),
      'error: schema.json#/$defs/Foo/propertys: the keyword "propertys" is not supported',
    ],
    [
      'a reference',
      JSON.stringify(schemaWith({ Foo: REF('Nope') })),
      'error: schema.json#/$defs/Foo/$ref: the definition "Nope" does not exist',
    ],
  ])('%s: exit code 2, one message with place and remedy, nothing written', async (_, schema, first) => {
    const lines = await attempt(schema);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe(first);
    expect(lines[1]).toMatch(/^hint: \S.*[.?]$/);
  });

  test('a name with control characters is escaped on the terminal', async () => {
    const name = 'a\u001b[2J\u202e\u009b\n*/';
    const lines = await attempt(JSON.stringify(schemaWith({ [name]: { type: 'nope' } })));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('is not a type');
  });

  test('a name with control characters is escaped in a warning', async () => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'schema.json'), JSON.stringify(schemaWith({ 'a\u001b[2J\u202e\n': {} })));
    writeFileSync(path.join(cwd, 'catalog.json'), JSON.stringify(catalogWith()));
    const run = await mcpgen(['generate', '--schema', 'schema.json', '--catalog', 'catalog.json', '--out', 'out'], {
      cwd,
    });
    expect(run.code).toBe(0);
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(findHiddenCharacters(run.stderr)).toEqual([]);
  });

  test('the revision of the catalog does not lead out of the folder', async () => {
    await attempt(JSON.stringify(schemaWith()), { catalog: JSON.stringify(catalogWith({ revision: '../evil' })) });
  });

  test('--strict turns a warning into an error', async () => {
    const lines = await attempt(JSON.stringify(schemaWith({ Foo: {} })), { args: ['--strict'] });
    expect(lines[0]).toBe('error: schema.json#/$defs/Foo: Foo is the empty schema, so its type is unknown');
  });

  test('--revision does not lead out of the folder', async () => {
    for (const revision of ['../x', 'a/b', '..', '/etc']) {
      const lines = await attempt(JSON.stringify(schemaWith()), { args: ['--revision', revision] });
      expect(lines[0]).toBe(`error: --revision: ${JSON.stringify(revision)} is not a valid name for a revision`);
    }
  });
});

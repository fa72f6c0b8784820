import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadProtocol, type Protocol, type TypeNode } from '../../generator/index.js';
import { builtinDocs } from '../../generator/read/builtin/docs.js';
import { requireReferenceMaterial, officialSchema } from '../support/reference-material.js';
import { REVISIONS } from '../support/revisions.js';

interface DocFile {
  readonly members: Record<string, string | Record<string, string>>;
  readonly selfExplanatory: readonly string[];
  readonly definitions: Record<
    string,
    {
      doc: string | Record<string, string>;
      members?: Record<string, string | Record<string, string>>;
      deprecated?: Record<string, string | Record<string, string>>;
    }
  >;
}

const file = JSON.parse(readFileSync(path.resolve('schema/docs.json'), 'utf8')) as DocFile;
const protocols = new Map<string, Protocol>();

beforeAll(async () => {
  for (const { revision } of REVISIONS) protocols.set(revision, await loadProtocol({ revision }));
});

function protocolOf(revision: string): Protocol {
  const protocol = protocols.get(revision);
  if (protocol === undefined) throw new Error(`${revision} was not loaded`);
  return protocol;
}

/** Paths of all members of a type, however deep. */
function memberPaths(type: TypeNode, prefix: readonly string[] = []): readonly (readonly string[])[] {
  switch (type.kind) {
    case 'object':
      return [
        ...type.members.flatMap((member) => [
          [...prefix, member.name],
          ...memberPaths(member.type, [...prefix, member.name]),
        ]),
        ...(type.rest === undefined ? [] : memberPaths(type.rest, prefix)),
      ];
    case 'array':
      return memberPaths(type.items, prefix);
    case 'union':
      return type.variants.flatMap((variant) => memberPaths(variant, prefix));
    case 'intersection':
      return type.parts.flatMap((part) => memberPaths(part, prefix));
    default:
      return [];
  }
}

describe.each(REVISIONS)('docs of $revision', ({ revision }) => {
  test('every definition and method has one', () => {
    const { definitions, methods } = protocolOf(revision);
    expect(definitions.filter((definition) => !definition.doc).map((definition) => definition.name)).toEqual([]);
    expect(methods.filter((method) => method.summary.trim() === '').map((method) => method.name)).toEqual([]);
  });

  test('every member has one unless its name is enough', () => {
    const docs = builtinDocs(revision);
    const silent = protocolOf(revision).definitions.flatMap((definition) =>
      memberPaths(definition.type)
        .filter(
          (at) => docs.member(definition.name, at) === undefined && !file.selfExplanatory.includes(at.at(-1) ?? ''),
        )
        .map((at) => `${definition.name}.${at.join('.')}`),
    );
    expect(silent).toEqual([]);
  });
});

test('no text is written for a definition or member that no revision has', () => {
  const known = new Set<string>();
  for (const protocol of protocols.values()) {
    for (const definition of protocol.definitions) {
      known.add(definition.name);
      for (const at of memberPaths(definition.type)) {
        known.add(`${definition.name}.${at.join('.')}`);
        // Older revisions write params inline; their texts stand under the params definition of newer ones.
        if (at[0] === 'params') known.add(`${definition.name}Params.${at.slice(1).join('.')}`);
      }
    }
  }
  const written = Object.entries(file.definitions).flatMap(([name, entry]) => [
    name,
    ...Object.keys({ ...entry.members, ...entry.deprecated })
      .filter((at) => at !== '')
      .map((at) => `${name}.${at}`),
  ]);
  expect(written.filter((item) => !known.has(item))).toEqual([]);
});

/** All texts of ours: docs, catalogs, errata. */
function ownTexts(): readonly string[] {
  const texts: string[] = [];
  const collect = (value: unknown, key = ''): void => {
    if (typeof value === 'string') {
      if (!['$ref', 'pointer', 'source', '$schema', 'at'].includes(key)) texts.push(value);
    } else if (value !== null && typeof value === 'object') {
      for (const [name, item] of Object.entries(value)) collect(item, name);
    }
  };
  collect(file);
  for (const name of ['errata.json', 'catalog.schema.json'])
    collect(JSON.parse(readFileSync(path.resolve('schema', name), 'utf8')));
  for (const { revision } of REVISIONS) {
    collect(JSON.parse(readFileSync(path.resolve('schema', revision, 'catalog.json'), 'utf8')));
  }
  return texts;
}

test('each text is a short sentence', () => {
  const wrong = ownTexts()
    .filter((text) => text.includes(' ') && text !== 'Model Context Protocol')
    .filter((text) => text.length > 300 || /^@|<[a-z]+>|\]\(/m.test(text));
  expect(wrong).toEqual([]);
  const open = [
    ...Object.values(file.definitions).flatMap((entry) => [entry.doc, ...Object.values(entry.members ?? {})]),
  ]
    .flatMap((text) => (typeof text === 'string' ? [text] : Object.values(text)))
    .filter((text) => text !== '' && !text.endsWith('.'));
  expect(open).toEqual([]);
});

test('no run of seven words coincides with an official description', (context) => {
  requireReferenceMaterial(context);
  const words = (text: string): string[] => text.toLowerCase().match(/[a-z0-9_/]+/g) ?? [];
  const runs = (text: string): string[] => {
    const all = words(text);
    return all.slice(6).map((_, index) => all.slice(index, index + 7).join(' '));
  };
  const official = new Set<string>();
  const collect = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    for (const [key, item] of Object.entries(value)) {
      if (key === 'description' && typeof item === 'string') for (const run of runs(item)) official.add(run);
      else collect(item);
    }
  };
  for (const { revision } of REVISIONS) collect(JSON.parse(officialSchema(revision)));
  expect(official.size).toBeGreaterThan(1000);
  expect(ownTexts().filter((text) => runs(text).some((run) => official.has(run)))).toEqual([]);
});

test('generated/ holds no official description either', (context) => {
  requireReferenceMaterial(context);
  const descriptions = new Set<string>();
  const collect = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    for (const [key, item] of Object.entries(value)) {
      if (key === 'description' && typeof item === 'string') {
        for (const sentence of item.split(/(?<=\.)\s+/))
          if (sentence.length > 50) descriptions.add(sentence.replace(/\s+/g, ' '));
      } else collect(item);
    }
  };
  for (const { revision } of REVISIONS) collect(JSON.parse(officialSchema(revision)));
  const files = readdirSync('generated', { recursive: true })
    .map((name) => path.join('generated', String(name)))
    .filter((name) => statSync(name).isFile());
  expect(files.length).toBeGreaterThan(20);
  for (const name of files) {
    const text = readFileSync(name, 'utf8')
      .replace(/\n\s*\* ?/g, ' ')
      .replace(/\s+/g, ' ');
    expect([...descriptions].filter((sentence) => text.includes(sentence))).toEqual([]);
  }
});

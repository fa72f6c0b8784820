/** What plugins print, and extensions add, for a protocol with other words for its sides. */
import { expect, test } from 'vitest';
import { loadProtocol, render, type ExtensionFiles } from '../../generator/index.js';
import markdown from '../../generator/plugins/markdown.js';
import openrpc from '../../generator/plugins/openrpc.js';
import { compileErrorsOf, errorOf, findOutputFile } from '../support/hostile.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const capabilities = {
  type: 'object',
  properties: { extensions: { type: 'object', additionalProperties: { type: 'object' } } },
};
const ADD = {
  method: 'notes/add',
  kind: 'request',
  direction: 'editorToStore',
  params: 'AddParams',
  result: 'AddResult',
  capability: null,
  summary: 'Adds a note.',
};
const CHANGED = {
  method: 'notes/changed',
  kind: 'notification',
  direction: 'storeToEditor',
  params: 'ChangedParams',
  capability: null,
  summary: 'Reports a change.',
};

const json = (name: string, value: object) => ({ name, contents: JSON.stringify(value) });

/** A protocol between an editor and a store. */
async function notes(extend: readonly ExtensionFiles[] = []) {
  return loadProtocol({
    schema: json('notes.json', {
      $schema: DIALECT,
      $defs: {
        AddParams: text,
        AddResult: text,
        ChangedParams: text,
        EditorCapabilities: capabilities,
        StoreCapabilities: capabilities,
      },
    }),
    catalog: json('notes-catalog.json', {
      protocol: 'Notes',
      revision: 'r1',
      traits: {
        sides: { client: 'editor', server: 'store' },
        capabilities: { client: 'EditorCapabilities', server: 'StoreCapabilities' },
      },
      methods: [ADD, CHANGED],
      errors: [],
    }),
    extend,
  });
}

/** An extension of that protocol with a request in a direction. */
function search(direction: string): ExtensionFiles {
  const { capability: _none, ...row } = ADD;
  return {
    catalog: json('catalog.json', {
      extension: 'com.example/search',
      summary: 'Finds notes.',
      extends: ['r1'],
      capabilities: { store: 'SearchCapability' },
      methods: [{ ...row, method: 'notes/search', direction, params: 'SearchParams', result: 'SearchResult' }],
    }),
    schema: json('schema.json', {
      $schema: DIALECT,
      $defs: { SearchCapability: text, SearchParams: text, SearchResult: text },
    }),
  };
}

test('plugins name the sides by the words of the protocol, and no lifecycle that it does not have', async () => {
  const plugins = [
    { name: 'markdown', plugin: markdown },
    { name: 'openrpc', plugin: openrpc },
  ];
  const files = await render(await notes(), 'out', { emit: ['types'], plugins });
  const [page = '', document = ''] = ['reference.md', 'openrpc.json'].map(
    (name) => files.find(({ path }) => path.endsWith(name))?.contents,
  );
  expect(page).toContain('2 methods, 7 definitions.\n');
  expect(page).toContain('- Request, editor to store: ');
  expect(page).toMatch(/\| notification +\| store to editor +\|/);
  const { components, methods } = JSON.parse(document) as {
    components: { tags: Record<string, { description: string }> };
    methods: readonly { tags: readonly { $ref: string }[]; 'x-direction': string }[];
  };
  expect(components.tags['editorToStore']).toEqual({ name: 'editorToStore', description: 'Sent by the editor.' });
  expect(components.tags['storeToEditor']).toEqual({ name: 'storeToEditor', description: 'Sent by the store.' });
  expect(methods.map((method) => method['x-direction'])).toEqual(['editorToStore', 'storeToEditor']);
  for (const { tags } of methods)
    for (const { $ref } of tags) expect(Object.keys(components.tags)).toContain($ref.split('/').at(-1));
  expect(page + document).not.toMatch(/\b(?:client|server|self-contained|handshake)\b|clientToServer|serverToClient/i);
});

test('an extension adds a call and a handler, in the words of the protocol', async () => {
  const protocol = await notes([search('editorToStore')]);
  const method = protocol.methods.find(({ name }) => name === 'notes/search');
  expect(method).toMatchObject({
    direction: 'clientToServer',
    extension: 'com.example/search',
    capabilities: ['store.extensions.com.example/search'],
  });
  const files = await render(protocol, '/nowhere', { emit: ['client', 'server'] });
  expect(findOutputFile(files, 'editor')).toContain('search(params: SearchParams, options?: CallOptions)');
  expect(findOutputFile(files, 'store')).toMatch(/readonly ["']notes\/search["']\?: \(/);
  expect(findOutputFile(files, 'methods')).toMatch(/direction: ["']editorToStore["']/);
  expect(await compileErrorsOf(new Map([['notes', files]]))).toEqual([]);
});

test('an extension with the words of another protocol is an error', async () => {
  const { message } = await errorOf(notes([search('clientToServer')]));
  expect(message).toContain('"clientToServer" is not a direction of this protocol');
});

/** An extension of the small protocols, and ways in which it can be wrong. */
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';

export interface ExtensionInput {
  catalog: Record<string, JsonValue>;
  definitions: Record<string, JsonValue>;
}

const text: JsonObject = { type: 'string' };

const message = (method: string, params: JsonObject): JsonObject => ({
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { $ref: '#/$defs/RequestId' },
    method: { const: method },
    params: { type: 'object', properties: params, required: Object.keys(params) },
  },
  required: ['jsonrpc', 'id', 'method', 'params'],
});

/** The extension of a revision, with a request, a notification, members and an error. */
export function extensionOf(revision: string): ExtensionInput {
  return {
    catalog: {
      extension: 'com.example/notes',
      summary: 'Keeps notes.',
      extends: [revision],
      schema: 'notes.json',
      capabilities: { server: 'NotesCapability' },
      methods: [
        {
          method: 'notes/write',
          kind: 'request',
          direction: 'clientToServer',
          message: 'WriteNoteRequest',
          params: 'WriteNoteRequest.params',
          result: 'WriteNoteResult',
          summary: 'Writes a note.',
        },
        {
          method: 'notes/changed',
          kind: 'notification',
          direction: 'both',
          message: 'NotesChangedNotification',
          params: null,
          summary: 'Announces a change.',
          deprecated: 'Read them again.',
        },
      ],
      members: [
        { definition: 'Item', from: 'ItemNotes' },
        { definition: 'OpenRequestParams', member: 'info', from: 'InfoNotes' },
      ],
      errors: [{ name: 'NO_NOTE', code: 404, summary: 'No such note.' }],
    },
    definitions: {
      RequestId: { type: ['string', 'integer'], description: 'An id.' },
      NotesCapability: { type: 'object', properties: { max: { type: 'integer' } } },
      WriteNoteRequest: message('notes/write', { text }),
      WriteNoteResult: { type: 'object', properties: { id: text }, required: ['id'] },
      NotesChangedNotification: {
        type: 'object',
        properties: { jsonrpc: { const: '2.0' }, method: { const: 'notes/changed' } },
        required: ['jsonrpc', 'method'],
      },
      ItemNotes: { type: 'object', properties: { notes: { type: 'array', items: text } } },
      InfoNotes: { type: 'object', properties: { notes: { type: 'boolean' } } },
    },
  };
}

/** The same for a revision whose results may require input, with another result and an embedded request. */
export function statelessExtension(): ExtensionInput {
  const { catalog, definitions } = extensionOf('2026-02-02');
  const { NotesChangedNotification: _changed, InfoNotes: _info, ...others } = definitions;
  const [request = {}] = catalog['methods'] as JsonObject[];
  const embedded = {
    method: 'notes/pick',
    kind: 'request',
    direction: 'embedded',
    message: 'PickNoteRequest',
    params: null,
    result: 'PickNoteResult',
    summary: 'Has the user pick a note.',
  };
  return {
    catalog: {
      ...catalog,
      methods: [request, embedded],
      members: [{ definition: 'Filter', from: 'ItemNotes' }],
      results: [{ method: 'items/read', result: 'NoteResult' }],
    },
    definitions: {
      ...others,
      PickNoteRequest: { type: 'object', properties: { method: { const: 'notes/pick' } }, required: ['method'] },
      PickNoteResult: { type: 'object', properties: { id: text }, required: ['id'] },
      NoteResult: {
        allOf: [
          { $ref: '#/$defs/NoteBase' },
          { type: 'object', properties: { note: text }, required: ['note', 'resultType'] },
        ],
      },
      NoteBase: { type: 'object', properties: { resultType: { const: 'note' } } },
    },
  };
}

type Change = (input: ExtensionInput) => void;

const setRow =
  (change: JsonObject): Change =>
  ({ catalog }) => {
    const [first, ...others] = catalog['methods'] as JsonObject[];
    catalog['methods'] = [{ ...first, ...change }, ...others];
  };

const set =
  (key: string, value: JsonValue): Change =>
  ({ catalog }) => {
    catalog[key] = value;
  };

const define =
  (name: string, schema: JsonValue): Change =>
  ({ definitions }) => {
    definitions[name] = schema;
  };

const all =
  (...changes: readonly Change[]): Change =>
  (input) => {
    for (const change of changes) change(input);
  };

/** Faults in the extension of the protocol with a handshake. */
export const STATEFUL_FAULTS: Readonly<Record<string, Change>> = {
  'another revision': set('extends', ['2020-01-01']),
  'several other revisions': set('extends', ['2020-01-01', '2021-01-01']),
  'a definition that differs': define('Item', { type: 'null' }),
  'a method of the revision': setRow({ method: 'ping' }),
  'an unknown direction': setRow({ direction: 'editorToAgent' }),
  'a request inside results': setRow({ direction: 'embedded' }),
  'a message that does not exist': setRow({ message: 'Gone' }),
  'a result that does not exist': setRow({ result: 'Gone' }),
  'a capability that does not exist': set('capabilities', { client: 'Gone' }),
  'a side that does not exist': set('capabilities', { agent: 'NotesCapability' }),
  'a further result where each request has one': set('results', [{ method: 'items/list', result: 'WriteNoteResult' }]),
  'a further result of a notification': set('results', [{ method: 'opened', result: 'WriteNoteResult' }]),
  'a further result of its own method': set('results', [{ method: 'notes/write', result: 'WriteNoteResult' }]),
  'members of a definition that does not exist': set('members', [{ definition: 'Gone', from: 'ItemNotes' }]),
  'members of a text': set('members', [{ definition: 'RequestId', from: 'ItemNotes' }]),
  'members of its own definition': set('members', [{ definition: 'InfoNotes', from: 'ItemNotes' }]),
  'members from nothing': set('members', [{ definition: 'Item', from: 'Gone' }]),
  'members from the revision': set('members', [{ definition: 'Item', from: 'Implementation' }]),
  'members with limits': define('ItemNotes', { type: 'object', properties: { a: text }, maxProperties: 1 }),
  'members that are required': define('ItemNotes', { type: 'object', properties: { a: text }, required: ['a'] }),
  'members that exist': define('ItemNotes', { type: 'object', properties: { name: text } }),
  'members that exist inside': define('InfoNotes', { type: 'object', properties: { version: text } }),
  'members of a member that is a text': set('members', [{ definition: 'Item', member: 'name', from: 'ItemNotes' }]),
  'members of a member that does not exist': set('members', [
    { definition: 'Item', member: 'gone', from: 'ItemNotes' },
  ]),
  'an error code of the revision': set('errors', [{ name: 'OTHER', code: -1, summary: 'Other.' }]),
  'an error name of the revision': set('errors', [{ name: 'REFUSED', code: 7, summary: 'Other.' }]),
  'a reserved error code': set('errors', [{ name: 'OTHER', code: -32_768, summary: 'Other.' }]),
  'the last reserved error code': set('errors', [{ name: 'OTHER', code: -32_000, summary: 'Other.' }]),
  'an error code that is too large': set('errors', [{ name: 'OTHER', code: 2 ** 60, summary: 'Other.' }]),
};

const result = (schema: JsonObject): Change => define('NoteResult', schema);

const typed = (value: JsonValue, required: readonly string[] = ['resultType']): JsonObject => ({
  type: 'object',
  properties: { resultType: { const: value } },
  required,
});

/** Faults in the extension of the protocol without a handshake. */
export const STATELESS_FAULTS: Readonly<Record<string, Change>> = {
  'a request from the server': setRow({ direction: 'serverToClient' }),
  'a request from both sides': setRow({ direction: 'both' }),
  'a further result of an embedded request': set('results', [{ method: 'ask', result: 'NoteResult' }]),
  'a result that the runtime cannot follow': set('results', [
    { method: 'items/read', result: 'NoteResult', followed: true },
  ]),
  'a result that the request has': set('results', [{ method: 'items/read', result: 'ReadItemResult' }]),
  'a result without a type': result({ type: 'object' }),
  'a result with an optional type': result(typed('note', [])),
  'a result whose type is a number': result(typed(5)),
  'a result that is complete': all(
    result(typed('complete')),
    set('results', [{ method: 'listen', result: 'NoteResult' }]),
  ),
  'a result that requires input': all(
    result(typed('input')),
    set('results', [{ method: 'discover', result: 'NoteResult' }]),
  ),
  'a result like another one': result(typed('complete')),
};

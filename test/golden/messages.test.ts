/** The messages about definitions, names and catalogs that are not valid. */
import { expect, test } from 'vitest';
import { emit } from '../../generator/emit/index.js';
import type { Emittable } from '../../generator/index.js';
import { parseDefinitions } from '../../generator/model/schema/definitions.js';
import { NO_DOCS } from '../../generator/read/builtin/docs.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import { createPatternCheck } from '../../generator/read/patterns.js';
import { DEFINITION_FAULTS, NAME_FAULTS } from './messages.js';
import { load, PROTOCOLS } from './protocols.js';
import { errorText, expectedFile, messageOr, messageText, section } from './support.js';

const checkPattern = createPatternCheck();

test('definitions', async () => {
  const texts = Object.entries(DEFINITION_FAULTS).map(([title, definitions]) =>
    section(
      title,
      messageOr(() => {
        const { warnings } = parseDefinitions(definitions, NO_DOCS, 'schema.json', { checkPattern });
        return warnings.length === 0 ? '(valid)' : warnings.map(messageText).join('\n');
      }),
    ),
  );
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile('definition-messages'));
});

test('names', async () => {
  const base = await load(PROTOCOLS.peers);
  const parts: readonly Emittable[] = [
    'types',
    'methods',
    'messages',
    'guards',
    'validators',
    'client',
    'server',
    'zod',
  ];
  const texts = Object.entries(NAME_FAULTS).map(([title, own]) =>
    section(
      title,
      messageOr(() => {
        const { definitions } = parseDefinitions(own, NO_DOCS, 'schema.json');
        emit({ ...base, definitions: [...base.definitions, ...definitions] }, parts, 'js');
        return '(valid)';
      }),
    ),
  );
  for (const sides of [
    { client: 'class', server: 'agent' },
    { client: 'editor', server: 'array' },
    { client: 'signal', server: 'agent' },
    { client: 'types', server: 'agent' },
    { client: 'Editor', server: 'editor' },
    { client: 'index', server: 'agent' },
    { client: 'method', server: 'agent' },
    { client: 'peer', server: 'agent' },
    { client: 'any', server: 'agent' },
  ])
    texts.push(
      section(
        `the sides ${sides.client} and ${sides.server}`,
        messageOr(() => {
          emit({ ...base, traits: { ...base.traits, sides } }, parts, 'js');
          return '(valid)';
        }),
      ),
    );
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile('name-messages'));
});

type Change = (catalog: Record<string, JsonValue>, definitions: Record<string, JsonValue>) => void;

const change =
  (method: string, members: JsonObject): Change =>
  (catalog) => {
    catalog['methods'] = (catalog['methods'] as JsonObject[]).map((row) =>
      row['method'] === method ? { ...row, ...members } : row,
    );
  };

const without =
  (method: string): Change =>
  (catalog) => {
    catalog['methods'] = (catalog['methods'] as JsonObject[]).filter((row) => row['method'] !== method);
  };

const error =
  (name: string, members: JsonObject): Change =>
  (catalog) => {
    catalog['errors'] = (catalog['errors'] as JsonObject[]).map((row) =>
      row['name'] === name ? { ...row, ...members } : row,
    );
  };

const CATALOG_FAULTS: Readonly<Record<string, readonly [keyof typeof PROTOCOLS, Change]>> = {
  'a method without a row': ['stateful', without('ask')],
  'two methods without rows': [
    'stateful',
    (...files) => {
      without('ask')(...files);
      without('ping')(...files);
    },
  ],
  'a row without a method': ['stateful', change('ask', { method: 'gone', message: 'AskRequest' })],
  'another kind': [
    'stateful',
    (catalog) => {
      catalog['methods'] = (catalog['methods'] as JsonObject[]).map((row) => {
        if (row['method'] !== 'opened') return row;
        return { ...row, kind: 'request', result: 'EmptyResult' };
      });
    },
  ],
  'another direction': ['stateful', change('ask', { direction: 'clientToServer' })],
  'an embedded method': ['stateful', change('ask', { direction: 'embedded' })],
  'other params': ['stateful', change('ask', { params: 'OpenRequestParams' })],
  'no params': ['stateful', change('ask', { params: null })],
  'another result': ['stateful', change('items/list', { result: 'OpenResult' })],
  'a result that does not exist': ['stateful', change('items/list', { result: 'Gone' })],
  'an assumed result': ['stateful', change('level/set', { result: 'Result' })],
  'an assumed result of another method': ['stateful', change('level/set', { result: 'OpenResult' })],
  'no result for tasks': ['stateful', change('items/list', { taskResult: 'TaskResult' })],
  'a result for tasks that does not exist': ['stateful', change('items/read', { taskResult: 'Gone' })],
  'another message': ['stateful', change('ask', { message: 'PingRequest' })],
  'no message': ['stateful', change('opened', { message: 'Gone' })],
  'a capability that does not exist': ['stateful', change('ask', { capability: 'client.gone.too' })],
  'a capability of no side': ['stateful', change('ask', { capability: 'agent.ask' })],
  'another error code': ['stateful', error('NO_ITEM', { code: -5 })],
  'an error without its definition': ['stateful', error('NO_ITEM', { definition: 'Item' })],
  'an error with a definition that does not exist': ['stateful', error('REFUSED', { definition: 'Gone' })],
  'two definitions of a method': [
    'stateful',
    (_, definitions) => {
      definitions['AskAgainRequest'] = definitions['AskRequest'] as JsonValue;
    },
  ],
  'a method in no union': [
    'stateful',
    (_, definitions) => {
      definitions['ServerRequest'] = { anyOf: [{ $ref: '#/$defs/PingRequest' }] };
    },
  ],
  'many faults': [
    'stateful',
    (catalog) => {
      catalog['methods'] = (catalog['methods'] as JsonObject[]).map((row) => ({ ...row, message: 'Gone' }));
    },
  ],
  'another revision': [
    'stateful',
    (_, definitions) => {
      definitions['$comment'] = 'x';
    },
  ],
  'params that are no definition': ['peers', change('fs/read', { params: 'Gone' })],
  'an error code that the schema has': [
    'peers',
    (catalog) => {
      catalog['errors'] = [];
    },
  ],
  'a name that a message would have': [
    'peers',
    (_, definitions) => {
      definitions['StartParamsMessage'] = { type: 'string' };
    },
  ],
  'a direction of other sides': ['peers', change('fs/read', { direction: 'serverToClient' })],
};

test('catalogs', async () => {
  const texts: string[] = [];
  for (const [title, [name, apply]] of Object.entries(CATALOG_FAULTS)) {
    const { catalog, definitions } = PROTOCOLS[name];
    const [changedCatalog, changedDefinitions] = [{ ...catalog }, { ...definitions }];
    apply(changedCatalog, changedDefinitions);
    const files = { catalog: changedCatalog, definitions: changedDefinitions };
    texts.push(section(title, await load(files).then(() => '(valid)', errorText)));
  }
  await expect(texts.join('\n')).toMatchFileSnapshot(expectedFile('catalog-messages'));
});

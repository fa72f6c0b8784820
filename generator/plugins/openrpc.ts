/**
 * The plugin `mcpgen/plugins/openrpc`: an OpenRPC document of each revision, `openrpc.json`.
 *
 * OpenRPC 1.3.2 describes parameters one by one and has JSON Schema draft-07. What it has no member for is in members
 * that begin with `x-`: who sends a method, the capabilities that it needs, and the schema of all parameters together.
 */
import {
  definePlugin,
  directionWord,
  sideWords,
  type JsonObject,
  type JsonSchemaOptions,
  type Method,
  type PluginTools,
  type Protocol,
} from '../plugin.js';

const SCHEMAS = '#/components/schemas/';
const OPTIONS: JsonSchemaOptions = { dialect: 'draft-07', refPrefix: SCHEMAS };

/** What a tag means: who sends a method, and whether it expects a response. */
function tagsOf(protocol: Protocol): Readonly<Record<string, string>> {
  const { client, server } = sideWords(protocol);
  return {
    [directionWord(protocol, 'clientToServer')]: `Sent by the ${client}.`,
    [directionWord(protocol, 'serverToClient')]: `Sent by the ${server}.`,
    both: 'Sent by both sides.',
    embedded: 'Not sent as a message, but inside the result of another method.',
    request: 'Expects a response.',
    notification: 'Expects no response.',
  };
}

export default definePlugin(1, (protocol, tools) => [
  { path: 'openrpc.json', text: `${JSON.stringify(openRpcDocument(protocol, tools), null, 2)}\n` },
]);

function openRpcDocument(protocol: Protocol, tools: PluginTools): JsonObject {
  const errors = protocol.errors.map(({ name, code, summary }) => [name, { code, message: summary }] as const);
  const tags = Object.entries(tagsOf(protocol)).map(([name, description]) => [name, { name, description }] as const);
  const schemas = protocol.definitions.map(
    (definition) => [definition.name, tools.documentedSchema(definition, OPTIONS)] as const,
  );
  return {
    openrpc: '1.3.2',
    info: {
      title: protocol.name,
      version: protocol.version,
      ...(protocol.lifecycle === undefined ? {} : { 'x-lifecycle': protocol.lifecycle }),
      'x-draft': protocol.isDraft,
    },
    methods: protocol.methods.map((method) => methodObject(method, protocol, tools)),
    components: {
      schemas: Object.fromEntries(schemas),
      errors: Object.fromEntries(errors),
      tags: Object.fromEntries(tags),
    },
  };
}

function methodObject(method: Method, protocol: Protocol, tools: PluginTools): JsonObject {
  const { errors } = protocol;
  const direction = directionWord(protocol, method.direction);
  const params = tools.params(method);
  const members = params === undefined ? [] : tools.members(params);
  return {
    name: method.name,
    summary: method.summary,
    ...(method.deprecated === undefined ? {} : { description: `Deprecated: ${method.deprecated}`, deprecated: true }),
    tags: [{ $ref: `#/components/tags/${direction}` }, { $ref: `#/components/tags/${method.kind}` }],
    paramStructure: 'by-name',
    params: members.map((member) => ({
      name: member.name,
      ...(member.doc === undefined ? {} : { description: member.doc }),
      required: member.required,
      schema: tools.jsonSchema(member.type, OPTIONS),
      ...(member.deprecated === undefined ? {} : { deprecated: true }),
    })),
    // Without a result, OpenRPC takes a method for a notification.
    ...(method.kind === 'request' ? { result: { name: 'result', schema: resultSchema(method, tools) } } : {}),
    ...(method.kind === 'request'
      ? { errors: errors.map(({ name }) => ({ $ref: `#/components/errors/${encodeURIComponent(name)}` })) }
      : {}),
    'x-direction': direction,
    'x-message': tools.jsonSchema({ kind: 'ref', name: method.message }, OPTIONS),
    ...(params === undefined ? {} : { 'x-params': tools.jsonSchema(params, OPTIONS) }),
    ...(method.capabilities.length === 0 ? {} : { 'x-capabilities': method.capabilities }),
    ...(method.extension === undefined ? {} : { 'x-extension': method.extension }),
  };
}

/** The schema of all results that a request may have. */
function resultSchema({ results, taskResult }: Method, tools: PluginTools): JsonObject {
  const names = [...results, ...(taskResult === undefined ? [] : [taskResult])];
  const schemas = names.map((name) => tools.jsonSchema({ kind: 'ref', name }, OPTIONS));
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { anyOf: schemas };
}

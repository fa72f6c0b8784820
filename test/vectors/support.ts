import { loadProtocol } from '../../generator/index.js';
import type { Method, Protocol } from '../../generator/model/protocol.js';
import { mergeExtensions } from '../../generator/model/extensions/merge.js';
import { readBuiltinExtension } from '../../generator/model/extensions/load.js';
import { builtinCatalog, builtinErrata, builtinSchema } from '../../generator/read/builtin/revisions.js';
import { applyErrata } from '../../generator/read/errata.js';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../generator/read/json/json.js';
import { canonicalizeSchema } from '../../generator/read/schema/canonical.js';
import type { DefinitionVector, MessageVector } from '../../generator/vectors/form.js';
import { vectorsOf, type VectorSet } from '../../generator/vectors/set.js';
import type { Validation } from '../../templates/runtime/validation.js';
import { TASKS } from '../extensions/support.js';
import { oracleOf } from '../support/oracle.js';

/** What has vectors: the released revisions, and the last one with the extension for tasks. */
export const SUBJECTS: readonly Subject[] = [
  { title: '2024-11-05', revision: '2024-11-05', extensions: [] },
  { title: '2025-03-26', revision: '2025-03-26', extensions: [] },
  { title: '2025-06-18', revision: '2025-06-18', extensions: [] },
  { title: '2025-11-25', revision: '2025-11-25', extensions: [] },
  { title: '2026-07-28', revision: '2026-07-28', extensions: [] },
  { title: '2026-07-28 with tasks', revision: '2026-07-28', extensions: [TASKS] },
];

/** The subject of a revision without extensions. */
export function subjectOf(revision: string): Subject {
  return { title: revision, revision, extensions: [] };
}

export interface Subject {
  readonly title: string;
  readonly revision: string;
  readonly extensions: readonly string[];
}

/** A protocol with its vectors. */
export interface Vectors {
  readonly protocol: Protocol;
  readonly official: Protocol;
  readonly set: VectorSet;
}

const loaded = new Map<string, Promise<Vectors>>();

/** The vectors of a subject, made once. */
export function vectorsOfSubject(subject: Subject): Promise<Vectors> {
  const known = loaded.get(subject.title) ?? load(subject);
  loaded.set(subject.title, known);
  return known;
}

async function load({ revision, extensions }: Subject): Promise<Vectors> {
  const protocol = await loadProtocol({ revision, extensions });
  const official = await loadProtocol({ revision, extensions, errata: false });
  return { protocol, official, set: vectorsOf(protocol, official) };
}

export function definitionVectors({ set }: Vectors): readonly (readonly [string, DefinitionVector])[] {
  return [...set.files.values()].flatMap((file) =>
    file.kind === 'definition' ? file.vectors.map((vector) => [file.definition, vector] as const) : [],
  );
}

export function messageVectors({ set }: Vectors): readonly MessageVector[] {
  return [...set.files.values()].flatMap((file) => (file.kind === 'message' ? file.vectors : []));
}

/** The definitions of a subject as JSON Schema, with or without errata. */
export function schemaOf({ revision, extensions }: Subject, { traits }: Protocol, withErrata: boolean): JsonObject {
  const { definitions: published } = canonicalizeSchema(builtinSchema(revision), 'schema.json');
  const errata = withErrata ? builtinErrata() : [];
  const { definitions } = applyErrata(published, revision, errata, 'schema.json');
  const catalog = builtinCatalog(revision);
  const places = { schema: 'schema.json', catalog: 'catalog.json' };
  return mergeExtensions(
    { names: [revision], definitions, published, catalog, traits, places },
    extensions.map((id) => readBuiltinExtension(id, revision, withErrata)),
  ).definitions;
}

/** Generated validators of whole messages. */
export interface MessageValidators {
  readonly validateResponse: (method: string, value: unknown) => Validation<unknown>;
  readonly validateRequestMessage: (value: unknown) => Validation<unknown>;
  readonly validateNotificationMessage: (value: unknown) => Validation<unknown>;
}

/** The verdict of generated validators on a message, as a receiver asks them. */
export function ourMessageVerdict(
  { methods, batches }: Protocol,
  validators: MessageValidators,
  { sender, answers, message }: MessageVector,
): { readonly valid: boolean; readonly pointer?: string } {
  if (answers !== undefined) return verdictOf(validators.validateResponse(answers, message));
  if (batches && Array.isArray(message) && message.length > 0) {
    const verdicts = (message as readonly JsonValue[]).map((item) => validators.validateRequestMessage(item));
    return { valid: verdicts.every(({ success }) => success) };
  }
  const method = methods.find(({ name }) => isObject(message) && message['method'] === name);
  const outcome =
    method?.kind === 'notification'
      ? validators.validateNotificationMessage(message)
      : validators.validateRequestMessage(message);
  if (!outcome.success) return verdictOf(outcome);
  return method !== undefined && isSentBy(method, sender) ? { valid: true } : { valid: false, pointer: '/method' };
}

export function verdictOf(outcome: Validation<unknown>): { readonly valid: boolean; readonly pointer?: string } {
  return outcome.success ? { valid: true } : { valid: false, pointer: outcome.failure.path };
}

function isSentBy({ direction }: Method, sender: 'client' | 'server'): boolean {
  return direction === 'both' || direction === (sender === 'client' ? 'clientToServer' : 'serverToClient');
}

/** Ajv's verdict on a message: the envelope of JSON-RPC as a schema, and the definitions of the protocol. */
export function ajvMessageVerdict(protocol: Protocol, definitions: JsonObject): (vector: MessageVector) => boolean {
  const oracle = oracleOf({ ...definitions, ...ENVELOPES });
  return ({ sender, answers, message }) => {
    if (answers !== undefined) {
      if (oracle('test error')(message)) return true;
      const method = protocol.methods.find(({ name }) => name === answers);
      return (
        oracle('test result')(message) &&
        isObject(message) &&
        isResult(oracle, protocol, method, ownMember(message, 'result'))
      );
    }
    const items = protocol.batches && Array.isArray(message) ? (message as readonly JsonValue[]) : [message];
    return items.length > 0 && items.every((item) => isMessage(oracle, protocol, sender, item));
  };
}

function isMessage(
  oracle: ReturnType<typeof oracleOf>,
  { methods }: Protocol,
  sender: 'client' | 'server',
  message: JsonValue,
): boolean {
  const method = methods.find(({ name }) => isObject(message) && message['method'] === name);
  if (method === undefined || !isSentBy(method, sender)) return false;
  return oracle(`test ${method.kind}`)(message) && oracle(method.message)(message);
}

function isResult(
  oracle: ReturnType<typeof oracleOf>,
  { traits, definitions }: Protocol,
  method: Method | undefined,
  result: JsonValue | undefined,
): boolean {
  if (method === undefined || !isObject(result)) return false;
  const { inputRequired } = traits;
  const [complete = '', ...others] = method.results;
  const hasKind = JSON.stringify(definitions.find(({ name }) => name === 'Result')).includes('"resultType"');
  if (inputRequired === undefined || !hasKind) return oracle(complete)(result);
  const kind = result[inputRequired.member];
  if (kind === undefined) return oracle(complete)({ ...result, [inputRequired.member]: inputRequired.complete });
  if (kind === inputRequired.complete) return oracle(complete)(result);
  const asks = kind === inputRequired.value;
  return others.some((name) => (name === inputRequired.result) === asks && oracle(name)(result));
}

const JSONRPC = { const: '2.0' };
const ID = { type: ['string', 'integer'] };
const OBJECT = { type: 'object' };
const TEXT = { type: 'string' };

/** The rules of JSON-RPC. */
const ENVELOPES: JsonObject = {
  'test request': {
    type: 'object',
    required: ['jsonrpc', 'id', 'method'],
    properties: { jsonrpc: JSONRPC, id: ID, method: TEXT, params: OBJECT, result: false, error: false },
  },
  'test notification': {
    type: 'object',
    required: ['jsonrpc', 'method'],
    properties: { jsonrpc: JSONRPC, id: false, method: TEXT, params: OBJECT, result: false, error: false },
  },
  'test result': {
    type: 'object',
    required: ['jsonrpc', 'id', 'result'],
    properties: { jsonrpc: JSONRPC, id: ID, result: OBJECT, method: false, error: false },
  },
  'test error': {
    type: 'object',
    required: ['jsonrpc', 'error'],
    properties: {
      jsonrpc: JSONRPC,
      id: { type: ['string', 'integer', 'null'] },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'integer' }, message: TEXT },
      },
      method: false,
      result: false,
    },
  },
};

/** The value of a vector as a reader of its text finds it. */
export function valueOf(vector: DefinitionVector | MessageVector): JsonValue {
  if (vector.text !== undefined) return JSON.parse(vector.text) as JsonValue;
  return 'value' in vector ? vector.value : vector.message;
}

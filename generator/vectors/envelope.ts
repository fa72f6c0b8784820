/** The vectors of what JSON-RPC and MCP require of every message, shown with one method. */
import type { Method, Protocol } from '../model/protocol.js';
import { withoutMember } from '../model/diff/samples.js';
import type { JsonObject, JsonValue } from '../read/json/json.js';
import type { MessageVector, VectorFlag, VectorSender } from './form.js';
import { sendersOf, vector, type MessageVectors } from './messages.js';
import type { OfficialVerdicts } from './official.js';
import { withMember } from './values.js';

/** A method for each kind of message, with its smallest message. */
interface Samples {
  readonly method: Method;
  readonly request: JsonObject;
  readonly response: JsonObject;
}

/** The request whose messages are the smallest, so that the rest of the message distracts least. */
export function envelopeMethod(protocol: Protocol, messages: MessageVectors): Method | undefined {
  const size = (method: Method): number => JSON.stringify(messages.smallest(method) ?? null).length;
  const requests = protocol.methods.filter(
    (method) => method.kind === 'request' && method.direction !== 'embedded' && messages.smallest(method) !== undefined,
  );
  return [...requests].sort((a, b) => size(a) - size(b))[0];
}

/** The vectors of the envelope. */
export function envelopeVectors(
  protocol: Protocol,
  messages: MessageVectors,
  method: Method,
  official: OfficialVerdicts,
): readonly MessageVector[] {
  const request = messages.smallest(method);
  const result = messages.smallestOf(method.results[0] ?? '');
  if (request === undefined || result === undefined) return [];
  const samples: Samples = { method, request, response: messages.response(result) };
  return [
    ...idVectors(protocol, messages, samples, official),
    ...requestVectors(protocol, samples),
    ...responseVectors(samples),
    ...errorVectors(protocol, samples, official),
    ...kindOfResultVectors(protocol, samples, official),
    ...arrayVectors(protocol, samples),
  ];
}

const VALID = { valid: true } as const;
const FAULT = { valid: false, rule: 'envelope' } as const;

function askingSide({ method }: Samples): VectorSender {
  return sendersOf(method)[0] ?? 'client';
}

function answeringSide(samples: Samples): VectorSender {
  return askingSide(samples) === 'client' ? 'server' : 'client';
}

interface Extras {
  readonly flags?: readonly VectorFlag[];
  readonly text?: string;
}

function requestVector(
  samples: Samples,
  label: string,
  isValid: boolean,
  reason: string,
  message: JsonValue,
  extras: Extras = {},
): MessageVector {
  return vector(['envelope', label], isValid ? VALID : FAULT, reason, {
    sender: askingSide(samples),
    message,
    ...extras,
  });
}

function responseVector(
  samples: Samples,
  label: string,
  isValid: boolean,
  reason: string,
  message: JsonValue,
): MessageVector {
  return vector(['envelope', label], isValid ? VALID : FAULT, reason, {
    sender: answeringSide(samples),
    answers: samples.method.name,
    message,
  });
}

function* idVectors(
  protocol: Protocol,
  messages: MessageVectors,
  samples: Samples,
  official: OfficialVerdicts,
): Iterable<MessageVector> {
  const { request, response } = samples;
  const valid: readonly (readonly [string, JsonValue, string])[] = [
    ['id-string', 'request-1', 'The id of a request may be a string.'],
    ['id-zero', 0, 'The id 0 is an id.'],
    ['id-negative', -1, 'The id of a request may be negative.'],
    ['id-empty', '', 'The empty string is an id.'],
  ];
  for (const [label, id, reason] of valid)
    yield requestVector(samples, label, true, reason, withMember(request, 'id', id));
  yield requestVector(samples, 'id-decimal-point', true, 'An integer may be written as 1.0, also as an id.', request, {
    flags: ['notation'],
    text: JSON.stringify(request).replace('"id":1', '"id":1.0'),
  });
  yield requestVector(
    samples,
    'id-lone-surrogate',
    true,
    'JSON allows an escape sequence for half a surrogate pair (RFC 8259, 8.2). A parser may replace or reject it.',
    withMember(request, 'id', '\ud800'),
    { flags: ['lone-surrogate'] },
  );
  const wrong: readonly (readonly [string, JsonValue, string])[] = [
    ['id-null', null, 'The id of a request is never null.'],
    ['id-fraction', 1.5, 'The id of a request is a string or an integer, so it has no fraction.'],
    ['id-boolean', true, 'The id of a request is a string or an integer.'],
    ['id-object', {}, 'The id of a request is a string or an integer.'],
  ];
  for (const [label, id, reason] of wrong)
    yield requestVector(samples, label, false, reason, withMember(request, 'id', id));
  yield responseVector(
    samples,
    'result-without-id',
    false,
    'A response has the id of its request.',
    withoutMember(response, 'id'),
  );
  yield responseVector(
    samples,
    'result-id-null',
    false,
    'Only an error response can have the id null.',
    withMember(response, 'id', null),
  );
  const unread = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };
  const { errorResponse } = protocol.traits.envelope ?? {};
  yield vector(
    ['envelope', 'error-id-null'],
    VALID,
    'An error response has the id null if the id of the request could not be read (JSON-RPC 2.0, 5).',
    {
      sender: answeringSide(samples),
      answers: samples.method.name,
      message: unread,
      ...(errorResponse === undefined ? {} : { official: official.of(errorResponse, unread, true) }),
    },
  );
  const withoutId = withoutMember(unread, 'id');
  if (errorResponse !== undefined && messages.accepts(errorResponse, withoutId))
    yield responseVector(samples, 'error-without-id', true, 'An error response may have no id.', withoutId);
  yield responseVector(
    samples,
    'error-id-fraction',
    false,
    'The id of an error response is a string, an integer or null.',
    withMember(unread, 'id', 1.5),
  );
}

function* requestVectors(protocol: Protocol, samples: Samples): Iterable<MessageVector> {
  const { request } = samples;
  const is = (label: string, isValid: boolean, reason: string, message: JsonValue): MessageVector =>
    requestVector(samples, label, isValid, reason, message);
  yield is('unknown-member', true, 'A member that JSON-RPC does not name is ignored.', {
    ...request,
    exampleUnknownMember: { nested: [1, null] },
  });
  yield is('without-jsonrpc', false, '`jsonrpc` is missing.', withoutMember(request, 'jsonrpc'));
  yield is('jsonrpc-other', false, '`jsonrpc` must be "2.0".', withMember(request, 'jsonrpc', '1.0'));
  yield is('jsonrpc-number', false, '`jsonrpc` is a string, not a number.', withMember(request, 'jsonrpc', 2));
  yield is('method-number', false, '`method` must be a string.', withMember(request, 'method', 7));
  yield is('method-null', false, '`method` must be a string.', withMember(request, 'method', null));
  yield is('params-array', false, '`params` must be an object: params by position are not used.', {
    ...request,
    params: [],
  });
  yield is('params-null', false, '`params` must be an object, or absent.', { ...request, params: null });
  yield is('method-and-result', false, 'A request has no result.', { ...request, result: {} });
  yield is('method-and-error', false, 'A request has no error.', {
    ...request,
    error: { code: -32603, message: 'Internal error' },
  });
  yield is('nothing', false, 'A message has a method, a result or an error.', { jsonrpc: '2.0', id: 1 });
  yield vector(
    ['envelope', 'unknown-method'],
    { valid: false, pointer: '/method', rule: 'method' },
    `${protocol.version} has no method of this name.`,
    { sender: askingSide(samples), message: withMember(request, 'method', 'example/unknown') },
  );
  yield vector(
    ['envelope', 'inherited-method'],
    { valid: false, pointer: '/method', rule: 'method' },
    'A name that objects of JavaScript inherit is not a method.',
    { sender: askingSide(samples), message: withMember(request, 'method', 'toString'), flags: ['unusual-name'] },
  );
}

function* responseVectors(samples: Samples): Iterable<MessageVector> {
  const { response } = samples;
  const is = (label: string, reason: string, message: JsonValue): MessageVector =>
    responseVector(samples, label, false, reason, message);
  yield is('result-null', '`result` must be an object.', withMember(response, 'result', null));
  yield is('result-array', '`result` must be an object.', withMember(response, 'result', []));
  yield is('result-string', '`result` must be an object.', withMember(response, 'result', 'done'));
  yield is('result-and-error', 'A response has a result or an error, not both.', {
    ...response,
    error: { code: -32603, message: 'Internal error' },
  });
  yield is('result-without-jsonrpc', '`jsonrpc` is missing.', withoutMember(response, 'jsonrpc'));
}

function* errorVectors(protocol: Protocol, samples: Samples, official: OfficialVerdicts): Iterable<MessageVector> {
  const response = (error: JsonValue): JsonObject => ({ jsonrpc: '2.0', id: 1, error });
  const error = { code: -32601, message: 'Method not found' };
  const { errorResponse } = protocol.traits.envelope ?? {};
  const valid: readonly (readonly [string, JsonObject, string])[] = [
    ['error', response(error), 'The smallest error response.'],
    ['error-data', response({ ...error, data: null }), 'The data of an error may be any value, also null.'],
    ['error-code', response({ ...error, code: 1 }), 'The code of an error may be any integer.'],
  ];
  for (const [label, message, reason] of valid) {
    yield vector(['envelope', label], VALID, reason, {
      sender: answeringSide(samples),
      answers: samples.method.name,
      message,
      ...(errorResponse === undefined ? {} : { official: official.of(errorResponse, message, true) }),
    });
  }
  const is = (label: string, reason: string, value: JsonValue): MessageVector =>
    responseVector(samples, label, false, reason, response(value));
  yield is('error-string', '`error` must be an object.', 'Method not found');
  yield is('error-null', '`error` must be an object.', null);
  yield is('error-without-code', '`code` of the error is missing.', withoutMember(error, 'code'));
  yield is('error-code-string', '`code` of the error must be an integer.', withMember(error, 'code', '-32601'));
  yield is('error-code-fraction', '`code` of the error must be an integer.', withMember(error, 'code', -32601.5));
  yield is('error-without-message', '`message` of the error is missing.', withoutMember(error, 'message'));
  yield is('error-message-null', '`message` of the error must be a string.', withMember(error, 'message', null));
}

/** What the member says that tells kinds of results apart, if the protocol has it. */
function* kindOfResultVectors(
  protocol: Protocol,
  samples: Samples,
  official: OfficialVerdicts,
): Iterable<MessageVector> {
  const { inputRequired } = protocol.traits;
  const { result } = samples.response as { readonly result: JsonObject };
  if (inputRequired === undefined || !Object.hasOwn(result, inputRequired.member)) return;
  const { member } = inputRequired;
  const [definition = ''] = samples.method.results;
  const without = withoutMember(result, member);
  const details = { sender: answeringSide(samples), answers: samples.method.name };
  yield vector(
    ['envelope', 'result-without-kind'],
    VALID,
    `A result without \`${member}\`, as servers of earlier revisions send it, is complete (Base Protocol, ResultType).`,
    {
      ...details,
      message: { ...samples.response, result: without },
      official: official.of(definition, without, true),
    },
  );
  yield vector(
    ['envelope', 'result-of-unknown-kind'],
    { valid: false, pointer: `/result/${member}`, rule: 'enum' },
    `A client must treat a result of a kind that it does not know as invalid (Base Protocol, ResultType).`,
    { ...details, message: { ...samples.response, result: withMember(result, member, 'unknown') } },
  );
}

/** Values that are no message by themselves. */
function* arrayVectors(protocol: Protocol, samples: Samples): Iterable<MessageVector> {
  const { request } = samples;
  yield requestVector(
    samples,
    'string',
    false,
    'A message is an object, not a string with one.',
    JSON.stringify(request),
  );
  yield requestVector(samples, 'null', false, 'A message is an object.', null);
  if (protocol.batches) {
    yield requestVector(samples, 'batch', true, `${protocol.version} has batches.`, [request]);
    yield requestVector(samples, 'batch-empty', false, 'A batch has at least one message (JSON-RPC 2.0, 6).', []);
    return;
  }
  yield requestVector(samples, 'batch', false, `${protocol.version} has no batches.`, [request]);
}

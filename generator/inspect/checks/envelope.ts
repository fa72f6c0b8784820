import { isNestedTooDeep, isObject, ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { show, type Report } from '../seen.js';

/** Deepest nesting of a frame that is inspected, in levels. */
const MAX_DEPTH = 501;

type Kind = 'request' | 'notification' | 'result' | 'error' | 'invalid';

/** What a message is by its members, with what is wrong with its envelope (JSON-RPC 2.0; MCP, base protocol). */
export function checkEnvelope(message: JsonValue, report: Report): Kind {
  if (isNestedTooDeep(message, MAX_DEPTH)) {
    report('invalid-message', 'it is nested too deeply to be inspected');
    return 'invalid';
  }
  if (!isObject(message)) {
    report('invalid-message', `${show(message)} is not an object`);
    return 'invalid';
  }
  const has = (name: string): boolean => Object.hasOwn(message, name);
  const version = ownMember(message, 'jsonrpc');
  const isCall = has('method');
  const isResponse = has('result') || has('error');
  if (!isCall && !isResponse) {
    report('invalid-message', 'it has neither a method nor a result nor an error');
    return 'invalid';
  }
  if (version !== '2.0') report('jsonrpc-version', `jsonrpc is ${show(version)}`, { pointer: '/jsonrpc' });
  if (isCall && isResponse) {
    report('invalid-message', 'it has a method and a result or error');
    return 'invalid';
  }
  const id = ownMember(message, 'id');
  const isId = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
  if (typeof id === 'number' && isId && !Number.isSafeInteger(id))
    report('unsafe-id', `${show(id)} is beyond 2^53 - 1`, { pointer: '/id' });
  return isCall ? callKind(message, isId, report) : responseKind(message, isId, report);
}

function callKind(message: JsonObject, isId: boolean, report: Report): Kind {
  if (typeof ownMember(message, 'method') !== 'string') {
    report('invalid-message', 'the method is not a string', { pointer: '/method' });
    return 'invalid';
  }
  const params = ownMember(message, 'params');
  if (params !== undefined && !isObject(params)) {
    report('invalid-message', `params are ${show(params)}, not an object`, { pointer: '/params' });
    return 'invalid';
  }
  if (!Object.hasOwn(message, 'id')) return 'notification';
  if (isId) return 'request';
  reportId(message, report);
  return 'invalid';
}

function responseKind(message: JsonObject, isId: boolean, report: Report): Kind {
  const error = ownMember(message, 'error');
  if (Object.hasOwn(message, 'result') && error !== undefined) {
    report('result-with-error', 'the other one has to be left out', { pointer: '/error' });
    return error === null ? 'result' : 'error';
  }
  if (Object.hasOwn(message, 'id') && !isId && ownMember(message, 'id') !== null) {
    reportId(message, report);
    return 'invalid';
  }
  if (error === undefined) return 'result';
  const isError =
    isObject(error) && Number.isInteger(ownMember(error, 'code')) && typeof ownMember(error, 'message') === 'string';
  if (!isError) report('invalid-error', `${show(error)} has no integer code and message`, { pointer: '/error' });
  return 'error';
}

function reportId(message: JsonObject, report: Report): void {
  report('invalid-id', `${show(ownMember(message, 'id'))} is neither a string nor an integer`, { pointer: '/id' });
}

/** What the messages of a conversation are, for whoever reads entries: requests, notifications and responses. */
import { createHash } from 'node:crypto';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../read/json/json.js';
import type { Entry } from './entry.js';

/** The objects of a frame: one, those of a batch, or none. */
export function messagesOf(frame: JsonValue): readonly JsonObject[] {
  const values: readonly JsonValue[] = Array.isArray(frame) ? (frame as readonly JsonValue[]) : [frame];
  return values.filter(isObject);
}

/** The objects of an entry's frame. */
export function messagesOfEntry({ content }: Pick<Entry, 'content'>): readonly JsonObject[] {
  return content.kind === 'frame' ? messagesOf(content.frame) : [];
}

/** Whether a message is a request or a notification. */
export function isMethodCall(message: JsonObject): boolean {
  return typeof ownMember(message, 'method') === 'string';
}

/** Whether a message is a response. */
export function isResponse(message: JsonObject): boolean {
  return !isMethodCall(message) && (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error'));
}

/** Whether a message is a request. */
export function isRequest(message: JsonObject): boolean {
  return isMethodCall(message) && Object.hasOwn(message, 'id');
}

/** The method of a request or notification; an empty text for a response. */
export function methodOf(message: JsonObject): string {
  const method = ownMember(message, 'method');
  return typeof method === 'string' ? method : '';
}

/** Longest text that is a key as it is, in UTF-16 code units. */
const MAX_KEY_LENGTH = 200;

/**
 * An id, a token or another scalar as a key that keeps `1` and `"1"` apart and is never long; empty for undefined. All
 * objects and arrays have one key: they are no ids, and may be nested deeply.
 */
export function keyOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'object' && value !== null) return 'object';
  const text = typeof value === 'string' ? `"${value}` : JSON.stringify(value);
  if (text.length <= MAX_KEY_LENGTH) return text;
  return `${text.slice(0, MAX_KEY_LENGTH)}#${createHash('sha256').update(text).digest('base64')}`;
}

/** Example values by the name of their member or definition, such as a reader would expect. */
import type { Constraints } from '../model/protocol.js';
import { ownMember, type JsonObject } from '../read/json/json.js';
import { toRegularExpression } from '../model/schema/keywords.js';

const BY_FORMAT: JsonObject = {
  uri: 'file:///project/notes.txt',
  'uri-template': 'file:///project/{path}',
  byte: 'aGVsbG8=',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'someone@example.com',
};

const BY_NAME: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  Cursor: 'page-2',
  ProgressToken: 'progress-1',
  RequestId: 'request-1',
  ResultType: 'complete',
  arguments: 'Paris',
  cursor: 'page-2',
  code: -32602,
  const: 'celsius',
  content: 'Ann',
  createdAt: '2026-01-31T12:00:00Z',
  default: 'celsius',
  description: 'Returns the weather of a city.',
  elicitationId: 'elicitation-1',
  enum: 'celsius',
  enumNames: 'Celsius',
  id: 'call-1',
  instructions: 'Ask for the city first.',
  lastModified: '2026-01-31T12:00:00Z',
  lastUpdatedAt: '2026-01-31T12:00:00Z',
  logger: 'database',
  maxItems: 3,
  maxLength: 80,
  maxTokens: 100,
  maximum: 100,
  message: 'Which city?',
  method: 'example/method',
  mimeType: 'text/plain',
  minItems: 1,
  minLength: 1,
  minimum: 0.5,
  model: 'example-model',
  name: 'get-weather',
  nextCursor: 'page-2',
  pollInterval: 5000,
  pollIntervalMs: 5000,
  priority: 0.5,
  progress: 0.5,
  reason: 'The user cancelled.',
  requestState: 'state-1',
  required: 'city',
  size: 2048,
  sizes: '48x48',
  statusMessage: 'Reading the file',
  stopReason: 'endTurn',
  stopSequences: 'END',
  systemPrompt: 'You are a helpful assistant.',
  taskId: 'task-1',
  taskIds: 'task-1',
  temperature: 0.5,
  text: 'hello',
  title: 'Weather',
  toolUseId: 'call-1',
  total: 3,
  ttl: 60_000,
  ttlMs: 60_000,
  url: 'https://example.com/form',
  value: 'Paris',
  values: 'Paris',
  version: '1.0.0',
  websiteUrl: 'https://example.com',
};

/** Strings of many forms, for patterns. */
const OF_MANY_FORMS = [
  'a', 'A', '1', 'ab', 'abc', 'abc-1', 'a_b', 'a.b', 'a/b', 'A1', '12', '123', '2026-01-31', '2026-01-31T12:00:00Z',
  'someone@example.com', 'https://example.com/a', '00000000-0000-4000-8000-000000000000', '/a/b', 'text/plain', '1.0.0',
  '#ff0000', 'aGVsbG8=', '0123456789abcdef01234567', '0123456789abcdef0123456789abcdef', 'en-US', '+491234567', '',
]; // prettier-ignore

/** Longest string that a vector contains. */
const MAX_CHARACTERS = 1000;

/**
 * A string for a member; undefined if none is known that follows its constraints.
 *
 * @param revision - The value of members with a version of the protocol.
 */
export function exampleString(owner: string, constraints: Constraints, revision: string): string | undefined {
  const format = constraints['format'];
  const formatted = typeof format === 'string' ? ownMember(BY_FORMAT, format) : undefined;
  const known = ownMember(BY_NAME, owner);
  const isVersion = /[pP]rotocolVersion$|^supported(?:Versions?)?$|^requested$/.test(owner);
  const text = isVersion ? revision : [known, formatted].find((value) => typeof value === 'string');
  const least = Number(constraints['minLength'] ?? 0);
  const most = Number(constraints['maxLength'] ?? Infinity);
  if (least > MAX_CHARACTERS) return undefined;
  const candidates = [text ?? owner.replace(/^.*\//, ''), 'text', ...OF_MANY_FORMS];
  const pattern = constraints['pattern'];
  if (typeof pattern !== 'string') {
    const [first = ''] = candidates;
    return Array.from(first.padEnd(least, '.')).slice(0, most).join('');
  }
  const expression = toRegularExpression(pattern);
  return candidates.find(
    (candidate) => candidate.length >= least && candidate.length <= most && expression.test(candidate),
  );
}

/** A number for a member: one with a fraction unless it has to be an integer; undefined if its limits exclude it. */
export function exampleNumber(owner: string, constraints: Constraints, isInteger: boolean): number | undefined {
  const low = Number(constraints['minimum'] ?? constraints['exclusiveMinimum'] ?? -Infinity);
  const high = Number(constraints['maximum'] ?? constraints['exclusiveMaximum'] ?? Infinity);
  const step = constraints['multipleOf'];
  const known = ownMember(BY_NAME, owner);
  const candidates = [
    ...(typeof known === 'number' ? [isInteger ? Math.trunc(known) : known % 1 === 0 ? known + 0.5 : known] : []),
    ...(isInteger ? [] : [0.5, low + 0.5, (low + high) / 2]),
    ...(typeof step === 'number' ? [Math.ceil(Math.max(low, 1) / step) * step, step, 0] : []),
    1,
    Math.ceil(low),
    Math.floor(high),
    Math.floor(low) + 1,
    Math.ceil(high) - 1,
  ];
  return candidates.find(
    (value) =>
      Number.isFinite(value) &&
      (!isInteger || Number.isInteger(value)) &&
      value >= low &&
      value <= high &&
      value !== constraints['exclusiveMinimum'] &&
      value !== constraints['exclusiveMaximum'] &&
      (typeof step !== 'number' || Number.isInteger(value / step)),
  );
}

import type { JsonObject, JsonValue } from '../read/json.js';
import { objectOf } from '../read/json.js';
import {
  findDefinition,
  type Constraints,
  type Method,
  type ObjectNode,
  type Definitions,
  type TypeNode,
} from './protocol.js';

/** What values are made of; a string that is a revision says which. */
type Exemplified = Definitions & { readonly revision?: string };

/** Depth at which optional content is left out, so that recursive definitions end. */
const DEEPEST = 12;

/**
 * A small valid value of a type: required members only, the first variant of a union.
 *
 * @param owner - Name of the definition or member that the value is for; it decides what a string says.
 */
export function exampleOf(protocol: Exemplified, type: TypeNode, owner = ''): JsonValue {
  return example(protocol, type, owner, 0);
}

/** A complete example message of a method, as it travels; for an embedded one, as it stands inside a result. */
export function exampleMessage(protocol: Exemplified, method: Method): JsonObject {
  const definition = findDefinition(protocol, method.message);
  const own = (definition === undefined ? {} : exampleOf(protocol, definition.type, method.message)) as JsonObject;
  if (method.direction === 'embedded') return own;
  const { jsonrpc: _jsonrpc, id: _id, ...rest } = own;
  return { jsonrpc: '2.0', ...(method.kind === 'request' ? { id: 1 } : {}), ...rest };
}

function example(protocol: Exemplified, type: TypeNode, owner: string, depth: number): JsonValue {
  switch (type.kind) {
    case 'unknown':
      return 'anything';
    case 'never':
    case 'null':
      return null;
    case 'boolean':
      return true;
    case 'literal':
      return type.value;
    case 'string':
      return exampleString(protocol, owner, type.constraints);
    case 'number':
    case 'integer':
      return exampleNumber(type.constraints);
    case 'array': {
      const least = Number(type.constraints['minItems'] ?? 0);
      const wanted = depth > DEEPEST ? least : Math.max(least, 1);
      return Array.from({ length: wanted }, () => example(protocol, type.items, singular(owner), depth + 1));
    }
    case 'union':
      return example(protocol, type.variants[0] ?? { kind: 'unknown' }, owner, depth + 1);
    case 'intersection':
      return objectOf(
        type.parts.flatMap((part) => {
          const value = example(protocol, part, owner, depth + 1);
          return value !== null && typeof value === 'object' && !Array.isArray(value)
            ? Object.entries(value as JsonObject)
            : [];
        }),
      );
    case 'ref': {
      const target = findDefinition(protocol, type.name);
      if (target === undefined) return null;
      // A string is named after the member that holds it, an object after its definition.
      const named = owner === '' || target.type.kind === 'object' ? type.name : owner;
      return example(protocol, target.type, named, depth + 1);
    }
    case 'object':
      return exampleObject(protocol, type, owner, depth);
  }
}

function exampleObject(protocol: Exemplified, type: ObjectNode, owner: string, depth: number): JsonObject {
  return objectOf(
    type.members
      .filter((member) => member.required)
      .map((member): [string, JsonValue] => {
        if (member.name === 'resultType')
          return [member.name, owner === 'InputRequiredResult' ? 'input_required' : 'complete'];
        return [member.name, example(protocol, member.type, member.name, depth + 1)];
      }),
  );
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uri: 'file:///project/notes.txt',
  'uri-template': 'file:///project/{path}',
  byte: 'aGVsbG8=',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'someone@example.com',
};

const BY_NAME: Readonly<Record<string, string>> = {
  mimeType: 'text/plain',
  version: '1.0.0',
  model: 'some-model',
  createdAt: '2026-01-31T12:00:00Z',
  lastUpdatedAt: '2026-01-31T12:00:00Z',
  RequestId: 'request-1',
  id: 'call-1',
  Cursor: 'page-2',
};

function exampleString(protocol: Exemplified, owner: string, constraints: Constraints): string {
  const format = constraints['format'];
  if (typeof format === 'string' && BY_FORMAT[format] !== undefined) return BY_FORMAT[format];
  if (/[pP]rotocolVersion$|^supportedVersion$/.test(owner)) return protocol.revision ?? '';
  const text = BY_NAME[owner] ?? (owner === '' ? 'text' : `some ${owner}`);
  return text
    .padEnd(Number(constraints['minLength'] ?? 0), '.')
    .slice(0, Number(constraints['maxLength'] ?? text.length));
}

function exampleNumber(constraints: Constraints): number {
  const low = Number(constraints['minimum'] ?? constraints['exclusiveMinimum'] ?? 1);
  const high = Number(constraints['maximum'] ?? constraints['exclusiveMaximum'] ?? Math.max(low, 1));
  return Math.min(Math.max(low, 1), high);
}

function singular(name: string): string {
  return name.replace(/s$/, '');
}

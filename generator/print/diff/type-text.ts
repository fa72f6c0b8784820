import type { Constraints, TypeNode } from '../../model/protocol.js';
import { escapeHidden } from '../../text.js';
import { memberName } from '../names.js';

/** A type on one line, as TypeScript would write it, but with integers and limits told. Hidden characters are escaped. */
export function typeText(type: TypeNode): string {
  return escapeHidden(text(type));
}

function text(type: TypeNode): string {
  switch (type.kind) {
    case 'unknown':
    case 'never':
      return type.kind;
    case 'null':
    case 'boolean':
    case 'string':
    case 'number':
    case 'integer':
      return type.kind + limits(type.constraints);
    case 'literal':
      return JSON.stringify(type.value);
    case 'ref':
      return type.name;
    case 'array': {
      const items = text(type.items);
      const isCompound = type.items.kind === 'union' || type.items.kind === 'intersection';
      return `${isCompound ? `(${items})` : items}[]${limits(type.constraints)}`;
    }
    case 'union':
      return type.variants.map(text).join(' | ');
    case 'intersection':
      return type.parts.map((part) => (part.kind === 'union' ? `(${text(part)})` : text(part))).join(' & ');
    case 'object': {
      const members = type.members.map(
        (member) => `${memberName(member.name)}${member.required ? '' : '?'}: ${text(member.type)}`,
      );
      if (type.rest !== undefined && type.rest.kind !== 'never') members.push(`[key: string]: ${text(type.rest)}`);
      return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`;
    }
  }
}

function limits(constraints: Constraints): string {
  const list = Object.entries(constraints).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return list.length === 0 ? '' : ` (${list.join(', ')})`;
}

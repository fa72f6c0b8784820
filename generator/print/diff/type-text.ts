import type { Constraints, TypeNode } from '../../model/protocol.js';
import { escapeHiddenCharacters } from '../../text.js';
import { memberName } from '../names.js';

/** Prints a type on one line in TypeScript syntax, plus integers and limits. Hidden characters are escaped. */
export function compactTypeText(type: TypeNode): string {
  return escapeHiddenCharacters(printNode(type));
}

function printNode(type: TypeNode): string {
  switch (type.kind) {
    case 'unknown':
    case 'never':
      return type.kind;
    case 'null':
    case 'boolean':
    case 'string':
    case 'number':
    case 'integer':
      return type.kind + printLimits(type.constraints);
    case 'literal':
      return JSON.stringify(type.value);
    case 'ref':
      return type.name;
    case 'refined':
      return printNode(type.type);
    case 'array': {
      if (type.prefix !== undefined) {
        const rest = type.items.kind === 'never' ? [] : [`...${printNode(type.items)}[]`];
        return `[${[...type.prefix.map(printNode), ...rest].join(', ')}]${printLimits(type.constraints)}`;
      }
      const items = printNode(type.items);
      const isCompound = type.items.kind === 'union' || type.items.kind === 'intersection';
      return `${isCompound ? `(${items})` : items}[]${printLimits(type.constraints)}`;
    }
    case 'union':
      return type.variants.map(printNode).join(' | ');
    case 'intersection':
      return type.parts.map((part) => (part.kind === 'union' ? `(${printNode(part)})` : printNode(part))).join(' & ');
    case 'object': {
      const members = type.members.map(
        (member) => `${memberName(member.name)}${member.required ? '' : '?'}: ${printNode(member.type)}`,
      );
      for (const { pattern, type: own } of type.patterns ?? []) members.push(`[key: /${pattern}/]: ${printNode(own)}`);
      if (type.rest !== undefined && type.rest.kind !== 'never') members.push(`[key: string]: ${printNode(type.rest)}`);
      return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`;
    }
  }
}

function printLimits(constraints: Constraints): string {
  const list = Object.entries(constraints).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return list.length === 0 ? '' : ` (${list.join(', ')})`;
}

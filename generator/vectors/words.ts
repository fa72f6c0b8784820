/** Words of reasons. */
import type { TypeNode } from '../model/protocol.js';

/** `content[1].type`, or `the value` for the whole. */
export function placeWords(tokens: readonly (string | number)[]): string {
  if (tokens.length === 0) return 'The value';
  const text = tokens
    .map((token, index) => {
      if (typeof token === 'number') return `[${token}]`;
      if (!/^[\w$-]+$/.test(token)) return `[${JSON.stringify(token)}]`;
      return index === 0 ? token : `.${token}`;
    })
    .join('');
  return `\`${text}\``;
}

/** Constants that a description lists. */
const MAX_LISTED = 4;

/** What a type demands: `a string`, `a Tool`, `"text"`. */
export function typeWords(type: TypeNode): string {
  switch (type.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return `a ${type.kind}`;
    case 'integer':
    case 'array':
    case 'object':
      return `an ${type.kind}`;
    case 'null':
      return 'null';
    case 'literal':
      return JSON.stringify(type.value);
    case 'ref':
      return `${/^(?:[AEIO]|Un)/.test(type.name) ? 'an' : 'a'} ${type.name}`;
    case 'union': {
      if (type.variants.length > MAX_LISTED && type.variants.every(({ kind }) => kind === 'literal'))
        return `one of ${type.variants.length} known values`;
      const texts = [...new Set(type.variants.map(typeWords))];
      return texts.length < 2 ? (texts[0] ?? 'nothing') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1) ?? ''}`;
    }
    case 'intersection': {
      const texts = type.parts.map(typeWords);
      return texts.join(' and ');
    }
    case 'refined':
      return typeWords(type.type);
    case 'never':
      return 'absent';
    case 'unknown':
      return 'any value';
  }
}

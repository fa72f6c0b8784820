/**
 * Types without their docs, for comparing and printing.
 */
import type { TypeNode } from '../protocol.js';

/**
 * A text that is equal for structurally equal types; docs and deprecations are ignored.
 *
 * @param options - What else is ignored: defaults, and constraints, which TypeScript cannot express.
 */
export function shapeKey(
  type: TypeNode,
  { ignoreDefaults = false, ignoreConstraints = false }: { ignoreDefaults?: boolean; ignoreConstraints?: boolean } = {},
): string {
  return JSON.stringify(type, (key, value: unknown) =>
    key === 'doc' ||
    key === 'deprecated' ||
    (ignoreDefaults && key === 'defaultValue') ||
    (ignoreConstraints && key === 'constraints')
      ? undefined
      : value,
  );
}

/** A type without docs and deprecations. */
export function withoutDocs(type: TypeNode): TypeNode {
  switch (type.kind) {
    case 'array':
      return {
        ...type,
        ...(type.prefix === undefined ? {} : { prefix: type.prefix.map(withoutDocs) }),
        items: withoutDocs(type.items),
      };
    case 'refined':
      return { ...type, type: withoutDocs(type.type) };
    case 'union':
      return { ...type, variants: type.variants.map(withoutDocs) };
    case 'intersection':
      return { ...type, parts: type.parts.map(withoutDocs) };
    case 'object':
      return {
        ...type,
        members: type.members.map(({ name, required, type: own, defaultValue }) => ({
          name,
          required,
          type: withoutDocs(own),
          ...(defaultValue === undefined ? {} : { defaultValue }),
        })),
        ...(type.rest === undefined ? {} : { rest: withoutDocs(type.rest) }),
      };
    default:
      return type;
  }
}

/**
 * Types without their docs, to compare and to show them.
 */
import type { TypeNode } from '../protocol.js';

/**
 * A text that is the same for types of the same shape: docs and deprecations never count.
 *
 * @param options - What else does not count: defaults, and constraints, which TypeScript cannot express.
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
      return { ...type, items: withoutDocs(type.items) };
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

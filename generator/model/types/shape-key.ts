/**
 * Types without their docs, for comparing and printing.
 */
import type { TypeNode } from '../protocol.js';
import { mapTypes } from './map-types.js';

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
  const plain =
    type.kind === 'object'
      ? { ...type, members: type.members.map(({ doc: _doc, deprecated: _deprecated, ...member }) => member) }
      : type;
  return mapTypes(plain, withoutDocs);
}

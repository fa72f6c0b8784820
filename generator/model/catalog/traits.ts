import type { Catalog, Traits } from '../../read/catalog.js';
import { SIDES, unionNames } from '../protocol.js';

/** What traits depend on. */
export interface CatalogFacts extends Pick<Catalog, 'protocol' | 'revision' | 'traits'> {
  readonly lifecycle?: Catalog['lifecycle'] | undefined;
  readonly methods: readonly { readonly method: string }[];
}

/**
 * The traits of a catalog. A catalog without them gets those of the most similar built-in revision: all of them if it is
 * of the same protocol, otherwise those whose definitions and methods it has.
 *
 * @param definitions - The names of its definitions.
 * @param builtin - The catalogs of the built-in revisions, oldest first.
 */
export function traitsOf(catalog: CatalogFacts, definitions: readonly string[], builtin: readonly Catalog[]): Traits {
  if (catalog.traits !== undefined) return catalog.traits;
  const nearest =
    builtin.find(({ revision }) => revision === catalog.revision) ??
    [...builtin].reverse().find(({ lifecycle }) => lifecycle === catalog.lifecycle) ??
    builtin.at(-1);
  const traits = nearest?.traits ?? {};
  return nearest?.protocol === catalog.protocol ? traits : restrictTraits(traits, definitions, catalog.methods);
}

/** The traits by which methods are recognized in a schema whose catalog has none, or that has no catalog. */
export function recognizedTraits(catalog: Pick<Catalog, 'traits'> | undefined, builtin: readonly Catalog[]): Traits {
  return catalog?.traits ?? builtin.at(-1)?.traits ?? {};
}

/** The traits whose definitions, by name, and methods a protocol has. */
export function restrictTraits(
  traits: Traits,
  definitions: readonly string[],
  methods: readonly { readonly method: string }[],
): Traits {
  const names = new Set(definitions);
  const known = new Set(methods.map(({ method }) => method));
  const {
    envelope = {},
    unions,
    emptyResult,
    capabilities,
    cancellation,
    progress,
    handshake,
    pages,
    tasks,
    inputRequired,
    roles,
  } = traits;
  const ownEnvelope = Object.entries(envelope).filter(([, name]) => names.has(name));
  const hasUnions = unions !== undefined && unionNames(traits).some((name) => names.has(name));
  const hasRoles = [roles?.handshake, roles?.discovery].some((method) => known.has(method ?? ''));
  return {
    ...(ownEnvelope.length === 0 ? {} : { envelope: Object.fromEntries(ownEnvelope) }),
    ...(hasUnions ? { unions } : {}),
    ...(names.has(emptyResult ?? '') ? { emptyResult } : {}),
    ...(capabilities !== undefined && SIDES.every((side) => names.has(capabilities[side])) ? { capabilities } : {}),
    ...(known.has(cancellation?.method ?? '') ? { cancellation } : {}),
    ...(known.has(progress?.method ?? '') ? { progress } : {}),
    ...(handshake !== undefined && [handshake.request, handshake.ready].every((method) => known.has(method))
      ? { handshake }
      : {}),
    ...(pages !== undefined && hasRoles ? { pages } : {}),
    ...(names.has(tasks?.result ?? '') ? { tasks } : {}),
    ...(names.has(inputRequired?.result ?? '') ? { inputRequired } : {}),
    ...(hasRoles ? { roles } : {}),
  };
}

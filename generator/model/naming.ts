import { HIDDEN_CHARACTERS } from '../text.js';

/** The words of a name: its runs of letters and digits that identifiers allow. */
export function splitWords(name: string): string[] {
  return name.replace(HIDDEN_CHARACTERS, ' ').match(/(?:(?=\p{ID_Continue})[\p{L}\p{N}])+/gu) ?? [];
}

/** The words of a name, capitalized and joined: valid after the first character of an identifier. */
export function capitalize(name: string): string {
  return splitWords(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** `get_weather` and `getWeather` to `GetWeather`. */
export function pascalCase(name: string): string {
  const made = capitalize(name);
  return /^(?!\p{ID_Start})./u.test(made) ? `_${made}` : made;
}

/** `session/new` and `SessionNew` to `sessionNew`. */
export function camelCase(name: string): string {
  const made = capitalize(name);
  return /^(?!\p{ID_Start})./u.test(made) ? `_${made}` : made.charAt(0).toLowerCase() + made.slice(1);
}

/** `fooBar/baz_qux` to `FOO_BAR_BAZ_QUX`. */
export function constantCase(name: string): string {
  const made = splitWords(
    name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2'),
  )
    .map((word) => word.toUpperCase())
    .join('_');
  return /^\p{N}/u.test(made) ? `_${made}` : made;
}

/** The local name of a revision's data in code. */
export function revisionIdentifier(revision: string): string {
  return `revision${revision.replace(/\W/g, '')}`;
}

/** Maximum of characters in the name of a tool that model APIs accept. */
const MAX_NAME_LENGTH = 64;
const SEPARATOR = "__";
/** Characters of a hash with its separator. */
const HASH_LENGTH = 9;

/**
 * The name of a server's tool in a flat list: `server__tool`. The same for the same tool, whichever others there are,
 * unless it is taken: a name that had to be changed ends with a hash of the original.
 */
export function flatToolName(
  server: string,
  tool: string,
  isTaken: (name: string) => boolean,
): string {
  const name = flatPrefix(server) + replaceSpecial(tool);
  // The separator must be the first one, or `a` with `b__c` would be the same as `a__b` with `c`.
  const isExact =
    name === server + SEPARATOR + tool &&
    name.length <= MAX_NAME_LENGTH &&
    /^[A-Za-z_]/.test(name) &&
    !/__|_$/.test(server);
  if (isExact && !isTaken(name)) return name;
  for (let attempt = 0; ; attempt += 1) {
    const suffix = `_${hash(`${server}\0${tool}\0${attempt}`)}`;
    const changed = name.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
    if (!isTaken(changed)) return changed;
  }
}

/** The start of the names of a server's tools. */
export function flatPrefix(server: string): string {
  const prefix = replaceSpecial(server) + SEPARATOR;
  // Some models accept no digit or hyphen in front.
  return (/^[A-Za-z_]/.test(prefix) ? prefix : `_${prefix}`).slice(
    0,
    MAX_NAME_LENGTH - HASH_LENGTH,
  );
}

function replaceSpecial(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "_");
}

/** FNV-1a, 32 bits, as eight hexadecimal digits: it only keeps names apart. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text))
    value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}

/** JSON Pointers (RFC 6901): reads and changes a value at a location. */
import { isObject } from "../jsonrpc/envelope.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";

/** Maximum length of a member name in a pointer; longer names are cut. */
const MAX_POINTER_NAME_CHARS = 200;

export function escapePointerToken(token: string): string {
  const name =
    token.length > MAX_POINTER_NAME_CHARS
      ? `${token.slice(0, MAX_POINTER_NAME_CHARS)}…`
      : token;
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

export function pointerTokens(path: string): readonly string[] {
  return path
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function valueAtTokens(
  root: unknown,
  tokens: readonly string[],
): unknown {
  let value = root;
  for (const token of tokens) {
    if (Array.isArray(value))
      value = (value as readonly unknown[])[Number(token)];
    else if (isObject(value)) value = getOwnMember(value, token);
    else return undefined;
  }
  return value;
}

export function getOwnMember(value: UnknownObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A copy of `root` with one value replaced; only the path to it is copied. */
export function replaceAtTokens(
  root: unknown,
  tokens: readonly string[],
  value: unknown,
): unknown {
  const [token, ...others] = tokens;
  if (token === undefined) return value;
  if (Array.isArray(root))
    return root.map((item: unknown, index) =>
      String(index) === token ? replaceAtTokens(item, others, value) : item,
    );
  const object = isObject(root) ? root : {};
  return {
    ...object,
    [token]: replaceAtTokens(getOwnMember(object, token), others, value),
  };
}

/** A copy of `root` without one member or item; only the path to it is copied. */
export function removeAtTokens(
  root: unknown,
  tokens: readonly string[],
): unknown {
  const [token, ...others] = tokens;
  if (token === undefined) return undefined;
  if (Array.isArray(root)) {
    if (others.length === 0)
      return root.filter((_, index) => String(index) !== token);
    return root.map((item: unknown, index) =>
      String(index) === token ? removeAtTokens(item, others) : item,
    );
  }
  if (!isObject(root)) return root;
  if (others.length > 0)
    return {
      ...root,
      [token]: removeAtTokens(getOwnMember(root, token), others),
    };
  const { [token]: _gone, ...kept } = root;
  return kept;
}

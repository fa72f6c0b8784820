/** All scopes without duplicates; undefined instead of an empty list. */
export function unionScopes(
  ...scopes: readonly (string | readonly string[] | undefined)[]
): string | undefined {
  const all = new Set(
    scopes
      .flatMap((scope) =>
        typeof scope === "string" ? scope.split(/\s+/) : (scope ?? []),
      )
      .filter(isScope),
  );
  return all.size === 0 ? undefined : [...all].join(" ");
}

/** Whether some scopes are all among others. */
export function hasScopes(
  scopes: string | undefined,
  wanted: string | undefined,
): boolean {
  return unionScopes(scopes) === unionScopes(scopes, wanted);
}

/** RFC 6749, section 3.3: no spaces, quotes and backslashes. */
function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
}

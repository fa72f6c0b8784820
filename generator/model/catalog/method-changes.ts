/** A method in the generated code of one revision. */
export interface MethodConstant {
  readonly name: string;
  /** Its constant in `METHODS`: `TOOLS_CALL`. */
  readonly constant: string;
}

/** Methods by the revision whose generated code has them. */
export type MethodsByRevision = ReadonlyMap<string, readonly MethodConstant[]>;

/** A method, with the revisions that added or had it. */
export interface ChangedMethod extends MethodConstant {
  /** Sorted. */
  readonly revisions: readonly string[];
}

/** The differences between the methods of two runs. */
export interface MethodChanges {
  /** New revisions, sorted. */
  readonly newRevisions: readonly string[];
  /** Methods that no revision had before. */
  readonly added: readonly ChangedMethod[];
  /** Methods that no revision has anymore. */
  readonly removed: readonly ChangedMethod[];
}

/** Compares the methods that generated code had with those that it has now; a first run has no changes. */
export function compareMethods(before: MethodsByRevision, after: MethodsByRevision): MethodChanges {
  if (before.size === 0) return { newRevisions: [], added: [], removed: [] };
  return {
    newRevisions: [...after.keys()].filter((revision) => !before.has(revision)).sort(),
    added: methodsMissingIn(before, after),
    removed: methodsMissingIn(after, before),
  };
}

/** The methods of some revisions that others do not have, by name. */
function methodsMissingIn(others: MethodsByRevision, own: MethodsByRevision): readonly ChangedMethod[] {
  const known = new Set([...others.values()].flat().map(({ name }) => name));
  const missing = new Map<string, MethodConstant & { readonly revisions: string[] }>();
  for (const [revision, methods] of [...own].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const { name, constant } of methods) {
      if (known.has(name)) continue;
      const found = missing.get(name) ?? { name, constant, revisions: [] };
      found.revisions.push(revision);
      missing.set(name, found);
    }
  }
  return [...missing.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Comments, strings, and the start and end of a table in our own output, with any Prettier formatting. */
const TOKEN =
  /\/\*[^]*?\*\/|\/\/[^\n]*|export const (?<table>(?:EMBEDDED_)?METHODS)\b|(?<key>[\p{ID_Start}$_][\p{ID_Continue}$]*|"[^"\n]*"|'[^'\n]*'):\s*(?<value>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<end>\})/gu;

/**
 * Reads the methods out of a generated `methods.ts` or `methods.js`: the tables `METHODS` and `EMBEDDED_METHODS`.
 *
 * @param text - A file with our header; unknown syntax is skipped.
 */
export function parseMethodsFile(text: string): readonly MethodConstant[] {
  const methods: MethodConstant[] = [];
  let isInside = false;
  for (const { groups = {} } of text.matchAll(TOKEN)) {
    if (groups['table'] !== undefined) isInside = true;
    else if (groups['end'] !== undefined) isInside = false;
    else if (isInside && groups['key'] !== undefined && groups['value'] !== undefined) {
      const name = parseStringLiteral(groups['value']);
      if (name !== undefined) methods.push({ name, constant: groups['key'].replaceAll(/^["']|["']$/g, '') });
    }
  }
  return methods;
}

/** The value of a string literal that was written as JSON; Prettier may have changed its quotes. */
function parseStringLiteral(literal: string): string | undefined {
  const inside = literal
    .slice(1, -1)
    .replaceAll(/\\.|"/g, (part) => (part === '"' ? '\\"' : part === "\\'" ? "'" : part));
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch {
    return undefined;
  }
}

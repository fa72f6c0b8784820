import { McpgenError } from '../errors.js';
import { compareText } from '../read/json/json.js';
import { closestMatch } from '../text.js';
import type { Declarations, ExportedType } from './declarations.js';

/** Which names of the package correspond to which definitions. */
export interface NameOptions {
  /** The protocol's name to theirs; one `*` on both sides matches the same text: `*` to `Mcp*`. */
  readonly names?: Readonly<Record<string, string>>;
  /** The place of an invalid entry of `names`, for errors. */
  readonly placeOfName?: (name: string) => string;
  /** Definitions or paths to ignore; `*` matches any text. */
  readonly ignore?: readonly string[];
}

/**
 * The export of a definition: the one that is mapped to it, else a type of its name, a schema that is named
 * after it, or a type of its name in a namespace.
 *
 * @param isMatch - Whether an export of the same name is a candidate.
 * @throws {@link McpgenError} if a name is mapped to a missing export.
 */
export function findExport(
  definition: string,
  declarations: Declarations,
  { names = {}, placeOfName = nameLocation }: NameOptions,
  isMatch: (candidate: ExportedType) => boolean = () => true,
): ExportedType | undefined {
  const { types, schema, names: exported } = declarations;
  if (Object.hasOwn(names, definition)) {
    const wanted = String(names[definition]);
    const found = types.get(wanted) ?? schema(wanted);
    if (found !== undefined) return found;
    const near = closestMatch(wanted, exported);
    throw new McpgenError(`the package exports no type ${JSON.stringify(wanted)}`, {
      place: placeOfName(definition),
      remedy: near === undefined ? 'Correct the name, or omit it.' : `Did you mean ${near}?`,
    });
  }
  for (const candidate of [...namesFromPatterns(definition, names), definition]) {
    const camel = candidate.charAt(0).toLowerCase() + candidate.slice(1);
    const found = [
      () => types.get(candidate),
      () => schema(`${candidate}Schema`),
      () => schema(`${camel}Schema`),
      () => schema(candidate),
      () => findInNamespaces(candidate, types),
    ];
    for (const findNamed of found) {
      const one = findNamed();
      if (one !== undefined && isMatch(one)) return one;
    }
  }
  return undefined;
}

/** The place of an entry of `names` that did not come from the command line. */
export function nameLocation(name: string): string {
  return `names, ${name}`;
}

/** The names that patterns with `*` map a definition to. */
export function namesFromPatterns(definition: string, names: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(names).flatMap(([ours, theirs]) => {
    if (!ours.includes('*') || !matchesPattern(definition, ours)) return [];
    const [before = '', after = ''] = ours.split('*');
    return [theirs.replace('*', () => definition.slice(before.length, definition.length - after.length))];
  });
}

function findInNamespaces(name: string, types: ReadonlyMap<string, ExportedType>): ExportedType | undefined {
  return [...types.values()]
    .filter((item) => item.name.endsWith(`.${name}`))
    .sort((a, b) => a.name.length - b.name.length || compareText(a.name, b.name))[0];
}

/** Whether a text matches a pattern in which `*` matches any text. */
export function matchesPattern(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  // Finds each part at its first place after the previous one, so there is no backtracking.
  let from = first.length;
  for (const part of rest) {
    const position = text.indexOf(part, from);
    if (position === -1 || position + part.length > text.length - last.length) return false;
    from = position + part.length;
  }
  return true;
}

/** Whether a definition or a path is ignored: directly, or with what contains it. */
export function isIgnored(path: string, pattern: string): boolean {
  if (matchesPattern(path, pattern)) return true;
  // `CallToolResult.content` covers everything below it too.
  return !pattern.endsWith('*') && ['.*', '[*', '<*'].some((end) => matchesPattern(path, pattern + end));
}

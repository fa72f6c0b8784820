import { compareText, isObject, ownMember, type JsonObject, type JsonValue } from '../json/json.js';
import { readBuiltinJson } from '../files.js';

/** Our own doc texts of one revision, for each definition and member. */
export interface Docs {
  /** The text of a definition. */
  definition(name: string): string | undefined;
  /** The text of a member; `path` has the member names from the definition to it. */
  member(definition: string, path: readonly string[]): string | undefined;
  /** Why a definition (empty path) or member is deprecated. */
  deprecated(definition: string, path: readonly string[]): string | undefined;
}

/** Empty docs, for schemas with their own descriptions. */
export const NO_DOCS: Docs = {
  definition: () => undefined,
  member: () => undefined,
  deprecated: () => undefined,
};

/** The docs of `schema/docs.json` for a revision. */
export function builtinDocs(revision: string): Docs {
  return docsOf(readBuiltinJson('docs.json') as JsonObject, revision);
}

/** The docs of a file in the format of `schema/docs.json`. */
export function docsOf(file: JsonObject, revision: string): Docs {
  const definitions = ownMember(file, 'definitions') as JsonObject;
  const shared = ownMember(file, 'members') as JsonObject;

  const entry = (name: string, key: 'members' | 'deprecated'): JsonObject | undefined => {
    const definition = ownMember(definitions, name);
    const map = isObject(definition) ? ownMember(definition, key) : undefined;
    return isObject(map) ? map : undefined;
  };
  const text = (map: JsonObject | undefined, key: string): string | undefined =>
    map === undefined ? undefined : textForRevision(ownMember(map, key), revision);

  return {
    definition(name) {
      const definition = ownMember(definitions, name);
      return isObject(definition) ? textForRevision(ownMember(definition, 'doc'), revision) : undefined;
    },
    member(definition, path) {
      const last = path.at(-1) ?? '';
      const [own, named] = docLocations(definition, path);
      return (
        text(entry(own.definition, 'members'), own.key) ??
        (named && text(entry(named.definition, 'members'), named.key)) ??
        textForRevision(ownMember(shared, last), revision)
      );
    },
    deprecated(definition, path) {
      const [own, named] = docLocations(definition, path);
      return (
        text(entry(own.definition, 'deprecated'), own.key) ??
        (named && text(entry(named.definition, 'deprecated'), named.key))
      );
    },
  };
}

interface DocLocation {
  readonly definition: string;
  readonly key: string;
}

/** The keys of a text: old revisions have inline params, newer ones a definition of them; both use the same text. */
function docLocations(definition: string, path: readonly string[]): [DocLocation, DocLocation | undefined] {
  const ownLocation = { definition, key: path.join('.') };
  const inlineParams = /(?:Request|Notification)$/.test(definition) && path[0] === 'params' && path.length > 1;
  return [ownLocation, inlineParams ? { definition: `${definition}Params`, key: path.slice(1).join('.') } : undefined];
}

/** A text is a string, or an object with a text for each revision since which it applies. */
function textForRevision(text: JsonValue | undefined, revision: string): string | undefined {
  if (typeof text === 'string') return text;
  if (!isObject(text)) return undefined;
  const since = Object.keys(text)
    .filter((key) => key <= revision)
    .sort(compareText)
    .at(-1);
  const found = since === undefined ? undefined : text[since];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

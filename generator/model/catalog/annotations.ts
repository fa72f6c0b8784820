/**
 * Annotations with which schemas name their methods: `x-method` is the method, and `x-side` the side that handles it, of
 * each definition of params and results. Generators of schemas from Rust types, such as that of the Agent Client
 * Protocol, write them.
 */
import type { ExtensionMethods } from '../../read/catalog.js';
import { isObject, ownMember, parsePointer, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { constantCase } from '../naming.js';

/** A definition of params or of a result. */
export interface AnnotatedDefinition {
  readonly name: string;
  readonly method: string;
  /** The side that handles the method, in the schema's words; `protocol` or `both` for both. */
  readonly side: string | undefined;
  /** What the schema says about the method, in one sentence. */
  readonly summary?: string;
}

/** An error code that the schema enumerates. */
export interface AnnotatedError {
  readonly name: string;
  readonly code: number;
  readonly summary: string;
}

/** What a schema says about its methods by annotations. */
export interface SchemaAnnotations {
  readonly definitions: readonly AnnotatedDefinition[];
  readonly errors: readonly AnnotatedError[];
  /** Definitions for methods that the protocol does not define. */
  readonly extensionMethods: Omit<ExtensionMethods, 'prefix'> | undefined;
}

/** The annotations of a schema without any. */
export const NO_ANNOTATIONS: SchemaAnnotations = { definitions: [], errors: [], extensionMethods: undefined };

/** Reads the annotations of a schema's definitions. */
export function readAnnotations(definitions: JsonObject): SchemaAnnotations {
  const annotated = Object.entries(definitions).flatMap(([name, schema]) => {
    const method = isObject(schema) ? ownMember(schema, 'x-method') : undefined;
    if (!isObject(schema) || typeof method !== 'string') return [];
    const side = ownMember(schema, 'x-side');
    return [{ name, method, side: typeof side === 'string' ? side : undefined }];
  });
  if (annotated.length === 0) return NO_ANNOTATIONS;
  const names = new Set(annotated.map(({ name }) => name));
  const unions = unionsIn(definitions);
  const texts = new Map<string, string>();
  const extensions = new Set<string>();
  for (const variants of unions) {
    const isOfMethods = variants.some(({ name }) => name !== undefined && names.has(name));
    for (const { name, description } of variants) {
      if (!isOfMethods || name === undefined) continue;
      if (!names.has(name)) extensions.add(name);
      const sentence = firstSentence(description);
      if (sentence !== undefined && !texts.has(name)) texts.set(name, sentence);
    }
  }
  return {
    definitions: annotated.map((item) => {
      // A union of all methods describes what they do, a definition often only that it has the params.
      const summary = texts.get(item.name) ?? firstSentence(descriptionOf(definitions[item.name]));
      return summary === undefined ? item : { ...item, summary };
    }),
    errors: readErrors(unions),
    extensionMethods: extensionsOf([...extensions]),
  };
}

/** Whether a schema names its methods by annotations, so that it needs no messages. */
export function hasAnnotations({ definitions }: SchemaAnnotations): boolean {
  return definitions.length > 0;
}

function descriptionOf(schema: JsonValue | undefined): JsonValue | undefined {
  return isObject(schema) ? ownMember(schema, 'description') : undefined;
}

/** The part of a method that a definition is: by its name, since the annotations do not say it. */
export function partOf(name: string): 'request' | 'result' | 'notification' | undefined {
  if (/(?:Response|Result)$/.test(name)) return 'result';
  if (/Notification(?:Params)?$/.test(name)) return 'notification';
  return /(?:Request|Params)$/.test(name) ? 'request' : undefined;
}

function extensionsOf(names: readonly string[]): SchemaAnnotations['extensionMethods'] {
  if (names.length === 0) return undefined;
  const find = (part: ReturnType<typeof partOf>): string | undefined => names.find((name) => partOf(name) === part);
  return Object.fromEntries(
    (['request', 'result', 'notification'] as const).flatMap((part) => {
      const name = find(part);
      return name === undefined ? [] : [[part, name]];
    }),
  );
}

/** A variant of a union. */
interface Variant {
  /** The definition that it refers to, if it does nothing else. */
  readonly name: string | undefined;
  readonly title: JsonValue | undefined;
  readonly description: JsonValue | undefined;
  readonly value: JsonValue | undefined;
}

/** All unions of a schema. */
function unionsIn(schema: JsonValue): readonly (readonly Variant[])[] {
  if (Array.isArray(schema)) return (schema as readonly JsonValue[]).flatMap(unionsIn);
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => [
    ...((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)
      ? [(value as readonly JsonValue[]).map(readVariant)]
      : []),
    ...unionsIn(value),
  ]);
}

function readVariant(schema: JsonValue): Variant {
  const own = isObject(schema) ? schema : {};
  const all = ownMember(own, 'allOf');
  const [only, second] = Array.isArray(all) ? (all as readonly JsonValue[]) : [schema];
  const reference = isObject(only) && second === undefined ? ownMember(only, '$ref') : undefined;
  return {
    name: typeof reference === 'string' ? parsePointer(reference.replace(/^#/, '')).at(-1) : undefined,
    title: ownMember(own, 'title'),
    description: ownMember(own, 'description'),
    value: ownMember(own, 'const'),
  };
}

/** The error codes: a union of constants with titles, one of which is a code of JSON-RPC. */
function readErrors(unions: readonly (readonly Variant[])[]): readonly AnnotatedError[] {
  const isErrorCode = (variants: readonly Variant[]): boolean =>
    variants.filter(({ value, title }) => Number.isSafeInteger(value) && typeof title === 'string').length > 1 &&
    variants.every(({ value }) => value === undefined || Number.isSafeInteger(value)) &&
    variants.some(({ value }) => value === -32_600);
  const [codes = []] = unions.filter(isErrorCode);
  return codes.flatMap(({ title, description, value }): AnnotatedError[] => {
    if (typeof value !== 'number' || typeof title !== 'string') return [];
    // Rust's documentation often repeats the title in bold.
    const text = typeof description === 'string' ? description.replace(/^\*\*[^*]*\*\*:?\s*/, '') : undefined;
    return [{ name: constantCase(title), code: value, summary: firstSentence(text) ?? `${title}.` }];
  });
}

const MAX_SUMMARY_LENGTH = 120;

/** The first sentence of a description, if it can be a summary. */
export function firstSentence(description: JsonValue | undefined): string | undefined {
  if (typeof description !== 'string') return undefined;
  const [paragraph = ''] = description.trim().split(/\n\s*\n/);
  const text = paragraph.replaceAll(/\s+/g, ' ');
  const sentence = /^.*?[^.]\.(?=\s|$)/.exec(text)?.[0] ?? `${text}.`;
  const isSummary = sentence.length <= MAX_SUMMARY_LENGTH && /^[A-Z].+\.$/.test(sentence);
  return isSummary ? sentence : undefined;
}

/**
 * Lists of definitions: names are unique, and each list is one page.
 */
import type {
  ContentAnnotations,
  DefinitionContext,
  ResourceInfo,
  ResourceMeta,
} from "./types.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { describeFailure } from "../validation.js";
import type { Failure } from "../validation.js";

export interface ListParams {
  readonly cursor?: string;
}

export interface ListedInfo {
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: ContentAnnotations;
  _meta?: ResourceMeta;
}

export function contextRevision(context: unknown): string {
  return (context as DefinitionContext).revision;
}

/** Values with names that a client chose, without those that every object inherits. */
export function withoutPrototype(
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.assign(Object.create(null), values) as Record<string, string>;
}

export function invalidArgumentError(message: string): RpcError {
  return new RpcError(STANDARD_ERROR_CODES.INVALID_PARAMS, message);
}

/** What is wrong: by a generated validator, or in the words of another library. */
export function failureText(failure: Failure | string): string {
  return typeof failure === "string" ? failure : describeFailure(failure);
}

export function indexBy<T>(
  items: readonly T[],
  kind: string,
  keyOf: (item: T) => string,
): ReadonlyMap<string, T> {
  const index = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (index.has(key)) throw new TypeError(`duplicate ${kind}: ${key}`);
    index.set(key, item);
  }
  return index;
}

/** The whole list: we return no cursors, so any cursor is unknown. */
export function singlePage<T>({ cursor }: ListParams, all: readonly T[]): T[] {
  if (cursor !== undefined) throw invalidArgumentError("Unknown cursor");
  return [...all];
}

/** A member if it has a value, and nothing otherwise. */
export function optionalMember<Name extends string, T>(
  name: Name,
  value: T | undefined,
): Partial<Record<Name, T>> {
  return (value === undefined ? {} : { [name]: value }) as Partial<
    Record<Name, T>
  >;
}

export function listedInfo(item: ResourceInfo): ListedInfo {
  return {
    name: item.name,
    ...optionalMember("title", item.title),
    ...optionalMember("description", item.description),
    ...optionalMember("mimeType", item.mimeType),
    ...optionalMember("annotations", item.annotations),
    ...optionalMember("_meta", item._meta),
  };
}

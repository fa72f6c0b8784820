/** Results that a client keeps as long as the server says (MCP 2026-07-28, caching). */
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import type { CallOptions } from "../jsonrpc/endpoint.js";
import { isObject } from "../jsonrpc/envelope.js";
import type { UnknownObject } from "../jsonrpc/envelope.js";

/** Limits of a cache; at each of them, results that were not used for longest are removed first. */
export interface CacheOptions {
  /** Maximum of results; 1000 by default. */
  readonly maxEntries?: number | undefined;
  /** Maximum of characters of all results, as JSON; 8 Mi by default. A larger result is not cached. */
  readonly maxChars?: number | undefined;
  /** The time in milliseconds; `Date.now` by default. For tests. */
  readonly now?: (() => number) | undefined;
}

/** Maximum of milliseconds for which a result is fresh: a client may request it again earlier than the server says. */
const MAX_TTL_MS = 24 * 60 * 60 * 1000;

const TOOLS = "tools/list";
const READ = "resources/read";

/** The methods whose results have `ttlMs` (MCP 2026-07-28, caching, cacheable results). */
const CACHEABLE: ReadonlySet<string> = new Set([
  "server/discover",
  TOOLS,
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  READ,
]);

/** The option `cache` of a client, from {@link resultCache}. */
export interface ResultCacheFactory {
  /** @internal */
  readonly create: () => ResultCache;
}

/**
 * The option `cache` of a client: caches results as long as the server says. Each client has its own.
 *
 *     const client = createClient({ info, cache: resultCache({ maxEntries: 100 }) });
 *
 * @throws RangeError if a limit is negative or not a number.
 */
export function resultCache(options: CacheOptions = {}): ResultCacheFactory {
  const create = (): ResultCache => new ResultCache(options);
  // Reports a wrong limit where it is written.
  create();
  return { create };
}

/** The methods whose results a notification makes stale. Templates have no other notification. */
const STALE_AFTER: Readonly<Record<string, readonly string[]>> = {
  "notifications/tools/list_changed": [TOOLS],
  "notifications/prompts/list_changed": ["prompts/list"],
  "notifications/resources/list_changed": [
    "resources/list",
    "resources/templates/list",
  ],
};

/** Members of `_meta` that never change a result: what they contain differs in each request. */
const IGNORED_META: ReadonlySet<string> = new Set([
  "progressToken",
  "traceparent",
  "tracestate",
  "baggage",
]);

/** Codes with which a server rejects the call of a tool that is not as it was listed. */
const STALE_TOOL_CODES: ReadonlySet<number> = new Set([
  STANDARD_ERROR_CODES.METHOD_NOT_FOUND,
  STANDARD_ERROR_CODES.INVALID_PARAMS,
]);

/** A result as JSON, which no caller can change. Parsing it takes less than half the time of cloning an object. */
interface Entry {
  readonly method: string;
  readonly text: string;
  readonly expires: number;
  readonly isPrivate: boolean;
  /** URIs of the resources in the result, and of the request. */
  readonly uris: readonly string[];
  readonly chars: number;
}

/** The place of one request's result. */
export interface CacheSlot {
  /**
   * The result if it is fresh; otherwise undefined.
   *
   * @param checkAuthorization - Runs before a private result is used, and removes it if the credentials have changed.
   */
  find(
    checkAuthorization: () => Promise<void> | undefined,
  ): Promise<object | undefined>;
  /** Keeps a result, unless it has become stale since the slot was made. */
  store(result: object): void;
}

/**
 * The cached results of one client, so that no other caller gets them, whatever their `cacheScope`.
 *
 * Requests that run at the same time are all sent: each has its own cancellation, timeout and progress.
 * `#chars` is the sum of all entries, which are in the order of their last use.
 * An epoch grows when results of its method become stale; a result is kept only if that has not happened since its
 * request was sent.
 */
export class ResultCache {
  readonly #maxEntries: number;
  readonly #maxChars: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #epochs = new Map<string, number>();
  #privateEpoch = 0;
  #chars = 0;

  /** @throws RangeError if a limit is negative or not a number. */
  constructor({
    maxEntries = 1000,
    maxChars = 8 * 1024 * 1024,
    now = Date.now,
  }: CacheOptions) {
    for (const [name, value] of Object.entries({ maxEntries, maxChars }))
      if (!(value >= 0))
        throw new RangeError(`cache.${name} must be at least 0, not ${value}`);
    this.#maxEntries = maxEntries;
    this.#maxChars = maxChars;
    this.#now = now;
  }

  /**
   * The cached result of a request, or the one that it gets when it is sent.
   *
   * @param checkAuthorization - Rejects if the next request would not be authorized.
   * @param send - Sends it; `store` receives the first result, if that may be cached.
   */
  async request(
    method: string,
    params: object | undefined,
    options: CallOptions | undefined,
    checkAuthorization: () => Promise<void> | undefined,
    send: (store: (result: object) => void) => Promise<object>,
  ): Promise<object> {
    const slot = this.slotFor(method, params);
    if (options?.bypassCache !== true) {
      const cached = await slot?.find(checkAuthorization);
      options?.signal?.throwIfAborted();
      if (cached !== undefined) return cached;
    }
    try {
      return await send((result) => slot?.store(result));
    } catch (error) {
      this.handleError(method, params, error);
      throw error;
    }
  }

  /** The slot of a request; undefined if its result must not be cached. */
  slotFor(method: string, params: object | undefined): CacheSlot | undefined {
    const key = keyOf(method, params);
    if (key === undefined) return undefined;
    const epoch = this.#epochOf(method);
    const privateEpoch = this.#privateEpoch;
    return {
      find: async (checkAuthorization) => {
        if (this.#freshEntry(key)?.isPrivate === true)
          try {
            await checkAuthorization();
          } catch {
            // The request fails for the same reason.
            return undefined;
          }
        const entry = this.#freshEntry(key);
        if (entry === undefined) return undefined;
        this.#entries.delete(key);
        this.#entries.set(key, entry);
        return JSON.parse(entry.text) as object;
      },
      store: (result) => {
        this.#remove(key);
        const entry = this.#entryOf(method, params, key, result);
        if (
          entry !== undefined &&
          epoch === this.#epochOf(method) &&
          (!entry.isPrivate || privateEpoch === this.#privateEpoch)
        )
          this.#add(key, entry);
      },
    };
  }

  /** Removes what a notification makes stale (MCP 2026-07-28, caching, interaction with notifications). */
  handleNotification(method: string, params: object | undefined): void {
    if (method === "notifications/resources/updated") {
      const { uri } = (params ?? {}) as { readonly uri?: unknown };
      this.#removeResults(
        READ,
        ({ uris }) =>
          typeof uri !== "string" || uris.some((known) => isWithin(uri, known)),
      );
      return;
    }
    const stale = Object.hasOwn(STALE_AFTER, method)
      ? STALE_AFTER[method]
      : undefined;
    stale?.forEach((name) => {
      this.#removeResults(name);
    });
  }

  /** Removes what an error shows to be stale (MCP 2026-07-28, caching: pagination, and freshness calculation). */
  handleError(
    method: string,
    params: object | undefined,
    error: unknown,
  ): void {
    const { cursor } = (params ?? {}) as { readonly cursor?: unknown };
    if (!(error instanceof RpcError)) return;
    // A cursor that was valid may be invalid now, so all pages are old.
    if (cursor !== undefined && CACHEABLE.has(method))
      this.#removeResults(method);
    if (method === "tools/call" && STALE_TOOL_CODES.has(error.code))
      this.#removeResults(TOOLS);
  }

  clear(): void {
    for (const method of CACHEABLE) this.#removeResults(method);
  }

  /** Removes what only the former caller may see. */
  clearPrivate(): void {
    this.#privateEpoch += 1;
    for (const [key, { isPrivate }] of this.#entries)
      if (isPrivate) this.#remove(key);
  }

  #epochOf(method: string): number {
    return this.#epochs.get(method) ?? 0;
  }

  #freshEntry(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#now() < entry.expires) return entry;
    this.#remove(key);
    return undefined;
  }

  #entryOf(
    method: string,
    params: object | undefined,
    key: string,
    result: object,
  ): Entry | undefined {
    const { ttlMs, cacheScope, contents } = result as UnknownObject;
    // Negative values count as 0, and so does everything else that is not a time.
    if (typeof ttlMs !== "number" || !Number.isFinite(ttlMs) || ttlMs <= 0)
      return undefined;
    const text = toJson(result);
    const chars = key.length + (text?.length ?? 0);
    if (text === undefined || chars > this.#maxChars) return undefined;
    return {
      method,
      text,
      expires: this.#now() + Math.min(ttlMs, MAX_TTL_MS),
      isPrivate: cacheScope !== "public",
      uris: method === READ ? urisIn([params, ...arrayOf(contents)]) : [],
      chars,
    };
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#chars += entry.chars;
    for (const oldest of this.#entries.keys()) {
      if (
        this.#entries.size <= this.#maxEntries &&
        this.#chars <= this.#maxChars
      )
        return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#chars -= entry.chars;
  }

  #removeResults(
    method: string,
    isStale: (entry: Entry) => boolean = () => true,
  ): void {
    this.#epochs.set(method, this.#epochOf(method) + 1);
    for (const [key, entry] of this.#entries)
      if (entry.method === method && isStale(entry)) this.#remove(key);
  }
}

/**
 * The key of a request: method and parameters, with sorted members (MCP 2026-07-28, caching, cache key). Undefined if the
 * result must not be cached, as that of a request with input.
 */
function keyOf(method: string, params: object = {}): string | undefined {
  if (!CACHEABLE.has(method)) return undefined;
  const { _meta: meta, ...others } = params as UnknownObject;
  if (
    others["inputResponses"] !== undefined ||
    others["requestState"] !== undefined
  )
    return undefined;
  const keyMeta = Object.entries(isObject(meta) ? meta : {}).filter(
    ([name]) => !IGNORED_META.has(name),
  );
  const text = toJson(
    keyMeta.length === 0
      ? others
      : { ...others, _meta: Object.fromEntries(keyMeta) },
    sortMembers,
  );
  return text === undefined ? undefined : `${method} ${text}`;
}

function sortMembers(_: string, value: unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(
        Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)),
      )
    : value;
}

/** Undefined if the value is not JSON; sending it fails then. */
function toJson(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
): string | undefined {
  try {
    return JSON.stringify(value, replacer);
  } catch {
    return undefined;
  }
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function urisIn(values: readonly unknown[]): readonly string[] {
  return values.flatMap((value) => {
    const uri: unknown = isObject(value) ? value["uri"] : undefined;
    return typeof uri === "string" ? [uri] : [];
  });
}

/** Whether a resource is another one, or a part of it: a notification may name a part (MCP, resources). */
function isWithin(uri: string, whole: string): boolean {
  if (!uri.startsWith(whole)) return false;
  return (
    uri.length === whole.length ||
    whole.endsWith("/") ||
    "/?#".includes(uri.charAt(whole.length))
  );
}

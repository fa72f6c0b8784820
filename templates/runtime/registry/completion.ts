/** Completions of the arguments of prompts and the variables of resource templates. */
import type { Completer } from "./resources.js";
import { invalidArgumentError, withoutPrototype } from "./lists.js";
import { truncate } from "../protocol/revision.js";
import type { CompletionSource } from "../server/completion.js";

/** Maximum of suggestions in a response (MCP, server utilities, completion). */
const MAX_SUGGESTIONS = 100;

interface Completable {
  readonly complete?: Readonly<Record<string, Completer | undefined>>;
}

interface CompleteParams {
  readonly ref: {
    readonly type: string;
    readonly name?: string;
    readonly uri?: string;
  };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/**
 * Serves `complete` functions. An argument without one has no suggestions; an unknown prompt or template gets the error
 * -32602.
 *
 * @param items - By the name of the prompt, or the template of the resource.
 * @param refType - The type of the references to them.
 */
export function completionSource(
  refType: "ref/prompt" | "ref/resource",
  items: ReadonlyMap<string, Completable>,
): CompletionSource {
  return {
    isUsed: [...items.values()].some(({ complete }) => complete !== undefined),
    complete: async ({ ref, argument, context }: CompleteParams) => {
      const name = ref.name ?? ref.uri ?? "";
      const item = ref.type === refType ? items.get(name) : undefined;
      if (item === undefined) {
        const kind = ref.type === "ref/prompt" ? "prompt" : "resource template";
        throw invalidArgumentError(`Unknown ${kind}: ${truncate(name)}`);
      }
      const { complete = {} } = item;
      const completer = Object.hasOwn(complete, argument.name)
        ? complete[argument.name]
        : undefined;
      const known = withoutPrototype(context?.arguments ?? {});
      const all = (await completer?.(argument.value, known)) ?? [];
      return {
        completion: {
          values: all.slice(0, MAX_SUGGESTIONS),
          total: all.length,
          hasMore: all.length > MAX_SUGGESTIONS,
        },
      };
    },
  };
}

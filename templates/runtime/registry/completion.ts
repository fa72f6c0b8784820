/**
 * The handler of `completion/complete`.
 */
import type { DefinitionContext } from "./types.js";
import { refuseUnusedCompleters } from "./prompts.js";
import type { RegisteredPrompt } from "./prompts.js";
import type { Completer, RegisteredResource } from "./resources.js";
import { invalidArgumentError, withoutPrototype } from "./lists.js";
import { truncate } from "../protocol/revision.js";

/** Handlers of `completion/complete`. */
export interface CompletionHandlers {
  readonly "completion/complete": (params: {
    readonly ref:
      | { readonly type: "ref/prompt"; readonly name: string }
      | { readonly type: "ref/resource"; readonly uri: string };
    readonly argument: { readonly name: string; readonly value: string };
    readonly context?: {
      readonly arguments?: Readonly<Record<string, string>>;
    };
  }) => Promise<{
    completion: { values: string[]; total: number; hasMore: boolean };
  }>;
}

/** Maximum of suggestions in a response (MCP, server utilities, completion). */
const MAX_SUGGESTIONS = 100;

/**
 * Serves the `complete` functions of prompt arguments and template variables. An argument without one has no
 * suggestions; an unknown prompt or template gets the error -32602.
 *
 * @throws TypeError if `complete` of a prompt is where it would not be called.
 */
export function completionHandlers<Context = DefinitionContext>(sources: {
  readonly prompts?: readonly RegisteredPrompt<Context>[];
  readonly resources?: readonly RegisteredResource<Context>[];
}): CompletionHandlers {
  for (const prompt of sources.prompts ?? []) refuseUnusedCompleters(prompt);
  const prompts = new Map(
    (sources.prompts ?? []).map((item) => [item.name, item]),
  );
  const templates = new Map(
    (sources.resources ?? []).flatMap((item) =>
      "uriTemplate" in item ? [[item.uriTemplate, item] as const] : [],
    ),
  );
  const completersOf = (ref: {
    readonly type: string;
    readonly name?: string;
    readonly uri?: string;
  }): Readonly<Record<string, Completer | undefined>> => {
    const isPrompt = ref.type === "ref/prompt";
    const name = (isPrompt ? ref.name : ref.uri) ?? "";
    const found = isPrompt ? prompts.get(name) : templates.get(name);
    if (found === undefined)
      throw invalidArgumentError(
        `Unknown ${isPrompt ? "prompt" : "resource template"}: ${truncate(name)}`,
      );
    return found.complete ?? {};
  };
  return {
    "completion/complete": async ({ ref, argument, context }) => {
      const completers = completersOf(ref);
      const complete = Object.hasOwn(completers, argument.name)
        ? completers[argument.name]
        : undefined;
      const all =
        (await complete?.(
          argument.value,
          withoutPrototype(context?.arguments ?? {}),
        )) ?? [];
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

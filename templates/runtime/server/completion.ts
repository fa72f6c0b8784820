/** The request `completion/complete`, which lists of prompts and of resources answer together. */
import { maySend } from "../protocol/revision.js";
import type { Revision } from "../protocol/revision.js";
import type { RequestHandler } from "./types.js";

/** How a list of prompts or resources answers `completion/complete`. */
export interface CompletionSource {
  /** Whether anything in the list has completions. */
  readonly isUsed: boolean;
  readonly complete: RequestHandler;
}

// Each list has its source under a separate key, so that spreading one list's handlers after another's keeps both.
export const PROMPT_COMPLETION: unique symbol = Symbol("prompts");
export const RESOURCE_COMPLETION: unique symbol = Symbol("templates");

type Handlers = Readonly<Record<string, RequestHandler | undefined>> & {
  readonly [PROMPT_COMPLETION]?: CompletionSource;
  readonly [RESOURCE_COMPLETION]?: CompletionSource;
};

const COMPLETE = "completion/complete";

/** Adds the handler of `completion/complete`, if a list has completions and there is no other handler. */
export function withCompletion(
  handlers: Handlers,
  revisions: readonly Revision[],
): Handlers {
  const {
    [PROMPT_COMPLETION]: prompts,
    [RESOURCE_COMPLETION]: templates,
    [COMPLETE]: given,
  } = handlers;
  if (
    given !== undefined ||
    (prompts?.isUsed !== true && templates?.isUsed !== true) ||
    !revisions.some((item) => maySend(item, "client", "request", COMPLETE))
  )
    return handlers;
  const handler = (
    params: { readonly ref: { readonly type: string } },
    context: never,
  ): object | Promise<object> => {
    const isPrompt = params.ref.type === "ref/prompt";
    // Without such a list, the other one rejects the reference.
    const source = (isPrompt ? prompts : templates) ?? prompts ?? templates;
    return source?.complete(params as never, context) ?? {};
  };
  return { ...handlers, [COMPLETE]: handler };
}

/**
 * Prompts: definitions, and the handlers of `prompts/list` and `prompts/get`.
 */
import type {
  Content,
  DefinitionContext,
  MaybePromise,
  SchemaValidation,
} from "./types.js";
import type { Completer } from "./resources.js";
import {
  contextRevision,
  failureText,
  indexBy,
  invalidArgumentError,
  optionalMember,
  singlePage,
  withoutPrototype,
} from "./lists.js";
import type { ListParams } from "./lists.js";
import { truncate } from "../protocol/revision.js";
import { adaptContent } from "./content.js";
import type { AnyContent } from "./content.js";
import { completionSource } from "./completion.js";
import { PROMPT_COMPLETION } from "../server/completion.js";
import type { CompletionSource } from "../server/completion.js";

/** An argument of a prompt. */
export interface PromptArgument {
  /** Its name in `render`. */
  readonly name: string;
  /** A name for people. */
  readonly title?: string;
  /** What it is for, for the user. */
  readonly description?: string;
  /** Whether a request without it is rejected; false by default. */
  readonly required?: boolean;
  /**
   * Not allowed here, where clients would receive it: the prompt has `complete: { [name]: ... }` next to `arguments`.
   */
  readonly complete?: never;
}

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

/** What a prompt returns: the text of a user's message, or messages. */
export type PromptOutcome =
  | string
  | {
      readonly description?: string;
      readonly messages: readonly PromptMessage[];
    };

/**
 * The arguments of a prompt by a schema: those that a Standard Schema describes, from `argumentsSchema` of
 * `runtime/standard-schema`.
 *
 * @typeParam Name - The names of the arguments.
 * @typeParam Values - What the schema returns, after defaults and transforms.
 */
export interface ArgumentsSchema<
  Name extends string,
  Values extends object,
> extends ReadonlyArray<PromptArgument & { readonly name: Name }> {
  readonly validate: (values: unknown) => Promise<SchemaValidation<Values>>;
}

/** The values of a prompt's arguments: what their schema returns, or strings, of which the required ones are present. */
export type PromptValues<Arguments extends readonly PromptArgument[]> =
  Arguments extends ArgumentsSchema<string, infer Values>
    ? Values
    : {
        readonly [
          Argument in Arguments[number] as Argument["name"]
        ]: Argument extends { readonly required: true }
          ? string
          : string | undefined;
      };

/** A prompt: its description for the user, and its messages. */
export interface PromptDefinition<
  Arguments extends readonly PromptArgument[] = readonly PromptArgument[],
  Context = DefinitionContext,
> {
  /** Unique in the server. */
  readonly name: string;
  /** A name for people. */
  readonly title?: string;
  /** What it does, for the user. */
  readonly description?: string;
  /**
   * Its arguments, which determine the type of the values that `render` receives: a list, or a schema from
   * `argumentsSchema` of `runtime/standard-schema`.
   */
  readonly arguments?: Arguments;
  /** Suggests values of arguments, by name. A server with a completer declares and answers `completion/complete`. */
  readonly complete?: Readonly<
    Partial<Record<Arguments[number]["name"], Completer>>
  >;
  /** Returns the text of a user's message, or messages. */
  readonly render: (
    values: PromptValues<Arguments>,
    context: Context,
  ) => MaybePromise<PromptOutcome>;
}

/** A prompt in a list, without the types of its values. */
export type RegisteredPrompt<Context = DefinitionContext> = Omit<
  PromptDefinition<readonly PromptArgument[], Context>,
  "render" | "complete"
> & {
  readonly complete?: Readonly<Record<string, Completer | undefined>>;
  readonly render: (
    values: never,
    context: Context,
  ) => MaybePromise<PromptOutcome>;
};

/** Defines a prompt; `arguments` determines the type of its values. */
export function definePrompt<
  const Arguments extends readonly PromptArgument[] = readonly [],
  Context = DefinitionContext,
>(
  prompt: PromptDefinition<Arguments, Context>,
): PromptDefinition<Arguments, Context> {
  return prompt;
}

/** Handlers of `prompts/list` and `prompts/get`; and of `completion/complete`, if a prompt has a completer. */
export interface PromptHandlers<Context> {
  readonly [PROMPT_COMPLETION]: CompletionSource;
  readonly "prompts/list": (params: ListParams) => { prompts: ListedPrompt[] };
  readonly "prompts/get": (
    params: {
      readonly name: string;
      readonly arguments?: Readonly<Record<string, string>>;
    },
    context: Context,
  ) => Promise<{ description?: string; messages: RenderedMessage[] }>;
}

/**
 * Serves prompts. An unknown name, a missing required argument, and arguments that do not match their schema get the
 * error -32602 (MCP, server features, prompts, error handling).
 *
 * @throws TypeError if two prompts have the same name, `complete` of one is where it would not be called, or a schema of
 *   another library is not wrapped by `argumentsSchema` of `runtime/standard-schema`.
 */
export function promptHandlers<Context = DefinitionContext>(
  prompts: readonly RegisteredPrompt<Context>[],
): PromptHandlers<Context> {
  const byName = indexBy(prompts, "prompt", ({ name }) => name);
  prompts.forEach(refuseMisuse);
  const listed = prompts.map(listedPrompt);
  return {
    [PROMPT_COMPLETION]: completionSource("ref/prompt", byName),
    "prompts/list": (params) => ({ prompts: singlePage(params, listed) }),
    "prompts/get": async ({ name, arguments: values = {} }, context) => {
      const prompt = byName.get(name);
      if (prompt === undefined)
        throw invalidArgumentError(`Unknown prompt: ${truncate(name)}`);
      const { arguments: known = [] } = prompt;
      for (const argument of known) {
        if (argument.required === true && !Object.hasOwn(values, argument.name))
          throw invalidArgumentError(`Missing argument: ${argument.name}`);
      }
      const strings = withoutPrototype(values);
      const checked = isArgumentsSchema(known)
        ? await known.validate(strings)
        : undefined;
      if (checked?.success === false)
        throw invalidArgumentError(
          `Invalid arguments: ${failureText(checked.failure)}`,
        );
      const outcome = await prompt.render(
        (checked?.value ?? strings) as never,
        context,
      );
      const { description = prompt.description, messages } =
        typeof outcome === "string"
          ? {
              messages: [
                {
                  role: "user" as const,
                  content: { type: "text" as const, text: outcome },
                },
              ],
            }
          : outcome;
      return {
        ...optionalMember("description", description),
        messages: messages.map(({ role, content }) => ({
          role,
          content: adaptContent(content, contextRevision(context)),
        })),
      };
    },
  };
}

function isArgumentsSchema(
  known: readonly PromptArgument[] | ArgumentsSchema<string, object>,
): known is ArgumentsSchema<string, object> {
  return "validate" in known;
}

/**
 * Rejects a schema that is not wrapped, and `complete` where it would not be called: types prevent both, but not every
 * author uses them.
 */
function refuseMisuse<Context>({
  name,
  arguments: known = [],
  complete = {},
}: RegisteredPrompt<Context>): void {
  if (!Array.isArray(known))
    throw new TypeError(
      `prompt ${name}: pass its arguments to argumentsSchema of runtime/standard-schema`,
    );
  const names = new Set<string>();
  for (const argument of known as readonly PromptArgument[]) {
    names.add(argument.name);
    if ("complete" in argument)
      throw new TypeError(
        `prompt ${name}: \`complete\` of the argument ${argument.name} belongs next to \`arguments\`, as complete: { ${JSON.stringify(argument.name)}: ... }`,
      );
  }
  const unused = Object.keys(complete).find((key) => !names.has(key));
  if (unused !== undefined)
    throw new TypeError(
      `prompt ${name} completes ${JSON.stringify(unused)}, which is not one of its arguments`,
    );
}

interface ListedPrompt {
  name: string;
  title?: string;
  description?: string;
  arguments: {
    name: string;
    title?: string;
    description?: string;
    required?: boolean;
  }[];
}

interface RenderedMessage {
  role: "user" | "assistant";
  content: AnyContent;
}

function listedPrompt<Context>(
  prompt: RegisteredPrompt<Context>,
): ListedPrompt {
  return {
    name: prompt.name,
    ...optionalMember("title", prompt.title),
    ...optionalMember("description", prompt.description),
    arguments: (prompt.arguments ?? []).map(
      ({ name, title, description, required }) => ({
        name,
        ...optionalMember("title", title),
        ...optionalMember("description", description),
        ...optionalMember("required", required),
      }),
    ),
  };
}

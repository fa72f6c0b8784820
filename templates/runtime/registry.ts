import { RpcError, STANDARD_ERROR_CODES } from "./jsonrpc/error-codes.js";
import { truncate } from "./protocol/revision.js";
import type { HandlerContext } from "./server.js";
import { matchUri, parseUriTemplate } from "./registry/uri-template.js";
import { describeFailure } from "./validation.js";
import type { Validation } from "./validation.js";

/**
 * Tools, resources and prompts, each defined in one place, and the handlers that serve lists of them. They serve every
 * revision: what an older one lacks is written in its terms.
 */

/**
 * What a definition is given beside its arguments, whatever the revision. The generated `ServerContext` has the
 * revision's own types: `run: (args, context: ServerContext) => ...`.
 */
export type DefinitionContext = Pick<
  HandlerContext,
  | "id"
  | "method"
  | "revision"
  | "client"
  | "signal"
  | "state"
  | "extra"
  | "progress"
  | "log"
  | "notify"
  | "requireInput"
>;

/** A JSON Schema of an object, as tools have for their arguments. */
export interface ObjectSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** A schema with the validator that was generated from it. */
export interface TypedSchema<T extends object> {
  readonly schema: ObjectSchema;
  readonly validate: (value: unknown) => Validation<T>;
}

/** Whom content is for, and how much it matters: 1 is most, 0 least. */
export interface ContentAnnotations {
  readonly audience?: ("user" | "assistant")[];
  readonly priority?: number;
  readonly lastModified?: string;
}

interface ContentBase {
  readonly annotations?: ContentAnnotations;
  readonly _meta?: Record<string, unknown>;
}

/** Text or base64 of a resource. */
export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  readonly _meta?: Record<string, unknown>;
} & ({ readonly text: string } | { readonly blob: string });

/** A block of what a tool or a prompt says. */
export type Content = ContentBase &
  (
    | { readonly type: "text"; readonly text: string }
    | {
        readonly type: "image" | "audio";
        /** Base64. */
        readonly data: string;
        readonly mimeType: string;
      }
    | {
        readonly type: "resource_link";
        readonly uri: string;
        readonly name: string;
        readonly title?: string;
        readonly description?: string;
        readonly mimeType?: string;
      }
    | { readonly type: "resource"; readonly resource: ResourceContents }
  );

type MaybePromise<T> = T | Promise<T>;

/** A result of a tool, without its structured content. */
interface ToolResultBase {
  readonly content?: readonly Content[];
  readonly _meta?: Record<string, unknown>;
}

/**
 * What a tool gives: a text, or a result. Structured content without blocks is repeated as a block of JSON text. A tool
 * that has an `output` gives structured content of that type, unless it failed.
 */
export type ToolOutcome<Output extends object = object> = object extends Output
  ? | string
    | (ToolResultBase & {
        readonly structuredContent?: object;
        /** The tool ran and failed; the content says how, so that the model can do better. */
        readonly isError?: boolean;
      })
  : | (ToolResultBase & {
        readonly structuredContent: Output;
        readonly isError?: false;
      })
    | (ToolResultBase & {
        readonly structuredContent?: object;
        readonly isError: true;
      });

/** What is told of a tool's behaviour; hints, which a client need not believe. */
export interface ToolHints {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** A tool: what the model is told of it, and what it does. */
export interface ToolDefinition<
  Args extends object = Record<string, unknown>,
  Context = DefinitionContext,
  Output extends object = object,
> {
  readonly name: string;
  readonly title?: string;
  /** What it does and when to use it, for the model. */
  readonly description?: string;
  /** Its arguments; none by default. */
  readonly input?: TypedSchema<Args>;
  /** Its structured content; none by default. */
  readonly output?: TypedSchema<Output>;
  readonly annotations?: ToolHints;
  /** Throw a {@link ToolError} for a failure that the model is to read. */
  readonly run: (
    args: Args,
    context: Context,
  ) => MaybePromise<ToolOutcome<NoInfer<Output>>>;
}

/** A tool of a list: its own validator knows its arguments. */
export type RegisteredTool<Context = DefinitionContext> = Omit<
  ToolDefinition<object, Context>,
  "run"
> & {
  readonly run: (args: never, context: Context) => MaybePromise<ToolOutcome>;
};

/** A failure of a tool that the model is to read: the result says `isError`, with this message as its text. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** Defines a tool; `input` decides the type of its arguments, `output` that of its structured content. */
export function defineTool<
  Args extends object = Record<string, unknown>,
  Context = DefinitionContext,
  Output extends object = object,
>(
  tool: ToolDefinition<Args, Context, Output>,
): ToolDefinition<Args, Context, Output> {
  return tool;
}

/** Handlers of `tools/list` and `tools/call`. */
export interface ToolHandlers<Context> {
  readonly "tools/list": (params: ListParams) => { tools: ListedTool[] };
  readonly "tools/call": (
    params: { readonly name: string; readonly arguments?: object },
    context: Context,
  ) => Promise<ToolCallResult>;
}

/**
 * Serves tools. A name that none of them has is answered by the error -32602; arguments that a tool's validator refuses
 * by a result that says which and why, so that the model can mend them (MCP, server features, tools, error handling).
 *
 * @throws TypeError if two tools have one name.
 */
export function toolHandlers<Context = DefinitionContext>(
  tools: readonly RegisteredTool<Context>[],
): ToolHandlers<Context> {
  const byName = indexBy(tools, "tool", ({ name }) => name);
  const listed = tools.map(listedTool);
  return {
    "tools/list": (params) => ({ tools: singlePage(params, listed) }),
    "tools/call": async ({ name, arguments: args = {} }, context) => {
      const tool = byName.get(name);
      if (tool === undefined)
        throw invalidParamsError(`Unknown tool: ${truncate(name)}`);
      const outcome = tool.input?.validate(args);
      if (outcome?.success === false)
        return toolErrorResult(
          `Invalid arguments: ${describeFailure(outcome.failure)}`,
        );
      try {
        return toolCallResult(
          tool,
          await tool.run((outcome?.value ?? args) as never, context),
          contextRevision(context),
        );
      } catch (error) {
        if (error instanceof ToolError) return toolErrorResult(error.message);
        throw error;
      }
    },
  };
}

/** What is told of a resource. */
export interface ResourceInfo {
  /** A short name, for programs. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
}

/** What a resource gives: its text, its bytes, or contents with addresses of their own. */
export type ResourceOutcome =
  string | Uint8Array | { readonly contents: readonly ResourceContents[] };

/** A resource with an address of its own. */
export interface ResourceDefinition<
  Context = DefinitionContext,
> extends ResourceInfo {
  readonly uri: string;
  readonly size?: number;
  readonly read: (
    uri: string,
    context: Context,
  ) => MaybePromise<ResourceOutcome>;
}

/**
 * Names of the variables of a URI template: `{name}` is one segment of the path, `{+name}` any number. Their values are
 * decoded, and have no segment `.` or `..` and no NUL; that of `{name}` has no slash or backslash either.
 */
export type VariablesOf<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}`
    ? (Name extends `+${infer Plain}` ? Plain : Name) | VariablesOf<Rest>
    : never;

/** Suggests values of an argument of which the user has typed the beginning. */
export type Completer = (
  typed: string,
  /** Arguments that are known already. */
  known: Readonly<Record<string, string>>,
) => MaybePromise<readonly string[]>;

/** Resources whose addresses follow a template. */
export interface ResourceTemplateDefinition<
  Template extends string = string,
  Context = DefinitionContext,
> extends ResourceInfo {
  /** As in RFC 6570, with `{name}` and `{+name}`. */
  readonly uriTemplate: Template;
  readonly complete?: Readonly<
    Partial<Record<VariablesOf<Template>, Completer>>
  >;
  /** Undefined says that there is no such resource. */
  readonly read: (
    variables: Readonly<Record<VariablesOf<Template>, string>>,
    context: Context,
    uri: string,
  ) => MaybePromise<ResourceOutcome | undefined>;
}

/** A resource or a template of a list. */
export type RegisteredResource<Context = DefinitionContext> =
  | ResourceDefinition<Context>
  // Its own template knows its variables.
  | (ResourceInfo & {
      readonly uriTemplate: string;
      readonly complete?: Readonly<Record<string, Completer | undefined>>;
      readonly read: (
        variables: never,
        context: Context,
        uri: string,
      ) => MaybePromise<ResourceOutcome | undefined>;
    });

/** Defines a resource with an address of its own. */
export function defineResource<Context = DefinitionContext>(
  resource: ResourceDefinition<Context>,
): ResourceDefinition<Context> {
  return resource;
}

/** Defines resources whose addresses follow a template, such as `users://{id}/profile`. */
export function defineResourceTemplate<
  const Template extends string,
  Context = DefinitionContext,
>(
  template: ResourceTemplateDefinition<Template, Context>,
): ResourceTemplateDefinition<Template, Context> {
  return template;
}

/** Handlers of `resources/list`, `resources/templates/list` and `resources/read`. */
export interface ResourceHandlers<Context> {
  readonly "resources/list": (params: ListParams) => {
    resources: ListedResource[];
  };
  readonly "resources/templates/list": (params: ListParams) => {
    resourceTemplates: ListedTemplate[];
  };
  readonly "resources/read": (
    params: { readonly uri: string },
    context: Context,
  ) => Promise<{ contents: ReadContents[] }>;
}

/**
 * Serves resources and templates. An address that is none of theirs is answered by the error that the revision has for
 * it: -32002 up to 2025-11-25, -32602 from 2026-07-28 on (MCP, server features, resources, error handling).
 *
 * @throws TypeError if two have one address, or a template is none.
 */
export function resourceHandlers<Context = DefinitionContext>(
  resources: readonly RegisteredResource<Context>[],
): ResourceHandlers<Context> {
  const byUri = indexBy(resources, "resource", (item) =>
    "uri" in item ? item.uri : item.uriTemplate,
  );
  const templates = resources.flatMap((item) =>
    "uriTemplate" in item
      ? [{ template: item, parsed: parseUriTemplate(item.uriTemplate) }]
      : [],
  );
  const listed = resources.flatMap((item): ListedResource[] =>
    "uri" in item
      ? [
          {
            uri: item.uri,
            ...listedInfo(item),
            ...optionalMember("size", item.size),
          },
        ]
      : [],
  );
  const listedTemplates = templates.map(({ template }) => ({
    uriTemplate: template.uriTemplate,
    ...listedInfo(template),
  }));
  return {
    "resources/list": (params) => ({ resources: singlePage(params, listed) }),
    "resources/templates/list": (params) => ({
      resourceTemplates: singlePage(params, listedTemplates),
    }),
    "resources/read": async ({ uri }, context) => {
      const resource = byUri.get(uri);
      if (resource !== undefined && "uri" in resource) {
        const outcome = await resource.read(uri, context);
        return resourceReadResult(uri, resource, outcome);
      }
      for (const { template, parsed } of templates) {
        const variables = matchUri(parsed, uri);
        if (variables === undefined) continue;
        const outcome = await template.read(variables as never, context, uri);
        if (outcome !== undefined)
          return resourceReadResult(uri, template, outcome);
      }
      const code =
        contextRevision(context) < "2026-07-28"
          ? RESOURCE_NOT_FOUND
          : STANDARD_ERROR_CODES.INVALID_PARAMS;
      throw new RpcError(code, "Resource not found", { uri: truncate(uri) });
    },
  };
}

/** An argument of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
  /** Not here, where it would be told to clients: the prompt has `complete: { [name]: ... }` beside `arguments`. */
  readonly complete?: never;
}

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

/** What a prompt gives: the text of a user's message, or messages. */
export type PromptOutcome =
  | string
  | {
      readonly description?: string;
      readonly messages: readonly PromptMessage[];
    };

/** The values of a prompt's arguments: those that are required are there. */
export type PromptValues<Arguments extends readonly PromptArgument[]> = {
  readonly [
    Argument in Arguments[number] as Argument["name"]
  ]: Argument extends { readonly required: true } ? string : string | undefined;
};

/** A prompt: what the user is told of it, and what it says. */
export interface PromptDefinition<
  Arguments extends readonly PromptArgument[] = readonly PromptArgument[],
  Context = DefinitionContext,
> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: Arguments;
  /** By the argument's name. */
  readonly complete?: Readonly<
    Partial<Record<Arguments[number]["name"], Completer>>
  >;
  readonly render: (
    values: PromptValues<Arguments>,
    context: Context,
  ) => MaybePromise<PromptOutcome>;
}

/** A prompt of a list: its own arguments know its values. */
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

/** Defines a prompt; `arguments` decides the type of its values. */
export function definePrompt<
  const Arguments extends readonly PromptArgument[] = readonly [],
  Context = DefinitionContext,
>(
  prompt: PromptDefinition<Arguments, Context>,
): PromptDefinition<Arguments, Context> {
  return prompt;
}

/** Handlers of `prompts/list` and `prompts/get`. */
export interface PromptHandlers<Context> {
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
 * Serves prompts. A name that none of them has, and a required argument that is missing, are answered by the error
 * -32602 (MCP, server features, prompts, error handling).
 *
 * @throws TypeError if two prompts have one name, or `complete` of one stands where it would not be called.
 */
export function promptHandlers<Context = DefinitionContext>(
  prompts: readonly RegisteredPrompt<Context>[],
): PromptHandlers<Context> {
  const byName = indexBy(prompts, "prompt", ({ name }) => name);
  for (const prompt of prompts) refuseUnusedCompleters(prompt);
  const listed = prompts.map(listedPrompt);
  return {
    "prompts/list": (params) => ({ prompts: singlePage(params, listed) }),
    "prompts/get": async ({ name, arguments: values = {} }, context) => {
      const prompt = byName.get(name);
      if (prompt === undefined)
        throw invalidParamsError(`Unknown prompt: ${truncate(name)}`);
      for (const argument of prompt.arguments ?? []) {
        if (argument.required === true && !Object.hasOwn(values, argument.name))
          throw invalidParamsError(`Missing argument: ${argument.name}`);
      }
      const outcome = await prompt.render(
        withoutPrototype(values) as never,
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

/** Handler of `completion/complete`. */
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

/** Suggestions that an answer may hold (MCP, server utilities, completion). */
const MAX_SUGGESTIONS = 100;

/**
 * Serves the `complete` functions of prompts' arguments and of templates' variables. An argument without one has no
 * suggestions; a prompt or a template that is not there is answered by the error -32602.
 *
 * @throws TypeError if `complete` of a prompt stands where it would not be called.
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
      throw invalidParamsError(
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

/** Refuses what nobody would call: types tell of it, but not every author has them. */
function refuseUnusedCompleters<Context>(
  prompt: RegisteredPrompt<Context>,
): void {
  const names = new Set<string>();
  for (const argument of prompt.arguments ?? []) {
    names.add(argument.name);
    if ("complete" in argument)
      throw new TypeError(
        `prompt ${prompt.name}: \`complete\` of the argument ${argument.name} belongs beside \`arguments\`, as complete: { ${JSON.stringify(argument.name)}: ... }`,
      );
  }
  const unused = Object.keys(prompt.complete ?? {}).find(
    (name) => !names.has(name),
  );
  if (unused !== undefined)
    throw new TypeError(
      `prompt ${prompt.name} completes ${JSON.stringify(unused)}, which is none of its arguments`,
    );
}

/** The error code of a resource that is not there, up to 2025-11-25. */
const RESOURCE_NOT_FOUND = -32002;

interface ListParams {
  readonly cursor?: string;
}

// An alias, which can be assigned to an index signature.
type ListedSchema = {
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
};

/** As a tool is listed: the members that a revision does not know are no matter to its clients. */
interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: ListedSchema;
  outputSchema?: ListedSchema;
  annotations?: ToolHints;
}

interface ListedInfo {
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  annotations?: ContentAnnotations;
}

type ListedResource = ListedInfo & { uri: string; size?: number };

type ListedTemplate = ListedInfo & { uriTemplate: string };

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

type ReadContents =
  | { uri: string; mimeType?: string; text: string }
  | { uri: string; mimeType?: string; blob: string };

/** Content that fits the revision of the request, whichever it is. */
type AnyContent = never;

interface RenderedMessage {
  role: "user" | "assistant";
  content: AnyContent;
}

interface ToolCallResult {
  content: AnyContent[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

function contextRevision(context: unknown): string {
  return (context as DefinitionContext).revision;
}

/** Values that a client gives by names of its choice, without those that every object has. */
function withoutPrototype(
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.assign(Object.create(null), values) as Record<string, string>;
}

function invalidParamsError(message: string): RpcError {
  return new RpcError(STANDARD_ERROR_CODES.INVALID_PARAMS, message);
}

function indexBy<T>(
  items: readonly T[],
  kind: string,
  keyOf: (item: T) => string,
): ReadonlyMap<string, T> {
  const index = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (index.has(key))
      throw new TypeError(`there are two of the ${kind} ${key}`);
    index.set(key, item);
  }
  return index;
}

/** All of it: there is no cursor that we could have given. */
function singlePage<T>({ cursor }: ListParams, all: readonly T[]): T[] {
  if (cursor !== undefined) throw invalidParamsError("Unknown cursor");
  return [...all];
}

/** A member that is there if it has a value. */
function optionalMember<Name extends string, T>(
  name: Name,
  value: T | undefined,
): Partial<Record<Name, T>> {
  return (value === undefined ? {} : { [name]: value }) as Partial<
    Record<Name, T>
  >;
}

const EMPTY_OBJECT_SCHEMA: ObjectSchema = { type: "object" };

function listedTool<Context>(tool: RegisteredTool<Context>): ListedTool {
  const { name, title, description, input, output, annotations } = tool;
  return {
    name,
    ...optionalMember("title", title),
    ...optionalMember("description", description),
    inputSchema: input?.schema ?? EMPTY_OBJECT_SCHEMA,
    ...optionalMember("outputSchema", output?.schema as ListedSchema),
    ...optionalMember("annotations", annotations),
  };
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

function listedInfo(item: ResourceInfo): ListedInfo {
  return {
    name: item.name,
    ...optionalMember("title", item.title),
    ...optionalMember("description", item.description),
    ...optionalMember("mimeType", item.mimeType),
    ...optionalMember("annotations", item.annotations),
  };
}

function toolErrorResult(text: string): ToolCallResult {
  return { content: [{ type: "text", text } as AnyContent], isError: true };
}

function toolCallResult<Context>(
  tool: RegisteredTool<Context>,
  outcome: ToolOutcome,
  revision: string,
): ToolCallResult {
  if (typeof outcome === "string")
    return { content: [{ type: "text", text: outcome } as AnyContent] };
  const { structuredContent, isError, _meta } = outcome;
  if (tool.output !== undefined && isError !== true) {
    const checked = tool.output.validate(structuredContent);
    if (!checked.success)
      throw new TypeError(
        `the structured content of ${tool.name}: ${describeFailure(checked.failure)}`,
      );
  }
  const content =
    outcome.content ??
    (structuredContent === undefined
      ? []
      : [{ type: "text" as const, text: JSON.stringify(structuredContent) }]);
  return {
    content: content.map((block) => adaptContent(block, revision)),
    ...optionalMember(
      "structuredContent",
      structuredContent as ToolCallResult["structuredContent"],
    ),
    ...optionalMember("isError", isError),
    ...optionalMember("_meta", _meta),
  };
}

/** Content in the terms of a revision: a kind of block that it lacks becomes a text that names what there is. */
function adaptContent(block: Content, revision: string): AnyContent {
  if (block.type === "audio" && revision < "2025-03-26")
    return { type: "text", text: `(audio, ${block.mimeType})` } as AnyContent;
  if (block.type === "resource_link" && revision < "2025-06-18")
    return { type: "text", text: `${block.name}: ${block.uri}` } as AnyContent;
  return block as AnyContent;
}

function resourceReadResult(
  uri: string,
  { mimeType }: ResourceInfo,
  outcome: ResourceOutcome,
): { contents: ReadContents[] } {
  if (typeof outcome === "string")
    return {
      contents: [
        { uri, ...optionalMember("mimeType", mimeType), text: outcome },
      ],
    };
  if (outcome instanceof Uint8Array)
    return {
      contents: [
        {
          uri,
          ...optionalMember("mimeType", mimeType),
          blob: encodeBase64(outcome),
        },
      ],
    };
  return { contents: [...outcome.contents] };
}

function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

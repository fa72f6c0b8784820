/**
 * Resources and resource templates: definitions and handlers.
 */
import { isStatelessVersion } from "../protocol/version-rules.js";
import type {
  DefinitionContext,
  MaybePromise,
  ResourceInfo,
  ToolMeta,
  ResourceOutcome,
} from "./types.js";
import { resourceReadResult } from "./content.js";
import type { ReadContents } from "./content.js";
import {
  contextRevision,
  indexBy,
  listedInfo,
  optionalMember,
  singlePage,
} from "./lists.js";
import type { ListParams, ListedInfo } from "./lists.js";
import { appTools } from "./tools.js";
import { matchUri, parseUriTemplate } from "./uri-template.js";
import type { UriTemplate } from "./uri-template.js";
import { completionSource } from "./completion.js";
import { RESOURCE_COMPLETION } from "../server/completion.js";
import type { CompletionSource } from "../server/completion.js";
import { APP_MIME_TYPE, APP_PAGES } from "../server/apps.js";
import type { AppPages, AppTool } from "../server/apps.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { truncate } from "../protocol/revision.js";

/** A resource with a fixed URI. */
export interface ResourceDefinition<
  Context = DefinitionContext,
> extends ResourceInfo {
  /** Its address, such as `weather://about`; unique in the server. */
  readonly uri: string;
  /** In bytes. */
  readonly size?: number;
  /** Reads the resource: its text, its bytes, or contents with separate URIs. */
  readonly read: (
    uri: string,
    context: Context,
  ) => MaybePromise<ResourceOutcome>;
}

/**
 * Names of the variables of a URI template: `{name}` matches one path segment, `{+name}` any number. Values are
 * decoded, and contain no segment `.` or `..` and no NUL; a value of `{name}` contains no slash or backslash either.
 */
export type VariablesOf<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}`
    ? (Name extends `+${infer Plain}` ? Plain : Name) | VariablesOf<Rest>
    : never;

/** The values of a template's variables. All are present, decoded and not empty. */
export type TemplateVariables<Template extends string> = Readonly<
  Record<string extends Template ? string : VariablesOf<Template>, string>
>;

/** A resource that a template lists. What is absent is as in the template; the name is the URI by default. */
export interface TemplateResource extends Partial<ResourceInfo> {
  /** Matches the template. */
  readonly uri: string;
  /** In bytes. */
  readonly size?: number;
}

/** Suggests values for an argument from the beginning that the user has typed. */
export type Completer = (
  typed: string,
  /** The arguments that are already known. */
  known: Readonly<Record<string, string>>,
) => MaybePromise<readonly string[]>;

/** Resources whose URIs match a template. */
export interface ResourceTemplateDefinition<
  Template extends string = string,
  Context = DefinitionContext,
> extends ResourceInfo {
  /** As in RFC 6570, with `{name}` and `{+name}`. */
  readonly uriTemplate: Template;
  /** Suggests values of variables, by name. A server with a completer declares and answers `completion/complete`. */
  readonly complete?: Readonly<
    Partial<Record<VariablesOf<Template>, Completer>>
  >;
  /**
   * The resources that exist now, for `resources/list`; without it, clients see only the template. Call
   * `notify("notifications/resources/list_changed")` when it would return others.
   */
  readonly list?: (
    context: Context,
  ) => MaybePromise<readonly TemplateResource[]>;
  /**
   * Reads the resource with these values of the template's variables. Undefined means that it does not exist.
   */
  readonly read: (
    variables: TemplateVariables<Template>,
    context: Context,
    uri: string,
  ) => MaybePromise<ResourceOutcome | undefined>;
}

/** A resource or a template in a list. */
export type RegisteredResource<Context = DefinitionContext> =
  | ResourceDefinition<Context>
  // Without the types of its variables.
  | (ResourceInfo & {
      readonly uriTemplate: string;
      readonly complete?: Readonly<Record<string, Completer | undefined>>;
      readonly list?: (
        context: Context,
      ) => MaybePromise<readonly TemplateResource[]>;
      readonly read: (
        variables: never,
        context: Context,
        uri: string,
      ) => MaybePromise<ResourceOutcome | undefined>;
    });

/** Defines a resource with a fixed URI. */
export function defineResource<Context = DefinitionContext>(
  resource: ResourceDefinition<Context>,
): ResourceDefinition<Context> {
  return resource;
}

/** Defines resources whose URIs match a template, such as `users://{id}/profile`. */
export function defineResourceTemplate<
  const Template extends string,
  Context = DefinitionContext,
>(
  template: ResourceTemplateDefinition<Template, Context>,
): ResourceTemplateDefinition<Template, Context> {
  return template;
}

/**
 * Handlers of `resources/list`, `resources/templates/list` and `resources/read`; and of `completion/complete`, if a
 * template has a completer.
 */
export interface ResourceHandlers<Context> {
  readonly [RESOURCE_COMPLETION]: CompletionSource;
  readonly [APP_PAGES]: AppPages;
  readonly "resources/list": (
    params: ListParams,
    context: Context,
  ) => MaybePromise<{ resources: ListedResource[] }>;
  readonly "resources/templates/list": (params: ListParams) => {
    resourceTemplates: ListedTemplate[];
  };
  readonly "resources/read": (
    params: { readonly uri: string },
    context: Context,
  ) => Promise<{ contents: ReadContents[] }>;
}

/**
 * Serves resources and templates. An unknown URI gets the revision's error: -32002 up to 2025-11-25, -32602 from
 * 2026-07-28 on (MCP, server features, resources, error handling).
 *
 * @throws TypeError if two have the same URI, or a template is not supported.
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
  const listed = resources.flatMap((item) =>
    "uri" in item ? [listedResource(item)] : [],
  );
  const dynamic = templates.filter(({ template }) => template.list);
  const listedTemplates = templates.map(({ template }) => ({
    uriTemplate: template.uriTemplate,
    ...listedInfo(template),
  }));
  const read: ResourceHandlers<Context>["resources/read"] = async (
    { uri },
    context,
  ) => {
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
    const code = isStatelessVersion(contextRevision(context))
      ? STANDARD_ERROR_CODES.INVALID_PARAMS
      : RESOURCE_NOT_FOUND;
    throw new RpcError(code, "Resource not found", { uri: truncate(uri) });
  };
  return {
    [APP_PAGES]: { read, check: (tool) => pageWarnings(tool, resources) },
    [RESOURCE_COMPLETION]: completionSource(
      "ref/resource",
      new Map(
        templates.map(({ template }) => [template.uriTemplate, template]),
      ),
    ),
    "resources/list": (params, context) => {
      const fixed = singlePage(params, listed);
      return dynamic.length === 0
        ? { resources: fixed }
        : listDynamic(fixed, dynamic, context);
    },
    "resources/templates/list": (params) => ({
      resourceTemplates: singlePage(params, listedTemplates),
    }),
    "resources/read": read,
  };
}

function listedResource(
  item: ResourceInfo & { readonly uri: string; readonly size?: number },
): ListedResource {
  return {
    uri: item.uri,
    ...listedInfo(item),
    ...optionalMember("size", item.size),
  };
}

/** Adds what templates list, each URI once. */
async function listDynamic<Context>(
  fixed: readonly ListedResource[],
  templates: readonly ParsedTemplate<Context>[],
  context: Context,
): Promise<{ resources: ListedResource[] }> {
  const byUri = new Map(fixed.map((item) => [item.uri, item]));
  const lists = await Promise.all(
    templates.map(async ({ template }) => template.list?.(context)),
  );
  for (const [index, { template, parsed }] of templates.entries()) {
    const { mimeType, annotations, uriTemplate } = template;
    for (const item of lists[index] ?? []) {
      const { uri } = item;
      // A client could not read it.
      if (matchUri(parsed, uri) === undefined)
        throw new TypeError(
          `the resource template ${uriTemplate} lists ${truncate(uri)}, which does not match it`,
        );
      if (byUri.has(uri)) continue;
      const shared = {
        name: uri,
        ...optionalMember("mimeType", mimeType),
        ...optionalMember("annotations", annotations),
      };
      byUri.set(uri, listedResource({ ...shared, ...item }));
    }
  }
  return { resources: [...byUri.values()] };
}

/** The error code for an unknown resource, up to 2025-11-25. */
const RESOURCE_NOT_FOUND = -32002;

type RegisteredTemplate<Context> = Extract<
  RegisteredResource<Context>,
  { readonly uriTemplate: string }
>;

interface ParsedTemplate<Context> {
  readonly template: RegisteredTemplate<Context>;
  readonly parsed: UriTemplate;
}

type ListedResource = ListedInfo & { uri: string; size?: number };

type ListedTemplate = ListedInfo & { uriTemplate: string };

/**
 * Finds mistakes of pages of MCP Apps, which hosts show as an empty frame: a tool whose page does not exist, or a page
 * with another media type. A server with both lists reports them as events `appWarning` when it is created.
 *
 * @returns A sentence for each, none if all is well.
 */
export function appWarnings(
  tools: readonly { readonly name: string; readonly _meta?: ToolMeta }[],
  resources: readonly (ResourceInfo &
    ({ readonly uri: string } | { readonly uriTemplate: string }))[],
): string[] {
  return appTools(tools).flatMap((tool) => pageWarnings(tool, resources));
}

function pageWarnings(
  { name, page: uri }: AppTool,
  resources: readonly (ResourceInfo &
    ({ readonly uri: string } | { readonly uriTemplate: string }))[],
): string[] {
  if (uri === undefined) return [];
  const at = `tool ${name}: the page ${truncate(uri)}`;
  if (!uri.startsWith("ui://")) return [`${at} does not begin with ui://`];
  const page = resources.find((item) =>
    "uri" in item
      ? item.uri === uri
      : matchUri(parseUriTemplate(item.uriTemplate), uri) !== undefined,
  );
  if (page === undefined) return [`${at} is not a resource of the server`];
  return page.mimeType === APP_MIME_TYPE
    ? []
    : [`${at} does not have the media type ${APP_MIME_TYPE}`];
}

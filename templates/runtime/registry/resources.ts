/**
 * Resources and resource templates: definitions and handlers.
 */
import { isStatelessVersion } from "../protocol/version-rules.js";
import type {
  DefinitionContext,
  MaybePromise,
  ResourceInfo,
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
import { matchUri, parseUriTemplate } from "./uri-template.js";
import { RpcError, STANDARD_ERROR_CODES } from "../jsonrpc/error-codes.js";
import { truncate } from "../protocol/revision.js";

/** A resource with a fixed URI. */
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
 * Names of the variables of a URI template: `{name}` matches one path segment, `{+name}` any number. Values are
 * decoded, and contain no segment `.` or `..` and no NUL; a value of `{name}` contains no slash or backslash either.
 */
export type VariablesOf<Template extends string> =
  Template extends `${string}{${infer Name}}${infer Rest}`
    ? (Name extends `+${infer Plain}` ? Plain : Name) | VariablesOf<Rest>
    : never;

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
  readonly complete?: Readonly<
    Partial<Record<VariablesOf<Template>, Completer>>
  >;
  /** Undefined means that the resource does not exist. */
  readonly read: (
    variables: Readonly<Record<VariablesOf<Template>, string>>,
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
      const code = isStatelessVersion(contextRevision(context))
        ? STANDARD_ERROR_CODES.INVALID_PARAMS
        : RESOURCE_NOT_FOUND;
      throw new RpcError(code, "Resource not found", { uri: truncate(uri) });
    },
  };
}

/** The error code for an unknown resource, up to 2025-11-25. */
const RESOURCE_NOT_FOUND = -32002;

type ListedResource = ListedInfo & { uri: string; size?: number };

type ListedTemplate = ListedInfo & { uriTemplate: string };

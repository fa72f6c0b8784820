/**
 * What definitions of tools, resources and prompts share.
 */
import type { HandlerContext } from "../server.js";
import type { Validation } from "../validation.js";

/**
 * Defines tools, resources and prompts in one place, and serves lists of them in every revision: content that an older
 * revision lacks is converted.
 */

/**
 * The context of a definition's function, for every revision. The generated `ServerContext` has the revision's own
 * types: `run: (args, context: ServerContext) => ...`.
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

/** A JSON Schema of an object, such as a tool's arguments. */
export interface ObjectSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

/** The outcome of a validation by the schema of a tool; a text says what is wrong in the words of another library. */
export type SchemaValidation<T> =
  Validation<T> | { readonly success: false; readonly failure: string };

/**
 * A schema of a tool with a validator: a generated {@link TypedSchema}, or a Standard Schema that `inputSchema` or
 * `outputSchema` of `runtime/standard-schema` wraps.
 *
 * @typeParam Complete - The type of a value in which the defaults of the schema are filled in.
 */
export interface ToolSchema<T extends object, Complete extends object = T> {
  readonly schema: ObjectSchema;
  readonly validate: (value: unknown) => MaybePromise<SchemaValidation<T>>;
  /** Fills in the defaults of the schema, and validates the result; absent if the schema has none. */
  readonly validateWithDefaults?: (value: unknown) => Validation<Complete>;
  /** Absent. Its type is what the compiler reports if a JSON Schema is passed instead of the generated constant. */
  readonly type?: "this is a JSON Schema: pass the typed schema that `mcpgen generate` makes of it";
}

/**
 * A schema with its generated validator.
 *
 * @typeParam Complete - The type of a value in which the defaults of the schema are filled in.
 */
export interface TypedSchema<
  T extends object,
  Complete extends object = T,
> extends ToolSchema<T, Complete> {
  readonly validate: (value: unknown) => Validation<T>;
}

/** The audience and priority of content: 1 is most important, 0 least. */
export interface ContentAnnotations {
  /** For whom it is: the user, the model, or both. */
  readonly audience?: ("user" | "assistant")[];
  /** From 0, least important, to 1. */
  readonly priority?: number;
  /** When it changed last, in ISO 8601. */
  readonly lastModified?: string;
}

interface ContentBase {
  readonly annotations?: ContentAnnotations;
  readonly _meta?: Record<string, unknown>;
}

/** The text or Base64 of a resource. */
export type ResourceContents = {
  readonly uri: string;
  readonly mimeType?: string;
  readonly _meta?: Record<string, unknown>;
} & ({ readonly text: string } | { readonly blob: string });

/** A content block of a tool or a prompt. */
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

export type MaybePromise<T> = T | Promise<T>;

/** Metadata of a tool. `ui` says how hosts with MCP Apps show it (MCP Apps 2026-01-26, resource discovery). */
export type ToolMeta = {
  ui?: {
    /** The URI of the resource with the page that shows the result; it begins with `ui://`. */
    resourceUri?: string;
    /** Who may call the tool, the model or pages of this server; both by default. */
    visibility?: ("model" | "app")[];
  };
  [key: string]: unknown;
};

/** Metadata of a resource. `ui` says what a page needs from its host (MCP Apps 2026-01-26, UI resource format). */
export type ResourceMeta = {
  ui?: {
    /** Origins that the page uses; all others are blocked. */
    csp?: {
      /** Origins for `fetch`, XMLHttpRequest and WebSocket. */
      connectDomains?: string[];
      /** Origins for scripts, styles, images, fonts and media. */
      resourceDomains?: string[];
      /** Origins for frames inside the page. */
      frameDomains?: string[];
      /** Origins for the base URL of the page. */
      baseUriDomains?: string[];
    };
    /** Features of the browser that the page uses; the host may deny each of them. */
    permissions?: {
      camera?: Record<string, never>;
      microphone?: Record<string, never>;
      geolocation?: Record<string, never>;
      clipboardWrite?: Record<string, never>;
    };
    /** The origin in which the page should run, in the format of the host. */
    domain?: string;
    /** Whether the host should draw a border; without it, the host decides. */
    prefersBorder?: boolean;
  };
  [key: string]: unknown;
};

/** The description of a resource. */
export interface ResourceInfo {
  /** A short name, for programs. */
  readonly name: string;
  /** A name for people. */
  readonly title?: string;
  /** What it contains, for the model. */
  readonly description?: string;
  /** The media type of its contents, such as `text/plain`. */
  readonly mimeType?: string;
  /** For whom it is, how important, and when it changed. */
  readonly annotations?: ContentAnnotations;
  /** Metadata for clients. `ui` of a page is also in what is read, where hosts look for it. */
  readonly _meta?: ResourceMeta;
}

/** What a resource returns: its text, its bytes, or contents with separate URIs. */
export type ResourceOutcome =
  string | Uint8Array | { readonly contents: readonly ResourceContents[] };

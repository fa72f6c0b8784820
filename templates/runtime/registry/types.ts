/**
 * What definitions of tools, resources and prompts share.
 */
import type { HandlerContext } from "../server.js";
import type { Validation } from "../validation.js";

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

export type MaybePromise<T> = T | Promise<T>;

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

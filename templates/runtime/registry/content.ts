/** Content blocks in each revision. */
import { hasAudio, hasResourceLinks } from "../protocol/version-rules.js";
import type {
  Content,
  ResourceInfo,
  ResourceMeta,
  ResourceOutcome,
} from "./types.js";
import { optionalMember } from "./lists.js";

export type ReadContents =
  | { uri: string; mimeType?: string; _meta?: ResourceMeta; text: string }
  | { uri: string; mimeType?: string; _meta?: ResourceMeta; blob: string };

/** Content that is assignable to every revision's type. */
export type AnyContent = never;

/** Adapts content to a revision: a block that the revision does not know becomes a text that describes it. */
export function adaptContent(block: Content, revision: string): AnyContent {
  if (block.type === "audio" && !hasAudio(revision))
    return { type: "text", text: `(audio, ${block.mimeType})` } as AnyContent;
  if (block.type === "resource_link" && !hasResourceLinks(revision))
    return { type: "text", text: `${block.name}: ${block.uri}` } as AnyContent;
  return block as AnyContent;
}

export function resourceReadResult(
  uri: string,
  { mimeType, _meta }: ResourceInfo,
  outcome: ResourceOutcome,
): { contents: ReadContents[] } {
  const described = {
    uri,
    ...optionalMember("mimeType", mimeType),
    // Other metadata is about the resource, not about its contents.
    ...optionalMember(
      "_meta",
      _meta?.ui === undefined ? undefined : { ui: _meta.ui },
    ),
  };
  if (typeof outcome === "string")
    return { contents: [{ ...described, text: outcome }] };
  if (outcome instanceof Uint8Array)
    return { contents: [{ ...described, blob: encodeBase64(outcome) }] };
  return { contents: [...outcome.contents] };
}

function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

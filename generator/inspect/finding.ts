/** What an inspection finds, and what it knows about each frame. */
import type { Entry, Side } from '../recording/entry.js';
import type { RuleId, Severity } from './rules.js';

/** A rule that a conversation breaks. */
export interface Finding {
  readonly rule: RuleId;
  readonly severity: Severity;
  /** What is wrong, in one line; may contain text of the conversation. */
  readonly message: string;
  /** Number of the entry in its conversation, from 1; the last one for what is only known at the end. */
  readonly frame: number;
  /** The side that broke the rule. */
  readonly by: Side;
  /** The revision that was spoken; undefined before one is known. */
  readonly revision: string | undefined;
  /** JSON pointer (RFC 6901) into the frame; for a batch it begins with the index. Undefined if no member is wrong. */
  readonly pointer?: string | undefined;
  /** Number of another entry that explains it, such as the request of a response. */
  readonly related?: number | undefined;
}

/** What one message of an entry is. */
export interface InspectedMessage {
  readonly kind: 'request' | 'notification' | 'result' | 'error' | 'invalid';
  /** The method; for a response, that of its request. */
  readonly method?: string | undefined;
  readonly id?: string | number | undefined;
  /** The name of the tool or prompt, or the URI of the resource, that a request is about. */
  readonly target?: string | undefined;
  /** For a response, the number of the entry with the request; for a cancellation, of the entry that it cancels. */
  readonly request?: number | undefined;
  /** For a response, milliseconds since the request, if times were recorded. */
  readonly latencyMs?: number | undefined;
  /** For an error, its code. */
  readonly code?: number | undefined;
}

/** An entry with what an inspection knows about it. */
export interface InspectedEntry {
  /** Number of the entry in its conversation, from 1. */
  readonly frame: number;
  readonly entry: Entry;
  readonly revision: string | undefined;
  /** The message, or the messages of a batch; empty if the entry carries none. */
  readonly messages: readonly InspectedMessage[];
  /** What it breaks. A later entry may add findings about this one, with `frame` set to its number. */
  readonly findings: readonly Finding[];
}

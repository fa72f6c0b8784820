/** A message of a conversation as the checks see it. */
import type { Revision } from '../../generated/runtime/protocol/revision.js';
import type { JsonObject, JsonValue } from '../read/json/json.js';
import type { Side } from '../recording/entry.js';
import type { ExtendedRevisions } from './extensions.js';
import type { RuleId } from './rules.js';

/** A request that was sent, until its response is seen. */
export interface PendingRequest {
  readonly frame: number;
  readonly from: Side;
  readonly id: string | number;
  readonly method: string;
  /** Without the arguments of a tool or prompt. */
  readonly params: JsonObject;
  readonly revision: Revision | undefined;
  readonly time: number | undefined;
  readonly exchange: number | undefined;
  /** Number of the entry that cancels it. */
  cancelledBy: number | undefined;
}

/** Where and by whom a rule is broken; by default the message as a whole, by its sender. */
export interface ReportOptions {
  /** JSON pointer below the message. */
  readonly pointer?: string;
  readonly related?: number | undefined;
  readonly by?: Side;
}

/** Reports that the message breaks a rule. `message` says how, in one line. */
export type Report = (rule: RuleId, message: string, options?: ReportOptions) => void;

/** What a session knows about itself. */
export interface SessionFacts {
  /** The capabilities that each side declared; undefined until it does. */
  readonly capabilities: Readonly<Record<Side, JsonObject | undefined>>;
  /** The revision that `initialize` agreed on. */
  readonly agreed: Revision | undefined;
  /** The version that `initialize` agreed on, as the server wrote it: a draft is inspected like a revision. */
  readonly agreedVersion: string | undefined;
  /** Whether the beginning is known: the first frame began a session. */
  readonly isComplete: boolean;
  /** Whether several clients may be mixed, so that ids do not say anything. */
  readonly isShared: boolean;
  /** The extensions that are known. */
  readonly extensions: ExtendedRevisions;
  /** Requests without a response, of one side. */
  pendingOf(from: Side): Iterable<PendingRequest>;
}

interface SeenBase {
  readonly session: SessionFacts;
  readonly from: Side;
  readonly frame: number;
  /** Milliseconds, if they were recorded. */
  readonly time: number | undefined;
  readonly message: JsonObject;
  readonly revision: Revision | undefined;
  /** The number of the HTTP exchange, over HTTP. */
  readonly exchange: number | undefined;
  readonly isInBatch: boolean;
  readonly report: Report;
}

interface Call<Kind> extends SeenBase {
  readonly kind: Kind;
  readonly method: string;
  /** The id of a request. */
  readonly id: string | number | undefined;
  /** Empty if it has none. */
  readonly params: JsonObject;
  /** The request that a cancellation refers to. */
  readonly cancels: PendingRequest | undefined;
}

/** A request or notification. */
export type SeenCall = Call<'request'> | Call<'notification'>;

interface Response<Kind> extends SeenBase {
  readonly kind: Kind;
  /** Undefined if it answers nothing that is known. */
  readonly request: PendingRequest | undefined;
  /** The result, if it is an object. */
  readonly result: JsonObject | undefined;
  readonly error: JsonValue | undefined;
}

/** A response. */
export type SeenResponse = Response<'result'> | Response<'error'>;

/** A message whose envelope is valid enough to look into it. */
export type Seen = SeenCall | SeenResponse;

/** A check of the messages of one session. It keeps its own state. */
export interface SessionCheck {
  see(seen: Seen): void;
  /** A request was refused before it was read, and may be sent again. */
  forget?(request: PendingRequest): void;
}

/** The other side. */
export function otherSide(side: Side): Side {
  return side === 'client' ? 'server' : 'client';
}

/** A value in a message for people, cut. */
export function show(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

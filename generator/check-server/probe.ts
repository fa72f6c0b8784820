/** The form of a probe: something that a server is asked, and what would be wrong about its answer. */
import type { JsonObject } from '../read/json/json.js';
import type { ServerRuleId } from '../inspect/server-rules.js';
import type { Connection } from './raw/connection.js';
import type { Handshake, Reply, Session } from './session.js';

/** What a server says that it has, in one revision. */
export interface ServerFacts {
  readonly capabilities: JsonObject;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  /** Lists that had more than one page. */
  readonly paged: ReadonlySet<string>;
  /** A method that changes nothing and has an answer: `ping`, `server/discover`, or a list. */
  readonly harmless: string;
}

/** What a probe works with. */
export interface ProbeContext {
  readonly revision: string;
  readonly transport: 'stdio' | 'http';
  /** The connection that all probes of a revision share. */
  readonly session: Session;
  readonly facts: ServerFacts;
  readonly calls: CallSettings;
  /** Whether an HTTP server is on this machine. */
  readonly isLocal: boolean;
  /** All revisions that the server speaks. */
  readonly spoken: readonly string[];
  /** All revisions of which a handshake was tried: over HTTP+SSE, only the one that has this transport. */
  readonly tried: readonly string[];
  /** Milliseconds that a request may take. */
  readonly timeoutMs: number;
  /** A new connection with a handshake. It is closed after the probe. */
  readonly start: () => Promise<Session>;
  /** A handshake of any version on a new connection. */
  readonly shake: (version: string) => Promise<Handshake>;
  /** Reports a finding with the entries that show it. */
  readonly report: (finding: ReportedFinding) => void;
  /** Reports a request that has no answer within its time limit. Returns whether it has none. */
  readonly isUnanswered: (session: Session, reply: Reply, what: string) => boolean;
  /**
   * Handles the answer to a request: now, or when it arrives, so that one that is late holds up no other request. Reports a
   * request that has no answer, except if `what` is undefined.
   */
  readonly whenAnswered: (
    session: Session,
    reply: Reply,
    what: string | undefined,
    handle: (reply: Reply) => void | Promise<void>,
  ) => Promise<void>;
  /** Milliseconds that an answer may take, going by the slowest one so far. */
  readonly patienceMs: () => number;
}

/** A finding of a probe. */
export interface ReportedFinding {
  readonly rule: ServerRuleId;
  readonly subject: string;
  readonly message: string;
  readonly connection: Connection;
  readonly frames: readonly number[];
  /** A line that shows it again, if it is not made of the frames. */
  readonly again?: string | undefined;
  /** Whether the revision is irrelevant, such as for signals. */
  readonly isGeneral?: boolean;
}

/** Which tools may be called. */
export interface CallSettings {
  /** Whether tools that are marked as read-only are called. */
  readonly readOnly: boolean;
  /** Other tools that are called. */
  readonly tools: readonly string[];
}

/** A probe. */
export interface Probe {
  readonly id: string;
  readonly title: string;
  /** Only over this transport; both by default. */
  readonly transport?: 'stdio' | 'http';
  /** Only with or without a handshake; both by default. */
  readonly era?: 'stateful' | 'stateless';
  /** Only once, in the newest revision that the server speaks: it is about the process, not about messages. */
  readonly isOnce?: boolean;
  /** Whether it only uses connections that it opens, so that it can run while others wait. */
  readonly isSeparate?: boolean;
  /** Why it does not apply; undefined if it does. */
  readonly skip?: (context: ProbeContext) => string | undefined;
  readonly run: (context: ProbeContext) => Promise<void>;
}

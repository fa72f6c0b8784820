/** Inspects all conversations of a recording. */
import { McpgenError } from '../errors.js';
import { RecordingReader, type RecordingFormat } from '../recording/read.js';
import type { RecordingHeader } from '../recording/entry.js';
import { BoundedMap } from './bounded.js';
import type { ExtendedRevisions } from './extensions.js';
import type { Finding, InspectedEntry } from './finding.js';
import { Inspector } from './inspector.js';
import { SEVERITIES } from './rule.js';
import type { RuleId, Severity } from './rules.js';
import { StatisticsCollector, type Statistics } from './statistics.js';

/** Most findings of one rule that a report lists; all are counted. */
const MAX_FINDINGS_OF_RULE = 1000;
/** Most conversations in one file. */
const MAX_CONVERSATIONS = 10_000;

/** A finding with the line of the file that its entry is on. */
export interface LocatedFinding extends Finding {
  readonly line: number;
}

/** How often a rule is broken. */
export interface RuleCount {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly count: number;
}

/** What was found in one conversation. */
export interface ConversationReport {
  /** The name of the server in a log with several, or the number of the conversation in the file. */
  readonly name: string;
  readonly header: RecordingHeader | undefined;
  /** The revisions that were spoken. */
  readonly revisions: readonly string[];
  readonly findings: readonly LocatedFinding[];
  readonly rules: readonly RuleCount[];
  /** Findings of rules that the options or the recording itself ignore. */
  readonly ignored: number;
  readonly statistics: Statistics;
}

/** What was found in a file. */
export interface InspectionReport {
  /** Undefined if nothing in the file was understood. */
  readonly format: RecordingFormat | undefined;
  readonly lines: number;
  /** Lines that belong to no conversation. */
  readonly skipped: number;
  readonly conversations: readonly ConversationReport[];
}

/** Options of {@link inspectRecording}. */
export interface InspectOptions {
  /** Rules that are not reported. */
  readonly ignore?: ReadonlySet<string>;
  /** The revision of messages before any names one. */
  readonly revision?: string | undefined;
  /** The revisions with extensions; by default with those that are built in and that a side declares. */
  readonly extensions?: ExtendedRevisions | undefined;
  /** Receives each entry as it is inspected, such as for a page or while a file grows. */
  readonly onEntry?: (entry: InspectedEntry, conversation: { readonly name: string; readonly line: number }) => void;
  /** Receives the header of each conversation. */
  readonly onConversation?: (name: string, header: RecordingHeader | undefined) => void;
}

/**
 * Inspects a recording or a log, entry by entry. Memory is bounded, however long it is.
 *
 * @param chunks - The bytes of the file.
 */
export async function inspectRecording(
  chunks: AsyncIterable<Uint8Array>,
  options: InspectOptions = {},
): Promise<InspectionReport> {
  const reader = new RecordingReader();
  const conversations: Conversation[] = [];
  const byServer = new BoundedMap<string, Conversation>(MAX_CONVERSATIONS);
  let current: Conversation | undefined;
  let skipped = 0;
  let lines = 0;
  const open = (server: string | undefined, header: RecordingHeader | undefined): Conversation => {
    const name = server ?? String(conversations.length + 1);
    const opened = new Conversation(name, header, options);
    if (conversations.length >= MAX_CONVERSATIONS)
      throw new McpgenError(`more than ${MAX_CONVERSATIONS} conversations in one file`, {
        place: `line ${lines + 1}`,
        remedy: 'Split the file.',
      });
    conversations.push(opened);
    options.onConversation?.(name, header);
    return opened;
  };
  for await (const part of reader.read(chunks)) {
    lines = part.line;
    if (part.kind === 'skipped') skipped += 1;
    else if (part.kind === 'header') current = open(undefined, part.header);
    else if (part.server === undefined) {
      current ??= open(undefined, undefined);
      current.add(part.entry, part.line);
    } else {
      const named = byServer.get(part.server) ?? open(part.server, undefined);
      byServer.set(part.server, named);
      named.add(part.entry, part.line);
    }
  }
  return { format: reader.format, lines, skipped, conversations: conversations.map((each) => each.report()) };
}

/** One conversation while it is read. */
class Conversation {
  readonly #name: string;
  readonly #header: RecordingHeader | undefined;
  readonly #options: InspectOptions;
  readonly #ignored: ReadonlySet<string>;
  #ignoredCount = 0;
  readonly #inspector: Inspector;
  readonly #statistics = new StatisticsCollector();
  readonly #findings: LocatedFinding[] = [];
  readonly #counts = new Map<RuleId, { severity: Severity; count: number }>();
  readonly #revisions = new Set<string>();

  constructor(name: string, header: RecordingHeader | undefined, options: InspectOptions) {
    this.#name = name;
    this.#header = header;
    this.#options = options;
    this.#ignored = new Set([...(options.ignore ?? []), ...(header?.ignore ?? [])]);
    this.#inspector = new Inspector({ header, revision: options.revision, extensions: options.extensions });
  }

  add(entry: Parameters<Inspector['add']>[0], line: number): void {
    const found = this.#inspector.add(entry);
    const findings = found.findings.filter(({ rule }) => !this.#ignored.has(rule));
    this.#ignoredCount += found.findings.length - findings.length;
    const inspected = { ...found, findings };
    if (inspected.revision !== undefined) this.#revisions.add(inspected.revision);
    this.#statistics.add(inspected);
    for (const finding of findings) {
      const counted = this.#counts.get(finding.rule) ?? { severity: finding.severity, count: 0 };
      counted.count += 1;
      this.#counts.set(finding.rule, counted);
      if (counted.count <= MAX_FINDINGS_OF_RULE) this.#findings.push({ ...finding, line });
    }
    this.#options.onEntry?.(inspected, { name: this.#name, line });
  }

  report(): ConversationReport {
    return {
      name: this.#name,
      header: this.#header,
      revisions: [...this.#revisions].sort(),
      findings: this.#findings,
      rules: [...this.#counts].map(([rule, counted]) => ({ rule, ...counted })).sort(bySeverity),
      ignored: this.#ignoredCount,
      statistics: this.#statistics.result(),
    };
  }
}

function bySeverity(a: RuleCount, b: RuleCount): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || b.count - a.count || (a.rule < b.rule ? -1 : 1)
  );
}

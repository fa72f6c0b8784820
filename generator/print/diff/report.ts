import { changeLocation, type Change, type Subject } from '../../model/diff/change.js';
import type { ProtocolDifference } from '../../model/diff/compare.js';
import { isBreaking, RULES, type RuleId, type Verdict } from '../../model/diff/rules.js';
import type { Protocol, Side } from '../../model/protocol.js';
import type { JsonValue } from '../../read/json/json.js';
import { escapeHiddenCharacters } from '../../text.js';
import { compactTypeText } from './type-text.js';

/** One of the two compared revisions. */
export interface ReportSide {
  /** As given: a revision, a file, or a file at a git revision. */
  readonly given: string;
  readonly revision: string;
  /** `released`, or `draft` if it may still change; absent if it is not built in. */
  readonly status?: string;
  readonly file: string;
  readonly sha256: string;
  /** Source of the methods: the built-in catalog, a file, or derived from the schema. */
  readonly catalog: 'built in' | 'file' | 'derived';
  readonly definitions: number;
  readonly methods: number;
}

/** A change as it is printed: everything as text. */
export interface ReportChange {
  /** A stable id: the rule and the place. */
  readonly id: string;
  readonly rule: RuleId;
  readonly title: string;
  readonly subject: Subject;
  /** The method, definition or error that changed. */
  readonly name: string;
  /** The full place: `CallToolResult.content[]`. */
  readonly place: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly detail: string | null;
  /** For a program that still sends the old revision. */
  readonly sender: Verdict;
  /** For a program that still reads the old revision. */
  readonly receiver: Verdict;
  /** Who sends such values; empty if no message contains them. */
  readonly sentBy: readonly Side[];
  /** Values as evidence; a change of meaning only has none. */
  readonly evidence: readonly {
    readonly breaks: 'sender' | 'receiver';
    readonly acceptedBy: string;
    readonly rejectedBy: string;
    readonly value: JsonValue;
    readonly at: string;
  }[];
}

/** Counts over all changes. */
export interface ReportSummary {
  readonly changes: number;
  readonly breaking: number;
  readonly breakingForSender: number;
  readonly breakingForReceiver: number;
  readonly methods: { readonly added: number; readonly removed: number; readonly changed: number };
  readonly definitions: {
    readonly added: number;
    readonly removed: number;
    readonly renamed: number;
    readonly changed: number;
  };
  readonly errors: number;
}

/** A line of a program that no longer compiles with the types of the new revision. */
export interface AffectedLine {
  /** Relative to the current folder. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 code units. */
  readonly column: number;
  /** What the compiler says. */
  readonly message: string;
  /** The text of the line, without indentation. */
  readonly code: string;
}

/** What a new revision changes for a program. */
export interface AffectedCode {
  /** The folder, as given. */
  readonly folder: string;
  /** How many files were checked. */
  readonly files: number;
  /** The lines by the change that they name; null for lines that name none. */
  readonly groups: readonly { readonly change: ReportChange | null; readonly lines: readonly AffectedLine[] }[];
}

/** The differences between two revisions, as `mcpgen diff --json` prints them. */
export interface DiffReport {
  readonly from: ReportSide;
  readonly to: ReportSide;
  readonly summary: ReportSummary;
  readonly renames: readonly {
    readonly before: string;
    readonly after: string;
    /** Whether the rename is known; otherwise it is a guess. */
    readonly isKnown: boolean;
    readonly evidence: readonly string[];
  }[];
  readonly changes: readonly ReportChange[];
  /** With `--code`: the affected lines of a program. */
  readonly code?: AffectedCode;
}

/** The names of the two sides, and the sources of their catalogs. */
export interface SideInput {
  readonly given: string;
  readonly catalog: ReportSide['catalog'];
  readonly status?: string;
}

/** Builds the report of a difference. */
export function buildReport(difference: ProtocolDifference, from: SideInput, to: SideInput): DiffReport {
  const changes = difference.changes.map(reportChange);
  return {
    from: reportSide(difference.before, from),
    to: reportSide(difference.after, to),
    summary: summarizeChanges(changes),
    renames: difference.renames,
    changes,
  };
}

function reportSide(protocol: Protocol, { given, catalog, status }: SideInput): ReportSide {
  return {
    given,
    revision: protocol.revision,
    ...(status === undefined ? {} : { status }),
    file: protocol.source.file,
    sha256: protocol.source.sha256,
    catalog,
    definitions: protocol.definitions.length,
    methods: protocol.methods.length,
  };
}

function reportChange(change: Change): ReportChange {
  const { title, sender, receiver } = RULES[change.rule];
  const place = escapeHiddenCharacters(changeLocation(change));
  const said = (value: Change['before']): string | null =>
    value === undefined ? null : typeof value === 'string' ? escapeHiddenCharacters(value) : compactTypeText(value);
  const [before, after] = [said(change.before), said(change.after)];
  const what = /^(?:variant|value)-/.test(change.rule) ? `=${after ?? before ?? ''}` : '';
  const constraint = change.rule.startsWith('constraint-') || change.rule === 'format-changed';
  const which = constraint ? `=${(after ?? before ?? '').split(' ')[0] ?? ''}` : what;
  return {
    id: `${change.rule}:${place}${which}`,
    rule: change.rule,
    title,
    subject: change.subject,
    name: escapeHiddenCharacters(change.name),
    place,
    before,
    after,
    detail: change.detail === undefined ? null : escapeHiddenCharacters(change.detail),
    sender,
    receiver,
    sentBy: change.sentBy,
    evidence: change.evidence ?? [],
  };
}

function summarizeChanges(changes: readonly ReportChange[]): ReportSummary {
  const count = (rules: readonly RuleId[]): number => changes.filter(({ rule }) => rules.includes(rule)).length;
  const names = (subject: Subject, but: readonly RuleId[]): number =>
    new Set(changes.filter((item) => item.subject === subject && !but.includes(item.rule)).map(({ name }) => name))
      .size;
  const methodsAdded: readonly RuleId[] = ['request-added', 'request-added-guarded', 'notification-added'];
  const moved: readonly RuleId[] = [
    'definition-added',
    'definition-extracted',
    'definition-removed',
    'definition-inlined',
    'definition-renamed',
  ];
  return {
    changes: changes.length,
    breaking: changes.filter(({ rule }) => isBreaking(rule)).length,
    breakingForSender: changes.filter(({ sender }) => sender === 'breaking').length,
    breakingForReceiver: changes.filter(({ receiver }) => receiver === 'breaking').length,
    methods: {
      added: count(methodsAdded),
      removed: count(['method-removed']),
      changed: names('method', [...methodsAdded, 'method-removed']),
    },
    definitions: {
      added: count(['definition-added', 'definition-extracted']),
      removed: count(['definition-removed', 'definition-inlined']),
      renamed: count(['definition-renamed']),
      changed: names('definition', moved),
    },
    errors: changes.filter(({ subject }) => subject === 'error').length,
  };
}

/** The same change in several places. */
export interface ChangeGroup {
  readonly first: ReportChange;
  /** All changes, including the first. */
  readonly changes: readonly ReportChange[];
  /** The place below each definition; empty for the definition itself. */
  readonly tail: string;
}

/** Groups equal changes below several definitions, in the order of the first of each. */
export function groupChanges(changes: readonly ReportChange[]): readonly ChangeGroup[] {
  const groups = new Map<string, ReportChange[]>();
  for (const change of changes) {
    const tail = change.place.slice(change.name.length);
    // A method, an error or a renamed definition is its own group.
    const alone = change.subject !== 'definition' || change.rule === 'definition-renamed';
    const key = isWholeDefinition(change.rule)
      ? change.rule
      : JSON.stringify([change.rule, alone ? change.place : tail, change.before, change.after, change.detail]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return [...groups.values()].flatMap((list) => {
    const [first] = list;
    return first === undefined ? [] : [{ first, changes: list, tail: first.place.slice(first.name.length) }];
  });
}

/** Rules for whole definitions, which are listed by name. */
function isWholeDefinition(rule: RuleId): boolean {
  return /^definition-(?:added|removed|extracted|inlined|deprecated)$/.test(rule) || rule === 'envelope-declared';
}

/** The rating of a change in words: whom it breaks. */
export function verdictText({ sender, receiver }: Pick<ReportChange, 'sender' | 'receiver'>): string {
  if (sender === 'breaking' && receiver === 'breaking') return 'breaks both';
  if (sender === 'breaking') return 'breaks senders';
  return receiver === 'breaking' ? 'breaks receivers' : 'safe';
}

/** The summary in one line. */
export function summaryText({ summary }: DiffReport): string {
  if (summary.changes === 0) return 'no changes';
  const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  if (summary.breaking === 0) return `${plural(summary.changes, 'change')}, none breaking`;
  return `${plural(summary.changes, 'change')}, ${summary.breaking} breaking (for senders ${summary.breakingForSender}, for receivers ${summary.breakingForReceiver})`;
}

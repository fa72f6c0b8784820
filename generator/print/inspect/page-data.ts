/** The data of an inspection page: what the script of the page draws, within limits. */
import type { Finding, InspectedEntry, InspectedMessage } from '../../inspect/finding.js';
import { RULES, sectionUrl, type RuleId, type Severity } from '../../inspect/rules.js';
import type { Content, Entry, HttpPart, RecordingHeader } from '../../recording/entry.js';
import { boundJson, boundText, count, type Cut } from './bounded.js';

/** A conversation of a page. */
export interface InspectedConversation {
  /** The file, or the server; shown to the reader. */
  readonly name: string;
  readonly header?: RecordingHeader | undefined;
  readonly entries: readonly InspectedEntry[];
  /** Findings that are not in an entry, such as those that are only known at the end. */
  readonly findings?: readonly Finding[] | undefined;
  /** Entries that were not kept for the page. */
  readonly leftOut?: number | undefined;
}

/** What a page shows. */
export interface InspectionPage {
  readonly title: string;
  readonly conversations: readonly InspectedConversation[];
}

/** Most entries of a page. */
export const MAX_ENTRIES = 20_000;
/** Most JSON text of a page, in UTF-16 code units; with it, a page opens in about a second. */
const MAX_JSON_LENGTH = 24 * 1024 * 1024;
/** The part of {@link MAX_JSON_LENGTH} that frames without a finding may use. */
const MAX_PLAIN_LENGTH = 16 * 1024 * 1024;
/** Most findings and messages of one entry, and headers of one exchange. */
const MAX_ITEMS = 100;

/** A finding as the page shows it. */
export interface PageFinding {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly message: string;
  readonly by: string;
  readonly pointer?: string | undefined;
  readonly related?: number | undefined;
  /** The page of the specification that states the rule, and its short name. */
  readonly url: string;
  readonly section: string;
}

/** An entry as the page shows it. */
export interface PageEntry {
  readonly frame: number;
  readonly from: Entry['from'];
  readonly time?: number | undefined;
  readonly content: Content;
  readonly http?: HttpPart | undefined;
  readonly end?: Entry['end'];
  readonly revision?: string | undefined;
  readonly messages: readonly InspectedMessage[];
  readonly findings: readonly PageFinding[];
  /** What is cut from the content. */
  readonly cuts?: readonly Cut[] | undefined;
  /** What is left out of the entry, in words: more findings, or the frame of a page that is full. */
  readonly missing?: string | undefined;
}

/** A conversation as the page shows it. */
export interface PageConversation {
  readonly name: string;
  readonly header?: RecordingHeader | undefined;
  readonly revisions: readonly string[];
  readonly entries: readonly PageEntry[];
  /** How many entries the page does not show. */
  readonly leftOut: number;
  /** Findings by severity, those of entries that are left out included. */
  readonly counts: Readonly<Record<Severity, number>>;
}

/** All data of a page. */
export interface PageData {
  readonly rules: Readonly<Partial<Record<RuleId, { readonly title: string; readonly help: string }>>>;
  readonly conversations: readonly PageConversation[];
}

/** The data of a page, in which no conversation is longer and no frame is larger than a browser can show. */
export function pageData({ conversations }: InspectionPage): PageData {
  const rules: Partial<Record<RuleId, { readonly title: string; readonly help: string }>> = {};
  let room = MAX_ENTRIES;
  let jsonLength = 0;
  const pages = conversations.map((conversation): PageConversation => {
    const byFrame = findingsByFrame(conversation);
    const counts: Record<Severity, number> = { violation: 0, deviation: 0, advice: 0 };
    for (const { rule, severity } of [...byFrame.values()].flat()) {
      counts[severity] += 1;
      const { title, help } = RULES[rule];
      rules[rule] = { title, help };
    }
    const shown = conversation.entries.slice(0, room);
    room -= shown.length;
    const entries = shown.map((inspected): PageEntry => {
      const findings = byFrame.get(inspected.frame) ?? [];
      const entry = pageEntry(inspected, findings);
      const length = JSON.stringify(entry.content).length;
      if (jsonLength + length > (findings.length > 0 ? MAX_JSON_LENGTH : MAX_PLAIN_LENGTH))
        return withoutContent(entry);
      jsonLength += length;
      return entry;
    });
    const revisions = conversation.entries.map(({ revision }) => revision).filter((name) => name !== undefined);
    return {
      name: conversation.name,
      header: conversation.header,
      revisions: [...new Set(revisions)],
      entries,
      leftOut: conversation.entries.length - shown.length + (conversation.leftOut ?? 0),
      counts,
    };
  });
  return { rules, conversations: pages };
}

/** The findings of a conversation by the entry that they are about, which may be an earlier one than the one that shows it. */
function findingsByFrame({ entries, findings = [] }: InspectedConversation): ReadonlyMap<number, readonly Finding[]> {
  const byFrame = new Map<number, Finding[]>();
  for (const finding of [...entries.flatMap((entry) => entry.findings), ...findings]) {
    const known = byFrame.get(finding.frame);
    if (known === undefined) byFrame.set(finding.frame, [finding]);
    else known.push(finding);
  }
  return byFrame;
}

function pageEntry({ frame, entry, revision, messages }: InspectedEntry, findings: readonly Finding[]): PageEntry {
  const { content, cuts } = boundContent(entry.content);
  return {
    frame,
    from: entry.from,
    time: entry.time,
    content,
    http: entry.http === undefined ? undefined : boundHttp(entry.http),
    end: entry.end,
    revision,
    messages: messages.slice(0, MAX_ITEMS).map(boundMessage),
    findings: findings.slice(0, MAX_ITEMS).map(pageFinding),
    cuts: cuts.length === 0 ? undefined : cuts,
    missing: findings.length > MAX_ITEMS ? `${count(findings.length - MAX_ITEMS)} more findings` : undefined,
  };
}

function withoutContent(entry: PageEntry): PageEntry {
  return { ...entry, content: { kind: 'none' }, cuts: undefined, missing: 'the frame: this page is full' };
}

function boundContent(content: Content): { readonly content: Content; readonly cuts: readonly Cut[] } {
  const cut = (missing: number, what: string): readonly Cut[] =>
    missing === 0 ? [] : [{ pointer: '', missing: `${count(missing)} more ${what}` }];
  if (content.kind === 'frame') {
    const { value, cuts } = boundJson(content.frame);
    return { content: { kind: 'frame', frame: value }, cuts };
  }
  if (content.kind === 'text') {
    const { text, missing } = boundText(content.text);
    return { content: { kind: 'text', text }, cuts: cut(missing, 'characters') };
  }
  if (content.kind === 'bytes') {
    const { text, missing } = boundText(content.base64);
    return { content: { kind: 'bytes', base64: text }, cuts: cut(missing, 'characters of Base64') };
  }
  if (content.kind === 'omitted') return { content: { ...content, start: boundText(content.start).text }, cuts: [] };
  return { content, cuts: [] };
}

function boundHttp(part: HttpPart): HttpPart {
  if (part.kind !== 'request' && part.kind !== 'response') return part;
  const headers = Object.entries(part.headers)
    .slice(0, MAX_ITEMS)
    .map(([name, value]) => [name, boundText(value).text] as const);
  return { ...part, headers: Object.fromEntries(headers) };
}

/** Names and ids are shown in a line: a long one is only cut, since the frame has it as well. */
function boundMessage(message: InspectedMessage): InspectedMessage {
  const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
  const { method, target, id } = message;
  return {
    ...message,
    method: method === undefined ? undefined : short(method),
    target: target === undefined ? undefined : short(target),
    id: typeof id === 'string' ? short(id) : id,
  };
}

function pageFinding({ rule, severity, message, by, pointer, related, revision }: Finding): PageFinding {
  // A peer may name any revision.
  const isName = revision !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(revision);
  const url = sectionUrl(rule, isName ? revision : undefined);
  return {
    rule,
    severity,
    message: message.length > 1000 ? `${message.slice(0, 1000)}…` : message,
    by,
    pointer,
    related,
    section: url.replace(/^.*\/specification\/[^/]*\//, ''),
    url,
  };
}

/** Collects what the page of `inspect --html` shows, and writes it. */
import type { InspectedEntry } from '../../inspect/finding.js';
import { renderInspectionPage, type InspectedConversation } from '../../print/inspect/html.js';
import { MAX_ENTRIES } from '../../print/inspect/page-data.js';
import { isNestedTooDeep } from '../../read/json/json.js';
import type { RecordingHeader } from '../../recording/entry.js';
import { printToStderr } from '../../terminal.js';
import { escapeHiddenCharacters } from '../../text.js';
import { pageAssets } from '../shared/page-assets.js';
import { writeReport } from '../shared/report-file.js';

/** Most JSON that is kept for a page, in UTF-16 code units; the page itself shows less. */
const MAX_LENGTH = 128 * 1024 * 1024;

interface Collected extends InspectedConversation {
  readonly entries: InspectedEntry[];
  leftOut: number;
}

/** JSON that is nested too deeply cannot be printed. */
function withoutDeepJson(inspected: InspectedEntry): InspectedEntry {
  const { content } = inspected.entry;
  if (content.kind !== 'frame' || !isNestedTooDeep(content.frame)) return inspected;
  return { ...inspected, entry: { ...inspected.entry, content: { kind: 'text', text: TOO_DEEP } } };
}

const TOO_DEEP = '(JSON that is nested too deeply to be shown)';

/** The entries of a page, in bounded memory. */
export class PageCollector {
  readonly #conversations = new Map<string, Collected>();
  #entries = 0;
  #length = 0;

  open(name: string, header: RecordingHeader | undefined): void {
    this.#conversations.set(name, { name, header, entries: [], leftOut: 0 });
  }

  add(inspected: InspectedEntry, name: string): void {
    const entry = withoutDeepJson(inspected);
    const conversation = this.#conversations.get(name);
    if (conversation === undefined) return;
    this.#entries += 1;
    const { content } = entry.entry;
    if (content.kind === 'frame') this.#length += JSON.stringify(content.frame).length;
    if (this.#entries > MAX_ENTRIES || this.#length > MAX_LENGTH) conversation.leftOut += 1;
    else conversation.entries.push(entry);
  }

  /** Writes the page; `-` is standard output. */
  write(title: string, file: string): void {
    const collected = [...this.#conversations.values()];
    // The only one needs no number.
    const conversations = collected.length === 1 ? collected.map((only) => ({ ...only, name: title })) : collected;
    const page = renderInspectionPage({ title, conversations }, pageAssets('inspect'));
    writeReport(file, page, '--html');
    if (file !== '-') printToStderr(`${escapeHiddenCharacters(file)} written`);
  }
}

import path from 'node:path';
import process from 'node:process';
import { McpgenError } from '../../errors.js';
import type { InspectedEntry } from '../../inspect/finding.js';
import { inspectRecording, type InspectionReport } from '../../inspect/inspect.js';
import { RULES, sectionUrl } from '../../inspect/rules.js';
import { renderRules } from '../../print/inspect/rules.js';
import { printJson, printLine, printToStderr } from '../../terminal.js';
import { readExtendedRevisions } from '../shared/extensions.js';
import { writeReport } from '../shared/report-file.js';
import type { InspectCommandOptions } from './options.js';
import type { PageCollector } from './page.js';
import { readSource } from './source.js';
import { countBySeverity, liveText, printInspection, printRules, summaryText } from './terminal.js';

/** `mcpgen inspect`: finds what breaks the protocol in a recording or a log. Returns the exit code. */
export async function inspectCommand(file: string | undefined, options: InspectCommandOptions): Promise<number> {
  if (options.rules) {
    if (options.json) printJson(RULES);
    else if (options.markdown) process.stdout.write(renderRules());
    else printRules();
    return 0;
  }
  if (file === undefined)
    throw new McpgenError('no file was given', {
      place: 'inspect',
      remedy: 'Pass a recording or a log; - is standard input. mcpgen record makes recordings.',
    });
  if (file === '-' && process.stdin.isTTY)
    throw new McpgenError('standard input is a terminal', { place: '-', remedy: 'Pipe a recording into it.' });
  const stop = new AbortController();
  const abort = (): void => {
    stop.abort();
  };
  if (options.follow) process.once('SIGINT', abort);
  const extensions = await readExtendedRevisions(options);
  const shown = new FrameFinder(options.frame);
  const page = options.html === undefined ? undefined : await createPage();
  const report = await inspectRecording(readSource(file, options.follow ? stop.signal : undefined), {
    ignore: options.ignore,
    revision: options.revision,
    extensions,
    onConversation: (name, header) => page?.open(name, header),
    onEntry: (entry, { name }) => {
      page?.add(entry, name);
      shown.see(entry, name);
      if (options.follow && !options.json) for (const finding of entry.findings) printLine(liveText(finding));
    },
  });
  process.off('SIGINT', abort);
  if (report.format === undefined)
    throw new McpgenError('no message was found in it', {
      place: file,
      remedy:
        'Pass a recording of mcpgen record, JSON lines with messages, or a log of Claude Desktop or Visual Studio Code.',
    });
  if (options.frame !== undefined) return shown.print();
  if (options.html !== undefined) page?.write(file === '-' ? 'Conversation' : path.basename(file), options.html);
  if (options.html === '-') return fails(report, options) ? 1 : 0;
  if (options.sarif !== undefined) {
    const { sarifReport: sarif } = await import('./reports.js');
    writeReport(options.sarif, sarif(file, report), '--sarif');
    if (options.sarif === '-') return fails(report, options) ? 1 : 0;
  }
  if (options.json) printJson(jsonReport(file, report));
  else if (options.markdown) {
    const { markdownReport: markdown } = await import('./reports.js');
    printLine(markdown(file, report, summaryText(report, true)).trimEnd());
  } else if (options.follow) printLine(summaryText(report));
  else printInspection(file, report, options.all);
  return fails(report, options) ? 1 : 0;
}

/** Loaded on demand. */
async function createPage(): Promise<PageCollector> {
  const { PageCollector: Collector } = await import('./page.js');
  return new Collector();
}

function fails(report: InspectionReport, { failOn }: InspectCommandOptions): boolean {
  const { violation, deviation, advice } = countBySeverity(report);
  if (failOn === 'never') return false;
  return violation > 0 || (failOn !== 'violation' && deviation > 0) || (failOn === 'advice' && advice > 0);
}

/** The report for machines. */
function jsonReport(file: string, report: InspectionReport): object {
  return {
    file,
    format: report.format,
    lines: report.lines,
    skipped: report.skipped,
    conversations: report.conversations.map(({ findings, ...conversation }) => ({
      ...conversation,
      findings: findings.map((finding) => ({ ...finding, specification: sectionUrl(finding.rule, finding.revision) })),
    })),
  };
}

/** Prints the entry that `--frame` names, of each conversation. */
class FrameFinder {
  readonly #frame: number | undefined;
  readonly #found: { readonly name: string; readonly entry: InspectedEntry }[] = [];

  constructor(frame: number | undefined) {
    this.#frame = frame;
  }

  see(entry: InspectedEntry, name: string): void {
    if (entry.frame === this.#frame) this.#found.push({ name, entry });
  }

  /** @throws {@link McpgenError} if there is no such entry. */
  print(): number {
    if (this.#found.length === 0)
      throw new McpgenError(`there is no entry ${this.#frame ?? ''}`, {
        place: '--frame',
        remedy: 'Entries are numbered from 1 in each conversation.',
      });
    for (const { name, entry } of this.#found) {
      if (this.#found.length > 1) printToStderr(`conversation ${name}`);
      const { content, ...rest } = entry.entry;
      printJson({ ...rest, ...(content.kind === 'frame' ? { frame: content.frame } : content) });
      for (const finding of entry.findings) printToStderr(liveText(finding));
    }
    return 0;
  }
}

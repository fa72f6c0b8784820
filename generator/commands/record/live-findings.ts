import type { ExtendedRevisions } from '../../inspect/extensions.js';
import type { Finding } from '../../inspect/finding.js';
import { Inspector } from '../../inspect/inspector.js';
import type { Severity } from '../../inspect/rules.js';
import type { Entry, RecordingHeader } from '../../recording/entry.js';
import { printToStderr, printWarning, stderrColors } from '../../terminal.js';

/** Findings are left out while this many bytes wait for whoever reads standard error. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Longest message of a finding that is printed, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 500;

const COUNTED: readonly (readonly [Severity, string])[] = [
  ['violation', 'violations'],
  ['deviation', 'deviations'],
  ['advice', 'advice findings'],
];

/** Inspects a conversation while it is recorded, and prints what it finds to standard error. */
export class LiveFindings {
  readonly #inspector: Inspector;
  readonly #counts = new Map<Severity, number>();
  #omitted = 0;
  #hasFailed = false;

  constructor(header: RecordingHeader, extensions?: ExtendedRevisions) {
    this.#inspector = new Inspector({ header, extensions });
  }

  readonly add = (entry: Entry): void => {
    if (this.#hasFailed) return;
    try {
      for (const finding of this.#inspector.add(entry).findings) this.#print(finding);
    } catch (error) {
      // It must not end the conversation.
      this.#hasFailed = true;
      printWarning({ message: `the inspection ends here: ${String(error)}`, place: '--inspect' });
    }
  };

  /** Prints how much was found. */
  end(): void {
    const counts = COUNTED.map(([severity, plural]) => {
      const count = this.#counts.get(severity) ?? 0;
      return `${count} ${count === 1 && severity !== 'advice' ? severity : plural}`;
    });
    const omitted = this.#omitted === 0 ? '' : ` (${this.#omitted} not printed)`;
    printToStderr(`mcpgen record: found ${counts.join(', ')}${omitted}`);
  }

  #print({ rule, severity, message, frame, by, pointer }: Finding): void {
    this.#counts.set(severity, (this.#counts.get(severity) ?? 0) + 1);
    if (process.stderr.writableLength > MAX_UNREAD_BYTES) {
      this.#omitted += 1;
      return;
    }
    const label = severity === 'violation' ? stderrColors.red(severity) : stderrColors.yellow(severity);
    const place = `#${frame}${pointer === undefined ? '' : pointer.slice(0, MAX_MESSAGE_LENGTH)} by the ${by}`;
    printToStderr(`${label} ${rule} ${place}: ${message.replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE_LENGTH)}`);
  }
}

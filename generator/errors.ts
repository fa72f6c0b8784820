import { escapeHiddenCharacters, withoutCredentials } from './text.js';

/**
 * What a user of the tool did wrong or must fix: a clear message, the place it is about, and the remedy.
 * The command line prints it without a stack trace and exits with 2.
 */
export class McpgenError extends Error {
  /** File, pointer or flag that the message is about. */
  readonly place: string | undefined;
  /** What to do about it. */
  readonly remedy: string | undefined;

  constructor(message: string, options: { place?: string; remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'McpgenError';
    this.place = options.place;
    this.remedy = options.remedy;
  }

  /** The whole text as the terminal shows it: `place: message`, then the remedy on lines of its own. */
  format(): string {
    // What is quoted of a file must not steer the terminal or hide; only a text of our own has several lines.
    const message = this.message.split('\n').map(redactAndEscape).join('\n');
    const head = this.place === undefined ? message : `${redactAndEscape(this.place)}: ${message}`;
    const remedy = this.remedy?.split('\n').map(redactAndEscape).join('\n  ');
    return remedy === undefined ? head : `${head}\n  ${remedy}`;
  }
}

/** A line that neither steers the terminal nor shows the password of a URL. */
function redactAndEscape(line: string): string {
  return escapeHiddenCharacters(withoutCredentials(line));
}

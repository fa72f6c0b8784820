import { escapeHiddenCharacters, withoutCredentials } from './text.js';

/**
 * An error that the user can fix: what is wrong, where, and how to fix it. The command line prints it without a stack
 * trace and exits with 2.
 */
export class McpgenError extends Error {
  /** The file, pointer or option that is at fault. */
  readonly place: string | undefined;
  /** How to fix it. */
  readonly remedy: string | undefined;

  constructor(message: string, options: { place?: string; remedy?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'McpgenError';
    this.place = options.place;
    this.remedy = options.remedy;
  }

  /** The text that the terminal shows: `place: message`, then a line `hint: remedy`. */
  format(): string {
    // Text from files must neither control the terminal nor hide; only our own texts have several lines.
    const message = this.message.split('\n').map(redactAndEscape).join('\n');
    const head = this.place === undefined ? message : `${redactAndEscape(this.place)}: ${message}`;
    const remedy = this.remedy?.split('\n').map(redactAndEscape).join('\n  ');
    return remedy === undefined ? head : `${head}\nhint: ${remedy}`;
  }
}

/** A line without control characters and without passwords of URLs. */
function redactAndEscape(line: string): string {
  return escapeHiddenCharacters(withoutCredentials(line));
}

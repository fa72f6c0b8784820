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
    return formatDiagnostic(this);
  }

  /** The error for machines, as `--json` prints it. */
  toJSON(): DiagnosticJson {
    return diagnosticJson(this);
  }
}

/** An error or a warning for the user. */
export interface Diagnostic {
  readonly message: string;
  readonly place?: string | undefined;
  readonly remedy?: string | undefined;
}

/** An error or a warning as `--json` prints it. */
export interface DiagnosticJson {
  readonly message: string;
  /** The file, pointer or option that is at fault. */
  readonly location?: string;
  /** How to fix it. */
  readonly hint?: string;
}

/** The text that the terminal shows for a diagnostic: `place: message`, then a line `hint: remedy`. */
export function formatDiagnostic(
  { message, place, remedy }: Diagnostic,
  paintLabel = (label: string) => label,
): string {
  const text = redactAndEscapeLines(message);
  const head = place === undefined ? text : `${redactAndEscape(place)}: ${text}`;
  return remedy === undefined ? head : `${head}\n${paintLabel('hint')}: ${redactAndEscapeLines(remedy, '\n  ')}`;
}

/** A diagnostic for machines. */
export function diagnosticJson({ message, place, remedy }: Diagnostic): DiagnosticJson {
  return {
    message: redactAndEscapeLines(message),
    ...(place === undefined ? {} : { location: redactAndEscape(place) }),
    ...(remedy === undefined ? {} : { hint: redactAndEscapeLines(remedy) }),
  };
}

/** Escapes control and invisible characters in text from files. Only line breaks of mcpgen's messages are kept. */
function redactAndEscapeLines(text: string, lineEnd = '\n'): string {
  return text.split('\n').map(redactAndEscape).join(lineEnd);
}

/** A line without control characters and without passwords of URLs. */
function redactAndEscape(line: string): string {
  return escapeHiddenCharacters(withoutCredentials(line));
}

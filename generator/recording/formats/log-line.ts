import type { Side } from '../entry.js';

/** A line of a log that a format understands. */
export interface LogLine {
  readonly server: string | undefined;
  /** Milliseconds since 1970. */
  readonly time: number | undefined;
  readonly from: Side;
  /** The message as text. */
  readonly text: string;
}

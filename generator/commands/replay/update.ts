/** Rewrites a recording with what the server sends now. */
import { readFileSync } from 'node:fs';
import { McpgenError } from '../../errors.js';
import { writeFileAtomically } from '../../output/write.js';
import { isObject, ownMember, stableStringify, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { isHeaderLine } from '../../recording/entry.js';
import { messagesOf } from '../../recording/message.js';
import { readRedact } from '../../recording/read.js';
import { RedactedPlaces, Redactor } from '../../recording/redact.js';

/** @throws {@link McpgenError} if the file is not a recording of `mcpgen record`, whose form can be kept. */
export function assertUpdatable(file: string): void {
  const [first = ''] = readFileSync(file, 'utf8').split('\n', 1);
  let header: JsonValue = null;
  try {
    header = JSON.parse(first) as JsonValue;
  } catch {
    // Another log.
  }
  if (isHeaderLine(header)) return;
  throw new McpgenError('only recordings of mcpgen record can be updated', {
    place: file,
    remedy: 'Record the conversation with mcpgen record, or omit --update.',
  });
}

/**
 * Replaces changed messages of the server. Everything else stays as it is: the header, times, what the client sent, and
 * values that may differ. The file is replaced at once or not at all.
 *
 * @param current - What recorded messages are now.
 * @returns How many entries changed.
 */
export function updateRecording(file: string, current: ReadonlyMap<JsonObject, JsonObject>): number {
  // Equal messages, such as two notifications, have the same successor unless they differ now.
  const byText = new Map<string, JsonObject[]>();
  for (const [before, after] of current) {
    const key = stableStringify(before);
    byText.set(key, [...(byText.get(key) ?? []), after]);
  }
  let changed = 0;
  let redactor: Redactor | undefined = new Redactor();
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => {
      if (line.trim() === '') return line;
      const entry = JSON.parse(line) as JsonValue;
      if (isHeaderLine(entry)) redactor = redactorOf(ownMember(entry, 'recording'));
      const frame = isObject(entry) ? ownMember(entry, 'frame') : undefined;
      if (!isObject(entry) || frame === undefined || ownMember(entry, 'from') !== 'server') return line;
      const successors: JsonObject[] = [];
      const update = (message: JsonValue): JsonValue => {
        const after = isObject(message) ? byText.get(stableStringify(message))?.shift() : undefined;
        if (after !== undefined) successors.push(after);
        return after ?? message;
      };
      const updated = Array.isArray(frame) ? messagesOf(frame).map(update) : update(frame);
      if (successors.length === 0) return line;
      changed += 1;
      const places = new RedactedPlaces();
      // What the server sends now may have secrets that it did not have.
      const text = redactor?.json(JSON.stringify(updated), places) ?? JSON.stringify(updated);
      const { frame: _frame, redacted: _redacted, ...rest } = entry;
      const redacted = places.list === undefined ? {} : { redacted: places.list };
      return `${JSON.stringify({ ...rest, ...redacted }).slice(0, -1)},"frame":${text}}`;
    });
  if (changed > 0) writeFileAtomically(file, lines.join('\n'));
  return changed;
}

/** Replaces what the recorder replaced; undefined if that was nothing. */
function redactorOf(header: JsonValue | undefined): Redactor | undefined {
  const redact = isObject(header) ? readRedact(header) : undefined;
  return redact === false ? undefined : new Redactor(redact);
}

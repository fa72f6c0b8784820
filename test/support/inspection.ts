/** Inspected conversations for tests of the page, without an inspector. */
import type { Finding, InspectedEntry, InspectedMessage } from '../../generator/inspect/finding.js';
import type { JsonObject, JsonValue } from '../../generator/read/json/json.js';
import type { Entry, Side } from '../../generator/recording/entry.js';

/** A finding as far as a test cares: the rest is filled in. */
export type FindingOf = Pick<Finding, 'severity' | 'message'> & Partial<Finding>;

/** An entry, with what is found about it. */
export interface EntryOf {
  readonly entry: Entry;
  readonly findings?: readonly FindingOf[];
}

/** An entry with a frame. */
export function frameOf(from: Side, frame: JsonValue, time?: number, findings: readonly FindingOf[] = []): EntryOf {
  return { entry: { from, time, content: { kind: 'frame', frame } }, findings };
}

/** Numbers the entries, and says what each message is, as an inspector does. */
export function inspected(entries: readonly EntryOf[]): readonly InspectedEntry[] {
  const requests = new Map<string, { readonly frame: number; readonly method: string; readonly time: number }>();
  return entries.map(({ entry, findings = [] }, index): InspectedEntry => {
    const frame = index + 1;
    const { content, from, time = 0 } = entry;
    const list = content.kind !== 'frame' ? [] : Array.isArray(content.frame) ? content.frame : [content.frame];
    const other = from === 'client' ? 'server' : 'client';
    const messages = (list as readonly JsonObject[]).map((message): InspectedMessage => {
      const { id, method } = message as { readonly id?: number; readonly method?: string };
      const params = message['params'] as JsonObject | undefined;
      const key = (side: Side, value: unknown): string => `${side} ${JSON.stringify(value)}`;
      if (method !== undefined && id !== undefined) {
        requests.set(key(from, id), { frame, method, time });
        return { kind: 'request', method, id, target: params?.['name'] as string | undefined };
      }
      if (method !== undefined) {
        const cancelled = requests.get(key(from, params?.['requestId']));
        return { kind: 'notification', method, request: cancelled?.frame };
      }
      const request = requests.get(key(other, id));
      const error = message['error'] as { readonly code: number } | undefined;
      return {
        kind: error === undefined ? 'result' : 'error',
        method: request?.method,
        id,
        request: request?.frame,
        latencyMs: request === undefined ? undefined : time - request.time,
        code: error?.code,
      };
    });
    const found = findings.map((finding): Finding => ({
      rule: 'not-json',
      frame,
      by: from,
      revision: '2025-06-18',
      ...finding,
    }));
    return { frame, entry, revision: '2025-06-18', messages, findings: found };
  });
}

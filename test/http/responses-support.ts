import { expect } from 'vitest';
import type { HttpEvent, HttpHandler } from '../../generated/runtime/http-server.js';
import { fixtureHandler } from './server-support.js';

const handlers: HttpHandler[] = [];
/** Closes the handlers of a test. */
export async function closeHandlers(): Promise<void> {
  for (const handler of handlers.splice(0)) await handler.close();
}

/** Status, headers by name, body and events of a response. */
export class Transcript {
  readonly lines: string[] = [];
  readonly events: HttpEvent[] = [];

  handler(options: Parameters<typeof fixtureHandler>[0] = {}): HttpHandler {
    const handler = fixtureHandler({ ...options, onEvent: (event) => this.events.push(event) });
    handlers.push(handler);
    return handler;
  }

  async add(title: string, pending: Promise<Response>): Promise<void> {
    const response = await pending;
    this.lines.push(`# ${title}`, String(response.status));
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    const text = isStream ? '(a stream)' : await response.text();
    if (isStream) await response.body?.cancel();
    const known = (value: string): string =>
      value.replace(/[0-9a-f]{32}/g, '(id)').replace(/(?<="requestState":")[^"]+/, '(state)');
    for (const [name, value] of [...response.headers].sort()) this.lines.push(`${name}: ${known(value)}`);
    if (text !== '') this.lines.push(known(text));
    for (const { kind, ...event } of this.events.splice(0)) {
      const { error } = event as { readonly error?: unknown };
      this.lines.push(`event ${kind} ${error instanceof Error ? error.message : JSON.stringify(event)}`);
    }
    this.lines.push('');
  }

  async compare(name: string): Promise<void> {
    await expect(this.lines.join('\n')).toMatchFileSnapshot(`responses/${name}.txt`);
  }
}

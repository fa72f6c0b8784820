import path from 'node:path';
import type { Diagnostic } from '../../templates/runtime/jsonrpc/ndjson.js';
import type { Invalid } from '../../templates/runtime/jsonrpc/parse.js';
import type { Transport } from '../../templates/runtime/jsonrpc/transport.js';
import { compiledProgram } from '../support/programs.js';

/** Arguments for Node that run a TypeScript program from `children`. */
export function childProgram(name: string, ...args: readonly string[]): string[] {
  return [compiledProgram(path.join(import.meta.dirname, 'children', name)), ...args];
}

/** All events that a transport has emitted. */
export interface TransportEvents {
  readonly messages: unknown[];
  readonly errors: Error[];
  readonly invalid: (Diagnostic | Invalid)[];
  readonly closes: () => number;
  /** Resolves once the connection is closed. */
  readonly closed: Promise<void>;
  /** Resolves when there are so many messages. */
  readonly count: (many: number) => Promise<void>;
}

/** Listens to a transport. */
export function recordEvents(transport: Transport): TransportEvents {
  const messages: unknown[] = [];
  const errors: Error[] = [];
  const invalid: (Diagnostic | Invalid)[] = [];
  let closes = 0;
  let waiting: { readonly many: number; readonly resolve: () => void } | undefined;
  transport.onmessage = (value) => {
    messages.push(value);
    if (messages.length === waiting?.many) waiting.resolve();
  };
  transport.onerror = (error) => errors.push(error);
  transport.oninvalid = (what) => invalid.push(what);
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      closes += 1;
      resolve();
    };
  });
  const count = (many: number): Promise<void> =>
    messages.length >= many ? Promise.resolve() : new Promise((resolve) => (waiting = { many, resolve }));
  return { messages, errors, invalid, closes: () => closes, closed, count };
}

/** Waits until something holds. */
export async function waitUntil(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

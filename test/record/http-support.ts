import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { CLI, plainEnvironment } from '../support/cli.js';
import { endOf, newRecording, readAll, until } from './support.js';
import type { Recorded, RecordedLine } from './support.js';

export const started: { kill: () => unknown }[] = [];

/** Starts a server; returns its origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  started.push({ kill: () => (server.closeAllConnections(), server.close()) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A proxy that records, and how to end it. */
export interface Proxy {
  readonly url: string;
  readonly file: string;
  /** Ends it with Ctrl+C. Returns what it wrote to standard error. */
  readonly stop: () => Promise<string>;
}

export async function startProxy(
  url: string,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  form: 'option' | 'positional' = 'option',
): Promise<Proxy> {
  const file = newRecording();
  const server = form === 'option' ? ['--http', url] : [url];
  const child: Recorded = spawn(process.execPath, [CLI, 'record', '--out', file, ...server, ...options], {
    stdio: 'pipe',
    env: plainEnvironment(env),
  });
  started.push({ kill: () => child.kill('SIGKILL') });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  await until(() => log.includes(' forwards to ') || child.exitCode !== null);
  const [, address = ''] = /record: (http:\S+) forwards to/.exec(log) ?? [];
  const stop = async (): Promise<string> => {
    child.kill('SIGINT');
    expect(await endOf(child)).toEqual({ code: 0, signal: null });
    return log;
  };
  return { url: address, file, stop };
}

/** A response with its body. */
export interface Answer {
  readonly status: number | undefined;
  readonly raw: readonly string[];
  readonly body: Buffer;
}

export async function send(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer; path?: string } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body, path: target } = options;
  const sent = request(url, { method, headers, agent: false, ...(target === undefined ? {} : { path: target }) });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, raw: response.rawHeaders, body: await readAll(response) };
}

export function httpOf(entries: readonly RecordedLine[]): readonly unknown[] {
  return entries
    .filter(({ http }) => http !== undefined)
    .map(({ from, http, frame, text, base64 }) => ({ from, http, frame: frame ?? text ?? base64 }));
}

/** What a flooding server costs, as a limit of the heap with which `mcpgen check-server` still ends. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, expect, test } from 'vitest';
import { CLI, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';

afterAll(removeTemporaryFolders);

/** MiB of the heap: several floods at the same time, each of which may have 16 MiB as values. */
const HEAP_MIB = 320;

/** Answers the handshake, and each request after it with messages of many small values, without end. */
const FLOOD = `
const data = Array.from({ length: 20000 }, () => ({}));
const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } }) + '\\n';
let rest = '';
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const text of lines) {
    let message;
    try { message = JSON.parse(text); } catch { continue; }
    const { id, method, params } = message;
    if (method === 'initialize') {
      const result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } };
      process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
    } else if (method !== undefined && id !== undefined) {
      const write = () => {
        while (process.stdout.write(line));
        process.stdout.once('drain', write);
      };
      write();
    }
  }
});`;

test('a server that floods is reported, within a limited heap', { timeout: 120_000 }, async () => {
  const file = path.join(temporaryFolder(), 'flood.cjs');
  writeFileSync(file, FLOOD);
  const server = ['--revision', '2025-11-25', '--timeout', '5', '--', process.execPath, file];
  const args = [`--max-old-space-size=${HEAP_MIB}`, CLI, 'check-server', '--only', 'flood', '--json', ...server];
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, args, (error, output) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout: output });
    });
  });
  expect(code).toBe(0);
  const { findings } = JSON.parse(stdout) as { findings: readonly { rule: string }[] };
  expect(findings.map(({ rule }) => rule)).toEqual(['flood']);
});

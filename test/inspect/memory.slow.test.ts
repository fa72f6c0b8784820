/** What a long recording costs, as a limit of the heap with which `mcpgen inspect` still ends. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { afterAll, expect, test } from 'vitest';
import { CLI, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { writeLongLog } from '../support/long-log.js';

afterAll(removeTemporaryFolders);

/** Bytes of the recording. */
const SIZE = 60e6;
/** MiB of the heap: less than the recording, whose values would take several times its size. */
const HEAP_MIB = 64;

test('a recording of 60 MB is inspected within a heap of 64 MiB', { timeout: 120_000 }, async () => {
  const file = path.join(temporaryFolder(), 'long.ndjson');
  await writeLongLog(file, SIZE);
  const args = [`--max-old-space-size=${HEAP_MIB}`, CLI, 'inspect', '--json', file];
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, args, { maxBuffer: SIZE }, (error, output) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal), stdout: output });
    });
  });
  expect(code).toBe(0);
  expect(stdout).toContain('"tools/call"');
});

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { listFiles, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { findInternals } from '../support/hostile.js';

afterAll(removeTemporaryFolders);

describe.concurrent('types tools', () => {
  test.each<[string, string, RegExp]>([
    ['hangs', 'setInterval(() => 0, 1000)', /timed out after 3 s/],
    [
      'exits',
      'console.error("no luck"); process.exit(3)',
      /the connection is closed\n {2}its log ends with:\n {4}no luck/,
    ],
    [
      'floods',
      'for (;;) process.stdout.write("{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"x\\"}\\n")',
      /timed out after 3 s/,
    ],
    ['floods with a line that never ends', 'for (;;) process.stdout.write("x".repeat(65536))', /timed out after 3 s/],
    [
      'has pages without end',
      `let n = 0; require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const result = method === "initialize"
          ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }
          : { tools: [], nextCursor: "c" + n++ };
        const error = { code: -32601, message: "no" };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(method === "server/discover" ? { error } : { result }) }));
      })`,
      /it lists more than|timed out after 3 s/,
    ],
  ])('a server that %s is left, with the reason', async (_, program, message) => {
    const cwd = temporaryFolder();
    writeFileSync(path.join(cwd, 'server.cjs'), program);
    const result = await mcpgen(
      ['types', 'tools', '--from-server', `"${process.execPath}" server.cjs`, '--timeout', '3', '--out', 'x'],
      { cwd },
    );
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(message);
    expect(findInternals(result.stderr)).toEqual([]);
    expect(listFiles(cwd)).toEqual(['server.cjs']);
  });
});

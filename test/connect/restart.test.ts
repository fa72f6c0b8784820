import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterAll, describe, expect, test } from 'vitest';
import { stdioClientTransport } from '../../generated/runtime/stdio-client.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { ALL_REVISIONS, Events, TEST_INFO, revision20251125, revision20260728, textResult } from './harness.js';

afterAll(removeTemporaryFolders);

/** A server that notes the first message of each of its runs, and what it does with it. */
function program(file: string, onOther: string): string {
  return `
    const { appendFileSync } = require("node:fs");
    const answer = (id, more) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...more }) + "\\n");
    let isFirst = true;
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (isFirst) appendFileSync(${JSON.stringify(file)}, method + "\\n");
      if (isFirst && method !== "initialize") { ${onOther} }
      isFirst = false;
      if (method === "initialize")
        answer(id, { result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "old", version: "1" } } });
      else if (method === "tools/call") answer(id, { result: ${JSON.stringify(textResult('done'))} });
    });`;
}

async function run(
  code: string,
  revisions = ALL_REVISIONS,
): Promise<{ readonly events: Events; readonly error: Error | undefined; readonly answer: unknown }> {
  const events = new Events();
  const client = revision20260728.createClient({ info: TEST_INFO, revisions, onEvent: events.onEvent });
  const transport = stdioClientTransport({ command: process.execPath, args: ['-e', code], stderr: 'ignore' });
  const failed = await client.connect(transport).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  const answer = failed === undefined ? await client.callTool({ name: 'x' }) : undefined;
  await client.close();
  await transport.exit;
  return { events, error: failed, answer };
}

function started(): string {
  const file = path.join(temporaryFolder(), 'firsts');
  appendFileSync(file, '');
  return file;
}

const firstsIn = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

describe('a server over stdio that exits at a first message other than initialize (case-117)', () => {
  test('is restarted with initialize', async () => {
    const file = started();
    const code = program(file, 'process.exit(1);');
    const first = await run(code);
    expect(first.error).toBeUndefined();
    expect(first.answer).toEqual(textResult('done'));
    expect(first.events.all).toEqual([{ kind: 'serverRestarted', method: 'server/discover' }]);
    expect(firstsIn(file)).toEqual(['server/discover', 'initialize']);
    const second = await run(code);
    expect(second.answer).toEqual(textResult('done'));
    expect(second.events.all).toEqual([]);
    expect(firstsIn(file)).toEqual(['server/discover', 'initialize', 'initialize']);
  });

  test('is started no third time', async () => {
    const file = started();
    const { error, events } = await run(
      `require("node:fs").appendFileSync(${JSON.stringify(file)}, "run\\n"); process.exit(3);`,
    );
    expect(error?.message).toBe('the connection is closed');
    expect(firstsIn(file)).toEqual(['run', 'run']);
    expect(events.all).toMatchObject([
      { kind: 'serverRestarted' },
      { kind: 'transportFailed', error: { message: 'the server exited with code 3' } },
    ]);
  });

  test('is not started again by a client that speaks only the stateless revision', async () => {
    const file = started();
    const { error } = await run(program(file, 'process.exit(1);'), [revision20260728.revision]);
    expect(error).toBeInstanceOf(Error);
    expect(firstsIn(file)).toEqual(['server/discover']);
  });

  test('gets initialize first from a client that speaks only stateful revisions', async () => {
    const file = started();
    const { answer } = await run(program(file, 'process.exit(1);'), [revision20251125.revision]);
    expect(answer).toEqual(textResult('done'));
    expect(firstsIn(file)).toEqual(['initialize']);
  });
});

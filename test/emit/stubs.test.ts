import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadProtocol, render } from '../../generator/index.js';
import { hashFolder, removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';
import { REVISIONS } from '../support/revisions.js';
import { REVISION, STUBS, HANDLERS } from './stubs-support.js';

afterAll(removeTemporaryFolders);

async function handlersOf(revision: string, methods?: readonly string[]): Promise<string | undefined> {
  const protocol = await loadProtocol({ revision });
  const options = methods === undefined ? {} : { methods };
  const files = await render(protocol, temporaryFolder(), { emit: ['stubs'], ...options });
  return files.find((file) => file.path.endsWith('/handlers.ts'))?.contents;
}

/** Methods that a `handlers.ts` handles. */
function methodsIn(text: string | undefined): readonly string[] {
  return [...(text ?? '').matchAll(/^ {2}"([\w/]+)": \(/gm)].map((match) => match[1] ?? '');
}

describe('what is written', () => {
  test('has the selected methods in catalog order', async () => {
    const text = await handlersOf(REVISION, ['tools/list', 'tools/call']);
    expect(methodsIn(text)).toEqual(['tools/call', 'tools/list']);
    expect(text).not.toContain('@generated');
    expect(text).toContain('This file is yours');
  });

  test.each(REVISIONS)('$revision: handles all requests of clients by default', async ({ revision }) => {
    const { methods } = await loadProtocol({ revision });
    const answered = new Set([
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
    ]);
    const wanted = methods.filter(
      ({ name, kind, direction }) =>
        kind === 'request' &&
        (direction === 'clientToServer' || direction === 'both') &&
        !answered.has(name) &&
        name !== 'server/discover' &&
        name !== 'subscriptions/listen',
    );
    expect(methodsIn(await handlersOf(revision))).toEqual(wanted.map(({ name }) => name));
  });

  test('does not change other files', async () => {
    const protocol = await loadProtocol({ revision: REVISION });
    const without = await render(protocol, '.');
    const withStubs = await render(protocol, '.', { emit: ['stubs'] });
    expect(withStubs.filter((file) => file.path !== HANDLERS)).toEqual(without);
  });
});

describe('what is there is the user’s', () => {
  test('a second run keeps it unchanged', async () => {
    const out = temporaryFolder();
    expect((await mcpgen([...STUBS, '--methods', 'tools/list,tools/call', '--out', out])).stdout).toContain('11 new');
    appendFileSync(path.join(out, HANDLERS), '\r\n// mine \u2028');
    const edited = readFileSync(path.join(out, HANDLERS));
    const before = hashFolder(out);
    const second = await mcpgen([...STUBS, '--out', out]);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toContain('10 unchanged, 1 kept');
    expect(readFileSync(path.join(out, HANDLERS)).equals(edited)).toBe(true);
    const plain = await mcpgen(['generate', '--revision', REVISION, '--out', out]);
    expect(plain.stdout).not.toContain('removed');
    expect(hashFolder(out)).toBe(before);
    const json = await mcpgen([...STUBS, '--json', '--out', out]);
    const { files } = JSON.parse(json.stdout) as { files: readonly object[] };
    expect(files).toContainEqual({ path: HANDLERS, status: 'kept', action: 'none' });
  });
});

describe('what is refused, with exit code 2', () => {
  test('one that 2026-07-28 has only inside results', async () => {
    const args = ['generate', '--revision', '2026-07-28', '--emit', 'stubs', '--methods', 'roots/list'];
    const result = await mcpgen([...args, '--out', temporaryFolder()]);
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain('servers send it inside a result');
  });

  test('methods without stubs', async () => {
    const result = await mcpgen(['generate', '--methods', 'tools/call', '--out', temporaryFolder()]);
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain('Add --emit stubs.');
  });
});

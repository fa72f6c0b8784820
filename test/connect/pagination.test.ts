import { describe, expect, it } from 'vitest';
import { allPages } from '../../generated/runtime/client.js';
import { failure, info, r20251125, rawServer } from './harness.js';

const { createClient } = r20251125;

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });

async function listed(pages: readonly (string | null | undefined)[]): Promise<{ names: string[]; cursors: unknown[] }> {
  const client = createClient({ info, validateResults: false });
  const { raw } = await rawServer(client);
  const cursors: unknown[] = [];
  raw.responder = ({ id, params }) => {
    const at = cursors.push(params?.['cursor']) - 1;
    return { jsonrpc: '2.0', id, result: { tools: [tool(`${at}a`), tool(`${at}b`)], nextCursor: pages[at] } };
  };
  const names: string[] = [];
  for await (const { name } of client.listAllTools()) names.push(name);
  await client.close();
  return { names, cursors };
}

describe('listAllTools', () => {
  it.each([
    ['no cursor', [undefined], 1],
    ['an empty cursor (case-061)', ['1', ''], 2],
    ['a null cursor', ['1', '2', null], 3],
    ['a repeated cursor', ['1', '1', '1'], 2],
    ['a circle of cursors', ['1', '2', '3', '1', '2'], 4],
  ] as const)('ends at %s', async (_, pages, asked) => {
    const { names, cursors } = await listed(pages);
    expect(cursors).toEqual([undefined, ...pages.slice(0, asked - 1)]);
    expect(names).toEqual(Array.from({ length: asked }, (_item, at) => [`${at}a`, `${at}b`]).flat());
  });

  it('ends with an error at a list without end', async () => {
    let asked = 0;
    const pages = allPages(
      () => Promise.resolve({ nextCursor: `${(asked += 1)}`, items: [asked] }),
      ({ items }) => items,
      100,
    );
    const items: number[] = [];
    const error = await failure(
      (async () => {
        for await (const item of pages) items.push(item);
      })(),
    );
    expect(error.message).toBe('the list has no end: 100 pages were read');
    expect([asked, items.length]).toEqual([100, 100]);
  });

  it('asks for no page that nobody reads, and passes on what goes wrong', async () => {
    const client = createClient({ info });
    const { raw } = await rawServer(client);
    let asked = 0;
    raw.responder = ({ id }) => {
      asked += 1;
      return asked < 3
        ? { jsonrpc: '2.0', id, result: { tools: [tool('a')], nextCursor: String(asked) } }
        : { jsonrpc: '2.0', id, error: { code: -32602, message: 'cursor' } };
    };
    for await (const { name } of client.listAllTools()) {
      expect(name).toBe('a');
      break;
    }
    expect(asked).toBe(1);
    const names: string[] = [];
    const error = await failure(
      (async () => {
        for await (const { name } of client.listAllTools()) names.push(name);
      })(),
    );
    expect(error).toMatchObject({ code: -32602 });
    expect(names).toEqual(['a']);
    await client.close();
  });
});

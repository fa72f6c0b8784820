import { describe, expect, test } from 'vitest';
import { allPages } from '../../generated/runtime/client.js';
import { rejectionOf, TEST_INFO, revision20251125, revision20260728, connectRawServer } from './harness.js';

const { createClient } = revision20251125;

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });

async function listed(pages: readonly (string | null | undefined)[]): Promise<{ names: string[]; cursors: unknown[] }> {
  const client = createClient({ info: TEST_INFO, validateResults: false });
  const { raw } = await connectRawServer(client);
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
  test.each([
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

  test('ends with an error at a list without end', async () => {
    let asked = 0;
    const pages = allPages(
      () => Promise.resolve({ nextCursor: `${(asked += 1)}`, items: [asked] }),
      ({ items }) => items,
      100,
    );
    const items: number[] = [];
    const error = await rejectionOf(
      (async () => {
        for await (const item of pages) items.push(item);
      })(),
    );
    expect(error.message).toBe('the list does not end after 100 pages');
    expect([asked, items.length]).toEqual([100, 100]);
  });

  /** A client of a server whose third page fails, and the number of requested pages. */
  async function failingPages() {
    const client = createClient({ info: TEST_INFO });
    const { raw } = await connectRawServer(client);
    const pages = { requested: 0 };
    raw.responder = ({ id }) => {
      pages.requested += 1;
      return pages.requested < 3
        ? { jsonrpc: '2.0', id, result: { tools: [tool('a')], nextCursor: String(pages.requested) } }
        : { jsonrpc: '2.0', id, error: { code: -32602, message: 'cursor' } };
    };
    return { client, pages };
  }

  test('fetches a page only when it is read', async () => {
    const { client, pages } = await failingPages();
    for await (const { name } of client.listAllTools()) {
      expect(name).toBe('a');
      break;
    }
    expect(pages.requested).toBe(1);
    await client.close();
  });

  test('rejects if a page fails', async () => {
    const { client } = await failingPages();
    const names: string[] = [];
    const error = await rejectionOf(
      (async () => {
        for await (const { name } of client.listAllTools()) names.push(name);
      })(),
    );
    expect(error).toMatchObject({ code: -32602 });
    expect(names).toEqual(['a', 'a']);
    await client.close();
  });
});

describe('an empty cursor in 2026-07-28 (case-114)', () => {
  const lists = [
    ['tools', 'tools/list', 'tools', tool],
    [
      'resources',
      'resources/list',
      'resources',
      (name: string): object => ({ name, uri: `x://${name}`, ttlMs: 0, cacheScope: 'private' }),
    ],
    [
      'resource templates',
      'resources/templates/list',
      'resourceTemplates',
      (name: string): object => ({ name, uriTemplate: `x://${name}/{a}` }),
    ],
    ['prompts', 'prompts/list', 'prompts', (name: string): object => ({ name })],
  ] as const;

  async function namesOf(
    kind: (typeof lists)[number],
    pages: readonly (string | undefined)[],
  ): Promise<{ names: string[]; cursors: unknown[] }> {
    const [, method, member, item] = kind;
    const client = revision20260728.createClient({ info: TEST_INFO, validateResults: false });
    const { raw } = await connectRawServer(client, { tools: {}, resources: {}, prompts: {} }, '2026-07-28');
    const cursors: unknown[] = [];
    raw.responder = ({ id, params, method: asked }) => {
      if (asked !== method) return undefined;
      const page = cursors.push(params?.['cursor']) - 1;
      const nextCursor = pages[page];
      return {
        jsonrpc: '2.0',
        id,
        result: {
          resultType: 'complete',
          [member]: [item(String(page))],
          ...(nextCursor === undefined ? {} : { nextCursor }),
        },
      };
    };
    const lists = {
      'tools/list': () => client.listAllTools(),
      'resources/list': () => client.listAllResources(),
      'resources/templates/list': () => client.listAllResourceTemplates(),
      'prompts/list': () => client.listAllPrompts(),
    };
    const all: AsyncIterable<{ readonly name: string }> = lists[method]();
    const names: string[] = [];
    for await (const { name } of all) names.push(name);
    await client.close();
    return { names, cursors };
  }

  test.each(lists.map((kind) => [kind[0], kind] as const))('is a cursor in the list of %s', async (_, kind) => {
    expect(await namesOf(kind, ['', undefined])).toEqual({ names: ['0', '1'], cursors: [undefined, ''] });
  });

  test('ends the list when it comes again', async () => {
    expect(await namesOf(lists[0], ['', '', ''])).toEqual({ names: ['0', '1'], cursors: [undefined, ''] });
  });
});

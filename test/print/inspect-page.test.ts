/** The text of the page of `mcpgen inspect --html`: policy, escaping, limits. Chromium opens it in test/browser. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pageAssets } from '../../generator/commands/shared/page-assets.js';
import { boundJson } from '../../generator/print/inspect/bounded.js';
import { renderInspectionPage } from '../../generator/print/inspect/html.js';
import { MAX_ENTRIES, pageData, type PageData } from '../../generator/print/inspect/page-data.js';
import type { JsonValue } from '../../generator/read/json/json.js';
import { frameOf, inspected } from '../support/inspection.js';

/** The data that a page embeds. */
function dataOf(page: string): PageData {
  const [, text = ''] = /<script type="application\/json" id="data">([^]*?)<\/script>/.exec(page) ?? [];
  return JSON.parse(text) as PageData;
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('renderInspectionPage', () => {
  const assets = pageAssets('inspect');
  const conversation = { name: 'a.ndjson', entries: inspected([frameOf('client', PING, 0)]) };
  const page = renderInspectionPage({ title: 'a.ndjson', conversations: [conversation] }, assets);

  test('allows its style and script by their hashes, and nothing else', () => {
    const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
    const [, script = ''] = /<script type="module">([^]*?)<\/script>/.exec(page) ?? [];
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `style-src '${hash(style)}'`,
      `script-src '${hash(script)}'`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
  });

  test('has no address, no inline style and no event handler in its markup', () => {
    const markup = page.replace(/<script[^]*?<\/script>|<style>[^]*?<\/style>/g, '');
    expect(markup).not.toMatch(/https?:|\ssrc=|\shref=|\sstyle=|\son\w+=/);
  });

  test('escapes the title and the name of a file', () => {
    const hostile = renderInspectionPage(
      { title: '<b>"t"', conversations: [{ ...conversation, name: '<i>\u202e' }] },
      assets,
    );
    expect(hostile).toContain('<title>&lt;b&gt;&quot;t&quot;</title>');
    expect(hostile).toContain('<h1>&lt;b&gt;&quot;t&quot;</h1>');
    expect(hostile).toContain('&lt;i&gt;\\u202e');
  });

  test.each(['</script><script>alert(1)</script>', '<!--<script>', '\u2028\u2029', '\ud800'])(
    'embeds %j without a change and without markup',
    (text) => {
      const entries = inspected([frameOf('server', { ...PING, method: text })]);
      const hostile = renderInspectionPage({ title: 't', conversations: [{ name: 'n', entries }] }, assets);
      const [entry] = dataOf(hostile).conversations[0]?.entries ?? [];
      expect(entry?.content).toEqual({ kind: 'frame', frame: { ...PING, method: text } });
      expect(hostile.match(/<\/?script/g)).toEqual(['<script', '</script', '<script', '</script']);
      expect(hostile).not.toMatch(/<!--|[\u2028\u2029]/);
    },
  );

  test('keeps a member named __proto__', () => {
    const frame = JSON.parse('{"__proto__": {"polluted": true}, "id": 1}') as JsonValue;
    const hostile = renderInspectionPage(
      { title: 't', conversations: [{ name: 'n', entries: inspected([frameOf('client', frame)]) }] },
      assets,
    );
    expect(hostile).toContain('{"__proto__":{"polluted":true},"id":1}');
  });

  test('counts frames, revisions and findings of all conversations', () => {
    const entries = inspected([
      frameOf('client', PING, 0, [{ severity: 'violation', message: 'a' }]),
      frameOf('server', { jsonrpc: '2.0', id: 1, result: {} }, 1, [
        { severity: 'advice', message: 'b' },
        { severity: 'violation', message: 'c' },
      ]),
    ]);
    const both = renderInspectionPage({ title: 't', conversations: [{ name: 'a', entries }, conversation] }, assets);
    const [, lead = ''] = /<p class="lead">(.*)<\/p>/.exec(both) ?? [];
    expect(lead.replace(/<[^>]*>/g, '')).toBe('2 conversations · MCP 2025-06-18 · 3 frames · 2 violations · 1 advice');
    expect(page).toContain('no findings');
  });
});

describe('pageData', () => {
  test('shows a finding at the entry that it is about', () => {
    const entries = inspected([
      frameOf('client', PING),
      frameOf('server', { jsonrpc: '2.0', id: 1, result: {} }, 1, [
        { severity: 'violation', message: 'of the first', frame: 1, pointer: '/id' },
      ]),
    ]);
    const late = { rule: 'not-json', severity: 'advice', message: 'late', frame: 2, by: 'client' } as const;
    const { conversations } = pageData({
      title: 't',
      conversations: [{ name: 'n', entries, findings: [{ ...late, revision: '2026-07-28' }] }],
    });
    expect(
      conversations[0]?.entries.map(({ findings }) =>
        findings.map(({ message, pointer, url }) => [message, pointer, url]),
      ),
    ).toEqual([
      [['of the first', '/id', 'https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio']],
      [['late', undefined, 'https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio']],
    ]);
    expect(conversations[0]?.counts).toEqual({ violation: 1, deviation: 0, advice: 1 });
  });

  test('never builds an address from a revision that a peer made up', () => {
    const entries = inspected([
      frameOf('client', PING, 0, [{ severity: 'advice', message: 'm', revision: 'x/../../evil?' }]),
    ]);
    const { conversations } = pageData({ title: 't', conversations: [{ name: 'n', entries }] });
    expect(conversations[0]?.entries[0]?.findings[0]?.url).toMatch(
      /^https:\/\/modelcontextprotocol\.io\/specification\/2025-11-25\/basic/,
    );
  });

  test('leaves out what is more than a browser can show, and counts its findings', () => {
    const [entry] = inspected([frameOf('client', PING, 0, [{ severity: 'violation', message: 'm' }])]);
    if (entry === undefined) throw new Error('no entry');
    const entries = Array.from({ length: MAX_ENTRIES + 5 }, (_, index) => ({
      ...entry,
      frame: index + 1,
      findings: entry.findings.map((finding) => ({ ...finding, frame: index + 1 })),
    }));
    const second = { name: 'b', entries: [entry] };
    const { conversations } = pageData({ title: 't', conversations: [{ name: 'a', entries }, second] });
    expect(conversations.map((page) => [page.entries.length, page.leftOut, page.counts.violation])).toEqual([
      [MAX_ENTRIES, 5, MAX_ENTRIES + 5],
      [0, 1, 1],
    ]);
  });

  test('keeps frames with findings longer than others when the page is full', () => {
    const large = Array.from({ length: 400 }, () => 'x'.repeat(3000));
    const entries = inspected(
      Array.from({ length: 25 }, (_, index) =>
        frameOf('client', { ...PING, large }, 0, index < 16 ? [] : [{ severity: 'violation' as const, message: 'm' }]),
      ),
    );
    const { conversations } = pageData({ title: 't', conversations: [{ name: 'a', entries }] });
    const kinds = conversations[0]?.entries.map(({ content, missing }) => [content.kind, missing]);
    const full = 'the frame: this page is full';
    // Each frame has 1.2 MB: 13 fit in 16 MiB, and 7 more in 24 MiB.
    expect(kinds?.filter(([kind]) => kind === 'frame')).toHaveLength(20);
    expect(kinds?.[13]).toEqual(['none', full]);
    expect(kinds?.[16]).toEqual(['frame', undefined]);
    expect(kinds?.[24]).toEqual(['none', full]);
  });

  test('cuts findings, headers, texts and names of an entry', () => {
    const findings = Array.from({ length: 150 }, () => ({ severity: 'advice' as const, message: 'y'.repeat(5000) }));
    const headers = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x-${index}`, 'z'.repeat(9000)]));
    const [first, second] =
      pageData({
        title: 't',
        conversations: [
          {
            name: 'a',
            entries: inspected([
              frameOf('client', { ...PING, method: 'm'.repeat(1000) }, 0, findings),
              {
                entry: {
                  from: 'server',
                  content: { kind: 'text', text: 'q'.repeat(9000) },
                  http: { kind: 'response', exchange: 1, status: 200, headers },
                },
              },
            ]),
          },
        ],
      }).conversations[0]?.entries ?? [];
    expect(first?.findings).toHaveLength(100);
    expect(first?.findings[0]?.message).toHaveLength(1001);
    expect(first?.missing).toBe('50 more findings');
    expect(first?.messages[0]?.method).toHaveLength(201);
    expect(second?.cuts).toEqual([{ pointer: '', missing: '5,000 more characters' }]);
    const http = second?.http;
    if (http?.kind !== 'response') throw new Error('not a response');
    expect(Object.values(http.headers).map((value) => value.length)).toEqual(Array.from({ length: 100 }, () => 4000));
  });
});

describe('boundJson', () => {
  test('returns a small value as it is', () => {
    const value = { a: [1, null, 'x', { b: true }] };
    expect(boundJson(value)).toEqual({ value, cuts: [] });
  });

  test('cuts long strings and lists, and says where', () => {
    const { value, cuts } = boundJson({ 'a/b': 'x'.repeat(5000), list: Array.from({ length: 700 }, () => 0) });
    expect(cuts).toEqual([
      { pointer: '/a~1b', missing: '1,000 more characters' },
      { pointer: '/list', missing: '200 more items' },
    ]);
    expect((value as { list: unknown[] }).list).toHaveLength(500);
  });

  test('cuts what is nested too deeply', () => {
    let deep: JsonValue = 1;
    for (let level = 0; level < 200; level += 1) deep = { a: deep };
    const { cuts } = boundJson(deep);
    expect(cuts).toEqual([{ pointer: '/a'.repeat(64), missing: '1 more member' }]);
  });

  test('keeps at most 5,000 values', () => {
    const wide = Array.from({ length: 400 }, () => Array.from({ length: 400 }, () => 0));
    const { value } = boundJson(wide);
    const kept = (value as number[][]).flat(2).length;
    expect(kept).toBeGreaterThan(4000);
    expect(kept).toBeLessThanOrEqual(5000);
  });
});

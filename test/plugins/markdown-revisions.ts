import { describe, expect, test } from 'vitest';
import { loadProtocol, render } from '../../generator/index.js';
import markdown from '../../generator/plugins/markdown.js';
import { expectEqual, expectSame } from '../support/expect-often.js';
import type { REVISIONS } from '../support/revisions.js';

/** The anchors that GitHub makes of the headings of a page, in their order. */
function anchorsOf(page: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...page.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const text = heading.replaceAll(/\\(.)/g, '$1');
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

/** Tests the references of revisions. */
export function testReferences(revisions: readonly (typeof REVISIONS)[number][]): void {
  describe.each(revisions)('the Markdown reference of $revision', ({ revision }) => {
    test('has a section for each method and definition, and no broken link', async () => {
      const protocol = await loadProtocol({ revision });
      const files = await render(protocol, 'out', { emit: ['types'], plugins: [markdown] });
      const page = files.find(({ path }) => path === `${revision}/reference.md`)?.contents ?? '';
      const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading.replaceAll('\\', ''));
      expect(headings).toEqual([...protocol.methods, ...protocol.definitions].map(({ name }) => name));
      const anchors = anchorsOf(page);
      expect(new Set(anchors).size).toBe(anchors.length);
      const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = '']) => anchor);
      expect(links.length).toBeGreaterThan(200);
      const known = new Set(anchors);
      expect(links.filter((anchor) => !known.has(anchor))).toEqual([]);
      // A link leads to the section of its name.
      const places = [
        `Model Context Protocol ${revision}`,
        'Methods',
        ...protocol.methods.map((method) => method.name),
        'Errors',
        'Definitions',
        ...protocol.definitions.map((definition) => definition.name),
      ];
      const nameOf = new Map(anchors.map((anchor, index) => [anchor, places[index]]));
      for (const [, name = '', anchor = ''] of page.matchAll(/\[`([^`]+)`\]\(#([^)]*)\)/g))
        expectSame(nameOf.get(anchor), name);
    });

    test('has tables of equal width', async () => {
      const files = await render(await loadProtocol({ revision }), 'out', { emit: ['types'], plugins: [markdown] });
      const page = files.find(({ path }) => path.endsWith('.md'))?.contents ?? '';
      const tables = page.split('\n\n').filter((block) => block.startsWith('|'));
      expect(tables.length).toBeGreaterThan(50);
      const columns = (row: string): number => row.replaceAll(/\\\|/g, '').split('|').length;
      for (const rows of tables.map((table) => table.trim().split('\n')))
        expectEqual([rows[0], [...new Set(rows.map(columns))]], [rows[0], [columns(rows[0] ?? '')]]);
    });
  });
}

/** The page of `mcpgen diff --html` in Chromium, under its own policy: search, filters, keyboard, contrast, text as text. */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import type { DiffReport } from '../../generator/print/diff/report.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { mcpgen } from '../support/in-process.js';

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

const HOSTILE = '</script><img src=x onerror="window.hit=1">';

function needsChromium(context: TestContext): void {
  context.skip(EXECUTABLE === undefined, 'there is no Chromium on this machine');
}

describe('in Chromium', () => {
  let browser: Browser | undefined;
  let page = '';
  let hostile = '';
  let report: DiffReport;

  beforeAll(async () => {
    if (EXECUTABLE === undefined) return;
    const folder = temporaryFolder();
    const run = await mcpgen(['diff', '2025-11-25', '2026-07-28', '--html', 'page.html', '--json'], { cwd: folder });
    report = JSON.parse(run.stdout) as DiffReport;
    const schema = (value: string): string =>
      JSON.stringify({
        $defs: {
          [HOSTILE]: {
            type: 'object',
            properties: {
              '*/ window.hit=1 /*': { enum: [value, '</style><style>*{display:none}'] },
              "' onclick='window.hit=1": { type: 'string', default: '<!--' },
            },
          },
          Uses: { type: 'object', properties: { it: { $ref: `#/$defs/${HOSTILE.replaceAll('/', '~1')}` } } },
        },
      });
    writeFileSync(path.join(folder, `a<b>.json`), schema('a'));
    writeFileSync(path.join(folder, 'b.json'), schema('<script>window.hit=1</script>'));
    await mcpgen(['diff', 'a<b>.json', 'b.json', '--html', 'hostile.html'], { cwd: folder });
    [page = '', hostile = ''] = ['page.html', 'hostile.html'].map(
      (name) => pathToFileURL(path.join(folder, name)).href,
    );
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
  });

  afterAll(async () => {
    await browser?.close();
    removeTemporaryFolders();
  });

  /** Opens a page, does something with it, and expects that nothing was reported or requested. */
  async function opened(
    url: string,
    use: (tab: Page) => Promise<void>,
    options: { width?: number; scheme?: 'light' | 'dark'; javaScriptEnabled?: boolean; provoked?: string } = {},
  ): Promise<void> {
    if (browser === undefined) throw new Error('the browser was not started');
    const context = await browser.newContext({
      viewport: { width: options.width ?? 1280, height: 900 },
      colorScheme: options.scheme ?? 'light',
      javaScriptEnabled: options.javaScriptEnabled ?? true,
    });
    const tab = await context.newPage();
    const said: string[] = [];
    tab.on('console', (message) => said.push(message.text()));
    tab.on('pageerror', (error) => said.push(error.message));
    tab.on('request', (request) => {
      if (request.url() !== url) said.push(request.url());
    });
    await tab.goto(url);
    await use(tab);
    expect(said.filter((text) => options.provoked === undefined || !text.includes(options.provoked))).toEqual([]);
    await context.close();
  }

  const visible = (tab: Page): Promise<number> => tab.locator('[data-change]:not([hidden])').count();

  test('filters the changes', async (context) => {
    needsChromium(context);
    await opened(page, async (tab) => {
      expect(await visible(tab)).toBe(report.changes.length);
      expect(await tab.locator('#shown').textContent()).toBe(`${report.changes.length} changes`);
      for (const [name, fits] of [
        ['Breaking', (c: DiffReport['changes'][number]) => c.sender === 'breaking' || c.receiver === 'breaking'],
        ['Senders', (c: DiffReport['changes'][number]) => c.sender === 'breaking'],
        ['Receivers', (c: DiffReport['changes'][number]) => c.receiver === 'breaking'],
        ['Safe', (c: DiffReport['changes'][number]) => c.sender === 'safe' && c.receiver === 'safe'],
      ] as const) {
        await tab.getByRole('button', { name, exact: true }).click();
        expect([name, await visible(tab)]).toEqual([name, report.changes.filter(fits).length]);
      }
      await tab.getByRole('button', { name: 'Client', exact: true }).click();
      const safeClient = report.changes.filter(
        (c) => c.sender === 'safe' && c.receiver === 'safe' && c.sentBy.includes('client'),
      );
      expect(await visible(tab)).toBe(safeClient.length);
      expect(await tab.locator('#shown').textContent()).toBe(
        `${safeClient.length} of ${report.changes.length} changes`,
      );
      await tab.getByRole('button', { name: 'All', exact: true }).click();
      await tab.getByRole('button', { name: 'Either', exact: true }).click();
      await tab.getByRole('searchbox').fill('calltoolresult RESULTTYPE');
      expect(await tab.locator('article:not([hidden]) h3').allTextContents()).toContain('CallToolResult');
      expect(await visible(tab)).toBeLessThan(5);
      await tab.getByRole('searchbox').fill('no such thing');
      expect([await visible(tab), await tab.locator('#empty').isVisible()]).toEqual([0, true]);
    });
  });

  test('shows types side by side', async (context) => {
    needsChromium(context);
    await opened(page, async (tab) => {
      const card = tab.locator('#definition-CallToolResult');
      await card.getByText('Types side by side').click();
      const rows = await card.locator('tr:has(.ins) td').allTextContents();
      expect(rows).toContain('  resultType: string;');
      await card.getByText('A value that breaks senders').first().click();
      expect(await card.locator('pre').first().textContent()).toContain('"content"');
    });
  });

  test('works by the keyboard alone', async (context) => {
    needsChromium(context);
    await opened(page, async (tab) => {
      await tab.keyboard.press('/');
      await tab.keyboard.type('ping');
      expect(await tab.locator('article:not([hidden]) h3').allTextContents()).toContain('ping');
      await tab.keyboard.press('Escape');
      expect(await visible(tab)).toBe(report.changes.length);
      await tab.keyboard.press('Tab');
      await tab.keyboard.press('Tab');
      const focused = await tab.evaluate<string>('document.activeElement.textContent');
      expect(focused).toBe('Breaking');
      const outline = await tab.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
      expect(outline).toBe('solid');
      await tab.keyboard.press('Space');
      expect(await tab.locator('[aria-pressed="true"]').allTextContents()).toEqual(['Breaking', 'Either']);
    });
  });

  test('works without scripts', async (context) => {
    needsChromium(context);
    await opened(
      page,
      async (tab) => {
        expect(await visible(tab)).toBe(report.changes.length);
        expect(await tab.locator('.bar').isVisible()).toBe(false);
      },
      { javaScriptEnabled: false },
    );
  });

  test.for(['light', 'dark'] as const)('%s: every text has a contrast of at least 4.5', async (scheme, context) => {
    needsChromium(context);
    await opened(
      page,
      async (tab) => {
        await tab.evaluate('document.querySelectorAll("details").forEach((item) => { item.open = true; })');
        const poor = await tab.evaluate<unknown[]>(`(() => {
          const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
          const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
          const behind = (node) => {
            for (let at = node; at; at = at.parentElement) {
              const colour = rgb(getComputedStyle(at).backgroundColor);
              if (colour[3] !== 0) return colour;
            }
            return [255, 255, 255];
          };
          const found = new Map();
          for (const node of document.querySelectorAll('body *')) {
            const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim() !== '');
            if (!own || !node.checkVisibility() || node.tagName === 'SCRIPT') continue;
            const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
            const ratio = (a + 0.05) / (b + 0.05);
            if (ratio < 4.5) found.set(node.tagName + '.' + node.className, ratio);
          }
          return [...found];
        })()`);
        expect(poor).toEqual([]);
      },
      { scheme },
    );
  });

  test.for([390, 768, 1280])('%i pixels wide: nothing has to be scrolled sideways', async (width, context) => {
    needsChromium(context);
    await opened(
      page,
      async (tab) => {
        await tab.evaluate('document.querySelectorAll("details").forEach((item) => { item.open = true; })');
        expect(await tab.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      },
      { width },
    );
  });

  test('shows text of a schema as text', async (context) => {
    needsChromium(context);
    await opened(hostile, async (tab) => {
      expect(await tab.locator('h3').allTextContents()).toContain(HOSTILE);
      expect(await tab.title()).toBe('a<b>.json → b.json');
      expect(await tab.locator('img, iframe, body style').count()).toBe(0);
      expect(await tab.locator('script').count()).toBe(1);
      expect(await tab.evaluate('window.hit')).toBeUndefined();
      await tab.getByText('Types side by side').click();
      expect(await tab.locator('.sides').textContent()).toContain('*/ window.hit=1 /*');
    });
  });

  test('the policy blocks injected markup', async (context) => {
    needsChromium(context);
    await opened(
      hostile,
      async (tab) => {
        const stopped = await tab.evaluate<string>(`new Promise((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective));
          document.body.insertAdjacentHTML('beforeend', '<p onclick="window.hit = 2">x</p>');
          document.body.lastElementChild.click();
        })`);
        expect([stopped, await tab.evaluate('window.hit')]).toEqual(['script-src-attr', undefined]);
      },
      { provoked: 'Content Security Policy' },
    );
  });
});

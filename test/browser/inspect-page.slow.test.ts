/** The page of `mcpgen inspect --html` in Chromium, under its own policy: diagram, filters, keyboard, marks, hostile text. */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { pageAssets } from '../../generator/commands/shared/page-assets.js';
import { renderInspectionPage, type InspectedConversation } from '../../generator/print/inspect/html.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';
import { frameOf, inspected, type EntryOf } from '../support/inspection.js';

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

function needsChromium(context: TestContext): void {
  context.skip(EXECUTABLE === undefined, 'there is no Chromium on this machine');
}

const call = (id: number, name: string): Record<string, never> =>
  ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { text: `argument ${id}` } } }) as never;
const result = (id: number): Record<string, never> =>
  ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `answer ${id}` }] } }) as never;

/** A conversation with one of everything that the diagram shows. */
const SMALL: readonly EntryOf[] = [
  frameOf('client', { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, 0),
  frameOf('server', { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-06-18' } }, 12),
  frameOf('client', { jsonrpc: '2.0', method: 'notifications/initialized' }, 13),
  {
    entry: { from: 'server', time: 14, content: { kind: 'text', text: 'Listening\u001b[31m' } },
    findings: [{ severity: 'violation', message: 'a line that is not JSON' }],
  },
  frameOf('client', call(2, 'echo'), 20),
  frameOf('client', call(3, 'slow'), 21),
  frameOf('server', { jsonrpc: '2.0', id: 2, result: { content: 'not a list' } }, 520, [
    { severity: 'violation', message: 'content must be a list', pointer: '/result/content' },
    { severity: 'advice', message: 'structuredContent is missing', pointer: '/result/structuredContent' },
  ]),
  frameOf('client', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } }, 4000),
  frameOf('client', call(4, 'lost'), 4001),
  frameOf('client', { jsonrpc: '2.0', id: 5, method: 'prompts/get', params: { name: 'x' } }, 4002),
  frameOf('server', { jsonrpc: '2.0', id: 5, error: { code: -32602, message: 'no such prompt' } }, 4010, [
    { severity: 'deviation', message: 'data should be an object', pointer: '/error' },
  ]),
  {
    entry: {
      from: 'client',
      time: 4020,
      content: { kind: 'none' },
      http: { kind: 'request', exchange: 7, method: 'GET', path: '/mcp', headers: { accept: 'text/event-stream' } },
    },
  },
  { entry: { from: 'server', time: 4030, content: { kind: 'none' }, end: { code: 3 } } },
];

const FRAMES = 10_000;

/** Calls and results, of which each 500th has a finding. */
function longConversation(): readonly EntryOf[] {
  return Array.from({ length: FRAMES }, (_, index): EntryOf => {
    const id = Math.floor(index / 2);
    if (index % 2 === 0) return frameOf('client', call(id, id % 50 === 0 ? 'rare' : 'common'), index * 3);
    const found =
      id % 250 === 0 ? [{ severity: 'violation' as const, message: `wrong ${id}`, pointer: '/result' }] : [];
    return frameOf('server', result(id), index * 3 + 1, found);
  });
}

const HOSTILE = '</script><img src=x onerror="window.hit=1"><script>window.hit=1</script>';
const HOSTILE_ENTRIES: readonly EntryOf[] = [
  frameOf(
    'client',
    JSON.parse(
      JSON.stringify({
        jsonrpc: '2.0',
        id: HOSTILE,
        method: HOSTILE,
        params: {
          name: '</style><style>*{display:none}</style>',
          '"onclick="window.hit=1': '\u202e\u0000\u001b[31m\u2028',
        },
      }).replace('"params":{', '"params":{"__proto__":{"polluted":1},'),
    ) as never,
    0,
    [{ severity: 'violation', message: HOSTILE, pointer: '/params/"onclick="window.hit=1' }],
  ),
  { entry: { from: 'server', content: { kind: 'text', text: HOSTILE } } },
  {
    entry: {
      from: 'server',
      content: { kind: 'none' },
      http: { kind: 'response', exchange: 1, status: 200, headers: { [HOSTILE]: 'javascript:window.hit=1' } },
    },
  },
];

describe('in Chromium', () => {
  let browser: Browser | undefined;
  const urls = new Map<string, string>();

  beforeAll(async () => {
    if (EXECUTABLE === undefined) return;
    const folder = temporaryFolder();
    const write = (name: string, conversations: readonly InspectedConversation[]): void => {
      const file = path.join(folder, `${name}.html`);
      writeFileSync(file, renderInspectionPage({ title: `${name}.mcp.ndjson`, conversations }, pageAssets('inspect')));
      urls.set(name, pathToFileURL(file).href);
    };
    const header = { version: 1, server: 'node server.js', client: 'visitor', transport: 'stdio' } as const;
    const small = { name: 'small.mcp.ndjson', header, entries: inspected(SMALL) };
    write('small', [small]);
    write('two', [small, { name: 'second', entries: inspected([frameOf('client', call(1, 'echo'))]) }]);
    write('long', [{ name: 'long', header, entries: inspected(longConversation()) }]);
    write('hostile', [{ name: HOSTILE, header: { ...header, server: HOSTILE }, entries: inspected(HOSTILE_ENTRIES) }]);
    write('empty', [{ name: 'empty', entries: [] }]);
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
  });

  afterAll(async () => {
    await browser?.close();
    removeTemporaryFolders();
  });

  /** Opens a page, does something with it, and expects that nothing was reported or requested. */
  async function opened(
    name: string,
    use: (tab: Page) => Promise<void>,
    options: { width?: number; scheme?: 'light' | 'dark'; provoked?: RegExp; hash?: string } = {},
  ): Promise<void> {
    if (browser === undefined) throw new Error('the browser was not started');
    const context = await browser.newContext({
      viewport: { width: options.width ?? 1280, height: 900 },
      colorScheme: options.scheme ?? 'light',
      reducedMotion: 'reduce',
    });
    const tab = await context.newPage();
    const url = urls.get(name) ?? '';
    const reported: string[] = [];
    tab.on('console', (message) => reported.push(message.text()));
    tab.on('pageerror', (error) => reported.push(error.message));
    tab.on('request', (request) => {
      if (request.url().replace(/#.*/, '') !== url) reported.push(request.url());
    });
    await tab.goto(url + (options.hash ?? ''));
    await use(tab);
    expect(reported.filter((text) => options.provoked?.test(text) !== true)).toEqual([]);
    await context.close();
  }

  const labels = (tab: Page): Promise<readonly string[]> => tab.locator('.row .label').allTextContents();
  const shown = (tab: Page): Promise<string | null> => tab.locator('#shown').textContent();
  const selected = (tab: Page): Promise<string | null> => tab.locator('#frames').getAttribute('aria-activedescendant');
  const namesOf = (tab: Page, selector: string, member: 'className' | 'id'): Promise<readonly string[]> =>
    tab.evaluate<readonly string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((node) => node.${member})`,
    );
  const press = async (tab: Page, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await tab.keyboard.press(key);
  };

  test('draws each frame with its direction, method, target, id and outcome', async (context) => {
    needsChromium(context);
    await opened('small', async (tab) => {
      expect(await labels(tab)).toEqual([
        'initialize id 1',
        'result initialize id 1',
        'notifications/initialized',
        'not JSON Listening\\u001b[31m',
        'tools/call echo id 2',
        'tools/call slow id 3',
        'result tools/call id 2',
        'notifications/cancelled',
        'tools/call lost id 4',
        'prompts/get x id 5',
        'error -32602 prompts/get id 5',
        'HTTP GET /mcp',
        'end server exited with code 3',
      ]);
      const tags = await tab.evaluate(`[...document.querySelectorAll('.row')]
        .map((row) => [...row.querySelectorAll('.tag')].map((tag) => tag.textContent))`);
      expect(tags).toEqual([
        [],
        ['12 ms'],
        [],
        ['✕'],
        [],
        ['⊘ cancelled'],
        ['✕', 'i', '500 ms'],
        ['⊘ #6'],
        ['no response'],
        [],
        ['▲', '8 ms'],
        ['GET ·7'],
        [],
      ]);
      expect(await tab.locator('#frame-1.from-client.request, #frame-2.from-server.result').count()).toBe(2);
      expect(await tab.locator('#frame-11').getAttribute('aria-label')).toBe(
        'Frame 11, server to client, error -32602 prompts/get, id 5, 1 deviation',
      );
      expect(await tab.locator('.ends').textContent()).toBe('client: visitorserver: node server.js');
    });
  });

  test('shows from when to when a request was open, and the pair that is selected', async (context) => {
    needsChromium(context);
    await opened('small', async (tab) => {
      const bars = (frame: number): Promise<readonly string[]> => namesOf(tab, `#frame-${frame} .active`, 'className');
      expect(await bars(5)).toEqual(['active server first']);
      expect(await bars(6)).toEqual(['active server', 'active server cancelled first']);
      expect(await bars(7)).toEqual(['active server last', 'active server cancelled']);
      expect(await bars(8)).toEqual(['active server cancelled last']);
      expect(await bars(9)).toEqual(['active server open first last']);
      expect(await bars(11)).toEqual(['active server failed last']);
      await tab.locator('#frame-7').click();
      expect(await namesOf(tab, '.related', 'id')).toEqual(['frame-5']);
      expect(await bars(6)).toEqual(['active server chosen', 'active server cancelled first']);
      await tab.locator('#panel').getByRole('button', { name: 'request #5' }).click();
      expect(await selected(tab)).toBe('frame-5');
      expect(await tab.locator('.pairs').textContent()).toBe('response #7, 500 ms');
    });
  });

  test('filters by kind, method, finding and text', async (context) => {
    needsChromium(context);
    await opened('small', async (tab) => {
      expect(await shown(tab)).toBe('13 frames');
      const chips = tab.locator('#kinds');
      for (const name of [/^Results/, /^Notifications/, /^Other/]) await chips.getByRole('button', { name }).click();
      expect(await shown(tab)).toBe('6 of 13 frames');
      await press(tab, 'c');
      await tab.getByLabel('Method').selectOption('tools/call');
      expect(await labels(tab)).toEqual([
        'tools/call echo id 2',
        'tools/call slow id 3',
        'result tools/call id 2',
        'tools/call lost id 4',
      ]);
      await tab.getByLabel('Findings', { exact: true }).selectOption('advice');
      expect(await labels(tab)).toEqual(['result tools/call id 2']);
      await press(tab, 'c');
      await tab.getByLabel('Findings', { exact: true }).selectOption({ label: 'not-json (3)' });
      expect(await shown(tab)).toBe('3 of 13 frames');
      await press(tab, 'c');
      await tab.getByLabel('Findings', { exact: true }).selectOption({ label: 'Without response (1)' });
      expect(await labels(tab)).toEqual(['tools/call lost id 4']);
      await tab.getByLabel('Findings', { exact: true }).selectOption({ label: 'Cancelled (1)' });
      expect(await labels(tab)).toEqual(['tools/call slow id 3']);
      await press(tab, 'c');
      await tab.getByRole('searchbox').fill('ARGUMENT 3');
      await expect.poll(() => labels(tab)).toEqual(['tools/call slow id 3']);
      await tab.getByRole('searchbox').fill('no such thing');
      await expect.poll(() => tab.locator('#empty').isVisible()).toBe(true);
      expect(await tab.locator('.row').count()).toBe(0);
    });
  });

  test('marks the member that a finding points to, and the object that lacks one', async (context) => {
    needsChromium(context);
    await opened('small', async (tab) => {
      await tab.locator('#frame-7').click();
      const marked = tab.locator('#panel .marked');
      expect(await marked.allTextContents()).toEqual([
        '"result": {i structuredContent is missing',
        '"content": "not a list"✕ content must be a list',
      ]);
      expect(await namesOf(tab, '#panel .marked', 'className')).toEqual([
        'code marked advice',
        'code marked violation',
      ]);
      const finding = tab.locator('#panel .finding').first();
      expect(await finding.getByRole('link').getAttribute('href')).toBe(
        'https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#stdio',
      );
      await finding.getByRole('button', { name: '/result/content' }).click();
      expect(await tab.locator('.flash').textContent()).toContain('"content": "not a list"');
      // A member with several lines is marked as a whole.
      await tab.locator('#frame-11').click();
      expect(await marked.count()).toBe(4);
    });
  });

  test('the overview lists rules, methods and requests without a response', async (context) => {
    needsChromium(context);
    await opened('small', async (tab) => {
      // No column is cut off.
      expect(
        await tab.evaluate(
          '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".table"))',
        ),
      ).toBe(0);
      expect(await tab.locator('.outcome').allTextContents()).toEqual(['#9 ', '#6 ']);
      await tab.locator('.outcome').getByRole('button', { name: '#9' }).click();
      expect(await selected(tab)).toBe('frame-9');
      await press(tab, 'o');
      expect(await tab.locator('.rules li').count()).toBe(1);
      expect(await tab.locator('.methods tbody tr').first().locator('td').allTextContents()).toEqual([
        'tools/call',
        '3',
        '',
        '500 ms',
        '500 ms',
      ]);
      await tab.locator('.rules').getByRole('button', { name: '#11' }).click();
      expect(await selected(tab)).toBe('frame-11');
      await press(tab, 'o');
      await tab.locator('.methods').getByRole('button', { name: 'prompts/get' }).click();
      expect(await shown(tab)).toBe('2 of 13 frames');
    });
  });

  test('the time scale spaces frames by their pauses', async (context) => {
    needsChromium(context);
    await opened('small', async (tab) => {
      const height = async (frame: number): Promise<number> =>
        (await tab.locator(`#frame-${frame}`).boundingBox())?.height ?? 0;
      expect([await height(7), await height(8)]).toEqual([44, 44]);
      await press(tab, 't');
      expect(await tab.locator('#frame-8 .pause').textContent()).toBe('+3.48 s');
      const [short, medium, long] = [await height(3), await height(7), await height(8)];
      expect(short).toBeLessThan(medium);
      expect(medium).toBeLessThan(long);
      expect(await tab.locator('#scale [aria-pressed="true"]').textContent()).toBe('Time');
      await tab.getByRole('button', { name: 'Order' }).click();
      expect(await height(8)).toBe(44);
    });
  });

  test('works by the keyboard alone', async (context) => {
    needsChromium(context);
    await opened('small', async (tab) => {
      await press(tab, 'j', 'j', 'j', 'k');
      expect(await selected(tab)).toBe('frame-2');
      await press(tab, 'n');
      expect(await selected(tab)).toBe('frame-4');
      await press(tab, 'n', 'n', 'n');
      expect(await selected(tab)).toBe('frame-4');
      await press(tab, 'p', 'r');
      expect(await selected(tab)).toBe('frame-10');
      await press(tab, 'r');
      expect(await selected(tab)).toBe('frame-11');
      await press(tab, 'End');
      expect(await selected(tab)).toBe('frame-13');
      await press(tab, 'Home', 'ArrowDown', 'Enter');
      expect(await tab.evaluate('document.activeElement.id')).toBe('panel');
      await press(tab, '/');
      await tab.keyboard.type('lost');
      await press(tab, 'Enter', 'j');
      expect([await selected(tab), await shown(tab)]).toEqual(['frame-9', '1 of 13 frames']);
      await press(tab, '/', 'Escape');
      expect(await shown(tab)).toBe('13 frames');
      await press(tab, 'Tab');
      expect(await tab.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
      await press(tab, '?');
      expect(await tab.getByRole('dialog').isVisible()).toBe(true);
      await press(tab, 'Escape');
      expect(await tab.getByRole('dialog').isVisible()).toBe(false);
      await press(tab, 'd');
      expect(await tab.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    });
  });

  test('the address names the selected frame', async (context) => {
    needsChromium(context);
    await opened(
      'two',
      async (tab) => {
        expect(await selected(tab)).toBe('frame-7');
        await press(tab, ']', 'j');
        expect(await tab.evaluate('location.hash')).toBe('#c2-1');
        expect(await labels(tab)).toEqual(['tools/call echo id 1']);
        await tab.getByLabel('Conversation').selectOption({ index: 0 });
        expect(await shown(tab)).toBe('13 frames');
      },
      { hash: '#7' },
    );
  });

  test('10,000 frames: the page keeps few elements, and scrolls and filters quickly', async (context) => {
    needsChromium(context);
    await opened('long', async (tab) => {
      expect(await shown(tab)).toBe('10,000 frames');
      const elements = (): Promise<number> => tab.evaluate<number>('document.querySelectorAll("*").length');
      expect(await elements()).toBeLessThan(1500);
      await press(tab, 'End');
      expect(await selected(tab)).toBe('frame-10000');
      expect(await tab.locator('#frame-10000').isVisible()).toBe(true);
      expect(await elements()).toBeLessThan(1500);
      const slowest = await tab.evaluate<number>(`(async () => {
        const frames = document.querySelector('#frames');
        let slowest = 0;
        for (let at = 0; at < 60; at += 1) {
          const before = performance.now();
          frames.scrollTop = at * 7000;
          await new Promise(requestAnimationFrame);
          await new Promise((resolve) => setTimeout(resolve));
          slowest = Math.max(slowest, performance.now() - before);
        }
        return slowest;
      })()`);
      expect(slowest).toBeLessThan(500);
      const before = Date.now();
      await tab.getByRole('searchbox').fill('rare');
      await expect.poll(() => shown(tab)).toBe('100 of 10,000 frames');
      expect(Date.now() - before).toBeLessThan(3000);
      await press(tab, 'Escape', 'Escape', 'n', 'n');
      expect(await selected(tab)).toBe('frame-502');
      // One mark for each finding that is not next to another one.
      expect(await tab.locator('#ruler span').count()).toBe(20);
    });
  });

  test.for(['light', 'dark'] as const)('%s: every text has a contrast of at least 4.5', async (scheme, context) => {
    needsChromium(context);
    await opened(
      'small',
      async (tab) => {
        for (const keys of [[], ['n'], ['n'], ['n'], ['Escape', 'j', '?']]) {
          await press(tab, ...keys);
          expect(await tab.evaluate(POOR_CONTRAST)).toEqual([]);
        }
      },
      { scheme },
    );
  });

  test('dark mode follows the system and the button', async (context) => {
    needsChromium(context);
    const background = (tab: Page): Promise<string> =>
      tab.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await opened(
      'small',
      async (tab) => {
        expect(await background(tab)).toBe('rgb(18, 22, 28)');
        await tab.getByRole('button', { name: 'Dark or light' }).click();
        expect(await background(tab)).toBe('rgb(244, 246, 249)');
        await tab.reload();
        expect(await background(tab)).toBe('rgb(244, 246, 249)');
      },
      { scheme: 'dark' },
    );
  });

  test.for([390, 768, 1280])('%i pixels wide: nothing has to be scrolled sideways', async (width, context) => {
    needsChromium(context);
    for (const name of ['small', 'two', 'hostile', 'long']) {
      await opened(
        name,
        async (tab) => {
          for (const keys of [[], ['n'], ['t']]) {
            await press(tab, ...keys);
            const wide = await tab.evaluate(`['html', '#frames', '#panel', '.bar', '.top']
              .filter((name) => document.querySelector(name).scrollWidth > document.querySelector(name).clientWidth)`);
            expect([name, wide]).toEqual([name, []]);
          }
        },
        { width },
      );
    }
  });

  test('on a phone, a frame opens as a sheet below the diagram', async (context) => {
    needsChromium(context);
    await opened(
      'small',
      async (tab) => {
        expect(await tab.locator('#panel').isVisible()).toBe(false);
        expect(await tab.locator('#filter-group').isVisible()).toBe(false);
        await tab.locator('#frame-11').click();
        const sheet = await tab.locator('#panel').boundingBox();
        const row = await tab.locator('#frame-11').boundingBox();
        if (sheet === null || row === null) throw new Error('not visible');
        expect(row.y + row.height).toBeLessThanOrEqual(sheet.y + 1);
        await tab.locator('#panel').getByRole('button', { name: 'Close' }).click();
        expect(await tab.locator('#panel').isVisible()).toBe(false);
        await tab.getByRole('button', { name: 'Filters' }).click();
        await tab
          .locator('#kinds')
          .getByRole('button', { name: /^Requests/ })
          .click();
        expect(await shown(tab)).toBe('8 of 13 frames');
      },
      { width: 390 },
    );
  });

  test('shows text of a peer as text', async (context) => {
    needsChromium(context);
    await opened('hostile', async (tab) => {
      await tab.locator('#frame-1').click();
      expect(await tab.locator('.panel-head').textContent()).toContain('Frame 1');
      const json = await tab.locator('#panel .json').textContent();
      expect(json).toContain(JSON.stringify(HOSTILE));
      expect(json).toContain('"__proto__": {');
      expect(json).toContain('\\u202e\\u0000\\u001b[31m\\u2028');
      expect(await tab.locator('#panel .marked').textContent()).toContain('onclick=');
      for (const key of ['j', 'j', 'o']) await press(tab, key);
      expect(await tab.locator('img, iframe, object, body style').count()).toBe(0);
      expect(await tab.locator('script').count()).toBe(2);
      expect(await tab.locator('[onclick], [onerror]').count()).toBe(0);
      expect(await tab.locator('a[href^="javascript"]').count()).toBe(0);
      expect(await tab.evaluate('[window.hit, {}.polluted]')).toEqual([undefined, undefined]);
      const raw = await tab.evaluate<string>('document.body.innerText');
      expect(['\u202e', '\u001b'].filter((character) => raw.includes(character))).toEqual([]);
    });
  });

  test('the policy blocks injected markup and requests', async (context) => {
    needsChromium(context);
    await opened(
      'hostile',
      async (tab) => {
        const stopped = await tab.evaluate(`new Promise((resolve) => {
          const found = new Set();
          document.addEventListener('securitypolicyviolation', (event) => {
            found.add(event.effectiveDirective);
            if (found.size === 3) resolve([...found].sort());
          });
          document.body.insertAdjacentHTML('beforeend', '<p onclick="window.hit = 2">x</p><img src="x.png">');
          document.body.lastElementChild.previousElementSibling.click();
          fetch('x.json').catch(() => undefined);
        })`);
        expect(stopped).toEqual(['connect-src', 'img-src', 'script-src-attr']);
        expect(await tab.evaluate('window.hit')).toBeUndefined();
      },
      { provoked: /Content Security Policy|x\.png$/ },
    );
  });

  test('opens without frames', async (context) => {
    needsChromium(context);
    await opened('empty', async (tab) => {
      await press(tab, 'j', 'n', 'r', 't', 'Enter');
      expect([await shown(tab), await tab.locator('#empty').innerText()]).toEqual([
        '0 frames',
        'This conversation has no frames.',
      ]);
    });
  });
});

/** Elements with text whose contrast is below 4.5. */
const POOR_CONTRAST = `(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      // The background of a row is before its content.
      for (const part of at.classList.contains('row') ? [getComputedStyle(at, '::before'), getComputedStyle(at)] : [getComputedStyle(at)]) {
        const found = rgb(part.backgroundColor);
        if (found[3] !== 0) return found;
      }
    }
    return [255, 255, 255];
  };
  const found = new Map();
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim() !== '');
    if (!own || !node.checkVisibility() || node.tagName === 'SCRIPT' || node.tagName === 'OPTION') continue;
    const [a, b] = [light(rgb(getComputedStyle(node).color)), light(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.set(node.tagName + '.' + node.className, ratio);
  }
  return [...found];
})()`;

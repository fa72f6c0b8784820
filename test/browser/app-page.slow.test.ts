/**
 * Pages of MCP Apps in Chromium: the page of a scaffolded server in a host on the official classes, and a page on the
 * official class in a host on the generated code.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { build } from 'esbuild';
import { chromium, type Browser, type BrowserContextOptions, type Frame, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest';
import { runStep } from '../scaffold/support.js';
import { mcpgen } from '../support/in-process.js';

const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const root = path.resolve(import.meta.dirname, '../..');
const sources = path.join(import.meta.dirname, 'apps');

/** What a host has to forbid if a page requests nothing (MCP Apps 2026-01-26, host behavior). */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "media-src 'self' data:; connect-src 'none'; frame-src 'self'";

function needsChromium(context: TestContext): void {
  context.skip(EXECUTABLE === undefined, 'there is no Chromium on this machine');
}

let folder: string;
let project: string;
let program: ChildProcess | undefined;
let browser: Browser | undefined;
const servers: Server[] = [];

beforeAll(async () => {
  if (EXECUTABLE === undefined) return;
  // Below the repository, so that packages are found.
  folder = mkdtempSync(path.join(root, 'node_modules/.app-page-'));
  project = path.join(folder, 'demo');
  mkdirSync(project);
  const options = '--features app --transport http --revision 2025-11-25 --no-install --no-git --mcpgen 1.0.0';
  const { code, stderr } = await mcpgen(['init', 'server', 'demo', '--yes', ...options.split(' ')], { cwd: folder });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(await runStep(process.execPath, ['build-pages.js'], project)).toMatchObject({ code: 0 });
  browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  program?.kill();
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Bundles a program for the browser; `generated` is the generated code of the project. */
async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(sources, name)],
    alias: { generated: path.join(project, 'src/generated') },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

/** Starts the program of the project. Returns its URL. */
async function startProgram(): Promise<URL> {
  const child = spawn(path.join(root, 'node_modules/.bin/tsx'), ['src/http.ts'], {
    cwd: project,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  program = child;
  let output = '';
  for await (const chunk of child.stderr as AsyncIterable<Buffer>) {
    output += chunk.toString();
    const url = /ready at (\S+)/.exec(output)?.[1];
    if (url !== undefined) return new URL(url);
  }
  throw new Error(output);
}

/** Serves files by path, and passes requests for `/mcp` on. Returns the origin. */
async function serve(files: Readonly<Record<string, string>>, mcp?: URL, policy?: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const name = new URL(incoming.url ?? '', 'http://localhost').pathname;
    if (name === '/mcp' && mcp !== undefined) {
      // The page and the server have one origin, as behind the proxy of a host.
      const { origin: _, host: __, ...headers } = incoming.headers;
      const forwarded = request(mcp, { method: incoming.method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      outgoing.on('close', () => forwarded.destroy());
      incoming.pipe(forwarded);
      return;
    }
    const found = files[name];
    const type = name.endsWith('.js') ? 'text/javascript' : 'text/html';
    outgoing.writeHead(found === undefined ? 404 : 200, {
      'content-type': `${type}; charset=utf-8`,
      ...(policy === undefined ? {} : { 'content-security-policy': policy }),
    });
    outgoing.end(found ?? '');
  });
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HOST_PAGE = '<!doctype html><body style="margin: 0"><script type="module" src="/host.js"></script></body>';

async function newTab(options: BrowserContextOptions = {}): Promise<Page> {
  if (browser === undefined) throw new Error('the browser was not started');
  return browser.newPage(options);
}

/** What pages and browsers report. */
function watched(tab: Page): string[] {
  const reported: string[] = [];
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) reported.push(message.text());
  });
  tab.on('pageerror', (error) => reported.push(error.message));
  return reported;
}

/** The innermost frame of a page, in which a view runs. */
async function viewOf(tab: Page): Promise<Frame> {
  const frame = tab.frames().at(-1);
  if (frame === undefined) throw new Error('there is no frame');
  await frame.waitForLoadState();
  return frame;
}

const textOf = async (frame: Frame): Promise<string | null> => frame.locator('#status').textContent();
const dark = { theme: 'dark', styles: { variables: { '--color-text-primary': 'rgb(250, 250, 250)' } } };

test('the page of a scaffolded server works in a host on the official classes', async (context) => {
  needsChromium(context);
  const [script, url] = await Promise.all([bundle('basic-host.mjs'), startProgram()]);
  const host = await serve({ '/': HOST_PAGE, '/favicon.ico': '', '/host.js': script }, url);
  const sandbox = await serve(
    { '/sandbox.html': readFileSync(path.join(sources, 'sandbox.html'), 'utf8') },
    undefined,
    POLICY,
  );
  const tab = await newTab({ viewport: { width: 1280, height: 800 } });
  const reported = watched(tab);
  await tab.goto(host);
  await tab.waitForFunction('window.basicHost');
  expect(await tab.evaluate('basicHost.declared.extensions')).toEqual({ 'io.modelcontextprotocol/ui': {} });
  await tab.evaluate(`basicHost.open('roll', { count: 3 }, '${sandbox}/sandbox.html', { theme: 'light' })`);
  const frame = await viewOf(tab);

  // Input and result: the text is that of the result, with three dice.
  const first = await tab.evaluate<string>('basicHost.result.content[0].text');
  await expect.poll(() => textOf(frame)).toBe(first);
  expect(await frame.locator('#dice li').count()).toBe(3);
  expect(first).toContain((await frame.locator('#dice li').allTextContents()).join(', '));

  // A call through the host, with the same input; the model learns of it.
  await frame.locator('#again').click();
  await expect.poll(() => tab.evaluate('basicHost.log.filter(({ context }) => context).length')).toBe(1);
  const second = await tab.evaluate<string>('basicHost.log.find(({ context }) => context).context[0].text');
  expect(second).toMatch(/^Rolled \d+, \d+, \d+: \d+ in total\.$/);
  expect(await textOf(frame)).toBe(second);

  // The frame has the size that the page reports, so nothing has to scroll.
  const heights = async (): Promise<readonly boolean[]> => [
    await frame.evaluate<boolean>('document.documentElement.scrollHeight <= innerHeight'),
    (await tab.evaluate<number>('basicHost.log.filter(({ size }) => size).at(-1).size.height')) > 40,
  ];
  await expect.poll(heights).toEqual([true, true]);
  const before = await tab.evaluate<number>('basicHost.frame.clientHeight');
  await tab.setViewportSize({ width: 390, height: 800 });
  await expect.poll(() => tab.evaluate<number>('basicHost.frame.clientHeight')).toBeGreaterThan(before);
  await expect.poll(heights).toEqual([true, true]);
  expect(await frame.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

  // Changes of the theme.
  const colors = async (): Promise<unknown> =>
    frame.evaluate('[document.documentElement.dataset.theme, getComputedStyle(document.body).color]');
  expect(await colors()).toEqual(['light', 'rgb(26, 26, 26)']);
  await screenshot(tab, 'light-phone');
  await tab.evaluate(`basicHost.bridge.setHostContext(${JSON.stringify(dark)})`);
  await expect.poll(colors).toEqual(['dark', 'rgb(250, 250, 250)']);
  await screenshot(tab, 'dark-phone');
  await tab.setViewportSize({ width: 1280, height: 800 });
  await screenshot(tab, 'dark-desktop');

  // After the end, the page reports no sizes.
  expect(await tab.evaluate('basicHost.bridge.teardownResource({})')).toEqual({});
  const sizes = await tab.evaluate<number>('basicHost.log.filter(({ size }) => size).length');
  await tab.setViewportSize({ width: 390, height: 800 });
  await frame.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  expect(await tab.evaluate('basicHost.log.filter(({ size }) => size).length')).toBe(sizes);
  expect(await tab.evaluate('basicHost.log.filter(({ error }) => error)')).toEqual([]);
  expect(reported).toEqual([]);
  await tab.close();
}, 60_000);

test('opened without a host, the page says so', async (context) => {
  needsChromium(context);
  const html = readFileSync(path.join(project, 'dist/pages/roll.html'), 'utf8');
  const tab = await newTab();
  const reported = watched(tab);
  await tab.goto(await serve({ '/': html, '/favicon.ico': '' }));
  await expect.poll(() => textOf(tab.mainFrame())).toContain('This page has no host: ');
  expect(reported).toEqual([]);
  await tab.close();
});

test('a page on the official class works in a host on the generated code, which survives hostile messages', async (context) => {
  needsChromium(context);
  const [script, view] = await Promise.all([bundle('own-host.mjs'), bundle('official-view.mjs')]);
  const tab = await newTab();
  const reported = watched(tab);
  await tab.goto(await serve({ '/': HOST_PAGE, '/favicon.ico': '', '/host.js': script }));
  await tab.waitForFunction('window.ownHost');
  const html = `<!doctype html><body><script type="module">${view.replaceAll('</script', '<\\/script')}</script></body>`;
  await tab.evaluate(`ownHost.open(${JSON.stringify(html)})`);
  const frame = await viewOf(tab);
  const lines = async (): Promise<readonly string[]> => frame.locator('p').allTextContents();
  await expect.poll(lines).toContain('called echo there');
  expect([...(await lines())].sort()).toEqual([
    'called echo there',
    'host own-host dark',
    'input hello',
    'result shown',
  ]);
  // Messages of another window are not those of the view.
  await tab.evaluate(
    `window.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params: { height: -1 } })`,
  );
  await tab.evaluate(`ownHost.view.notify('ui/notifications/host-context-changed', { theme: 'light' })`);
  await expect.poll(lines).toContain('theme light');
  expect(await tab.evaluate('ownHost.view.resourceTeardown({})')).toEqual({});
  const log = await tab.evaluate<readonly Record<string, unknown>[]>('ownHost.log');
  expect(log.flatMap(({ tooEarly }) => tooEarly ?? [])).toEqual([
    'ui/notifications/tool-input before the view has sent ui/notifications/initialized: await `ready` first',
  ]);
  expect(log.flatMap(({ event, code }) => (event === undefined ? [] : [code ?? event]))).toEqual([
    'too-deep',
    'too-large',
    'too-deep',
    'not-json',
    'too-large',
    'not-json',
    'not-json',
  ]);
  expect(log.filter(({ initialize }) => initialize !== undefined)).toEqual([{ initialize: 'official-view' }]);
  expect(log.filter(({ height }) => height === false)).toEqual([]);
  expect(reported).toEqual([]);
  await tab.close();
}, 60_000);

/** Keeps a picture, to look at, if `MCPGEN_SCREENSHOTS` names a folder. */
async function screenshot(tab: Page, name: string): Promise<void> {
  const target = process.env['MCPGEN_SCREENSHOTS'];
  if (target !== undefined) await tab.screenshot({ path: path.join(target, `${name}.png`) });
}

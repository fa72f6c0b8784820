/** The validators in Chromium, under a Content Security Policy that forbids code made from strings. */
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest';
import { loadProtocol } from '../../generator/index.js';
import { exampleMessage, exampleOf } from '../../generator/model/types/example.js';
import type { Validator } from '../../templates/runtime/validation.js';
import { correctedDefinitions } from '../support/oracle.js';
import { REVISIONS } from '../support/revisions.js';
import { mutated } from '../support/schema-arbitrary.js';
import { officialExamples } from '../support/reference-material.js';
import { validatorsOf } from '../support/validators.js';

const POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";
const EXECUTABLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const ARGUMENTS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const CHANGED = 4;

/** A value, and the name of the function that it is given to. */
interface Sample {
  readonly revision: string;
  readonly validator: string;
  readonly value: unknown;
}

interface Report {
  readonly eval: string;
  readonly Function: string;
  readonly outcomes: readonly unknown[];
}

/** What the page runs: it fetches the samples, validates them, and sends back what came out. */
function pageScript(): string {
  const file = (revision: string): string =>
    JSON.stringify(path.resolve(import.meta.dirname, '../../generated', revision, 'index.ts'));
  return `${REVISIONS.map(({ revision }, index) => `import * as r${index} from ${file(revision)};`).join('\n')}
const modules = { ${REVISIONS.map(({ revision }, index) => `${JSON.stringify(revision)}: r${index}`).join(', ')} };
const attempt = (action) => { try { return 'gave ' + action(); } catch (error) { return error.name; } };
const samples = await (await fetch('/samples')).json();
const outcomes = samples.map(({ revision, validator, value }) => {
  const outcome = modules[revision][validator](value);
  return outcome.success ? { same: outcome.value === value } : outcome.failure;
});
const report = { eval: attempt(() => (0, eval)('1')), Function: attempt(() => new Function('return 1')()), outcomes };
await fetch('/report', { method: 'POST', body: JSON.stringify(report) });
`;
}

async function samplesOf(revision: string): Promise<readonly Sample[]> {
  const protocol = await loadProtocol({ revision });
  const definitions = correctedDefinitions(revision);
  const module = await validatorsOf(revision);
  const nameOf = (definition: string): string => {
    const marked = `validate${definition}Definition`;
    return marked in module ? marked : `validate${definition}`;
  };
  const values = [
    ...protocol.methods.map((method) => [method.message, exampleMessage(protocol, method)] as const),
    ...protocol.definitions.map(({ name, type }) => [name, exampleOf(protocol, type, name)] as const),
    ...Object.keys(definitions).flatMap((name) =>
      fc.sample(mutated(definitions, name), { numRuns: CHANGED, seed: 4 }).map(({ value }) => [name, value] as const),
    ),
    ...(revision === '2026-07-28' ? officialExamples() : []).map(
      ({ definition, value }) => [definition, value] as const,
    ),
  ];
  // As they are after the way through JSON, which has no -0.
  return values.map(([definition, value]) => ({
    revision,
    validator: nameOf(definition),
    value: JSON.parse(JSON.stringify(value)) as unknown,
  }));
}

/** Skips the running test, with the reason, where there is no Chromium. */
function needsChromium(context: TestContext): void {
  context.skip(EXECUTABLE === undefined, 'there is no Chromium on this machine');
}

describe('in Chromium', () => {
  let browser: Browser | undefined;
  let server: Server;
  let samples: readonly Sample[];
  let received: (report: Report) => void = () => undefined;

  beforeAll(async () => {
    if (EXECUTABLE === undefined) return;
    samples = (await Promise.all(REVISIONS.map(({ revision }) => samplesOf(revision)))).flat();
    const { outputFiles } = await build({
      stdin: { contents: pageScript(), resolveDir: import.meta.dirname, loader: 'js' },
      bundle: true,
      write: false,
      format: 'esm',
      target: 'es2022',
      minify: true,
    });
    const script = outputFiles[0]?.text ?? '';
    server = createServer((request, response) => {
      const send = (type: string, body: string): void => {
        response.setHeader('content-type', type);
        response.end(body);
      };
      if (request.url !== '/without') response.setHeader('content-security-policy', POLICY);
      if (request.url === '/script.js') send('text/javascript', script);
      else if (request.url === '/samples') send('application/json', JSON.stringify(samples));
      else if (request.url === '/report') {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          send('text/plain', '');
          received(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Report);
        });
      } else send('text/html', '<!doctype html><script type="module" src="/script.js"></script>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
  });

  afterAll(async () => {
    if (browser === undefined) return;
    await browser.close();
    server.close();
  });

  /** Opens a page and waits for its report. */
  async function reportOf(place: string): Promise<Report> {
    if (browser === undefined) throw new Error('the browser was not started');
    const page = await browser.newPage();
    const report = new Promise<Report>((resolve, reject) => {
      received = resolve;
      page.on('pageerror', reject);
    });
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${place}`);
    return report.finally(() => page.close());
  }

  test('validators return the same as in Node', async (context) => {
    needsChromium(context);
    const { outcomes, ...forbidden } = await reportOf('/');
    // The policy is in force.
    expect(forbidden).toEqual({ eval: 'EvalError', Function: 'EvalError' });
    const differences: unknown[] = [];
    let wrong = 0;
    const modules = new Map<string, Record<string, Validator<unknown>>>();
    for (const { revision } of REVISIONS) modules.set(revision, (await validatorsOf(revision)) as never);
    for (const [index, { revision, validator, value }] of samples.entries()) {
      const outcome = modules.get(revision)?.[validator]?.(value);
      const expected = outcome?.success === true ? { same: outcome.value === value } : outcome?.failure;
      if (outcome?.success === false) wrong += 1;
      if (!isDeepStrictEqual(outcomes[index], expected))
        differences.push([validator, value, outcomes[index], expected]);
    }
    expect(differences).toEqual([]);
    expect(outcomes).toHaveLength(samples.length);
    expect(samples.length).toBeGreaterThan(553 * (1 + CHANGED));
    expect(wrong).toBeGreaterThan(samples.length / 6);
  });

  test('the policy is what forbids eval', async (context) => {
    needsChromium(context);
    const { outcomes, ...allowed } = await reportOf('/without');
    expect(allowed).toEqual({ eval: 'gave 1', Function: 'gave 1' });
    expect(outcomes).toHaveLength(samples.length);
  });
});

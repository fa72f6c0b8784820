import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { askUser, type Terminal } from '../../generator/commands/servers/ask.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const [ENTER, DOWN, CTRL_C] = ['\r', '\u001b[B', '\u0003'];

/** A terminal whose user answers each prompt as soon as it is shown, and what it shows. */
function terminalWith(...answers: readonly string[]): Terminal & { readonly shown: () => string } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let all = '';
  let seen = '';
  const left = [...answers];
  output.on('data', (chunk) => {
    all += String(chunk);
    seen += stripVTControlCharacters(String(chunk));
    const answer = left[0];
    // A prompt has a question mark in front while it waits.
    if (answer === undefined || !/^\? /m.test(seen)) return;
    left.shift();
    seen = '';
    setTimeout(() => input.write(answer), 20);
  });
  return {
    input: Object.assign(input, { isTTY: true, setRawMode: () => undefined }),
    output: Object.assign(output, { isTTY: true, columns: 120 }),
    shown: () => stripVTControlCharacters(all),
  };
}

function stderrText(): () => string {
  let text = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return () => text;
}

const form = (properties: object, required: readonly string[] = []): object => ({
  message: 'Details, please',
  requestedSchema: { type: 'object', properties, required },
});

describe('the user answers a form with', () => {
  test.each<[string, object, readonly string[], unknown]>([
    ['text', { type: 'string' }, [`Ada${ENTER}`], 'Ada'],
    ['text with a default', { type: 'string', default: 'Bob' }, [ENTER], 'Bob'],
    ['an integer', { type: 'integer' }, [`7${ENTER}`], 7],
    ['a boolean', { type: 'boolean' }, [`yes${ENTER}`], true],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, [DOWN + ENTER], 'b'],
    ['a titled choice', { type: 'string', oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] }, [ENTER], 'a'],
    ['a choice with a default', { type: 'string', enum: ['a', 'b'], default: 'b' }, [ENTER], 'b'],
    ['choices', { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, [` ${DOWN} ${ENTER}`], ['a', 'b']],
    [
      'titled choices',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'First' }, { const: 'b' }] }, default: ['b'] },
      [ENTER],
      ['b'],
    ],
    ['a list', { type: 'array', items: { type: 'string' } }, [`a, b${ENTER}`], ['a', 'b']],
  ])('%s', async (_name, field, answers, value) => {
    stderrText();
    const terminal = terminalWith(...answers);
    expect(await askUser(form({ field }, ['field']), terminal)).toEqual({
      action: 'accept',
      content: { field: value },
    });
  });

  test('an answer that the schema does not allow has to be corrected', async () => {
    stderrText();
    const terminal = terminalWith(`abc${ENTER}`, `\u0015-1${ENTER}`, `\u00155${ENTER}`);
    const schema = form({ n: { type: 'integer', minimum: 1, title: 'How many' } }, ['n']);
    expect(await askUser(schema, terminal)).toEqual({ action: 'accept', content: { n: 5 } });
    expect(terminal.shown()).toContain('How many, integer');
    expect(terminal.shown()).toMatch(/must be integer/);
  });

  test('an optional field may be empty, a required one not', async () => {
    stderrText();
    const schema = { a: { type: 'string' } };
    expect(await askUser(form(schema), terminalWith(ENTER))).toEqual({ action: 'accept', content: {} });
    const terminal = terminalWith(ENTER, `Ada${ENTER}`);
    expect(await askUser(form(schema, ['a']), terminal)).toEqual({ action: 'accept', content: { a: 'Ada' } });
    expect(terminal.shown()).toContain('an answer is required');
  });

  test('Ctrl+C cancels', async () => {
    stderrText();
    expect(await askUser(form({ a: { type: 'string' } }), terminalWith(CTRL_C))).toEqual({ action: 'cancel' });
  });

  test('nothing that the server sends controls the terminal', async () => {
    const text = stderrText();
    const evil = '\u001b]0;owned\u0007';
    const terminal = terminalWith(ENTER);
    await askUser({ ...form({ [`a${evil}`]: { type: 'string', title: `t${evil}` } }), message: evil }, terminal);
    expect(text() + terminal.shown()).not.toContain('\u0007');
  });
});

describe('a visit to a page', () => {
  test('is accepted or declined by the user', async () => {
    const text = stderrText();
    const request = { mode: 'url', message: 'Log in', url: 'https://example.com/login?x=1' };
    expect(await askUser(request, terminalWith(ENTER))).toEqual({ action: 'accept' });
    expect(await askUser(request, terminalWith(DOWN + ENTER))).toEqual({ action: 'decline' });
    expect(text()).toContain('https://example.com/login?x=1');
  });

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 5])('%s is declined', async (url) => {
    stderrText();
    expect(await askUser({ mode: 'url', url }, terminalWith())).toEqual({ action: 'decline' });
  });
});

test('outside a terminal, everything is declined', async () => {
  const text = stderrText();
  const [input, output] = [new PassThrough(), new PassThrough()];
  expect(await askUser(form({ a: { type: 'string' } }), { input, output })).toEqual({ action: 'decline' });
  expect(text()).toBe('the server asks: Details, please (declined: not running in a terminal)\n');
});

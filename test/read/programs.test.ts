/** Programs of users, and regular expressions of schemas: what runs here and is not ours. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createPatternCheck, isPlain } from '../../generator/read/patterns.js';
import {
  loadProgram,
  PROGRAM_EXTENSIONS,
  programError,
  runForeign,
  thrownReason,
} from '../../generator/read/program.js';
import { removeTemporaryFolders, temporaryFolder } from '../support/cli.js';

afterAll(removeTemporaryFolders);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const never = async (): Promise<unknown> => new Promise(() => undefined);

describe('a program', () => {
  const exported = async (name: string, text: string, modules?: Readonly<Record<string, object>>): Promise<unknown> => {
    const file = path.join(temporaryFolder(), name);
    writeFileSync(file, text);
    const options = { failure: 'it fails', ...(modules === undefined ? {} : { modules }) };
    return (await loadProgram(file, options)).exported;
  };

  test.each<[string, string, unknown]>([
    ['a.mjs', 'export default 1;', 1],
    ['a.mjs', 'export default undefined;', undefined],
    ['a.mjs', 'export const a = 1;', undefined],
    ['a.mjs', '', undefined],
    ['a.cjs', 'module.exports = { a: 1 };', { a: 1 }],
    ['a.ts', 'enum A { b = 3 }\nexport default A.b;', 3],
    ['a.mts', 'export default { a: 1 };', { a: 1 }],
    ['a.cts', 'const a: number = 1;\nexport = { a };', { a: 1 }],
  ])('%s with %j exports %j', async (name, text, expected) => {
    expect(await exported(name, text)).toEqual(expected);
  });

  test('may export a function, or a promise that is not awaited', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a.cjs'), 'module.exports = function named() {};');
    writeFileSync(path.join(folder, 'b.mjs'), 'export default Promise.resolve(1);');
    expect((await loadProgram(path.join(folder, 'a.cjs'), { failure: '' })).exported).toHaveProperty('name', 'named');
    expect((await loadProgram(path.join(folder, 'b.mjs'), { failure: '' })).exported).toBeInstanceOf(Promise);
  });

  test.each([
    ['a.ts', 'export default { value: VALUE };'],
    ['a.mjs', 'export default { value: VALUE };'],
    ['a.cjs', 'module.exports = { value: VALUE };'],
    ['a.js', 'export default { value: VALUE };'],
    ['module/a.js', 'export default { value: VALUE };'],
  ])('%s is read again each time', async (name, text) => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, 'module'));
    writeFileSync(path.join(folder, 'module/package.json'), '{ "type": "module" }');
    for (const value of [1, 2, 3]) {
      writeFileSync(path.join(folder, name), text.replace('VALUE', String(value)));
      expect(await loadProgram(path.join(folder, name), { failure: '' })).toEqual({ exported: { value } });
    }
  });

  test('gets the modules of this process by their names', async () => {
    const own = { value: Symbol('own') };
    const text = 'import { value } from "virtual-own";\nexport default value;';
    expect(await exported('a.mjs', text, { 'virtual-own': own })).toBe(own.value);
  });

  test('has one of these extensions', () => {
    expect(PROGRAM_EXTENSIONS).toEqual(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);
  });
});

describe('the error of a program', () => {
  const file = path.resolve('folder/a.js');
  const at = (stack: string | undefined): Error => Object.assign(new Error('first\nsecond'), { stack });

  test.each<[string, unknown, string]>([
    [
      'a stack with the file',
      at(`Error: x\n  at y (${file}:3:7)\n  at z (${file}:9:1)`),
      `${file}:3:7: it fails: first`,
    ],
    ['a stack with a line only', at(`${file}:3`), `${file}: it fails: first`],
    ['a stack without the file', at('Error: x\n  at y (other.js:3:7)'), `${file}: it fails: first`],
    ['no stack', at(undefined), `${file}: it fails: first`],
    ['a number', 7, `${file}: it fails: 7`],
    ['null', null, `${file}: it fails: null`],
    ['an empty message', new Error(''), `${file}: it fails: `],
    ['the path of the folder', new Error(`no ${path.dirname(file)}${path.sep}b.js`), `${file}: it fails: no b.js`],
  ])('has its first line, and the position from %s', (_, thrown, expected) => {
    const error = programError('it fails', file, thrown);
    expect(`${error.place}: ${error.message}`).toBe(expected);
    expect([error.remedy, error.cause]).toEqual(['Fix the error there.', thrown]);
  });

  test('has the message of anything that was thrown', () => {
    const hostile = {
      toString: () => {
        throw new Error('no');
      },
    };
    expect([new Error('a'), 'b', 7, null, undefined, { toString: () => 'c' }, hostile].map(thrownReason)).toEqual([
      ...['a', 'b', '7', 'null', 'undefined', 'c', 'it throws a value that cannot be shown'],
    ]);
    const noMessage = Object.defineProperty(new Error('a'), 'message', { value: 8 });
    expect(thrownReason(noMessage)).toBe('8');
  });
});

describe('while code of others runs', () => {
  test('its result is returned, and the process is as before', async () => {
    const exit: unknown = Reflect.get(process, 'exit');
    const stalls = process.listenerCount('beforeExit');
    let inside: unknown;
    const result = await runForeign(async () => {
      inside = [
        Reflect.get(process, 'exit') === exit,
        process.listenerCount('beforeExit'),
        process.hasUncaughtExceptionCaptureCallback(),
      ];
      return Promise.resolve('done');
    });
    expect([result, inside]).toEqual(['done', [false, stalls + 1, true]]);
    expect([Reflect.get(process, 'exit') === exit, process.listenerCount('beforeExit')]).toEqual([true, stalls]);
    expect(process.hasUncaughtExceptionCaptureCallback()).toBe(false);
  });

  test('an error of it is thrown, and the process is as before', async () => {
    const exit: unknown = Reflect.get(process, 'exit');
    const thrown = new Error('own');
    await expect(runForeign(async () => Promise.reject(thrown))).rejects.toBe(thrown);
    await expect(
      runForeign(() => {
        throw thrown;
      }),
    ).rejects.toBe(thrown);
    expect([Reflect.get(process, 'exit') === exit, process.hasUncaughtExceptionCaptureCallback()]).toEqual([
      true,
      false,
    ]);
  });

  test('it cannot end the process', async () => {
    await expect(runForeign(async () => Promise.resolve(process.exit(1)))).rejects.toThrow('it ends the process');
  });

  test('an exception outside its promise is its error', async () => {
    const failed = runForeign(never);
    const capture = vi.spyOn(process, 'setUncaughtExceptionCaptureCallback');
    process.emit('beforeExit', 0);
    await expect(failed).rejects.toThrow('it awaits a promise that never settles');
    expect(capture).toHaveBeenCalledWith(null);
    for (const thrown of [new Error('late'), 'late']) {
      const spied = vi.spyOn(process, 'setUncaughtExceptionCaptureCallback').mockImplementation(() => undefined);
      spied.mockClear();
      const later = runForeign(never);
      const [callback] = spied.mock.calls[0] ?? [];
      callback?.(thrown as Error);
      const error: unknown = await later.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(error).toHaveProperty('message', 'late');
      if (thrown instanceof Error) expect(error).toBe(thrown);
      spied.mockRestore();
    }
  });

  test('it has 30 seconds, by a timer that does not keep the process alive', async () => {
    vi.useFakeTimers();
    const failed = runForeign(never);
    const outcome = vi.fn();
    failed.then(outcome, outcome);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(outcome).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await expect(failed).rejects.toThrow('timed out after 30 s');
    await runForeign(async () => Promise.resolve());
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each<[string, () => void, string]>([
    ['replaces a method', () => (Map.prototype.get = () => undefined), 'Map.prototype.get'],
    [
      'replaces a getter',
      () => Object.defineProperty(RegExp.prototype, 'flags', { get: () => '' }),
      'RegExp.prototype.flags',
    ],
    ['removes a method', () => Reflect.deleteProperty(Set.prototype, 'has'), 'Set.prototype.has'],
    ['adds a member to all objects', () => Object.assign(Object.prototype, { own: 1 }), 'Object.prototype.own'],
    ['replaces two', () => Object.assign(Promise, { all: 1, any: 1 }), 'Promise.all'],
  ])('it is an error if it %s, which is restored', async (_, change, name) => {
    const look = (): unknown => [
      Reflect.get(Map.prototype, 'get'),
      Reflect.get(Set.prototype, 'has'),
      ...[Promise.all.name, Promise.any.name, /x/g.flags],
    ];
    const before = look();
    await expect(
      runForeign(async () => {
        change();
        return Promise.resolve();
      }),
    ).rejects.toThrow(`it changes ${name}, which mcpgen needs as it was`);
    expect(look()).toEqual(before);
    expect('own' in {}).toBe(false);
  });

  test('it may add members to other built-in objects', async () => {
    await runForeign(async () => Promise.resolve(Object.assign(Array, { addedByTest: 1 })));
    expect(Array).toHaveProperty('addedByTest', 1);
    Reflect.deleteProperty(Array, 'addedByTest');
  });
});

describe('a regular expression', () => {
  test.each<[string, boolean]>([
    ['', true],
    ['abc', true],
    ['a|b|c|d|e|f|g|h|i|j', true],
    ['(a|b|c|d|e|f|g|h|i)', true],
    ['(a|b|c|d|e|f|g|h|i|j)', false],
    ['^[a-z]+$', true],
    ['^[a-z]*', true],
    ['[a-z]+$', false],
    ['^[a-z]+[0-9]+$', false],
    ['^a{2}b{3}[c]{4,}d{5}$', true],
    ['^a{1,2}b{1,2}$', false],
    ['^a{99}$', true],
    ['^a{100}$', false],
    ['^\\p{L}+$', true],
    ['^\\p{Script=Greek}?x$', true],
    ['^\\d{4}-\\d{2}-\\d{2}$', true],
    ['^(a)+$', false],
    ['^\\1+$', false],
    ['^\\k+$', false],
    ['^[\\]a]+$', true],
    ['^a+|b$', false],
    [`^${'a'.repeat(498)}+`, true],
    [`^${'a'.repeat(499)}+`, false],
    ['a'.repeat(500), true],
    ['a'.repeat(501), false],
  ])('%.40j is seen to take linear time: %s', (pattern, expected) => {
    expect(isPlain(pattern)).toBe(expected);
  });

  test('has an unknown risk if it has more than 5000 characters, or after the time limit', () => {
    const check = createPatternCheck();
    expect(check(`(a+)+${'b'.repeat(4996)}`, '')).toEqual({ kind: 'unknown' });
    expect(createPatternCheck(-1)('^(?:unknown)+$', '')).toEqual({ kind: 'unknown' });
    expect(createPatternCheck(-1)('^plain$', '')).toBeUndefined();
    // Risks that are known from another run need no time.
    expect(check('^(?:known)+$', '')).toBeUndefined();
    expect(createPatternCheck(-1)('^(?:known)+$', '')).toBeUndefined();
    expect(createPatternCheck(-1)('^(?:known)+$', 'u')).toEqual({ kind: 'unknown' });
  });

  test('has the time that it takes, with a string that shows it', () => {
    const check = createPatternCheck();
    expect(check('^(a+)+$', '')).toEqual({ kind: 'exponential', attack: expect.stringMatching(/^a+/) as string });
    expect(check('\\s+$', '')).toEqual({
      kind: 'polynomial',
      degree: 2,
      attack: expect.stringMatching(/^\s+/) as string,
    });
  });
});

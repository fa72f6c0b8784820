import { describe, expect, test } from 'vitest';
import { check, generate, loadProtocol, render, renderAll, renderTools } from '../../generator/index.js';
import { errorOf } from '../support/hostile.js';

describe('case-129: without an output folder, as JavaScript can call it, the error names the option', () => {
  const options = { revisions: ['2025-11-25'] } as unknown as Parameters<typeof generate>[0];
  const none = undefined as unknown as string;
  test.each<[string, () => Promise<unknown>]>([
    ['generate', () => generate(options)],
    ['generate, an empty one', () => generate({ ...options, out: '' })],
    ['check', () => check(options)],
    ['renderAll', () => renderAll(options)],
    ['render', async () => render(await loadProtocol({ revision: '2025-11-25' }), none)],
    ['renderTools', () => renderTools([], none)],
  ])('%s', async (_title, call) => {
    expect(await errorOf(call())).toMatchObject({ place: 'out', message: 'no output folder given' });
  });
});

import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run, type Run } from '../support/cli.js';

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** Runs an example to its end; the test's own time limit is there for one that hangs. */
function example(name: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return run(process.execPath, ['--import', TSX, path.resolve('examples', name)], { env });
}

interface Frame {
  readonly from: string;
  readonly message: unknown;
}

/** The scenes of the demo by their headings: the frames of each, and its other output. */
function scenesOf(
  output: string,
): ReadonlyMap<string, { readonly frames: readonly Frame[]; readonly asides: readonly string[] }> {
  return new Map(
    output
      .trim()
      .split(/\n\n/)
      .map((scene) => {
        const [heading = '', ...lines] = scene.split('\n');
        const frames = lines.flatMap((line): Frame[] => {
          const [, from, text = ''] = /^(client|server) -> (?:client|server) {2}(.*)$/.exec(line) ?? [];
          if (from === undefined) return [];
          try {
            return [{ from, message: JSON.parse(text) as unknown }];
          } catch {
            return [{ from, message: text }];
          }
        });
        return [heading.split(/[:,]/)[0] ?? '', { frames, asides: lines.filter((line) => line.startsWith('   ')) }];
      }),
  );
}

describe('the demo', () => {
  test('shows each scene', async () => {
    const { code, stdout, stderr } = await example('demo.ts');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('\u001b');
    const scenes = scenesOf(stdout);
    const sceneOf = (heading: string) => {
      const scene = scenes.get(heading);
      if (scene === undefined) throw new Error(`the demo has no scene "${heading}"`);
      return scene;
    };
    const messages = (heading: string, from: string): unknown[] =>
      sceneOf(heading)
        .frames.filter((frame) => frame.from === from)
        .map(({ message }) => message);
    const asides = (heading: string): string => sceneOf(heading).asides.join('\n');

    expect(messages('A request', 'server')).toMatchObject([{ result: { content: [{ type: 'text', text: '5' }] } }]);
    expect(messages('A notification', 'client')).toHaveLength(2);
    expect(messages('A notification', 'server')).toEqual([]);
    expect(asides('A notification')).toContain('the roots have changed');
    expect(messages('An unknown method', 'server')).toMatchObject([{ id: 'by-hand-1', error: { code: -32601 } }]);
    expect(messages('Invalid params', 'server')).toMatchObject([{ id: 'by-hand-2', error: { code: -32602 } }]);
    expect(messages('A handler that throws', 'server')).toMatchObject([{ error: { code: -32603 } }]);
    expect(stdout).not.toContain('swordfish');
    expect(messages('Progress in mid-call', 'server')).toMatchObject([
      { method: 'notifications/progress', params: { progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { method: 'notifications/progress', params: { progress: 3 } },
      { result: {} },
    ]);
    // Printed during the call, not after it.
    const progress = stdout.slice(stdout.indexOf('Progress in mid-call'));
    expect(progress.indexOf('told 1/3')).toBeLessThan(progress.indexOf('"progress":2'));
    expect(messages('A cancellation', 'client')).toMatchObject([{}, { method: 'notifications/cancelled' }]);
    expect(messages('A cancellation', 'server')).toEqual([]);
    expect(asides('A cancellation')).toContain('the handler is aborted');
    expect(messages('A broken line', 'server')).toMatchObject([
      { error: { code: -32700 } },
      { id: 'by-hand-4', result: {} },
    ]);
    expect(messages('Closing', 'server')).toEqual([]);
    expect(asides('Closing')).toMatch(/ConnectionClosedError[^]*the handler is aborted/);
    expect(messages('A batch', 'server').at(-1)).toMatchObject([
      { id: 2, result: {} },
      { id: 3, result: { tools: [] } },
      { id: 4, error: { code: -32601 } },
    ]);
  });

  test('has colors only if requested', async () => {
    const { code, stdout } = await example('demo.ts', { FORCE_COLOR: '1' });
    expect(code).toBe(0);
    expect(stdout).toContain('\u001b[');
  });
});

test('runs a tool use block on a server in another process', async () => {
  const { code, stdout, stderr } = await example('tool-use.ts');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [greeting, ...turns] = stdout.trim().split('\n\n');
  expect(greeting).toBe('connected to weather, revision 2025-11-25');
  const parsed = turns.map((turn) => {
    const lines = turn.split('\n');
    return { note: lines.slice(1, -1).join(), result: JSON.parse(lines.at(-1) ?? '') as unknown };
  });
  expect(parsed).toEqual([
    {
      note: '',
      result: { type: 'tool_result', tool_use_id: 'toolu_01', content: [{ type: 'text', text: '21 degrees' }] },
    },
    {
      note: 'the tool failed',
      result: {
        type: 'tool_result',
        tool_use_id: 'toolu_02',
        content: [{ type: 'text', text: 'No such city. There are Graz and Oslo.' }],
        is_error: true,
      },
    },
    {
      note: 'protocol error -32602',
      result: {
        type: 'tool_result',
        tool_use_id: 'toolu_03',
        content: [{ type: 'text', text: 'Unknown tool: wether' }],
        is_error: true,
      },
    },
  ]);
});

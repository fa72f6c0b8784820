/** Framing and conversations: matchers, our reader of every revision, and a server and a client that break rules. */
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../generator/read/json/json.js';
import { isRuleId } from '../../generator/inspect/rules.js';
import type { Frame, SessionVector, VectorFile } from '../../generator/vectors/form.js';
import { framingVectors } from '../../generator/vectors/framing.js';
import { fillIn, findMismatch, matchesFrames, namesErrorsDifferently } from '../../generator/vectors/match.js';
import { playSessions } from '../../generator/vectors/run/play.js';
import { ReportBuilder, type VectorReport } from '../../generator/vectors/run/report.js';
import { sessionVectors } from '../../generator/vectors/sessions.js';
import { MessageReader } from '../../generated/runtime/jsonrpc/ndjson.js';
import { REVISION_NAMES, revisionsNamed } from '../interop/peers/revisions.js';

describe('patterns', () => {
  test.each<[JsonValue, JsonValue, string | undefined]>([
    [{ a: 1 }, { a: 1, b: 2 }, undefined],
    [{ a: 1 }, { b: 2 }, '/a'],
    [{ a: [1, 2] }, { a: [1] }, '/a'],
    [{ a: { $match: 'absent' } }, {}, undefined],
    [{ a: { $match: 'absent' } }, { a: null }, '/a'],
    [{ a: { $match: 'any' } }, {}, '/a'],
    [{ $match: 'integer' }, 1.5, ''],
    [{ $match: 'object' }, [], ''],
    [{ $match: { anyOf: [1, { $match: 'string' }] } }, 'a', undefined],
    [{ $match: { anyOf: [1, 2] } }, 3, ''],
    [{ $match: { not: 1 } }, 1, ''],
    [{ $match: { contains: { a: 1 } } }, [{ a: 2 }, { a: 1 }], undefined],
    [{ $match: { contains: 1 } }, [2], ''],
    [{ $match: { unordered: [1, 2] } }, [2, 1], undefined],
    [{ $match: { unordered: [1, 1] } }, [1, 2], ''],
    [{ $match: 'no such type' }, 'a', ''],
    [{ id: 7 }, { id: '7' }, '/id'],
  ])('%j with %j: %s', (pattern, value, pointer) => {
    expect(findMismatch(pattern, value, new Map())?.pointer).toBe(pointer);
  });

  test('capture values that are sent again', () => {
    const captures = new Map<string, JsonValue>();
    const pattern = { id: { $match: { capture: 'id', as: { $match: 'string' } } }, method: 'a' };
    expect(findMismatch(pattern, { id: 'x', method: 'b' }, captures)?.pointer).toBe('/method');
    expect(captures.size).toBe(0);
    expect(findMismatch(pattern, { id: 'x', method: 'a' }, captures)).toBeUndefined();
    expect(fillIn({ list: [{ id: { $use: 'id' } }] }, captures)).toEqual({ list: [{ id: 'x' }] });
  });

  test('of frames allow any number where nothing is specified', () => {
    const [a, b]: readonly Frame[] = [{ message: 1 }, { error: 'not-json' }];
    if (a === undefined || b === undefined) return;
    expect(matchesFrames([{ unspecified: true }, a], [b, b, a])).toBe(true);
    expect(matchesFrames([{ unspecified: true }, a], [b])).toBe(false);
    expect(matchesFrames([a, b], [a, { error: 'not-utf8' }])).toBe(true);
    expect(namesErrorsDifferently([a, b], [a, { error: 'not-utf8' }])).toBe(true);
    expect(matchesFrames([a], [a, a])).toBe(false);
  });
});

describe.each(REVISION_NAMES)('%s', (revision) => {
  test('has vectors with unique names and known rules', () => {
    const vectors = [...framingVectors(revision), ...sessionVectors(revision)];
    expect(vectors.length).toBeGreaterThan(150);
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(vectors.filter(({ rule, section }) => !isRuleId(rule) || !section.includes(revision))).toEqual([]);
  });

  test('our reader finds the frames of each vector', () => {
    const classify = revisionsNamed([revision])[0]?.classify;
    if (classify === undefined) throw new Error(`no revision ${revision}`);
    const failed = framingVectors(revision).filter(({ chunks, frames, alternatives = [] }) => {
      const reader = new MessageReader({ classify });
      const events = [...chunks.flatMap((chunk) => reader.push(Buffer.from(chunk, 'base64'))), ...reader.end()];
      const found = events.map((event): Frame => {
        if ('message' in event) return { message: event.message as unknown as JsonValue };
        if (event.kind !== 'batch')
          return {
            error: event.kind === 'invalid' ? 'not-a-message' : event.code === 'not-utf8' ? 'not-utf8' : 'not-json',
          };
        return { message: event.members.map((member) => ('message' in member ? (member.message as never) : null)) };
      });
      return ![frames, ...alternatives].some((expected) => matchesFrames(expected, found));
    });
    expect(failed.map(({ name }) => name)).toEqual([]);
  });
});

/** A server in a few lines, with one fault. */
function naiveServer(fault: string): readonly string[] {
  const program = `
    const fault = ${JSON.stringify(fault)};
    const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      let message;
      try { message = JSON.parse(line); } catch (error) {
        if (fault === 'throws') throw error;
        return;
      }
      const { id, method, params } = message ?? {};
      if (id === undefined && fault !== 'answers notifications') return;
      if (method === 'initialize') {
        const protocolVersion = fault === 'old version' ? '2024-11-05' : params.protocolVersion;
        return send({ id, result: { protocolVersion, capabilities: {}, serverInfo: { name: 'a', version: '1' } } });
      }
      if (fault === 'text ids' && id !== 'open') return send({ id: String(id), result: {} });
      if (method === 'ping') return send({ id, result: {} });
      send({ id: id ?? 'x', error: { code: fault === 'wrong code' ? -32000 : -32601, message: 'no' } });
    });
    if (fault === 'log') console.log('ready');
    if (fault === 'stays') setInterval(() => {}, 1000);`;
  return [process.execPath, '-e', program];
}

async function play(fault: string, name: string): Promise<VectorReport> {
  const vectors = sessionVectors('2025-11-25').filter((vector: SessionVector) => vector.name === `server/${name}`);
  expect(vectors).toHaveLength(1);
  const report = new ReportBuilder('', false);
  async function* files(): AsyncIterable<{ revision: string; file: VectorFile }> {
    yield await Promise.resolve({ revision: '2025-11-25', file: { kind: 'session', vectors } });
  }
  await playSessions(files(), report, { command: naiveServer(fault), role: 'server', timeoutMs: 4000 });
  return report.finish();
}

describe.concurrent('a server', () => {
  test.each([
    ['throws', 'malformed/half-a-message', 'no-answer', 'malformed-blocks', /the server exited with 1/],
    ['answers notifications', 'notification/unknown', 'other-conversation', 'notification-answered', /it sends \{/],
    ['text ids', 'id/zero', 'other-conversation', 'id-not-echoed', /expected at \/id 0/],
    ['wrong code', 'unknown-method/toString', 'other-conversation', 'unknown-method-code', /at \/error\/code -32601/],
    ['log', 'ping', 'other-conversation', 'ping-refused', /not JSON: ready/],
    ['stays', 'end-of-input', 'other-conversation', 'stays-after-input-ends', /does not exit within 3 s/],
  ])('that %s fails %s', async (fault, name, status, rule, message) => {
    const report = await play(fault, name);
    expect(report.findings).toMatchObject([{ status, rule, section: expect.stringContaining('2025-11-25') as string }]);
    expect(report.findings[0]?.message).toMatch(message);
  });

  test.each([
    'malformed/half-a-message',
    'notification/unknown',
    'id/zero',
    'unknown-method/toString',
    'ping',
    'end-of-input',
  ])('that is right passes %s', async (name) => {
    expect((await play('', name)).counts).toMatchObject({ passed: 1, vectors: 1 });
  });

  test.each([
    ['old version', 'ping', 'the server does not agree on 2025-11-25'],
    ['', 'tools/list/declared', 'the server does not declare tools'],
  ])('%s is skipped for %s', async (fault, name, reason) => {
    expect((await play(fault, name)).skipped).toEqual([{ reason, count: 1 }]);
  });
});

import { describe, expect, test } from 'vitest';
import { loadProtocol } from '../../generator/index.js';
import { ACP_REVISIONS, acpSchema, derive } from './acp.js';

type Row = { method: string; kind: string; direction: string; params: string | null; result?: string; summary: string };

const METHODS = { v1: 25, v2: 18 } as const;

describe.each(ACP_REVISIONS)('catalog derive for ACP %s', (revision) => {
  const { catalog, notices } = derive(revision);
  const rows = catalog['methods'] as readonly Row[];
  const rowOf = (method: string): Row | undefined => rows.find((row) => row.method === method);

  test('decides every member of every method', () => {
    expect(rows).toHaveLength(METHODS[revision]);
    expect(JSON.stringify(catalog)).not.toContain('undecided');
    for (const row of rows) {
      expect(row.summary).toMatch(/^[A-Z].*\.$/);
      expect('result' in row).toBe(row.kind === 'request');
    }
    expect(notices).toEqual([expect.stringContaining('capabilities')]);
  });

  test('reads directions from the side that handles a method', () => {
    expect(rowOf('session/prompt')).toMatchObject({
      kind: 'request',
      direction: 'clientToAgent',
      params: 'PromptRequest',
      result: 'PromptResponse',
    });
    expect(rowOf('session/request_permission')).toMatchObject({ kind: 'request', direction: 'agentToClient' });
    expect(rowOf('session/update')).toMatchObject({ kind: 'notification', direction: 'agentToClient' });
    expect(rowOf('session/cancel')).toMatchObject({ kind: 'notification', direction: 'clientToAgent' });
    expect(rowOf('$/cancel_request')).toMatchObject({ kind: 'notification', direction: 'both' });
  });

  test('names sides, capabilities, cancellation and extension methods as traits', () => {
    expect(catalog['protocol']).toBe('Agent Client Protocol');
    expect(catalog['traits']).toEqual({
      sides: { client: 'client', server: 'agent' },
      capabilities: { client: 'ClientCapabilities', server: 'AgentCapabilities' },
      cancellation: { method: '$/cancel_request', id: 'requestId', errorCode: -32_800 },
      extensionMethods: { request: 'ExtRequest', result: 'ExtResponse', notification: 'ExtNotification' },
    });
  });

  test('names the error codes of the schema', () => {
    const errors = catalog['errors'] as readonly { name: string; code: number }[];
    const named = Object.fromEntries(errors.map(({ name, code }) => [name, code]));
    expect(named).toMatchObject({ AUTHENTICATION_REQUIRED: -32_000, REQUEST_CANCELLED: -32_800, PARSE_ERROR: -32_700 });
  });
});

const load = async (change: (catalog: Record<string, unknown>) => void) => {
  const { catalog } = derive('v1');
  change(catalog);
  return loadProtocol({ schema: acpSchema('v1'), catalog: { name: 'c.json', contents: JSON.stringify(catalog) } });
};

test('a wrong direction is an error in the words of the protocol', async () => {
  await expect(
    load((catalog) => {
      const row = (catalog['methods'] as { method: string; direction: string }[]).find(
        ({ method }) => method === 'session/prompt',
      );
      if (row !== undefined) row.direction = 'agentToClient';
    }),
  ).rejects.toThrow('session/prompt: the catalog has direction agentToClient, the schema has clientToAgent');
});

test('a direction of another protocol is an error', async () => {
  await expect(
    load((catalog) => {
      for (const row of catalog['methods'] as { direction: string }[]) row.direction = 'clientToServer';
    }),
  ).rejects.toThrow('"clientToServer" is not a direction of this protocol');
});

test('a capability of a side that does not declare it is an error', async () => {
  const withCapability = (capability: string) => (catalog: Record<string, unknown>) => {
    const row = (catalog['methods'] as { method: string; capability: string | null }[]).find(
      ({ method }) => method === 'session/load',
    );
    if (row !== undefined) row.capability = capability;
  };
  await expect(load(withCapability('server.loadSession'))).rejects.toThrow('begins with the name of no side');
  await expect(load(withCapability('agent.noSuchThing'))).rejects.toThrow('no definition of capabilities has');
  const protocol = await load(withCapability('agent.loadSession'));
  expect(protocol.methods.find(({ name }) => name === 'session/load')?.capabilities).toEqual(['agent.loadSession']);
});

test('a missing error code is an error', async () => {
  await expect(load((catalog) => void (catalog['errors'] = []))).rejects.toThrow(
    'the catalog has no error with the code -32700, which the schema names PARSE_ERROR',
  );
});

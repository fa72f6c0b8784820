/** Clients of several servers. */
import { describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../generated/2026-07-28/client.js';
import { createServer } from '../../generated/2026-07-28/server.js';
import { memoryPair } from '../../generated/runtime/memory.js';
import { defineTool, toolHandlers } from '../../generated/runtime/registry.js';
import type { Transport } from '../../generated/runtime/jsonrpc/transport.js';
import { ServerClients, UnknownToolError, type ServerDefinition } from '../../templates/runtime/clients.js';
import { flatToolName } from '../../templates/runtime/clients/tool-names.js';
import { expandVariables } from '../../templates/runtime/clients/variables.js';

/** Tools as they are generated: one method. */
interface Tools {
  echo(args: { text: string }): Promise<object>;
}

const ANY = {
  schema: { type: 'object' as const },
  validate: (value: unknown) => ({ success: true as const, value: value as object }),
};

/** A config of a server in memory, with the number of its connections and a way to end the newest. */
class Memory {
  connections = 0;
  calls: unknown[] = [];
  end: () => Promise<void> = () => Promise.resolve();
  readonly #names: readonly string[];
  readonly #delay: Promise<void> | undefined;

  constructor(names: readonly string[] = ['echo'], delay?: Promise<void>) {
    this.#names = names;
    this.#delay = delay;
  }

  readonly transport = (): Transport => {
    this.connections += 1;
    const [here, there] = memoryPair();
    const tools = this.#names.map((name) =>
      defineTool({
        name,
        input: ANY,
        run: (args: object) => {
          this.calls.push([name, args]);
          return { content: [{ type: 'text', text: JSON.stringify(args) }] };
        },
      }),
    );
    const server = createServer({ info: { name: 'memory', version: '1.0.0' }, handlers: toolHandlers(tools) });
    this.end = () => server.close();
    const connected = (this.#delay ?? Promise.resolve()).then(() => server.connect(there));
    connected.catch(() => undefined);
    return here;
  };
}

const definition: ServerDefinition = {
  tools: (client) => ({
    echo: (args: object) => client.callTool({ name: 'echo', arguments: { ...args } }),
  }),
  connect: () => undefined,
};

function clientsOf<Name extends string>(
  config: Readonly<Partial<Record<Name, object>>>,
  names = Object.keys(config) as Name[],
  variables?: Readonly<Record<string, string>>,
): ServerClients<Readonly<Record<Name, Tools>>, Client> {
  return new ServerClients<Readonly<Record<Name, Tools>>, Client>(
    { config, variables },
    Object.fromEntries(names.map((name) => [name, definition])),
    () => createClient({ info: { name: 'test', version: '1.0.0' }, timeout: 2000 }),
  );
}

describe('connections', () => {
  test('are made when a server is first used, once for all who wait', async () => {
    const [a, b] = [new Memory(), new Memory()];
    const clients = clientsOf({ a, b });
    expect([a.connections, b.connections]).toEqual([0, 0]);
    await Promise.all([
      clients.servers.a.echo({ text: '1' }),
      clients.servers.a.echo({ text: '2' }),
      clients.client('a'),
    ]);
    expect([a.connections, b.connections]).toEqual([1, 0]);
    expect(a.calls).toEqual([
      ['echo', { text: '1' }],
      ['echo', { text: '2' }],
    ]);
    await clients.close();
  });

  test('are made again after they have ended, and after one failed', async () => {
    const a = new Memory();
    const clients = clientsOf({ a });
    await clients.servers.a.echo({ text: '1' });
    const first = await clients.client('a');
    await a.end();
    await first.closed;
    await clients.servers.a.echo({ text: '2' });
    expect([a.connections, a.calls.length]).toEqual([2, 2]);
    await clients.close();

    let failures = 1;
    const config = {
      transport: () => {
        if (failures-- > 0) throw new Error('not now');
        return a.transport();
      },
    };
    const again = clientsOf({ a: config });
    await expect(again.servers.a.echo({ text: '3' })).rejects.toThrow('not now');
    await again.servers.a.echo({ text: '4' });
    await again.close();
  });

  test('end together, also one that is being made, and none is made afterwards', async () => {
    const [a, b] = [new Memory(), new Memory(['echo'], new Promise(() => undefined))];
    const clients = clientsOf({ a, b });
    const client = await clients.client('a');
    const pending = clients.servers.b.echo({ text: 'x' });
    pending.catch(() => undefined);
    await clients.close();
    await client.closed;
    await expect(pending).rejects.toMatchObject({ name: 'ConnectionClosedError' });
    await expect(clients.servers.a.echo({ text: 'x' })).rejects.toMatchObject({
      name: 'ConnectionClosedError',
      mayHaveRun: false,
    });
    expect(a.connections).toBe(1);
  });

  test('a caller who aborts does not end the connection for others', async () => {
    let ready: () => void = () => undefined;
    const a = new Memory(['echo'], new Promise((resolve) => (ready = resolve)));
    const clients = clientsOf({ a });
    const controller = new AbortController();
    const other = clients.servers.a.echo({ text: 'x' });
    const list = clients.listTools({ signal: controller.signal });
    controller.abort(new Error('no longer needed'));
    expect((await list).errors.get('a')).toMatchObject({ message: 'no longer needed' });
    ready();
    await other;
    expect(a.connections).toBe(1);
    await clients.close();
  });

  test.each([
    ['missing', {}, /the config has no server "missing"/],
    ['missing', { missing: { url: 'https://example.com' } }, /the config of "missing" is of another kind/],
    ['toString', {}, /the config has no server "toString"/],
    ['a', { a: null as never }, /^the config of "a" is not an object$/],
    ['a', { a: 'node a.js' as never }, /^the config of "a" is not an object$/],
  ])('the server %s of %j is an error', async (name, config, message) => {
    await expect(clientsOf(config, [name]).client(name)).rejects.toThrow(message);
  });
});

test.each([undefined, null, 'x'])('the config %j is an error', (config) => {
  expect(() => clientsOf(config as never, ['a'])).toThrow(/^config is not an object$/);
});

describe('the flat list', () => {
  test('has the tools of all servers that respond, with unique names that can be called', async () => {
    const [a, b] = [new Memory(['echo', 'a/b']), new Memory(['echo'])];
    const broken = {
      transport: () => {
        throw new Error('broken');
      },
    };
    const clients = clientsOf({ a, b, broken, absent: undefined as never }, ['a', 'b', 'broken', 'absent']);
    const { tools, errors } = await clients.listTools();
    expect(tools.map(({ name, server, tool }) => [name, server, tool.name])).toEqual([
      ['a__echo', 'a', 'echo'],
      [expect.stringMatching(/^a__a_b_[0-9a-f]{8}$/), 'a', 'a/b'],
      ['b__echo', 'b', 'echo'],
    ]);
    expect([...errors].map(([name, error]) => [name, String(error)])).toEqual([['broken', 'Error: broken']]);
    expect(tools[0]).toMatchObject({ inputSchema: { type: 'object' } });
    const result = await clients.callTool(tools[1]?.name ?? '', { x: 1 });
    expect(result.content).toEqual([{ type: 'text', text: '{"x":1}' }]);
    expect([a.calls, b.calls]).toEqual([[['a/b', { x: 1 }]], []]);
    await clients.close();
  });

  test('is fetched by a call, and a name that is in none is an error', async () => {
    const a = new Memory();
    const clients = clientsOf({ a });
    await clients.callTool('a__echo', { x: 1 });
    const invented = clients.callTool('a__delete_everything');
    await expect(invented).rejects.toBeInstanceOf(UnknownToolError);
    await expect(invented).rejects.toMatchObject({ mayHaveRun: false, tool: 'a__delete_everything' });
    expect(a.calls).toHaveLength(1);
    await clients.close();
  });

  test('a server that is down hides no tool of another one with a similar name', async () => {
    const broken = {
      transport: () => {
        throw new Error('down');
      },
    };
    const b = new Memory(['c']);
    const clients = clientsOf({ a: broken, a__b: b });
    const name = flatToolName('a__b', 'c', () => false);
    await clients.callTool(name);
    expect(b.calls).toHaveLength(1);
    await expect(clients.callTool('a__x')).rejects.toThrow('down');
    await clients.close();
  });

  test('its names are those that model APIs accept, and all different', () => {
    const servers = ['a', 'a_', 'a__b', 'größe', 'x'.repeat(80), '', '__proto__', 'a b', 'a/b', '1a', '-'];
    const tools = ['b', '_b', 'b__c', 'c', 'get/thing', 'x'.repeat(80), 'größe', ''];
    const all = new Map<string, string>();
    for (const server of servers)
      for (const tool of tools)
        all.set(
          flatToolName(server, tool, () => false),
          `${server}\0${tool}`,
        );
    expect(all.size).toBe(servers.length * tools.length);
    for (const name of all.keys()) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(flatToolName('a', 'b', () => false)).toBe('a__b');
    const taken = new Set(['a__b']);
    expect(flatToolName('a', 'b', (name) => taken.has(name))).toMatch(/^a__b_[0-9a-f]{8}$/);
  });
});

describe('variables', () => {
  const variables = { TOKEN: 's3cr3t', EMPTY: '' };
  test('are expanded in all strings of a config', () => {
    const authProvider = { token: () => '${TOKEN}' };
    const config = {
      url: 'https://example.com/${NONE:-mcp}',
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-A': '${env:TOKEN}', 'X-B': '${EMPTY:-b}', 'X-C': '${EMPTY}' },
      authProvider,
    };
    const expanded = expandVariables(config, 'x', variables);
    expect(expanded).toEqual({
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer s3cr3t', 'X-A': 's3cr3t', 'X-B': 'b', 'X-C': '' },
      authProvider,
    });
  });

  test('one that is not set is an error without values', async () => {
    const clients = clientsOf({ a: { command: 'x', args: ['${TOKEN}', '${NONE}'] } }, ['a'], variables);
    await expect(clients.client('a')).rejects.toThrow('the config of "a" needs the variable NONE, which is not set');
  });

  test('one that only the host can expand is an error', () => {
    const config = { url: 'https://example.com', headers: { A: 'Bearer ${input:token}' } };
    expect(() => expandVariables(config, 'x', variables)).toThrow('has ${input:token}, which only its host can expand');
  });

  test('are not inherited from Object.prototype', () => {
    expect(() => expandVariables({ command: '${constructor}' }, 'x', {})).toThrow('needs the variable constructor');
  });
});

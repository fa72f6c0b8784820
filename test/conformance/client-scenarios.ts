import process from 'node:process';

/** Input that a server may ask for, as the suite wants it answered. */
export const INPUTS: Readonly<Record<string, (params: object) => object>> = {
  'elicitation/create': (params) => ({ action: 'accept', content: defaultsOf(params) }),
  'sampling/createMessage': () => ({
    model: 'none',
    role: 'assistant',
    content: { type: 'text', text: 'Nothing to say.' },
  }),
  'roots/list': () => ({ roots: [] }),
};

/** A client that is connected, whatever it is made with. */
export interface ScenarioClient {
  request(method: string, params?: object): Promise<object>;
  close(): Promise<void>;
}

/** What a scenario needs of a client. */
export interface ScenarioTarget {
  readonly url: URL;
  /** Its name; those with authorization begin with `auth/`. */
  readonly scenario: string;
  /** Its data, such as the credentials of a client. */
  readonly context: Readonly<Record<string, string>>;
}

interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

type Context = { readonly toolCalls?: readonly ToolCall[] } & Readonly<Record<string, unknown>>;

/**
 * Does what the suite's scenario wants a client to do. The scenario and its data are in the environment, the URL is the
 * last argument.
 */
export async function runScenario(connect: (visit: ScenarioTarget) => Promise<ScenarioClient>): Promise<void> {
  const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context;
  const url = new URL(process.argv.at(-1) ?? '');
  const visitor = await connect({ url, scenario, context: context as Record<string, string> });
  try {
    await (ACTIONS[scenario] ?? callAll)(visitor, context);
  } finally {
    await visitor.close();
  }
}

type Action = (visitor: ScenarioClient, context: Context) => Promise<void>;

const ACTIONS: Readonly<Record<string, Action>> = {
  // To connect is all that it takes.
  'request-metadata': () => Promise.resolve(),
  tools_call: async (visitor) => {
    await listed(visitor, 'tools');
    await call(visitor, { name: 'add_numbers', arguments: { a: 5, b: 3 } });
  },
  'http-standard-headers': async (visitor) => {
    for (const { name } of await listed(visitor, 'tools')) await call(visitor, { name: String(name), arguments: {} });
    for (const { uri } of await listed(visitor, 'resources')) await visitor.request('resources/read', { uri });
    for (const { name } of await listed(visitor, 'prompts')) await visitor.request('prompts/get', { name });
  },
  'http-custom-headers': async (visitor, { toolCalls = [] }) => {
    await listed(visitor, 'tools');
    for (const one of toolCalls) await call(visitor, one);
  },
  'http-invalid-tool-headers': async (visitor) => {
    for (const { name } of await listed(visitor, 'tools'))
      await call(visitor, { name: String(name), arguments: { region: 'us-west1' } });
  },
  'sep-2322-client-request-state': async (visitor) => {
    for (const name of ['echo_state', 'no_state', 'unrelated', 'no_result_type']) {
      await call(visitor, { name: `test_mrtr_${name}`, arguments: {} }).catch((error: unknown) => {
        // The last result does not match the schema; what counts is that the client does not retry.
        if (name !== 'no_result_type') throw error;
      });
    }
  },
  'json-schema-ref-no-deref': async (visitor) => {
    await listed(visitor, 'tools');
  },
  'json-schema-2020-12-preservation': async (visitor) => {
    const tools = await listed(visitor, 'tools');
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.['inputSchema'];
    await call(visitor, { name: 'json_schema_echo', arguments: { schema } });
  },
};

/** Most scenarios want the tools listed and called. */
async function callAll(visitor: ScenarioClient): Promise<void> {
  for (const { name } of await listed(visitor, 'tools')) await call(visitor, { name: String(name), arguments: {} });
}

async function listed(visitor: ScenarioClient, what: string): Promise<readonly Record<string, unknown>[]> {
  const result = (await visitor.request(`${what}/list`)) as Record<string, Record<string, unknown>[] | undefined>;
  return result[what] ?? [];
}

async function call(visitor: ScenarioClient, { name, arguments: given }: ToolCall): Promise<object> {
  return visitor.request('tools/call', { name, arguments: given });
}

/** What a form holds if nobody fills it in. */
function defaultsOf(params: object): Record<string, unknown> {
  const { requestedSchema } = params as {
    readonly requestedSchema?: { readonly properties?: Readonly<Record<string, { readonly default?: unknown }>> };
  };
  return Object.fromEntries(
    Object.entries(requestedSchema?.properties ?? {}).map(([name, property]) => [name, property.default ?? true]),
  );
}

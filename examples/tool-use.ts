/**
 * From a language model's tool use to a server in another process and back: `npx tsx examples/tool-use.ts`.
 *
 * The blocks have the shape that Anthropic's Messages API gives them; other APIs differ in names only.
 */
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '../generated/2025-11-25/client.js';
import type { ContentBlock } from '../generated/2025-11-25/types.js';
import { RpcError } from '../generated/runtime/jsonrpc/error-codes.js';
import { stdioClientTransport } from '../generated/runtime/stdio-client.js';

interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
}

type ResultContent =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: { readonly type: 'base64'; readonly media_type: string; readonly data: string };
    };

interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: readonly ResultContent[];
  readonly is_error?: true;
}

/** Runs the tool that the model calls, and reports to the model every failure that it could correct. */
async function useTool(client: Client, { id, name, input }: ToolUseBlock): Promise<ToolResultBlock> {
  const block = { type: 'tool_result', tool_use_id: id } as const;
  try {
    const { content, isError } = await client.callTool({ name, arguments: input });
    if (isError === true) console.log('the tool failed');
    return { ...block, content: content.map(toResultContent), ...(isError === true ? { is_error: true } : {}) };
  } catch (error) {
    // No connection, no answer in time, an answer that makes no sense: nothing that a model could correct.
    if (!(error instanceof RpcError)) throw error;
    console.log(`protocol error ${error.code}`);
    return { ...block, content: [{ type: 'text', text: error.message }], is_error: true };
  }
}

function toResultContent(content: ContentBlock): ResultContent {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: content.mimeType, data: content.data } };
    default:
      // The model's API has no block for it.
      return { type: 'text', text: JSON.stringify(content) };
  }
}

const client = createClient({ info: { name: 'tool-use', version: '1.0.0' } });
await client.connect(
  stdioClientTransport({
    command: process.execPath,
    // What runs TypeScript here does so there.
    args: [...process.execArgv, fileURLToPath(new URL('tool-server.ts', import.meta.url))],
  }),
);
console.log(`connected to ${client.server.info?.name ?? 'a server'}, revision ${client.revision ?? ''}`);

const blocks: readonly ToolUseBlock[] = [
  { type: 'tool_use', id: 'toolu_01', name: 'weather', input: { city: 'Graz' } },
  { type: 'tool_use', id: 'toolu_02', name: 'weather', input: { city: 'Atlantis' } },
  { type: 'tool_use', id: 'toolu_03', name: 'wether', input: { city: 'Graz' } },
];
for (const block of blocks) {
  console.log(`\n${JSON.stringify(block)}`);
  console.log(JSON.stringify(await useTool(client, block)));
}
await client.close();

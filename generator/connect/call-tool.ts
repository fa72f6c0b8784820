import { toolCaller, type ListedTool } from '../../generated/runtime/json-schema.js';
import type { CallOptions } from '../../generated/runtime/jsonrpc/endpoint.js';
import type { JsonObject } from '../read/json/json.js';
import type { Connection } from './open.js';

/** The validator of a schema that a server sends. */
export { compileSchema } from '../../generated/runtime/json-schema.js';

/** What a server reports while a tool runs. */
export type Progress = Parameters<NonNullable<CallOptions['onProgress']>>[0];

/**
 * Calls a tool, with arguments and structured content validated by its schemas.
 *
 * @param onUnchecked - Receives each part of a schema that is not checked.
 * @throws ToolArgumentsError before anything is sent; ToolOutputError; any error of the client.
 */
export async function callTool(
  { client, options }: Connection,
  tool: ListedTool,
  args: Record<string, unknown>,
  onProgress: (progress: Progress) => void,
  onUnchecked: (pointer: string, reason: string) => void,
): Promise<JsonObject> {
  const call = await toolCaller<CallOptions, object>(
    { callTool: async (params, callOptions) => client.request('tools/call', params, callOptions) },
    [tool],
    { onUnchecked },
  );
  return (await call(tool.name, args, { ...options, onProgress })) as JsonObject;
}

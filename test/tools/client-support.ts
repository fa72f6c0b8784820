import type { JsonValue } from '../../generator/read/json/json.js';
import { parseTools } from '../../generator/read/tools.js';

export const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer' } },
    required: ['city'],
  },
  outputSchema: { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] },
};
export const LIST = [WEATHER, { name: 'noop', inputSchema: { type: 'object' } }];

export const sources = (list: unknown) => parseTools(JSON.parse(JSON.stringify(list)) as JsonValue, 'tools.json');

// Uses of a result; an editor shows its hover for what follows each comment.
export const NARROWING = `import { tools } from "../tools/index.js";
import type { Client } from "./client.js";

export async function use(client: Client): Promise<number> {
  const /*hover*/result = await tools(client).getWeather({ city: "Graz" });
  // @ts-expect-error -- the tool may have failed
  void result.structuredContent.celsius;
  if (result.isError) {
    void result./*hover*/isError;
    void result./*hover*/structuredContent;
    // @ts-expect-error -- it is not validated
    void result.structuredContent.celsius;
    const [text] = result.content;
    throw new Error(JSON.stringify(text));
  }
  const again = await tools(client).getWeather({ city: "Graz" });
  if (!again.isError) {
    const exact: number = again.structuredContent.celsius;
    void exact;
  }
  return result./*hover*/structuredContent.celsius;
}
`;

/** Guards and validators whose speed is measured: ours, by hand, Ajv, the official SDKs and Zod, on the same messages. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Validation, Validator } from '../../templates/runtime/validation.js';
import { built } from './pairs.js';
import { median } from './suite.js';
import { classifyByHand, MESSAGES } from './messages.js';

export const REVISION = '2025-11-25';

/** A text, and the definition of the message in it, or of its result. */
interface Sample {
  readonly text: string;
  readonly definition: string;
  /** The method of the request that a response answers. */
  readonly method?: string;
}

const DEFINITIONS: readonly (readonly [definition: string, method?: string])[] = [
  ['InitializeRequest'],
  ['InitializeResult', 'initialize'],
  ['InitializedNotification'],
  ['ListToolsRequest'],
  ['ListToolsResult', 'tools/list'],
  ['CallToolRequest'],
  ['ProgressNotification'],
  ['CallToolResult', 'tools/call'],
  ['ReadResourceRequest'],
  ['ReadResourceResult', 'resources/read'],
  ['CreateMessageRequest'],
  ['JSONRPCErrorResponse', 'tools/call'],
  ['LoggingMessageNotification'],
  ['CancelledNotification'],
];

const SESSION: readonly Sample[] = MESSAGES.map((message, index) => {
  const [definition, method] = DEFINITIONS[index] ?? ['?'];
  return { text: JSON.stringify(message), definition, ...(method === undefined ? {} : { method }) };
});

function toolsOf(count: number): Sample {
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    title: `Tool ${index}`,
    description: 'Looks for files below a folder whose names match a pattern, and returns what it found in them.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Where to look' },
        pattern: { type: 'string', minLength: 1 },
        limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['path', 'pattern'],
    },
    annotations: { title: `Tool ${index}`, readOnlyHint: true, openWorldHint: false },
  }));
  const text = JSON.stringify({ jsonrpc: '2.0', id: count, result: { tools, nextCursor: 'page-2' } });
  return { text, definition: 'ListToolsResult', method: 'tools/list' };
}

export const CORPORA: Readonly<Record<string, readonly Sample[]>> = {
  session: SESSION,
  'session and a list of 20 tools': [...SESSION, toolsOf(20)],
};

interface Item {
  readonly definition: string;
  readonly method: string | undefined;
  /** The whole message. */
  readonly message: unknown;
  /** What is of the definition: the message or its result. */
  readonly part: unknown;
}

function itemOf({ text, definition, method }: Sample): Item {
  const message = JSON.parse(text) as Record<string, unknown>;
  return { definition, method, message, part: 'result' in message ? message['result'] : message };
}

type Module = Readonly<Record<string, unknown>>;
interface ZodSchema {
  readonly safeParse: (value: unknown) => { readonly success: boolean };
}

/** Calls one function for each item; the items' own functions are looked up before. */
function sumOver<T>(items: readonly T[], measure: (item: T) => boolean): () => number {
  for (const item of items) {
    if (!measure(item)) throw new Error(`is not valid: ${JSON.stringify(item).slice(0, 300)}`);
  }
  return () => {
    let sum = 0;
    for (const item of items) if (measure(item)) sum += 1;
    return sum;
  };
}

export const CONTENDERS: Readonly<
  Record<string, (samples: readonly Sample[], scratch: string) => Promise<() => number> | (() => number)>
> = {
  'JSON.parse': (samples) => sumOver(samples, ({ text }) => JSON.parse(text) !== null),
  classify: async (samples) => {
    const { classify } = (await generated()) as { classify: (value: unknown) => { kind: string } };
    return sumOver(samples.map(itemOf), ({ message }) => classify(message).kind !== 'invalid');
  },
  'by hand, the same checks': (samples) =>
    sumOver(samples.map(itemOf), ({ message }) => classifyByHand(message).kind !== 'invalid'),
  'isRequest, isNotification or isResponse': async (samples) => {
    const module = await generated();
    const guards = samples.map(itemOf).map(({ message }) => {
      const names = ['isRequest', 'isNotification', 'isResponse'];
      const guard = names.map((name) => module[name] as (value: unknown) => boolean).find((is) => is(message));
      return { message, guard: guard ?? (() => false) };
    });
    return sumOver(guards, ({ message, guard }) => guard(message));
  },
  'isJSONRPCRequest of SDK v1': async (samples) => {
    const { isJSONRPCRequest } = await import('@modelcontextprotocol/sdk/types.js');
    return sumOver(samples.map(itemOf), ({ message }) => typeof isJSONRPCRequest(message) === 'boolean');
  },
  'isJSONRPCRequest of SDK v2': async (samples) => {
    const { isJSONRPCRequest } = await import('@modelcontextprotocol/server');
    return sumOver(samples.map(itemOf), ({ message }) => typeof isJSONRPCRequest(message) === 'boolean');
  },
  'deep isX': async (samples) => {
    const module = await generated();
    return sumOverParts(samples, (name) => module[`is${name}`] as (value: unknown) => boolean);
  },
  'deep validateX': async (samples) => {
    const module = await generated();
    // Called on the spot, as a user does: one more function in between costs a fifth of what a small message does.
    const items = samples.map((sample) => {
      const item = itemOf(sample);
      return { part: item.part, validate: module[`validate${item.definition}`] as Validator<unknown> };
    });
    return sumOver(items, ({ part, validate }) => validate(part).success);
  },
  'whole messages by method': async (samples) => {
    const module = (await generated()) as {
      validateRequestMessage: Validator<unknown>;
      validateNotificationMessage: Validator<unknown>;
      validateResponse: (method: string, value: unknown) => Validation<unknown>;
    };
    return sumOver(samples.map(itemOf), ({ message, method }) => {
      if (method !== undefined) return module.validateResponse(method, message).success;
      return typeof message === 'object' && message !== null && 'id' in message
        ? module.validateRequestMessage(message).success
        : module.validateNotificationMessage(message).success;
    });
  },
  'Ajv, compiled': (samples, scratch) => {
    const ajv = new Ajv2020({ validateFormats: false, strict: false, ownProperties: true });
    ajv.addSchema(JSON.parse(readFileSync(path.join(scratch, 'schema.json'), 'utf8')) as object);
    return sumOverParts(samples, (name) => {
      const validate = ajv.getSchema(`protocol#/$defs/${name}`);
      if (validate === undefined) throw new Error(`no definition is called ${name}`);
      return (value) => validate(value) === true;
    });
  },
  'Ajv, standalone code': async (samples, scratch) => {
    const module = (await import(pathToFileURL(path.join(scratch, 'ajv.cjs')).href)) as { default: Module };
    return sumOverParts(samples, (name) => module.default[name] as (value: unknown) => boolean);
  },
  'Zod of SDK v1': async (samples) => sumOverZod(samples, await import('@modelcontextprotocol/sdk/types.js')),
  'Zod of SDK v2': async (samples) => sumOverZod(samples, await import('@modelcontextprotocol/core')),
  'Zod of --emit zod': async (samples, scratch) =>
    sumOverZod(samples, (await import(pathToFileURL(path.join(scratch, 'zod.mjs')).href)) as Module),
};

async function generated(): Promise<Module> {
  return (await import(built(`${REVISION}/index`))) as Module;
}

function sumOverParts(
  samples: readonly Sample[],
  checkOf: (name: string) => (value: unknown) => boolean,
): () => number {
  const items = samples.map((sample) => ({ ...itemOf(sample), check: checkOf(sample.definition) }));
  return sumOver(items, ({ part, check }) => check(part));
}

function sumOverZod(samples: readonly Sample[], module: Module): () => number {
  return sumOverParts(samples, (name) => {
    const schema = module[`${name}Schema`] as ZodSchema;
    return (value) => schema.safeParse(value).success;
  });
}

/**
 * Nanoseconds of processor time of one call, once it is warm.
 *
 * @param loop - Returns a number, so that nothing is optimized away.
 */
export function processorTime(loop: () => number): number {
  let checksum = 0;
  const time = (count: number): number => {
    const start = process.cpuUsage();
    for (let index = 0; index < count; index += 1) checksum += loop();
    const { user, system } = process.cpuUsage(start);
    return (user + system) * 1000;
  };
  let count = 1;
  while (time(count) < 40e6) count *= 2;
  // The slowest of them are still being compiled after that.
  for (let warm = 0; warm < 2.5e8;) warm += time(count);
  const samples = Array.from({ length: 5 }, () => time(count) / count);
  if (checksum === 0) throw new Error('nothing was measured');
  return median(samples);
}

/** Nanoseconds of processor time for a message, in each corpus. */
export async function measureChecks(name: string, scratch: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (const samples of Object.values(CORPORA)) {
    const loop = await CONTENDERS[name]?.(samples, scratch);
    if (loop === undefined) throw new Error(`nothing is called ${name}`);
    times.push(processorTime(loop) / samples.length);
  }
  return times;
}

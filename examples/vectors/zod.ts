/** Answers of an implementation whose schemas are Zod's and are named as in both official SDKs: `ToolSchema`. */
import type { Answer, AdapterRequest, Frame, JsonValue } from './adapter.js';
import { memberOf, pointerOf } from './adapter.js';

/** What is used of a schema of Zod. */
interface Schema {
  safeParse(value: unknown): {
    success: boolean;
    error?: { issues: readonly { readonly path: readonly PropertyKey[] }[] };
  };
}

/** An SDK: its schemas by name, and its reader of a stream. */
export interface ZodSdk {
  readonly schemas: Readonly<Record<string, unknown>>;
  readonly createReader: () => { append(chunk: Buffer): void; readMessage(): object | null };
}

/** The results of requests; the SDKs have no table of them. */
const RESULTS: Readonly<Record<string, string>> = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'completion/complete': 'CompleteResult',
  'logging/setLevel': 'EmptyResult',
  'prompts/get': 'GetPromptResult',
  'prompts/list': 'ListPromptsResult',
  'resources/list': 'ListResourcesResult',
  'resources/read': 'ReadResourceResult',
  'resources/subscribe': 'EmptyResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/unsubscribe': 'EmptyResult',
  'tools/call': 'CallToolResult',
  'tools/list': 'ListToolsResult',
  'sampling/createMessage': 'CreateMessageResult',
  'roots/list': 'ListRootsResult',
  'elicitation/create': 'ElicitResult',
  'server/discover': 'DiscoverResult',
  'subscriptions/listen': 'SubscriptionsListenResult',
};

/** Answers a vector with what the schemas of an SDK say. */
export function answerWithZod({ schemas, createReader }: ZodSdk, request: AdapterRequest): Answer {
  const check = (name: string, value: JsonValue | undefined, place = ''): Answer => {
    const schema = schemas[`${name}Schema`] as Schema | undefined;
    if (schema === undefined) return { skip: `no ${name}Schema` };
    const { success, error } = schema.safeParse(value);
    return success ? { valid: true } : { valid: false, pointer: place + pointerOf(error?.issues[0]?.path ?? []) };
  };
  if (request.kind === 'definition') return check(request.definition, request.value);
  if (request.kind === 'framing') return { frames: readFrames(createReader(), request.chunks) };
  const { message, sender, answers } = request;
  // First what the transport checks, then what the handler of the message checks.
  const envelope = check('JSONRPCMessage', message);
  if ('valid' in envelope && !envelope.valid) return envelope;
  if (answers !== undefined) {
    if (memberOf(message, 'result') === undefined) return envelope;
    const result = RESULTS[answers];
    return result === undefined
      ? { skip: `no result of ${answers}` }
      : check(result, memberOf(message, 'result'), '/result');
  }
  const kind = memberOf(message, 'id') === undefined ? 'Notification' : 'Request';
  return check(`${sender === 'client' ? 'Client' : 'Server'}${kind}`, message);
}

/** The frames that the reader of an SDK finds; it throws for a line that is no message. */
function readFrames(reader: ReturnType<ZodSdk['createReader']>, chunks: readonly string[]): readonly Frame[] {
  const frames: Frame[] = [];
  for (const chunk of chunks) {
    reader.append(Buffer.from(chunk, 'base64'));
    for (;;) {
      try {
        const message = reader.readMessage();
        if (message === null) break;
        frames.push({ message: message as JsonValue });
      } catch (error) {
        frames.push({ error: error instanceof SyntaxError ? 'not-json' : 'not-a-message' });
      }
    }
  }
  return frames;
}

import { findDefinition, methodsFrom, type Method, type MessageKind, type Side } from '../model/protocol.js';
import { memberOf } from '../model/catalog/derive.js';
import { docComment } from '../print/doc-comment.js';
import { SourceFile } from '../print/source-file.js';
import { firstDefinition, messageHasMember, unionOf, importDefinition, type EmitContext } from './context.js';

const SIDE_PREFIXES: readonly (readonly [Side, string])[] = [
  ['client', 'Client'],
  ['server', 'Server'],
];

/** `messages.ts`: complete messages as they travel, in unions by who sends them. */
export function emitMessages(context: EmitContext): SourceFile {
  const file = new SourceFile('messages');
  emitUntypedMessages(file, context);
  emitResponseTypes(file, context);
  emitEnvelopes(file, context);
  for (const [side, prefix] of SIDE_PREFIXES) {
    for (const [kind, suffix] of [
      ['request', 'Request'],
      ['notification', 'Notification'],
    ] as const) {
      file.add(
        docComment({ text: `A ${kind} that a ${side} sends, complete as it travels.` }, new Set()),
        `export type ${prefix}${suffix}Message = ${unionOf(methodsFrom(context.protocol, side, kind).map((method) => wireType(file, context, method)))};\n`,
      );
    }
  }
  for (const [side, prefix] of SIDE_PREFIXES) {
    const peer: Side = side === 'client' ? 'server' : 'client';
    const answers = methodsFrom(context.protocol, peer, 'request').length > 0;
    const parts = [`${prefix}RequestMessage`, `${prefix}NotificationMessage`, ...(answers ? ['AnyResponse'] : [])];
    const note = answers ? '' : ` It answers nothing, since a ${peer} sends no requests.`;
    file.add(
      docComment({ text: `Any message that a ${side} sends; \`method\` tells them apart.${note}` }, new Set()),
      `export type ${prefix}Message = ${parts.join(' | ')};\n`,
    );
  }
  file.add(
    '/** Any message of either side; `method` tells them apart. */\n',
    'export type AnyMessage = ClientMessage | ServerMessage;\n',
  );
  file.add(
    '/** The message of a method, complete as it travels. */\n',
    `export type MessageOf<M extends ${file.importType('methods', 'Method')}> = Extract<AnyMessage, { method: M }>;\n`,
  );
  if (context.protocol.batches) emitBatches(file);
  return file;
}

/** Requests and notifications whose method was not looked at yet: the schema's own definitions, where it has them. */
function emitUntypedMessages(file: SourceFile, context: EmitContext): void {
  for (const kind of ['Request', 'Notification'] as const) {
    const definition = firstDefinition(context, `JSONRPC${kind}`);
    const type =
      definition === undefined
        ? `{ jsonrpc: "2.0";${kind === 'Request' ? ` id: ${requestId(file, context)};` : ''} method: string; params?: { [key: string]: unknown } }`
        : importDefinition(file, context, definition.name);
    file.add(
      docComment({ text: `Any ${kind.toLowerCase()}, its method not looked at yet.` }, new Set()),
      `export type Any${kind} = ${type};\n`,
    );
  }
}

function emitResponseTypes(file: SourceFile, context: EmitContext): void {
  const id = requestId(file, context);
  const result = firstDefinition(context, 'Result');
  const errorResponse = firstDefinition(context, 'JSONRPCErrorResponse', 'JSONRPCError');
  const error =
    errorResponse === undefined || memberOf(errorResponse.type, 'error') === undefined
      ? '{ code: number; message: string; data?: unknown }'
      : `${importDefinition(file, context, errorResponse.name)}["error"]`;
  file.add(
    '/** The answer to a request that succeeded. Which result it holds depends on the method of the request. */\n',
    `export type ResultResponse<R = ${result === undefined ? '{ [key: string]: unknown }' : importDefinition(file, context, result.name)}> = {
  jsonrpc: "2.0";
  id: ${id};
  method?: undefined;
  result: R;
  error?: undefined;
};
`,
  );
  file.add(
    '/** The answer to a request that failed. Its id is null or absent if that of the request could not be read. */\n',
    `export type ErrorResponse = {
  jsonrpc: "2.0";
  id?: ${id} | null;
  method?: undefined;
  result?: undefined;
  error: ${error};
};
`,
  );
  file.add('/** Any response. */\n', 'export type AnyResponse = ResultResponse | ErrorResponse;\n');
}

/** Old revisions define messages without their envelope: what they lack is added here. */
function emitEnvelopes(file: SourceFile, context: EmitContext): void {
  const bare = context.methods
    .filter(({ method }) => !messageHasMember(context, method, 'jsonrpc'))
    .map(({ method }) => method.kind);
  const note = 'which the definitions of this revision leave out.';
  if (bare.includes('request')) {
    file.add(
      docComment({ text: `What a request has around its method and params, ${note}` }, new Set()),
      `type RequestEnvelope = { jsonrpc: "2.0"; id: ${requestId(file, context)} };\n`,
    );
  }
  if (bare.includes('notification')) {
    file.add(
      docComment({ text: `What a notification has around its method and params, ${note}` }, new Set()),
      'type NotificationEnvelope = { jsonrpc: "2.0" };\n',
    );
  }
}

function wireType(file: SourceFile, context: EmitContext, method: Method): string {
  const name = importDefinition(file, context, method.message);
  if (messageHasMember(context, method, 'jsonrpc')) return name;
  return `(${envelopeName(method.kind)} & ${name})`;
}

function envelopeName(kind: MessageKind): string {
  return kind === 'request' ? 'RequestEnvelope' : 'NotificationEnvelope';
}

function requestId(file: SourceFile, context: EmitContext): string {
  const definition = findDefinition(context.protocol, 'RequestId');
  return definition === undefined ? 'string | number' : importDefinition(file, context, definition.name);
}

function emitBatches(file: SourceFile): void {
  file.add(
    '/** Messages in one array, which is never empty: JSON-RPC 2.0 §6 and MCP 2025-03-26, Base Protocol, Batching. */\n',
    'export type Batch<Message> = [Message, ...Message[]];\n',
  );
  for (const [side, prefix] of SIDE_PREFIXES) {
    file.add(
      docComment(
        { text: `A batch that a ${side} sends: requests and notifications in any order, or responses only.` },
        new Set(),
      ),
      `export type ${prefix}Batch = Batch<${prefix}RequestMessage | ${prefix}NotificationMessage> | Batch<AnyResponse>;\n`,
    );
  }
}

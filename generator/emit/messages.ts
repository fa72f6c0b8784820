import { methodsFrom, peerOf, SIDES, type Method, type MessageKind, type Side } from '../model/protocol.js';
import { memberOf } from '../model/catalog/derive.js';
import { docComment } from '../print/doc-comment.js';
import { SourceFile } from '../print/source-file.js';
import {
  aSide,
  importDefinition,
  messageHasMember,
  ownTypeName,
  sideName,
  traitDefinition,
  unionOf,
  type EmitContext,
} from './context.js';

/** The type of any message of a side. */
function sideMessage(context: EmitContext, side: Side): string {
  const name = `${sideName(context, side)}Message`;
  return ownTypeName(context, name, `Any${name}`);
}

/** The sides with the prefix of their types. */
function sidePrefixes(context: EmitContext): readonly (readonly [Side, string])[] {
  return SIDES.map((side) => [side, sideName(context, side)]);
}

/** `messages.ts`: complete messages as they are sent, in unions by sender. */
export function emitMessages(context: EmitContext): SourceFile {
  const file = new SourceFile('messages');
  emitUntypedMessages(file, context);
  emitResponseTypes(file, context);
  emitEnvelopes(file, context);
  for (const [side, prefix] of sidePrefixes(context)) {
    for (const [kind, suffix] of [
      ['request', 'Request'],
      ['notification', 'Notification'],
    ] as const) {
      file.declare('type', `${prefix}${suffix}Message`, {
        doc: docComment({ text: `A complete ${kind} that ${aSide(context, side)} sends.` }, new Set()),
        code: ` = ${unionOf(methodsFrom(context.protocol, side, kind).map((method) => wireType(file, context, method)))};`,
      });
    }
  }
  for (const [side, prefix] of sidePrefixes(context)) {
    const peer = peerOf(side);
    const answers = methodsFrom(context.protocol, peer, 'request').length > 0;
    const parts = [`${prefix}RequestMessage`, `${prefix}NotificationMessage`, ...(answers ? ['AnyResponse'] : [])];
    const note = answers ? '' : ` It has no responses, since ${aSide(context, peer)} sends no requests.`;
    file.declare('type', sideMessage(context, side), {
      doc: docComment(
        { text: `Any message that ${aSide(context, side)} sends; \`method\` tells them apart.${note}` },
        new Set(),
      ),
      code: ` = ${parts.join(' | ')};`,
    });
  }
  file.declare('type', 'AnyMessage', {
    doc: '/** Any message of either side; `method` tells them apart. */',
    code: ` = ${SIDES.map((side) => sideMessage(context, side)).join(' | ')};`,
  });
  file.declare('type', 'MessageOf', {
    doc: '/** The complete message of a method. */',
    code: `<M extends ${file.importType('methods', 'Method')}> = Extract<AnyMessage, { method: M }>;`,
  });
  if (context.protocol.batches) emitBatches(file, context);
  return file;
}

/** Requests and notifications of any method: the schema's own definitions, if it has them. */
function emitUntypedMessages(file: SourceFile, context: EmitContext): void {
  const { envelope } = context.protocol.traits;
  for (const kind of ['Request', 'Notification'] as const) {
    const definition = traitDefinition(context, envelope?.[kind === 'Request' ? 'request' : 'notification']);
    const type =
      definition === undefined
        ? `{ jsonrpc: "2.0";${kind === 'Request' ? ` id: ${requestId(file, context)};` : ''} method: string; params?: { [key: string]: unknown } }`
        : importDefinition(file, context, definition.name);
    file.declare('type', `Any${kind}`, {
      doc: docComment({ text: `Any ${kind.toLowerCase()}, whatever its method.` }, new Set()),
      code: ` = ${type};`,
    });
  }
}

function emitResponseTypes(file: SourceFile, context: EmitContext): void {
  const id = requestId(file, context);
  const { envelope } = context.protocol.traits;
  const result = traitDefinition(context, envelope?.result);
  const errorResponse = traitDefinition(context, envelope?.errorResponse);
  const error =
    errorResponse === undefined || memberOf(errorResponse.type, 'error') === undefined
      ? '{ code: number; message: string; data?: unknown }'
      : `${importDefinition(file, context, errorResponse.name)}["error"]`;
  file.declare('type', 'ResultResponse', {
    doc: '/** The response to a request that succeeded. Its result depends on the method of the request. */',
    code: `<R = ${result === undefined ? '{ [key: string]: unknown }' : importDefinition(file, context, result.name)}> = {
  jsonrpc: "2.0";
  id: ${id};
  method?: undefined;
  result: R;
  error?: undefined;
};`,
  });
  file.declare('type', 'ErrorResponse', {
    doc: '/** The response to a request that failed. Its id is null or absent if the id of the request could not be read. */',
    code: ` = {
  jsonrpc: "2.0";
  id?: ${id} | null;
  method?: undefined;
  result?: undefined;
  error: ${error};
};`,
  });
  file.declare('type', 'AnyResponse', {
    doc: '/** Any response. */',
    code: ' = ResultResponse | ErrorResponse;',
  });
}

/** Old revisions define messages without their envelope, which is added here. */
function emitEnvelopes(file: SourceFile, context: EmitContext): void {
  const bare = context.methods
    .filter(({ method }) => !messageHasMember(context, method, 'jsonrpc'))
    .map(({ method }) => method.kind);
  const note = 'which the definitions of this revision omit.';
  if (bare.includes('request')) {
    file.declareLocal('type', 'RequestEnvelope', {
      doc: docComment({ text: `The envelope of a request, ${note}` }, new Set()),
      code: ` = { jsonrpc: "2.0"; id: ${requestId(file, context)} };`,
    });
  }
  if (bare.includes('notification')) {
    file.declareLocal('type', 'NotificationEnvelope', {
      doc: docComment({ text: `The envelope of a notification, ${note}` }, new Set()),
      code: ' = { jsonrpc: "2.0" };',
    });
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
  const definition = traitDefinition(context, context.protocol.traits.envelope?.requestId);
  return definition === undefined ? 'string | number' : importDefinition(file, context, definition.name);
}

function emitBatches(file: SourceFile, context: EmitContext): void {
  const { specification } = context.protocol.traits;
  const source = specification?.batches === undefined ? '' : ` and ${specification.batches}`;
  file.declare('type', 'Batch', {
    doc: docComment({ text: `A non-empty array of messages: JSON-RPC 2.0 §6${source}.` }, new Set()),
    code: '<Message> = [Message, ...Message[]];',
  });
  for (const [side, prefix] of sidePrefixes(context)) {
    file.declare('type', `${prefix}Batch`, {
      doc: docComment(
        {
          text: `A batch that ${aSide(context, side)} sends: requests and notifications in any order, or responses only.`,
        },
        new Set(),
      ),
      code: ` = Batch<${prefix}RequestMessage | ${prefix}NotificationMessage> | Batch<AnyResponse>;`,
    });
  }
}

/**
 * The files of a protocol that is plain JSON-RPC between two sides: its value for the runtime, and one file for each side
 * with typed handlers and calls.
 */
import { memberOf } from '../model/types/members.js';
import {
  findDefinition,
  methodsFrom,
  peerOf,
  SIDES,
  sideWords,
  type Method,
  type Protocol,
  type Side,
} from '../model/protocol.js';
import { camelCase } from '../model/naming.js';
import { docComment } from '../print/doc-comment.js';
import { memberName } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { printValue, templateText } from '../print/value.js';
import { capitalizeFirst } from '../text.js';
import { refuseCallNames } from './calls.js';
import {
  aSide,
  importDefinition,
  sideLiteral,
  sideName,
  traitDefinition,
  unionOf,
  type EmitContext,
} from './context.js';

/** `revision.ts`: what the runtime knows about the protocol. */
export function emitPeerProtocol(context: EmitContext): SourceFile {
  const { protocol } = context;
  const { cancellation, progress, handshake, extensionMethods } = protocol.traits;
  const opener = openerOf(protocol);
  const rule = opener === undefined ? undefined : { opener: sideWords(protocol)[opener], ...handshake };
  const file = new SourceFile('revision');
  const method = file.importType('methods', 'Method');
  const side = file.importType('methods', 'Side');
  const members = [
    `classify: ${file.importValue('guards', 'classify')}`,
    `lookupMethod: (message, sender) => ${file.importValue('guards', 'lookupMethod')}(message as ${file.importType('messages', 'AnyRequest')} | ${file.importType('messages', 'AnyNotification')}, sender)`,
    `validateParams: (method, params) => ${file.importValue('validators', 'validateParams')}(method as ${method}, params)`,
    `validateResult: (method, result) => ${file.importValue('validators', 'validateResult')}(method as ${file.importType('methods', 'RequestMethod')}, result)`,
    ...(cancellation === undefined ? [] : [`cancellation: ${printValue({ ...cancellation })}`]),
    ...(progress === undefined ? [] : [`progress: ${printValue({ ...progress })}`]),
    ...(rule === undefined ? [] : [`handshake: ${printValue({ ...rule })}`]),
    ...(extensionMethods === undefined ? [] : [`extensionPrefix: ${JSON.stringify(extensionMethods.prefix ?? '')}`]),
  ];
  file.declare('const', 'revision', {
    doc: docComment({ text: `Revision ${protocol.version} as a value, for the connections of both sides.` }, new Set()),
    code: `: ${file.importType('runtime/peer', 'PeerProtocol')}<${side}> = {\n${members.join(',\n')},\n};`,
  });
  return file;
}

/** The side that opens the conversation; undefined if either may begin. */
function openerOf({ traits, methods }: Protocol): Side | undefined {
  const opening = methods.find(({ name }) => name === traits.handshake?.request);
  return opening === undefined
    ? undefined
    : SIDES.find((side) => opening.direction === `${side}To${capitalizeFirst(peerOf(side))}`);
}

/** `client.ts` or `server.ts`, named after the side: its handlers, and its connections to the other side. */
export function emitSide(context: EmitContext, side: Side): SourceFile {
  const file = new SourceFile(side, { fileName: sideWords(context.protocol)[side] });
  emitContexts(file, context, side);
  emitHandlers(file, context, side);
  emitConnection(file, context, side);
  emitOptions(file, context, side);
  emitFactory(file, context, side);
  return file;
}

function emitContexts(file: SourceFile, context: EmitContext, side: Side): void {
  const { peer, peerName, name } = wordsOf(context, side);
  file.declare('interface', `${name}Context`, {
    doc: docComment({ text: `What the handlers of ${aSide(context, side)} get in addition to the params.` }, new Set()),
    code: ` {
  /** The connection to the ${peer} that sent the message. */
  readonly ${memberName(peer)}: ${peerName}Connection;
}`,
  });
  file.declare('interface', `${name}RequestContext`, {
    doc: '/** The context of a request, with its id and a signal that is aborted if it is cancelled. */',
    code: ` extends ${name}Context, ${file.importType('runtime/peer', 'PeerContext')} {}`,
  });
}

function emitHandlers(file: SourceFile, context: EmitContext, side: Side): void {
  const { peer, name } = wordsOf(context, side);
  const { cancellation, progress } = context.protocol.traits;
  const own = new Set([cancellation?.method, progress?.method]);
  const rows = (kind: 'request' | 'notification'): string =>
    methodsFrom(context.protocol, peerOf(side), kind)
      .filter((method) => !own.has(method.name))
      .map((method) => {
        const result = kind === 'request' ? resultType(file, context, method) : 'void';
        const type = kind === 'request' ? `${name}RequestContext` : `${name}Context`;
        const params = method.params === null ? 'undefined' : paramsType(file, context, method);
        return `${methodDoc(context, method)}readonly ${memberName(method.name)}?: (params: ${params}, context: ${type}) => ${result} | Promise<${result}>;\n`;
      })
      .join('');
  const declareHandlers = (kind: 'request' | 'notification', type: string): void => {
    const text = `Handlers of ${kind}s from ${aSide(context, peerOf(side))}, by method.`;
    const more = kind === 'request' ? ` A request without a handler is answered with -32601.` : '';
    const members = rows(kind);
    file.declare('type', type, {
      doc: docComment({ text: text + more }, new Set()),
      code: members === '' ? ` = { readonly [method: string]: never };` : ` = {\n${members}};`,
    });
  };
  declareHandlers('request', `${name}Handlers`);
  declareHandlers('notification', `${name}NotificationHandlers`);
  if (context.protocol.traits.extensionMethods === undefined) return;
  const { params, result, notification } = extensionTypes(file, context);
  file.declare('type', `${name}ExtensionHandlers`, {
    doc: docComment(
      { text: `Handlers of methods from ${aSide(context, peerOf(side))} that the protocol does not define.` },
      new Set([peer]),
    ),
    code: ` = ${file.importType('runtime/peer', 'ExtensionHandlers')}<${name}Context, ${params}, ${result}, ${notification}>;`,
  });
}

function emitConnection(file: SourceFile, context: EmitContext, side: Side): void {
  const { protocol } = context;
  const { peer, peerName } = wordsOf(context, side);
  const literal = sideLiteral(context, side);
  file.importType('methods', 'ParamsOf');
  file.importType('methods', 'ResultOf');
  const requests = methodsFrom(protocol, side, 'request');
  file.declareLocal('type', 'Requests', {
    doc: docComment({ text: `Requests that ${aSide(context, side)} sends, with params and results.` }, new Set()),
    code: ` = { [M in ${file.importType('methods', 'RequestMethod')}<${literal}>]: { params: ParamsOf<M>; result: ResultOf<M> } };`,
  });
  file.declareLocal('type', 'Notifications', {
    doc: docComment({ text: `Notifications that ${aSide(context, side)} sends, with params.` }, new Set()),
    code: ` = { [M in ${file.importType('methods', 'NotificationMethod')}<${literal}>]: ParamsOf<M> };`,
  });
  refuseCallNames(
    protocol,
    requests.map((method) => ({ method, name: callName(context, method) })),
    'PeerConnection',
    `${peerName}Connection`,
  );
  const calls = requests.map((method) => printCall(file, context, method));
  const base = file.importValue('runtime/peer', 'PeerConnection');
  file.declare('class', `${peerName}Connection`, {
    doc: docComment(
      { text: `A connection to ${aSide(context, peerOf(side))}: a method for each request that the ${peer} answers.` },
      new Set(),
    ),
    code: ` extends ${base}<Requests, Notifications, ${file.importType('methods', 'Side')}> {\n${[...calls, ...printExtensionCalls(file, context)].join('\n')}}`,
  });
}

function printCall(file: SourceFile, context: EmitContext, method: Method): string {
  const options = `options?: ${file.importType('runtime/jsonrpc/endpoint', 'CallOptions')}`;
  const result = resultType(file, context, method);
  const type = method.params === null ? undefined : paramsType(file, context, method);
  const isOptional = memberOf(findDefinition(context.protocol, method.message)?.type, 'params')?.required === false;
  const params = type === undefined ? '' : `params${isOptional ? '?' : ''}: ${type}, `;
  return `${methodDoc(context, method)}${callName(context, method)}(${params}${options}): Promise<${result}> {
  return this.request(${JSON.stringify(method.name)}, ${type === undefined ? 'undefined' : 'params'}, options);
}
`;
}

function printExtensionCalls(file: SourceFile, context: EmitContext): readonly string[] {
  const { extensionMethods } = context.protocol.traits;
  if (extensionMethods === undefined) return [];
  const { prefix } = extensionMethods;
  const name = prefix === undefined ? 'string' : `\`${templateText(prefix)}\${string}\``;
  const options = file.importType('runtime/jsonrpc/endpoint', 'CallOptions');
  return [
    `/** Sends a request that the protocol does not define. Its result is not validated. */
override requestExtension(method: ${name}, params?: object, options?: ${options}): Promise<object> {
  return super.requestExtension(method, params, options);
}
`,
    `/** Sends a notification that the protocol does not define. */
override notifyExtension(method: ${name}, params?: object): void {
  super.notifyExtension(method, params);
}
`,
  ];
}

function emitOptions(file: SourceFile, context: EmitContext, side: Side): void {
  const { peer, name } = wordsOf(context, side);
  const extensions =
    context.protocol.traits.extensionMethods === undefined
      ? ''
      : `/** Handlers of methods that the protocol does not define. */\nreadonly extensions?: ${name}ExtensionHandlers;\n`;
  file.declare('interface', `${name}Options`, {
    doc: docComment({ text: `Options of ${aSide(context, side)}.` }, new Set()),
    code: ` extends ${file.importType('runtime/peer', 'PeerSettings')} {
  /** Handlers of requests from the ${peer}, by method. */
  readonly handlers?: ${name}Handlers;
  /** Handlers of notifications from the ${peer}, by method. */
  readonly notifications?: ${name}NotificationHandlers;
  ${extensions}}`,
  });
}

function emitFactory(file: SourceFile, context: EmitContext, side: Side): void {
  const { peer, peerName, name, word } = wordsOf(context, side);
  const opening = openerOf(context.protocol) === side ? printOpening(file, context, side) : undefined;
  file.importType('runtime/jsonrpc/transport', 'Transport');
  file.declare('interface', name, {
    doc: docComment(
      { text: `${capitalizeFirst(aSide(context, side))} that can connect any number of times.` },
      new Set(),
    ),
    code: ` {
  /**
   * Connects to ${aSide(context, peerOf(side))}, and handles what it sends.
   *
   * @throws Error if the transport cannot start.
   */
  connect(this: void, transport: Transport): Promise<${peerName}Connection>;
  ${opening?.member ?? ''}}`,
  });
  file.declare('function', `create${name}`, {
    doc: `/**
 * Creates ${aSide(context, side)}. Call \`await ${word}.connect(transport)\` next: the result has the methods of the ${peer}.
 *
 * @throws TypeError if a handler is for a method that no ${peer} sends.
 */`,
    code: `(options: ${name}Options = {}): ${name} {
  const side = { protocol: ${file.importValue('revision', 'revision')}, peer: ${sideLiteral(context, peerOf(side))} } as const;
  ${file.importValue('runtime/peer', 'checkHandlers')}(side, options);
  const connect = async (transport: Transport): Promise<${peerName}Connection> => {
    const connection = new ${peerName}Connection(side, options);
    await connection.open(transport);
    return connection;
  };
  return { connect${opening?.value ?? ''} };
}`,
  });
}

/** The member of a side that connects and opens the conversation: its type, and its value. */
function printOpening(
  file: SourceFile,
  context: EmitContext,
  side: Side,
): { readonly member: string; readonly value: string } | undefined {
  const { handshake } = context.protocol.traits;
  const method = context.protocol.methods.find(({ name }) => name === handshake?.request);
  if (handshake === undefined || method === undefined) return undefined;
  const { peer, peerName } = wordsOf(context, side);
  const params = method.params === null ? '' : `, params: ${paramsType(file, context, method)}`;
  const options = `options?: ${file.importType('runtime/jsonrpc/endpoint', 'CallOptions')}`;
  const result = resultType(file, context, method);
  const ready = findMethod(context, handshake.ready);
  const message = ready === undefined ? undefined : findDefinition(context.protocol, ready.message);
  const readyParams = memberOf(message?.type, 'params')?.required === true ? ', {}' : '';
  return {
    member: `/**
   * Connects to ${aSide(context, peerOf(side))} and opens the conversation: sends \`${method.name}\`, and after its result
   * \`${handshake.ready}\`. From then on the ${peer} may send messages.
   *
   * @throws RpcError if the ${peer} refuses; InvalidResultError; TimeoutError; ConnectionClosedError; Error if the
   *   transport cannot start. The connection is then closed.
   */
  open(this: void, transport: Transport${params}, ${options}): Promise<{ readonly ${memberName(peer)}: ${peerName}Connection; readonly result: ${result} }>;
`,
    value: `,
    open: async (transport, ${method.params === null ? '' : 'params, '}callOptions) => {
      const connection = await connect(transport);
      try {
        const result = await connection.${callName(context, method)}(${method.params === null ? '' : 'params, '}callOptions);
        connection.notify(${JSON.stringify(handshake.ready)}${readyParams});
        return { ${memberName(peer)}: connection, result };
      } catch (error) {
        await connection.close();
        throw error;
      }
    }`,
  };
}

function findMethod({ protocol }: EmitContext, name: string): Method | undefined {
  return protocol.methods.find((method) => method.name === name);
}

/** The words for a side and its peer, alone and as parts of names. */
function wordsOf(
  context: EmitContext,
  side: Side,
): { readonly word: string; readonly name: string; readonly peer: string; readonly peerName: string } {
  const words = sideWords(context.protocol);
  const peer = peerOf(side);
  return { word: words[side], name: sideName(context, side), peer: words[peer], peerName: sideName(context, peer) };
}

/**
 * The name of the method that sends a request: that of its message, or of its params if the schema has only them, such as
 * `newSession` for `NewSessionRequest`. Where several methods have the same params, it is that of the method.
 */
function callName({ protocol, sharedParams }: EmitContext, { params, name, message }: Method): string {
  const isBuilt = findDefinition(protocol, message)?.isBuilt === true;
  if (isBuilt && sharedParams.has(params)) return camelCase(name);
  const stem = (isBuilt ? params : message)?.replace(/(?:Request)?(?:\.params|Params)?$/, '') ?? '';
  const { definitionPrefix = '' } = protocol.traits;
  const short = stem.startsWith(definitionPrefix) ? stem.slice(definitionPrefix.length) : stem;
  return camelCase(short === '' ? name : short);
}

/** The type of a method's params: a definition, or that of the message if the params are written there. */
function paramsType(file: SourceFile, context: EmitContext, { params, name, message }: Method): string {
  if (params !== null && findDefinition(context.protocol, message)?.isBuilt === true)
    return importDefinition(file, context, params);
  return `${file.importType('methods', 'ParamsOf')}<${JSON.stringify(name)}>`;
}

function resultType(file: SourceFile, context: EmitContext, { results }: Method): string {
  return unionOf(results.map((name) => importDefinition(file, context, name))).replace(/^\n {2}\| ([^\n]*)$/, '$1');
}

function extensionTypes(
  file: SourceFile,
  context: EmitContext,
): { readonly params: string; readonly result: string; readonly notification: string } {
  const { extensionMethods } = context.protocol.traits;
  const typeOf = (name: string | undefined): string => {
    const definition = traitDefinition(context, name);
    return definition === undefined ? 'unknown' : importDefinition(file, context, definition.name);
  };
  return {
    params: typeOf(extensionMethods?.request),
    result: typeOf(extensionMethods?.result),
    notification: typeOf(extensionMethods?.notification),
  };
}

function methodDoc({ printer }: EmitContext, { summary, deprecated }: Method): string {
  return docComment({ text: summary, deprecated }, printer.linkable);
}

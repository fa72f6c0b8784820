import {
  directionWord,
  methodsFrom,
  SIDES,
  sideWords,
  type Method,
  type MessageKind,
  type Side,
} from '../model/protocol.js';
import { docComment } from '../print/doc-comment.js';
import { literalKey, memberName, type MethodWithConstant } from '../print/names.js';
import { exported, SourceFile, type Declaration } from '../print/source-file.js';
import { messageHasMember, sideLiteral, unionOf, importDefinition, type EmitContext } from './context.js';

/** `methods.ts`: method names as constants, the catalog as data, and the maps from a method to its types. */
export function emitMethods(context: EmitContext): SourceFile {
  const { protocol } = context;
  const file = new SourceFile('methods');
  file.declare('const', 'PROTOCOL_VERSION', {
    doc: docComment({ text: `The revision of ${protocol.name} that these files implement.` }, new Set()),
    code: ` = ${JSON.stringify(protocol.version)};`,
  });
  emitConstants(file, context);
  emitMethodInfo(file, context);
  emitMethodMaps(file, context);
  if (protocol.traits.inputRequired !== undefined) emitEmbeddedMethods(file, context);
  emitMethodUnions(file, context);
  emitHandlerTypes(file, context);
  emitHandlerCalls(file);
  return file;
}

function declareConstants(
  name: string,
  methods: readonly MethodWithConstant[],
  text: string,
  linkable: ReadonlySet<string>,
): Declaration {
  const rows = methods.map(({ constant, method }) => {
    const origin = method.extension === undefined ? '' : ` Extension \`${method.extension}\`.`;
    const doc = docComment({ text: `${method.summary}${origin}`, deprecated: method.deprecated }, linkable);
    return `${doc}${memberName(constant)}: ${JSON.stringify(method.name)},\n`;
  });
  return exported('const', name, { doc: docComment({ text }, linkable), code: ` = {\n${rows.join('')}} as const;` });
}

function emitConstants(file: SourceFile, { methods, printer }: EmitContext): void {
  file.add(
    declareConstants('METHODS', methods, 'All methods that are separate messages, by constant.', printer.linkable),
  );
  file.declare('type', 'Method', {
    doc: '/** Name of a method. */',
    code: ' = (typeof METHODS)[keyof typeof METHODS];',
  });
}

function emitMethodInfo(file: SourceFile, { methods, protocol }: EmitContext): void {
  const { specification, tasks } = protocol.traits;
  const negotiated = specification?.capabilities === undefined ? '' : ` (${specification.capabilities})`;
  const directions = (['clientToServer', 'serverToClient', 'both'] as const).map((direction) =>
    JSON.stringify(directionWord(protocol, direction)),
  );
  file.declare('type', 'MethodInfo', {
    doc: '/** Information about a method in addition to its types. */',
    code: ` = {
  readonly kind: "request" | "notification";
  /** Who sends it. */
  readonly direction: ${directions.join(' | ')};
${docComment({ text: `Capabilities that must have been declared${negotiated}. One of each side if both may send the method: a request needs the receiver's, a notification the sender's.` }, new Set())}  readonly capabilities: readonly string[];
  /** Definitions of the possible results, the complete one first; empty for a notification. */
  readonly results: readonly string[];
${tasks === undefined ? '' : '  /** Definition of the result if the params ask for a task. */\n  readonly taskResult?: string;\n'}  readonly deprecated: boolean;
};`,
  });
  const rows = methods.map(({ method }) => {
    const members = [
      `kind: ${JSON.stringify(method.kind)}`,
      `direction: ${JSON.stringify(directionWord(protocol, method.direction))}`,
      `capabilities: ${JSON.stringify(method.capabilities)}`,
      `results: ${JSON.stringify(method.results)}`,
      ...(method.taskResult === undefined ? [] : [`taskResult: ${JSON.stringify(method.taskResult)}`]),
      `deprecated: ${method.deprecated !== undefined}`,
    ];
    return `${literalKey(method.name)}: { ${members.join(', ')} },\n`;
  });
  file.declare('const', 'METHOD_INFO', {
    doc: '/** The method catalog as data. */',
    code: ` = {\n${rows.join('')}} as const;`,
  });
}

function declareMap(name: string, doc: string, rows: readonly (readonly [string, string])[]): Declaration {
  const body =
    rows.length === 0
      ? 'Record<never, never>'
      : `{\n${rows.map(([key, type]) => `${memberName(key)}: ${type};\n`).join('')}}`;
  return exported('type', name, { doc: docComment({ text: doc }, new Set()), code: ` = ${body};` });
}

function emitMethodMaps(file: SourceFile, context: EmitContext): void {
  const wire = context.methods.map(({ method }) => method);
  const requests = wire.filter((method) => method.kind === 'request');
  const notifications = wire.filter((method) => method.kind === 'notification');
  const message = (method: Method): readonly [string, string] => [
    method.name,
    importDefinition(file, context, method.message),
  ];
  file.add(declareMap('RequestMap', 'The definition of each request.', requests.map(message)));
  file.add(declareMap('NotificationMap', 'The definition of each notification.', notifications.map(message)));
  file.add(
    declareMap(
      'ResultMap',
      'The result of each request.',
      requests.map((method) => [method.name, resultTypeOf(file, context, method)]),
    ),
  );
  if (context.protocol.traits.tasks === undefined) return;
  const tasks = requests.filter((method) => method.taskResult !== undefined);
  file.add(
    declareMap(
      'TaskResultMap',
      'The immediate result of a request whose params ask for a task.',
      tasks.map((method) => [method.name, importDefinition(file, context, method.taskResult ?? '')]),
    ),
  );
}

function resultTypeOf(file: SourceFile, context: EmitContext, method: Method): string {
  return method.results.map((name) => importDefinition(file, context, name)).join(' | ') || 'unknown';
}

function emitEmbeddedMethods(file: SourceFile, context: EmitContext): void {
  const methods = context.embedded.map(({ method }) => method);
  file.add(
    declareConstants(
      'EMBEDDED_METHODS',
      context.embedded,
      'Methods that are not separate messages: they are inside a result that requires input.',
      context.printer.linkable,
    ),
  );
  file.declare('type', 'EmbeddedMethod', {
    doc: '/** Name of a method inside results. */',
    code: ' = (typeof EMBEDDED_METHODS)[keyof typeof EMBEDDED_METHODS];',
  });
  file.add(
    declareMap(
      'EmbeddedRequestMap',
      'The definition of each embedded request.',
      methods.map((method) => [method.name, importDefinition(file, context, method.message)]),
    ),
  );
  file.add(
    declareMap(
      'EmbeddedResultMap',
      'The result of each embedded request, inside the retried request.',
      methods.map((method) => [method.name, resultTypeOf(file, context, method)]),
    ),
  );
}

function emitMethodUnions(file: SourceFile, context: EmitContext): void {
  const names = (side: Side, kind: MessageKind): string =>
    unionOf(methodsFrom(context.protocol, side, kind).map((method) => JSON.stringify(method.name)));
  file.declare('type', 'Side', {
    doc: '/** A side of the connection. */',
    code: ` = ${sideLiteral(context, 'client')} | ${sideLiteral(context, 'server')};`,
  });
  for (const [kind, name] of [
    ['request', 'Request'],
    ['notification', 'Notification'],
  ] as const) {
    file.declareLocal('type', `${name}MethodsBySender`, {
      code: ` = {\n${SIDES.map((side) => `${sideWords(context.protocol)[side]}: ${names(side, kind)};\n`).join('')}};`,
    });
    file.declare('type', `${name}Method`, {
      doc: `/** Name of a ${kind}; with a side, of one that this side sends. */`,
      code: `<Sender extends Side = Side> = ${name}MethodsBySender[Sender];`,
    });
  }
  const plain = context.methods.every(({ method }) => messageHasMember(context, method, 'params'));
  const params = plain
    ? '["params"]'
    : ' extends infer Message\n  ? "params" extends keyof Message ? Message["params"] : undefined\n  : never';
  file.declare('type', 'ParamsOf', {
    doc: '/** Params of a method, or `undefined` if they are optional. */',
    code: `<M extends Method> = (RequestMap & NotificationMap)[M]${params};`,
  });
  file.declare('type', 'ResultOf', {
    doc: '/** Result of a request: the member `result` of its response (JSON-RPC 2.0 §5). */',
    code: '<M extends RequestMethod> = ResultMap[M];',
  });
  if (context.protocol.traits.tasks === undefined) return;
  file.declare('type', 'TaskResultOf', {
    doc: '/** The result of a request whose params ask for a task; `never` if they cannot. */',
    code: '<M extends RequestMethod> = M extends keyof TaskResultMap ? TaskResultMap[M] : never;',
  });
}

function emitHandlerTypes(file: SourceFile, context: EmitContext): void {
  const { protocol } = context;
  const [client, server] = SIDES.map((side) => sideLiteral(context, side));
  file.declare('type', 'PeerOf', {
    doc: '/** The other side. */',
    code: `<S extends Side> = S extends ${client} ? ${server} : ${client};`,
  });
  file.declareLocal('type', 'Answer', {
    code: `<M extends RequestMethod> = ResultOf<M>${protocol.traits.tasks === undefined ? '' : ' | TaskResultOf<M>'};`,
  });
  for (const [kind, name, answer] of [
    ['request', 'Request', 'Answer<M>'],
    ['notification', 'Notification', 'void'],
  ] as const) {
    const handlers = `{\n[M in ${name}Method<PeerOf<Receiver>>]?: (params: ParamsOf<M>, context: Context) => ${answer} | Promise<${answer}>;\n}`;
    // A type without members would accept any object, but must reject handlers if a side receives nothing.
    const mayBeEmpty = SIDES.some((side) => methodsFrom(protocol, side, kind).length === 0);
    const type = mayBeEmpty
      ? `[${name}Method<PeerOf<Receiver>>] extends [never] ? { [method: string]: never } : ${handlers}`
      : handlers;
    file.declare('type', `${name}Handlers`, {
      doc: `/**
 * Handlers for ${kind}s, keyed by method: a method that the receiver is never sent does not compile.
 * {@link call${name}Handler} calls one of them, with a context of any type.
 */`,
      code: `<Receiver extends Side, Context = void> = ${type};`,
    });
  }
}

function emitHandlerCalls(file: SourceFile): void {
  file.declare('type', 'HandlerCall', {
    doc: '/** Whether a message has a handler, and what the handler returned. */',
    code: `<Result> =
  | { readonly found: true; readonly result: Result | Promise<Result> }
  | { readonly found: false };`,
  });
  for (const [kind, name, answer, unknown] of [
    [
      'request',
      'Request',
      'Answer<Message["method"]>',
      'respond with -32601, the method is not found (JSON-RPC 2.0 §5.1)',
    ],
    ['notification', 'Notification', 'void', 'ignore it, since a notification is never answered (JSON-RPC 2.0 §4.1)'],
  ] as const) {
    file.declare('function', `call${name}Handler`, {
      doc: `/**
 * Calls the handler of a ${kind}'s method with the ${kind}'s params.
 *
 * Only members of the table itself count, so a method such as \`toString\` has no handler.
 *
 * @param message - A ${kind} whose params have been validated.
 * @param context - What the handler receives as its second argument.
 * @returns \`found: false\` if the table has no handler: ${unknown}.
 * @throws What the handler throws, if it is not async.
 */`,
      code: `<Receiver extends Side, Context, Message extends ${name}Map[${name}Method<PeerOf<Receiver>>]>(
  handlers: ${name}Handlers<Receiver, Context>,
  message: Message,
  context: Context,
): HandlerCall<${answer}> {
  return callHandler(handlers, message, context);
}`,
    });
  }
  file.declareLocal('type', 'AnyCall', {
    code: ' = { readonly method: string; readonly params?: unknown };',
  });
  file.declareLocal('function', 'callHandler', {
    code: `(handlers: object, { method, params }: AnyCall, context: unknown): HandlerCall<never> {
  // A peer chooses the method, so inherited members such as \`constructor\` must not count.
  const handler: unknown = Object.hasOwn(handlers, method) ? Reflect.get(handlers, method) : undefined;
  if (typeof handler !== "function") return { found: false };
  return { found: true, result: Reflect.apply(handler, handlers, [params, context]) as never };
}`,
  });
}

import { constantCase } from '../model/naming.js';
import { methodsFrom, SIDES, sideWords, type MessageKind, type Side } from '../model/protocol.js';
import { cleanDocText, docComment, wrapText } from '../print/doc-comment.js';
import { memberName, printAccess } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { aSide, importDefinition, inputRequiredResult, sideLiteral, sideName, type EmitContext } from './context.js';

/** `guards.ts`: the kind of a JSON-RPC message, and its method. */
export function emitGuards(context: EmitContext): SourceFile {
  const file = new SourceFile('guards');
  emitClassify(file, context);
  emitJsonRpcGuards(file);
  emitMethodSets(file, context);
  emitHasMethod(file, context);
  emitDirectionGuards(file, context);
  emitLookup(file, context);
  if (context.protocol.traits.inputRequired !== undefined) emitRequiresInput(file, context);
  return file;
}

function emitClassify(file: SourceFile, { protocol }: EmitContext): void {
  const { batches } = protocol;
  const { specification } = protocol.traits;
  const stricter = specification?.envelope === undefined ? '' : ` by ${specification.envelope}`;
  const batchRules = specification?.batches === undefined ? '' : ` and ${specification.batches}`;
  const rules = `These are the rules of JSON-RPC 2.0 §4 and §5, made stricter${stricter}: the id of a request is not null, and params and results are objects.${batches ? ` For batches see JSON-RPC 2.0 §6${batchRules}.` : ''}`;
  for (const name of ['AnyRequest', 'AnyNotification', 'ResultResponse', 'ErrorResponse', 'AnyResponse'])
    file.importType('messages', name);
  file.declare('type', 'InvalidReason', {
    doc: '/** Why a value is not a JSON-RPC message of this protocol. */',
    code: ` =
  | "not an object"
  | "${batches ? 'an empty batch' : 'a batch, which this revision does not have'}"
  | "jsonrpc is not 2.0"
  | "neither method, result nor error"
  | "method together with result or error"
  | "result together with error"
  | "method is not a string"
  | "params is not an object"
  | "id is neither a string nor an integer"
  | "result is not an object"
  | "error is not an object with an integer code and a message"
  | "an unknown member";`,
  });
  file.declare('type', 'Classified', {
    doc: '/** A value, classified by its kind of JSON-RPC message. */',
    code: ` =
  | { readonly kind: "request"; readonly message: AnyRequest }
  | { readonly kind: "notification"; readonly message: AnyNotification }
  | { readonly kind: "result"; readonly message: ResultResponse }
  | { readonly kind: "error"; readonly message: ErrorResponse }
${batches ? '  | { readonly kind: "batch"; readonly messages: readonly unknown[] }\n' : ''}  | { readonly kind: "invalid"; readonly reason: InvalidReason };`,
  });
  file.declareLocal('type', 'Kind', {
    code: ' = Exclude<Classified["kind"], "invalid">;',
  });
  file.declare('function', 'classify', {
    doc: `/**
 * Classifies a value by its kind of message, or returns why it is not a message.
 *
 * Checks the envelope: \`jsonrpc\` is exactly \`"2.0"\`; a request has an id, a notification has none; ids are strings or
 * integers, and null only in an error response; exactly one of \`method\`, \`result\` and \`error\` is present; \`params\` and
 * \`result\` are objects. Does not check whether the method exists, nor the contents of params, result and error data.${
   batches ? '\n * The members of a batch are not checked: classify each of them.' : ''
 }
 *
${wrapText(cleanDocText(rules, new Set()), DOC_WIDTH)
  .map((line) => ` * ${line}`)
  .join('\n')}
 *
 * @param value - A parsed JSON value.
 * @param options - \`strict\`: an unknown member of the envelope makes the message invalid.
 */`,
    code: `(value: unknown, options?: { readonly strict?: boolean }): Classified {
  const kind = kindOf(value);
  switch (kind) {
    case "request":
    case "notification":
    case "result":
    case "error":
      if (options?.strict === true && hasUnknownMember(value as object, kind)) {
        return { kind: "invalid", reason: "an unknown member" };
      }
      return { kind, message: value } as Classified;
${batches ? '    case "batch":\n      return { kind, messages: value as readonly unknown[] };\n' : ''}    default:
      return { kind: "invalid", reason: kind };
  }
}`,
  });
  file.declareLocal('function', 'kindOf', {
    code: `(value: unknown): Kind | InvalidReason {
  if (typeof value !== "object" || value === null) return "not an object";
  if (Array.isArray(value)) ${
    batches
      ? 'return value.length === 0 ? "an empty batch" : "batch";'
      : 'return "a batch, which this revision does not have";'
  }
  const { jsonrpc, id, method, params, result, error } = value as { readonly [key: string]: unknown };
  if (jsonrpc !== "2.0") return "jsonrpc is not 2.0";
  if (method !== undefined) {
    if (result !== undefined || error !== undefined) return "method together with result or error";
    if (typeof method !== "string") return "method is not a string";
    if (params !== undefined && !isObject(params)) return "params is not an object";
    if (id === undefined) return "notification";
    return isId(id) ? "request" : "id is neither a string nor an integer";
  }
  if (result !== undefined) {
    if (error !== undefined) return "result together with error";
    if (!isId(id)) return "id is neither a string nor an integer";
    return isObject(result) ? "result" : "result is not an object";
  }
  if (error === undefined) return "neither method, result nor error";
  if (id !== undefined && id !== null && !isId(id)) return "id is neither a string nor an integer";
  return isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string"
    ? "error"
    : "error is not an object with an integer code and a message";
}`,
  });
  file.declareLocal('function', 'isObject', {
    code: `(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}`,
  });
  file.declareLocal('function', 'isId', {
    code: `(id: unknown): boolean {
  return typeof id === "string" || Number.isInteger(id);
}`,
  });
  file.declareLocal('function', 'hasUnknownMember', {
    code: `(message: object, kind: "request" | "notification" | "result" | "error"): boolean {
  for (const name of Object.keys(message)) {
    switch (name) {
      case "jsonrpc":
      case "id":
        continue;
      case "method":
      case "params":
        if (kind === "request" || kind === "notification") continue;
        return true;
      case "result":
      case "error":
        if (kind === name) continue;
        return true;
      default:
        return true;
    }
  }
  return false;
}`,
  });
}

function emitJsonRpcGuards(file: SourceFile): void {
  const guards = [
    ['isRequest', 'AnyRequest', 'kindOf(value) === "request"', 'a request: a message with a method and an id'],
    [
      'isNotification',
      'AnyNotification',
      'kindOf(value) === "notification"',
      'a notification: a message with a method and no id',
    ],
    ['isResultResponse', 'ResultResponse', 'kindOf(value) === "result"', 'a response with a result'],
    ['isErrorResponse', 'ErrorResponse', 'kindOf(value) === "error"', 'a response with an error'],
  ] as const;
  for (const [name, type, test, what] of guards) {
    file.declare('function', name, {
      doc: envelopeDoc(what),
      code: `(value: unknown): value is ${type} {
  return ${test};
}`,
    });
  }
  file.declare('function', 'isResponse', {
    doc: envelopeDoc('a response of either kind'),
    code: `(value: unknown): value is AnyResponse {
  const kind = kindOf(value);
  return kind === "result" || kind === "error";
}`,
  });
}

function envelopeDoc(what: string): string {
  const text = `Whether a value is ${what}. Checks the envelope as {@link classify} does, and nothing inside it.`;
  return docComment({ text }, new Set(['classify']));
}

/** The width of a paragraph in the long comments of this file. */
const DOC_WIDTH = 117;

/** Constants with the names of the methods that each side sends, by kind. */
function methodSets(context: EmitContext): readonly (readonly [string, Side, MessageKind])[] {
  return (['request', 'notification'] as const).flatMap((kind) =>
    SIDES.map((side) => [methodSetName(context, side, kind), side, kind] as const),
  );
}

function methodSetName({ protocol }: EmitContext, side: Side, kind: MessageKind): string {
  return constantCase(`${sideWords(protocol)[side]} ${kind}s`);
}

function emitMethodSets(file: SourceFile, context: EmitContext): void {
  const { protocol } = context;
  file.declareLocal('type', 'MethodSet', {
    doc: '/** Also called with a response, which has no method. */',
    code: ' = { has(method: string | undefined): boolean };',
  });
  for (const [name, side, kind] of methodSets(context)) {
    const methods = methodsFrom(protocol, side, kind).map((method) => JSON.stringify(method.name));
    file.declareLocal('const', name, {
      code: `: MethodSet = /* @__PURE__ */ new Set<string>([${methods.join(', ')}]);`,
    });
  }
}

function emitHasMethod(file: SourceFile, context: EmitContext): void {
  const isIn = (kind: MessageKind): string =>
    SIDES.map((side) => `${methodSetName(context, side, kind)}.has(method)`).join(' || ');
  const method = file.importType('methods', 'Method');
  const messageOf = file.importType('messages', 'MessageOf');
  file.declare('type', 'ClassifiedMessage', {
    doc: '/** A classified message. */',
    code: ' = AnyRequest | AnyNotification | AnyResponse;',
  });
  file.declare('function', 'hasMethod', {
    doc: `/**
 * Narrows a classified message to a method's type.
 *
 * Checks the method and its kind: a request has an id, a notification has none. Does not check the params; the
 * validators do.
 */`,
    code: `<M extends ${method}>(message: ClassifiedMessage, method: M): message is ${messageOf}<M> {
  return message.method === method && (hasId(message) ? isRequestMethod(method) : isNotificationMethod(method));
}`,
  });
  file.declareLocal('function', 'hasId', {
    code: `(message: { jsonrpc: "2.0"; id?: unknown }): boolean {
  return message.id !== undefined;
}`,
  });
  file.declareLocal('function', 'isRequestMethod', {
    code: `(method: string): boolean {
  return ${isIn('request')};
}`,
  });
  file.declareLocal('function', 'isNotificationMethod', {
    code: `(method: string): boolean {
  return ${isIn('notification')};
}`,
  });
}

function emitDirectionGuards(file: SourceFile, context: EmitContext): void {
  const { protocol } = context;
  for (const [set, side, kind] of methodSets(context)) {
    const Side = sideName(context, side);
    const Kind = kind === 'request' ? 'Request' : 'Notification';
    const type = file.importType('messages', `${Side}${Kind}Message`);
    const none = methodsFrom(protocol, side, kind).length === 0;
    const presence = kind === 'request' ? 'hasId(message)' : '!hasId(message)';
    file.declare('function', `is${Side}${Kind}`, {
      doc: `/**
 * Whether a classified message is a ${kind} that ${aSide(context, side)} may send.${
   none ? ` This revision has no such method, so it returns false.` : ''
 }
 *
 * Checks the method and whether the message has an id. Does not check the params.
 */`,
      code: `(message: ClassifiedMessage): message is ${type} {
  return ${presence} && ${set}.has(message.method);
}`,
    });
  }
}

function emitLookup(file: SourceFile, context: EmitContext): void {
  const type = file.importType('methods', 'Side');
  // With other words, the variables have names that this code does not use and that are not reserved words.
  const isDefault = context.protocol.traits.sides === undefined;
  const [client, server] = SIDES.map((side) => (isDefault ? side : `${sideWords(context.protocol)[side]}Methods`));
  const sets = (kind: MessageKind): string => SIDES.map((side) => methodSetName(context, side, kind)).join(', ');
  file.declare('function', 'lookupMethod', {
    doc: `/**
 * What a method name means in this revision when a side sends it as a request or a notification: \`known\`; \`unknown\`
 * (respond to a request with -32601); \`wrongDirection\` if only the other side may send it (the same); \`wrongKind\` if
 * a notification was sent as a request, or the reverse (respond to a request with -32600). The codes are those of
 * JSON-RPC 2.0 §5.1; a notification is never answered (§4.1).
 */`,
    code: `(
  message: AnyRequest | AnyNotification,
  sender: ${type},
): "known" | "unknown" | "wrongDirection" | "wrongKind" {
  const { method } = message;
  const [${client}, ${server}, isOtherKind] = hasId(message)
    ? [${sets('request')}, isNotificationMethod]
    : [${sets('notification')}, isRequestMethod];
  const [own, peer] = sender === ${sideLiteral(context, 'client')} ? [${client}, ${server}] : [${server}, ${client}];
  if (own.has(method)) return "known";
  if (isOtherKind(method)) return "wrongKind";
  return peer.has(method) ? "wrongDirection" : "unknown";
}`,
  });
}

function emitRequiresInput(file: SourceFile, context: EmitContext): void {
  const required = inputRequiredResult(context);
  if (required === undefined) {
    file.declare('function', 'requiresInput', {
      doc: '/** Whether a result requires input instead of being complete. This revision has no such results, so it returns false. */',
      code: `(_result: unknown): _result is never {
  return false;
}`,
    });
    return;
  }
  const inputRequired = importDefinition(file, context, required.result);
  file.declare('function', 'requiresInput', {
    doc: `/**
 * Whether a result requires input instead of being complete. Checks \`${cleanDocText(required.member, new Set())}\` only; a result without one, as older
 * servers send it, is complete.
 */`,
    code: `<R extends { readonly ${memberName(required.member)}?: string }>(
  result: R | ${inputRequired},
): result is ${inputRequired} {
  return result${printAccess(required.member)} === ${JSON.stringify(required.value)};
}`,
  });
}

import { findDefinition, methodsFrom, type Method } from '../model/protocol.js';
import { memberOf } from '../model/types/members.js';
import { docComment } from '../print/doc-comment.js';
import { memberName } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { importDefinition, traitDefinition, type EmitContext } from './context.js';
import { servedMethods } from './handled.js';
import { inputMethods, inputTypes } from './input.js';
import { membersWithDefault } from './revision.js';

/** `server.ts`: a server with typed handlers, over the shared runtime. */
export function emitServer(context: EmitContext): SourceFile {
  const file = new SourceFile('server');
  for (const name of ['HandlerContext', 'ServerSession', 'ServerSettings']) file.importType('runtime/server', name);
  file.importType('runtime/protocol/revision', 'Revision');
  file.importType('methods', 'ParamsOf');
  file.importType('methods', 'NotificationMethod');
  emitResultTypes(file, context);
  emitContextType(file, context);
  emitServerHandlers(file, context);
  emitServerOptions(file, context);
  emitCreateServer(file);
  return file;
}

function emitResultTypes(file: SourceFile, context: EmitContext): void {
  const served = servedMethods(context.protocol);
  const stateless = context.protocol.lifecycle === 'stateless';
  const { inputRequired } = context.protocol.traits;
  if (stateless) {
    const type = 'Omit<Result, Names> & Partial<Pick<Result, Names>>';
    // Without a condition, only the members that all variants of a union have would remain.
    const isObject = served.every(
      ({ results: [name = ''] }) => findDefinition(context.protocol, name)?.type.kind === 'object',
    );
    file.declareLocal('type', 'HandlerResult', {
      code: `<Result, Names extends keyof Result> = ${isObject ? type : `Result extends unknown ? ${type} : never`};`,
    });
  }
  const rows = served.map(
    (method) => `${memberName(method.name)}: ${printResultType(file, context, method, stateless)};\n`,
  );
  file.declare('type', 'HandlerResultMap', {
    doc: docComment(
      {
        text: stateless
          ? `The result that a handler returns, by method. The server adds ${inputRequired === undefined ? '' : `\`${inputRequired.member}\`, `}its own name, and how long a result may be cached, unless the handler sets them.`
          : 'The result that a handler returns, by method.',
      },
      new Set(),
    ),
    code: ` = {\n${rows.join('')}};`,
  });
}

function printResultType(file: SourceFile, context: EmitContext, method: Method, stateless: boolean): string {
  const [complete = '', ...others] = method.results;
  const own = importDefinition(file, context, complete);
  const { inputRequired } = context.protocol.traits;
  const filled = [
    ...(inputRequired === undefined ? [] : [inputRequired.member]),
    ...membersWithDefault(context, method),
  ].map((name) => JSON.stringify(name));
  return [
    stateless ? `HandlerResult<${own}, ${filled.join(' | ')}>` : own,
    ...[...others, ...(method.taskResult === undefined ? [] : [method.taskResult])].map((name) =>
      importDefinition(file, context, name),
    ),
  ].join(' | ');
}

function emitContextType(file: SourceFile, context: EmitContext): void {
  const { traits } = context.protocol;
  const level = traitDefinition(context, traits.roles?.logLevel);
  const asked = inputMethods(context);
  const onWire = methodsFrom(context.protocol, 'server', 'request');
  const { requests, answers } = inputTypes(file, context);
  const capabilities = traitDefinition(context, traits.capabilities?.client);
  const members = [
    capabilities === undefined
      ? ''
      : `/** The name, version and capabilities of the client that sent the request. */
readonly client: ${file.importType('runtime/server', 'ClientInfo')}<${importDefinition(file, context, capabilities.name)}>;
`,
    level === undefined
      ? ''
      : `/**
 * Sends a log message to the client, if the server declares \`logging\` and the client wants messages of this level.
 * \`logger\` names the part of the program that logs.
 */
log(this: void, level: ${importDefinition(file, context, level.name)}, data: unknown, logger?: string): void;
`,
    `/**
 * Sends a notification. One of changes (\`notifications/tools/list_changed\`, \`notifications/resources/updated\` and
 * the like) goes to every client that should know, as with \`server.notify\`; any other belongs to the request.
 */
notify<M extends NotificationMethod<"server">>(this: void, method: M, params?: ParamsOf<M>): void;
`,
  ];
  if (onWire.length > 0) {
    members.push(`/** Sends a request to the client, and waits for its result. */
request<M extends ${file.importType('methods', 'RequestMethod')}<"server">>(
  this: void,
  method: M,
  params?: ParamsOf<M>,
  options?: ${file.importType('runtime/jsonrpc/endpoint', 'CallOptions')},
): Promise<${file.importType('methods', 'ResultOf')}<M>>;
`);
    for (const method of asked) {
      const [result = ''] = method.results;
      const answer = importDefinition(file, context, result);
      const isForm = method.name === traits.roles?.form;
      if (isForm) file.importType('runtime/server/elicitation', 'ReadonlyJson');
      const params = `ParamsOf<${JSON.stringify(method.name)}>`;
      members.push(
        docComment({ text: method.summary, deprecated: method.deprecated }, new Set()),
        isForm
          ? `${shortName(method)}<const Params extends ReadonlyJson<${params}>>(this: void, params: Params, options?: CallOptions): Promise<ElicitAnswer<Params, ${answer}>>;\n`
          : `${shortName(method)}(this: void, params${areParamsOptional(context, method) ? '?' : ''}: ${params}, options?: CallOptions): Promise<${answer}>;\n`,
      );
    }
  }
  if (asked.length > 0) {
    members.push(
      docComment({ text: REQUIRE_INPUT_DOC }, new Set()),
      `requireInput<const Requests extends Readonly<Record<string, ${requests}>>>(
  this: void,
  requests: Requests,
  state?: unknown,
): Promise<${answers}<Requests>>;\n`,
    );
  }
  const loose = [
    ...(capabilities === undefined ? [] : ['client']),
    'log',
    'notify',
    'request',
    'requireInput',
    ...(traits.roles?.contextMethods ?? []),
  ].map((name) => JSON.stringify(name));
  file.declare('interface', 'ServerContext', {
    doc: '/** The context of a handler. */',
    code: ` extends Omit<HandlerContext, ${loose.join(' | ')}> {\n${members.join('')}}`,
  });
}

/** For every revision, since a handler that is typed by one serves all. */
const REQUIRE_INPUT_DOC = `Requests input from the client, all of it at once, and returns the answers under the same keys.

In a stateful revision (up to 2025-11-25), each request is sent to the client, and the call waits for the answers. In a stateless one (from 2026-07-28), the first call ends the handler: the client receives the requests, and calls again with the answers. Then the handler runs again from its start, and this call returns the answers. So ask first and act afterwards: what comes before it runs in each round.

Do not catch what it throws. \`state\` is what \`context.state\` will be in the next round of a stateless revision; it is signed, but not secret.`;

function areParamsOptional(context: EmitContext, { message }: Method): boolean {
  return memberOf(findDefinition(context.protocol, message)?.type, 'params')?.required !== true;
}

/** The name of the context's method that sends a request: the group of the request, which is also its capability. */
function shortName(method: Method): string {
  return method.name.split('/')[0] ?? method.name;
}

function emitServerHandlers(file: SourceFile, { protocol }: EmitContext): void {
  file.declare('type', 'ServerHandlers', {
    doc: '/** Handlers of requests, by method. A handler for a method that no client sends does not compile. */',
    code: ` = {
  readonly [M in keyof HandlerResultMap]?: (
    params: NonNullable<ParamsOf<M>>,
    context: ServerContext,
  ) => HandlerResultMap[M] | Promise<HandlerResultMap[M]>;
};`,
  });
  const none = methodsFrom(protocol, 'client', 'notification').length === 0;
  file.declare('type', 'ServerNotificationHandlers', {
    doc: '/** Handlers of notifications, by method. */',
    code: ` = {
  readonly [M in ${none ? 'never' : 'NotificationMethod<"client">'}]?: (params: NonNullable<ParamsOf<M>>, session: ServerSession) => void | Promise<void>;
};`,
  });
}

function emitServerOptions(file: SourceFile, context: EmitContext): void {
  const { traits } = context.protocol;
  const info = traitDefinition(context, traits.roles?.implementation);
  const capabilities = traitDefinition(context, traits.capabilities?.server);
  const declared = capabilities === undefined ? 'object' : importDefinition(file, context, capabilities.name);
  file.declare('type', 'CapabilityOverrides', {
    doc: '/** Capabilities to add to those that the handlers imply; `false` removes one. */',
    code: ` = { readonly [Name in keyof ${declared}]?: ${declared}[Name] | false };`,
  });
  file.declare('interface', 'ServerOptions', {
    doc: '/** Options of a server. */',
    code: ` extends Omit<ServerSettings, "handlers" | "notifications" | "capabilities"${info === undefined ? '' : ' | "info"'}> {
  ${info === undefined ? '' : `/** Name and version of the server. */\nreadonly info: ${importDefinition(file, context, info.name)};`}
  /** Capabilities that the handlers do not imply, such as \`{ tools: { listChanged: true } }\`; \`false\` removes a capability. */
  readonly capabilities?: CapabilityOverrides;
  /** Handlers of requests, by method; \`toolHandlers\` and the like of \`runtime/registry\` make them from lists. */
  readonly handlers: ServerHandlers;
  /** Handlers of notifications, by method. */
  readonly notifications?: ServerNotificationHandlers;
  /**
   * Supported revisions, from each folder's \`revision.ts\`; this one by default. Handlers get params of other
   * revisions unchanged.
   */
  readonly revisions?: readonly Revision[];
}`,
  });
}

function emitCreateServer(file: SourceFile): void {
  file.declare('type', 'ServerNotifications', {
    doc: '/** Notifications that a server sends, with their params. */',
    code: ' = { [M in NotificationMethod<"server">]: ParamsOf<M> };',
  });
  file.declare('function', 'createServer', {
    doc: `/**
 * Creates a server. It serves any number of connections: \`await server.connect(transport)\`.
 *
 * @throws TypeError if a handler is for a method that no client sends.
 */`,
    code: `(options: ServerOptions): ${file.importValue('runtime/server', 'Server')}<ServerNotifications> {
  const { revisions, ...settings } = options;
  return new Server<ServerNotifications>(revisions ?? [${file.importValue('revision', 'serverRevision')}], settings);
}`,
  });
}

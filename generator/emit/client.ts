import { memberOf } from '../model/catalog/derive.js';
import { findDefinition, methodsFrom, type Method, type Traits } from '../model/protocol.js';
import { followReferences, typeLookup } from '../model/types/references.js';
import { docComment } from '../print/doc-comment.js';
import { memberName, printAccess } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { refuseCallNames } from './calls.js';
import { traitDefinition, messageHasMember, importDefinition, type EmitContext } from './context.js';
import { inputMethods } from './input.js';

/** Requests that the runtime sends itself, or that stay open as long as what they start. */
function methodsWithoutCall({ roles }: Traits): ReadonlySet<string | undefined> {
  return new Set([roles?.handshake, roles?.subscription?.method]);
}

/** Params that the client fills in if a revision is stateless. */
function membersOfRuntime({ roles }: Traits): readonly string[] {
  return roles?.requestMembers ?? [];
}

/** `client.ts`: a client with a typed method for each request, over the shared runtime. */
export function emitClient(context: EmitContext): SourceFile {
  const file = new SourceFile('client');
  const { protocol } = context;
  file.importType('runtime/client', 'ClientContext');
  file.importType('runtime/client', 'ClientSettings');
  file.importType('runtime/protocol/revision', 'Revision');
  file.importType('methods', 'ParamsOf');
  file.importType('methods', 'NotificationMethod');
  emitClientHandlers(file, context);
  emitClientOptions(file, context);
  if (protocol.lifecycle === 'stateless') {
    file.declare('type', 'Given', {
      doc: '/** Params as a caller passes them: the client adds the rest. */',
      code: `<Params> = Omit<Params, ${membersOfRuntime(protocol.traits)
        .map((name) => JSON.stringify(name))
        .join(' | ')}> & {
  ${memberName(protocol.traits.progress?.meta ?? '')}?: { [key: string]: unknown };
};`,
    });
  }
  file.declare('type', 'ClientNotifications', {
    doc: '/** Notifications that a client sends, with their params. */',
    code: ' = { [M in NotificationMethod<"client">]: ParamsOf<M> };',
  });
  const withoutCall = methodsWithoutCall(protocol.traits);
  const called = methodsFrom(protocol, 'client', 'request').filter(({ name }) => !withoutCall.has(name));
  refuseCallNames(
    protocol,
    called.flatMap((method) => namesOfCalls(context, method).map((name) => ({ method, name }))),
    'BaseClient',
    'Client',
  );
  const calls = called.map((method) => printCall(file, context, method));
  file.declare('class', 'Client', {
    doc: '/** A client: a method for each request. */',
    code: ` extends ${file.importValue('runtime/client', 'BaseClient')}<ClientNotifications> {\n${[...calls, printListen(file, context)].filter((code) => code !== '').join('\n')}}`,
  });
  file.declare('function', 'createClient', {
    doc: `/**
 * Creates a client. Call \`await client.connect(transport)\` next.
 *
 * @throws TypeError if a handler is for a request that no server sends.
 */`,
    code: `(options: ClientOptions): Client {
  const { revisions, ...settings } = options;
  return new Client(revisions ?? [${file.importValue('revision', 'clientRevision')}], settings);
}`,
  });
  return file;
}

function emitClientHandlers(file: SourceFile, context: EmitContext): void {
  const asked = [...inputMethods(context), ...methodsFrom(context.protocol, 'server', 'request')];
  const methods = [...new Map(asked.map((method) => [method.name, method])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const rows = methods.map((method) => {
    const params =
      method.direction === 'embedded'
        ? `${file.importType('methods', 'EmbeddedRequestMap')}[${JSON.stringify(method.name)}]["params"]`
        : `ParamsOf<${JSON.stringify(method.name)}>`;
    const result = [...method.results, ...(method.taskResult === undefined ? [] : [method.taskResult])]
      .map((name) => importDefinition(file, context, name))
      .join(' | ');
    const doc = docComment({ text: method.summary, deprecated: method.deprecated }, context.printer.linkable);
    return `${doc}readonly ${JSON.stringify(method.name)}?: (params: NonNullable<${params}>, context: ClientContext) => ${result} | Promise<${result}>;\n`;
  });
  file.declare('type', 'ClientHandlers', {
    doc: '/** Handlers of requests from the server, by method. */',
    code: ` = {\n${rows.join('')}};`,
  });
  file.declare('type', 'ClientNotificationHandlers', {
    doc: '/** Handlers of notifications, by method. */',
    code: ` = {
  readonly [M in NotificationMethod<"server">]?: (params: NonNullable<ParamsOf<M>>) => void | Promise<void>;
};`,
  });
}

function emitClientOptions(file: SourceFile, context: EmitContext): void {
  const { traits } = context.protocol;
  const info = traitDefinition(context, traits.roles?.implementation);
  const capabilities = traitDefinition(context, traits.capabilities?.client);
  const declared = capabilities === undefined ? 'object' : importDefinition(file, context, capabilities.name);
  file.declare('interface', 'ClientOptions', {
    doc: '/** Options of a client. */',
    code: ` extends Omit<ClientSettings, "handlers" | "notifications" | "capabilities"${info === undefined ? '' : ' | "info"'}> {
  ${info === undefined ? '' : `/** Name and version of the client. */\nreadonly info: ${importDefinition(file, context, info.name)};`}
  /** Capabilities that the handlers do not imply, such as \`{ roots: { listChanged: true } }\`; \`false\` removes a capability. */
  readonly capabilities?: { readonly [Name in keyof ${declared}]?: ${declared}[Name] | false };
  readonly handlers?: ClientHandlers;
  readonly notifications?: ClientNotificationHandlers;
  /**
   * Supported revisions, from each folder's \`revision.ts\`; this one by default. The client uses the newest that the
   * server supports too.
   */
  readonly revisions?: readonly Revision[];
}`,
  });
}

/** The name of the method that sends a request, from its definition, such as `callTool` for `CallToolRequest`. */
export function callMethodName({ message }: Pick<Method, 'message'>): string {
  const name = message.replace(/Request$/, '');
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function printCall(file: SourceFile, context: EmitContext, method: Method): string {
  const stateless = context.protocol.lifecycle === 'stateless';
  const [complete = '', ...others] = method.results;
  const asking = context.protocol.traits.inputRequired?.result;
  // The client itself answers a result that requires input, and follows others to the final result.
  const { followedResults = [] } = method;
  const results = [complete, ...others.filter((name) => name !== asking && !followedResults.includes(name))];
  const result = results.map((name) => importDefinition(file, context, name)).join(' | ');
  const own = `NonNullable<ParamsOf<${JSON.stringify(method.name)}>>`;
  const type = stateless ? givenType(context, method, own) : own;
  const hasParams = messageHasMember(context, method, 'params');
  const params = `params${hasOptionalParams(context, method, stateless) ? '?' : ''}: ${hasParams ? type : 'undefined'}`;
  const options = `options?: ${file.importType('runtime/jsonrpc/endpoint', 'CallOptions')}`;
  const name = callMethodName(method);
  const doc = docComment({ text: method.summary, deprecated: method.deprecated }, context.printer.linkable);
  const body = (results: string): string =>
    `{\nreturn this.request(${JSON.stringify(method.name)}, params, options) as Promise<${results}>;\n}\n`;
  const code =
    method.taskResult === undefined
      ? `${doc}${name}(${params}, ${options}): Promise<${result}> ${body(result)}`
      : printTaskCall(file, context, method, { doc, name, type, options, result, body });
  return code + printListAll(file, context, method, type);
}

/** The params of a stateless request as a caller passes them: the client fills in what is not required. */
function givenType(context: EmitContext, method: Method, own: string): string {
  const member = memberOf(findDefinition(context.protocol, method.message)?.type, 'params');
  const params = followReferences(member?.type, typeLookup(context.protocol));
  const { traits } = context.protocol;
  const required = membersOfRuntime(traits).filter(
    (name) => name !== traits.progress?.meta && memberOf(params, name)?.required === true,
  );
  if (required.length === 0) return `Given<${own}>`;
  return `Given<${own}> & Pick<${own}, ${required.map((name) => JSON.stringify(name)).join(' | ')}>`;
}

/** A request that may ask for a task may return one: two signatures distinguish the results. */
function printTaskCall(
  file: SourceFile,
  context: EmitContext,
  method: Method,
  parts: {
    doc: string;
    name: string;
    type: string;
    options: string;
    result: string;
    body: (results: string) => string;
  },
): string {
  const task = importDefinition(file, context, method.taskResult ?? '');
  const { doc, name, type, options, result, body } = parts;
  const member = memberName(context.protocol.traits.tasks?.member ?? '');
  // Type inference from a method with several signatures uses the last.
  return `/** As a task: the response comes at once and names it. */
${name}(params: ${type} & { ${member}: object }, ${options}): Promise<${task}>;
${doc}${name}(params: ${type} & { ${member}?: undefined }, ${options}): Promise<${result}>;
${name}(params: ${type}, ${options}): Promise<${result} | ${task}> ${body(`${result} | ${task}`)}`;
}

/** Whether a request may be sent without params. */
function hasOptionalParams(context: EmitContext, method: Method, stateless: boolean): boolean {
  const message = findDefinition(context.protocol, method.message)?.type;
  const member = memberOf(message, 'params');
  if (member?.required !== true) return true;
  if (!stateless) return false;
  const filled: ReadonlySet<string> = new Set(membersOfRuntime(context.protocol.traits));
  const params = followReferences(member.type, typeLookup(context.protocol));
  return params?.kind === 'object' && params.members.every(({ name, required }) => !required || filled.has(name));
}

/** The methods that a request adds to the client. */
function namesOfCalls(context: EmitContext, method: Method): readonly string[] {
  const isPaged = pagedList(context, method) !== undefined;
  return [callMethodName(method), ...(isPaged ? [listAllName(method)] : [])];
}

function listAllName(method: Method): string {
  const name = callMethodName(method);
  return name.startsWith('list') ? `listAll${name.slice('list'.length)}` : `${name}All`;
}

/** The member with the items of a paged list, and their definition. */
function pagedList({ protocol }: EmitContext, { results }: Method): { name: string; item: string } | undefined {
  const [complete = ''] = results;
  const result = findDefinition(protocol, complete)?.type;
  const { pages } = protocol.traits;
  if (pages === undefined || result?.kind !== 'object' || memberOf(result, pages.next) === undefined) return undefined;
  const [list, second] = result.members.filter((member) => member.type.kind === 'array');
  if (list?.type.kind !== 'array' || second !== undefined || list.type.items.kind !== 'ref') return undefined;
  return { name: list.name, item: list.type.items.name };
}

/** For a paged list, a method that iterates over all pages. */
function printListAll(file: SourceFile, context: EmitContext, method: Method, type: string): string {
  const { pages } = context.protocol.traits;
  const list = pagedList(context, method);
  if (pages === undefined || list === undefined) return '';
  const name = callMethodName(method);
  return `
/** All of {@link ${name}}, page by page. */
${listAllName(method)}(params?: Omit<${type}, ${JSON.stringify(pages.cursor)}>, options?: CallOptions): AsyncGenerator<${importDefinition(file, context, list.item)}, void, undefined> {
  return this.allPages(
    (cursor) => this.${name}(cursor === undefined ? { ...params } : { ...params, ${pages.cursor === 'cursor' ? 'cursor' : `${memberName(pages.cursor)}: cursor`} }, options),
    (page) => page${printAccess(list.name)},
  );
}
`;
}

function printListen(file: SourceFile, context: EmitContext): string {
  const { subscription } = context.protocol.traits.roles ?? {};
  const filter = traitDefinition(context, subscription?.filter);
  const method = context.protocol.methods.find(({ name }) => name === subscription?.method);
  if (filter === undefined || method === undefined) return '';
  return `${docComment({ text: `${method.summary} Resolves when the server has acknowledged it.` }, context.printer.linkable)}listen(
  filter: ${importDefinition(file, context, filter.name)},
  options?: ${file.importType('runtime/client', 'ListenOptions')},
): Promise<${file.importType('runtime/client', 'Subscription')}> {
  return this.openSubscription(filter, options);
}
`;
}

import { memberOf } from '../model/catalog/derive.js';
import {
  capabilitySteps,
  findDefinition,
  methodsFrom,
  peerOf,
  sideWords,
  SIDES,
  type Method,
  type TypeNode,
} from '../model/protocol.js';
import { literalKey } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { printValue } from '../print/value.js';
import type { JsonValue } from '../read/json/json.js';
import { sideName, type EmitContext } from './context.js';
import { builtInMethods } from './handled.js';
import { checkName } from './validators.js';

/** `revision.ts`: the revision, for the runtime of client and server. */
export function emitRevision(context: EmitContext): SourceFile {
  const { protocol } = context;
  const file = new SourceFile('revision');
  const validators = (name: string): string => file.importValue('validators', name);
  const hasTasks = protocol.methods.some((method) => method.taskResult !== undefined);
  const embedded = context.embedded.map(({ method }) => {
    const [result = ''] = method.results;
    return `${literalKey(method.name)}: {
  capabilities: ${JSON.stringify(method.capabilities)},
  validateResult: ${validators(checkName('validate', context.printer.name(result), context.messageGuards))},
},\n`;
  });
  const requestScoped = methodsFrom(protocol, 'server', 'notification')
    .filter(({ extension, subscription }) => extension !== undefined && subscription !== true)
    .map(({ name }) => name);
  const members = [
    `version: ${file.importValue('methods', 'PROTOCOL_VERSION')}`,
    `isStateless: ${protocol.lifecycle === 'stateless'}`,
    `methods: ${file.importValue('methods', 'METHOD_INFO')}`,
    `builtIn: ${JSON.stringify(builtInMethods(protocol))}`,
    `embedded: {\n${embedded.join('')}}`,
    `declares: ${printTable(capabilityRules(context))}`,
    `defaults: ${printTable(resultDefaults(context))}`,
    ...(protocol.extensions.length === 0
      ? []
      : [`extensions: ${JSON.stringify(protocol.extensions.map(({ id }) => id))}`]),
    ...(requestScoped.length === 0 ? [] : [`requestScoped: ${JSON.stringify(requestScoped)}`]),
    ...['classify', 'isRequest', 'isNotification', 'isResultResponse', 'isErrorResponse', 'isResponse'].map((name) =>
      file.importValue('guards', name),
    ),
    '...functions',
  ];
  const revisionType = file.importType('runtime/protocol/revision', 'Revision');
  const signs = protocol.lifecycle === 'stateless';
  const declareRevision = (name: string, doc: string, functions: readonly string[]): void => {
    const signer =
      signs && name !== 'clientRevision'
        ? `createSigner: (options) => new ${file.importValue('runtime/protocol/request-state', 'RequestStateSigner')}(options),\n`
        : '';
    file.declare('const', name, {
      doc,
      code: `: ${revisionType} = /* @__PURE__ */ revisionWith({\n${functions.join(',\n')},\n${signer}});`,
    });
  };
  declareRevision(
    'revision',
    `/**
 * Revision ${protocol.version} as a value, for the \`revisions\` of clients and servers. The values of all revisions have the
 * same type, so that they can be kept in an array and chosen at run time.
 */`,
    [
      `validateParams: (method, params) => ${validators('validateParams')}(method as ${file.importType('methods', 'Method')}, params)`,
      `validateResult: (method, result, options) => ${validators('validateResult')}(method as ${file.importType('methods', 'RequestMethod')}, result, options)`,
      ...(hasTasks
        ? [
            `validateTaskResult: (method, result, options) => ${validators('validateTaskResult')}(method as keyof ${file.importType('methods', 'TaskResultMap')}, result, options)`,
          ]
        : []),
    ],
  );
  for (const side of SIDES) {
    const sender = sideName(context, peerOf(side));
    declareRevision(
      `${side}Revision`,
      `/** As {@link revision}, for ${side}s only: validates what ${sender.toLowerCase()}s send, so that a bundle is smaller. */`,
      ['Params', 'Result', ...(hasTasks ? ['TaskResult'] : [])].map(
        (of) => `validate${of}: ${validators(`validate${sender}${of}`)}`,
      ),
    );
  }
  file.declareLocal('function', 'revisionWith', {
    code: `(
functions: Pick<${revisionType}, "validateParams" | "validateResult" | "validateTaskResult" | "createSigner">,
): ${revisionType} {
return {\n${members.join(',\n')},\n};
}`,
  });
  return file;
}

/** Prints JSON values by method as an object literal. */
function printTable(rows: readonly (readonly [string, unknown])[]): string {
  return `{\n${rows.map(([name, value]) => `${literalKey(name)}: ${printValue(value as JsonValue)},\n`).join('')}}`;
}

/** The capability objects that a handler of each request implies. */
function capabilityRules({ protocol }: EmitContext): readonly (readonly [string, object])[] {
  const { capabilities } = protocol.traits;
  const words = sideWords(protocol);
  const sides = [
    ['server', methodsFrom(protocol, 'client', 'request')],
    [
      'client',
      [
        ...methodsFrom(protocol, 'server', 'request'),
        ...protocol.methods.filter(({ direction }) => direction === 'embedded'),
      ],
    ],
  ] as const;
  const rows = new Map<string, object>();
  for (const [side, methods] of sides) {
    const type = findDefinition(protocol, capabilities?.[side] ?? '')?.type;
    for (const method of methods) {
      const [path] = method.capabilities.filter((item) => item.startsWith(`${words[side]}.`));
      if (path === undefined) continue;
      rows.set(method.name, { ...rows.get(method.name), ...capabilityRule(capabilitySteps(path).slice(1), type) });
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A capability path as the object that declares it: a flag is true, everything else an object. */
function capabilityRule([name = '', ...rest]: readonly string[], type: TypeNode | undefined): object {
  const member = memberOf(type, name)?.type;
  if (rest.length > 0) return { [name]: capabilityRule(rest, member) };
  return { [name]: member?.kind === 'boolean' ? true : {} };
}

/** Required members of results that a handler may omit, with their values. */
function defaultsOfResults({ protocol }: EmitContext): Readonly<Record<string, JsonValue>> {
  return protocol.traits.roles?.resultDefaults ?? {};
}

/** The required members of a method's complete result that have a default. */
export function membersWithDefault(context: EmitContext, method: Method): readonly string[] {
  const type = findDefinition(context.protocol, method.results[0] ?? '')?.type;
  return Object.keys(defaultsOfResults(context)).filter((name) => memberOf(type, name)?.required === true);
}

function resultDefaults(context: EmitContext): readonly (readonly [string, object])[] {
  const defaults = defaultsOfResults(context);
  return methodsFrom(context.protocol, 'client', 'request').flatMap((method) => {
    const members = membersWithDefault(context, method);
    if (members.length === 0) return [];
    return [[method.name, Object.fromEntries(members.map((name) => [name, defaults[name]]))] as const];
  });
}

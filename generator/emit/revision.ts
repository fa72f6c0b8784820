import { memberOf } from '../model/derive.js';
import { findDefinition, methodsFrom, type Method, type TypeNode } from '../model/protocol.js';
import { literalKey } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { printValue } from '../print/value.js';
import type { JsonValue } from '../read/json.js';
import type { EmitContext } from './context.js';
import { nameOf } from './validators.js';

/** `revision.ts`: the revision as the runtime of client and server needs it. */
export function emitRevision(context: EmitContext): SourceFile {
  const { protocol } = context;
  const file = new SourceFile('revision');
  const validators = (name: string): string => file.value('validators', name);
  const hasTasks = protocol.methods.some((method) => method.taskResult !== undefined);
  const embedded = context.embedded.map(({ method }) => {
    const [result = ''] = method.results;
    return `${literalKey(method.name)}: {
  capabilities: ${JSON.stringify(method.capabilities)},
  validateRequest: ${validators(nameOf('validate', context.printer.name(method.message)))},
  validateResult: ${validators(nameOf('validate', context.printer.name(result)))},
},\n`;
  });
  const members = [
    `version: ${file.value('methods', 'PROTOCOL_VERSION')}`,
    `isStateless: ${protocol.lifecycle === 'stateless'}`,
    `methods: ${file.value('methods', 'METHOD_INFO')}`,
    `embedded: {\n${embedded.join('')}}`,
    `declares: ${table(declarations(context))}`,
    `defaults: ${table(defaults(context))}`,
    file.value('guards', 'classify'),
    `validateParams: (method, params) => ${validators('validateParams')}(method as ${file.type('methods', 'Method')}, params)`,
    `validateResult: (method, result, options) => ${validators('validateResult')}(method as ${file.type('methods', 'RequestMethod')}, result, options)`,
    ...(hasTasks
      ? [
          `validateTaskResult: (method, result, options) => ${validators('validateTaskResult')}(method as keyof ${file.type('methods', 'TaskResultMap')}, result, options)`,
        ]
      : []),
  ];
  file.add(
    `/** Revision ${protocol.version}, as client and server need it; give several to one that is to speak several. */\n`,
    `export const revision: ${file.type('runtime/protocol/revision', 'Revision')} = {\n${members.join(',\n')},\n};\n`,
  );
  return file;
}

/** An object literal of JSON values by method. */
function table(rows: readonly (readonly [string, unknown])[]): string {
  return `{\n${rows.map(([name, value]) => `${literalKey(name)}: ${printValue(value as JsonValue)},\n`).join('')}}`;
}

/** What answering each request declares, as the capability objects of the handshake have it. */
function declarations({ protocol }: EmitContext): readonly (readonly [string, object])[] {
  const sides = [
    ['server', 'ServerCapabilities', methodsFrom(protocol, 'client', 'request')],
    [
      'client',
      'ClientCapabilities',
      [
        ...methodsFrom(protocol, 'server', 'request'),
        ...protocol.methods.filter(({ direction }) => direction === 'embedded'),
      ],
    ],
  ] as const;
  const rows = new Map<string, object>();
  for (const [side, definition, methods] of sides) {
    const type = findDefinition(protocol, definition)?.type;
    for (const method of methods) {
      const [path] = method.capabilities.filter((item) => item.startsWith(`${side}.`));
      if (path === undefined) continue;
      rows.set(method.name, { ...rows.get(method.name), ...declared(path.split('.').slice(1), type) });
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A capability path as the object that declares it: a flag is true, all else an object. */
function declared([name = '', ...rest]: readonly string[], type: TypeNode | undefined): object {
  const member = memberOf(type, name)?.type;
  if (rest.length > 0) return { [name]: declared(rest, member) };
  return { [name]: member?.kind === 'boolean' ? true : {} };
}

/** Members that a result must have and of which a handler need not know: how long it may be cached, and by whom. */
export const RESULT_DEFAULTS: Readonly<Record<string, unknown>> = { ttlMs: 0, cacheScope: 'private' };

/** The required members of a method's complete result that have a default. */
export function defaultedMembers({ protocol }: EmitContext, method: Method): readonly string[] {
  const type = findDefinition(protocol, method.results[0] ?? '')?.type;
  return Object.keys(RESULT_DEFAULTS).filter((name) => memberOf(type, name)?.required === true);
}

function defaults(context: EmitContext): readonly (readonly [string, object])[] {
  return methodsFrom(context.protocol, 'client', 'request').flatMap((method) => {
    const members = defaultedMembers(context, method);
    if (members.length === 0) return [];
    return [[method.name, Object.fromEntries(members.map((name) => [name, RESULT_DEFAULTS[name]]))] as const];
  });
}

/** Names of the methods that send requests, on a connection or on a client. */
import { McpgenError } from '../errors.js';
import { findDefinition, type Method, type Protocol } from '../model/protocol.js';

/** What every object has; a member `then` would make it a promise for `await`. */
const OF_OBJECTS = [...Object.getOwnPropertyNames(Object.prototype), 'then'];

/** The names that calls cannot have, by the runtime's class that the generated one extends. */
export const BASE_MEMBERS = {
  PeerConnection: new Set([
    ...OF_OBJECTS,
    ...[
      'close',
      'closed',
      'end',
      'inFlight',
      'notify',
      'notifyExtension',
      'open',
      'ready',
      'request',
      'requestExtension',
    ],
  ]),
  BaseClient: new Set([
    ...OF_OBJECTS,
    ...['allPages', 'clearCache', 'close', 'closed', 'connect', 'end', 'inFlight', 'listen', 'notify'],
    ...['openSubscription', 'request', 'revision', 'server', 'tasks'],
  ]),
} as const satisfies Readonly<Record<string, ReadonlySet<string>>>;

/** A name that a request's method adds to a class. */
interface CallName {
  readonly method: Method;
  readonly name: string;
}

/**
 * Rejects calls whose names the class already has, or that have one name.
 *
 * @param className - The generated class, for the message.
 * @throws {@link McpgenError} with the methods.
 */
export function refuseCallNames(
  protocol: Protocol,
  calls: readonly CallName[],
  base: keyof typeof BASE_MEMBERS,
  className: string,
): void {
  const owners = new Map<string, Method>();
  const refuse = (method: Method, message: string): never => {
    const isBuilt = findDefinition(protocol, method.message)?.isBuilt === true;
    throw new McpgenError(message, {
      place: `${catalogOf(protocol, method)}#/methods`,
      remedy: `Rename the definition of the ${isBuilt ? 'params' : 'message'} of ${JSON.stringify(method.name)}; the call is named after it.`,
    });
  };
  for (const { method, name } of calls) {
    const other = owners.get(name);
    const [quoted, otherQuoted] = [JSON.stringify(method.name), JSON.stringify(other?.name)];
    if (BASE_MEMBERS[base].has(name))
      refuse(method, `the call of ${quoted} would be named ${name}, which every ${className} has`);
    if (other !== undefined) refuse(method, `the calls of ${otherQuoted} and ${quoted} would both be named ${name}`);
    owners.set(name, method);
  }
}

/** The file with a method's row. */
function catalogOf({ extensions, source }: Protocol, { extension }: Method): string {
  const from = extensions.find(({ id }) => id === extension)?.source ?? source;
  return from.catalogFile ?? from.file;
}

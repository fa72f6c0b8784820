import { embeddedMethods, methodsFrom, type Method, type Protocol, type Side } from '../model/protocol.js';

/** Requests of the lifecycle, which only the runtime answers. */
const LIFECYCLE_METHODS: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'subscriptions/listen']);

/** The request that starts a session, for which the runtime never looks up a handler. */
const HANDSHAKE_METHOD = 'initialize';

/** Requests that the runtime answers if they have no handler, so that no stub should replace it. */
const METHODS_WITH_DEFAULT_ANSWER: ReadonlySet<string> = new Set([
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Notifications that the runtime handles completely before a handler is called. */
const NOTIFICATIONS_HANDLED_BY_RUNTIME: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/progress',
  'notifications/subscriptions/acknowledged',
]);

/** Requests to a server that the runtime answers without a handler. */
export function builtInMethods(protocol: Protocol): readonly string[] {
  return methodsFrom(protocol, 'client', 'request')
    .map(({ name }) => name)
    .filter((name) => METHODS_WITH_DEFAULT_ANSWER.has(name) || LIFECYCLE_METHODS.has(name))
    .filter((name) => name !== HANDSHAKE_METHOD);
}

/** Requests that a server may have handlers for. */
export function servedMethods(protocol: Protocol): readonly Method[] {
  return methodsFrom(protocol, 'client', 'request').filter(({ name }) => !LIFECYCLE_METHODS.has(name));
}

/** Requests that need a handler in a server: all that clients send and the runtime does not answer itself. */
export function stubbedMethods(protocol: Protocol): readonly Method[] {
  return servedMethods(protocol).filter(({ name }) => !METHODS_WITH_DEFAULT_ANSWER.has(name));
}

/** The methods that a side can handle and the runtime does not; requests first. */
export function handledMethods(protocol: Protocol, side: Side): readonly Method[] {
  const other: Side = side === 'client' ? 'server' : 'client';
  const asked = [...methodsFrom(protocol, 'server', 'request'), ...embeddedMethods(protocol)];
  const requests =
    side === 'server' ? stubbedMethods(protocol) : asked.filter(({ name }) => !METHODS_WITH_DEFAULT_ANSWER.has(name));
  const notifications = methodsFrom(protocol, other, 'notification').filter(
    ({ name }) => !NOTIFICATIONS_HANDLED_BY_RUNTIME.has(name),
  );
  return [...requests, ...notifications];
}

/** All methods that a side's types have handlers for, including those with a built-in handler. */
export function methodsWithHandlerType(protocol: Protocol, side: Side): readonly Method[] {
  return side === 'server'
    ? [...servedMethods(protocol), ...methodsFrom(protocol, 'client', 'notification')]
    : [
        ...methodsFrom(protocol, 'server', 'request'),
        ...embeddedMethods(protocol),
        ...methodsFrom(protocol, 'server', 'notification'),
      ];
}

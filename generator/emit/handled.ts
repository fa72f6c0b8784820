import { embeddedMethods, methodsFrom, peerOf, type Method, type Protocol, type Side } from '../model/protocol.js';

/** Whether the client and server of the runtime implement a protocol; otherwise it is plain JSON-RPC. */
export function hasRoles({ traits }: Protocol): boolean {
  return traits.roles !== undefined;
}

/** Requests of the lifecycle, which only the runtime answers. */
function lifecycleMethods({ traits }: Protocol): ReadonlySet<string | undefined> {
  const { handshake, discovery, subscription } = traits.roles ?? {};
  return new Set([handshake, discovery, subscription?.method]);
}

/** Requests that the runtime answers if they have no handler, so that no stub should replace it. */
function answeredMethods({ traits }: Protocol): ReadonlySet<string> {
  return new Set(traits.roles?.answers ?? []);
}

/** Notifications that the runtime handles completely before a handler is called. */
function notificationsOfRuntime({ traits }: Protocol): ReadonlySet<string | undefined> {
  return new Set([...(traits.roles?.handles ?? []), traits.cancellation?.method, traits.progress?.method]);
}

/** Requests to a server that the runtime answers without a handler. */
export function builtInMethods(protocol: Protocol): readonly string[] {
  const [answered, lifecycle] = [answeredMethods(protocol), lifecycleMethods(protocol)];
  return (
    methodsFrom(protocol, 'client', 'request')
      .map(({ name }) => name)
      .filter((name) => answered.has(name) || lifecycle.has(name))
      // The runtime never looks up a handler for the request that starts a session.
      .filter((name) => name !== protocol.traits.roles?.handshake)
  );
}

/** Requests that a server may have handlers for. */
export function servedMethods(protocol: Protocol): readonly Method[] {
  const lifecycle = lifecycleMethods(protocol);
  return methodsFrom(protocol, 'client', 'request').filter(({ name }) => !lifecycle.has(name));
}

/** Requests that need a handler in a server: all that clients send and the runtime does not answer itself. */
export function stubbedMethods(protocol: Protocol): readonly Method[] {
  const answered = answeredMethods(protocol);
  return servedMethods(protocol).filter(({ name }) => !answered.has(name));
}

/** The methods that a side can handle and the runtime does not; requests first. */
export function handledMethods(protocol: Protocol, side: Side): readonly Method[] {
  const answered = answeredMethods(protocol);
  const handled = notificationsOfRuntime(protocol);
  const asked = [...methodsFrom(protocol, 'server', 'request'), ...embeddedMethods(protocol)];
  const requests = side === 'server' ? stubbedMethods(protocol) : asked.filter(({ name }) => !answered.has(name));
  const notifications = methodsFrom(protocol, peerOf(side), 'notification').filter(({ name }) => !handled.has(name));
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

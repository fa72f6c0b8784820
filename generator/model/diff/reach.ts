import { typesByName } from '../types/accepts.js';
import { refsIn } from '../types/references.js';
import type { Method, Protocol, Side } from '../protocol.js';

/**
 * Finds who sends values of each definition on the wire: in messages and params of the methods that a side sends, and
 * in the results of the requests that it answers.
 *
 * @returns The senders by definition, without definitions that no message contains.
 */
export function sendersOf(protocol: Protocol): ReadonlyMap<string, readonly Side[]> {
  const types = typesByName(protocol);
  const senders = new Map<string, Side[]>();
  for (const side of ['client', 'server'] as const) {
    const reached = new Set<string>();
    const visit = (name: string): void => {
      const type = types.get(name);
      if (type === undefined || reached.has(name)) return;
      reached.add(name);
      refsIn(type).forEach(visit);
    };
    for (const method of protocol.methods) {
      if (isSentBy(side, method)) visit(method.message);
      if (isAnsweredBy(side, method)) [...method.results, method.taskResult ?? ''].forEach(visit);
    }
    for (const name of reached) senders.set(name, [...(senders.get(name) ?? []), side]);
  }
  return senders;
}

function isSentBy(side: Side, { direction }: Method): boolean {
  return direction === 'both' || direction === (side === 'client' ? 'clientToServer' : 'serverToClient');
}

function isAnsweredBy(side: Side, method: Method): boolean {
  return method.kind === 'request' && isSentBy(side === 'client' ? 'server' : 'client', method);
}

/** The senders of a method's messages; an embedded request is sent by the server, inside a result. */
export function sendersOfMethod({ direction }: Method): readonly Side[] {
  if (direction === 'both') return ['client', 'server'];
  return [direction === 'clientToServer' ? 'client' : 'server'];
}

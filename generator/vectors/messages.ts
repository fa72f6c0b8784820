/** The vectors of the messages of a method: what the definitions of its params and results do not show. */
import { findDefinition, type Method, type Protocol } from '../model/protocol.js';
import { memberOf } from '../model/catalog/derive.js';
import { withoutMember } from '../model/diff/samples.js';
import { formatPointer, isObject, type JsonObject, type JsonValue } from '../read/json/json.js';
import type { MessageVector, VectorFlag, VectorSender } from './form.js';
import type { OfficialVerdict, OfficialVerdicts } from './official.js';
import { withMember, type ValueBuilder } from './values.js';
import { wrongValues } from './wrong-values.js';

/** Builds the messages of a protocol. */
export class MessageVectors {
  readonly #protocol: Protocol;
  readonly #values: ValueBuilder;
  readonly #official: OfficialVerdicts;

  constructor(protocol: Protocol, values: ValueBuilder, official: OfficialVerdicts) {
    this.#protocol = protocol;
    this.#values = values;
    this.#official = official;
  }

  /** The vectors of a method. */
  of(method: Method): readonly MessageVector[] {
    const message = this.smallest(method);
    if (message === undefined) return [];
    return [...this.#sent(method, message), ...this.#params(method, message), ...this.#results(method)];
  }

  /** The smallest message of a method; undefined if it has no finite one. */
  smallest(method: Method): JsonObject | undefined {
    const type = findDefinition(this.#protocol, method.message)?.type;
    const value = type === undefined ? undefined : this.#values.build(type, method.message, 'smallest');
    if (!isObject(value)) return undefined;
    const { jsonrpc: _jsonrpc, id: _id, ...rest } = value;
    return { jsonrpc: '2.0', ...(method.kind === 'request' ? { id: 1 } : {}), ...rest };
  }

  /** The response with a result. */
  response(result: JsonValue): JsonObject {
    return { jsonrpc: '2.0', id: 1, result };
  }

  /** The smallest value of a definition. */
  smallestOf(definition: string): JsonValue | undefined {
    const type = findDefinition(this.#protocol, definition)?.type;
    return type === undefined ? undefined : this.#values.build(type, definition, 'smallest');
  }

  /** Whether a value is valid for a definition. */
  accepts(definition: string, value: JsonValue): boolean {
    return this.#values.accepts({ kind: 'ref', name: definition }, value);
  }

  /** Who sends a method, who does not, and what the id says. */
  *#sent(method: Method, message: JsonObject): Iterable<MessageVector> {
    const { name, kind } = method;
    const senders = sendersOf(method);
    const official = this.#official.of(method.message, message, true);
    for (const sender of senders) {
      const reason = `The smallest ${kind} that the ${sender} sends.`;
      yield vector([name, `from-${sender}`], { valid: true }, reason, { sender, message, official });
    }
    const [sender = 'client', both] = senders;
    if (both === undefined) {
      const other = sender === 'client' ? 'server' : 'client';
      const verdict = { valid: false, pointer: '/method', rule: 'direction' };
      yield vector([name, `from-${other}`], verdict, `Only the ${sender} sends this ${kind}.`, {
        sender: other,
        message,
      });
    }
    const envelope = { valid: false, rule: 'envelope' };
    yield kind === 'request'
      ? vector(
          [name, 'without-id'],
          envelope,
          'Without an id it is a notification, and no notification has this method.',
          {
            sender,
            message: withoutMember(message, 'id'),
          },
        )
      : vector([name, 'with-id'], envelope, 'With an id it is a request, and no request has this method.', {
          sender,
          message: { jsonrpc: '2.0', id: 1, ...withoutMember(message, 'jsonrpc') },
        });
  }

  /** One message with wrong params: that they are validated by the method. */
  *#params(method: Method, message: JsonObject): Iterable<MessageVector> {
    const definition = findDefinition(this.#protocol, method.message);
    const params = memberOf(definition?.type, 'params');
    if (definition === undefined || params === undefined) return;
    const base = message['params'] ?? this.#values.build(params.type, 'params', 'smallest');
    for (const wrong of wrongValues(this.#values, params.type, base)) {
      const whole = withMember(message, 'params', wrong.value);
      // Params of another kind are a fault of the envelope.
      if (!isObject(wrong.value) || this.#values.accepts(definition.type, whole)) continue;
      const [sender = 'client'] = sendersOf(method);
      const verdict = { valid: false, pointer: `/params${wrong.pointer}`, rule: wrong.rule };
      const official = this.#official.of(method.message, whole, false);
      yield vector([method.name, 'wrong-params'], verdict, `In the params, ${wrong.fault}.`, {
        sender,
        message: whole,
        official,
      });
      return;
    }
  }

  /** A response with each result, and one with a wrong one. */
  *#results(method: Method): Iterable<MessageVector> {
    const [asking = 'client'] = sendersOf(method);
    const sender = asking === 'client' ? 'server' : 'client';
    for (const name of method.results) {
      const type = findDefinition(this.#protocol, name)?.type;
      const result = this.smallestOf(name);
      if (type === undefined || result === undefined) continue;
      const answers = method.name;
      const official = this.#official.of(name, result, true);
      yield vector([answers, name], { valid: true }, `The smallest ${name}.`, {
        sender,
        answers,
        message: this.response(result),
        official,
      });
      for (const wrong of wrongValues(this.#values, type, result)) {
        // The kind of a result decides what it is, so it stays.
        if (!isObject(wrong.value) || wrong.pointer === this.#kindPointer()) continue;
        if (this.#values.accepts(type, wrong.value)) continue;
        const verdict = { valid: false, pointer: `/result${wrong.pointer}`, rule: wrong.rule };
        yield vector([answers, name, 'wrong'], verdict, `In the result, ${wrong.fault}.`, {
          sender,
          answers,
          message: this.response(wrong.value),
          official: this.#official.of(name, wrong.value, false),
        });
        break;
      }
    }
  }

  #kindPointer(): string | undefined {
    const { inputRequired } = this.#protocol.traits;
    return inputRequired === undefined ? undefined : formatPointer(inputRequired.member);
  }
}

/** The sides that send a method. */
export function sendersOf({ direction }: Method): readonly VectorSender[] {
  if (direction === 'both') return ['client', 'server'];
  return [direction === 'serverToClient' ? 'server' : 'client'];
}

/** What a message vector is about. */
interface MessageDetails {
  readonly sender: VectorSender;
  readonly message: JsonValue;
  readonly answers?: string;
  readonly official?: OfficialVerdict;
  readonly flags?: readonly VectorFlag[];
  readonly text?: string;
}

/**
 * A vector of a message.
 *
 * @param labels - The parts of its name.
 */
export function vector(
  labels: readonly string[],
  { valid, pointer, rule }: Pick<MessageVector, 'valid' | 'pointer' | 'rule'>,
  reason: string,
  { sender, message, answers, official, flags, text }: MessageDetails,
): MessageVector {
  return {
    name: ['messages', ...labels].join('/'),
    valid,
    ...(pointer === undefined ? {} : { pointer }),
    ...(rule === undefined ? {} : { rule }),
    reason,
    ...official,
    ...(flags === undefined ? {} : { flags }),
    sender,
    ...(answers === undefined ? {} : { answers }),
    message,
    ...(text === undefined ? {} : { text }),
  };
}

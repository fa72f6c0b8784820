import { ownMember } from '../../read/json/json.js';
import { BoundedMap } from '../bounded.js';
import { keyOf } from '../../recording/message.js';
import { show, type Seen, type SeenCall, type SessionCheck } from '../seen.js';

/** Most open questions that are remembered. */
const MAX_ROUNDS = 10_000;

/** The requests that may be answered with a question (MCP 2026-07-28, multi round-trip requests). */
const ASKING = ['tools/call', 'prompts/get', 'resources/read'];

interface Round {
  readonly frame: number;
  readonly id: string | number;
}

/** Requests that need input from the client (MCP 2026-07-28, multi round-trip requests). */
export class InputRoundCheck implements SessionCheck {
  /** Results that need input, by method and `requestState`. */
  readonly #rounds = new BoundedMap<string, Round>(MAX_ROUNDS);
  /** Methods with a result that needs input and has no state. */
  readonly #stateless = new Set<string>();

  see(seen: Seen): void {
    if (seen.revision?.isStateless !== true) return;
    if (seen.kind === 'request' && seen.from === 'client') this.#seeRetry(seen);
    if (seen.kind !== 'result' || seen.request === undefined || seen.result === undefined) return;
    const { request, result, report, frame } = seen;
    if (ownMember(result, 'resultType') !== 'input_required') return;
    const state = ownMember(result, 'requestState');
    const related = request.frame;
    if (!ASKING.includes(request.method))
      report('input-required-method', `${request.method} is answered with input_required`, {
        pointer: '/result/resultType',
        related,
      });
    if (state === undefined && ownMember(result, 'inputRequests') === undefined)
      report('input-required-empty', 'nothing is asked', { pointer: '/result', related });
    if (typeof state === 'string') this.#rounds.set(`${request.method} ${keyOf(state)}`, { frame, id: request.id });
    else this.#stateless.add(request.method);
  }

  #seeRetry({ method, params, id, report, session, exchange }: SeenCall): void {
    const state = ownMember(params, 'requestState');
    const hasResponses = ownMember(params, 'inputResponses') !== undefined;
    if (state === undefined && !hasResponses) return;
    if (!session.isComplete || this.#rounds.hasForgotten) return;
    const pointer = '/params/requestState';
    if (typeof state === 'string') {
      const round = this.#rounds.get(`${method} ${keyOf(state)}`);
      if (round === undefined)
        report('request-state', `the server did not send ${show(state)} for ${method}`, { pointer });
      // Over HTTP, another client may have the same id and the same state.
      else if (round.id === id && exchange === undefined)
        report('retry-id', `the retry has the id ${show(id)} again`, { pointer: '/id', related: round.frame });
      return;
    }
    const stateful = [...this.#rounds].some(([key]) => key.startsWith(`${method} `));
    if (stateful && !this.#stateless.has(method))
      report('request-state', 'the retry does not repeat the requestState', { pointer: '/params' });
  }
}

import { afterEach, expect } from 'vitest';
import * as revision20241105 from '../../generated/2024-11-05/index.js';
import * as revision20250326 from '../../generated/2025-03-26/index.js';
import * as revision20250618 from '../../generated/2025-06-18/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import * as revision20260728 from '../../generated/2026-07-28/index.js';
import { maySend, type Revision } from '../../generated/runtime/protocol/revision.js';

export const ALL_REVISIONS: readonly Revision[] = [
  revision20241105.revision,
  revision20250326.revision,
  revision20250618.revision,
  revision20251125.revision,
  revision20260728.revision,
];

export const PROTOCOL_VERSION_META = 'io.modelcontextprotocol/protocolVersion';
const SUBSCRIPTION_ID_META = 'io.modelcontextprotocol/subscriptionId';

export type Side = 'client' | 'server';

/** A frame as JSON holds it, for tests that look into it. */
export interface Frame {
  readonly jsonrpc: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
}

/** Violations of the protocol by our endpoints. A test with a violation fails. */
const violations: string[] = [];

afterEach(() => {
  const found = violations.splice(0);
  expect(found, 'every frame is valid in its revision').toEqual([]);
});

/** Removes and returns the violations, for a test of the monitor itself. */
export function drainViolations(): readonly string[] {
  return violations.splice(0);
}

interface OpenRequest {
  readonly method: string;
  readonly revision: Revision | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Observes a connection and validates what our endpoints send with the generated validators of its revision. */
export class ProtocolMonitor {
  readonly frames: { readonly from: Side; readonly frame: Frame | readonly Frame[] }[] = [];
  /** By id; several of one id if the test asks for trouble. */
  readonly #open = { client: new Map<unknown, OpenRequest[]>(), server: new Map<unknown, OpenRequest[]>() };
  readonly #checkedSides: ReadonlySet<Side>;
  #session: Revision | undefined;

  constructor(checkedSides: readonly Side[]) {
    this.#checkedSides = new Set(checkedSides);
  }

  /** The frames of one side, batches taken apart. */
  from(side: Side): readonly Frame[] {
    return this.frames.filter(({ from }) => from === side).flatMap(({ frame }) => frame);
  }

  observe(from: Side, message: object): void {
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch {
      // It does not get through to a wire, so the test is about that.
      return;
    }
    const value = JSON.parse(text) as Frame | readonly Frame[];
    this.frames.push({ from, frame: value });
    if (Array.isArray(value)) {
      const frames = value as readonly Frame[];
      const isKnown = this.#session === undefined || this.#session.version === '2025-03-26';
      if (!isKnown && this.#checkedSides.has(from)) this.#recordViolation(from, value, 'a batch outside 2025-03-26');
      // Elsewhere none of its requests counts as asked.
      if (isKnown) for (const frame of frames) this.#checkFrame(from, frame);
    } else this.#checkFrame(from, value as Frame);
  }

  #checkFrame(from: Side, frame: Frame): void {
    const isChecked = this.#checkedSides.has(from);
    // A test may send anything.
    if (!isChecked && (typeof frame !== 'object' || (frame as Frame | null) === null)) return;
    if (frame.method === undefined) {
      this.#checkResponse(from, frame, isChecked);
      return;
    }
    const { method } = frame;
    const kind = frame.id === undefined ? 'notification' : 'request';
    const revision = this.#revisionOf(from, frame);
    if (kind === 'request') {
      const open = this.#open[from];
      if (isChecked && open.has(frame.id)) this.#recordViolation(from, frame, 'an id in flight is used again');
      open.set(frame.id, [...(open.get(frame.id) ?? []), { method, revision, params: frame.params ?? {} }]);
    }
    if (method === 'notifications/cancelled') {
      const { requestId } = frame.params ?? {};
      const all = this.#open[from].get(requestId);
      if (all?.[0]?.method !== 'initialize') this.#open[from].delete(requestId);
    }
    if (!isChecked) return;
    if (revision === undefined) {
      if (method !== 'ping') this.#recordViolation(from, frame, 'sent before a revision is agreed on');
      return;
    }
    const envelope = revision.classify(frame);
    if (envelope.kind !== kind) this.#recordViolation(from, frame, `classified as ${envelope.kind}`);
    if (!maySend(revision, from, kind, method)) {
      this.#recordViolation(from, frame, `${revision.version} has no such ${kind} of a ${from}`);
      return;
    }
    const outcome = revision.validateParams(method, frame.params);
    if (!outcome.success) this.#recordViolation(from, frame, JSON.stringify(outcome.failure));
  }

  /** Which of several requests with one id a result may be of. A batch that was refused whole leaves its requests open. */
  #expectedResponses(all: readonly OpenRequest[]): number {
    const canBe = ({ method, revision = this.#session }: OpenRequest): boolean =>
      revision !== undefined || method === 'ping' || method === 'initialize';
    return Math.max(0, all.findIndex(canBe));
  }

  #checkResponse(from: Side, frame: Frame, isChecked: boolean): void {
    const asked = this.#open[from === 'client' ? 'server' : 'client'];
    const all = asked.get(frame.id) ?? [];
    // Of two with one id it is the second that is refused.
    const open = frame.error === undefined ? all.splice(this.#expectedResponses(all), 1)[0] : all.pop();
    if (all.length === 0) asked.delete(frame.id);
    if (open?.method === 'initialize' && frame.result !== undefined) {
      this.#session = ALL_REVISIONS.find(({ version }) => version === frame.result?.['protocolVersion']);
    }
    if (!isChecked) return;
    const revision = open?.method === 'initialize' ? this.#session : (open?.revision ?? this.#session);
    if (frame.error !== undefined) {
      const { error } = frame;
      if (!Number.isSafeInteger(error.code) || typeof error.message !== 'string') {
        this.#recordViolation(from, frame, 'an error without code and message');
      }
      // JSON-RPC has null for an id that could not be read, the schemas have no such id.
      const { id, ...rest } = frame;
      const known = id === null ? rest : frame;
      const outcome = revision20260728.validateJSONRPCErrorResponse(known);
      if (!outcome.success) this.#recordViolation(from, frame, JSON.stringify(outcome.failure));
      const typed =
        error.code === -32021
          ? revision20260728.validateMissingRequiredClientCapabilityError(known)
          : error.code === -32022
            ? revision20260728.validateUnsupportedProtocolVersionError(known)
            : outcome;
      if (!typed.success) this.#recordViolation(from, frame, JSON.stringify(typed.failure));
      return;
    }
    if (open === undefined) {
      this.#recordViolation(from, frame, 'an answer to nothing that is open');
      return;
    }
    if (revision === undefined) {
      if (open.method !== 'ping') this.#recordViolation(from, frame, 'a result before a revision is agreed on');
      return;
    }
    const envelope = revision.classify(frame);
    if (envelope.kind !== 'result') this.#recordViolation(from, frame, `classified as ${envelope.kind}`);
    const isInput = frame.result?.['resultType'] === 'input_required';
    const outcome = isInput
      ? revision20260728.validateInputRequiredResult(frame.result)
      : open.params['task'] !== undefined && revision.validateTaskResult !== undefined
        ? revision.validateTaskResult(open.method, frame.result)
        : revision.validateResult(open.method, frame.result);
    if (!outcome.success) this.#recordViolation(from, frame, JSON.stringify(outcome.failure));
    if (revision.isStateless) {
      const meta = frame.result?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
      if (typeof frame.result?.['resultType'] !== 'string') this.#recordViolation(from, frame, 'no resultType');
      if (meta?.['io.modelcontextprotocol/serverInfo'] === undefined)
        this.#recordViolation(from, frame, 'no serverInfo');
    }
  }

  #revisionOf(from: Side, frame: Frame): Revision | undefined {
    const meta = frame.params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
    const named = ALL_REVISIONS.find(
      ({ version, isStateless }) => isStateless && version === meta?.[PROTOCOL_VERSION_META],
    );
    if (named !== undefined) return named;
    if (frame.method === 'initialize') {
      return ALL_REVISIONS.find(({ version }) => version === frame.params?.['protocolVersion']);
    }
    if (meta?.[SUBSCRIPTION_ID_META] !== undefined) return revision20260728.revision;
    if (this.#session !== undefined) return this.#session;
    // Notifications that belong to a request of a stateless revision name none.
    const isModern =
      this.frames.some(({ frame: other }) => {
        // A test may send anything, null too.
        const params = (other as Frame | null)?.params?.['_meta'] as Readonly<Record<string, unknown>> | undefined;
        return params?.[PROTOCOL_VERSION_META] !== undefined;
      }) && frame.id === undefined;
    return isModern ? revision20260728.revision : undefined;
  }

  #recordViolation(from: Side, frame: unknown, why: string): void {
    violations.push(`${from}: ${why}: ${JSON.stringify(frame).slice(0, 400)}`);
  }
}

/** Adapter over code that mcpgen has generated: `mcpgen vectors run -- npx tsx examples/vectors/ours.ts`. */
import * as revision20241105 from '../../generated/2024-11-05/index.js';
import * as revision20250326 from '../../generated/2025-03-26/index.js';
import * as revision20250618 from '../../generated/2025-06-18/index.js';
import * as revision20251125 from '../../generated/2025-11-25/index.js';
import * as revision20260728 from '../../generated/2026-07-28/index.js';
import { MessageReader } from '../../generated/runtime/jsonrpc/ndjson.js';
import type { Validation, Validator } from '../../generated/runtime/validation.js';
import { answerVectors, memberOf, type Answer, type AdapterRequest, type Frame, type JsonValue } from './adapter.js';

/** What is used of a revision; the types of its values do not matter here. */
interface Revision {
  readonly METHOD_INFO: Readonly<Record<string, { readonly kind: string; readonly direction: string }>>;
  readonly classify: (frame: unknown) => { readonly kind: string };
  readonly validateResponse: (method: string, value: unknown) => Validation<unknown>;
  readonly validateRequestMessage: Validator<unknown>;
  readonly validateNotificationMessage: Validator<unknown>;
}

const REVISIONS: Readonly<Record<string, Revision>> = {
  '2024-11-05': revision20241105,
  '2025-03-26': revision20250326,
  '2025-06-18': revision20250618,
  '2025-11-25': revision20251125,
  '2026-07-28': revision20260728,
} as unknown as Readonly<Record<string, Revision>>;

await answerVectors((request): Answer => {
  const revision = REVISIONS[request.revision];
  if (revision === undefined) return { skip: `no code for ${request.revision}` };
  switch (request.kind) {
    case 'definition': {
      const validators = revision as unknown as Readonly<Record<string, Validator<unknown> | undefined>>;
      const { definition, value } = request;
      const validate = validators[`validate${definition}Definition`] ?? validators[`validate${definition}`];
      return validate === undefined ? { skip: `no validator of ${definition}` } : verdict(validate(value));
    }
    case 'message':
      return verdictOfMessage(revision, request);
    case 'framing':
      return { frames: readFrames(revision, request.chunks) };
  }
});

function verdict(outcome: Validation<unknown>): Answer {
  return outcome.success ? { valid: true } : { valid: false, pointer: outcome.failure.path };
}

function verdictOfMessage(revision: Revision, request: AdapterRequest & { kind: 'message' }): Answer {
  const { answers, message, sender } = request;
  if (answers !== undefined) return verdict(revision.validateResponse(answers, message));
  if (revision.classify(message).kind === 'batch') {
    const items = (message as readonly JsonValue[]).map((item) =>
      verdictOfMessage(revision, { ...request, message: item }),
    );
    return items.find((item) => 'valid' in item && !item.valid) ?? { valid: true };
  }
  const method = memberOf(message, 'method');
  const info = typeof method === 'string' ? revision.METHOD_INFO[method] : undefined;
  const validate =
    info?.kind === 'notification' ? revision.validateNotificationMessage : revision.validateRequestMessage;
  const outcome = verdict(validate(message));
  const directions = ['both', sender === 'client' ? 'clientToServer' : 'serverToClient'];
  const isWrongWay = info !== undefined && !directions.includes(info.direction);
  return isWrongWay && 'valid' in outcome && outcome.valid ? { valid: false, pointer: '/method' } : outcome;
}

/** The frames that our reader finds in a stream. */
function readFrames({ classify }: Revision, chunks: readonly string[]): readonly Frame[] {
  const reader = new MessageReader({ classify: classify as never });
  const events = [...chunks.flatMap((chunk) => reader.push(Buffer.from(chunk, 'base64'))), ...reader.end()];
  return events.map((event): Frame => {
    if ('message' in event) return { message: event.message as unknown as JsonValue };
    if (event.kind === 'batch') {
      const members = event.members.map((member) =>
        'message' in member ? (member.message as unknown as JsonValue) : null,
      );
      return { message: members };
    }
    return {
      error: event.code === 'not-utf8' ? 'not-utf8' : event.kind === 'diagnostic' ? 'not-json' : 'not-a-message',
    };
  });
}

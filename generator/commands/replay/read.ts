import { createReadStream } from 'node:fs';
import { McpgenError } from '../../errors.js';
import type { Entry, RecordingHeader } from '../../recording/entry.js';
import { RecordingReader } from '../../recording/read.js';
import { entriesByClient } from '../../replay/clients.js';
import { readScript, type Script } from '../../replay/script.js';

/** Most bytes of a recording that is replayed, since all of it is in memory. */
const MAX_BYTES = 256 * 1024 * 1024;

/** A conversation to replay. */
export interface Recorded {
  readonly header: RecordingHeader | undefined;
  readonly script: Script;
}

/**
 * The conversations of a recording in which a client sent something; each client over HTTP has one.
 *
 * @throws {@link McpgenError} if the file cannot be read, or has no conversation.
 */
export async function readConversations(file: string): Promise<readonly Recorded[]> {
  const conversations: { header: RecordingHeader | undefined; readonly entries: Entry[] }[] = [];
  const byServer = new Map<string | undefined, (typeof conversations)[number]>();
  try {
    for await (const part of new RecordingReader().read(boundedBytes(file))) {
      if (part.kind === 'skipped') continue;
      if (part.kind === 'header') {
        const opened = { header: part.header, entries: [] };
        conversations.push(opened);
        byServer.set(undefined, opened);
        continue;
      }
      let conversation = byServer.get(part.server);
      if (conversation === undefined) {
        conversation = { header: undefined, entries: [] };
        conversations.push(conversation);
        byServer.set(part.server, conversation);
      }
      conversation.entries.push(part.entry);
    }
  } catch (error) {
    if (error instanceof McpgenError) throw error;
    throw new McpgenError(`cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      place: file,
      remedy: 'Pass a recording of mcpgen record.',
      cause: error,
    });
  }
  const scripts = conversations.flatMap(({ header, entries }) =>
    entriesByClient(entries).map((own) => ({ header, script: readScript(own) })),
  );
  const played = scripts.filter(({ script }) => script.steps.length > 0);
  if (played.length > 0) return played;
  throw new McpgenError('no message of a client is in it', {
    place: file,
    remedy: 'Pass a recording of mcpgen record, or another log of a conversation.',
  });
}

async function* boundedBytes(file: string): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      throw new McpgenError(`larger than ${MAX_BYTES / 1024 / 1024} MiB`, {
        place: file,
        remedy: 'Replay a shorter recording.',
      });
    }
    yield chunk;
  }
}

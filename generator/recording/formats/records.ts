import { ownMember, type JsonObject, type JsonValue } from '../../read/json/json.js';
import type { Side } from '../entry.js';
import { isMessage } from './direction.js';

/** The members in which loggers and proxies keep a message, as an object or as its text. */
const MESSAGE_MEMBERS = [
  'message',
  'frame',
  'payload',
  'data',
  'msg',
  'body',
  'raw',
  'json',
  'content',
  'jsonrpcMessage',
];
const DIRECTION_MEMBERS = ['direction', 'dir', 'from', 'sender', 'source', 'side', 'origin', 'type'];
const TIME_MEMBERS = ['timestamp', 'time', 'ts', 't', 'at', '@timestamp'];
const SERVER_MEMBERS = ['server', 'serverName', 'server_name'];

const DIRECTIONS: Readonly<Record<string, Side>> = {
  client: 'client',
  server: 'server',
  'client->server': 'client',
  'server->client': 'server',
  client_to_server: 'client',
  server_to_client: 'server',
  clienttoserver: 'client',
  servertoclient: 'server',
  c2s: 'client',
  s2c: 'server',
  'c->s': 'client',
  's->c': 'server',
  host: 'client',
  stdin: 'client',
  stdout: 'server',
  outgoing: 'client',
  incoming: 'server',
  outbound: 'client',
  inbound: 'server',
  sent: 'client',
  received: 'server',
};

/** A message in an object of a logger. */
export interface RecordLine {
  readonly frame: JsonValue;
  /** Undefined if the object does not say who sent it. */
  readonly from: Side | undefined;
  /** Milliseconds since 1970, or since anything else. */
  readonly time: number | undefined;
  readonly server: string | undefined;
}

/** Reads an object that has a message and says who sent it; undefined if it has none. */
export function readRecordLine(record: JsonObject): RecordLine | undefined {
  for (const name of MESSAGE_MEMBERS) {
    const member = ownMember(record, name);
    const frame = typeof member === 'string' ? parseMessage(member) : member;
    if (frame === undefined || !isMessage(frame)) continue;
    const server = SERVER_MEMBERS.map((key) => ownMember(record, key)).find((value) => typeof value === 'string');
    return { frame, from: readDirection(record), time: readTime(record), server };
  }
  return undefined;
}

function parseMessage(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function readDirection(record: JsonObject): Side | undefined {
  for (const name of DIRECTION_MEMBERS) {
    const value = ownMember(record, name);
    if (typeof value !== 'string') continue;
    const key = value.toLowerCase().replaceAll(' ', '').replaceAll('→', '->').replaceAll('-to-', '_to_');
    if (Object.hasOwn(DIRECTIONS, key)) return DIRECTIONS[key];
  }
  return undefined;
}

function readTime(record: JsonObject): number | undefined {
  for (const name of TIME_MEMBERS) {
    const value = ownMember(record, name);
    if (typeof value === 'number') return value;
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(time)) return time;
  }
  return undefined;
}

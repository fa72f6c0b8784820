import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { fileEdit, type FileChange } from '../../output/plan.js';
import type { ConfigFile } from '../../read/config/config.js';
import { readTextFile } from '../../read/files.js';
import { isObject, ownMember, parseJson, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { isUrl } from '../../read/fetch.js';
import { isNpmSource } from '../../read/schema/npm-file.js';
import type { SchemaSubject } from '../../read/schema/source.js';
import { displayUrl } from '../../text.js';
import { builtinPin, officialSource, type SyncItem, type SyncRequest } from './plan.js';

/**
 * The config with the SHA-256 values that are not pinned yet; a new `mcpgen.config.json` if there is no config.
 * Undefined if all are pinned.
 *
 * @throws {@link McpgenError} if the config is a program, which mcpgen cannot edit.
 */
export function planConfigPins(
  config: ConfigFile | undefined,
  requests: readonly SyncRequest[],
  items: readonly SyncItem[],
): FileChange | undefined {
  const file = config?.file ?? path.resolve('mcpgen.config.json');
  const pins = items.flatMap((item): [string, JsonObject][] => {
    const { name, status, sha256 } = item;
    const request = requests.find((other) => other.name === name);
    const known = request?.pin ?? builtinPin(item);
    // An unpinned draft stays unpinned.
    if (known === sha256 || (known === undefined && status === 'draft')) return [];
    return [[name, { source: syncSource(request, item, config), sha256 }]];
  });
  if (pins.length === 0) return undefined;
  if (!file.endsWith('.json')) {
    const lines = pins.map(([revision, pin]) => `${JSON.stringify(revision)}: ${JSON.stringify(pin)}`);
    throw new McpgenError('mcpgen cannot edit a config that is a program', {
      place: file,
      remedy: `Add to its key "sync": ${lines.join(', ')}`,
    });
  }
  const actual = config === undefined ? undefined : readTextFile(file);
  const whole = actual === undefined ? {} : parseJson(actual, file);
  const isPackage = path.basename(file) === 'package.json';
  const root = isObject(whole) ? whole : {};
  const own = isPackage ? ownMember(root, 'mcpgen') : root;
  const withPins = withSyncPins(isObject(own) ? own : {}, pins);
  const value: JsonValue = isPackage ? { ...root, mcpgen: withPins } : withPins;
  const indent = /^([ \t]+)"/m.exec(actual ?? '')?.[1] ?? '  ';
  return fileEdit(file, formatLike(actual, JSON.stringify(value, undefined, indent)), actual);
}

/** A text with the byte order mark, line ends and last line of the file that it replaces. */
function formatLike(actual = '\n', text: string): string {
  const mark = actual.startsWith('\ufeff') ? '\ufeff' : '';
  const end = actual.endsWith('\n') ? '\n' : '';
  const lines = `${mark}${text}${end}`;
  return actual.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines;
}

function withSyncPins(config: JsonObject, pins: readonly (readonly [string, JsonObject])[]): JsonObject {
  const existingSync = ownMember(config, 'sync');
  const sync = new Map<string, JsonValue>(isObject(existingSync) ? Object.entries(existingSync) : []);
  for (const [revision, pin] of pins) {
    const known = sync.get(revision);
    sync.set(revision, isObject(known) ? { ...known, sha256: pin['sha256'] ?? null } : pin);
  }
  return { ...config, sync: Object.fromEntries(sync) };
}

/** The source as a config has it: a path is relative to its folder. */
function syncSource(request: SyncRequest | undefined, subject: SchemaSubject, config: ConfigFile | undefined): string {
  const source = request?.source;
  if (source === undefined) return officialSource(subject);
  if (isNpmSource(source)) return source;
  if (isUrl(source)) return displayUrl(source);
  const relative = path.relative(config?.folder ?? process.cwd(), path.resolve(source));
  return relative.split(path.sep).join('/') || '.';
}

import path from 'node:path';
import { McpgenError } from '../../errors.js';
import { compareProtocols } from '../../model/diff/compare.js';
import { withEvidence } from '../../model/diff/evidence.js';
import { draftCatalog } from '../../model/catalog/draft.js';
import { loadProtocol, loadWithoutCatalog, readSchemaWithoutCatalog } from '../../model/load.js';
import { mergeCatalog } from '../../model/catalog/merge.js';
import type { Protocol, Warning } from '../../model/protocol.js';
import { fileChange, type FileChange } from '../../output/plan.js';
import { buildReport, type DiffReport } from '../../print/diff/report.js';
import { extensionFolder, findExtension } from '../../read/builtin/extensions.js';
import { builtinCatalog, builtinCatalogs, findRevision } from '../../read/builtin/revisions.js';
import { canonicalSchemaFile, canonicalizeSchema } from '../../read/schema/canonical.js';
import { parseExtension, type ExtensionCatalog } from '../../read/extension.js';
import { readTextIfExists } from '../../read/files.js';
import { isObject, ownMember, parseUntrustedJson, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { isNpmSource, newestNpmSource } from '../../read/schema/npm-file.js';
import { officialUrl, readSchemaSource, type FetchedSchema, type SchemaSubject } from '../../read/schema/source.js';
import { displayUrl } from '../../text.js';
import { extensionStatus, loadBeforeAndAfter, readSyncedExtension } from './extension.js';

/** A revision or an extension to update from its source. */
export interface SyncRequest extends SchemaSubject {
  /** URL, file or folder; the official repository by default. */
  readonly source?: string;
  /** The source as given. */
  readonly named?: string;
  /** The SHA-256 that the config pins. */
  readonly pin?: string;
}

/** The plan for one revision or extension. */
export interface SyncItem extends SchemaSubject {
  /** `draft`: it may still change, and generated files are marked as a draft. */
  readonly status: 'released' | 'draft';
  readonly state: 'new' | 'changed' | 'unchanged';
  /** As given, without the password of a URL. */
  readonly source: string;
  readonly sha256: string;
  readonly files: readonly FileChange[];
  /** What changed, if the revision existed before. */
  readonly report?: DiffReport;
  readonly undecided: readonly { readonly method: string; readonly members: readonly string[] }[];
  readonly warnings: readonly Warning[];
}

/** A file whose SHA-256 is not the known one. */
export interface Mismatch extends SchemaSubject {
  readonly place: string;
  /** Undefined if a required pin is missing. */
  readonly expected?: string;
  readonly pinnedBy: 'the config' | 'built in' | 'nothing';
  readonly found: string;
}

/** Options of the plan. */
export interface SyncPlanOptions {
  /** Folder of the schemas, absolute. */
  readonly out: string;
  readonly prose: 'keep' | 'strip';
  readonly seconds: number;
  /** Whether a new SHA-256 is accepted. */
  readonly acceptPins: boolean;
  readonly onProgress: (place: string) => void;
}

/** Everything that a run writes. Paths are absolute. */
export interface SyncPlan {
  readonly items: readonly SyncItem[];
  readonly mismatches: readonly Mismatch[];
  readonly changes: readonly FileChange[];
}

/**
 * Reads all sources and plans what to write. Writes nothing, and does not parse a file whose SHA-256 does not match.
 *
 * @throws {@link McpgenError} if a source cannot be read or is not a schema.
 */
export async function planSync(requests: readonly SyncRequest[], options: SyncPlanOptions): Promise<SyncPlan> {
  const items: SyncItem[] = [];
  const mismatches: Mismatch[] = [];
  const manifestEntries: ManifestEntry[] = [];
  for (const request of requests) {
    const { kind, name } = request;
    const source = request.source ?? officialSource(request);
    options.onProgress(displaySource(source));
    const file = await readSchemaSource(source, request, options.seconds);
    const status = await subjectStatus(request, options.out);
    const mismatch = findMismatch(request, status, file);
    if (mismatch !== undefined && !options.acceptPins) {
      mismatches.push(mismatch);
      continue;
    }
    const named = displaySource(request.named ?? (isNpmSource(source) ? file.place : source));
    const plan = kind === 'revision' ? planRevision : planExtension;
    const { item, dialect } = await plan(name, status, file, options, named);
    items.push(item);
    const facts = { status, ...(kind === 'revision' ? { dialect } : {}), sha256: file.sha256, source: item.source };
    manifestEntries.push({ kind, name, facts });
  }
  const manifest = planManifest(options.out, manifestEntries);
  return { items, mismatches, changes: [...items.flatMap(({ files }) => files), manifest] };
}

/**
 * The source of a revision or extension that was requested without one.
 *
 * @throws {@link McpgenError} if it is an extension that is not built in.
 */
export function officialSource({ kind, name }: SchemaSubject): string {
  if (kind === 'revision') return officialUrl(name);
  const source = findExtension(name)?.source;
  if (source === undefined) {
    throw new McpgenError(`the extension ${name} is not built in, so its source must be passed`, {
      place: '--extension',
      remedy: 'Pass --from SOURCE, or name its source under "sync" in the config.',
    });
  }
  // A release on npm never changes: the newest one may have a new schema.
  return isNpmSource(source) ? newestNpmSource(source) : source;
}

function displaySource(source: string): string {
  return isNpmSource(source) ? source : displayUrl(source);
}

async function subjectStatus({ kind, name }: SchemaSubject, out: string): Promise<'released' | 'draft'> {
  if (kind === 'extension') return extensionStatus(name, await readStatus(path.join(out, ...extensionFolder(name))));
  // A name that is not a date is a draft, as in the official repository.
  return findRevision(name)?.status ?? (/^\d{4}-\d{2}-\d{2}$/.test(name) ? 'released' : 'draft');
}

/** The status in the catalog of an extension, if there is one. */
async function readStatus(folder: string): Promise<Pick<ExtensionCatalog, 'status'> | undefined> {
  const file = path.join(folder, 'catalog.json');
  const text = readTextIfExists(file);
  return text === undefined ? undefined : parseExtension({ name: file, contents: text });
}

/** The SHA-256 of a built-in schema that must not change; the draft of an extension may. */
export function builtinPin({ kind, name }: SchemaSubject): string | undefined {
  if (kind === 'revision') return findRevision(name)?.sha256;
  const extension = findExtension(name);
  return extension?.status === 'draft' ? undefined : extension?.sha256;
}

function findMismatch(
  { kind, name, pin }: SyncRequest,
  status: 'released' | 'draft',
  { place, sha256 }: FetchedSchema,
): Mismatch | undefined {
  const builtin = builtinPin({ kind, name });
  const expected = pin ?? builtin;
  if (expected === sha256 || (expected === undefined && status === 'draft')) return undefined;
  return {
    kind,
    name,
    place,
    found: sha256,
    pinnedBy: pin !== undefined ? 'the config' : builtin !== undefined ? 'built in' : 'nothing',
    ...(expected === undefined ? {} : { expected }),
  };
}

/** A schema of an extension: what it adds to a revision. */
async function planExtension(
  id: string,
  status: 'released' | 'draft',
  file: FetchedSchema,
  options: SyncPlanOptions,
  source: string,
): Promise<{ item: SyncItem; dialect: string }> {
  const synced = await readSyncedExtension(id, file, options);
  const { paths, schemaBefore, catalogBefore, newMethods, dialect } = synced;
  const schemaText = keepFormatting(
    synced.schema,
    schemaBefore === undefined ? undefined : parseObject(schemaBefore, paths.schema),
    schemaBefore,
  );
  const catalogText = catalogBefore ?? formatJson(synced.catalog);
  const files = [
    fileChange(paths.schema, schemaText, schemaBefore),
    fileChange(paths.catalog, catalogText, catalogBefore),
  ];
  const loaded = schemaBefore === schemaText ? undefined : await loadBeforeAndAfter(id, synced);
  const report = loaded === undefined ? undefined : reportOf(id, status, ...loaded);
  const item: SyncItem = {
    kind: 'extension',
    name: id,
    status,
    state: stateOf(files, schemaBefore),
    source,
    sha256: file.sha256,
    files,
    ...(report === undefined ? {} : { report }),
    undecided: newMethods.map((method) => ({ method, members: ['its whole row'] })),
    warnings: [],
  };
  return { item, dialect };
}

function stateOf(files: readonly FileChange[], schemaBefore: string | undefined): SyncItem['state'] {
  if (schemaBefore === undefined) return 'new';
  return files.every(({ status }) => status === 'unchanged') ? 'unchanged' : 'changed';
}

async function planRevision(
  revision: string,
  status: 'released' | 'draft',
  file: FetchedSchema,
  { out, prose }: SyncPlanOptions,
  source: string,
): Promise<{ item: SyncItem; dialect: string }> {
  const canonical = canonicalizeSchema(parseUntrustedJson(file.bytes, file.place), file.place, { prose });
  const schemaText = formatJson(canonicalSchemaFile(canonical));
  const [schemaPath, catalogPath] = ['schema.json', 'catalog.json'].map((name) => path.join(out, revision, name));
  if (schemaPath === undefined || catalogPath === undefined) throw new Error('a revision has two files');
  const [schemaBefore, catalogBefore] = [readTextIfExists(schemaPath), readTextIfExists(catalogPath)];
  const reading = readSchemaWithoutCatalog({ name: file.place, contents: file.bytes }, revision);
  const draft = draftCatalog(reading, builtinCatalogs(), { revision });
  const builtin = findRevision(revision);
  const ownCatalog = catalogBefore === undefined ? undefined : parseObject(catalogBefore, catalogPath);
  const base = ownCatalog ?? (builtin === undefined ? undefined : (builtinCatalog(revision) as unknown as JsonObject));
  const merged = mergeCatalog(draft.catalog, base, status);
  const catalogText = keepFormatting(merged.catalog, ownCatalog, catalogBefore);
  const files = [fileChange(schemaPath, schemaText, schemaBefore), fileChange(catalogPath, catalogText, catalogBefore)];
  const report =
    schemaBefore === undefined || schemaBefore === schemaText
      ? undefined
      : await diffReport(
          revision,
          status,
          [schemaPath, schemaBefore, catalogBefore],
          [file.place, schemaText, catalogText],
        );
  const item: SyncItem = {
    kind: 'revision',
    name: revision,
    status,
    state: stateOf(files, schemaBefore),
    source,
    sha256: file.sha256,
    files,
    ...(report === undefined ? {} : { report }),
    undecided: merged.undecided,
    warnings: reading.warnings,
  };
  return { item, dialect: canonical.dialect };
}

type RevisionFiles = readonly [name: string, schema: string, catalog: string | undefined];

async function diffReport(
  revision: string,
  status: 'released' | 'draft',
  before: RevisionFiles,
  after: RevisionFiles,
): Promise<DiffReport | undefined> {
  const protocolBefore = await loadRevisionFiles(revision, before);
  const protocolAfter = await loadRevisionFiles(revision, after);
  return reportOf(revision, status, protocolBefore, protocolAfter);
}

function reportOf(name: string, status: 'released' | 'draft', before: Protocol, after: Protocol): DiffReport {
  const notes = { catalog: 'file', status } as const;
  return buildReport(
    withEvidence(compareProtocols(before, after)),
    { ...notes, given: `${name} as it was` },
    { ...notes, given: name },
  );
}

/** A version with its catalog; without it if the catalog is undecided or does not match. */
async function loadRevisionFiles(revision: string, [name, schema, catalog]: RevisionFiles): Promise<Protocol> {
  const file = { name, contents: schema };
  if (catalog !== undefined) {
    try {
      return await loadProtocol({ schema: file, catalog: { name: 'catalog.json', contents: catalog }, errata: false });
    } catch (error) {
      if (!(error instanceof McpgenError)) throw error;
    }
  }
  return loadWithoutCatalog(file, { revision, errata: false });
}

/** What the manifest says of the bytes of a schema, whatever their source. */
const MANIFEST_FACTS = ['status', 'dialect', 'sha256'];

interface ManifestEntry extends SchemaSubject {
  readonly facts: JsonObject;
}

function planManifest(out: string, entries: readonly ManifestEntry[]): FileChange {
  const file = path.join(out, 'manifest.json');
  const text = readTextIfExists(file);
  const before = text === undefined ? {} : parseObject(text, file);
  const extensions = withEntries(before, entries, 'extension');
  const after = {
    ...before,
    revisions: withEntries(before, entries, 'revision'),
    ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
  };
  return fileChange(file, keepFormatting(after, before, text), text);
}

/** The entries of the manifest for revisions or extensions, in the order of names. */
function withEntries(before: JsonObject, entries: readonly ManifestEntry[], kind: SchemaSubject['kind']): JsonObject {
  const known = ownMember(before, `${kind}s`);
  const all = new Map<string, JsonValue>(isObject(known) ? Object.entries(known) : []);
  for (const { name, facts } of entries.filter((entry) => entry.kind === kind)) {
    const entryBefore = all.get(name);
    // The same bytes from another source are no change: the source is where they first came from.
    const isSame = isObject(entryBefore) && MANIFEST_FACTS.every((key) => entryBefore[key] === facts[key]);
    // What else is known of an extension stays.
    if (!isSame) all.set(name, isObject(entryBefore) ? { ...entryBefore, ...facts } : facts);
  }
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function parseObject(text: string, file: string): JsonObject {
  const value = parseUntrustedJson(text, file);
  if (isObject(value)) return value;
  throw new McpgenError('must be a JSON object', { place: file, remedy: 'Fix it, or move it away.' });
}

/** The text of a file that holds a value: as it is where it holds that value already, whatever has formatted it. */
function keepFormatting(
  value: JsonObject,
  valueBefore: JsonObject | undefined,
  textBefore: string | undefined,
): string {
  const isSame = textBefore !== undefined && JSON.stringify(valueBefore) === JSON.stringify(value);
  return isSame ? textBefore : formatJson(value);
}

function formatJson(value: JsonValue): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

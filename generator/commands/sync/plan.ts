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
import { builtinCatalog, builtinCatalogs, findRevision } from '../../read/builtin/revisions.js';
import { canonicalSchemaFile, canonicalizeSchema } from '../../read/schema/canonical.js';
import { readTextIfExists } from '../../read/files.js';
import { isObject, ownMember, parseUntrustedJson, type JsonObject, type JsonValue } from '../../read/json/json.js';
import { officialUrl, readSchemaSource } from '../../read/schema/source.js';
import { displayUrl } from '../../text.js';

/** A revision to update from its source. */
export interface SyncRequest {
  readonly revision: string;
  /** URL, file or folder; the official repository by default. */
  readonly source?: string;
  /** The source as given. */
  readonly named?: string;
  /** The SHA-256 that the config pins. */
  readonly pin?: string;
}

/** The plan for one revision. */
export interface SyncItem {
  readonly revision: string;
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
export interface Mismatch {
  readonly revision: string;
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
  const manifestEntries = new Map<string, JsonObject>();
  for (const request of requests) {
    const source = request.source ?? officialUrl(request.revision);
    options.onProgress(displayUrl(source));
    const file = await readSchemaSource(source, request.revision, options.seconds);
    const status = revisionStatus(request.revision);
    const mismatch = findMismatch(request, status, file);
    if (mismatch !== undefined && !options.acceptPins) {
      mismatches.push(mismatch);
      continue;
    }
    const { item, dialect } = await planRevision(request, status, file, options, displayUrl(request.named ?? source));
    items.push(item);
    manifestEntries.set(item.revision, { status, dialect, sha256: file.sha256, source: item.source });
  }
  const manifest = planManifest(options.out, manifestEntries);
  return { items, mismatches, changes: [...items.flatMap(({ files }) => files), manifest] };
}

/** A name that is not a date is a draft, as in the official repository. */
function revisionStatus(revision: string): 'released' | 'draft' {
  return findRevision(revision)?.status ?? (/^\d{4}-\d{2}-\d{2}$/.test(revision) ? 'released' : 'draft');
}

function findMismatch(
  { revision, pin }: SyncRequest,
  status: 'released' | 'draft',
  { place, sha256 }: { readonly place: string; readonly sha256: string },
): Mismatch | undefined {
  const builtin = findRevision(revision)?.sha256;
  const expected = pin ?? builtin;
  if (expected === sha256 || (expected === undefined && status === 'draft')) return undefined;
  return {
    revision,
    place,
    found: sha256,
    pinnedBy: pin !== undefined ? 'the config' : builtin !== undefined ? 'built in' : 'nothing',
    ...(expected === undefined ? {} : { expected }),
  };
}

async function planRevision(
  { revision }: SyncRequest,
  status: 'released' | 'draft',
  file: { readonly place: string; readonly bytes: Uint8Array; readonly sha256: string },
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
  const state =
    schemaBefore === undefined ? 'new' : files.every((item) => item.status === 'unchanged') ? 'unchanged' : 'changed';
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
    revision,
    status,
    state,
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
  const notes = { catalog: 'file', status } as const;
  return buildReport(
    withEvidence(compareProtocols(protocolBefore, protocolAfter)),
    { ...notes, given: `${revision} as it was` },
    { ...notes, given: revision },
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

function planManifest(out: string, manifestEntries: ReadonlyMap<string, JsonObject>): FileChange {
  const file = path.join(out, 'manifest.json');
  const text = readTextIfExists(file);
  const before = text === undefined ? {} : parseObject(text, file);
  const known = ownMember(before, 'revisions');
  const revisions = new Map<string, JsonValue>(isObject(known) ? Object.entries(known) : []);
  for (const [revision, entry] of manifestEntries) {
    const entryBefore = revisions.get(revision);
    // The same bytes from another source are no change: the source is where they first came from.
    const isSame = isObject(entryBefore) && MANIFEST_FACTS.every((key) => entryBefore[key] === entry[key]);
    if (!isSame) revisions.set(revision, entry);
  }
  const sorted = Object.fromEntries([...revisions].sort(([a], [b]) => (a < b ? -1 : 1)));
  return fileChange(file, keepFormatting({ ...before, revisions: sorted }, before, text), text);
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

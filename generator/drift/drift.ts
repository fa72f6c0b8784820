import path from 'node:path';
import type { Project as TsMorphProject, ts } from 'ts-morph';
import { compilerHosts } from '../compiler-host.js';
import { McpgenError } from '../errors.js';
import { memberOf } from '../model/catalog/derive.js';
import { refsIn } from '../model/types/references.js';
import { loadProtocol } from '../model/load.js';
import { findDefinition, type Protocol } from '../model/protocol.js';
import { displayPath } from '../paths.js';
import { typeNames } from '../print/names.js';
import { builtinRevisions, builtinSchema, requireRevision } from '../read/builtin/revisions.js';
import { canonicalizeSchema } from '../read/schema/canonical.js';
import { compareText, parsePointer } from '../read/json/json.js';
import { TypeComparison, type TypeDifference } from './compare.js';
import { readDeclarations, type Declarations, type ExportedType } from './declarations.js';
import { findExport, isIgnored, nameLocation, type NameOptions } from './names.js';
import { findEntry } from './package.js';
import {
  EQUIVALENCES,
  DRIFT_KINDS,
  type ComparedDefinition,
  type DriftFinding,
  type DriftKind,
  type DriftReport,
} from './report.js';
import type { Compiler } from './their-shape.js';

/** What to compare, and how. */
export interface DriftOptions extends NameOptions {
  /** A package, a subpath of one, or the path of a file or folder. */
  readonly sdk: string;
  /** A built-in revision; by default the package's `LATEST_PROTOCOL_VERSION`. */
  readonly revision?: string;
  /** Treats nothing as equal that differs, and counts findings that an erratum explains. */
  readonly exact?: boolean;
  /** The folder to resolve packages and paths from; the working folder by default. */
  readonly folder?: string;
}

/**
 * Compares the types that a package exports with those of a protocol revision.
 *
 * @example
 * ```ts
 * const { drift, findings } = await compareWithPackage({
 *   sdk: '@modelcontextprotocol/sdk/types.js',
 *   revision: '2025-11-25',
 * });
 * ```
 * @throws {@link McpgenError} if the package is not found or has no types, or the revision is not built in.
 */
export async function compareWithPackage(options: DriftOptions): Promise<DriftReport> {
  const { sdk, exact = false, folder = process.cwd() } = options;
  if (options.revision !== undefined) requireRevision(options.revision);
  // The compiler needs half a second to load: only comparisons wait for it.
  const { Project, ts: compiler } = await import('ts-morph');
  const entry = findEntry(compiler, sdk, folder);
  const declarations = readDeclarations(compiler, createProgramFactory(compiler, Project), entry, sdk);
  const revision = options.revision ?? detectRevision(declarations, sdk);
  const protocol = await loadProtocol({ revision });
  const pairs = pairExports(protocol, declarations, options);
  const { findings, comparison } = comparePairs(compiler, declarations, protocol, pairs, exact);
  const explained = await explainByErrata(
    findings,
    protocol,
    () => loadProtocol({ revision, errata: false }),
    (published) => comparePairs(compiler, declarations, published, pairs, exact).findings,
  );
  const ignore = options.ignore ?? [];
  const ignored = (text: string): boolean => ignore.some((pattern) => isIgnored(text, pattern));
  const shown = explained.filter((finding) => !ignored(finding.path) && !ignored(finding.definition));
  const counted = shown.filter(({ erratum }) => exact || erratum === undefined);
  const drifted = new Set(counted.map(({ definition }) => definition));
  const definitions = protocol.definitions.map(({ name }): ComparedDefinition => {
    const theirs = pairs.get(name)?.name;
    const status = ignored(name) ? 'ignored' : theirs === undefined ? 'missing' : drifted.has(name) ? 'drift' : 'same';
    return { name, ...(theirs === undefined ? {} : { theirs }), status };
  });
  const count = (status: ComparedDefinition['status']): number =>
    definitions.filter((item) => item.status === status).length;
  return {
    package: {
      specifier: sdk,
      ...(entry.name === undefined ? {} : { name: entry.name }),
      ...(entry.version === undefined ? {} : { version: entry.version }),
      entry: displayPath(entry.file, folder).replaceAll(path.sep, '/'),
      moduleResolution: declarations.resolution,
    },
    revision,
    exact,
    drift: counted.length + count('missing') > 0,
    summary: {
      definitions: definitions.length,
      same: count('same'),
      drift: count('drift'),
      missing: count('missing'),
      ignored: count('ignored'),
      findings: Object.fromEntries(
        DRIFT_KINDS.map((kind) => [kind, counted.filter((finding) => finding.kind === kind).length]),
      ) as Record<DriftKind, number>,
      errata: shown.filter(({ erratum }) => erratum !== undefined).length,
    },
    definitions,
    findings: shown,
    otherExports: otherExports(protocol, declarations, pairs),
    equivalences: [...comparison.equivalences]
      .sort(([a], [b]) => compareText(a, b))
      .map(([id, times]) => ({ id, times, reason: EQUIVALENCES[id] })),
    notes: driftNotes(declarations, shown, ignore, [
      ...protocol.definitions.map(({ name }) => name),
      ...explained.map((item) => item.path),
    ]),
  };
}

/** Creates programs as the compiler does, which knows of each file whether it is an ES module; those of ts-morph do not. */
function createProgramFactory(
  compiler: Compiler,
  Project: typeof TsMorphProject,
): (options: ts.CompilerOptions, file: string) => ts.Program {
  const createHost = compilerHosts(compiler, Project);
  return (options, file) => compiler.createProgram([file], options, createHost(options));
}

/** The latest revision that a package declares. */
function detectRevision({ constant }: Declarations, sdk: string): string {
  const declaredRevision = constant('LATEST_PROTOCOL_VERSION');
  const known = builtinRevisions().map(({ revision }) => revision);
  if (declaredRevision !== undefined && known.includes(declaredRevision)) return declaredRevision;
  throw new McpgenError(
    declaredRevision === undefined
      ? 'no revision given, and the package has no LATEST_PROTOCOL_VERSION'
      : `no revision given, and the package's LATEST_PROTOCOL_VERSION is ${JSON.stringify(declaredRevision)}, which is not built in`,
    { place: `--sdk ${sdk}`, remedy: `Pass --revision R; built in are ${known.join(', ')}.` },
  );
}

type ExportPairs = ReadonlyMap<string, ExportedType>;

function pairExports(protocol: Protocol, declarations: Declarations, options: NameOptions): ExportPairs {
  const names = Object.keys(options.names ?? {}).filter((name) => !name.includes('*'));
  for (const name of names) {
    if (findDefinition(protocol, name) !== undefined) continue;
    throw new McpgenError(`${JSON.stringify(name)} is not a definition of revision ${protocol.revision}`, {
      place: (options.placeOfName ?? nameLocation)(name),
      remedy: 'The name of the definition comes first, then that of the package.',
    });
  }
  return new Map(
    protocol.definitions.flatMap(({ name, type }) => {
      const required = type.kind === 'object' ? type.members.filter((member) => member.required) : [];
      // A class without the required members only shares the name.
      const found = findExport(name, declarations, options, (candidate) =>
        candidate.isClass === true
          ? required.every((member) => candidate.type().getProperty(member.name) !== undefined)
          : true,
      );
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
}

function comparePairs(
  compiler: Compiler,
  { checker }: Declarations,
  protocol: Protocol,
  pairs: ExportPairs,
  exact: boolean,
): { findings: readonly DriftFinding[]; comparison: TypeComparison } {
  const names = typeNames(protocol);
  const comparison = new TypeComparison({
    compiler,
    checker,
    definitions: new Map(protocol.definitions.map(({ name, type }) => [name, type])),
    messages: messageDefinitions(protocol),
    exported: (name) => pairs.get(name)?.type(),
    printer: { name: (name) => names.get(name) ?? name, linkable: new Set() },
    exact,
  });
  const differences = [...pairs].flatMap(([definition, { type }]) =>
    comparison.compare(type(), definition).map((difference) => ({ definition, difference })),
  );
  return { findings: groupDifferences(differences), comparison };
}

/** Definitions that have a method, except the envelopes themselves. */
function messageDefinitions(protocol: Protocol): ReadonlySet<string> {
  const envelopes = new Set(refsIn(findDefinition(protocol, 'JSONRPCMessage')?.type ?? { kind: 'never' }));
  return new Set(
    protocol.definitions
      .filter(({ name, type }) => memberOf(type, 'method') !== undefined && !envelopes.has(name))
      .map(({ name }) => name),
  );
}

/**
 * One finding for each difference, however many definitions have it. It is attributed to the definition that contains
 * it if that has the difference too, else to the first definition that has it.
 */
function groupDifferences(
  differences: readonly { readonly definition: string; readonly difference: TypeDifference }[],
): readonly DriftFinding[] {
  const groups = new Map<string, { finding: DriftFinding; rank: number; places: string[] }>();
  for (const { definition, difference } of differences) {
    const { kind, origin } = difference;
    const [theirs, ours, detail] = [difference.theirs(), difference.ours(), difference.detail?.()];
    const place = definition + difference.path;
    const key = JSON.stringify([kind, origin?.definition ?? definition, origin?.path ?? difference.path, theirs, ours]);
    const rank = origin === undefined ? 0 : countSteps(place);
    const group = groups.get(key);
    if (group !== undefined && group.rank <= rank) {
      group.places.push(place);
      continue;
    }
    const finding = {
      kind,
      definition,
      path: place,
      theirs,
      ours,
      ...(detail === undefined ? {} : { detail }),
      also: [],
    };
    groups.set(key, { finding, rank, places: [...(group?.places ?? []), place] });
  }
  return [...groups.values()]
    .map(({ finding, places }) => ({
      ...finding,
      also: [...new Set(places)].filter((place) => place !== finding.path).sort(compareText),
    }))
    .sort((a, b) => DRIFT_KINDS.indexOf(a.kind) - DRIFT_KINDS.indexOf(b.kind) || compareText(a.path, b.path));
}

function countSteps(place: string): number {
  return place.split(/[.[<]/).length;
}

/** Marks findings that exist only because an erratum corrected the protocol's types. */
async function explainByErrata(
  findings: readonly DriftFinding[],
  protocol: Protocol,
  loadPublished: () => Promise<Protocol>,
  compare: (published: Protocol) => readonly DriftFinding[],
): Promise<readonly DriftFinding[]> {
  if (findings.length === 0 || protocol.errata.length === 0) return findings;
  const places = protocol.errata.flatMap(({ id, changes }) =>
    changes
      .filter(({ revision }) => revision === protocol.version)
      .flatMap(({ at }) => at.map((pointer) => ({ id, path: pathOfPointer(pointer) }))),
  );
  const erratumOf = (finding: DriftFinding): string | undefined =>
    places.find(({ path: at }) => locationsOf(finding).some((place) => isWithin(place, at)))?.id;
  // Most packages do not differ near an erratum, and need no second comparison.
  if (findings.every((finding) => erratumOf(finding) === undefined)) return findings;
  const published = compare(await loadPublished()).flatMap(locationsOf);
  return findings.map((finding) => {
    // Compared with the schema as published, there is no finding at or around this place.
    const isPublished = locationsOf(finding).some((place) => published.some((other) => isWithin(place, other)));
    const erratum = isPublished ? undefined : erratumOf(finding);
    return erratum === undefined ? finding : { ...finding, erratum };
  });
}

/** All places of a finding; variants add no step to a path, unlike in a schema's pointers. */
function locationsOf({ path: place, also }: DriftFinding): readonly string[] {
  return [place, ...also].map((item) => item.replace(/<[^>]*>/g, ''));
}

/** Whether a place is the other one, or inside it. */
function isWithin(place: string, outer: string): boolean {
  return place === outer || (place.startsWith(outer) && /^[.[]/.test(place.slice(outer.length)));
}

/** Converts a pointer into a schema to the path of a report. */
function pathOfPointer(pointer: string): string {
  const [, definition = '', ...tokens] = parsePointer(pointer);
  let result = definition;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === 'properties') result += `.${tokens[(index += 1)] ?? ''}`;
    else if (token === 'items') result += '[]';
    else if (token === 'additionalProperties') result += '[key]';
    else if (token === 'anyOf' || token === 'allOf') index += 1;
  }
  return result;
}

/** Exported types without a definition. */
function otherExports(
  { revision }: Protocol,
  { types }: Declarations,
  pairs: ExportPairs,
): DriftReport['otherExports'] {
  const taken = new Set([...pairs.values()].map(({ name }) => name));
  const others = builtinRevisions()
    .filter((item) => item.revision !== revision)
    .map((item) => ({
      revision: item.revision,
      names: new Set(Object.keys(canonicalizeSchema(builtinSchema(item.revision), item.revision).definitions)),
    }));
  return [...types.keys()]
    .filter((name) => !taken.has(name))
    .sort(compareText)
    .map((name) => ({
      name,
      revisions: others.filter(({ names }) => names.has(name)).map((item) => item.revision),
    }));
}

function driftNotes(
  { unresolvedModules }: Declarations,
  findings: readonly DriftFinding[],
  ignore: readonly string[],
  places: readonly string[],
): readonly string[] {
  const isUnresolved = findings.some(({ kind }) => kind === 'unresolved');
  return [
    ...(isUnresolved && unresolvedModules.length > 0
      ? [`some types are missing, because these imports cannot be resolved: ${unresolvedModules.join(', ')}`]
      : []),
    ...ignore
      .filter((pattern) => !places.some((place) => isIgnored(place, pattern)))
      .map((pattern) => `the pattern ${JSON.stringify(pattern)} matches nothing`),
  ];
}

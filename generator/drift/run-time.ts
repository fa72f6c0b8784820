/** Compares the schemas that a module exports at run time, of Zod or any Standard Schema, with a revision by vectors. */
import path from 'node:path';
import { McpgenError } from '../errors.js';
import { loadProtocol } from '../model/load.js';
import { requireRevision } from '../read/builtin/revisions.js';
import { runForeign, thrownReason } from '../read/program.js';
import type { JsonValue } from '../read/json/json.js';
import { closestMatch } from '../text.js';
import { vectorsOf } from '../vectors/set.js';
import type { DefinitionVector } from '../vectors/form.js';
import { isIgnored, nameLocation, namesFromPatterns, type NameOptions } from './names.js';

/** What to compare, and how. */
export interface RunTimeDriftOptions extends NameOptions {
  /** A package, a subpath of one, or the path of a file. */
  readonly module: string;
  /** A built-in revision; by default the module's `LATEST_PROTOCOL_VERSION`. */
  readonly revision?: string;
  /** Counts findings that an erratum explains. */
  readonly exact?: boolean;
  /** The folder to resolve packages and paths from; the working folder by default. */
  readonly folder?: string;
}

/** A value on which a schema and the protocol disagree: the smallest one of its definition and direction. */
export interface RunTimeFinding {
  /** `narrower`: theirs rejects a valid value; `wider`: theirs accepts an invalid one. */
  readonly kind: 'narrower' | 'wider';
  readonly definition: string;
  readonly theirs: string;
  /** The name of the vector. */
  readonly vector: string;
  readonly reason: string;
  /** For `wider`, the broken rule and where it is broken. */
  readonly rule?: string;
  readonly pointer?: string;
  readonly value: JsonValue;
  /** How many more vectors of the definition differ in this direction. */
  readonly more: number;
  /** The erratum that explains it: theirs follows the schema as published. */
  readonly erratum?: string;
}

/** What a comparison with run-time schemas found. */
export interface RunTimeDriftReport {
  readonly module: string;
  readonly revision: string;
  readonly exact: boolean;
  /** Whether there is a finding that no erratum explains and that is not ignored. */
  readonly drift: boolean;
  readonly definitions: readonly {
    readonly name: string;
    readonly theirs?: string;
    readonly status: 'same' | 'drift' | 'missing' | 'ignored';
    readonly vectors: number;
  }[];
  readonly findings: readonly RunTimeFinding[];
}

/** The part of a Standard Schema that is used. */
type Validate = (value: unknown) => unknown;

/**
 * Compares the schemas that a module exports with the definitions of a revision: each validates the vectors of the
 * definition that it is named after. The module is executed.
 *
 * @throws {@link McpgenError} if the module cannot be loaded or exports no schema of a definition.
 */
export async function compareRunTimeSchemas(options: RunTimeDriftOptions): Promise<RunTimeDriftReport> {
  const { module, exact = false, ignore = [] } = options;
  const exports = await loadModule(module, options.folder ?? process.cwd());
  const revision = options.revision ?? latestRevision(exports, module);
  requireRevision(revision);
  const protocol = await loadProtocol({ revision });
  const set = vectorsOf(protocol, await loadProtocol({ revision, errata: false }));
  const vectors = new Map<string, readonly DefinitionVector[]>();
  for (const file of set.files.values()) if (file.kind === 'definition') vectors.set(file.definition, file.vectors);
  const isLeftOut = (name: string): boolean => ignore.some((pattern) => isIgnored(name, pattern));
  const findings: RunTimeFinding[] = [];
  const definitions: RunTimeDriftReport['definitions'][number][] = [];
  for (const { name } of protocol.definitions) {
    const own = vectors.get(name) ?? [];
    const theirs = isLeftOut(name) ? undefined : findSchema(name, exports, options);
    if (theirs === undefined) {
      definitions.push({ name, status: isLeftOut(name) ? 'ignored' : 'missing', vectors: 0 });
      continue;
    }
    const found = await compareInTime(name, theirs, own);
    findings.push(...found);
    const counts = found.some(({ erratum }) => exact || erratum === undefined);
    definitions.push({ name, theirs: theirs.name, status: counts ? 'drift' : 'same', vectors: own.length });
  }
  if (definitions.every(({ theirs }) => theirs === undefined)) {
    throw new McpgenError('the module exports no schema of a definition', {
      place: `--zod ${module}`,
      remedy: "Map the names with --name, as in --name '*=*Validator'.",
    });
  }
  return {
    module,
    revision,
    exact,
    drift: definitions.some(({ status }) => status === 'drift'),
    definitions,
    findings,
  };
}

async function loadModule(module: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  const { createJiti } = await import('jiti');
  const isPath = /^\.{0,2}[/\\]|^[A-Za-z]:[/\\]/.test(module);
  const jiti = createJiti(path.join(folder, 'index.js'), { fsCache: false, interopDefault: false });
  try {
    return await runForeign(() =>
      jiti.import<Readonly<Record<string, unknown>>>(isPath ? path.resolve(folder, module) : module),
    );
  } catch (error) {
    throw new McpgenError(`cannot be loaded: ${firstLineOf(error)}`, {
      place: `--zod ${module}`,
      remedy: 'Pass an installed package, such as @modelcontextprotocol/sdk/types.js, or the path of a module.',
      cause: error,
    });
  }
}

function firstLineOf(error: unknown): string {
  return thrownReason(error).split('\n')[0] ?? '';
}

function latestRevision(exports: Readonly<Record<string, unknown>>, module: string): string {
  const { LATEST_PROTOCOL_VERSION: version } = exports;
  if (typeof version === 'string') return version;
  throw new McpgenError('no revision to compare with: the module exports no LATEST_PROTOCOL_VERSION', {
    place: `--zod ${module}`,
    remedy: 'Pass --revision.',
  });
}

interface NamedSchema {
  readonly name: string;
  readonly validate: Validate;
}

/** The schema of a definition, as `findExport` finds types. */
function findSchema(
  definition: string,
  exports: Readonly<Record<string, unknown>>,
  { names = {}, placeOfName = nameLocation }: NameOptions,
): NamedSchema | undefined {
  const schema = (name: string): NamedSchema | undefined => {
    const validate = Object.hasOwn(exports, name) ? validatorOf(exports, name) : undefined;
    return validate === undefined ? undefined : { name, validate };
  };
  if (Object.hasOwn(names, definition)) {
    const wanted = String(names[definition]);
    const found = schema(wanted) ?? schema(`${wanted}Schema`);
    if (found !== undefined) return found;
    const near = closestMatch(wanted, Object.keys(exports));
    throw new McpgenError(`the module exports no schema ${JSON.stringify(wanted)}`, {
      place: placeOfName(definition),
      remedy: near === undefined ? 'Correct the name, or omit it.' : `Did you mean ${near}?`,
    });
  }
  for (const candidate of [...namesFromPatterns(definition, names), definition]) {
    const camel = candidate.charAt(0).toLowerCase() + candidate.slice(1);
    const found = schema(`${candidate}Schema`) ?? schema(`${camel}Schema`) ?? schema(candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

function validatorOf(exports: Readonly<Record<string, unknown>>, name: string): Validate | undefined {
  try {
    return validateOf(exports[name]);
  } catch (error) {
    throw new McpgenError(`the export cannot be read: ${firstLineOf(error)}`, {
      place: name,
      remedy: 'Leave its definition out with --ignore, or fix the module.',
      cause: error,
    });
  }
}

function validateOf(value: unknown): Validate | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const standard = (value as { readonly '~standard'?: { readonly validate?: unknown } })['~standard'];
  const validate = standard?.validate;
  return typeof validate === 'function' ? (input) => (validate as Validate).call(standard, input) : undefined;
}

/** Whether a schema accepts a value. One that throws does not. */
async function accepts(validate: Validate, vector: DefinitionVector): Promise<boolean> {
  try {
    // A fresh value, since a schema may change it.
    const value: unknown = JSON.parse(vector.text ?? JSON.stringify(vector.value));
    const result = (await validate(value)) as { readonly issues?: unknown };
    return result.issues === undefined;
  } catch {
    return false;
  }
}

/** @throws {@link McpgenError} if the schema never decides, or disturbs the process. */
async function compareInTime(
  definition: string,
  theirs: NamedSchema,
  vectors: readonly DefinitionVector[],
): Promise<readonly RunTimeFinding[]> {
  try {
    return await runForeign(() => compareDefinition(definition, theirs, vectors));
  } catch (error) {
    throw new McpgenError(`the schema does not validate: ${firstLineOf(error)}`, {
      place: theirs.name,
      remedy: `Leave it out with --ignore ${definition}, or fix the module.`,
      cause: error,
    });
  }
}

async function compareDefinition(
  definition: string,
  { name: theirs, validate }: NamedSchema,
  vectors: readonly DefinitionVector[],
): Promise<readonly RunTimeFinding[]> {
  const groups = new Map<string, DefinitionVector[]>();
  for (const vector of vectors) {
    const isAccepted = await accepts(validate, vector);
    if (isAccepted === vector.valid) continue;
    const isExplained = vector.erratum !== undefined && vector.officialValid === isAccepted;
    const key = JSON.stringify([isAccepted ? 'wider' : 'narrower', isExplained ? vector.erratum : null]);
    groups.set(key, [...(groups.get(key) ?? []), vector]);
  }
  return [...groups].flatMap(([key, group]): readonly RunTimeFinding[] => {
    const [kind, erratum] = JSON.parse(key) as ['wider' | 'narrower', string | null];
    const [smallest] = [...group].sort((a, b) => JSON.stringify(a.value).length - JSON.stringify(b.value).length);
    if (smallest === undefined) return [];
    const { name: vector, reason, rule, pointer, value } = smallest;
    return [
      {
        kind,
        definition,
        theirs,
        vector,
        reason,
        ...(rule === undefined ? {} : { rule }),
        ...(pointer === undefined ? {} : { pointer }),
        value,
        more: group.length - 1,
        ...(erratum === null ? {} : { erratum }),
      },
    ];
  });
}

import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { McpgenError } from '../errors.js';
import { isObject, ownMember, type JsonValue } from './json/json.js';
import { readBuiltinJson } from './files.js';

/** Who may send a message. `embedded`: nobody; it is only inside results. */
export type Direction = 'clientToServer' | 'serverToClient' | 'both' | 'embedded';

/** Whether a message expects a response. */
export type MessageKind = 'request' | 'notification';

/** One row of a method catalog, as in `schema/<revision>/catalog.json`. */
export interface CatalogMethod {
  readonly method: string;
  readonly kind: MessageKind;
  readonly direction: Direction;
  /** The definition that has the method's literal. */
  readonly message: string;
  /** A definition, `<Message>.params` if the params are inline, or null without params. */
  readonly params: string | null;
  /** The definition of the result, or several if a request has several possible results; requests only. */
  readonly result?: string | readonly string[];
  /** The definition of the result when the request's params ask for a task. */
  readonly taskResult?: string;
  /**
   * The capability that must have been declared, as a path such as `server.tools`. A pair if both sides send the
   * method: a request needs the receiver's, a notification the sender's.
   */
  readonly capability: string | readonly string[] | null;
  readonly summary: string;
  readonly deprecated?: string;
}

/** An error code that a revision defines. */
export interface CatalogError {
  readonly name: string;
  readonly code: number;
  /** The definition that pins the code, if the schema has one. */
  readonly definition?: string;
  readonly summary: string;
}

/** A method catalog: what the schema of a revision cannot express. */
export interface Catalog {
  readonly protocol: string;
  readonly revision: string;
  /** A draft may still change, and its generated files are marked; released by default. */
  readonly status?: 'released' | 'draft';
  /** `stateful` protocols begin with a handshake; in `stateless` ones each request is self-contained. */
  readonly lifecycle: 'stateful' | 'stateless';
  /** Whether JSON-RPC batch arrays are part of the revision. */
  readonly batches: boolean;
  readonly methods: readonly CatalogMethod[];
  readonly errors: readonly CatalogError[];
}

/**
 * Validates a custom catalog against `schema/catalog.schema.json`.
 *
 * @param value - The parsed file.
 * @param place - The name of the file in an error.
 * @throws {@link McpgenError} with the first invalid row and member.
 */
export async function checkCatalog(value: JsonValue, place: string): Promise<Catalog> {
  const undecided = firstUndecided(value);
  if (undecided !== undefined) {
    throw new McpgenError(
      `${undecided.method} is still undecided${undecided.members === '' ? '' : `: ${undecided.members}`}`,
      {
        place: `${place}#/methods/${undecided.index}`,
        remedy: "Decide each of them, then remove the row's `undecided` list.",
      },
    );
  }
  catalogValidator ??= await compileCatalogValidator();
  if (!catalogValidator(value)) {
    throw invalidCatalogError(catalogValidator.errors?.[0], place, {
      what: 'a catalog',
      remedy: 'schema/catalog.schema.json describes the format; `mcpgen catalog derive` writes a first catalog.',
    });
  }
  const catalog = value as unknown as Catalog;
  refuseDuplicates(
    catalog.methods.map((row) => row.method),
    'methods',
    place,
  );
  refuseDuplicates(
    catalog.errors.map((row) => row.name),
    'errors',
    place,
  );
  refuseDuplicates(
    catalog.errors.map((row) => row.code),
    'errors',
    place,
  );
  return catalog;
}

/** The error for a file that its JSON Schema rejects. */
export function invalidCatalogError(
  error: ErrorObject | undefined,
  place: string,
  { what, remedy }: { readonly what: string; readonly remedy: string },
): McpgenError {
  const { additionalProperty, allowedValue, allowedValues } = (error?.params ?? {}) as Record<string, unknown>;
  const which = additionalProperty ?? allowedValue ?? allowedValues;
  return new McpgenError(
    `${error?.message ?? `is not ${what}`}${which === undefined ? '' : `: ${JSON.stringify(which).slice(0, 200)}`}`,
    { place: `${place}#${error?.instancePath ?? ''}`.slice(0, 300), remedy },
  );
}

let catalogValidator: ValidateFunction | undefined;

async function compileCatalogValidator(): Promise<ValidateFunction> {
  // Imported only for custom catalogs: tests validate the built-in ones.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  return new Ajv2020({ strict: true, allowUnionTypes: true }).compile(readBuiltinJson('catalog.schema.json') as object);
}

/**
 * Refuses a list with two rows of the same name or code.
 *
 * @throws {@link McpgenError} with both rows.
 */
export function refuseDuplicates(names: readonly (string | number)[], list: string, place: string): void {
  const seen = new Map<string | number, number>();
  names.forEach((name, index) => {
    const first = seen.get(name);
    if (first !== undefined) {
      throw new McpgenError(`duplicate of #/${list}/${first}: ${JSON.stringify(name)}`, {
        place: `${place}#/${list}/${index}`,
        remedy: 'Keep one of the two rows.',
      });
    }
    seen.set(name, index);
  });
}

function firstUndecided(value: JsonValue): { index: number; method: string; members: string } | undefined {
  const rows = isObject(value) ? ownMember(value, 'methods') : undefined;
  if (!Array.isArray(rows)) return undefined;
  for (const [index, row] of (rows as JsonValue[]).entries()) {
    if (!isObject(row)) continue;
    const list = ownMember(row, 'undecided');
    if (Array.isArray(list)) {
      const method = ownMember(row, 'method');
      return {
        index,
        method: typeof method === 'string' ? JSON.stringify(method) : 'the row',
        members: list.filter((item) => typeof item === 'string').join(', '),
      };
    }
  }
  return undefined;
}

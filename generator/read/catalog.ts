import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { McpgenError } from '../errors.js';
import { capitalizeFirst } from '../text.js';
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
  /** The definition that has the method's literal; absent if the schema has only params, and messages are built. */
  readonly message?: string;
  /** A definition, `<Message>.params` if the params are inline, or null without params. */
  readonly params: string | null;
  /** The definition of the result, or several if a request has several possible results; requests only. */
  readonly result?: string | readonly string[];
  /** Results that the runtime follows to the final one; only built-in extensions add them. */
  readonly followedResults?: readonly string[];
  /** The definition of the result when the request's params ask for a task. */
  readonly taskResult?: string;
  /**
   * The capability that must have been declared, as a path such as `server.tools`. A pair if both sides send the
   * method: a request needs the receiver's, a notification the sender's.
   */
  readonly capability: string | readonly string[] | null;
  readonly summary: string;
  readonly deprecated?: string;
  /** Whether a notification of an extension is only sent on a subscription, not for the request that is handled. */
  readonly subscription?: true;
}

/** An error code that a revision defines. */
export interface CatalogError {
  readonly name: string;
  readonly code: number;
  /** The definition that pins the code, if the schema has one. */
  readonly definition?: string;
  readonly summary: string;
}

/** The two sides of a connection, by their roles in directions. */
export interface BySide<T> {
  readonly client: T;
  readonly server: T;
}

/** The words for the sides of a protocol whose traits name none. */
export const DEFAULT_SIDES: BySide<string> = { client: 'client', server: 'server' };

/**
 * Facts of a protocol that are code in the generator and its runtime. A catalog switches each of them on and says under
 * which names the protocol has it; `schema/catalog.schema.json` describes them. A protocol without any is plain JSON-RPC.
 */
export interface Traits {
  /** Words for the sides in names, docs and code; `client` and `server` by default. */
  readonly sides?: BySide<string>;
  /** Definitions of messages of any method, and of their parts. */
  readonly envelope?: {
    readonly request?: string;
    readonly notification?: string;
    readonly errorResponse?: string;
    readonly requestId?: string;
    /** The definition of any result. */
    readonly result?: string;
  };
  /** Definitions that list what each side sends. */
  readonly unions?: BySide<{ readonly request: string; readonly notification: string; readonly result: string }>;
  /** The definition of a result without members, which answers requests whose result the schema does not define. */
  readonly emptyResult?: string;
  /** Definitions of the capabilities that each side declares. */
  readonly capabilities?: BySide<string>;
  /** How a notification cancels a request. */
  readonly cancellation?: Cancellation;
  /** How a notification reports the progress of a request. */
  readonly progress?: {
    readonly method: string;
    /** The member of params that has the token. */
    readonly meta: string;
    /** The member with the token, of the request's metadata and of the notification's params. */
    readonly token: string;
  };
  /** How one side opens the conversation; the other one sends nothing until then. */
  readonly handshake?: Handshake;
  /** Lists in pages: the member of params that asks for a page, and the one of results that leads to the next. */
  readonly pages?: { readonly cursor: string; readonly next: string };
  /** Requests whose params ask for a task have another result. */
  readonly tasks?: { readonly member: string; readonly result: string };
  /** A result that requires input instead of being complete: it has `value` in `member`, where others have `complete`. */
  readonly inputRequired?: {
    readonly result: string;
    readonly member: string;
    readonly value: string;
    readonly complete: string;
    /** Definitions that list the requests for input, and their answers. */
    readonly request?: string;
    readonly response?: string;
  };
  /** Methods that the protocol does not define, with definitions of what they may contain. */
  readonly extensionMethods?: ExtensionMethods;
  /** A regular expression of the names that the protocol reserves for itself, in objects with any names. */
  readonly reservedNames?: string;
  /** What names of definitions begin with that names of calls omit. */
  readonly definitionPrefix?: string;
  /** Sections of the specification that docs cite. */
  readonly specification?: {
    readonly envelope?: string;
    readonly batches?: string;
    readonly capabilities?: string;
  };
  /** What the roles of the runtime do by themselves: with it, `client.ts` and `server.ts` use these roles. */
  readonly roles?: Roles;
}

/** How a notification cancels a request. */
export interface Cancellation {
  readonly method: string;
  /** The member of its params with the id of the request. */
  readonly id: string;
  /** The member of its params with a reason for people. */
  readonly reason?: string;
  /** Requests that cannot be cancelled. */
  readonly except?: readonly string[];
  /** The error code that answers a cancelled request; without it, a cancelled request is not answered. */
  readonly errorCode?: number;
}

/** How one side opens the conversation: with a request, and with a notification after its result. */
export interface Handshake {
  readonly request: string;
  readonly ready: string;
  /** Methods that the other side may send before. */
  readonly except?: readonly string[];
}

/** Methods that the protocol does not define. */
export interface ExtensionMethods {
  /** What their names begin with; without it, every name is allowed that the protocol does not define. */
  readonly prefix?: string;
  /** Definitions of the params of requests, their results, and the params of notifications. */
  readonly request?: string;
  readonly result?: string;
  readonly notification?: string;
}

/** What the roles of the runtime do by themselves. */
export interface Roles {
  /** The request that opens a session. */
  readonly handshake?: string;
  /** The request that asks a server what it supports, without a session. */
  readonly discovery?: string;
  /** The request that stays open as long as its subscription, with the definition of what to subscribe to. */
  readonly subscription?: { readonly method: string; readonly filter: string };
  /** Requests that the runtime answers if they have no handler. */
  readonly answers?: readonly string[];
  /** Notifications that the runtime handles before a handler is called. */
  readonly handles?: readonly string[];
  /** Members of params that the client fills in if the lifecycle is stateless. */
  readonly requestMembers?: readonly string[];
  /** Required members of results that a handler may omit, with their values. */
  readonly resultDefaults?: Readonly<Record<string, JsonValue>>;
  /** The definition of the name and version of a program. */
  readonly implementation?: string;
  /** The definition of the severity of log messages. */
  readonly logLevel?: string;
  /** Methods of a handler's context that send requests, in all revisions; a revision without one hides it. */
  readonly contextMethods?: readonly string[];
  /** The request for a form, whose answer is typed by the form. */
  readonly form?: string;
}

/** A method catalog: what the schema of a revision cannot express. */
export interface Catalog {
  readonly protocol: string;
  readonly revision: string;
  /** A draft may still change, and its generated files are marked; released by default. */
  readonly status?: 'released' | 'draft';
  /** `stateful` protocols begin with a handshake; in `stateless` ones each request is self-contained. */
  readonly lifecycle?: 'stateful' | 'stateless';
  /** Whether JSON-RPC batch arrays are part of the revision; false by default. */
  readonly batches?: boolean;
  /** By default those of the built-in revision of the same protocol that is most similar, as far as the schema has them. */
  readonly traits?: Traits;
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
  const catalog = withDirections(value as unknown as Catalog, place);
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
  return new McpgenError(error === undefined ? `is not ${what}` : describeSchemaError(error), {
    place: `${place}#${error?.instancePath ?? ''}`.slice(0, 300),
    remedy,
  });
}

/** What a JSON Schema rejects, in the words of its readers. */
function describeSchemaError({ keyword, params, message = 'is invalid', parentSchema }: ErrorObject): string {
  const { additionalProperty, propertyName, allowedValue, allowedValues } = params as Record<string, unknown>;
  const shown = (value: unknown): string => JSON.stringify(value).slice(0, 200);
  if (keyword === 'additionalProperties') return `the key ${shown(additionalProperty)} is unknown`;
  if (keyword === 'propertyNames') return `the key ${shown(propertyName)} has another format`;
  if (keyword === 'pattern') {
    const { description, examples } = (parentSchema ?? {}) as {
      readonly description?: string;
      readonly examples?: unknown;
    };
    const example = Array.isArray(examples) && examples.length > 0 ? `, such as ${shown(examples[0])}` : '';
    return `has another format${description === undefined ? '' : ` (${description.replace(/\.$/, '')})`}${example}`;
  }
  const which = allowedValue ?? allowedValues;
  return `${message}${which === undefined ? '' : `: ${shown(which)}`}`;
}

/** The words of a catalog for its directions, in which the client is named first. */
export function directionsOf(sides: BySide<string>): ReadonlyMap<string, Direction> {
  return new Map<string, Direction>([
    [`${sides.client}To${capitalizeFirst(sides.server)}`, 'clientToServer'],
    [`${sides.server}To${capitalizeFirst(sides.client)}`, 'serverToClient'],
    ['both', 'both'],
    ['embedded', 'embedded'],
  ]);
}

/** Replaces the words of a catalog's directions, and checks those of its capabilities. */
function withDirections(catalog: Catalog, place: string): Catalog {
  const { sides = DEFAULT_SIDES, reservedNames, pages, roles } = catalog.traits ?? {};
  const directions = directionsOf(sides);
  if (reservedNames !== undefined) checkRegularExpression(reservedNames, `${place}#/traits/reservedNames`);
  if (pages !== undefined && roles === undefined) {
    throw new McpgenError('the trait "pages" needs the trait "roles": only the client of the runtime reads all pages', {
      place: `${place}#/traits/pages`,
      remedy: 'Omit it: a call returns one page.',
    });
  }
  const methods = catalog.methods.map((row, index) => {
    const direction = directions.get(row.direction);
    if (direction === undefined) {
      throw new McpgenError(`${JSON.stringify(row.direction)} is not a direction of this protocol`, {
        place: `${place}#/methods/${index}/direction`,
        remedy: `There are ${[...directions.keys()].join(', ')}; the trait "sides" names the sides.`,
      });
    }
    const foreign = [row.capability ?? []]
      .flat()
      .find((path) => ![sides.client, sides.server].some((side) => path.startsWith(`${side}.`)));
    if (foreign !== undefined) {
      throw new McpgenError(`the capability ${JSON.stringify(foreign)} begins with the name of no side`, {
        place: `${place}#/methods/${index}/capability`,
        remedy: `Begin it with "${sides.client}." or "${sides.server}.".`,
      });
    }
    return { ...row, direction };
  });
  checkHandshake(catalog.traits?.handshake, methods, place);
  return { ...catalog, methods };
}

/** One side sends the request and the notification of a handshake, so that the other one knows when to begin. */
function checkHandshake(
  handshake: Handshake | undefined,
  methods: readonly Pick<CatalogMethod, 'method' | 'kind' | 'direction'>[],
  place: string,
): void {
  if (handshake === undefined) return;
  const directionOf = (name: string, kind: CatalogMethod['kind']): string | undefined =>
    methods.find((row) => row.method === name && row.kind === kind)?.direction;
  const direction = directionOf(handshake.request, 'request');
  if (direction !== 'clientToServer' && direction !== 'serverToClient') {
    throw new McpgenError(`${JSON.stringify(handshake.request)} is not a request of one side`, {
      place: `${place}#/traits/handshake/request`,
      remedy: 'Name a request that only one side sends.',
    });
  }
  if (directionOf(handshake.ready, 'notification') === direction) return;
  throw new McpgenError(`${JSON.stringify(handshake.ready)} is not a notification of the side that opens`, {
    place: `${place}#/traits/handshake/ready`,
    remedy: `Name a notification with the direction of ${handshake.request}.`,
  });
}

function checkRegularExpression(text: string, place: string): void {
  try {
    new RegExp(text, 'u');
  } catch {
    throw new McpgenError('not a regular expression', { place, remedy: 'Correct it, or omit it.' });
  }
}

let catalogValidator: ValidateFunction | undefined;

async function compileCatalogValidator(): Promise<ValidateFunction> {
  // Imported only for custom catalogs: tests validate the built-in ones.
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  return new Ajv2020({ strict: true, allowUnionTypes: true, verbose: true }).compile(
    readBuiltinJson('catalog.schema.json') as object,
  );
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

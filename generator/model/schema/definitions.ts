import type { DefinitionsKey, Dialect } from '../../read/schema/canonical.js';
import { compareText, formatPointer, isObject, ownMember, parsePointer } from '../../read/json/json.js';
import type { JsonObject, JsonValue } from '../../read/json/json.js';
import type { Docs } from '../../read/builtin/docs.js';
import type { PatternCheck } from '../../read/patterns.js';
import { SchemaIndex, type DynamicScope, type SchemaPlace } from '../../read/schema/documents.js';
import type { Definition, Member, TypeNode, Warning } from '../protocol.js';
import { refuseAliasCycles } from './alias-cycles.js';
import { discriminatorFaults } from './discriminators.js';
import { flattenMessages } from './flatten.js';
import { CONSTRAINT_KEYWORDS, STRUCTURE_KEYWORDS } from './keywords.js';
import { narrowOpenTypes } from './open-types.js';
import { describeRisk, remedyOf, riskOf } from './patterns.js';
import { SchemaReader, showValue, type Owner, type ReadingPolicy, type SchemaFault } from './reader.js';
import { McpgenError } from '../../errors.js';

/** Properties of the file that definitions come from. */
export interface DefinitionsFile {
  /** The key of the definitions in the file; `$defs` by default. */
  readonly root?: DefinitionsKey;
  /** The dialect of the file; 2020-12 by default. */
  readonly dialect?: Dialect;
  /** Keywords next to the definitions, which are ignored. */
  readonly unread?: readonly string[];
  /** Definitions that allow any value on purpose. */
  readonly unconstrained?: ReadonlySet<string>;
  /** Checks regular expressions for super-linear time; without it none is checked. */
  readonly checkPattern?: PatternCheck | undefined;
  /** The place of a definition that is from another file. */
  readonly placeOf?: ((definition: string) => string | undefined) | undefined;
  /** The site for links of descriptions that begin with a slash; without it they become text. */
  readonly site?: string | undefined;
}

/** An object without named members has any: params that are only `object` would fit no message with params. */
function asDefinition(type: TypeNode): TypeNode {
  return type.kind === 'object' && type.shape !== 'members' ? { ...type, shape: 'map' } : type;
}

/**
 * Converts canonical JSON Schema definitions to the model's types.
 *
 * @param definitions - Canonical definitions.
 * @param docs - Texts for definitions and members; a description in the schema itself takes precedence.
 * @param place - The name of the schema file in an error.
 * @throws {@link McpgenError} with the pointer of an invalid or unsupported construct.
 */
export function parseDefinitions(
  definitions: JsonObject,
  docs: Docs,
  place: string,
  {
    root = '$defs',
    dialect = '2020-12',
    unread = [],
    unconstrained,
    site,
    checkPattern,
    placeOf,
  }: DefinitionsFile = {},
): { definitions: readonly Definition[]; warnings: readonly Warning[] } {
  const names = Object.keys(definitions).sort(compareText);
  const policy = new DefinitionsPolicy(new Set(names), docs, place, { root, site, checkPattern, placeOf });
  const index = new SchemaIndex({ $defs: definitions }, dialect);
  const reader = new SchemaReader(index, policy);
  const scope = index.enter(new Map(), index.root.resource);
  const read = names.map((name): Definition => {
    const schema = definitions[name] as JsonValue;
    const at = index.child(index.root, schema, '$defs', name);
    const owner = { definition: name, path: [] };
    const type = asDefinition(reader.read(at, scope, owner));
    if (type.kind === 'unknown' && unconstrained?.has(name) !== true)
      policy.warn(at, `${name} is the empty schema, so its type is unknown`);
    return { name, type, ...policy.annotations(schema, owner) };
  });
  refuseAliasCycles(read, (name) => placeOf?.(name) ?? `${place}#${formatPointer(root, name)}`);
  const discriminators = discriminatorFaults(definitions).map(({ definition, pointer, message }) => ({
    place: `${placeOf?.(definition) ?? `${place}#${formatPointer(root, definition)}`}${pointer}`,
    message,
  }));
  const ignored = unread.map((keyword) => ({
    place: `${place}#${formatPointer(keyword)}`,
    message: `only the definitions of a schema are read, so ${JSON.stringify(keyword)} next to them has no effect`,
  }));
  return {
    definitions: flattenMessages(narrowOpenTypes(read)),
    warnings: [...ignored, ...discriminators, ...policy.warnings],
  };
}

/** For the schema of a protocol: what cannot be read is an error. */
class DefinitionsPolicy implements ReadingPolicy {
  readonly areObjectsOpen = false;
  readonly maxSubschemas = Infinity;
  readonly warnings: Warning[] = [];
  readonly #unknownFormats = new Set<string>();
  readonly #names: ReadonlySet<string>;
  readonly #docs: Docs;
  readonly #file: string;
  readonly #root: DefinitionsKey;
  readonly #site: string | undefined;
  readonly #checkPattern: PatternCheck | undefined;
  readonly #placeOfOther: DefinitionsFile['placeOf'];
  /** The places of patterns that a warning names. */
  readonly #slow = new Set<string>();

  constructor(
    names: ReadonlySet<string>,
    docs: Docs,
    file: string,
    { root = '$defs', site, checkPattern, placeOf }: DefinitionsFile,
  ) {
    this.#names = names;
    this.#docs = docs;
    this.#file = file;
    this.#root = root;
    this.#site = site;
    this.#checkPattern = checkPattern;
    this.#placeOfOther = placeOf;
  }

  nameOf({ pointer }: SchemaPlace, _scope: DynamicScope, at: SchemaPlace): string {
    const [root, name, ...rest] = parsePointer(pointer);
    if (root !== '$defs' || name === undefined || rest.length > 0) this.unresolved(at, at.schema);
    return name ?? '';
  }

  unresolved(at: SchemaPlace, reference: JsonValue): void {
    if (typeof reference !== 'string')
      throw this.#error(at, `a reference is a string, not ${showValue(reference)}`, 'Write `#/$defs/<Name>`.');
    this.#refuseReference(at, reference);
  }

  #refuseReference(at: SchemaPlace, reference: string): void {
    if (!reference.startsWith('#')) {
      throw this.#error(
        at,
        `the reference ${showValue(reference)} points outside the file`,
        'Nothing is fetched: put the definition into this file.',
      );
    }
    const [root, name, ...rest] = parsePointer(decodeFragment(reference));
    if (root !== '$defs' || name === undefined || rest.length > 0) {
      throw this.#error(
        at,
        `the reference ${showValue(reference)} does not point at a definition`,
        'Only `#/$defs/<Name>` (or `#/definitions/<Name>`) is supported: move its target into a definition.',
      );
    }
    if (!this.#names.has(name)) {
      throw this.#error(at, `the definition ${showValue(name)} does not exist`, this.#didYouMean(name));
    }
  }

  #didYouMean(name: string): string {
    const lower = name.toLowerCase();
    const near = [...this.#names].find(
      (known) => known.toLowerCase() === lower || known.startsWith(name) || name.startsWith(known),
    );
    return near === undefined ? 'Add it, or correct the reference.' : `Did you mean ${near}?`;
  }

  fault(at: SchemaPlace, { message, remedy }: SchemaFault): void {
    throw this.#error(at, message, remedy);
  }

  misplaced(at: SchemaPlace, message: string): void {
    throw this.#error(at, message, 'Correct it, or omit it.');
  }

  unknownKeyword(at: SchemaPlace, keyword: string): void {
    throw this.#error(
      at,
      `the keyword ${JSON.stringify(keyword)} is not supported`,
      `Supported are ${[...STRUCTURE_KEYWORDS, ...CONSTRAINT_KEYWORDS].join(', ')} and annotations; express it with these, or omit it.`,
    );
  }

  unused(at: SchemaPlace, message: string): void {
    this.warn(at, message);
  }

  unknownFormat(at: SchemaPlace, format: string): void {
    if (this.#unknownFormats.has(format)) return;
    this.#unknownFormats.add(format);
    this.warn(at, `the format ${showValue(format)} is unknown; it is kept as an annotation`);
  }

  usesPattern(at: SchemaPlace, pattern: string, maxLength?: number): boolean {
    const risk = this.#checkPattern === undefined ? undefined : riskOf(this.#checkPattern, pattern, maxLength);
    if (risk === undefined || this.#slow.has(at.pointer)) return true;
    this.#slow.add(at.pointer);
    this.warn(at, describeRisk(pattern, risk), remedyOf(risk));
    return true;
  }

  addsNull(): boolean {
    // An annotation: schemas of protocols are JSON Schema.
    return false;
  }

  warn({ pointer }: SchemaPlace, message: string, remedy?: string): void {
    this.warnings.push({ place: this.#placeOf(pointer), message, ...(remedy === undefined ? {} : { remedy }) });
  }

  annotations(schema: JsonValue, { definition, path }: Owner): Pick<Member, 'doc' | 'deprecated' | 'defaultValue'> {
    const own = isObject(schema) ? schema : {};
    const description = ownMember(own, 'description');
    const doc =
      typeof description === 'string'
        ? withAbsoluteLinks(description, this.#site)
        : path.length === 0
          ? this.#docs.definition(definition)
          : this.#docs.member(definition, path);
    const deprecated =
      this.#docs.deprecated(definition, path) ?? (ownMember(own, 'deprecated') === true ? true : undefined);
    const defaultValue = ownMember(own, 'default');
    return {
      ...(doc === undefined ? {} : { doc }),
      ...(deprecated === undefined ? {} : { deprecated }),
      ...(defaultValue === undefined ? {} : { defaultValue }),
    };
  }

  #error({ pointer }: SchemaPlace, message: string, remedy: string): McpgenError {
    return new McpgenError(message, { place: this.#placeOf(pointer), remedy });
  }

  /** The definitions may have another key in the file. */
  #placeOf(pointer: string): string {
    const [, ...path] = parsePointer(pointer);
    const [name = '', ...inside] = path;
    const other = this.#placeOfOther?.(name);
    if (other !== undefined) return `${other}${formatPointer(...inside)}`;
    return `${this.#file}#${formatPointer(this.#root, ...path)}`;
  }
}

/** Replaces site-relative links in a Markdown text by absolute ones, or by their labels. */
function withAbsoluteLinks(text: string, site: string | undefined): string {
  return text.replace(/\[([^\]\n]*)\]\((\/(?!\/)[^)\s]*)\)/g, (_, label: string, path: string) =>
    site === undefined ? label : `[${label}](${site}${path})`,
  );
}

function decodeFragment(ref: string): string {
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return ref.slice(1);
  }
}

import { McpgenError } from '../errors.js';
import { formatPointer } from '../read/json/json.js';
import { constantCase, pascalCase } from '../model/naming.js';
import type { Method, Protocol } from '../model/protocol.js';
import { escapeHiddenCharacters } from '../text.js';

/** Words that are not valid type names, or that would shadow a built-in type. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'any as asserts async await bigint boolean break case catch class const continue debugger declare default delete do ' +
    'else enum export extends false finally for from function get if implements import in infer instanceof interface is ' +
    'keyof let module namespace never new null number object of package private protected public readonly require return ' +
    'satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown using var ' +
    'void while with yield globalThis arguments eval Array Record Promise Readonly Set Map Extract Object Number String Boolean'
  ).split(' '),
);

/** Whether a file can declare a name. */
export function isReserved(name: string): boolean {
  return RESERVED_WORDS.has(name);
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Whether a name is a TypeScript identifier. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIER.test(name) && name === escapeHiddenCharacters(name);
}

/** A member name in a type: quoted only if necessary. */
export function memberName(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/** The access to a member after an object: `.name`, or in brackets if necessary. */
export function printAccess(name: string): string {
  return isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** A key of an object literal. `__proto__` is computed, since a plain one would set the prototype. */
export function literalKey(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : memberName(name);
}

/** TypeScript names of a protocol's definitions, by their names in the schema. */
export type TypeNames = ReadonlyMap<string, string>;

/**
 * Assigns a TypeScript name to each definition: its own name if that is an identifier, else one made from its words.
 *
 * @throws {@link McpgenError} if two definitions would get one name.
 */
export function typeNames(protocol: Protocol): TypeNames {
  const names = new Map<string, string>();
  const owners = new Map<string, string>();
  const files = new Map(protocol.extensions.map(({ id, source }) => [id, source.file]));
  for (const { name, extension = '' } of protocol.definitions) {
    const made = isIdentifier(name) && !RESERVED_WORDS.has(name) ? name : pascalCase(name);
    const place = `${files.get(extension) ?? protocol.source.file}#${formatPointer('$defs', name)}`;
    if (made === '' || RESERVED_WORDS.has(made)) {
      throw new McpgenError(`the definition ${JSON.stringify(name)} cannot be converted to a TypeScript name`, {
        place,
        remedy: 'Rename it in the schema.',
      });
    }
    const other = owners.get(made);
    if (other !== undefined) {
      throw new McpgenError(
        `the definitions ${JSON.stringify(other)} and ${JSON.stringify(name)} would both be called ${made}`,
        {
          place,
          remedy: 'Rename one of them in the schema.',
        },
      );
    }
    owners.set(made, name);
    names.set(name, made);
  }
  return names;
}

/** A method with the name of its constant. */
export interface MethodWithConstant {
  readonly constant: string;
  readonly method: Method;
}

/**
 * Assigns names to the constants of methods: `TOOLS_CALL` for `tools/call`, `SAMPLING_CREATE_MESSAGE` for
 * `sampling/createMessage`.
 *
 * @throws {@link McpgenError} if two methods would get one name.
 */
export function methodConstants(methods: readonly Method[], file: string): readonly MethodWithConstant[] {
  const owners = new Map<string, string>();
  return methods.map((method) => {
    const constant = constantCase(method.name);
    const other = owners.get(constant);
    if (constant === '' || other !== undefined) {
      throw new McpgenError(
        other === undefined
          ? `the method ${JSON.stringify(method.name)} cannot be converted to the name of a constant`
          : `the methods ${JSON.stringify(other)} and ${JSON.stringify(method.name)} would both be called ${constant}`,
        { place: file, remedy: 'Rename one of them.' },
      );
    }
    owners.set(constant, method.name);
    return { constant, method };
  });
}

import { memberOf } from '../model/catalog/derive.js';
import {
  embeddedMethods,
  findDefinition,
  repeated,
  SIDES,
  sideWords,
  wireMethods,
  type Definition,
  type Method,
  type Protocol,
  type Side,
  type Traits,
} from '../model/protocol.js';
import { capitalize } from '../model/naming.js';
import { methodConstants, typeNames, type MethodWithConstant, type TypeNames } from '../print/names.js';
import type { SourceFile } from '../print/source-file.js';
import type { TypePrinter } from '../print/type.js';
import { messageGuards } from './validators/names.js';

type InputRequired = NonNullable<Traits['inputRequired']>;

/** What every emitter receives: the protocol and its names in TypeScript. */
export interface EmitContext {
  readonly protocol: Protocol;
  readonly names: TypeNames;
  readonly printer: TypePrinter;
  /** Methods that are separate messages, with the names of their constants. */
  readonly methods: readonly MethodWithConstant[];
  /** Methods that exist only inside results, with the names of their constants. */
  readonly embedded: readonly MethodWithConstant[];
  /** Names of the guards on messages. */
  readonly messageGuards: ReadonlySet<string>;
  /** Params that several methods have; null if several have none. */
  readonly sharedParams: ReadonlySet<string | null>;
}

/**
 * Assigns all names that the emitters need.
 *
 * @throws {@link McpgenError} if names collide.
 */
export function createEmitContext(protocol: Protocol): EmitContext {
  const names = typeNames(protocol);
  const place = protocol.source.file;
  return {
    protocol,
    names,
    printer: { name: (name) => names.get(name) ?? name, linkable: new Set(names.values()) },
    methods: methodConstants(wireMethods(protocol), place),
    embedded: methodConstants(embeddedMethods(protocol), place),
    messageGuards: messageGuards(SIDES.map((side) => capitalize(sideWords(protocol)[side]))),
    sharedParams: repeated(protocol.methods.map(({ params }) => params)),
  };
}

/** Imports a definition's type into a file. */
export function importDefinition(file: SourceFile, context: EmitContext, name: string): string {
  return file.importType('types', context.printer.name(name));
}

/** The definition that a trait names, if the schema has it: another revision may have it. */
export function traitDefinition(context: EmitContext, name: string | undefined): Definition | undefined {
  return name === undefined ? undefined : findDefinition(context.protocol, name);
}

/** The name of a type that only the output has, or another one if a definition of the schema has it. */
export function ownTypeName({ names }: EmitContext, preferred: string, otherwise: string): string {
  return [...names.values()].includes(preferred) ? otherwise : preferred;
}

/** A side's word as part of a name: `Client`. */
export function sideName({ protocol }: EmitContext, side: Side): string {
  return capitalize(sideWords(protocol)[side]);
}

/** A side's word as a string literal. */
export function sideLiteral({ protocol }: EmitContext, side: Side): string {
  return JSON.stringify(sideWords(protocol)[side]);
}

/** A side's word with its article. */
export function aSide({ protocol }: EmitContext, side: Side): string {
  const word = sideWords(protocol)[side];
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}

/** Whether a method's definition has a member of a name. */
export function messageHasMember(context: EmitContext, method: Method, member: string): boolean {
  return memberOf(findDefinition(context.protocol, method.message)?.type, member) !== undefined;
}

/** The result of requests that requires input first, if any request has it. */
export function inputRequiredResult({ protocol }: EmitContext): InputRequired | undefined {
  const { inputRequired } = protocol.traits;
  if (inputRequired === undefined) return undefined;
  return protocol.methods.some((method) => method.results.includes(inputRequired.result)) ? inputRequired : undefined;
}

/** A union type with one variant on each line; `never` without variants. */
export function unionOf(variants: readonly string[]): string {
  return variants.length === 0 ? 'never' : variants.map((variant) => `\n  | ${variant}`).join('');
}

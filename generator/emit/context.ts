import { memberOf } from '../model/catalog/derive.js';
import {
  embeddedMethods,
  findDefinition,
  wireMethods,
  type Definition,
  type Method,
  type Protocol,
} from '../model/protocol.js';
import { methodConstants, typeNames, type MethodWithConstant, type TypeNames } from '../print/names.js';
import type { SourceFile } from '../print/source-file.js';
import type { TypePrinter } from '../print/type.js';

/** What every emitter receives: the protocol and its names in TypeScript. */
export interface EmitContext {
  readonly protocol: Protocol;
  readonly names: TypeNames;
  readonly printer: TypePrinter;
  /** Methods that are separate messages, with the names of their constants. */
  readonly methods: readonly MethodWithConstant[];
  /** Methods that exist only inside results, with the names of their constants. */
  readonly embedded: readonly MethodWithConstant[];
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
  };
}

/** Imports a definition's type into a file. */
export function importDefinition(file: SourceFile, context: EmitContext, name: string): string {
  return file.importType('types', context.printer.name(name));
}

/** The first of several names that the schema defines: the name of a definition depends on the revision. */
export function firstDefinition(context: EmitContext, ...candidates: readonly string[]): Definition | undefined {
  for (const name of candidates) {
    const found = findDefinition(context.protocol, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a method's definition has a member of a name. */
export function messageHasMember(context: EmitContext, method: Method, member: string): boolean {
  return memberOf(findDefinition(context.protocol, method.message)?.type, member) !== undefined;
}

/** Whether the result of any request may require more input first. */
export function hasInputRequired(context: EmitContext): boolean {
  return context.protocol.methods.some((method) => method.results.includes('InputRequiredResult'));
}

/** A union type with one variant on each line; `never` without variants. */
export function unionOf(variants: readonly string[]): string {
  return variants.length === 0 ? 'never' : variants.map((variant) => `\n  | ${variant}`).join('');
}

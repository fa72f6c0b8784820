import type { ts } from 'ts-morph';
import type { EquivalenceId } from './report.js';
import { scalarKind, literalValues, scalarEntry, type ScalarSets, type Tags } from './shape.js';

/** The compiler, loaded on demand. */
export type Compiler = typeof ts;

/** What a type of a package allows, with unions, enums, brands and type parameters resolved. */
export interface TheirShape {
  /** A type that absorbs a whole union: `any`, an unresolved type, `unknown`. */
  readonly top: 'any' | 'unresolved' | 'unknown' | undefined;
  readonly scalars: ScalarSets;
  readonly arrays: readonly ts.Type[];
  readonly objects: readonly ts.Type[];
  /** Types without a JSON form: functions, bigint, symbols. */
  readonly others: readonly ts.Type[];
}

/** Reads types of a program; `sameFor` decides what counts as equal. */
export interface TheirTypes {
  readonly compiler: Compiler;
  readonly checker: ts.TypeChecker;
  /** Records a use of an equivalence; false if the comparison is exact. */
  readonly recordEquivalence: (id: EquivalenceId) => boolean;
}

/** Most steps from a type to the one that it resolves to. */
const MAX_HOPS = 20;

/** Computes what a type allows. */
export function theirShape(type: ts.Type, { compiler, checker, recordEquivalence }: TheirTypes): TheirShape {
  const { TypeFlags } = compiler;
  const scalars: ScalarSets = new Map();
  const arrays: ts.Type[] = [];
  const objects: ts.Type[] = [];
  const others: ts.Type[] = [];
  let top: TheirShape['top'];
  const isList = (part: ts.Type): boolean =>
    checker.isArrayType(part) ||
    checker.isTupleType(part) ||
    // An interface that extends an array.
    (checker.getPropertyOfType(part, 'length') !== undefined &&
      checker.getIndexInfosOfType(part).some(({ keyType }) => (keyType.flags & TypeFlags.Number) !== 0));
  const visit = (part: ts.Type, hops: number): void => {
    const { flags } = part;
    const is = (wanted: ts.TypeFlags): boolean => (flags & wanted) !== 0;
    if (is(TypeFlags.Any)) {
      top = isErrorType(part) ? 'unresolved' : 'any';
    } else if (is(TypeFlags.Unknown)) {
      top ??= 'unknown';
    } else if (is(TypeFlags.EnumLike) && !recordEquivalence('enums')) {
      others.push(part);
    } else if (part.isUnion()) {
      for (const variant of part.types) visit(variant, hops);
    } else if (part.isStringLiteral() || part.isNumberLiteral()) {
      scalarEntry(scalars, scalarKind(part.value)).values.add(part.value);
    } else if (is(TypeFlags.BooleanLiteral)) {
      scalarEntry(scalars, 'boolean').values.add(checker.typeToString(part) === 'true');
    } else if (is(TypeFlags.String)) {
      scalarEntry(scalars, 'string').all = true;
    } else if (is(TypeFlags.NumberLike)) {
      scalarEntry(scalars, 'number').all = true;
    } else if (is(TypeFlags.TemplateLiteral | TypeFlags.StringMapping)) {
      scalarEntry(scalars, 'string').patterns.push((value) =>
        checker.isTypeAssignableTo(checker.getStringLiteralType(value), part),
      );
    } else if (is(TypeFlags.Null)) {
      scalarEntry(scalars, 'null');
    } else if (is(TypeFlags.Undefined | TypeFlags.Void)) {
      // The compiler has a separate undefined for absent members.
      if (part === checker.getUndefinedType() && !recordEquivalence('undefined')) others.push(part);
    } else if (is(TypeFlags.Never)) {
      return;
    } else if (is(TypeFlags.Instantiable)) {
      // A parameter of a generic type resolves to its default, else to its constraint.
      const resolved = checker.getDefaultFromTypeParameter(part) ?? checker.getBaseConstraintOfType(part);
      if (resolved === undefined || resolved === part || hops > MAX_HOPS) top ??= 'unknown';
      else visit(resolved, hops + 1);
    } else if (part.isIntersection()) {
      const plain = part.types.find(
        (item) =>
          (item.flags & (TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.BooleanLike)) !== 0 || isList(item),
      );
      const parameter = part.types.find(({ flags: own }) => (own & TypeFlags.Instantiable) !== 0);
      if (plain === undefined)
        objects.push(parameter === undefined ? part : (checker.getBaseConstraintOfType(part) ?? part));
      else if (recordEquivalence('brands')) visit(plain, hops + 1);
      else others.push(part);
    } else if (isList(part)) {
      arrays.push(part);
    } else if (is(TypeFlags.Object | TypeFlags.NonPrimitive) && isData(part)) {
      objects.push(part);
    } else {
      others.push(part);
    }
  };
  /** A function, or a class with only methods, is not a JSON object. */
  const isData = (part: ts.Type): boolean => {
    if (part.getCallSignatures().length + part.getConstructSignatures().length > 0) return false;
    if ((part.flags & TypeFlags.NonPrimitive) !== 0) return true;
    const symbols = checker.getPropertiesOfType(part);
    return symbols.length === 0 || !symbols.every((symbol) => isFunction(checker.getTypeOfSymbol(symbol), compiler));
  };
  visit(type, 0);
  return { top, scalars, arrays, objects, others };
}

/** The literal members of a variant, which distinguish it from others. */
export function theirTags(type: ts.Type, members: Iterable<string>, types: TheirTypes): Tags {
  const tags = new Map<string, NonNullable<ReturnType<typeof literalValues>>>();
  for (const name of members) {
    const symbol = types.checker.getPropertyOfType(type, name);
    if (symbol === undefined) continue;
    const shape = theirShape(types.checker.getTypeOfSymbol(symbol), types);
    if (shape.top !== undefined || shape.arrays.length + shape.objects.length + shape.others.length > 0) continue;
    const values = literalValues(shape.scalars);
    if (values !== undefined) tags.set(name, values);
  }
  return tags;
}

/** Whether a type is only functions, or undefined. */
export function isFunction(type: ts.Type, compiler: Compiler): boolean {
  const parts = (type.isUnion() ? type.types : [type]).filter(
    ({ flags }) => (flags & compiler.TypeFlags.Undefined) === 0,
  );
  return parts.length > 0 && parts.every((part) => part.getCallSignatures().length > 0);
}

/** The compiler uses a special type, which behaves as `any`, where it cannot find one. */
export function isErrorType(type: ts.Type): boolean {
  return 'intrinsicName' in type && (type.intrinsicName === 'error' || type.intrinsicName === 'unresolved');
}

/** The constructs of generated TypeScript that the layout knows; the names are those of ESTree where there is one. */
import type { Comment } from './tokens.js';

/** What is in front of a construct, and after it. */
export interface Surroundings {
  readonly comments: readonly Comment[];
  /** Whether an empty line follows it, up to the next construct of its list. */
  readonly beforeBlankLine: boolean;
}

// Types

export type TypeNode =
  | { readonly type: 'Keyword'; readonly name: string }
  | { readonly type: 'ThisType' }
  | { readonly type: 'LiteralType'; readonly text: string; readonly isString: boolean }
  | { readonly type: 'TemplateType'; readonly text: string }
  | TypeReference
  | { readonly type: 'ArrayType'; readonly element: TypeNode }
  | { readonly type: 'TupleType'; readonly elements: readonly TypeNode[] }
  | { readonly type: 'OptionalType'; readonly element: TypeNode }
  | { readonly type: 'RestType'; readonly element: TypeNode }
  | {
      readonly type: 'NamedTupleMember';
      readonly label: string;
      readonly isOptional: boolean;
      readonly element: TypeNode;
    }
  | UnionType
  | { readonly type: 'IntersectionType'; readonly types: readonly TypeNode[] }
  | ObjectType
  | MappedType
  | FunctionType
  | ConditionalType
  | { readonly type: 'IndexedAccess'; readonly object: TypeNode; readonly index: TypeNode }
  | { readonly type: 'TypeOperator'; readonly operator: string; readonly element: TypeNode }
  | { readonly type: 'TypeQuery'; readonly name: string }
  | { readonly type: 'InferType'; readonly name: string }
  | { readonly type: 'TypePredicate'; readonly name: string; readonly asserted: TypeNode };

export interface TypeReference {
  readonly type: 'TypeReference';
  readonly name: string;
  readonly typeArguments: readonly TypeNode[] | undefined;
}

export interface UnionType {
  readonly type: 'UnionType';
  readonly types: readonly TypeNode[];
}

export interface ConditionalType {
  readonly type: 'ConditionalType';
  readonly check: TypeNode;
  readonly extended: TypeNode;
  readonly whenTrue: TypeNode;
  readonly whenFalse: TypeNode;
}

export interface ObjectType {
  readonly type: 'ObjectType';
  readonly members: readonly TypeMember[];
  /** Whether a line break is between its brace and its first member: then it stays broken. */
  readonly isBroken: boolean;
}

export interface MappedType {
  readonly type: 'MappedType';
  readonly isBroken: boolean;
  readonly readonlyModifier: string | undefined;
  readonly key: string;
  readonly constraint: TypeNode;
  readonly nameType: TypeNode | undefined;
  readonly optionalModifier: string | undefined;
  readonly value: TypeNode | undefined;
}

export interface Signature {
  readonly typeParameters: readonly TypeParameter[] | undefined;
  readonly parameters: readonly Parameter[];
  readonly returnType: TypeNode | undefined;
}

export interface FunctionType extends Signature {
  readonly type: 'FunctionType';
}

export interface TypeParameter {
  readonly isConst: boolean;
  readonly name: string;
  readonly constraint: TypeNode | undefined;
  readonly byDefault: TypeNode | undefined;
}

export interface Parameter {
  readonly pattern: Pattern;
  readonly isRest: boolean;
  readonly isOptional: boolean;
  readonly annotation: TypeNode | undefined;
  readonly byDefault: Expression | undefined;
}

/** What a value is assigned to. */
export type Pattern = { readonly type: 'Identifier'; readonly name: string } | ObjectPattern;

export interface ObjectPattern {
  readonly type: 'ObjectPattern' | 'ArrayPattern';
  readonly items: readonly PatternItem[];
}

/** A name, a name after a key, or a rest element, with its default. */
export interface PatternItem {
  readonly name: string;
  readonly byDefault?: Expression;
}

/** The name of a member. */
export type Key =
  | { readonly type: 'name'; readonly text: string }
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'computed'; readonly value: Expression };

export type TypeMember = Surroundings &
  (
    | {
        readonly type: 'PropertySignature';
        readonly isReadonly: boolean;
        readonly key: Key;
        readonly isOptional: boolean;
        readonly annotation: TypeNode | undefined;
      }
    | ({
        readonly type: 'MethodSignature';
        readonly key: Key;
        readonly isOptional: boolean;
      } & Signature)
    | {
        readonly type: 'IndexSignature';
        readonly isReadonly: boolean;
        readonly name: string;
        readonly index: TypeNode;
        readonly annotation: TypeNode;
      }
  );

// Expressions

export type Expression =
  | { readonly type: 'Identifier'; readonly name: string }
  | { readonly type: 'This' }
  | { readonly type: 'Super' }
  | { readonly type: 'String'; readonly text: string }
  | { readonly type: 'Number'; readonly text: string }
  | { readonly type: 'Constant'; readonly text: string }
  | { readonly type: 'Regex'; readonly text: string }
  | TemplateLiteral
  | ArrayLiteral
  | ObjectLiteral
  | Arrow
  | Call
  | Member
  | { readonly type: 'Unary'; readonly operator: string; readonly argument: Expression }
  | { readonly type: 'Await'; readonly argument: Expression }
  | Binary
  | Conditional
  | { readonly type: 'As'; readonly operator: string; readonly expression: Expression; readonly annotation: TypeNode };

export interface TemplateLiteral {
  readonly type: 'Template';
  /** The texts around the expressions, with their escapes. */
  readonly texts: readonly string[];
  readonly expressions: readonly Expression[];
}

export interface ArrayLiteral {
  readonly type: 'Array';
  readonly elements: readonly ListItem[];
}

/** An item of an array or of arguments. */
export type ListItem = Expression | Spread;

export interface Spread {
  readonly type: 'Spread';
  readonly argument: Expression;
}

export interface ObjectLiteral {
  readonly type: 'Object';
  readonly properties: readonly Property[];
  readonly isBroken: boolean;
}

export type Property = Surroundings &
  (
    | { readonly type: 'Property'; readonly key: Key; readonly value: Expression }
    | { readonly type: 'Shorthand'; readonly name: string }
    | Spread
    | Method
  );

export interface Method extends Signature {
  readonly type: 'Method';
  readonly modifiers: readonly string[];
  readonly key: Key;
  readonly isOptional: boolean;
  /** Undefined for an overload. */
  readonly body: Block | undefined;
}

export interface Arrow extends Signature {
  readonly type: 'Arrow';
  readonly isAsync: boolean;
  readonly body: Expression | Block;
}

export interface Call {
  readonly type: 'Call' | 'New';
  readonly callee: Expression;
  readonly isOptional: boolean;
  readonly typeArguments: readonly TypeNode[] | undefined;
  readonly arguments: readonly ListItem[];
}

export interface Member {
  readonly type: 'Member';
  readonly object: Expression;
  readonly isOptional: boolean;
  /** An expression in brackets, or a name after a dot. */
  readonly property: Expression | string;
}

export interface Binary {
  readonly type: 'Binary' | 'Logical';
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Conditional {
  readonly type: 'Conditional';
  readonly test: Expression;
  readonly whenTrue: Expression;
  readonly whenFalse: Expression;
}

// Statements

export interface Block {
  readonly type: 'Block';
  readonly body: readonly Statement[];
}

export type Statement = Surroundings & StatementNode;

export type StatementNode =
  | {
      readonly type: 'Import' | 'ExportFrom';
      readonly isType: boolean;
      /** `* as name`, `*`, or undefined if there is a list of names. */
      readonly namespace: string | undefined;
      readonly names: readonly string[];
      readonly source: string | undefined;
    }
  | { readonly type: 'Export'; readonly declaration: StatementNode }
  | {
      readonly type: 'TypeAlias';
      readonly name: string;
      readonly typeParameters: readonly TypeParameter[] | undefined;
      readonly value: TypeNode;
    }
  | {
      readonly type: 'Interface' | 'Class';
      readonly isAbstract: boolean;
      readonly name: string;
      readonly typeParameters: readonly TypeParameter[] | undefined;
      readonly extended: readonly TypeReference[];
      readonly members: readonly TypeMember[];
      readonly methods: readonly ClassMember[];
    }
  | FunctionDeclaration
  | Variable
  | { readonly type: 'Return' | 'Throw'; readonly argument: Expression | undefined }
  | {
      readonly type: 'If';
      readonly test: Expression;
      readonly whenTrue: Statement;
      readonly whenFalse: Statement | undefined;
    }
  | { readonly type: 'Switch'; readonly value: Expression; readonly cases: readonly SwitchCase[] }
  | {
      readonly type: 'ForOf';
      readonly isAwait: boolean;
      readonly keyword: string;
      readonly pattern: Pattern;
      readonly value: Expression;
      readonly body: Statement;
    }
  | { readonly type: 'Try'; readonly block: Block; readonly name: string | undefined; readonly handler: Block }
  | { readonly type: 'Jump'; readonly keyword: string }
  | { readonly type: 'ExpressionStatement'; readonly expression: Expression }
  | Block;

export interface FunctionDeclaration extends Signature {
  readonly type: 'Function';
  readonly isAsync: boolean;
  readonly name: string;
  readonly body: Block;
}

export interface Variable {
  readonly type: 'Variable';
  readonly keyword: string;
  readonly pattern: Pattern;
  readonly annotation: TypeNode | undefined;
  /** Comments directly in front of its value, such as `@__PURE__`. */
  readonly valueComments: readonly Comment[];
  readonly value: Expression | undefined;
}

export type ClassMember = Surroundings & Method;

export interface SwitchCase extends Surroundings {
  /** Undefined for `default`. */
  readonly test: Expression | undefined;
  readonly body: readonly Statement[];
}

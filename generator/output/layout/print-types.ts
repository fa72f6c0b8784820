/** Formats types and signatures. */
import {
  align,
  concat,
  group,
  groupId,
  hardline,
  ifBreak,
  indent,
  indentIfBreak,
  join,
  line,
  lines,
  removeLines,
  softline,
  willBreak,
  type Doc,
} from './doc.js';
import { printDoc } from './print-doc.js';
import type {
  ConditionalType,
  Expression,
  Key,
  MappedType,
  ObjectType,
  Parameter,
  Pattern,
  Signature,
  Surroundings,
  TypeMember,
  TypeNode,
  TypeParameter,
  UnionType,
} from './syntax.js';
import { parseTemplateType } from './parse-statements.js';
import { UnknownConstruct, type Comment } from './tokens.js';

/** The settings of a layout that generated code can have without Prettier. */
export interface LayoutSettings {
  readonly printWidth: number;
  readonly tabWidth: number;
  readonly singleQuote: boolean;
}

/** Where a type is, as far as its layout depends on it. */
export type TypePosition =
  | 'plain'
  /** On the right of `=`, on a line below it. */
  | 'assigned'
  | 'array'
  | 'union'
  | 'intersection'
  | 'indexed'
  | 'operator'
  | 'optional'
  | 'rest'
  | 'onlyItem'
  | 'item'
  | 'typeArgument'
  | 'check'
  | 'extends'
  | 'branch'
  | 'alternative'
  | 'constraint'
  | 'arrowResult'
  /** Of the only parameter, whose braces stay with the parentheses. */
  | 'onlyParameter'
  /** Of a variable with a function. */
  | 'functionVariable';

/** Thrown if the arguments of a call have to be on a line each. */
export class CannotHug extends Error {}

const PARENTHESIZED: Readonly<Partial<Record<TypeNode['type'], readonly TypePosition[]>>> = {
  FunctionType: 'arrowResult union intersection array optional rest indexed operator check'.split(
    ' ',
  ) as TypePosition[],
  ConditionalType: 'extends constraint check union intersection array optional rest indexed operator'.split(
    ' ',
  ) as TypePosition[],
  UnionType: ['union', 'intersection', 'array', 'optional', 'rest', 'indexed', 'operator'],
  IntersectionType: ['union', 'intersection', 'array', 'optional', 'rest', 'indexed', 'operator'],
  InferType: ['array', 'optional', 'indexed', 'operator'],
  TypeOperator: ['array', 'optional', 'rest', 'indexed', 'operator'],
  TypeQuery: ['array', 'indexed'],
};

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

export abstract class TypePrinter {
  protected readonly settings: LayoutSettings;

  constructor(settings: LayoutSettings) {
    this.settings = settings;
  }

  /** An expression in a type or a pattern. */
  protected abstract printNested(value: Expression): Doc;

  // Texts

  /** A string with the preferred quotes. */
  protected string(text: string): string {
    const content = text.slice(1, -1);
    const [preferred, alternate] = this.settings.singleQuote ? ["'", '"'] : ['"', "'"];
    const count = (quote: string): number => content.split(quote).length - 1;
    const quote = count(preferred) > count(alternate) ? alternate : preferred;
    if (text.startsWith(quote)) return text;
    const other = quote === '"' ? "'" : '"';
    const escaped = content.replaceAll(/\\(["'\\])|(["'])/g, (match, after?: string, plain?: string) => {
      if (after !== undefined) return after === other ? other : match;
      return plain === quote ? `\\${plain}` : match;
    });
    return quote + escaped + quote;
  }

  protected number(text: string): string {
    return text
      .toLowerCase()
      .replace(/^([+-]?[\d.]+e)(?:\+|(-))?0*(?=\d)/, '$1$2')
      .replace(/^([+-]?[\d.]+)e[+-]?0+$/, '$1')
      .replace(/(\.\d+?)0+(?=e|$)/, '$1')
      .replace(/\.(?=e|$)/, '');
  }

  protected key(key: Key): Doc {
    switch (key.type) {
      case 'name':
        return key.text;
      case 'number':
        return this.number(key.text);
      case 'computed':
        return concat(['[', this.printNested(key.value), ']']);
      case 'string': {
        const content = key.text.slice(1, -1);
        return IDENTIFIER.test(content) ? content : this.string(key.text);
      }
    }
  }

  /** A construct with the comments before it. */
  protected withComments(comments: readonly Comment[], doc: Doc): Doc {
    return comments.length === 0 ? doc : concat([...comments.flatMap((comment) => this.comment(comment)), doc]);
  }

  protected comment({ text, isBlock, endsLine, startsLine, beforeBlankLine }: Comment): readonly Doc[] {
    if (text.includes('prettier-ignore')) throw new UnknownConstruct('a comment for Prettier');
    const end = isBlock && !endsLine ? ' ' : isBlock && !startsLine ? line : hardline;
    return [isBlock ? blockComment(text) : text, end, ...(beforeBlankLine && end !== ' ' ? [hardline] : [])];
  }

  // Types

  protected type(type: TypeNode, position: TypePosition): Doc {
    const doc = this.#typeWithoutParentheses(type, position);
    return needsParentheses(type, position) ? concat(['(', doc, ')']) : doc;
  }

  #typeWithoutParentheses(type: TypeNode, position: TypePosition): Doc {
    switch (type.type) {
      case 'Keyword':
        return type.name;
      case 'ThisType':
        return 'this';
      case 'LiteralType':
        if (type.isString) return this.string(type.text);
        return /\d/.test(type.text) ? this.number(type.text) : type.text;
      case 'TemplateType':
        return this.#template(type.text);
      case 'TypeReference':
        return type.typeArguments === undefined
          ? type.name
          : concat([type.name, this.typeArguments(type.typeArguments, position === 'functionVariable')]);
      case 'ArrayType':
        return concat([this.type(type.element, 'array'), '[]']);
      case 'TupleType':
        return this.#tuple(type.elements);
      case 'OptionalType':
        return concat([this.type(type.element, 'optional'), '?']);
      case 'RestType':
        return concat(['...', this.type(type.element, 'rest')]);
      case 'NamedTupleMember':
        return concat([type.label, type.isOptional ? '?: ' : ': ', this.type(type.element, 'plain')]);
      case 'UnionType':
        return this.#union(type, position);
      case 'IntersectionType':
        return this.#intersection(type.types);
      case 'ObjectType':
        return this.#objectType(type, position);
      case 'MappedType':
        return this.#mappedType(type);
      case 'FunctionType':
        return this.#functionType(type);
      case 'ConditionalType':
        return this.#conditionalType(type, position);
      case 'IndexedAccess':
        return concat([this.type(type.object, 'indexed'), '[', this.type(type.index, 'plain'), ']']);
      case 'TypeOperator':
        return concat([type.operator, ' ', this.type(type.element, 'operator')]);
      case 'TypeQuery':
        return `typeof ${type.name}`;
      case 'InferType':
        return `infer ${type.name}`;
      case 'TypePredicate':
        return concat([type.name, ' is ', this.type(type.asserted, 'plain')]);
    }
  }

  /** A template type: what is in braces stays on one line. */
  #template(text: string): Doc {
    const { texts, types } = parseTemplateType(text);
    return concat([
      '`',
      ...texts.flatMap((part, index) => {
        const type = types[index];
        if (type === undefined) return [part];
        const printed = printDoc(this.type(type, 'plain'), { ...this.settings, printWidth: Number.POSITIVE_INFINITY });
        if (printed.includes('\n')) throw new UnknownConstruct('a template of several lines');
        return [part, `\${${printed}}`];
      }),
      '`',
    ]);
  }

  protected typeArguments(types: readonly TypeNode[], isFunctionVariable = false): Doc {
    const [only, second] = types;
    const isOne = only !== undefined && second === undefined;
    const isAlone = isFunctionVariable ? isOne && isObjectType(only) && canHug(only) : isOne && canHug(only);
    const docs = types.map((item) => this.type(item, 'typeArgument'));
    if (isAlone || types.length === 0) return concat(['<', join(', ', docs), '>']);
    return group(concat(['<', indent(concat([softline, join(concat([',', line]), docs)])), softline, '>']));
  }

  #tuple(elements: readonly TypeNode[]): Doc {
    if (elements.length === 0) return '[]';
    const position = elements.length > 1 ? 'item' : 'onlyItem';
    const items = elements.map((element) => group(this.type(element, position)));
    return group(
      concat(['[', indent(concat([softline, join(concat([',', line]), items), ifBreak(',')])), softline, ']']),
    );
  }

  #union(type: UnionType, position: TypePosition): Doc {
    if (canHugUnion(type)) {
      return join(
        ' | ',
        type.types.map((item) => this.type(item, 'union')),
      );
    }
    const printed = group(
      concat(
        type.types.map((item, index) =>
          concat([index === 0 ? ifBreak('| ') : concat([line, '| ']), align(2, this.type(item, 'union'))]),
        ),
      ),
    );
    if (needsParentheses(type, position)) return group(concat([indent(concat([softline, printed])), softline]));
    if (position === 'item')
      return group(concat([indent(concat([ifBreak(concat(['(', softline])), printed])), softline, ifBreak(')')]));
    const isIndented = ['assigned', 'onlyItem', 'branch', 'alternative', 'typeArgument'].includes(position);
    return isIndented ? printed : group(indent(concat([softline, printed])));
  }

  #intersection(types: readonly TypeNode[]): Doc {
    let wasIndented = false;
    return group(
      concat(
        types.map((type, index) => {
          const doc = this.type(type, 'intersection');
          const previous = types[index - 1];
          if (previous === undefined) return doc;
          const [isObject, wasObject] = [isObjectType(type), isObjectType(previous)];
          if (isObject && wasObject) return concat([' & ', wasIndented ? indent(doc) : doc]);
          if (!isObject && !wasObject) return indent(concat([' &', line, doc]));
          if (index > 1) wasIndented = true;
          return concat([' & ', index > 1 ? indent(doc) : doc]);
        }),
      ),
    );
  }

  #objectType({ members, isBroken }: ObjectType, position: TypePosition): Doc {
    if (members.length === 0) return '{}';
    const content = concat(['{', indent(concat([line, ...this.members(members, false)])), line, '}']);
    return position === 'onlyParameter' ? content : group(content, { isBroken });
  }

  /** The members of a type, each with its semicolon. */
  protected members(members: readonly TypeMember[], isInterface: boolean): readonly Doc[] {
    return members.flatMap((member, index) => {
      const isLast = index === members.length - 1;
      const end = isLast && !isInterface ? ifBreak(';') : ';';
      const doc = this.withComments(member.comments, concat([this.#member(member), end]));
      return isLast ? [doc] : [doc, isInterface ? hardline : line, ...(member.beforeBlankLine ? [hardline] : [])];
    });
  }

  #member(member: TypeMember): Doc {
    switch (member.type) {
      case 'PropertySignature':
        return group(
          concat([
            member.isReadonly ? 'readonly ' : '',
            this.key(member.key),
            member.isOptional ? '?' : '',
            this.annotation(member.annotation),
          ]),
        );
      case 'MethodSignature': {
        if (member.key.type === 'string' && member.key.text.slice(1, -1) === 'new')
          throw new UnknownConstruct('a method named new');
        const parameters = this.parameters(member);
        const returnType = this.annotation(member.returnType);
        return group(
          concat([
            this.key(member.key),
            member.isOptional ? '?' : '',
            shouldGroupParameters(member, returnType) ? group(parameters) : parameters,
            member.returnType === undefined ? '' : group(returnType),
          ]),
        );
      }
      case 'IndexSignature':
        return group(
          concat([
            member.isReadonly ? 'readonly ' : '',
            '[',
            group(concat([indent(concat([softline, member.name, ': ', this.type(member.index, 'plain')])), softline])),
            ']',
            this.annotation(member.annotation),
          ]),
        );
    }
  }

  /** The type after a colon. */
  protected annotation(type: TypeNode | undefined, position: TypePosition = 'plain'): Doc {
    return type === undefined ? '' : concat([': ', this.type(type, position)]);
  }

  #mappedType(type: MappedType): Doc {
    const { readonlyModifier, optionalModifier, nameType, value } = type;
    return group(
      concat([
        '{',
        indent(
          concat([
            line,
            readonlyModifier === undefined ? '' : `${readonlyModifier} `,
            group(
              concat([
                '[',
                indent(
                  concat([
                    softline,
                    type.key,
                    ' in ',
                    this.type(type.constraint, 'plain'),
                    nameType === undefined ? '' : concat([' as ', this.type(nameType, 'plain')]),
                  ]),
                ),
                softline,
                ']',
              ]),
            ),
            optionalModifier ?? '',
            this.annotation(value),
            ifBreak(';'),
          ]),
        ),
        line,
        '}',
      ]),
      { isBroken: type.isBroken },
    );
  }

  #functionType(type: Signature): Doc {
    const parameters = this.parameters(type);
    const result = type.returnType === undefined ? '' : concat([' => ', this.type(type.returnType, 'plain')]);
    return group(concat([shouldGroupParameters(type, result) ? group(parameters) : parameters, result]));
  }

  #conditionalType(type: ConditionalType, position: TypePosition): Doc {
    const isNested = position === 'branch' || position === 'alternative';
    const branch = (node: TypeNode, at: TypePosition): Doc => align(2, this.type(node, at));
    const isChained = type.whenTrue.type === 'ConditionalType';
    const part = concat([
      line,
      '? ',
      isChained ? ifBreak('', '(') : '',
      branch(type.whenTrue, 'branch'),
      isChained ? ifBreak('', ')') : '',
      line,
      ': ',
      branch(type.whenFalse, 'alternative'),
    ]);
    const test = concat([this.type(type.check, 'check'), ' extends ', this.type(type.extended, 'extends')]);
    const parts = position === 'branch' ? align(Math.max(0, this.settings.tabWidth - 2), part) : part;
    const content = concat([position === 'alternative' ? align(2, test) : test, isNested ? parts : indent(parts)]);
    const result = isNested ? content : group(content);
    return position === 'check' || position === 'extends'
      ? group(concat([indent(concat([softline, result])), softline]))
      : result;
  }

  // Signatures

  /**
   * Parameters in parentheses, after the type parameters.
   *
   * @param isHugged - Whether they belong to a function that stays on the line of a call.
   * @throws {@link CannotHug} if it cannot stay there.
   */
  protected parameters(signature: Signature, isHugged = false, hasTypeParameters = true): Doc {
    const types = hasTypeParameters ? this.typeParameters(signature.typeParameters) : '';
    const { parameters } = signature;
    if (parameters.length === 0) return concat([types, '()']);
    const hugsOnly = hugsOnlyParameter(signature);
    const docs = parameters.map((parameter) => this.parameter(parameter, hugsOnly));
    const list = join(hugsOnly ? ', ' : concat([',', line]), docs);
    if (isHugged) {
      if (willBreak(types) || willBreak(list)) throw new CannotHug();
      return group(concat([removeLines(types), '(', removeLines(list), ')']));
    }
    if (hugsOnly) return concat([types, '(', list, ')']);
    const isRest = parameters.at(-1)?.isRest === true;
    return concat([types, '(', indent(concat([softline, list])), isRest ? '' : ifBreak(','), softline, ')']);
  }

  protected parameter({ pattern, isRest, isOptional, annotation, byDefault }: Parameter, isOnly: boolean): Doc {
    const isHugged = isOnly && (pattern.type === 'Identifier' || byDefault === undefined);
    const position = isHugged ? 'onlyParameter' : 'plain';
    return concat([
      isRest ? '...' : '',
      this.pattern(pattern, isOnly),
      isOptional ? '?' : '',
      this.annotation(annotation, position),
      ...(byDefault === undefined ? [] : [' = ', this.printNested(byDefault)]),
    ]);
  }

  /** @param isPlain - Whether the braces are part of the group around them. */
  protected pattern(pattern: Pattern, isPlain: boolean): Doc {
    if (pattern.type === 'Identifier') return pattern.name;
    const [open, close] = pattern.type === 'ObjectPattern' ? ['{', '}'] : ['[', ']'];
    if (pattern.items.length === 0) return open + close;
    const space = pattern.type === 'ObjectPattern' ? line : softline;
    const hasRest = pattern.items.at(-1)?.name.startsWith('...') === true;
    const docs = pattern.items.map(({ name, byDefault }) =>
      byDefault === undefined ? name : concat([name, ' = ', this.printNested(byDefault)]),
    );
    const list = join(concat([',', line]), docs);
    const content = concat([open, indent(concat([space, list])), hasRest ? '' : ifBreak(','), space, close]);
    return isPlain && pattern.type === 'ObjectPattern' ? content : group(content);
  }

  protected typeParameters(parameters: readonly TypeParameter[] | undefined): Doc {
    if (parameters === undefined) return '';
    const docs = parameters.map((parameter) => this.#typeParameter(parameter));
    return group(
      concat(['<', indent(concat([softline, join(concat([',', line]), docs)])), ifBreak(','), softline, '>']),
    );
  }

  #typeParameter({ isConst, name, constraint, byDefault }: TypeParameter): Doc {
    const after = (mark: string, type: TypeNode | undefined, position: TypePosition): readonly Doc[] => {
      if (type === undefined) return [];
      const id = groupId();
      return [mark, group(indent(line), { id }), indentIfBreak(this.type(type, position), id)];
    };
    return group(
      concat([
        isConst ? 'const ' : '',
        name,
        ...after(' extends', constraint, 'constraint'),
        ...after(' =', byDefault, 'plain'),
      ]),
    );
  }

  /** Items of a list of statements or members, with the empty lines between them. */
  protected sequence<T extends Surroundings>(items: readonly T[], print: (item: T) => Doc): Doc {
    return concat(
      items.flatMap((item, index) => {
        const doc = this.withComments(item.comments, print(item));
        return index === items.length - 1 ? [doc] : [doc, hardline, ...(item.beforeBlankLine ? [hardline] : [])];
      }),
    );
  }
}

function blockComment(text: string): Doc {
  if (!text.includes('\n')) return text;
  const texts = text.split('\n').map((item, index) => (index === 0 ? item.trimEnd() : ` ${item.trim()}`));
  if (!texts.every((item, index) => index === 0 || item.startsWith(' *')))
    throw new UnknownConstruct('a comment without asterisks');
  return lines(texts);
}

function needsParentheses(type: TypeNode, position: TypePosition): boolean {
  return PARENTHESIZED[type.type]?.includes(position) === true;
}

export function isObjectType(type: TypeNode): boolean {
  return type.type === 'ObjectType' || type.type === 'MappedType';
}

/** Whether a type is simple enough to stay with the brackets around it. */
function canHug(type: TypeNode): boolean {
  switch (type.type) {
    case 'Keyword':
    case 'ThisType':
    case 'LiteralType':
    case 'TemplateType':
    case 'ObjectType':
    case 'MappedType':
      return true;
    case 'TypeReference':
      return type.typeArguments === undefined;
    case 'UnionType':
      return canHugUnion(type);
    default:
      return false;
  }
}

/** Whether a union is of one object and nothing. */
export function canHugUnion({ types }: UnionType): boolean {
  const object = types.find(({ type }) => type === 'ObjectType' || type === 'TypeReference');
  if (object === undefined) return false;
  return types.every(
    (type) => type === object || (type.type === 'Keyword' && (type.name === 'void' || type.name === 'null')),
  );
}

/** Whether the only parameter stays with the parentheses. */
function hugsOnlyParameter({ parameters }: Signature): boolean {
  const [only, second] = parameters;
  if (only === undefined || second !== undefined || only.isRest) return false;
  const { pattern, annotation, byDefault } = only;
  if (pattern.type === 'Identifier')
    return byDefault === undefined && annotation !== undefined && isObjectType(annotation);
  return (
    byDefault === undefined ||
    byDefault.type === 'Identifier' ||
    (byDefault.type === 'Object' && byDefault.properties.length === 0) ||
    (byDefault.type === 'Array' && byDefault.elements.length === 0)
  );
}

/** Whether the result breaks before the parameters. */
export function shouldGroupParameters({ typeParameters, parameters, returnType }: Signature, result: Doc): boolean {
  if (returnType === undefined) return false;
  const [first, second] = typeParameters ?? [];
  if (second !== undefined || first?.constraint !== undefined || first?.byDefault !== undefined) return false;
  return parameters.length === 1 && (isObjectType(returnType) || willBreak(result));
}

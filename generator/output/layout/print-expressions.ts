/** Formats expressions. */
import {
  align,
  canBreak,
  concat,
  conditionalGroup,
  fill,
  group,
  groupId,
  hardline,
  ifBreak,
  indent,
  indentIfBreak,
  join,
  line,
  removeLines,
  softline,
  willBreak,
  type Doc,
} from './doc.js';
import { isChain, printMemberChain, type Link } from './member-chain.js';
import { expressionNeedsParentheses, type Frame } from './parentheses.js';
import { printDoc } from './print-doc.js';
import {
  isConcise,
  isShortArgument,
  shouldExpandFirst,
  shouldExpandLast,
  shouldFlatten,
  shouldInline,
} from './simple-expressions.js';
import type {
  Arrow,
  ArrayLiteral,
  Binary,
  Block,
  Call,
  Conditional,
  Expression,
  ListItem,
  Member,
  Method,
  ObjectLiteral,
  Property,
  TemplateLiteral,
} from './syntax.js';
import { CannotHug, shouldGroupParameters, TypePrinter } from './print-types.js';
import { UnknownConstruct } from './tokens.js';

/** How a function in a call is printed that stays on the line of the call. */
type Hugging = 'first' | 'last' | undefined;

/** What is assigned: a variable, or the member of an object. */
export interface Assignment {
  readonly left: Doc;
  readonly operator: string;
  readonly right: Expression;
  readonly kind: 'variable' | 'property';
  /** Whether the left side breaks before the right one. */
  readonly breaksLeft: boolean;
  /** Comments on one line in front of the right side. */
  readonly comments?: string;
}

export abstract class ExpressionPrinter extends TypePrinter {
  /** What is printed at the moment, from the outside to the inside. */
  readonly #path: Frame[] = [];
  /** Expressions without their parentheses; some are printed twice. */
  readonly #printed = new Map<ListItem | Property, Doc>();

  protected abstract printBlock(block: Block, isFunction: boolean): Doc;

  protected override printNested(value: Expression): Doc {
    return this.within({ type: 'Key' }, 'key', () => this.expression(value));
  }

  /** Prints what is directly in a construct. */
  protected within<T>(node: Frame['node'], key: string, print: () => T): T {
    this.#path.push({ node, key });
    try {
      return print();
    } finally {
      this.#path.pop();
    }
  }

  #frame(back: number): Frame | undefined {
    return this.#path[this.#path.length - 1 - back];
  }

  /** An expression in the construct that is printed at the moment, in parentheses if it needs them. */
  protected expression(expression: ListItem, hugging?: Hugging): Doc {
    const doc = this.#withoutParentheses(expression, hugging);
    return expressionNeedsParentheses(expression, this.#path) ? concat(['(', doc, ')']) : doc;
  }

  #withoutParentheses(expression: ListItem, hugging?: Hugging): Doc {
    // Only functions are printed differently in a call.
    if (expression.type === 'Arrow' && hugging !== undefined) return this.#arrow(expression, hugging);
    const known = this.#printed.get(expression);
    if (known !== undefined) return known;
    const doc = this.#construct(expression);
    this.#printed.set(expression, doc);
    return doc;
  }

  #construct(node: ListItem): Doc {
    switch (node.type) {
      case 'Identifier':
        return node.name;
      case 'This':
        return 'this';
      case 'Super':
        return 'super';
      case 'Constant':
      case 'Regex':
        return node.text;
      case 'String':
        return this.string(node.text);
      case 'Number':
        return this.number(node.text);
      case 'Template':
        return this.#template(node);
      case 'Array':
        return this.#array(node);
      case 'Object':
        return this.#object(node);
      case 'Arrow':
        return this.#arrow(node, undefined);
      case 'Call':
      case 'New':
        return this.#call(node);
      case 'Member':
        return this.#member(node);
      case 'Unary': {
        const argument = this.within(node, 'argument', () => this.expression(node.argument));
        return concat([node.operator, /\w$/.test(node.operator) ? ' ' : '', argument]);
      }
      case 'Await': {
        const { key } = this.#frame(0) ?? {};
        if (key === 'callee' || key === 'object') throw new UnknownConstruct('a member of what is awaited');
        const argument = this.within(node, 'argument', () => this.expression(node.argument));
        return concat(['await ', argument]);
      }
      case 'Spread':
        return concat(['...', this.within(node, 'argument', () => this.expression(node.argument))]);
      case 'Binary':
      case 'Logical':
        return this.#binary(node);
      case 'Conditional':
        return this.#conditional(node);
      case 'As': {
        const { key, node: parent } = this.#frame(0) ?? { key: '', node: { type: 'Key' } };
        const expression = this.within(node, 'expression', () => this.expression(node.expression));
        const parts = concat([expression, ` ${node.operator} `, this.type(node.annotation, 'plain')]);
        const isHead = key === 'callee' || (key === 'object' && parent.type === 'Member');
        return isHead ? group(concat([indent(concat([softline, parts])), softline])) : parts;
      }
    }
  }

  #template(node: TemplateLiteral): Doc {
    const parts = node.texts.flatMap((text, index): readonly string[] => {
      const expression = node.expressions[index];
      if (expression === undefined) return [text];
      const doc = this.within(node, 'expressions', () => this.expression(expression));
      // What is in braces stays on one line.
      const printed = printDoc(doc, { ...this.settings, printWidth: Number.POSITIVE_INFINITY });
      if (printed.includes('\n')) throw new UnknownConstruct('a template of several lines');
      return [text, `\${${printed}}`];
    });
    return `\`${parts.join('')}\``;
  }

  #array(node: ArrayLiteral): Doc {
    const { elements } = node;
    if (elements.length === 0) return '[]';
    const [first] = elements;
    const isBroken =
      elements.length > 1 &&
      elements.every(
        (element) =>
          element.type === first?.type &&
          ((element.type === 'Array' && element.elements.length > 1) ||
            (element.type === 'Object' && element.properties.length > 1)),
      );
    const items = elements.map((element) => this.within(node, 'elements', () => this.expression(element)));
    const id = groupId();
    const content = isConcise(node)
      ? fill(
          items.flatMap((item, index) =>
            index === items.length - 1 ? [concat([item, ifBreak(',', '', id)])] : [concat([item, ',']), line],
          ),
        )
      : concat([
          join(
            concat([',', line]),
            items.map((item) => group(item)),
          ),
          ifBreak(','),
        ]);
    return group(concat(['[', indent(concat([softline, content])), softline, ']']), { isBroken, id });
  }

  #object(node: ObjectLiteral): Doc {
    const { properties, isBroken } = node;
    if (properties.length === 0) return '{}';
    const parts = properties.flatMap((property, index) => {
      const doc = this.withComments(
        property.comments,
        this.within(node, 'properties', () => this.#property(property)),
      );
      if (index === properties.length - 1) return [doc];
      return [doc, ',', line, ...(property.beforeBlankLine ? [hardline] : [])];
    });
    return group(concat(['{', indent(concat([line, ...parts])), ifBreak(','), line, '}']), { isBroken });
  }

  #property(property: Property): Doc {
    switch (property.type) {
      case 'Shorthand':
        return property.name;
      case 'Spread':
        return concat(['...', this.within(property, 'argument', () => this.expression(property.argument))]);
      case 'Method':
        return this.method(property);
      case 'Property':
        return this.within(property, 'value', () =>
          this.assignment({
            left: this.key(property.key),
            operator: ':',
            right: property.value,
            kind: 'property',
            breaksLeft: false,
          }),
        );
    }
  }

  /** A method of an object or a class. */
  protected method(method: Method): Doc {
    const parameters = this.parameters(method, false, false);
    const returnType = this.annotation(method.returnType);
    return concat([
      method.modifiers.map((modifier) => `${modifier} `).join(''),
      this.key(method.key),
      this.typeParameters(method.typeParameters),
      group(concat([shouldGroupParameters(method, returnType) ? group(parameters) : parameters, returnType])),
      ...(method.body === undefined ? [';'] : [' ', this.printBlock(method.body, true)]),
    ]);
  }

  // Functions

  #arrow(node: Arrow, hugging: Hugging): Doc {
    const { body } = node;
    if (body.type === 'Arrow') throw new UnknownConstruct('a function that returns a function');
    const bodyDoc =
      body.type === 'Block' ? this.printBlock(body, true) : this.within(node, 'body', () => this.expression(body));
    let returnType = this.annotation(node.returnType, 'arrowResult');
    if (hugging !== undefined) {
      if (willBreak(returnType)) throw new CannotHug();
      returnType = group(removeLines(returnType));
    }
    // Prettier does not group parameters and result here.
    const signature = concat([
      node.isAsync ? 'async ' : '',
      group(concat([this.parameters(node, hugging !== undefined), returnType])),
    ]);
    const staysOnLine = body.type === 'Block' || body.type === 'Array' || body.type === 'Object';
    const trailing = hugging === 'last' ? [ifBreak(','), softline] : [];
    if (staysOnLine) return group(concat([group(signature), ' =>', group(concat([' ', bodyDoc]))]));
    if (body.type === 'Conditional' && leftmost(body).type !== 'Object') {
      const content = concat([ifBreak('', '('), indent(concat([softline, bodyDoc])), ifBreak('', ')'), ...trailing]);
      return group(concat([group(signature), ' =>', group(concat([' ', group(content)]))]));
    }
    return group(concat([group(signature), ' =>', group(concat([indent(concat([line, bodyDoc])), ...trailing]))]));
  }

  // Calls

  #call(node: Call): Doc {
    refuseSpecialCall(node);
    if (node.type === 'Call' && node.callee.type === 'Member') return this.#chain(node);
    const typeArguments = node.typeArguments === undefined ? '' : this.typeArguments(node.typeArguments);
    const contents = concat([
      node.type === 'New' ? 'new ' : '',
      this.within(node, 'callee', () => this.expression(node.callee)),
      node.isOptional ? '?.' : '',
      typeArguments,
      this.#arguments(node, isLongCurried(node, this.#frame(0))),
    ]);
    return node.callee.type === 'Call' ? group(contents) : contents;
  }

  #arguments(node: Call, isCurried: boolean): Doc {
    const { arguments: items } = node;
    const last = items.at(-1);
    if (last === undefined) return '()';
    return this.within(node, 'arguments', () => {
      const docs = items.map((item) => this.expression(item));
      const separated = docs.map((doc, index) => (index === docs.length - 1 ? doc : concat([doc, ',', line])));
      const brokenOut = (): Doc =>
        group(concat(['(', indent(concat([line, ...separated])), ifBreak(','), line, ')']), { isBroken: true });
      if (isFunctionComposition(items)) return brokenOut();
      try {
        if (shouldExpandFirst(items)) return this.#expandFirst(items, separated, brokenOut);
        if (shouldExpandLast(items)) return this.#expandLast(last, separated, brokenOut);
      } catch (error) {
        if (error instanceof CannotHug) return brokenOut();
        throw error;
      }
      const contents = concat(['(', indent(concat([softline, ...separated])), ifBreak(','), softline, ')']);
      return isCurried ? contents : group(contents, { isBroken: separated.some(willBreak) });
    });
  }

  #expandFirst([item]: readonly ListItem[], [, ...tail]: readonly Doc[], brokenOut: () => Doc): Doc {
    if (tail.some(willBreak) || item === undefined) return brokenOut();
    const first = this.expression(item, 'first');
    const with_ = (doc: Doc): Doc => concat(['(', doc, ', ', ...tail, ')']);
    return expanded(first, with_, brokenOut());
  }

  #expandLast(item: ListItem, separated: readonly Doc[], brokenOut: () => Doc): Doc {
    const head = separated.slice(0, -1);
    if (head.some(willBreak)) return brokenOut();
    const last = this.expression(item, 'last');
    return expanded(last, (doc) => concat(['(', ...head, doc, ')']), brokenOut());
  }

  /** A call of a member: several of them become a chain. */
  #chain(node: Call): Doc {
    const links: Link[] = [];
    // The path is that of the call, whatever part of its callee is printed.
    const add = (current: Expression): void => {
      if (current.type === 'Call' && (current.callee.type === 'Member' || current.callee.type === 'Call')) {
        refuseSpecialCall(current);
        const { callee } = current;
        this.within(current, 'callee', () => {
          add(callee);
        });
        const isCurried = isLongCurried(current, this.#frame(0));
        links.push({ node: current, doc: this.#callLink(current, isCurried) });
      } else if (current.type === 'Member' && !expressionNeedsParentheses(current, this.#path)) {
        this.within(current, 'object', () => {
          add(current.object);
        });
        links.push({ node: current, doc: this.#lookup(current) });
      } else links.push({ node: current, doc: this.expression(current) });
    };
    add(node);
    const isStatement = this.#frame(0)?.node.type === 'ExpressionStatement';
    return printMemberChain(links, {
      isStatement,
      isCurried: isLongCurried(node, this.#frame(0)),
      tabWidth: this.settings.tabWidth,
    });
  }

  #callLink(node: Call, isCurried: boolean): Doc {
    return concat([
      node.isOptional ? '?.' : '',
      node.typeArguments === undefined ? '' : this.typeArguments(node.typeArguments),
      this.#arguments(node, isCurried),
    ]);
  }

  // Members

  #member(node: Member): Doc {
    const { object } = node;
    const objectDoc = this.within(node, 'object', () => this.expression(object));
    const outer = [...this.#path].reverse().find(({ node: parent }) => parent.type !== 'Member');
    const parent = this.#frame(0);
    const staysInline =
      typeof node.property !== 'string' ||
      (object.type === 'Identifier' && !node.property.startsWith('#') && parent?.node.type !== 'Member') ||
      (outer?.node.type === 'New' && outer.key === 'callee') ||
      (parent?.node.type === 'Variable' &&
        ((object.type === 'Call' && object.arguments.length > 0) || isChain(objectDoc)));
    const lookup = this.#lookup(node);
    return concat([objectDoc, staysInline ? lookup : group(indent(concat([softline, lookup])))], isChain(objectDoc));
  }

  #lookup(node: Member): Doc {
    const optional = node.isOptional ? '?.' : '';
    const { property } = node;
    if (typeof property === 'string') return `${optional === '' ? '.' : optional}${property}`;
    const doc = this.within(node, 'property', () => this.expression(property));
    if (property.type === 'Number') return concat([optional, '[', doc, ']']);
    return group(concat([optional, '[', indent(concat([softline, doc])), softline, ']']));
  }

  // Operators

  #binary(node: Binary): Doc {
    const { node: parent = { type: 'Key' }, key = '' } = this.#frame(0) ?? {};
    const grandparent = this.#frame(1)?.node;
    const isInParentheses = key !== 'body' && (parent.type === 'If' || parent.type === 'Switch');
    const parts = this.#operands(node, isInParentheses, parent.type);
    if (isInParentheses) return concat(parts);
    if (
      (key === 'callee' && (parent.type === 'Call' || parent.type === 'New')) ||
      parent.type === 'Unary' ||
      (parent.type === 'Member' && typeof parent.property === 'string')
    )
      return group(concat([indent(concat([softline, ...parts])), softline]));
    const isUnindented =
      parent.type === 'Return' ||
      parent.type === 'Throw' ||
      (key === 'body' && parent.type === 'Arrow') ||
      (parent.type === 'Conditional' && !['Return', 'Throw', 'Call', 'New'].includes(grandparent?.type ?? '')) ||
      parent.type === 'Template' ||
      (key === 'arguments' && isBooleanCall(parent));
    const isAssigned = parent.type === 'Variable' || parent.type === 'Property';
    const continues = isBinaryish(node.left) && shouldFlatten(node.operator, node.left.operator);
    const inlines = shouldInline(node);
    if (isUnindented || (inlines && !continues) || (!inlines && isAssigned)) return group(concat(parts));
    const firstGroup = parts.findIndex((part) => typeof part !== 'string' && part.kind === 'group');
    const head = parts.slice(0, firstGroup === -1 ? 1 : firstGroup + 1);
    return group(concat([...head, indent(concat(parts.slice(head.length)))]));
  }

  #operands(node: Binary, isInParentheses: boolean, parentType: string): readonly Doc[] {
    const { left } = node;
    const parts = this.within(node, 'left', (): readonly Doc[] =>
      isBinaryish(left) && shouldFlatten(node.operator, left.operator)
        ? this.#operands(left, isInParentheses, node.type)
        : [group(this.expression(left))],
    );
    const right = this.within(node, 'right', () => this.expression(node.right));
    const operand = concat(shouldInline(node) ? [node.operator, ' ', right] : [node.operator, line, right]);
    const isGrouped =
      !(isInParentheses && node.type === 'Logical') &&
      parentType !== node.type &&
      left.type !== node.type &&
      node.right.type !== node.type;
    return [...parts, ' ', isGrouped ? group(operand) : operand];
  }

  #conditional(node: Conditional): Doc {
    const { node: parent = { type: 'Key' }, key = '' } = this.#frame(0) ?? {};
    const isTest = parent.type === 'Conditional' && key === 'test';
    const isNested = parent.type === 'Conditional' && !isTest;
    const print = (child: 'test' | 'whenTrue' | 'whenFalse'): Doc =>
      this.within(node, child, () => this.expression(node[child]));
    const isChained = node.whenTrue.type === 'Conditional';
    const part = concat([
      line,
      '? ',
      isChained ? ifBreak('', '(') : '',
      align(2, print('whenTrue')),
      isChained ? ifBreak('', ')') : '',
      line,
      ': ',
      align(2, print('whenFalse')),
    ]);
    const parts = isNested && key === 'whenTrue' ? align(Math.max(0, this.settings.tabWidth - 2), part) : part;
    const test = print('test');
    const breaksParenthesis = parent.type === 'Member' && typeof parent.property === 'string';
    if (breaksParenthesis || (key === 'callee' && parent.type === 'Call'))
      throw new UnknownConstruct('a member of a condition');
    const content = concat([isNested && key === 'whenFalse' ? align(2, test) : test, isNested ? parts : indent(parts)]);
    const result = isNested ? content : group(content);
    return isTest ? group(concat([indent(concat([softline, result])), softline])) : result;
  }

  // Assignments

  /** The right side of an assignment, below or next to the left one; called within what is assigned. */
  protected assignment({ left, operator, right, kind, breaksLeft, comments = '' }: Assignment): Doc {
    const printed = this.expression(right);
    const rightDoc = comments === '' ? printed : concat([comments, printed]);
    const canLeftBreak = canBreak(left);
    if (breaksLeft || (kind === 'variable' && right.type === 'Arrow' && canLeftBreak))
      return group(concat([left, operator, ' ', group(rightDoc)]));
    const hasShortKey = kind === 'property' && typeof left === 'string' && left.length < this.settings.tabWidth + 3;
    if (this.#breaksAfterOperator(right, hasShortKey))
      return group(concat([group(left), operator, group(indent(concat([line, rightDoc])))]));
    const isAtomic = right.type === 'Template' || right.type === 'Number' || isBoolean(right);
    if (!canLeftBreak && (hasShortKey || isAtomic)) return group(concat([group(left), operator, ' ', rightDoc]));
    const id = groupId();
    return group(concat([group(left), operator, group(indent(line), { id }), indentIfBreak(rightDoc, id)]));
  }

  #breaksAfterOperator(right: Expression, hasShortKey: boolean): boolean {
    if (isBinaryish(right) && !shouldInline(right)) return true;
    if (right.type === 'Conditional') {
      const { test } = right;
      if (isBinaryish(test) && !shouldInline(test)) return true;
      return false;
    }
    if (hasShortKey) return false;
    let node: Expression = right;
    while (node.type === 'Unary' || node.type === 'Await') node = node.argument;
    return node.type === 'String' || this.#isPoorlyBreakable(node, false);
  }

  /** Whether a chain of members and calls has few places to break. */
  #isPoorlyBreakable(node: Expression, isDeep: boolean): boolean {
    if (node.type === 'Call') {
      if (isChain(this.#printed.get(node) ?? '')) return false;
      const [only, second] = node.arguments;
      const isPoor = only === undefined || (second === undefined && only.type !== 'Spread' && this.#isShort(only));
      if (!isPoor || hasComplexTypeArguments(node)) return false;
      return this.#isPoorlyBreakable(node.callee, true);
    }
    if (node.type === 'Member') return this.#isPoorlyBreakable(node.object, true);
    return isDeep && (node.type === 'Identifier' || node.type === 'This');
  }

  #isShort(argument: Expression): boolean {
    return isShortArgument(argument, this.settings.printWidth, (text) => this.string(text));
  }
}

/** The layouts of a call whose first or last argument stays with the parentheses. */
function expanded(argument: Doc, with_: (doc: Doc) => Doc, brokenOut: Doc): Doc {
  const broken = with_(group(argument, { isBroken: true }));
  if (willBreak(argument)) return concat([BREAK_PARENT, conditionalGroup([broken, brokenOut])]);
  return conditionalGroup([with_(argument), broken, brokenOut]);
}

/** Breaks the groups around it, and prints nothing. */
const BREAK_PARENT: Doc = group('', { isBroken: true });

/** The expression at the left end of another. */
function leftmost(node: Expression): Expression {
  switch (node.type) {
    case 'Binary':
    case 'Logical':
      return leftmost(node.left);
    case 'Member':
      return leftmost(node.object);
    case 'Call':
      return leftmost(node.callee);
    case 'Conditional':
      return leftmost(node.test);
    case 'As':
      return leftmost(node.expression);
    default:
      return node;
  }
}

function isBinaryish(node: Expression): node is Binary {
  return node.type === 'Binary' || node.type === 'Logical';
}

function isBoolean(node: Expression): boolean {
  return node.type === 'Constant' && node.text !== 'null';
}

function isBooleanCall(node: Frame['node']): boolean {
  return (
    node.type === 'Call' &&
    !node.isOptional &&
    node.arguments.length === 1 &&
    node.callee.type === 'Identifier' &&
    node.callee.name === 'Boolean'
  );
}

/** Whether a call is itself called, with fewer arguments. */
function isLongCurried(node: Call, frame: Frame | undefined): boolean {
  if (frame?.key !== 'callee' || frame.node.type !== 'Call' || node.type !== 'Call') return false;
  const { length } = frame.node.arguments;
  return length > 0 && node.arguments.length > length;
}

/** Whether functions are composed, such as those that a library pipes values through. */
function isFunctionComposition(items: readonly ListItem[]): boolean {
  if (items.length <= 1) return false;
  const functions = items.filter(({ type }) => type === 'Arrow').length;
  return (
    functions > 1 ||
    items.some((item) => item.type === 'Call' && item.arguments.some((argument) => argument.type === 'Arrow'))
  );
}

const TEST_WORDS =
  /^(?:it|describe|test|skip|[xf](?:it|describe|test)|(?:before|after)(?:Each|All)|require|define|inject|fakeAsync|waitForAsync)$/;

/** Prettier formats calls of some names specially. */
function refuseSpecialCall({ callee, arguments: items }: Call): void {
  const root = leftmost(callee);
  if (root.type === 'Identifier' && TEST_WORDS.test(root.name)) throw new UnknownConstruct('a call as in a test');
  const [first, second] = items.slice(-2);
  const isHook =
    first?.type === 'Arrow' && first.parameters.length === 0 && first.body.type === 'Block' && second?.type === 'Array';
  if (isHook && items.length <= 3) throw new UnknownConstruct('a call as of a hook');
}

function hasComplexTypeArguments({ typeArguments = [] }: Call): boolean {
  const [only, second] = typeArguments;
  if (only === undefined) return false;
  return (
    second !== undefined || only.type === 'UnionType' || only.type === 'IntersectionType' || only.type === 'ObjectType'
  );
}

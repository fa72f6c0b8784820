/** Formats statements and declarations. */
import {
  concat,
  group,
  groupId,
  hardline,
  ifBreak,
  indent,
  indentIfBreak,
  join,
  line,
  softline,
  type Doc,
} from './doc.js';
import type { Program } from './parse-statements.js';
import { ExpressionPrinter } from './print-expressions.js';
import { canHugUnion, shouldGroupParameters } from './print-types.js';
import type {
  Block,
  Expression,
  FunctionDeclaration,
  Statement,
  StatementNode,
  SwitchCase,
  TypeNode,
  Variable,
} from './syntax.js';
import { UnknownConstruct } from './tokens.js';

type TypeAlias = Extract<StatementNode, { type: 'TypeAlias' }>;
type Module = Extract<StatementNode, { type: 'Import' | 'ExportFrom' }>;
type Head = Extract<StatementNode, { type: 'Interface' | 'Class' }>;
type If = Extract<StatementNode, { type: 'If' }>;

export class StatementPrinter extends ExpressionPrinter {
  program({ body, comments }: Program): Doc {
    if (body.length === 0) {
      return concat(comments.flatMap((comment) => this.comment(comment)));
    }
    return this.sequence(body, (statement) => this.#statement(statement));
  }

  protected override printBlock({ body }: Block, isFunction: boolean): Doc {
    if (body.length === 0) return isFunction ? '{}' : concat(['{', hardline, '}']);
    return concat([
      '{',
      indent(concat([hardline, this.sequence(body, (statement) => this.#statement(statement))])),
      hardline,
      '}',
    ]);
  }

  #statement(node: StatementNode): Doc {
    switch (node.type) {
      case 'Import':
      case 'ExportFrom':
        return this.#module(node);
      case 'Export':
        return concat(['export ', this.#statement(node.declaration)]);
      case 'TypeAlias':
        return this.#typeAlias(node);
      case 'Interface':
      case 'Class':
        return this.#class(node);
      case 'Function':
        return this.#function(node);
      case 'Variable':
        return this.#variable(node);
      case 'Return':
      case 'Throw': {
        const keyword = node.type === 'Return' ? 'return' : 'throw';
        if (node.argument === undefined) return `${keyword};`;
        return concat([keyword, ' ', this.#returned(node, node.argument), ';']);
      }
      case 'If':
        return this.#if(node);
      case 'Switch':
        return this.#switch(node.value, node, node.cases);
      case 'ForOf': {
        const value = this.within(node, 'right', () => this.expression(node.value));
        const head = [`for${node.isAwait ? ' await' : ''} (${node.keyword} `, this.pattern(node.pattern, false)];
        return group(concat([...head, ' of ', value, ')', this.#clause(node.body)]));
      }
      case 'Try': {
        const caught = node.name === undefined ? '' : `(${node.name}) `;
        return concat([
          'try ',
          this.printBlock(node.block, false),
          ` catch ${caught}`,
          this.printBlock(node.handler, true),
        ]);
      }
      case 'Jump':
        return `${node.keyword};`;
      case 'ExpressionStatement':
        return concat([this.within(node, 'expression', () => this.expression(node.expression)), ';']);
      case 'Block':
        return this.printBlock(node, false);
    }
  }

  #module({ type, isType, namespace, names, source }: Module): Doc {
    const keyword = `${type === 'Import' ? 'import' : 'export'}${isType ? ' type' : ''} `;
    const from = source === undefined ? '' : ` from ${this.string(source)}`;
    if (namespace !== undefined) return `${keyword}${namespace}${from};`;
    const [only = '', second] = names;
    if (names.length === 0) return `${keyword}{}${from};`;
    if (second === undefined) return `${keyword}{ ${only} }${from};`;
    const list = join(concat([',', line]), names);
    return concat([keyword, group(concat(['{', indent(concat([line, list])), ifBreak(','), line, '}'])), `${from};`]);
  }

  #typeAlias({ name, typeParameters, value }: TypeAlias): Doc {
    const left = concat(['type ', name, this.typeParameters(typeParameters)]);
    return concat([this.#assignedType(left, value, typeParameters), ';']);
  }

  #assignedType(left: Doc, value: TypeNode, typeParameters: TypeAlias['typeParameters'] = []): Doc {
    const breaksAfter =
      (value.type === 'UnionType' && !canHugUnion(value)) ||
      (value.type === 'ConditionalType' && (isGeneric(value.check) || isGeneric(value.extended)));
    if (breaksAfter)
      return group(concat([group(left), ' =', group(indent(concat([line, this.type(value, 'assigned')])))]));
    const right = this.type(value, 'plain');
    const isComplex =
      typeParameters.length > 1 &&
      typeParameters.some(({ constraint, byDefault }) => constraint !== undefined || byDefault !== undefined);
    if (isComplex) return group(concat([left, ' =', ' ', group(right)]));
    const id = groupId();
    return group(concat([group(left), ' =', group(indent(line), { id }), indentIfBreak(right, id)]));
  }

  #class({ type, isAbstract, name, typeParameters, extended, members, methods }: Head): Doc {
    const start = [isAbstract ? 'abstract ' : '', type === 'Class' ? 'class ' : 'interface '];
    const own = [name, this.typeParameters(typeParameters)];
    const types = extended.map((item) => this.type(item, 'plain'));
    const list = join(concat([',', line]), types);
    const head =
      types.length > 1
        ? concat([
            ...start,
            group(concat([...own, indent(concat([line, 'extends', group(indent(concat([line, list])))]))])),
          ])
        : concat([...start, ...own, ...types.flatMap((item) => [' extends ', item])]);
    const body =
      type === 'Interface'
        ? concat(this.members(members, true))
        : this.sequence(methods, (method) => this.method(method));
    const isEmpty = members.length + methods.length === 0;
    return concat([head, ' {', ...(isEmpty ? [] : [indent(concat([hardline, body])), hardline]), '}']);
  }

  #function(node: FunctionDeclaration): Doc {
    const parameters = this.parameters(node, false, false);
    const returnType = this.annotation(node.returnType);
    return concat([
      node.isAsync ? 'async ' : '',
      `function ${node.name}`,
      this.typeParameters(node.typeParameters),
      group(concat([shouldGroupParameters(node, returnType) ? group(parameters) : parameters, returnType])),
      ' ',
      this.printBlock(node.body, true),
    ]);
  }

  #variable(node: Variable): Doc {
    const { pattern, annotation, value, valueComments } = node;
    const isFunction = value?.type === 'Arrow';
    const left = concat([
      this.pattern(pattern, value !== undefined),
      this.annotation(annotation, isFunction ? 'functionVariable' : 'plain'),
    ]);
    if (value === undefined) return group(concat([node.keyword, ' ', left, ';']));
    const breaksLeft =
      hasComplexType(annotation) ||
      (pattern.type === 'ObjectPattern' &&
        pattern.items.length > 2 &&
        pattern.items.some(({ name, byDefault }) => name.includes(':') || byDefault !== undefined));
    const comments = valueComments.map(({ text }) => `${text} `).join('');
    const doc = this.within(node, 'init', () =>
      this.assignment({ left, operator: ' =', right: value, kind: 'variable', breaksLeft, comments }),
    );
    return group(concat([node.keyword, ' ', doc, ';']));
  }

  #returned(node: StatementNode, argument: Expression): Doc {
    const doc = this.within(node, 'argument', () => this.expression(argument));
    if (argument.type !== 'Binary' && argument.type !== 'Logical') return doc;
    return group(concat([ifBreak('('), indent(concat([softline, doc])), softline, ifBreak(')')]));
  }

  #if(node: If): Doc {
    const test = this.within(node, 'test', () => this.expression(node.test));
    // The parentheses of what is negated break instead.
    const { test: condition } = node;
    const isNegated = condition.type === 'Unary' && condition.operator === '!' && condition.argument.type === 'Logical';
    const inParentheses = isNegated ? test : group(concat([indent(concat([softline, test])), softline]));
    const opening = group(concat(['if (', inParentheses, ')', this.#clause(node.whenTrue)]));
    const { whenFalse } = node;
    if (whenFalse === undefined) return opening;
    const isBlock = node.whenTrue.type === 'Block';
    const clause = whenFalse.type === 'If' ? concat([' ', this.#statement(whenFalse)]) : this.#clause(whenFalse);
    return concat([opening, isBlock ? ' ' : hardline, 'else', group(clause)]);
  }

  /** The statement of a condition or a loop. */
  #clause(body: Statement): Doc {
    const doc = this.#statement(body);
    return body.type === 'Block' ? concat([' ', doc]) : indent(concat([line, doc]));
  }

  #switch(value: Expression, node: StatementNode, cases: readonly SwitchCase[]): Doc {
    if (cases.length === 0) throw new UnknownConstruct('a switch without cases');
    const head = this.within(node, 'discriminant', () => this.expression(value));
    return concat([
      group(concat(['switch (', indent(concat([softline, head])), softline, ')'])),
      ' {',
      indent(concat([hardline, this.sequence(cases, (item) => this.#case(item))])),
      hardline,
      '}',
    ]);
  }

  #case({ test, body }: SwitchCase): Doc {
    const label =
      test === undefined
        ? 'default:'
        : concat(['case ', this.within({ type: 'Key' }, 'test', () => this.expression(test)), ':']);
    if (body.length === 0) return label;
    const statements = this.sequence(body, (statement) => this.#statement(statement));
    const isBlock = body.length === 1 && body[0]?.type === 'Block';
    return concat([label, isBlock ? concat([' ', statements]) : indent(concat([hardline, statements]))]);
  }
}

/** Whether a type has type arguments. */
function isGeneric(type: TypeNode): boolean {
  if (type.type === 'TypeReference') return type.typeArguments !== undefined;
  return type.type === 'FunctionType' && type.typeParameters !== undefined;
}

/** Whether a type has several type arguments of which one is as complex. */
function hasComplexType(type: TypeNode | undefined): boolean {
  if (type?.type !== 'TypeReference' || type.typeArguments === undefined || type.typeArguments.length < 2) return false;
  return type.typeArguments.some(
    (item) => item.type === 'ConditionalType' || (item.type === 'TypeReference' && item.typeArguments !== undefined),
  );
}

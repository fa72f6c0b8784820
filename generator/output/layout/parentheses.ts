/** Which expressions Prettier puts in parentheses. */
import { precedenceOf } from './parse-expressions.js';
import { shouldFlatten } from './simple-expressions.js';
import type { Arrow, Block, Expression, ListItem, Property, StatementNode } from './syntax.js';

/** A construct that is being printed, and which part of it. */
export interface Frame {
  readonly node: Expression | ListItem | Property | StatementNode | Arrow | Block | { readonly type: 'Key' };
  readonly key: string;
}

/**
 * Whether an expression needs parentheses.
 *
 * @param path - What it is in, from the outside to the inside.
 */
export function expressionNeedsParentheses(node: ListItem, path: readonly Frame[]): boolean {
  const frame = path.at(-1);
  if (frame === undefined) return false;
  const { node: parent, key } = frame;
  switch (node.type) {
    case 'Object':
      return beginsBody(path);
    case 'Unary':
      return (
        (parent.type === 'Unary' &&
          parent.operator === node.operator &&
          (node.operator === '+' || node.operator === '-')) ||
        isHead(parent, key) ||
        (parent.type === 'Binary' && key === 'left' && (parent.operator === 'in' || parent.operator === 'instanceof'))
      );
    case 'Binary':
    case 'Logical':
    case 'As':
      return operatorNeedsParentheses(node, frame);
    case 'Conditional':
      return (
        ['Unary', 'Spread', 'Binary', 'Logical', 'As', 'Await'].includes(parent.type) ||
        isHead(parent, key) ||
        (parent.type === 'Conditional' && key === 'test')
      );
    case 'Await':
    case 'Arrow':
      return (
        ['Binary', 'Logical', 'As', 'Unary', ...(node.type === 'Await' ? ['Spread'] : ['Await'])].includes(
          parent.type,
        ) ||
        isHead(parent, key) ||
        (parent.type === 'Conditional' && key === 'test')
      );
    case 'Number':
      return key === 'object' && parent.type === 'Member';
    default:
      return false;
  }
}

/** Whether something is called, or has a member read. */
function isHead(parent: Frame['node'], key: string): boolean {
  return (
    (key === 'callee' && (parent.type === 'Call' || parent.type === 'New')) ||
    (key === 'object' && parent.type === 'Member')
  );
}

function operatorNeedsParentheses(
  node: Extract<Expression, { type: 'Binary' | 'Logical' | 'As' }>,
  { node: parent, key }: Frame,
): boolean {
  switch (parent.type) {
    case 'As':
      return node.type !== 'As';
    case 'Conditional':
      return node.type === 'As' || (node.type === 'Logical' && node.operator === '??');
    case 'Call':
    case 'New':
    case 'Member':
      return isHead(parent, key);
    case 'Spread':
    case 'Unary':
    case 'Await':
      return true;
    case 'Logical':
      if (node.type === 'Logical') return parent.operator !== node.operator;
      return node.type === 'As' || bindsWeaker(node.operator, parent.operator, key);
    case 'Binary':
      return node.type === 'As' || bindsWeaker(node.operator, parent.operator, key);
    default:
      return false;
  }
}

function bindsWeaker(operator: string, parentOperator: string, key: string): boolean {
  const [precedence, parentPrecedence] = [precedenceOf(operator), precedenceOf(parentOperator)];
  if (parentPrecedence > precedence) return true;
  if (parentPrecedence === precedence) return key === 'right' || !shouldFlatten(parentOperator, operator);
  return (operator === '%' && '+-'.includes(parentOperator)) || ['|', '^', '&'].includes(parentOperator);
}

/** Whether an object is where a body or a statement begins, so that its brace would be that of a block. */
function beginsBody(path: readonly Frame[]): boolean {
  for (const { node, key } of [...path].reverse()) {
    if (node.type === 'ExpressionStatement') return true;
    if (node.type === 'Arrow') return key === 'body';
    const isLeft = key === 'left' || key === 'object' || key === 'callee' || key === 'test' || key === 'expression';
    if (!isLeft || node.type === 'New' || node.type === 'If' || node.type === 'Switch') return false;
  }
  return false;
}

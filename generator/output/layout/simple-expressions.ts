/** How simple expressions are, which decides how calls and operators break. */
import { precedenceOf } from './parse-expressions.js';
import type { ArrayLiteral, Binary, Expression, ListItem } from './syntax.js';

const EQUALITY: ReadonlySet<string> = new Set(['==', '===', '!=', '!==']);
const MULTIPLICATION: ReadonlySet<string> = new Set(['*', '/', '%']);

/** Whether an operator on the left of another is part of one list of operands. */
export function shouldFlatten(parent: string, own: string): boolean {
  if (precedenceOf(parent) !== precedenceOf(own) || parent === '**') return false;
  if (EQUALITY.has(parent) && EQUALITY.has(own)) return false;
  if (MULTIPLICATION.has(parent) && MULTIPLICATION.has(own)) return parent === own && own !== '%';
  return true;
}

/** Whether the right side of an operator begins on its line: an object or an array. */
export function shouldInline({ type, right }: Binary): boolean {
  if (type !== 'Logical') return false;
  return (
    (right.type === 'Object' && right.properties.length > 0) || (right.type === 'Array' && right.elements.length > 0)
  );
}

/** Whether an array of numbers has as many on a line as fit. */
export function isConcise({ elements }: ArrayLiteral): boolean {
  return elements.length > 0 && elements.every(isSignedNumber);
}

function isSignedNumber(node: ListItem): boolean {
  if (node.type === 'Number') return true;
  return node.type === 'Unary' && '+-'.includes(node.operator) && node.argument.type === 'Number';
}

/** Whether an argument is simple enough for a chain of calls to stay on one line. */
export function isSimpleArgument(node: ListItem, depth = 2): boolean {
  if (depth <= 0) return false;
  const isChildSimple = (child: ListItem): boolean => isSimpleArgument(child, depth - 1);
  switch (node.type) {
    case 'Regex':
      return node.text.lastIndexOf('/') - 1 <= 5;
    case 'String':
    case 'Number':
    case 'Constant':
    case 'Identifier':
    case 'This':
    case 'Super':
      return true;
    case 'Template':
      return node.expressions.every(isChildSimple);
    case 'Object':
      return node.properties.every(
        (property) =>
          property.type === 'Shorthand' ||
          (property.type === 'Property' && property.key.type !== 'computed' && isChildSimple(property.value)),
      );
    case 'Array':
      return node.elements.every(isChildSimple);
    case 'Call':
    case 'New':
      return (
        isSimpleArgument(node.callee, depth) && node.arguments.length <= depth && node.arguments.every(isChildSimple)
      );
    case 'Member':
      return (
        isSimpleArgument(node.object, depth) &&
        (typeof node.property === 'string' || isSimpleArgument(node.property, depth))
      );
    case 'Unary':
      return ['!', '-', '+', '~'].includes(node.operator) && isSimpleArgument(node.argument, depth);
    default:
      return false;
  }
}

/**
 * Whether an only argument is so short that a break in front of it gains nothing.
 *
 * @param quote - Prints a string.
 */
export function isShortArgument(node: Expression, printWidth: number, quote: (text: string) => string): boolean {
  const most = printWidth / 4;
  switch (node.type) {
    case 'This':
    case 'Number':
    case 'Constant':
      return true;
    case 'Identifier':
      return node.name.length <= most;
    case 'Regex':
      return node.text.lastIndexOf('/') - 1 <= most;
    case 'String':
      return quote(node.text).length <= most;
    case 'Template':
      return node.expressions.length === 0 && (node.texts[0] ?? '').length <= most;
    case 'Unary':
      return isSignedNumber(node) || isShortArgument(node.argument, printWidth, quote);
    case 'Call':
      return node.arguments.length === 0 && node.callee.type === 'Identifier' && node.callee.name.length <= most - 2;
    default:
      return false;
  }
}

/** Whether an argument can begin on the line of a call and end below it. */
function canExpand(node: ListItem): boolean {
  switch (node.type) {
    case 'Object':
      return node.properties.length > 0;
    case 'Array':
      return node.elements.length > 0;
    case 'As':
      return canExpand(node.expression);
    case 'Arrow':
      return ['Block', 'Object', 'Array', 'Conditional', 'Call'].includes(node.body.type);
    default:
      return false;
  }
}

/** Whether the last argument of a call begins on the line of the call. */
export function shouldExpandLast(items: readonly ListItem[]): boolean {
  const [last, penultimate] = [items.at(-1), items.at(-2)];
  if (last === undefined || !canExpand(last) || penultimate?.type === last.type) return false;
  if (items.length === 2 && penultimate?.type === 'Arrow' && last.type === 'Array') return false;
  return !(items.length > 1 && last.type === 'Array' && isConcise(last));
}

/** Whether a function that is the first of two arguments begins on the line of the call. */
export function shouldExpandFirst(items: readonly ListItem[]): boolean {
  const [first, second] = items;
  if (items.length !== 2 || first === undefined || second === undefined) return false;
  return (
    first.type === 'Arrow' &&
    first.body.type === 'Block' &&
    second.type !== 'Arrow' &&
    second.type !== 'Conditional' &&
    isHopefullyShort(second) &&
    !canExpand(second)
  );
}

function isHopefullyShort(node: ListItem): boolean {
  if (node.type === 'Binary' || node.type === 'Logical')
    return isSimpleArgument(node.left, 1) && isSimpleArgument(node.right, 1);
  if ((node.type === 'Call' || node.type === 'New') && node.arguments.length > 1) return false;
  return node.type === 'Regex' || isSimpleArgument(node);
}

import type { ts as TypeScript } from 'ts-morph';
import { UnknownSyntax, type Compiler } from './edits.js';

/**
 * The type of a constant, as far as its text says so: of literals, `as const`, functions and `as Type`.
 *
 * @throws {@link UnknownSyntax} if another file or the context decides it.
 */
export function typeOfValue(compiler: Compiler, node: TypeScript.Expression): string {
  const { ts, source } = compiler;
  if (ts.isAsExpression(node))
    return isConstAssertion(compiler, node) ? frozenTypeOf(compiler, node.expression) : node.type.getText(source);
  if (ts.isIdentifier(node) && node.text === 'undefined') return 'undefined';
  // Its type is its text.
  if (ts.isNoSubstitutionTemplateLiteral(node)) throw new UnknownSyntax();
  return widenedTypeOf(compiler, node);
}

function isConstAssertion({ ts, source }: Compiler, node: TypeScript.AsExpression): boolean {
  return ts.isTypeReferenceNode(node.type) && node.type.getText(source) === 'const';
}

/** The type of a literal that may be replaced by another one. */
export function widenedTypeOf(compiler: Compiler, node: TypeScript.Expression): string {
  const { ts, source } = compiler;
  const kinds = ts.SyntaxKind;
  const value = ts.isPrefixUnaryExpression(node) && node.operator === kinds.MinusToken ? node.operand : node;
  if (ts.isNumericLiteral(value)) return 'number';
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return 'string';
  if (node.kind === kinds.TrueKeyword || node.kind === kinds.FalseKeyword) return 'boolean';
  if (ts.isAsExpression(node)) return typeOfValue(compiler, node);
  if ((ts.isArrowFunction(node) || ts.isFunctionExpression(node)) && node.type !== undefined) {
    const isPlain = node.parameters.every(({ type, initializer }) => type !== undefined && initializer === undefined);
    const parameters = node.parameters.map((parameter) => parameter.getText(source)).join(', ');
    const types = node.typeParameters?.map((parameter) => parameter.getText(source)).join(', ');
    if (isPlain) return `${types === undefined ? '' : `<${types}>`}(${parameters}) => ${node.type.getText(source)}`;
  }
  throw new UnknownSyntax();
}

/** The type of a value with `as const`. */
function frozenTypeOf(compiler: Compiler, node: TypeScript.Expression, indent = ''): string {
  const { ts, source } = compiler;
  const kinds = ts.SyntaxKind;
  if (ts.isAsExpression(node) && isConstAssertion(compiler, node))
    return frozenTypeOf(compiler, node.expression, indent);
  if (ts.isStringLiteral(node) || ts.isNumericLiteral(node)) return node.getText(source);
  const isOther = [kinds.TrueKeyword, kinds.FalseKeyword, kinds.NullKeyword].includes(node.kind);
  const isNegative =
    ts.isPrefixUnaryExpression(node) && node.operator === kinds.MinusToken && ts.isNumericLiteral(node.operand);
  if (isOther || isNegative) return node.getText(source);
  const inner = `${indent}  `;
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.map((item) => frozenTypeOf(compiler, item, inner));
    const isLong = node.getText(source).includes('\n');
    return isLong
      ? `readonly [\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}]`
      : `readonly [${items.join(', ')}]`;
  }
  if (!ts.isObjectLiteralExpression(node)) throw new UnknownSyntax();
  if (node.properties.length === 0) return '{}';
  const isLong = node.getText(source).includes('\n');
  const members = node.properties.map((property) => {
    if (!ts.isPropertyAssignment(property) || ts.isComputedPropertyName(property.name)) throw new UnknownSyntax();
    const type = frozenTypeOf(compiler, property.initializer, inner);
    const member = `readonly ${property.name.getText(source)}: ${type}`;
    return isLong ? `${commentsOf(compiler, property, inner)}${inner}${member};\n` : member;
  });
  return isLong ? `{\n${members.join('')}${indent}}` : `{ ${members.join('; ')} }`;
}

/** The doc comments of a member, with a line break after each. */
function commentsOf({ ts, source }: Compiler, node: TypeScript.Node, indent: string): string {
  const ranges = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? [];
  return ranges
    .map(({ pos, end }) => source.text.slice(pos, end))
    .filter((text) => text.startsWith('/**'))
    .map(
      (text) =>
        `${indent}${text
          .split('\n')
          .map((line) => line.trim().replace(/^\*/, `${indent} *`))
          .join('\n')}\n`,
    )
    .join('');
}

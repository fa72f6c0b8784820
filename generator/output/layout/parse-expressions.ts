/** Parses expressions. */
import { TypeParser } from './parse-types.js';
import type { Arrow, Block, Call, Expression, ListItem, Property, Signature, Surroundings } from './syntax.js';
import { UnknownConstruct } from './tokens.js';

/** Binary operators by how strongly they bind. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map(
  ['??', '||', '&&', '|', '^', '&', '== != === !==', '< > <= >= in instanceof', '', '+ -', '* / %', '**'].flatMap(
    (operators, index) => operators.split(' ').map((operator) => [operator, index] as const),
  ),
);

/** How strongly an operator binds. */
export function precedenceOf(operator: string): number {
  return PRECEDENCE.get(operator) ?? -1;
}

/** Words that begin expressions which the layout does not know. */
const UNKNOWN_WORDS: ReadonlySet<string> = new Set('function class import yield delete void let'.split(' '));
const CONSTANTS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

export abstract class ExpressionParser extends TypeParser {
  protected abstract parseBlock(): Block;
  /** A parser of the same kind, for the code in a template. */
  protected abstract forCode(code: string): ExpressionParser;

  /** A whole text as one expression. */
  parseWholeExpression(): Expression {
    const expression = this.parseExpression();
    if (this.token.kind !== 'end') throw new UnknownConstruct('more than an expression');
    return expression;
  }

  protected override parseExpression(): Expression {
    const arrow = this.#parseArrow();
    if (arrow !== undefined) return arrow;
    const test = this.#parseBinary(0);
    if (!this.eat('?')) return test;
    const whenTrue = this.parseExpression();
    this.expect(':');
    return { type: 'Conditional', test, whenTrue, whenFalse: this.parseExpression() };
  }

  #parseArrow(): Arrow | undefined {
    const { kind: first } = this.token;
    if (first === 'string' || first === 'number') return undefined;
    const isAsync = this.is('async') && ['(', '<'].includes(this.lookAhead(1).text);
    const start = isAsync ? 1 : 0;
    const { text, kind } = this.lookAhead(start);
    if (kind === 'name' && !isAsync && this.lookAhead(1).text === '=>')
      return this.#parseArrowBody(false, {
        typeParameters: undefined,
        parameters: [this.parseParameter()],
        returnType: undefined,
      });
    if (kind !== 'punctuator' || (text !== '(' && text !== '<')) return undefined;
    if (text === '(') {
      const after = this.lookAhead(this.closingIndex(start) + 1).text;
      if (after !== '=>' && after !== ':') return undefined;
    }
    return this.attempt(() => {
      if (isAsync) this.next();
      const signature = this.parseSignature(':');
      return this.is('=>') ? this.#parseArrowBody(isAsync, signature) : undefined;
    });
  }

  #parseArrowBody(isAsync: boolean, signature: Signature): Arrow {
    this.expect('=>');
    const body = this.is('{') ? this.parseBlock() : this.parseExpression();
    return { type: 'Arrow', isAsync, ...signature, body };
  }

  #parseBinary(least: number): Expression {
    let left = this.#parseUnary();
    for (;;) {
      const { text: operator, kind } = this.token;
      if (kind === 'name' && (operator === 'as' || operator === 'satisfies')) {
        if (precedenceOf('<') < least) return left;
        this.next();
        left = { type: 'As', operator, expression: left, annotation: this.parseType() };
        continue;
      }
      const precedence = kind === 'punctuator' || kind === 'name' ? precedenceOf(operator) : -1;
      if (precedence < least || operator === '**') return left;
      this.next();
      const right = this.#parseBinary(precedence + 1);
      const isLogical = operator === '&&' || operator === '||' || operator === '??';
      left = isLogical ? logical(operator, left, right) : { type: 'Binary', operator, left, right };
    }
  }

  #parseUnary(): Expression {
    const { text, kind } = this.token;
    if ((kind === 'punctuator' && ['!', '-', '+', '~'].includes(text)) || (kind === 'name' && text === 'typeof')) {
      this.next();
      return { type: 'Unary', operator: text, argument: this.#parseUnary() };
    }
    if (kind === 'name' && text === 'await') {
      this.next();
      return { type: 'Await', argument: this.#parseUnary() };
    }
    return this.#parsePostfix();
  }

  #parsePostfix(): Expression {
    let expression = this.is('new') ? this.#parseNew() : this.#parsePrimary();
    for (;;) {
      const after = this.#parseLink(expression);
      if (after === undefined) break;
      expression = after;
    }
    if (this.is('!') && !this.token.afterLineBreak) throw new UnknownConstruct('an assertion');
    if (this.token.kind === 'template' || this.is('++') || this.is('--') || this.is('='))
      throw new UnknownConstruct(this.token.text);
    return expression;
  }

  /** A member or a call after an expression. */
  #parseLink(object: Expression): Expression | undefined {
    const isOptional = this.eat('?.');
    if (this.is('(') || this.is('<')) {
      const call = this.#parseCall(object, isOptional);
      if (call !== undefined || this.is('(')) return call;
    }
    if (this.eat('[')) {
      const property = this.parseExpression();
      this.expect(']');
      return { type: 'Member', object, isOptional, property };
    }
    if (!isOptional && !this.eat('.')) return undefined;
    const isPrivate = this.eat('#');
    return { type: 'Member', object, isOptional, property: (isPrivate ? '#' : '') + this.name() };
  }

  #parseCall(callee: Expression, isOptional: boolean): Expression | undefined {
    const typeArguments = this.is('<') ? this.#attemptTypeArguments() : undefined;
    if (!this.is('(')) return undefined;
    return { type: 'Call', callee, isOptional, typeArguments, arguments: this.#parseArguments() };
  }

  #attemptTypeArguments(): Call['typeArguments'] {
    return this.attempt(() => {
      const found = this.parseTypeArguments();
      return this.is('(') ? found : undefined;
    });
  }

  #parseArguments(): readonly ListItem[] {
    this.expect('(');
    return this.list(')', () => this.#parseItem());
  }

  #parseItem(): ListItem {
    return this.eat('...') ? { type: 'Spread', argument: this.parseExpression() } : this.parseExpression();
  }

  #parseNew(): Call {
    this.expect('new');
    let callee: Expression = { type: 'Identifier', name: this.name() };
    while (this.eat('.')) callee = { type: 'Member', object: callee, isOptional: false, property: this.name() };
    const typeArguments = this.is('<') ? this.parseTypeArguments() : undefined;
    return { type: 'New', callee, isOptional: false, typeArguments, arguments: this.#parseArguments() };
  }

  #parsePrimary(): Expression {
    const { kind, text } = this.token;
    switch (kind) {
      case 'string':
        return { type: 'String', text: this.next().text };
      case 'number':
        return { type: 'Number', text: this.next().text };
      case 'regex':
        return { type: 'Regex', text: this.next().text };
      case 'template':
        return this.#parseTemplate(this.next().text);
      case 'name':
        return this.#parseWord();
      default:
    }
    if (text === '[') {
      this.next();
      return { type: 'Array', elements: this.list(']', () => this.#parseItem()) };
    }
    if (text === '{') return this.#parseObject();
    this.expect('(');
    const expression = this.parseExpression();
    this.expect(')');
    if (isOptionalChain(expression) && (this.is('.') || this.is('[') || this.is('(')))
      throw new UnknownConstruct('an optional chain in parentheses');
    return expression;
  }

  #parseWord(): Expression {
    const { text } = this.token;
    if (UNKNOWN_WORDS.has(text)) throw new UnknownConstruct(text);
    this.next();
    if (text === 'this') return { type: 'This' };
    if (text === 'super') return { type: 'Super' };
    return CONSTANTS.has(text) ? { type: 'Constant', text } : { type: 'Identifier', name: text };
  }

  /** Splits a template into its texts and expressions. */
  #parseTemplate(template: string): Expression {
    const texts: string[] = [];
    const expressions: Expression[] = [];
    let text = '';
    let index = 1;
    while (index < template.length - 1) {
      const character = template.charAt(index);
      if (character === '\n') throw new UnknownConstruct('a template of several lines');
      if (character === '\\') {
        text += template.slice(index, index + 2);
        index += 2;
      } else if (template.startsWith('${', index)) {
        const end = this.#interpolationEnd(template, index + 2);
        texts.push(text);
        text = '';
        expressions.push(this.forCode(template.slice(index + 2, end)).parseWholeExpression());
        index = end + 1;
      } else {
        text += character;
        index += 1;
      }
    }
    return { type: 'Template', texts: [...texts, text], expressions };
  }

  #interpolationEnd(template: string, start: number): number {
    let depth = 1;
    for (let index = start; index < template.length; index += 1) {
      const character = template.charAt(index);
      if (character === '`' || character === '/' || character === '\n' || character === '\\')
        throw new UnknownConstruct('a template in a template');
      if (character === '"' || character === "'") {
        index = template.indexOf(character, index + 1);
        if (index === -1) break;
      } else if (character === '{') depth += 1;
      else if (character === '}') depth -= 1;
      if (depth === 0) return index;
    }
    throw new UnknownConstruct('a template that does not end');
  }

  #parseObject(): Expression {
    this.expect('{');
    const isBroken = this.isBrokenAfterBrace();
    const properties: Property[] = [];
    while (!this.is('}')) properties.push(this.surrounded(() => this.#parseProperty(), [',']));
    this.next();
    return { type: 'Object', properties, isBroken };
  }

  #parseProperty(): WithoutSurroundings<Property> {
    if (this.eat('...')) return { type: 'Spread', argument: this.parseExpression() };
    const isWord = this.token.kind === 'name';
    const isAsync = this.is('async') && this.#isKeyStart(this.lookAhead(1).text);
    if ((this.is('get') || this.is('set') || this.is('*')) && this.#isKeyStart(this.lookAhead(1).text))
      throw new UnknownConstruct('an accessor');
    if (isAsync) this.next();
    const key = this.parseKey();
    if (this.is('(') || this.is('<'))
      return {
        type: 'Method',
        modifiers: isAsync ? ['async'] : [],
        key,
        isOptional: false,
        ...this.parseSignature(':'),
        body: this.parseBlock(),
      };
    if (this.eat(':')) return { type: 'Property', key, value: this.parseExpression() };
    if (!isWord || key.type !== 'name') throw new UnknownConstruct('a key without a value');
    return { type: 'Shorthand', name: key.text };
  }

  #isKeyStart(text: string): boolean {
    return ![':', '(', '<', ',', '}'].includes(text);
  }
}

type WithoutSurroundings<T> = T extends Surroundings ? Omit<T, keyof Surroundings> : never;

/** A logical operator. On the right of itself it moves to the left, where it means the same. */
function logical(operator: string, left: Expression, right: Expression): Expression {
  if (right.type !== 'Logical' || right.operator !== operator) return { type: 'Logical', operator, left, right };
  return logical(operator, logical(operator, left, right.left), right.right);
}

function isOptionalChain(expression: Expression): boolean {
  if (expression.type === 'Member') return expression.isOptional || isOptionalChain(expression.object);
  return expression.type === 'Call' && (expression.isOptional || isOptionalChain(expression.callee));
}

/** Parses types and signatures. */
import type {
  Expression,
  FunctionType,
  Key,
  MappedType,
  Parameter,
  Pattern,
  PatternItem,
  Signature,
  Surroundings,
  TypeMember,
  TypeNode,
  TypeParameter,
} from './syntax.js';
import { readTokens, UnknownConstruct, type Comment, type Token } from './tokens.js';

const KEYWORD_TYPES: ReadonlySet<string> = new Set(
  'any bigint boolean never null number object string symbol undefined unknown void'.split(' '),
);

/** Reads tokens one after the other. Every comment must be accepted by a construct that prints it. */
export abstract class TypeParser {
  readonly #tokens: readonly Token[];
  #index = 0;
  #token: Token;
  /** The comments of which token were accepted. */
  #accepted = -1;

  constructor(code: string) {
    this.#tokens = readTokens(code);
    this.#token = this.lookAhead(0);
  }

  /** The next token. */
  protected get token(): Token {
    return this.#token;
  }

  protected lookAhead(count: number): Token {
    const token = this.#tokens[this.#index + count] ?? this.#tokens.at(-1);
    if (token === undefined) throw new UnknownConstruct('no token');
    return token;
  }

  /** The comments in front of the next token, which the caller prints. */
  protected acceptComments(): readonly Comment[] {
    this.#accepted = this.#index;
    return this.token.comments;
  }

  protected next(): Token {
    const { token } = this;
    if (token.comments.length > 0 && this.#accepted !== this.#index) throw new UnknownConstruct('a comment');
    this.#index += 1;
    this.#token = this.lookAhead(0);
    return token;
  }

  /**
   * Reads something if it is there.
   *
   * @param read - Returns undefined, or throws, if it is not.
   */
  protected attempt<T>(read: () => T | undefined): T | undefined {
    const [index, accepted] = [this.#index, this.#accepted];
    try {
      const found = read();
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof UnknownConstruct)) throw error;
    }
    [this.#index, this.#accepted] = [index, accepted];
    this.#token = this.lookAhead(0);
    return undefined;
  }

  protected is(text: string): boolean {
    const { kind, text: own } = this.#token;
    return own === text && kind !== 'string' && kind !== 'template';
  }

  protected eat(text: string): boolean {
    if (!this.is(text)) return false;
    this.next();
    return true;
  }

  protected expect(text: string): void {
    if (!this.eat(text)) throw new UnknownConstruct(`${this.token.text} instead of ${text}`);
  }

  protected name(): string {
    if (this.token.kind !== 'name') throw new UnknownConstruct(`${this.token.text} instead of a name`);
    return this.next().text;
  }

  /** Reads a construct of a list, with the comments before it. */
  protected surrounded<T extends object>(read: () => T, separators: readonly string[]): T & Surroundings {
    const comments = this.acceptComments();
    if (comments.some(({ isBlock, endsLine, startsLine }) => !startsLine || (!endsLine && !isBlock)))
      throw new UnknownConstruct('a comment at the end of a line');
    const item = read();
    while (separators.some((text) => this.is(text))) this.next();
    // Faster than a copy.
    return Object.assign(item, { comments, beforeBlankLine: this.token.afterBlankLine });
  }

  /** Reads to a closing bracket. */
  protected list<T>(close: string, read: () => T): readonly T[] {
    const items: T[] = [];
    while (!this.eat(close)) {
      if (this.token.afterBlankLine) throw new UnknownConstruct('an empty line in a list');
      items.push(read());
      if (!this.is(close)) this.expect(',');
    }
    return items;
  }

  protected abstract parseExpression(): Expression;

  // Types

  protected parseType(): TypeNode {
    const check = this.#parseUnion();
    if (!this.eat('extends')) return check;
    const extended = this.#parseUnion();
    this.expect('?');
    const whenTrue = this.parseType();
    this.expect(':');
    return { type: 'ConditionalType', check, extended, whenTrue, whenFalse: this.parseType() };
  }

  #parseUnion(): TypeNode {
    return this.#parseOperands('|', () => this.#parseOperands('&', () => this.#parseOperator()));
  }

  #parseOperands(operator: '|' | '&', read: () => TypeNode): TypeNode {
    this.eat(operator);
    const first = read();
    if (!this.is(operator)) return first;
    const types = [first];
    while (this.eat(operator)) types.push(read());
    const type = operator === '|' ? 'UnionType' : 'IntersectionType';
    if (types.some((item) => item.type === type)) throw new UnknownConstruct('a union in a union');
    return { type, types };
  }

  #parseOperator(): TypeNode {
    const { text, kind } = this.token;
    if (kind === 'name' && (text === 'keyof' || text === 'readonly' || text === 'unique')) {
      this.next();
      return { type: 'TypeOperator', operator: text, element: this.#parseOperator() };
    }
    if (kind === 'name' && text === 'infer') {
      this.next();
      return { type: 'InferType', name: this.name() };
    }
    return this.#parsePostfix();
  }

  #parsePostfix(): TypeNode {
    let type = this.#parsePrimary();
    while (this.is('[') && !this.token.afterLineBreak) {
      this.next();
      if (this.eat(']')) type = { type: 'ArrayType', element: type };
      else {
        const index = this.parseType();
        this.expect(']');
        type = { type: 'IndexedAccess', object: type, index };
      }
    }
    return type;
  }

  #parsePrimary(): TypeNode {
    const { kind, text } = this.token;
    if (kind === 'string') return { type: 'LiteralType', text: this.next().text, isString: true };
    if (kind === 'number') return { type: 'LiteralType', text: this.next().text, isString: false };
    if (kind === 'template') return { type: 'TemplateType', text: this.next().text };
    if (text === '-' && this.lookAhead(1).kind === 'number') {
      this.next();
      return { type: 'LiteralType', text: `-${this.next().text}`, isString: false };
    }
    if (text === '(' || text === '<') return this.#parseParentheses();
    if (text === '[') return this.#parseTuple();
    if (text === '{') return this.#parseBraces();
    if (text === 'typeof') {
      this.next();
      return { type: 'TypeQuery', name: this.#qualifiedName() };
    }
    if (text === 'true' || text === 'false') return { type: 'LiteralType', text: this.next().text, isString: false };
    if (text === 'this') {
      this.next();
      return { type: 'ThisType' };
    }
    if (KEYWORD_TYPES.has(text)) return { type: 'Keyword', name: this.next().text };
    if (kind !== 'name' || ['new', 'import', 'asserts', 'abstract'].includes(text))
      throw new UnknownConstruct(`the type ${text}`);
    return this.parseReference();
  }

  protected parseReference(): Extract<TypeNode, { type: 'TypeReference' }> {
    const name = this.#qualifiedName();
    const hasArguments = this.is('<') && !this.token.afterLineBreak;
    return { type: 'TypeReference', name, typeArguments: hasArguments ? this.parseTypeArguments() : undefined };
  }

  #qualifiedName(): string {
    let name = this.name();
    while (this.eat('.')) name += `.${this.name()}`;
    return name;
  }

  protected parseTypeArguments(): readonly TypeNode[] {
    this.expect('<');
    return this.list('>', () => this.parseType());
  }

  /** A type in parentheses, or that of a function. */
  #parseParentheses(): TypeNode {
    if (this.is('<') || this.#isFunctionType()) {
      const signature = this.parseSignature('=>');
      return { type: 'FunctionType', ...signature } satisfies FunctionType;
    }
    this.expect('(');
    const type = this.parseType();
    this.expect(')');
    return type;
  }

  #isFunctionType(): boolean {
    const [first, second] = [this.lookAhead(1), this.lookAhead(2)];
    if (first.text === ')' || first.text === '...') return true;
    if (first.text === '{' || first.text === '[') return this.#isArrowAfterParentheses();
    return first.kind === 'name' && (second.text === ':' || second.text === ',' || second.text === '?');
  }

  /** Whether the parentheses that open here have an arrow after them. */
  #isArrowAfterParentheses(): boolean {
    return this.lookAhead(this.closingIndex(0) + 1).text === '=>';
  }

  /** How many tokens ahead the bracket closes that opens some tokens ahead. */
  protected closingIndex(from: number): number {
    let depth = 0;
    for (let index = from; ; index += 1) {
      const token = this.lookAhead(index);
      if (token.kind === 'end') throw new UnknownConstruct('a bracket that does not close');
      if (token.kind !== 'punctuator') continue;
      if ('([{'.includes(token.text)) depth += 1;
      if (')]}'.includes(token.text)) depth -= 1;
      if (depth === 0) return index;
    }
  }

  #parseTuple(): TypeNode {
    this.expect('[');
    const elements = this.list(']', (): TypeNode => {
      if (this.eat('...')) return { type: 'RestType', element: this.parseType() };
      const [after, second] = [this.lookAhead(1), this.lookAhead(2)];
      if (this.token.kind === 'name' && (after.text === ':' || (after.text === '?' && second.text === ':'))) {
        const label = this.name();
        const isOptional = this.eat('?');
        this.expect(':');
        return { type: 'NamedTupleMember', label, isOptional, element: this.parseType() };
      }
      const element = this.parseType();
      return this.eat('?') ? { type: 'OptionalType', element } : element;
    });
    return { type: 'TupleType', elements };
  }

  #parseBraces(): TypeNode {
    const isMapped =
      this.lookAhead(1).text === '-' ||
      (this.lookAhead(1).text === 'readonly' && this.lookAhead(2).text === '[' && this.lookAhead(4).text === 'in') ||
      (this.lookAhead(1).text === '[' && this.lookAhead(3).text === 'in');
    if (isMapped) return this.#parseMapped();
    this.expect('{');
    const isBroken = this.isBrokenAfterBrace();
    return { type: 'ObjectType', members: this.parseMembers(), isBroken };
  }

  /** Whether a line break is between the brace before the next token and that token. */
  protected isBrokenAfterBrace(): boolean {
    return this.token.afterLineBreak;
  }

  /** Members up to the closing brace. */
  protected parseMembers(): readonly TypeMember[] {
    const members: TypeMember[] = [];
    while (!this.is('}')) members.push(this.surrounded(() => this.#parseMember(), [';', ',']));
    this.next();
    return members;
  }

  #parseMember(): DistributiveOmit<TypeMember> {
    const isReadonly = this.is('readonly') && !this.#isNameEnd(this.lookAhead(1));
    if (isReadonly) this.next();
    if (this.is('[')) {
      if (this.lookAhead(1).kind !== 'name' || this.lookAhead(2).text !== ':')
        throw new UnknownConstruct('a computed member of a type');
      this.next();
      const name = this.name();
      this.expect(':');
      const index = this.parseType();
      this.expect(']');
      this.expect(':');
      return { type: 'IndexSignature', isReadonly, name, index, annotation: this.parseType() };
    }
    if ((this.is('get') || this.is('set') || this.is('new')) && !this.#isNameEnd(this.lookAhead(1)))
      throw new UnknownConstruct('an accessor');
    const key = this.parseKey();
    const isOptional = this.eat('?');
    if (this.is('(') || this.is('<')) {
      if (isReadonly) throw new UnknownConstruct('a readonly method');
      return { type: 'MethodSignature', key, isOptional, ...this.parseSignature(':') };
    }
    return {
      type: 'PropertySignature',
      isReadonly,
      key,
      isOptional,
      annotation: this.eat(':') ? this.parseType() : undefined,
    };
  }

  #isNameEnd({ text }: Token): boolean {
    return [':', '?', '(', '<', ';', ',', '}'].includes(text);
  }

  protected parseKey(): Key {
    const { kind, text } = this.token;
    if (kind === 'name' || kind === 'string' || kind === 'number') {
      this.next();
      return { type: kind, text };
    }
    this.expect('[');
    const value = this.parseExpression();
    this.expect(']');
    return { type: 'computed', value };
  }

  #parseMapped(): MappedType {
    this.expect('{');
    const isBroken = this.isBrokenAfterBrace();
    const readonlyModifier = this.#modifier('readonly');
    this.expect('[');
    const key = this.name();
    this.expect('in');
    const constraint = this.parseType();
    const nameType = this.eat('as') ? this.parseType() : undefined;
    this.expect(']');
    const optionalModifier = this.#modifier('?');
    const value = this.eat(':') ? this.parseType() : undefined;
    this.eat(';');
    this.expect('}');
    return { type: 'MappedType', isBroken, readonlyModifier, key, constraint, nameType, optionalModifier, value };
  }

  #modifier(word: string): string | undefined {
    const sign = this.is('-') || this.is('+') ? this.next().text : '';
    if (!this.eat(word)) {
      if (sign !== '') throw new UnknownConstruct('a sign');
      return undefined;
    }
    return sign + word;
  }

  // Signatures

  /** Type parameters, parameters and the result, which is after a colon or an arrow. */
  protected parseSignature(before: ':' | '=>'): Signature {
    const typeParameters = this.is('<') ? this.parseTypeParameters() : undefined;
    this.expect('(');
    const parameters = this.list(')', () => this.parseParameter());
    const returnType = this.eat(before) ? this.#parseReturnType() : undefined;
    if (before === '=>' && returnType === undefined) throw new UnknownConstruct('a function without a result');
    return { typeParameters, parameters, returnType };
  }

  #parseReturnType(): TypeNode {
    if (this.token.kind === 'name' && this.lookAhead(1).text === 'is' && !this.lookAhead(1).afterLineBreak) {
      const name = this.name();
      this.expect('is');
      return { type: 'TypePredicate', name, asserted: this.parseType() };
    }
    return this.parseType();
  }

  protected parseTypeParameters(): readonly TypeParameter[] {
    this.expect('<');
    return this.list('>', () => {
      const isConst = this.eat('const');
      const name = this.name();
      const constraint = this.eat('extends') ? this.parseType() : undefined;
      return { isConst, name, constraint, byDefault: this.eat('=') ? this.parseType() : undefined };
    });
  }

  protected parseParameter(): Parameter {
    const isRest = this.eat('...');
    const pattern = this.parsePattern();
    const isOptional = this.eat('?');
    const annotation = this.eat(':') ? this.parseType() : undefined;
    return { pattern, isRest, isOptional, annotation, byDefault: this.eat('=') ? this.parseExpression() : undefined };
  }

  protected parsePattern(): Pattern {
    if (this.eat('{')) return { type: 'ObjectPattern', items: this.list('}', () => this.#parsePatternItem()) };
    if (this.eat('[')) return { type: 'ArrayPattern', items: this.list(']', () => ({ name: this.name() })) };
    return { type: 'Identifier', name: this.name() };
  }

  #parsePatternItem(): PatternItem {
    if (this.eat('...')) return { name: `...${this.name()}` };
    const key = this.name();
    const name = this.eat(':') ? `${key}: ${this.name()}` : key;
    return this.eat('=') ? { name, byDefault: this.parseExpression() } : { name };
  }
}

/** A member without its surroundings. */
type DistributiveOmit<T> = T extends Surroundings ? Omit<T, keyof Surroundings> : never;

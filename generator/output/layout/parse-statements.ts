/** Parses statements and declarations. */
import { ExpressionParser } from './parse-expressions.js';
import type {
  Block,
  ClassMember,
  FunctionDeclaration,
  Method,
  Statement,
  StatementNode,
  SwitchCase,
  TypeNode,
  TypeReference,
  Variable,
} from './syntax.js';
import { UnknownConstruct, type Comment } from './tokens.js';

/** A piece of generated code. */
export interface Program {
  readonly body: readonly Statement[];
  /** Comments without a statement after them. */
  readonly comments: readonly Comment[];
}

/**
 * Parses a piece of code.
 *
 * @throws {@link UnknownConstruct} if the layout does not know all of it.
 */
export function parseProgram(code: string): Program {
  return new StatementParser(code).parseProgram();
}

class StatementParser extends ExpressionParser {
  parseProgram(): Program {
    const body: Statement[] = [];
    while (this.token.kind !== 'end') body.push(this.#parseStatement());
    const comments = body.length === 0 ? this.acceptComments() : [];
    this.next();
    return { body, comments };
  }

  /** A whole text as one type. */
  parseWholeType(): TypeNode {
    const type = this.parseType();
    if (this.token.kind !== 'end') throw new UnknownConstruct('more than a type');
    return type;
  }

  protected override forCode(code: string): ExpressionParser {
    return new StatementParser(code);
  }

  #parseStatement(): Statement {
    return this.surrounded(() => this.#parseNode(), []);
  }

  protected override parseBlock(): Block {
    this.expect('{');
    const body: Statement[] = [];
    while (!this.is('}')) body.push(this.#parseStatement());
    this.next();
    return { type: 'Block', body };
  }

  #parseNode(): StatementNode {
    const { kind, text } = this.token;
    const after = this.lookAhead(1);
    if (kind !== 'name') return text === '{' ? this.parseBlock() : this.#parseExpressionStatement();
    switch (text) {
      case 'import':
        return this.#parseModule('Import');
      case 'export':
        if (after.text === '{' || after.text === '*') return this.#parseModule('ExportFrom');
        if (after.text === 'type' && ['{', '*'].includes(this.lookAhead(2).text))
          return this.#parseModule('ExportFrom');
        this.next();
        return { type: 'Export', declaration: this.#parseDeclaration() };
      case 'return':
      case 'throw': {
        this.next();
        const hasNone = this.is(';') || this.is('}') || this.token.kind === 'end' || this.token.afterLineBreak;
        const argument = hasNone ? undefined : this.parseExpression();
        this.#endStatement();
        return { type: text === 'return' ? 'Return' : 'Throw', argument };
      }
      case 'if':
        return this.#parseIf();
      case 'switch':
        return this.#parseSwitch();
      case 'for':
        return this.#parseForOf();
      case 'try':
        return this.#parseTry();
      case 'break':
      case 'continue':
        this.next();
        this.#endStatement();
        return { type: 'Jump', keyword: text };
      default:
        return this.#attemptDeclaration() ?? this.#parseExpressionStatement();
    }
  }

  #endStatement(): void {
    if (this.eat(';') || this.is('}') || this.token.kind === 'end') return;
    if (!this.token.afterLineBreak) throw new UnknownConstruct(this.token.text);
  }

  #parseExpressionStatement(): StatementNode {
    if (this.token.kind === 'string' || this.is('(') || this.is('[') || this.is('`'))
      throw new UnknownConstruct('a statement that begins with a string or a bracket');
    const expression = this.parseExpression();
    this.#endStatement();
    return { type: 'ExpressionStatement', expression };
  }

  #parseDeclaration(): StatementNode {
    const found = this.#attemptDeclaration();
    if (found === undefined) throw new UnknownConstruct(`a declaration ${this.token.text}`);
    return found;
  }

  /** A declaration, if the next word begins one. */
  #attemptDeclaration(): StatementNode | undefined {
    const { text } = this.token;
    const after = this.lookAhead(1);
    switch (text) {
      case 'type':
        return after.kind === 'name' ? this.#parseTypeAlias() : undefined;
      case 'interface':
        return after.kind === 'name' ? this.#parseInterface() : undefined;
      case 'abstract':
      case 'class':
        return this.#parseClass();
      case 'async':
        return after.text === 'function' ? this.#parseFunction() : undefined;
      case 'function':
        return this.#parseFunction();
      case 'const':
      case 'let':
        return this.#parseVariable();
      default:
        return undefined;
    }
  }

  #parseModule(type: 'Import' | 'ExportFrom'): StatementNode {
    this.next();
    const isType = this.is('type') && this.lookAhead(1).text !== 'from';
    if (isType) this.next();
    let namespace: string | undefined;
    let names: readonly string[] = [];
    if (this.eat('*')) namespace = this.eat('as') ? `* as ${this.name()}` : '*';
    else {
      this.expect('{');
      names = this.list('}', () => {
        const first = this.name();
        const second = first === 'type' && this.token.kind === 'name' && !this.is('as') ? ` ${this.name()}` : '';
        return `${first}${second}${this.eat('as') ? ` as ${this.name()}` : ''}`;
      });
    }
    const source = this.eat('from') ? this.#moduleSource() : undefined;
    if (source === undefined && (type === 'Import' || namespace !== undefined))
      throw new UnknownConstruct('an import without a module');
    this.#endStatement();
    return { type, isType, namespace, names, source };
  }

  #moduleSource(): string {
    if (this.token.kind !== 'string') throw new UnknownConstruct('the name of a module');
    return this.next().text;
  }

  #parseTypeAlias(): StatementNode {
    this.expect('type');
    const name = this.name();
    const typeParameters = this.is('<') ? this.parseTypeParameters() : undefined;
    this.expect('=');
    const value = this.parseType();
    this.#endStatement();
    return { type: 'TypeAlias', name, typeParameters, value };
  }

  #parseInterface(): StatementNode {
    this.expect('interface');
    const head = this.#parseHead();
    return { type: 'Interface', isAbstract: false, ...head, members: this.parseMembers(), methods: [] };
  }

  #parseClass(): StatementNode {
    const isAbstract = this.eat('abstract');
    this.expect('class');
    const head = this.#parseHead();
    const methods: ClassMember[] = [];
    while (!this.is('}')) methods.push(this.surrounded(() => this.#parseMethod(), []));
    this.next();
    return { type: 'Class', isAbstract, ...head, members: [], methods };
  }

  /** The name of a class or an interface, up to its opening brace. */
  #parseHead(): Pick<Extract<StatementNode, { type: 'Interface' | 'Class' }>, 'name' | 'typeParameters' | 'extended'> {
    const name = this.name();
    const typeParameters = this.is('<') ? this.parseTypeParameters() : undefined;
    const extended: TypeReference[] = [];
    if (this.eat('extends')) {
      do {
        extended.push(this.parseReference());
      } while (this.eat(','));
    }
    if (extended.some((type) => type.name.includes('.'))) throw new UnknownConstruct('a qualified name after extends');
    this.expect('{');
    return { name, typeParameters, extended };
  }

  #parseMethod(): Method {
    const modifiers: string[] = [];
    while (this.token.kind === 'name' && !['(', '<', '?', '=', ':', ';'].includes(this.lookAhead(1).text)) {
      if (!['public', 'protected', 'private', 'static', 'override', 'async'].includes(this.token.text)) break;
      modifiers.push(this.next().text);
    }
    const key = this.parseKey();
    if (!this.is('(') && !this.is('<')) throw new UnknownConstruct('a member of a class');
    const signature = this.parseSignature(':');
    const body = this.eat(';') ? undefined : this.parseBlock();
    return { type: 'Method', modifiers, key, isOptional: false, ...signature, body };
  }

  #parseFunction(): FunctionDeclaration {
    const isAsync = this.eat('async');
    this.expect('function');
    const name = this.name();
    return { type: 'Function', isAsync, name, ...this.parseSignature(':'), body: this.parseBlock() };
  }

  #parseVariable(): Variable {
    const keyword = this.next().text;
    const pattern = this.parsePattern();
    const annotation = this.eat(':') ? this.parseType() : undefined;
    let valueComments: readonly Comment[] = [];
    let value: Variable['value'];
    if (this.eat('=')) {
      valueComments = this.acceptComments();
      if (valueComments.some(({ isBlock, endsLine, text }) => !isBlock || endsLine || text.includes('\n')))
        throw new UnknownConstruct('a comment in front of a value');
      value = this.parseExpression();
      if (valueComments.length > 0 && value.type !== 'Call' && value.type !== 'New')
        throw new UnknownConstruct('a comment in front of a value');
    }
    this.#endStatement();
    return { type: 'Variable', keyword, pattern, annotation, valueComments, value };
  }

  #parseIf(): StatementNode {
    this.expect('if');
    this.expect('(');
    const test = this.parseExpression();
    this.expect(')');
    const whenTrue = this.#parseBody();
    return { type: 'If', test, whenTrue, whenFalse: this.eat('else') ? this.#parseBody() : undefined };
  }

  /** The statement of a condition or a loop. */
  #parseBody(): Statement {
    if (this.token.comments.length > 0) throw new UnknownConstruct('a comment in front of a body');
    return this.#parseStatement();
  }

  #parseSwitch(): StatementNode {
    this.expect('switch');
    this.expect('(');
    const value = this.parseExpression();
    this.expect(')');
    this.expect('{');
    const cases: SwitchCase[] = [];
    while (!this.is('}')) cases.push(this.surrounded(() => this.#parseCase(), []));
    this.next();
    return { type: 'Switch', value, cases };
  }

  #parseCase(): Omit<SwitchCase, 'comments' | 'beforeBlankLine'> {
    const isDefault = this.eat('default');
    if (!isDefault) this.expect('case');
    const test = isDefault ? undefined : this.parseExpression();
    this.expect(':');
    const body: Statement[] = [];
    while (!this.is('case') && !this.is('default') && !this.is('}')) body.push(this.#parseStatement());
    return { test, body };
  }

  #parseTry(): StatementNode {
    this.expect('try');
    const block = this.parseBlock();
    this.expect('catch');
    const hasName = this.eat('(');
    const name = hasName ? this.name() : undefined;
    if (hasName) this.expect(')');
    const handler = this.parseBlock();
    if (this.is('finally')) throw new UnknownConstruct('finally');
    return { type: 'Try', block, name, handler };
  }

  #parseForOf(): StatementNode {
    this.expect('for');
    const isAwait = this.eat('await');
    this.expect('(');
    if (!this.is('const') && !this.is('let')) throw new UnknownConstruct('a loop');
    const keyword = this.next().text;
    const pattern = this.parsePattern();
    this.expect('of');
    const value = this.parseExpression();
    this.expect(')');
    return { type: 'ForOf', isAwait, keyword, pattern, value, body: this.#parseBody() };
  }
}

/**
 * Splits a template type into its texts and types.
 *
 * @throws {@link UnknownConstruct} if the layout does not know it.
 */
export function parseTemplateType(template: string): {
  readonly texts: readonly string[];
  readonly types: readonly TypeNode[];
} {
  const texts = template.slice(1, -1).split(/\$\{[^{}`"'\\]*\}/);
  const codes = [...template.matchAll(/\$\{([^{}`"'\\]*)\}/g)].map(([, code = '']) => code);
  if (/[\\\n]/.test(template) || texts.some((text) => text.includes('${')))
    throw new UnknownConstruct('a template type');
  return { texts, types: codes.map((code) => new StatementParser(code).parseWholeType()) };
}

/** Prettier's default line width. */
const PRINT_WIDTH = 80;

const ATOM = String.raw`(?:"[^"'\\]*"|-?\d+(?:\.\d+)?|[A-Za-z_$][\w$]*)`;
const ITEM = String.raw`(?:${ATOM}|\(${ATOM}(?: \| ${ATOM})+\)\[\]|\{ \[key: string\]: ${ATOM} \})(?:\[\])*`;
const UNION = String.raw`${ITEM}(?: \| ${ITEM})*`;
/** The name of a member: quoted only if necessary. */
const KEY = String.raw`(?:[A-Za-z_$][\w$]*|"[^"'\\\d][^"'\\]*")`;

const MODULE_LINE = /^(?:import|export)(?: type)? (?:\* as [\w$]+|\*|\{ [\w$, ]+ \}) from "[^"'\\]+";$/;
const GENERICS = String.raw`(?:<[\w$]+(?: extends \w+)?(?:, [\w$]+(?: extends \w+)?)*>)?`;
const BEGIN_TYPE = new RegExp(String.raw`^export type [\w$]+${GENERICS} = \{$`);
const WHOLE_TYPE = new RegExp(String.raw`^export type [\w$]+ = ${UNION};$`);
const BEGIN_MEMBER = new RegExp(String.raw`^${KEY}\??: \{$`);
const END_MEMBER = /^\}(?:\[\])*;$/;
const MEMBER = new RegExp(String.raw`^((?:${KEY}\??|\[key: string\]):) (${UNION});$`);
const BEGIN_FUNCTION = new RegExp(
  String.raw`^((?:export )?function [\w$]+${GENERICS}\()([\w$]+: [\w.]+${GENERICS})(\): (?:boolean|value is [\w$]+|[\w$]+${GENERICS}) \{)$`,
);
/** A function member that returns a promise: its name, parameters and result. */
const METHOD =
  /^((?:readonly )?[\w$]+: \()([\w$]+\??: [\w$<>, ]+(?:, [\w$]+\??: [\w$<>, ]+)*)(\) => Promise<[\w$<>, ]+>;)$/;
/** A member whose value is a function with a single call. */
const DELEGATE = /^([\w$]+: \([\w$, ]+\) =>) ([\w$]+\(.*\)),$/;
const CONSTANT = /^(export const [\w$]+: [\w.]+<[\w$]+> =) (\/\* @__PURE__ \*\/ check\.\w+\([\w$]+\);)$/;

/**
 * Formats a piece of generated code like Prettier's defaults, for the most common forms: types whose members fit on a
 * line, functions that return one chain of checks, and constants made by a call. Prettier takes about a hundred times
 * as long, which matters for thousands of tools.
 *
 * @returns Undefined if it has another form, which Prettier must format.
 */
export function formatSimple(piece: string): string | undefined {
  const lines = piece.trimEnd().split('\n');
  const out: string[] = [];
  let start = formatComment(lines, 0, '', out);
  if (start === undefined) return undefined;
  while (start < lines.length && /^\/(?:\/|\*.*\*\/$)/.test(lines[start] ?? '')) {
    out.push((lines[start] ?? '').trimEnd());
    start += 1;
  }
  const rest = lines.slice(start);
  if (rest.length === 0) return out.join('\n');
  const code = formatModuleLines(rest) ?? formatType(rest) ?? formatConstant(rest) ?? formatFunction(rest);
  return code === undefined ? undefined : [...out, ...code].join('\n');
}

/** Indents a block comment that begins at a line. Returns where it ends; undefined if it does not. */
function formatComment(lines: readonly string[], start: number, indent: string, out: string[]): number | undefined {
  if (lines[start]?.startsWith('/**') !== true) return start;
  for (let index = start; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trim();
    if (index > start && !line.startsWith('*')) return undefined;
    out.push(index === start ? indent + line : `${indent} ${line}`);
    if (line.endsWith('*/')) return index + 1;
  }
  return undefined;
}

function fits(line: string): boolean {
  return line.length <= PRINT_WIDTH;
}

function formatModuleLines(lines: readonly string[]): readonly string[] | undefined {
  if (!lines.every((line) => MODULE_LINE.test(line))) return undefined;
  return lines.flatMap((line) => {
    const names = /\{ (.*) \}/.exec(line)?.[1]?.split(', ') ?? [];
    // Prettier never moves a single name to its own line.
    if (fits(line) || names.length < 2) return [line];
    const [head = '', tail = ''] = line.split(/\{.*\}/);
    return [`${head}{`, ...names.map((name) => `  ${name},`), `}${tail}`];
  });
}

function formatConstant(lines: readonly string[]): readonly string[] | undefined {
  const [only = '', second] = lines;
  const match = second === undefined ? CONSTANT.exec(only) : null;
  if (match === null) return undefined;
  if (fits(only)) return [only];
  const [, head = '', value = ''] = match;
  return fits(`  ${value}`) ? [head, `  ${value}`] : undefined;
}

function formatType(lines: readonly string[]): readonly string[] | undefined {
  const [first = ''] = lines;
  if (lines.length === 1) return fits(first) && WHOLE_TYPE.test(first) ? lines : undefined;
  if (!BEGIN_TYPE.test(first) || !fits(first) || lines.at(-1) !== '};') return undefined;
  const out = [first];
  let indent = '  ';
  for (let index = 1; index < lines.length - 1; index += 1) {
    const end = formatComment(lines, index, indent, out);
    if (end === undefined) return undefined;
    if (end > index) {
      index = end - 1;
      continue;
    }
    const line = lines[index] ?? '';
    if (END_MEMBER.test(line)) {
      indent = indent.slice(2);
      if (indent === '') return undefined;
      out.push(indent + line);
      continue;
    }
    const member = MEMBER.exec(line) ?? METHOD.exec(line);
    if (!fits(indent + line)) {
      const broken = member === null ? undefined : breakMember(member, indent);
      if (broken === undefined) return undefined;
      out.push(...broken);
    } else if (member !== null) out.push(indent + line);
    else if (BEGIN_MEMBER.test(line)) {
      out.push(indent + line);
      indent += '  ';
    } else return undefined;
  }
  return indent === '  ' ? [...out, '};'] : undefined;
}

/** Formats a member that does not fit on a line. */
function breakMember(
  [, first = '', second = '', third]: RegExpExecArray,
  indent: string,
): readonly string[] | undefined {
  if (third === undefined) return breakUnion(first, second, indent);
  const parameters = second.split(/, (?=[\w$]+\??: )/);
  const lines = [indent + first, ...parameters.map((one) => `${indent}  ${one},`), indent + third];
  return lines.every(fits) ? lines : undefined;
}

/** A union of constants that does not fit goes onto the next line, or has a line for each constant. */
function breakUnion(key: string, union: string, indent: string): readonly string[] | undefined {
  const parts = union.split(' | ');
  if (parts.length < 2 || !parts.every((part) => /^"[^"]*"$/.test(part))) return undefined;
  const below = `${indent}  ${union};`;
  const lines = fits(below)
    ? [indent + key, below]
    : [indent + key, ...parts.map((part, index) => `${indent}  | ${part}${index === parts.length - 1 ? ';' : ''}`)];
  return lines.every(fits) ? lines : undefined;
}

function formatFunction(lines: readonly string[]): readonly string[] | undefined {
  const [first = '', statement = ''] = lines;
  const signature = BEGIN_FUNCTION.exec(first);
  if (lines.length < 3 || lines.at(-1) !== '}' || signature === null) return undefined;
  const [, name = '', parameter = '', result = ''] = signature;
  const head = fits(first) ? [first] : [name, `  ${parameter},`, result];
  const body = lines.length === 3 ? formatReturn(statement) : formatDelegates(lines.slice(1, -1));
  return body === undefined || !head.every(fits) ? undefined : [...head, ...body, '}'];
}

/** `return { ... };` with members that each call another function. */
function formatDelegates(lines: readonly string[]): readonly string[] | undefined {
  if (lines[0]?.trim() !== 'return {' || lines.at(-1)?.trim() !== '};') return undefined;
  const out = ['  return {'];
  for (const line of lines.slice(1, -1)) {
    const [, head = '', call = ''] = DELEGATE.exec(line) ?? [];
    if (!isCall(call) || /['\\`]|[^\x20-\x7e]/.test(line)) return undefined;
    if (fits(`    ${line}`)) out.push(`    ${line}`);
    else {
      const below = `      ${call},`;
      const broken = fits(below) ? [below] : breakCall(call, '      ', ',');
      if (broken === undefined || !fits(`    ${head}`)) return undefined;
      out.push(`    ${head}`, ...broken);
    }
  }
  return [...out, '  };'];
}

/** `return A && B;`, `return A || B;` or `return (A && B) || C;` with operands of a few forms. */
function formatReturn(statement: string): readonly string[] | undefined {
  // Quotes and numbers that Prettier may change, and characters whose width differs from their length.
  if (/['\\`]|\d[eE]|[^\x20-\x7e]/.test(statement) || !/^return .*;$/.test(statement)) return undefined;
  const expression = statement.slice('return '.length, -1);
  const alternatives = splitOperands(expression, ' || ');
  const [first = '', second = ''] = alternatives ?? [];
  const inner = first.startsWith('(') && first.endsWith(')') ? splitOperands(first.slice(1, -1), ' && ') : undefined;
  if (alternatives?.length === 2 && inner !== undefined && inner.length > 1) {
    if (!inner.every(isOperand) || !isCall(second)) return undefined;
    if (fits(`  ${statement}`)) return [`  ${statement}`];
    if (fits(`    ${expression}`)) return ['  return (', `    ${expression}`, '  );'];
    const lines = fits(`    ${first} ||`)
      ? [`    ${first} ||`]
      : openLines(breakChain(inner, '      ', '&&', ') ||'), '    ', ' ||');
    return lines === undefined || !fits(`    ${second}`)
      ? undefined
      : ['  return (', ...lines, `    ${second}`, '  );'];
  }
  const operator = alternatives !== undefined && alternatives.length > 1 ? '||' : '&&';
  const parts = operator === '||' ? alternatives : splitOperands(expression, ' && ');
  const isRight = operator === '||' ? isAlternative : isOperand;
  if (!parts?.every(isRight)) return undefined;
  if (parts.length > 1) {
    if (fits(`  ${statement}`)) return [`  ${statement}`];
    if (fits(`    ${expression}`)) return ['  return (', `    ${expression}`, '  );'];
    const lines = breakChain(parts, '    ', operator);
    return lines === undefined ? undefined : ['  return (', ...lines, '  );'];
  }
  if (!isCall(expression)) return undefined;
  if (fits(`  ${statement}`)) return [`  ${statement}`];
  return breakCall(`return ${expression}`, '  ', ';');
}

/** A call with a line for each argument; undefined if Prettier formats it differently. */
function breakCall(text: string, indent: string, end: string): readonly string[] | undefined {
  const call = /^((?:return )?[\w$.]+\()(.*)\)$/.exec(text);
  const list = splitOperands(call?.[2] ?? '', ', ');
  // Prettier begins an object that is the last argument on the line of the call.
  if (call?.[1] === undefined || list === undefined || list.at(-1)?.startsWith('{') === true) return undefined;
  const lines = [indent + call[1], ...list.map((item) => `${indent}  ${item},`), `${indent})${end}`];
  return lines.every(fits) ? lines : undefined;
}

/**
 * Puts each operand with its operator on its own line; undefined if one does not fit.
 *
 * @param tail - The text after the last one if the chain is in parentheses; then the first operand is one column to the
 *   left of the others, after the parenthesis.
 */
function breakChain(
  parts: readonly string[],
  indent: string,
  operator: string,
  tail = '',
): readonly string[] | undefined {
  const lines: string[] = [];
  for (const [index, part] of parts.entries()) {
    const end = index === parts.length - 1 ? '' : ` ${operator}`;
    const isFirst = index === 0 && tail !== '';
    if (fits(`${isFirst ? indent.slice(1) : indent}${part}${end || tail}`)) {
      lines.push(indent + part + end);
      continue;
    }
    if (isFirst) return undefined;
    const split = part.startsWith('(') ? breakGroup(part.slice(1, -1), indent, end) : breakCall(part, indent, end);
    if (split === undefined) return undefined;
    lines.push(...split);
  }
  return lines;
}

function breakGroup(inside: string, indent: string, end: string): readonly string[] | undefined {
  const alternatives = splitOperands(inside, ' || ');
  const isAny = alternatives !== undefined && alternatives.length > 1;
  const parts = isAny ? alternatives : splitOperands(inside, ' && ');
  return parts === undefined
    ? undefined
    : openLines(breakChain(parts, `${indent}  `, isAny ? '||' : '&&', `)${end}`), indent, end);
}

/** Lines in parentheses: the first one begins at the indent of the parentheses. */
function openLines(lines: readonly string[] | undefined, indent: string, end: string): readonly string[] | undefined {
  if (lines === undefined) return undefined;
  const whole = lines.map(
    (line, index) =>
      (index === 0 ? `${indent}(${line.trimStart()}` : line) + (index === lines.length - 1 ? `)${end}` : ''),
  );
  return whole.every(fits) ? whole : undefined;
}

const VALUE = String.raw`(?:value|value\["[^"]*"\]|check\.own\(value, "[^"]*"\))`;
const LIMITS = String.raw`\{ [a-z]+: -?\d+(?:\.\d+)?(?:, [a-z]+: -?\d+(?:\.\d+)?)* \}`;
const TEXTS = String.raw`\["[^"]*"(?:, "[^"]*")*\]`;
const ARGUMENT = String.raw`(?:${VALUE}|args \?\? \{\}|${TEXTS}|${ATOM}|check\.\w+|[\w$]+\(value\)|${LIMITS})`;
const COMPARISON = new RegExp(String.raw`^(?:${VALUE}|typeof value) === ${ATOM}$`);
const CALL = new RegExp(String.raw`^(?:check\.|Number\.)?[A-Za-z_$][\w$]*\(${ARGUMENT}(?:, ${ARGUMENT})*\)$`);

function isCall(text: string): boolean {
  return CALL.test(text);
}

/** Whether an operand of `||` is a call, a comparison, or `(A && B)` of calls. */
function isAlternative(text: string): boolean {
  if (isCall(text) || COMPARISON.test(text)) return true;
  const inner = text.startsWith('(') && text.endsWith(')') ? splitOperands(text.slice(1, -1), ' && ') : undefined;
  return inner !== undefined && inner.length > 1 && inner.every(isCall);
}

/** Whether an operand of `&&` is a call, or `(A || B)`. */
function isOperand(text: string): boolean {
  if (isCall(text)) return true;
  const inner = text.startsWith('(') && text.endsWith(')') ? splitOperands(text.slice(1, -1), ' || ') : undefined;
  return inner !== undefined && inner.length > 1 && inner.every(isAlternative);
}

/** The operands of an operator outside brackets and strings; undefined if brackets are unbalanced. */
function splitOperands(text: string, operator: string): readonly string[] | undefined {
  const found: string[] = [];
  let start = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') {
      index = text.indexOf('"', index + 1);
      if (index === -1) return undefined;
    } else if (character === '(' || character === '[' || character === '{') depth += 1;
    else if (character === ')' || character === ']' || character === '}') depth -= 1;
    else if (depth === 0 && text.startsWith(operator, index)) {
      found.push(text.slice(start, index));
      start = index + operator.length;
      index = start - 1;
    }
  }
  return depth === 0 ? [...found, text.slice(start)] : undefined;
}

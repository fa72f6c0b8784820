/**
 * URI templates of resources: the part of RFC 6570 that can be matched unambiguously, `{name}` for one path segment and
 * `{+name}` for any number.
 */

/** A variable of a template. */
export interface UriVariable {
  readonly name: string;
  /** Whether its value may contain reserved characters (RFC 6570, section 3.2.3). */
  readonly isReserved: boolean;
  /** The text up to the next variable. */
  readonly after: string;
}

/** A template, parsed. */
export interface UriTemplate {
  /** The text before the first variable. */
  readonly start: string;
  readonly variables: readonly UriVariable[];
}

/** A template that is not supported; the message has the position. */
export class UriTemplateError extends TypeError {
  override readonly name = "UriTemplateError";

  /** @param index - Where the error begins in the template, from 0. */
  constructor(template: string, reason: string, index: number) {
    super(
      `the URI template ${template} is not supported: ${reason}, at character ${index + 1}`,
    );
  }
}

const EXPRESSION = /\{(\+?)([A-Za-z_]\w*)\}/g;

/**
 * Parses a URI template.
 *
 * @throws {@link UriTemplateError} if it has expressions other than `{name}` and `{+name}`, or two without text in
 *   between.
 */
export function parseUriTemplate(template: string): UriTemplate {
  const found = [...template.matchAll(EXPRESSION)];
  const start = literalText(template, 0, found[0]?.index);
  const variables = found.map((expression, position): UriVariable => {
    const end = expression.index + expression[0].length;
    const after = literalText(template, end, found[position + 1]?.index);
    if (after === "" && position < found.length - 1)
      throw new UriTemplateError(
        template,
        "two variables need a text between them",
        end,
      );
    return {
      name: expression[2] ?? "",
      isReserved: expression[1] === "+",
      after,
    };
  });
  return { start, variables };
}

function literalText(template: string, from: number, to?: number): string {
  const text = template.slice(from, to);
  const brace = text.search(/[{}]/);
  if (brace === -1) return text;
  throw new UriTemplateError(
    template,
    "variables are written as {name} or {+name}",
    from + brace,
  );
}

/** Maximum of positions tried for the ends of a template's variables. */
const MAX_ATTEMPTS = 32;

/**
 * Reads the variables of a URI that matches a template, in a few passes over the URI. Values are decoded, and contain
 * no segment `.` or `..` and no NUL; a value of `{name}` contains no slash or backslash either.
 *
 * @returns Undefined if the URI does not match the template.
 */
export function matchUri(
  { start, variables }: UriTemplate,
  uri: string,
): Record<string, string> | undefined {
  const tail = variables.at(-1)?.after ?? "";
  if (!uri.startsWith(start) || !uri.endsWith(tail)) return undefined;
  let attempts = 0;
  const matchFrom = (
    index: number,
    from: number,
  ): [name: string, value: string][] | undefined => {
    const variable = variables[index];
    if (variable === undefined) return from === uri.length ? [] : undefined;
    const { name, isReserved, after } = variable;
    const isLast = index === variables.length - 1;
    // A reserved value may contain the text that follows the variable: it is as long as the rest allows.
    let end = isLast
      ? uri.length - after.length
      : isReserved
        ? uri.lastIndexOf(after)
        : uri.indexOf(after, from + 1);
    while (end > from && attempts < MAX_ATTEMPTS) {
      attempts += 1;
      const value = decodeValue(uri.slice(from, end), isReserved);
      const others =
        value === undefined
          ? undefined
          : matchFrom(index + 1, end + after.length);
      if (value !== undefined && others !== undefined)
        return [[name, value], ...others];
      if (isLast || !isReserved) return undefined;
      end = uri.lastIndexOf(after, end - 1);
    }
    return undefined;
  };
  const values = matchFrom(0, start.length);
  return values === undefined ? undefined : Object.fromEntries(values);
}

function decodeValue(value: string, isReserved: boolean): string | undefined {
  if (!isReserved && /[/?#]/.test(value)) return undefined;
  let decodedText: string;
  try {
    decodedText = decodeURIComponent(value);
  } catch {
    // A percent sign that does not begin an escape.
    return undefined;
  }
  // A handler that joins it to a folder's path must not leave that folder, however the value is escaped.
  const segments = decodedText.split(/[/\\]/);
  const escapesFolder =
    decodedText.includes("\0") ||
    segments.includes("..") ||
    segments.includes(".") ||
    (!isReserved && segments.length > 1);
  return escapesFolder ? undefined : decodedText;
}

import {
  parseUriTemplate,
  UriTemplateError,
  type UriTemplate,
} from '../../../generated/runtime/registry/uri-template.js';
import { McpgenError } from '../../errors.js';
import { parseSource } from './edits.js';

/** The URI of an existing resource. */
export interface UsedAddress {
  readonly uri: string;
  /** Its file, for messages. */
  readonly file: string;
}

/** Whether a URI is a URI template; a single brace counts as one. */
export function isTemplate(uri: string): boolean {
  return /[{}]/.test(uri);
}

/**
 * Rejects URIs with which a server could not start: templates that the runtime does not support, and URIs of another
 * resource. Templates that differ only in the names of variables are the same.
 *
 * @throws {@link McpgenError} with the place in the template, or the file of the other resource.
 */
export function refuseAddress(uri: string, taken: readonly UsedAddress[]): void {
  // RFC 3986, section 3: a URI begins with a scheme. A template may leave it to a variable.
  if (!/^(?:[a-z][a-z0-9+.-]*:|\{)/i.test(uri)) {
    throw new McpgenError(`${JSON.stringify(uri)} has no scheme, so it is not a URI`, {
      place: '--uri',
      remedy: 'Begin with one, as in notes://today.',
    });
  }
  let form: string;
  try {
    form = parseAddress(uri);
  } catch (error) {
    if (!(error instanceof UriTemplateError)) throw error;
    throw new McpgenError(error.message, {
      place: '--uri',
      remedy: 'Write {name} for one segment of the path and {+name} for any number, such as notes://{id}.',
      cause: error,
    });
  }
  const other = taken.find((one) => parseAddress(one.uri, true) === form);
  if (other === undefined) return;
  const message =
    other.uri === uri ? `the URI ${uri} is taken` : `${uri} matches the same URIs as ${other.uri}, which is taken`;
  throw new McpgenError(message, {
    place: other.file,
    remedy: 'Choose another with --uri.',
  });
}

/** A URI without the names of its variables: equal for templates that match the same URIs. */
function parseAddress(uri: string, isForeign = false): string {
  if (!isTemplate(uri)) return uri;
  let template: UriTemplate;
  try {
    template = parseUriTemplate(uri);
  } catch (error) {
    // The runtime does not support this template of the author, so it is compared as text.
    if (isForeign) return uri;
    throw error;
  }
  const { start, variables } = template;
  return start + variables.map(({ isReserved, after }) => `${isReserved ? '{+}' : '{}'}${after}`).join('');
}

/** A URI of a template, with a value for each variable. */
export function exampleAddress(uri: string): string {
  if (!isTemplate(uri)) return uri;
  const { start, variables } = parseUriTemplate(uri);
  return start + variables.map(({ after }) => `x${after}`).join('');
}

/** The URIs of resources in an author's file, if they are string literals. */
export async function findResourceAddresses(text: string): Promise<readonly string[]> {
  const parsed = await parseSource(text);
  if ('fault' in parsed) return [];
  const { tree, SyntaxKind } = parsed;
  return tree.getDescendantsOfKind(SyntaxKind.PropertyAssignment).flatMap((property) => {
    if (!['uri', 'uriTemplate'].includes(property.getName())) return [];
    const call = property.getParent().getParentIfKind(SyntaxKind.CallExpression);
    if (!/^defineResource(?:Template)?$/.test(call?.getExpression().getText() ?? '')) return [];
    const value = property.getInitializer();
    const literal = value?.asKind(SyntaxKind.StringLiteral) ?? value?.asKind(SyntaxKind.NoSubstitutionTemplateLiteral);
    return literal === undefined ? [] : [literal.getLiteralText()];
  });
}

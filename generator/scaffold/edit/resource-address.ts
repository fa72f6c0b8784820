import {
  parseUriTemplate,
  UriTemplateError,
  type UriTemplate,
} from '../../../generated/runtime/registry/uri-template.js';
import { McpgenError } from '../../errors.js';
import { parseSource } from './edits.js';

/** The address of a resource that is there already. */
export interface UsedAddress {
  readonly uri: string;
  /** The file that it is written in, as messages name it. */
  readonly file: string;
}

/** Whether an address is a template of addresses; a lone brace is meant for one. */
export function isTemplate(uri: string): boolean {
  return /[{}]/.test(uri);
}

/**
 * Refuses what a server could not start with: a template that the runtime does not support, and an address that another
 * resource has. Two templates are the same if they differ in the names of variables only.
 *
 * @throws {@link McpgenError} naming the place in the template, or the file that has the address.
 */
export function refuseAddress(uri: string, taken: readonly UsedAddress[]): void {
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

/** An address without the names of its variables: equal for all templates that match the same. */
function parseAddress(uri: string, isForeign = false): string {
  if (!isTemplate(uri)) return uri;
  let template: UriTemplate;
  try {
    template = parseUriTemplate(uri);
  } catch (error) {
    // What is there already is the author's: it can be compared as a text only.
    if (isForeign) return uri;
    throw error;
  }
  const { start, variables } = template;
  return start + variables.map(({ isReserved, after }) => `${isReserved ? '{+}' : '{}'}${after}`).join('');
}

/** An address of a template, with a value for each variable. */
export function exampleAddress(uri: string): string {
  if (!isTemplate(uri)) return uri;
  const { start, variables } = parseUriTemplate(uri);
  return start + variables.map(({ after }) => `x${after}`).join('');
}

/** The addresses that resources in an author's file have, as far as they are written there as texts. */
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

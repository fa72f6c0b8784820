/**
 * Builds the messages of methods whose schema has only params: the envelope of JSON-RPC 2.0 §4 with the method's name.
 */
import { McpgenError } from '../../errors.js';
import type { CatalogMethod, MessageKind, Traits } from '../../read/catalog.js';
import { compareText, formatPointer } from '../../read/json/json.js';
import { builtMessageName, sharedParams, type Definition, type Member, type TypeNode } from '../protocol.js';

/**
 * Adds the messages that a schema does not define.
 *
 * @throws {@link McpgenError} if a definition has the name of one.
 */
export function withBuiltMessages(
  definitions: readonly Definition[],
  methods: readonly (Pick<CatalogMethod, 'method'> & Partial<CatalogMethod>)[],
  traits: Traits,
  places: { readonly schema: string; readonly catalog: string },
): readonly Definition[] {
  const names = new Set(definitions.map(({ name }) => name));
  const shared = sharedParams(methods);
  const built = methods.flatMap(({ method, kind = 'request', params = null, message }, index): Definition[] => {
    if (message !== undefined) return [];
    const name = builtMessageName({ method, params }, shared);
    if (names.has(name)) {
      throw new McpgenError(`the message of ${JSON.stringify(method)} would be named ${name}, as a definition is`, {
        place: `${places.catalog}#${formatPointer('methods', index)}`,
        remedy: 'Set "message" to the definition if it is that message; otherwise rename the definition in the schema.',
      });
    }
    names.add(name);
    return [{ name, type: buildMessage(method, kind, params, traits), doc: docOf(method, kind), isBuilt: true }];
  });
  if (built.length === 0) return definitions;
  return [...definitions, ...built].sort((a, b) => compareText(a.name, b.name));
}

function docOf(method: string, kind: MessageKind): string {
  return `The ${kind} \`${method}\` as it is sent: its params in the envelope of JSON-RPC.`;
}

function buildMessage(method: string, kind: MessageKind, params: string | null, { envelope }: Traits): TypeNode {
  const id: TypeNode = envelope?.requestId === undefined ? REQUEST_ID : { kind: 'ref', name: envelope.requestId };
  const members: readonly Member[] = [
    ...(kind === 'request' ? [{ name: 'id', required: true, type: id }] : []),
    { name: 'jsonrpc', required: true, type: { kind: 'literal', value: '2.0' } },
    { name: 'method', required: true, type: { kind: 'literal', value: method } },
    ...(params === null ? [] : [{ name: 'params', required: true, type: { kind: 'ref', name: params } as const }]),
  ];
  return { kind: 'object', members, shape: 'members', constraints: {} };
}

/** JSON-RPC 2.0 §4; an id that is null or a fraction is discouraged there, and no response can be matched with it. */
const REQUEST_ID: TypeNode = {
  kind: 'union',
  exclusive: false,
  variants: [
    { kind: 'string', constraints: {} },
    { kind: 'integer', constraints: {} },
  ],
};

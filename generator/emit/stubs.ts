import { McpgenError } from '../errors.js';
import type { Method, Protocol } from '../model/protocol.js';
import { docComment } from '../print/doc-comment.js';
import { memberName } from '../print/names.js';
import { SourceFile } from '../print/source-file.js';
import { closestMatch } from '../text.js';
import type { EmitContext } from './context.js';
import { servedMethods, stubbedMethods } from './handled.js';

/**
 * `handlers.ts`: handlers for the user to fill in. Undefined if there would be none.
 *
 * @param wanted - The methods to handle; by default those that clients send and the runtime does not answer itself.
 */
export function emitStubs({ protocol }: EmitContext, wanted?: readonly string[]): SourceFile | undefined {
  const methods =
    wanted === undefined
      ? stubbedMethods(protocol)
      : servedMethods(protocol).filter(({ name }) => wanted.includes(name));
  if (methods.length === 0) return undefined;
  const file = new SourceFile('handlers', { belongsToUser: true });
  file.declare('const', 'handlers', {
    doc: docComment(
      {
        text: 'Handlers of what clients ask for. This file is yours: mcpgen has written it once and leaves it as it is.',
        more: ['`createServer({ info, handlers })` of `server.ts` makes a server of them.'],
      },
      new Set(),
    ),
    code: `: ${file.importType('server', 'ServerHandlers')} = {\n${methods.map(printStub).join('\n')}};`,
  });
  file.declareLocal('function', 'notImplemented', {
    code: `(method: string): ${file.importValue('runtime/jsonrpc/error-codes', 'RpcError')} {
  return new RpcError(${file.importValue('runtime/jsonrpc/error-codes', 'STANDARD_ERROR_CODES')}.METHOD_NOT_FOUND, \`\${method} is not implemented\`, { method });
}`,
  });
  return file;
}

function printStub({ name, summary, deprecated }: Method): string {
  return `${docComment({ text: summary, deprecated }, new Set())}${memberName(name)}: (_params, _context) => {
  throw notImplemented(${JSON.stringify(name)});
},
`;
}

/**
 * Rejects methods that no server handles.
 *
 * @param protocols - All generated revisions; a method need not be in every one.
 * @throws {@link McpgenError} with the closest method, or with who handles the method.
 */
export function refuseMethodsWithoutStub(protocols: readonly Protocol[], wanted: readonly string[]): void {
  const served = new Set(protocols.flatMap((protocol) => servedMethods(protocol).map(({ name }) => name)));
  const all = protocols.flatMap(({ methods }) => methods);
  for (const name of wanted) {
    if (served.has(name)) continue;
    const known = all.find((method) => method.name === name);
    const near = closestMatch(name, [...served]);
    throw known === undefined
      ? new McpgenError(`there is no method ${JSON.stringify(name)}`, {
          place: '--methods',
          remedy: near === undefined ? `There are ${[...served].sort().join(', ')}.` : `Did you mean ${near}?`,
        })
      : new McpgenError(`a server has no handler for ${name}: ${noStubReason(known)}`, {
          place: '--methods',
          remedy: 'Omit it; `mcpgen methods --direction clientToServer --kind request` lists what clients request.',
        });
  }
}

function noStubReason({ direction, kind }: Method): string {
  if (direction === 'serverToClient') return 'servers send it';
  if (direction === 'embedded') return 'servers request it, inside a result';
  if (kind === 'notification') return 'it is a notification, which has no response';
  return 'the runtime handles it, as part of the lifecycle';
}
